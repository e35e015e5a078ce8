#pragma once

namespace fathom_cli {

/// While it lives, the first SIGINT, SIGTERM or SIGHUP only asks the run to stop; a second one kills as usual.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  [[nodiscard]] static bool received();
};

}  // namespace fathom_cli
