// SPDX-License-Identifier: MIT
#pragma once
// Several logs that are gone through scan by scan, one of them open at a time.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fathom/beam/log.hpp>
#include <fathom/beam/scan_source.hpp>

#include "beam/no_return_pile.hpp"

namespace fathom {

/// A log in memory as a source. Throws InputError naming the log as validate() does, where it has scans.
std::unique_ptr<ScanSource> source_of(std::shared_ptr<const ScanLog> log);

/// What one pass over a log finds.
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
  OpenLogs(std::size_t size, LogOpener open) : size_(size), open_(std::move(open)) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  LogLook look(std::size_t log);
  /// Scans of a log, whose numbers increase, as a log of their own. The fewer scans lie before those that were picked
  /// last, the better: then the log is not gone through again.
  ScanLog pick(std::size_t log, std::span<const std::uint32_t> scans);

 private:
  void go_to(std::size_t log);
  [[noreturn]] void refuse_change() const;

  std::size_t size_;
  LogOpener open_;
  std::size_t which_ = std::numeric_limits<std::size_t>::max();
  std::unique_ptr<ScanSource> source_;
  std::size_t at_ = 0;  ///< the scan that comes next
};

}  // namespace fathom
