// SPDX-License-Identifier: MIT
#include "shard.hpp"

#include <charconv>
#include <cstdlib>
#include <initializer_list>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

namespace fathom_cli {
namespace {

/// What one launcher says.
struct Launched {
  std::string by;  ///< "SLURM_PROCID 1 of SLURM_NTASKS 4"
  fathom::Shard shard;
};

std::optional<std::uint64_t> number_in(const Environment& environment, const std::string& name) {
  const std::optional<std::string> text = environment(name);
  if (!text) return {};
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error == std::errc() && end == text->data() + text->size() && value <= fathom::kMaxUnits) return value;
  throw fathom::InputError(
      fmt::format("--shard auto: {} = '{}' is not a whole number up to {}", name, *text, fathom::kMaxUnits));
}

Launched checked(std::string by, std::uint64_t index, std::uint64_t count) {
  if (index < count) return {std::move(by), {index, count}};
  throw fathom::InputError(
      fmt::format("--shard auto: {} says {}, which is not below {}; give --shard i/n", by, index, count));
}

/// A launcher with a variable for the rank and one for the number of ranks.
std::optional<Launched> ranks(const Environment& environment, const std::string& rank, const std::string& size) {
  const auto index = number_in(environment, rank), count = number_in(environment, size);
  if (!index) return {};
  if (!count)
    throw fathom::InputError(fmt::format("--shard auto: {} is set, but not {}; give --shard i/n", rank, size));
  return checked(fmt::format("{} {} of {} {}", rank, *index, size, *count), *index, *count);
}

/// A batch script is task 0 of no step, and the only process of its kind: SLURM_NTASKS is then what `srun` would start.
std::optional<Launched> slurm_tasks(const Environment& environment) {
  const auto task = number_in(environment, "SLURM_PROCID");
  if (task == 0 && !environment("SLURM_STEP_ID")) return Launched{"SLURM_PROCID 0 of no step", {0, 1}};
  return ranks(environment, "SLURM_PROCID", "SLURM_NTASKS");
}

std::optional<Launched> slurm_array(const Environment& environment) {
  const auto task = number_in(environment, "SLURM_ARRAY_TASK_ID");
  if (!task) return {};
  const auto count = number_in(environment, "SLURM_ARRAY_TASK_COUNT"),
             first = number_in(environment, "SLURM_ARRAY_TASK_MIN");
  const std::uint64_t step = number_in(environment, "SLURM_ARRAY_TASK_STEP").value_or(1);
  if (!count || !first || step == 0) {
    throw fathom::InputError("--shard auto: SLURM_ARRAY_TASK_ID is set, but not its _COUNT and _MIN; give --shard i/n");
  }
  const std::string by = fmt::format("SLURM_ARRAY_TASK_ID {} of SLURM_ARRAY_TASK_COUNT {}", *task, *count);
  if (*task < *first || (*task - *first) % step != 0) {
    throw fathom::InputError(
        fmt::format("--shard auto: {} is no step of {} from {}; give --shard i/n", by, step, *first));
  }
  return checked(by, (*task - *first) / step, *count);
}

/// The one that several launchers agree on; nothing where none of them speaks.
std::optional<Launched> agreed(std::initializer_list<std::optional<Launched>> all) {
  std::optional<Launched> found;
  for (const auto& launched : all) {
    if (!launched) continue;
    if (found && found->shard != launched->shard) {
      throw fathom::InputError(
          fmt::format("--shard auto: {} and {} disagree; give --shard i/n", found->by, launched->by));
    }
    found = launched;
  }
  return found;
}

/// Ranks of MPI before Slurm's tasks: mpirun in a script of sbatch's, or in a task of srun's, hands on what Slurm says
/// of that one task, and counts its ranks itself. Where both count the same processes, they have to agree; and a rank
/// that is alone in one of several tasks would do the work of all of them.
std::optional<Launched> tasks(const Environment& environment) {
  auto mpi = agreed(
      {ranks(environment, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), ranks(environment, "PMI_RANK", "PMI_SIZE")});
  auto slurm = slurm_tasks(environment);
  if (!mpi || !slurm) return mpi ? mpi : slurm;
  return mpi->shard.count == slurm->shard.count || mpi->shard.count == 1 ? agreed({mpi, slurm}) : mpi;
}

/// The tasks of each member of an array share its part: whoever started them counts those of this member alone.
std::optional<Launched> tasks_and_array(const Environment& environment) {
  auto of_member = tasks(environment);
  auto array = slurm_array(environment);
  if (!array) return of_member;
  if (!of_member) return array;
  const fathom::Shard of = {array->shard.index * of_member->shard.count + of_member->shard.index,
                            array->shard.count * of_member->shard.count};
  return Launched{array->by + " with " + of_member->by, of};
}

std::optional<Launched> kubernetes(const Environment& environment, std::optional<std::uint64_t> count) {
  const auto index = number_in(environment, "JOB_COMPLETION_INDEX");
  if (!index) return {};
  if (!count) count = number_in(environment, "FATHOM_SHARDS");
  if (!count) {
    throw fathom::InputError(
        "--shard auto: JOB_COMPLETION_INDEX is set, but not the number of shards; give --shards N, or set "
        "FATHOM_SHARDS");
  }
  return checked(fmt::format("JOB_COMPLETION_INDEX {} of {} shards", *index, *count), *index, *count);
}

}  // namespace

std::optional<std::string> environment_variable(const std::string& name) {
  const char* const text = std::getenv(name.c_str());
  return text == nullptr ? std::nullopt : std::optional<std::string>(text);
}

fathom::Shard find_shard(const Environment& environment, std::optional<std::uint64_t> count) {
  const auto found = agreed({tasks_and_array(environment), kubernetes(environment, count)});
  if (found && count && *count != found->shard.count) {
    throw fathom::InputError(
        fmt::format("--shards = {} and {} disagree; leave --shards out, or give --shard i/n", *count, found->by));
  }
  if (found) return found->shard;
  throw fathom::InputError(
      "--shard auto: no launcher says which process this is (Open MPI, PMI, Slurm, Kubernetes); give --shard i/n");
}

fathom::Shard shard_named(const std::string& text, std::optional<std::uint64_t> count) {
  if (text == "auto") return find_shard(&environment_variable, count);
  return fathom::parse_shard(text);
}

}  // namespace fathom_cli
