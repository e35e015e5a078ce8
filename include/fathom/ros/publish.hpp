// SPDX-License-Identifier: MIT
#pragma once
// Topics of ROS 2, without ROS: `fathom publish`, and `fathom apply` between two topics, as calls.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <fathom/core/export.hpp>
#include <fathom/simulate/apply.hpp>
#include <fathom/simulate/run.hpp>

namespace fathom {

/// The largest ROS_DOMAIN_ID: the ports of higher domains would exceed 65535.
inline constexpr std::uint32_t kMaxDomain = 231;

/// The participants that see each other.
struct TopicDomain {
  std::uint32_t domain = 0;    ///< as ROS_DOMAIN_ID; 0 to kMaxDomain
  std::string interface = {};  ///< "eth0" or an address; empty: only this computer (127.0.0.1)
};

/// Whether this build of fathom has DDS. Without it, publishing throws InputError.
FATHOM_API bool has_topics();

/// The progress and the result of publishing.
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
  double speed = 1.0;        ///< simulated seconds per second, above 0; infinity: as fast as possible
  bool sensor_data = false;  ///< the sensor-data profile for topics of sensors (best effort, keep last 5)
  bool wait = false;         ///< start when every topic of a sensor has a subscriber
  /// Uses frames (empty: until should_stop returns true), seed, environment, episode, compute and should_stop.
  RunOptions run = {};
  std::function<void(const PublishResult&)> on_progress;  ///< after every frame
};

/// Publishes the messages that `fathom simulate --bag` writes, each frame at its time. A late frame delays the
/// following ones. A subscriber that stops or dies does not block it. Returns normally when should_stop returns true.
/// Throws InputError (scene, options, no DDS in this build), SystemError.
FATHOM_API PublishResult publish_scene(const SceneSetup& setup, const PublishOptions& options);

/// The progress and the result of noise between two topics.
struct ApplyTopicResult {
  std::uint32_t messages = 0;  ///< published
  std::uint64_t bytes = 0;     ///< of these
  std::uint64_t refused = 0;   ///< received messages that were not published
  std::string refusal = {};    ///< the fault of the first of these
};

struct ApplyTopicOptions : MessageNoiseOptions {
  std::string publish = {};  ///< the topic of noisy messages: "/depth_noisy"
  TopicDomain domain = {};
  std::optional<std::uint32_t> messages = {};  ///< ends after this many; empty: only noise.should_stop ends it
  std::function<void(const ApplyTopicResult&)> on_progress = {};  ///< after every message
};

/// Publishes the messages of a topic with noise. The sensor decides their type: Image of a camera, LaserScan of a level
/// fan, else PointCloud2. Published message k has the bits of frame k. An image has the intrinsics of the latest
/// CameraInfo; the first one waits for it. A slow chain leaves out messages. Throws InputError (options, sensor, no DDS
/// in this build), SystemError.
FATHOM_API ApplyTopicResult apply_to_topic(const Sensor& sensor, const ApplyTopicOptions& options);

}  // namespace fathom
