// SPDX-License-Identifier: MIT
#include "simulate/bag/sensor_topics.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/outputs/clouds.hpp>

#include "base/text.hpp"
#include "cloud/cloud_message.hpp"
#include "message/clock.hpp"
#include "message/message.hpp"
#include "sensor/sensor_view.hpp"
#include "simulate/bag/sensor_messages.hpp"

namespace fathom {

namespace {

constexpr const char* kWorld = "world";

template <class Message>
void send(MessageSink& sink, std::uint16_t topic, const msg::Time& time, const Message& message) {
  sink.write(topic, msg::nanoseconds(time), write_message(message));
}

bool has_timing(const Sensor& sensor) { return sensor.timing != Timing(); }

/// How the scene file wants the points of a sensor in this frame.
std::optional<CloudOptions> points_asked_for(const SensorSetup& setup, CloudFrame frame) {
  for (const Output& output : setup.outputs) {
    const auto* const cloud = output.get_if<PointCloud2Output>();
    if (cloud != nullptr && cloud->frame == frame) return cloud->options();
  }
  return std::nullopt;
}

DepthEncoding encoding_asked_for(const SensorSetup& setup) {
  for (const Output& output : setup.outputs) {
    if (const auto* const image = output.get_if<DepthImageOutput>()) return image->encoding;
  }
  return DepthEncoding::k32FC1;
}

}  // namespace

SensorTopics::SensorTopics(Simulator& simulator, std::span<const SensorSetup> sensors) : simulator_(simulator) {
  for (std::size_t i = 0; i < sensors.size(); ++i) add_sensor(static_cast<SensorId>(i), sensors[i]);
}

void SensorTopics::open(MessageSink& sink) {
  sink_ = &sink;
  told_s_.reset();
  clock_ = sink.add_topic("/clock", msg::Clock::kType);
  tf_ = sink.add_topic("/tf", msg::TFMessage::kType);
  tf_static_ = sink.add_topic("/tf_static", msg::TFMessage::kType);
  for (std::size_t i = 0; i < topics_.size(); ++i) {
    Topics& topics = topics_[i];
    const std::string prefix = "/" + simulator_.sensor(static_cast<SensorId>(i)).name;
    if (topics.is_camera) {
      topics.data = sink.add_topic(prefix + "/depth", msg::Image::kType);
      topics.info = sink.add_topic(prefix + "/camera_info", msg::CameraInfo::kType);
    } else if (topics.is_scan) {
      topics.data = sink.add_topic(prefix + "/scan", msg::LaserScan::kType);
    } else {
      topics.data = sink.add_topic(prefix + "/points", msg::PointCloud2::kType);
      if (topics.points_world) topics.world = sink.add_topic(prefix + "/points_world", msg::PointCloud2::kType);
    }
  }
}

ChannelSet SensorTopics::channels(const SensorSetup& setup) {
  if (camera_constants(setup.sensor.model, "")) return {Channel::kDepth};
  // A sensor that may have scans gets what both messages need: which it is, its rays tell later.
  ChannelSet channels = ChannelSet{Channel::kRange, Channel::kReason} |
                        cloud_channels(points_asked_for(setup, CloudFrame::kSensor).value_or(CloudOptions()));
  if (const auto world = points_asked_for(setup, CloudFrame::kWorld)) channels = channels | cloud_channels(*world);
  return channels;
}

void SensorTopics::add_link(Link link) {
  for (const Link& other : links_) {
    if (other.child != link.child) continue;
    if (other.entity != kNoEntity && other.entity == link.entity) return;  // it carries two sensors
    throw InputError(fmt::format("bag: two things are called '{}', and every frame of tf needs a name of its own",
                                 one_line(link.child)));
  }
  if (link.child == kWorld) throw InputError("bag: 'world' is the frame of the world; give what has the name another");
  links_.push_back(std::move(link));
}

void SensorTopics::add_sensor(SensorId id, const SensorSetup& setup) {
  const Sensor& sensor = simulator_.sensor(id);
  const std::vector<Entity>& entities = simulator_.scene().entities();
  const auto name_of = [&](EntityId e) { return e == kNoEntity ? std::string(kWorld) : entities[index(e)].name; };
  const bool turns_apart = make_view(sensor.model).axes != AxesFollow::kBody;
  add_link({name_of(sensor.parent), sensor.name, sensor.parent, kNoEntity, id,
            !sensor.parent_from_sensor.is_fixed() || turns_apart});
  for (EntityId up = sensor.parent; up != kNoEntity; up = entities[index(up)].parent) {
    const Entity& entity = entities[index(up)];
    add_link({name_of(entity.parent), entity.name, entity.parent, up, {}, !entity.parent_from_entity.is_fixed()});
  }
  Topics topics;
  topics.frame_id = sensor.name;
  if (auto camera = camera_constants(sensor.model, optical_frame(sensor.name))) {
    topics.is_camera = true, topics.frame_id = camera->header.frame_id, topics.camera = std::move(*camera);
    topics.depth = encoding_asked_for(setup);
  } else if (auto scan = scan_constants(sensor.model, simulator_.pattern(id, 0), sensor.name,
                                        1.0 / sensor.timing.rate_hz.value_or(simulator_.options().rate_hz))) {
    topics.is_scan = true, topics.scan = std::move(*scan);
  } else {
    topics.points = points_asked_for(setup, CloudFrame::kSensor).value_or(CloudOptions());
    topics.points_world = points_asked_for(setup, CloudFrame::kWorld);
  }
  topics_.push_back(std::move(topics));
}

Pose SensorTopics::pose_of(const Link& link, double stamp_s) const {
  const Scene& scene = simulator_.scene();
  if (link.entity != kNoEntity) return scene.entities()[index(link.entity)].parent_from_entity.at(stamp_s);
  const Pose world_from_sensor = simulator_.world_from_sensor(link.sensor, stamp_s);
  if (link.parent_entity == kNoEntity) return world_from_sensor;
  return inverse(scene.world_from_entity(link.parent_entity, stamp_s)) * world_from_sensor;
}

void SensorTopics::write_transforms(std::uint16_t topic, double stamp_s, double sent_s, bool moving) {
  msg::TFMessage message;
  for (const Link& link : links_) {
    if (link.moves != moving) continue;
    message.transforms.push_back(transform_of(pose_of(link, stamp_s), stamp_s, link.parent, link.child));
  }
  for (std::size_t i = 0; i < topics_.size() && !moving; ++i) {
    if (!topics_[i].is_camera) continue;
    const std::string& camera = simulator_.sensor(static_cast<SensorId>(i)).name;
    message.transforms.push_back(
        transform_of({{0, 0, 0}, camera_from_optical()}, stamp_s, camera, topics_[i].frame_id));
  }
  if (!message.transforms.empty()) send(*sink_, topic, msg::time_of(sent_s), message);
}

void SensorTopics::begin_frame(std::uint32_t index) {
  const double stamp_s = simulator_.stamp_s(index);
  set_clock(stamp_s);
  tell_transforms(stamp_s, stamp_s);
}

void SensorTopics::set_clock(double time_s) {
  const msg::Time time = msg::time_of(time_s);
  send(*sink_, clock_, time, msg::Clock{time});
  if (!std::exchange(begun_, true)) write_transforms(tf_static_, time_s, time_s, false);
}

void SensorTopics::tell_transforms(double stamp_s, double sent_s) {
  if (std::exchange(told_s_, stamp_s) != stamp_s) write_transforms(tf_, stamp_s, sent_s, true);
}

void SensorTopics::add(SensorId sensor, const Frame& frame) {
  std::optional<msg::Time> delivered;
  if (has_timing(simulator_.sensor(sensor))) {
    delivered = msg::time_of(frame.delivered_s());
    set_clock(frame.delivered_s());
    if (frame.content_index() == frame.index()) tell_transforms(frame.stamp_s(), frame.delivered_s());
  }
  Topics& topics = topics_[index(sensor)];
  if (topics.is_camera) {
    const DepthImageMessage image(frame, topics.frame_id, topics.depth);
    const msg::Time& stamp = image.message().header.stamp;
    topics.camera.header.stamp = stamp;
    send(*sink_, topics.data, delivered.value_or(stamp), image.message());
    send(*sink_, topics.info, delivered.value_or(stamp), topics.camera);
  } else if (topics.is_scan) {
    set_scan(topics.scan, frame, simulator_.pattern(sensor, frame.content_index()));
    send(*sink_, topics.data, delivered.value_or(topics.scan.header.stamp), topics.scan);
  } else {
    send_cloud(topics.data, frame, topics.points, topics.frame_id, delivered);
    if (topics.points_world) send_cloud(topics.world, frame, *topics.points_world, kWorld, delivered);
  }
}

void SensorTopics::send_cloud(std::uint16_t topic, const Frame& frame, const CloudOptions& options,
                              std::string_view frame_id, const std::optional<msg::Time>& delivered) {
  const CloudMessage cloud = cloud_message(frame, frame_id, options);
  send(*sink_, topic, delivered.value_or(cloud.message.header.stamp), cloud.message);
}

}  // namespace fathom
