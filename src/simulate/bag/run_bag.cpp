// SPDX-License-Identifier: MIT
#include "simulate/bag/run_bag.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/files/clouds.hpp>

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
void write_to_bag(McapWriter& bag, std::uint16_t topic, const msg::Time& stamp, const Message& message) {
  bag.write(topic, msg::nanoseconds(stamp), write_message(message));
}

}  // namespace

RunBag::RunBag(Simulator& simulator, std::size_t sensors) : simulator_(simulator) {
  for (std::size_t i = 0; i < sensors; ++i) add_sensor(static_cast<SensorId>(i));
}

void RunBag::open(const std::filesystem::path& file) {
  bag_.emplace(file);
  clock_ = bag_->add_topic("/clock", msg::Clock::kType);
  tf_ = bag_->add_topic("/tf", msg::TFMessage::kType);
  tf_static_ = bag_->add_topic("/tf_static", msg::TFMessage::kType);
  for (std::size_t i = 0; i < topics_.size(); ++i) {
    Topics& topics = topics_[i];
    const std::string prefix = "/" + simulator_.sensor(static_cast<SensorId>(i)).name;
    if (topics.is_camera) {
      topics.data = bag_->add_topic(prefix + "/depth", msg::Image::kType);
      topics.info = bag_->add_topic(prefix + "/camera_info", msg::CameraInfo::kType);
    } else if (topics.is_scan) {
      topics.data = bag_->add_topic(prefix + "/scan", msg::LaserScan::kType);
    } else {
      topics.data = bag_->add_topic(prefix + "/points", msg::PointCloud2::kType);
    }
  }
}

ChannelSet RunBag::channels(const Sensor& sensor) {
  if (camera_constants(sensor.model, "")) return {Channel::kDepth};
  // A sensor that may have scans gets what both messages need: which it is, its rays tell later.
  return ChannelSet{Channel::kRange, Channel::kReason, Channel::kHitSensor} | CloudOptions().fields;
}

void RunBag::add_link(Link link) {
  for (const Link& other : links_) {
    if (other.child != link.child) continue;
    if (other.entity != kNoEntity && other.entity == link.entity) return;  // it carries two sensors
    throw InputError(fmt::format("bag: two things are called '{}', and every frame of tf needs a name of its own",
                                 one_line(link.child)));
  }
  if (link.child == kWorld) throw InputError("bag: 'world' is the frame of the world; give what has the name another");
  links_.push_back(std::move(link));
}

void RunBag::add_sensor(SensorId id) {
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
  }
  topics_.push_back(std::move(topics));
}

Pose RunBag::pose_of(const Link& link, double stamp_s) const {
  const Scene& scene = simulator_.scene();
  if (link.entity != kNoEntity) return scene.entities()[index(link.entity)].parent_from_entity.at(stamp_s);
  const Pose world_from_sensor = simulator_.world_from_sensor(link.sensor, stamp_s);
  if (link.parent_entity == kNoEntity) return world_from_sensor;
  return inverse(scene.world_from_entity(link.parent_entity, stamp_s)) * world_from_sensor;
}

void RunBag::write_transforms(std::uint16_t topic, double stamp_s, bool moving) {
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
  if (!message.transforms.empty()) write_to_bag(*bag_, topic, msg::time_of(stamp_s), message);
}

void RunBag::begin_frame(std::uint32_t index) {
  const double stamp_s = simulator_.stamp_s(index);
  const msg::Time stamp = msg::time_of(stamp_s);
  write_to_bag(*bag_, clock_, stamp, msg::Clock{stamp});
  if (!std::exchange(begun_, true)) write_transforms(tf_static_, stamp_s, false);
  write_transforms(tf_, stamp_s, true);
}

void RunBag::add(SensorId sensor, const Frame& frame) {
  Topics& topics = topics_[index(sensor)];
  if (topics.is_camera) {
    const msg::Image image = depth_image(frame, topics.frame_id);
    topics.camera.header.stamp = image.header.stamp;
    write_to_bag(*bag_, topics.data, image.header.stamp, image);
    write_to_bag(*bag_, topics.info, image.header.stamp, topics.camera);
  } else if (topics.is_scan) {
    set_scan(topics.scan, frame, simulator_.pattern(sensor, frame.index()));
    write_to_bag(*bag_, topics.data, topics.scan.header.stamp, topics.scan);
  } else {
    const PackedCloud cloud = pack_cloud(frame, {});
    const msg::PointCloud2 message = cloud_message(cloud, frame.stamp_s(), topics.frame_id);
    write_to_bag(*bag_, topics.data, message.header.stamp, message);
  }
}

void check_bag_file(const std::filesystem::path& file, const std::vector<std::filesystem::path>& inputs, bool force) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return;
  for (const std::filesystem::path& input : inputs) {
    if (!std::filesystem::equivalent(file, input, error)) continue;
    throw InputError(fmt::format("{}: is read for the scene, and the bag would replace it", file.string()));
  }
  if (!std::filesystem::is_regular_file(file, error))
    throw InputError(fmt::format("{}: is no file that a bag could replace", file.string()));
  if (!force) throw InputError(fmt::format("{}: exists already; force (--force) replaces it", file.string()));
}

}  // namespace fathom
