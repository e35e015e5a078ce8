// SPDX-License-Identifier: MIT
#pragma once
// Several logs, one of them in memory at a time.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fathom/beam/log.hpp>

#include "beam/no_return_pile.hpp"

namespace fathom {

/// Facts of a log before a part of it is picked.
struct LogLook {
  std::string name, laser;
  std::size_t scans = 0, rays = 0;
  double max_range_m = 0.0;
  bool moved = false;  ///< whether a ray was measured anywhere else than the first of its scan
  std::vector<SkippedLines> skipped;
  std::vector<std::string> notes;
  NoReturnPile largest;
};

class OpenLogs {
 public:
  using Open = std::function<std::shared_ptr<const ScanLog>(std::size_t log)>;
  OpenLogs(std::size_t size, Open open) : size_(size), open_(std::move(open)) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  /// Throws InputError naming the log as validate() does, where it has scans.
  LogLook look(std::size_t log);
  /// Scans of a log as a separate log.
  ScanLog pick(std::size_t log, std::span<const std::uint32_t> scans);

 private:
  const ScanLog& go_to(std::size_t log);

  std::size_t size_;
  Open open_;
  std::size_t which_ = std::numeric_limits<std::size_t>::max();
  std::shared_ptr<const ScanLog> log_;
};

}  // namespace fathom
