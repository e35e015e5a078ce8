// SPDX-License-Identifier: MIT
// MPI 3.1, https://www.mpi-forum.org/docs/mpi-3.1/mpi31-report.pdf.

#include <chrono>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <thread>

#include <fmt/format.h>
#include <mpi.h>

#include <fathom/base/error.hpp>

#include "ranks.hpp"

namespace fathom_cli {
namespace {

/// A process that ends in disorder is not waited for: the launcher ends the others.
void end_all(int status, void* /*unused*/) {
  if (status != 0) MPI_Abort(MPI_COMM_WORLD, status);
}

class MpiRanks : public fathom::Ranks {
 public:
  MpiRanks() {
    MPI_Init(nullptr, nullptr);  // whatever fails in MPI ends the program: that is its default
    int rank = 0, size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    rank_ = static_cast<std::size_t>(rank);
    size_ = static_cast<std::size_t>(size);
  }

  ~MpiRanks() override {
    if (std::uncaught_exceptions() == 0) {
      MPI_Finalize();
      return;
    }
    // What is wrong is wrong for all, as a rule: one line is enough, and rank 0 is the first to tell.
    if (rank_ != 0) std::this_thread::sleep_for(std::chrono::milliseconds(500));
    on_exit(end_all, nullptr);  // after the line on stderr
  }

  [[nodiscard]] std::size_t rank() const override { return rank_; }
  [[nodiscard]] std::size_t size() const override { return size_; }

  [[nodiscard]] std::vector<double> gather(std::span<const double> mine) override {
    const auto count = static_cast<std::uint64_t>(mine.size());
    std::vector<std::uint64_t> counts(size_);
    MPI_Allgather(&count, 1, MPI_UINT64_T, counts.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD);
    std::vector<int> lengths, begins;
    std::uint64_t total = 0;
    for (const std::uint64_t length : counts) {
      begins.push_back(static_cast<int>(total));
      lengths.push_back(static_cast<int>(length));
      total += length;
      if (total > INT_MAX) {
        throw fathom::SystemError(fmt::format("{} numbers and more are exchanged; MPI takes {}", total, INT_MAX));
      }
    }
    std::vector<double> all(total);
    MPI_Allgatherv(mine.data(), static_cast<int>(count), MPI_DOUBLE, all.data(), lengths.data(), begins.data(),
                   MPI_DOUBLE, MPI_COMM_WORLD);
    return all;
  }

 private:
  std::size_t rank_ = 0, size_ = 1;
};

}  // namespace

std::unique_ptr<fathom::Ranks> join_ranks(const Environment& environment) {
  std::unique_ptr<MpiRanks> ranks;
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"}) {
    if (environment(name)) ranks = std::make_unique<MpiRanks>();
    if (ranks) break;
  }
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    const auto size = environment(name);
    if (!ranks || ranks->size() > 1 || !size || *size == "1") continue;
    throw fathom::InputError(fmt::format(
        "{} is {}, but this process finds no others: start them with the mpirun of the MPI that fathom is built with",
        name, *size));
  }
  return ranks;
}

}  // namespace fathom_cli
