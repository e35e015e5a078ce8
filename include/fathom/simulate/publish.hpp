// SPDX-License-Identifier: MIT
#pragma once
// A scene as topics of ROS 2, without ROS: what `fathom publish` does, as a call.

#include <cstdint>
#include <functional>

#include <fathom/base/export.hpp>
#include <fathom/simulate/run.hpp>
#include <fathom/topic/domain.hpp>

namespace fathom {

/// How far publishing is, and what came of it.
struct PublishResult {
  std::uint32_t frames = 0;
  std::uint64_t messages = 0, bytes = 0;
  double seconds = 0.0;       ///< since the first frame
  double cast_seconds = 0.0;  ///< of these, inside Simulator::render
  double send_seconds = 0.0;  ///< of these, making and sending messages
  std::uint32_t late = 0;     ///< frames that could not be made in time
};

struct PublishOptions {
  TopicDomain domain = {};
  double speed = 1.0;        ///< seconds of the simulation in a second, above 0; infinity: as fast as it can
  bool sensor_data = false;  ///< sensors' topics by the sensor-data profile (best effort, keep last 5)
  bool wait = false;         ///< begins when every topic of a sensor has a subscriber
  /// Of these count frames (without: until should_stop says yes), seed, environment, episode, compute and should_stop.
  RunOptions run = {};
  std::function<void(const PublishResult&)> on_progress;  ///< after every frame
};

/// Publishes what `fathom simulate --bag` writes, each frame at its time. A frame that comes too late delays those
/// after it. Nobody who subscribes, and then stops or dies, holds it up. Ends in order when should_stop says yes.
/// Throws InputError (scene, options, no DDS in this build), SystemError.
FATHOM_API PublishResult publish_scene(const SceneSetup& setup, const PublishOptions& options);

}  // namespace fathom
