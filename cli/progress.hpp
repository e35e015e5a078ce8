// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <string>

#include <fathom/simulate/run.hpp>

namespace fathom_cli {

/// One line on stderr that is drawn over when that is a terminal, else a plain line at most once a second. It is best
/// effort: text that cannot be written is lost, and the work goes on.
class StatusLine {
 public:
  explicit StatusLine(bool quiet = false);  ///< quiet: shows nothing
  ~StatusLine();                            ///< ends the line
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  /// `seconds`: when, since some beginning; updates that come too soon are passed over, but never the `last`.
  void show(double seconds, const std::string& text, bool last = false);
  [[nodiscard]] bool is_terminal() const { return terminal_; }

 private:
  bool quiet_;
  bool terminal_;
  bool drawn_ = false;
  double next_s_;  ///< from when on the next update may be shown
};

/// Shows how far a run is.
class ProgressDisplay {
 public:
  explicit ProgressDisplay(bool quiet) : line_(quiet) {}
  void show(const fathom::RunOptions::Progress& progress);

 private:
  StatusLine line_;
};

/// Shows how far anything else is.
class TaskDisplay {
 public:
  TaskDisplay(std::string task, bool quiet) : task_(std::move(task)), line_(quiet) {}
  /// A bar where the share done is known.
  void show_fraction(double done);
  void show_text(const std::string& text);

 private:
  [[nodiscard]] double seconds() const;

  std::string task_;
  StatusLine line_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// "41.2 M rays/s"
std::string rate_text(double rays_per_s);

}  // namespace fathom_cli
