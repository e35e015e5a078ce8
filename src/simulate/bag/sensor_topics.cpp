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
void send(MessageSink& sink, std::uint16_t topic, const msg::Time& stamp, const Message& message) {
  sink.write(topic, msg::nanoseconds(stamp), write_message(message));
}

bool asks_for_world(const SensorSetup& setup) {
  return std::any_of(setup.outputs.begin(), setup.outputs.end(), [](const Output& output) {
    const auto* const cloud = output.get_if<PointCloud2Output>();
    return cloud != nullptr && cloud->frame == CloudFrame::kWorld;
  });
}

}  // namespace

SensorTopics::SensorTopics(Simulator& simulator, std::span<const SensorSetup> sensors) : simulator_(simulator) {
  for (std::size_t i = 0; i < sensors.size(); ++i) add_sensor(static_cast<SensorId>(i), sensors[i]);
}

void SensorTopics::open(MessageSink& sink) {
  sink_ = &sink;
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
      if (topics.has_world) topics.world = sink.add_topic(prefix + "/points_world", msg::PointCloud2::kType);
    }
  }
}

ChannelSet SensorTopics::channels(const SensorSetup& setup) {
  if (camera_constants(setup.sensor.model, "")) return {Channel::kDepth};
  // A sensor that may have scans gets what both messages need: which it is, its rays tell later.
  const ChannelSet channels = {Channel::kRange, Channel::kReason, Channel::kHitSensor};
  const ChannelSet world = asks_for_world(setup) ? ChannelSet{Channel::kHitWorld} : ChannelSet{};
  return channels | world | CloudOptions().fields;
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
  if (auto camera = camera_constants(sensor.model, sensor.name + "_optical")) {
    topics.is_camera = true, topics.frame_id = camera->header.frame_id, topics.camera = std::move(*camera);
  } else if (auto scan = scan_constants(sensor.model, simulator_.pattern(id, 0), sensor.name,
                                        1.0 / simulator_.options().rate_hz)) {
    topics.is_scan = true, topics.scan = std::move(*scan);
  } else {
    topics.has_world = asks_for_world(setup);
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

void SensorTopics::write_transforms(std::uint16_t topic, double stamp_s, bool moving) {
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
  if (!message.transforms.empty()) send(*sink_, topic, msg::time_of(stamp_s), message);
}

void SensorTopics::begin_frame(std::uint32_t index) {
  const double stamp_s = simulator_.stamp_s(index);
  const msg::Time stamp = msg::time_of(stamp_s);
  send(*sink_, clock_, stamp, msg::Clock{stamp});
  if (!std::exchange(begun_, true)) write_transforms(tf_static_, stamp_s, false);
  write_transforms(tf_, stamp_s, true);
}

void SensorTopics::add(SensorId sensor, const Frame& frame) {
  Topics& topics = topics_[index(sensor)];
  if (topics.is_camera) {
    const msg::Image image = depth_image(frame, topics.frame_id);
    topics.camera.header.stamp = image.header.stamp;
    send(*sink_, topics.data, image.header.stamp, image);
    send(*sink_, topics.info, image.header.stamp, topics.camera);
  } else if (topics.is_scan) {
    set_scan(topics.scan, frame, simulator_.pattern(sensor, frame.index()));
    send(*sink_, topics.data, topics.scan.header.stamp, topics.scan);
  } else {
    send_cloud(topics.data, frame, CloudFrame::kSensor, topics.frame_id);
    if (topics.has_world) send_cloud(topics.world, frame, CloudFrame::kWorld, kWorld);
  }
}

void SensorTopics::send_cloud(std::uint16_t topic, const Frame& frame, CloudFrame of, std::string_view frame_id) {
  const PackedCloud cloud = pack_cloud(frame, {.frame = of});
  const msg::PointCloud2 message = cloud_message(cloud, frame.stamp_s(), frame_id);
  send(*sink_, topic, message.header.stamp, message);
}

}  // namespace fathom
