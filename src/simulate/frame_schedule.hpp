// SPDX-License-Identifier: MIT
#pragma once
// In which order the frames of a scene and of its sensors come, where each sensor has a rate of its own.

#include <cstdint>
#include <optional>
#include <vector>

#include <fathom/simulate/simulator.hpp>

namespace fathom {

/// A frame of the scene, which moves the clock, or one of a sensor, when it arrives; one that is dropped when it would.
struct FrameEvent {
  double time_s = 0.0;
  std::uint32_t index = 0;         ///< of the scene's frame, or of the sensor's
  std::optional<SensorId> sensor;  ///< nothing: the scene
  FrameTime time = {};             ///< of the sensor's frame

  [[nodiscard]] bool is_of_scene() const { return !sensor; }
};

/// The frames of all sensors of a simulator, in the order of their times; at one time that of the scene comes first,
/// and then the sensors in their order. Frames of sensors without a timing arrive with the scene's frame of their
/// number.
class FrameSchedule {
 public:
  /// Of so many frames of the scene; of a sensor those that it begins meanwhile, be it that they arrive later.
  FrameSchedule(const Simulator& simulator, std::uint32_t sensors, std::uint32_t scene_frames);

  /// Nothing: all frames have come.
  std::optional<FrameEvent> next();
  /// The frames that arrive at the next time: usually one of the scene, with those of sensors. Empty: all have come.
  const std::vector<FrameEvent>& next_together();

 private:
  struct Stream {
    std::optional<FrameEvent> next;
    std::uint64_t count = 0;
  };

  void advance(Stream& stream);
  [[nodiscard]] FrameEvent event_of(std::optional<SensorId> sensor, std::uint32_t index) const;
  Stream* earliest();

  const Simulator& simulator_;
  std::vector<Stream> streams_;  // the scene, then the sensors
  std::vector<FrameEvent> together_;
};

/// The frame of a sensor that arrived last at a time: the first ones have not come yet, or nothing was delivered.
std::optional<FrameTime> last_delivered(const Simulator& simulator, SensorId sensor, double time_s);

}  // namespace fathom
