// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "live/exchange.hpp"
#include "live/live_source.hpp"
#include "live/play_clock.hpp"

namespace fathom {

/// Time runs, clients ask, and the source shows: all of it in the thread that calls run(). While paused it sleeps, and
/// while nobody looks nothing is rendered.
class LiveSession {
 public:
  /// Both outlive this.
  LiveSession(LiveSource& source, Exchange& exchange, bool paused);

  /// Until `should_stop`, which is asked several times a second, says yes.
  void run(const std::function<bool()>& should_stop);

 private:
  void tell_topics();
  void tell_state();
  void tell_state_sometimes(LiveClock::time_point now);
  void show(LiveClock::time_point now);
  void answer(const LiveRequest& request);
  void answer(ClientId client, const GetParameters& message);
  void answer(ClientId client, const SetParameters& message);
  void answer(ClientId client, const ServiceCall& call);
  nlohmann::ordered_json serve(const ServiceCall& call);
  void reload();
  [[nodiscard]] std::vector<Parameter> named(const std::vector<std::string>& names) const;

  LiveSource& source_;
  Exchange& exchange_;
  Timeline timeline_;
  PlayClock clock_;
  std::uint32_t shown_ = 0;  ///< the newest frame that was shown
  bool is_stale_ = true;     ///< what was shown is no more what there is
  bool state_changed_ = true;
  LiveClock::time_point state_told_ = {};
  LiveClock::time_point files_looked_at_ = {};
};

}  // namespace fathom
