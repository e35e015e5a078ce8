// SPDX-License-Identifier: MIT
#pragma once
// Fair timing in one process: the contenders take turns, so that whatever else the machine does hits all of them, and
// only medians and ratios are reported. The standard library that benchmarks use comes with it.

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <numbers>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

namespace fathom::bench {

inline double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Time that this process had a core for, over all threads: what a neighbour takes away does not count.
inline double cpu_seconds_now() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

inline double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

/// Of a round in which nothing else used the core.
inline double least(const std::vector<double>& values) { return *std::min_element(values.begin(), values.end()); }

/// Seconds by `clock` of each contender in each of `rounds` rounds, after one round that is not counted:
/// [contenders][rounds].
inline std::vector<std::vector<double>> interleaved_times(int rounds,
                                                          const std::vector<std::function<void()>>& contenders,
                                                          double (*clock)() = seconds_now) {
  std::vector<std::vector<double>> times(contenders.size());
  for (int round = 0; round <= rounds; ++round) {
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      const double start = clock();
      contenders[i]();
      if (round > 0) times[i].push_back(clock() - start);
    }
  }
  return times;
}

/// The medians of these times.
inline std::vector<double> interleave(int rounds, const std::vector<std::function<void()>>& contenders,
                                      double (*clock)() = seconds_now) {
  std::vector<double> medians;
  for (const std::vector<double>& t : interleaved_times(rounds, contenders, clock)) medians.push_back(median(t));
  return medians;
}

/// Median over rounds of the ratio a / b: what slows a whole round hits both.
inline double median_ratio(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < a.size(); ++i) ratios.push_back(a[i] / b[i]);
  return median(ratios);
}

}  // namespace fathom::bench
