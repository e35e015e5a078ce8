// SPDX-License-Identifier: MIT
#pragma once
// `--shard auto`: which of how many processes this is, as launchers say in the environment.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <fathom/dataset/unit.hpp>

namespace fathom_cli {

/// The value of an environment variable, if it is set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

/// Of the process.
std::optional<std::string> environment_variable(const std::string& name);

/// By Open MPI (OMPI_COMM_WORLD_RANK) and PMI (PMI_RANK), or where neither speaks Slurm's tasks (SLURM_PROCID); each
/// member of an array of Slurm's (SLURM_ARRAY_TASK_ID) has as many of them. And by Kubernetes' indexed jobs
/// (JOB_COMPLETION_INDEX), whose number of shards `count` gives, or FATHOM_SHARDS. Throws fathom::InputError when none of them is there, when one lacks its
/// count or is not below it, and when two disagree, naming both.
fathom::Shard find_shard(const Environment& environment, std::optional<std::uint64_t> count);

/// Of "3/16" or "auto".
fathom::Shard shard_named(const std::string& text, std::optional<std::uint64_t> count);

}  // namespace fathom_cli
