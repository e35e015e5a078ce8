// SPDX-License-Identifier: MIT
#pragma once
// Threads in place of processes that learn together.

#include <barrier>
#include <cstddef>
#include <span>
#include <vector>

#include <fathom/beam/ranks.hpp>

namespace fathom::test {

/// Where threads lay their numbers down.
struct RankTable {
  explicit RankTable(std::size_t size) : numbers(size), together(static_cast<std::ptrdiff_t>(size)) {}
  std::vector<std::vector<double>> numbers;  // [rank]
  std::barrier<> together;
};

class ThreadRanks : public Ranks {
 public:
  ThreadRanks(RankTable& table, std::size_t rank) : table_(table), rank_(rank) {}
  [[nodiscard]] std::size_t rank() const override { return rank_; }
  [[nodiscard]] std::size_t size() const override { return table_.numbers.size(); }
  [[nodiscard]] std::vector<double> gather(std::span<const double> mine) override {
    table_.numbers[rank_].assign(mine.begin(), mine.end());
    table_.together.arrive_and_wait();
    std::vector<double> all;
    for (const auto& numbers : table_.numbers) all.insert(all.end(), numbers.begin(), numbers.end());
    table_.together.arrive_and_wait();
    return all;
  }

 private:
  RankTable& table_;
  std::size_t rank_;
};

}  // namespace fathom::test
