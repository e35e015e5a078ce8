#pragma once

#include <string>

#include <fathom/run.hpp>

namespace fathom_cli {

/// Shows how far a run is on stderr: a bar when that is a terminal, else a plain line at most once a second.
class ProgressDisplay {
 public:
  ProgressDisplay();
  ~ProgressDisplay();  ///< ends the bar's line
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  void show(const fathom::Progress& progress);

 private:
  bool terminal_;
  bool bar_drawn_ = false;
  double next_s_;  ///< Progress::seconds from which the next update may be shown
};

/// "41.2 M rays/s"
std::string rate_text(double rays_per_s);

}  // namespace fathom_cli
