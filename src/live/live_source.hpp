// SPDX-License-Identifier: MIT
#pragma once
// What a live page looks at: a scene that is simulated, or what was written before.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "live/exchange.hpp"
#include "live/parameter.hpp"

namespace fathom {

/// Frames 0 to frames - 1; frame k is at start_s + k / rate_hz.
struct Timeline {
  std::uint32_t frames = 1;
  double rate_hz = 10.0, start_s = 0.0;

  [[nodiscard]] double time_s(std::uint32_t frame) const { return start_s + frame / rate_hz; }
};

/// Used by one thread.
class LiveSource {
 public:
  LiveSource() = default;
  LiveSource(const LiveSource&) = delete;
  LiveSource& operator=(const LiveSource&) = delete;
  virtual ~LiveSource() = default;

  [[nodiscard]] virtual Timeline timeline() const = 0;
  [[nodiscard]] virtual std::vector<LiveTopic> topics() const = 0;
  /// "scene", "error", "sensors", "entities" of /fathom/state.
  [[nodiscard]] virtual nlohmann::ordered_json state() const = 0;
  /// The content of /fathom/knobs.
  [[nodiscard]] virtual nlohmann::ordered_json knobs() const = 0;
  [[nodiscard]] virtual std::vector<Parameter> parameters() const = 0;
  /// Throws InputError for a name that there is not, and for a value that it does not take; then nothing changes.
  virtual void set(const Parameter& parameter) = 0;
  /// Publishes a frame for those who subscribe.
  virtual void show(std::uint32_t frame, Exchange& exchange) = 0;
  /// Whether files changed, so that all of the above may be other now.
  virtual bool reload_if_saved() = 0;
  /// Writes what is shown of a sensor, or the scene with its present knobs; the files. Throws InputError, SystemError.
  virtual std::vector<std::filesystem::path> save_frame(std::string_view sensor) = 0;
  virtual std::filesystem::path save_scene() = 0;
};

}  // namespace fathom
