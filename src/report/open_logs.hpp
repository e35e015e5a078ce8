// SPDX-License-Identifier: MIT
#pragma once
// Several logs, one of them in memory at a time.

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <utility>

#include <fathom/beam/scan.hpp>

namespace fathom {

class OpenLogs {
 public:
  using Open = std::function<std::shared_ptr<const ScanLog>(std::size_t log)>;
  OpenLogs(std::size_t size, Open open) : size_(size), open_(std::move(open)) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  /// A log, valid until another one is asked for. Throws InputError naming the log as validate() does, where it has
  /// scans.
  const ScanLog& at(std::size_t log);

 private:
  std::size_t size_;
  Open open_;
  std::size_t which_ = std::numeric_limits<std::size_t>::max();
  std::shared_ptr<const ScanLog> log_;
};

}  // namespace fathom
