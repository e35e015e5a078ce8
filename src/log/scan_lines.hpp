// SPDX-License-Identifier: MIT
#pragma once
// What the lines of a log in text mean, for each of its kinds.

#include <memory>
#include <string>
#include <string_view>

#include <fathom/beam/scan.hpp>

#include "text/log_line.hpp"

namespace fathom {

/// Takes the lines of a log from the first one on.
class ScanLines {
 public:
  ScanLines() = default;
  ScanLines(const ScanLines&) = delete;
  ScanLines& operator=(const ScanLines&) = delete;
  virtual ~ScanLines() = default;

  /// Appends the scan that a line holds to `log`, of which this may be the first one; null: passes over it without a
  /// look at its numbers. False: there is none.
  virtual bool take(const LogLine& line, std::string_view content, ScanLog* log) = 0;
  /// Whether a last line without an end may be half of a scan.
  [[nodiscard]] virtual bool may_be_cut(std::string_view content) const = 0;
  /// Gives `log` what was passed over in all lines.
  virtual void finish(ScanLog& log) const = 0;
};

std::unique_ptr<ScanLines> make_carmen_lines();
std::unique_ptr<ScanLines> make_csv_lines();

/// Whether a line that is neither blank nor a comment, the first such line, is of a log in CSV.
bool begins_csv_log(std::string_view content);

}  // namespace fathom
