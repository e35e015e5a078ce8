// SPDX-License-Identifier: MIT
#include "run/sensor_topics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/f64.hpp>

#include "core/text.hpp"
#include "io/cloud/cloud_message.hpp"
#include "io/message/cdr.hpp"
#include "io/message/geometry.hpp"
#include "render/prepared_sensor.hpp"
#include "sensor/sensor_view.hpp"

namespace fathom {

namespace {

constexpr double kEvenRad = 1e-4;  // largest deviation of a ray of a scan from its step

/// The angles of a fan, counter-clockwise from x, without the jump at pi.
std::vector<double> fan_angles(const RayPattern& pattern) {
  std::vector<double> angles;
  for (std::size_t i = 0; i < pattern.direction_x.size(); ++i) {
    double angle = math::atan2(double{pattern.direction_y[i]}, double{pattern.direction_x[i]});
    while (i > 0 && angle < angles.back() - std::numbers::pi) angle += 2 * std::numbers::pi;
    while (i > 0 && angle > angles.back() + std::numbers::pi) angle -= 2 * std::numbers::pi;
    angles.push_back(angle);
  }
  return angles;
}

bool is_even(const std::vector<double>& values, double step, double tolerance) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(std::abs(values[i] - values.front() - static_cast<double>(i) * step) <= tolerance)) return false;
  }
  return true;
}

float lost_range(Reason reason) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  if (reason == Reason::kMasked) return std::numeric_limits<float>::quiet_NaN();
  return reason == Reason::kBelowMinRange ? -kInfinity : kInfinity;
}

double first_time_s(const RayPattern& pattern) {
  return pattern.time_offset_s.empty() ? 0.0 : double{pattern.time_offset_s.front()};
}

}  // namespace

std::optional<msg::LaserScan> scan_constants(const SensorModel& model, const RayPattern& pattern,
                                             std::string_view frame_id, double scan_time_s) {
  const bool level = std::all_of(pattern.direction_z.begin(), pattern.direction_z.end(),
                                 [](float z) { return std::abs(z) <= static_cast<float>(kEvenRad); });
  const bool one_limit = pattern.min_range_m.size() == 1 && pattern.max_range_m.size() == 1;
  const std::size_t rays = pattern.direction_x.size();
  const bool scans = rays > 1 || std::holds_alternative<Laser2d>(model);
  if (!level || !one_limit || pattern.rows != 1 || !scans || !pattern.origin_x.empty() || make_view(model).rays_vary) {
    return std::nullopt;
  }
  const std::vector<double> angles = fan_angles(pattern);
  const auto steps = static_cast<double>(std::max<std::size_t>(rays - 1, 1));
  // Readers divide by the step. A single ray gets a whole turn.
  const double step = rays == 1 ? 2 * std::numbers::pi : (angles.back() - angles.front()) / steps;
  if (!is_even(angles, step, kEvenRad)) return std::nullopt;
  msg::LaserScan scan;
  scan.header.frame_id = frame_id;
  scan.angle_min = static_cast<float>(angles.front()), scan.angle_max = static_cast<float>(angles.back());
  scan.angle_increment = static_cast<float>(step);
  if (!pattern.time_offset_s.empty()) {
    scan.time_increment = static_cast<float>((pattern.time_offset_s.back() - pattern.time_offset_s.front()) / steps);
  }
  scan.scan_time = static_cast<float>(scan_time_s);
  scan.range_min = pattern.min_range_m.front(), scan.range_max = pattern.max_range_m.front();
  return scan;
}

float scan_range(const Frame& frame, std::size_t ray) {
  const Reason reason = frame.reason()[ray];
  return reason == Reason::kHit ? frame.range_m()[ray] : lost_range(reason);
}

void set_scan(msg::LaserScan& scan, const Frame& frame, const RayPattern& pattern) {
  scan.header.stamp = msg::time_of(frame.stamp_s() + first_time_s(pattern));
  scan.ranges.resize(frame.rays());  // of return 0
  for (std::size_t i = 0; i < frame.rays(); ++i) scan.ranges[i] = scan_range(frame, i);
}

std::optional<msg::CameraInfo> camera_constants(const Sensor& sensor, std::string_view optical) {
  msg::CameraInfo info;
  const auto of_camera = image_lens(sensor);
  if (!of_camera) return std::nullopt;
  const Intrinsics& lens = *of_camera;
  const RayPattern::Shape shape = image_shape(sensor);
  info.header.frame_id = optical;
  info.height = shape.rows, info.width = shape.cols;
  info.distortion_model = "plumb_bob";
  info.d.assign(5, 0.0);
  info.k = {lens.fx, 0, lens.cx, 0, lens.fy, lens.cy, 0, 0, 1};
  info.r = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  info.p = {lens.fx, 0, lens.cx, 0, 0, lens.fy, lens.cy, 0, 0, 0, 1, 0};
  return info;
}

msg::Image depth_image(const Frame& frame, std::string_view optical) {
  msg::Image image;
  image.header = {msg::time_of(frame.stamp_s()), std::string(optical)};
  image.height = frame.rows(), image.width = frame.cols();
  image.encoding = "32FC1";
  image.step = static_cast<std::uint32_t>(sizeof(float)) * frame.cols();
  image.data = std::as_bytes(frame.floats(Channel::kDepth).first(frame.rays()));  // of return 0
  return image;
}

DepthImageMessage::DepthImageMessage(const Frame& frame, std::string_view optical, DepthEncoding encoding)
    : image_(depth_image(frame, optical)) {
  if (encoding == DepthEncoding::k32FC1) return;
  for (const float depth_m : frame.floats(Channel::kDepth).first(frame.rays())) {
    const float millimetres = std::round(1000.0F * depth_m);
    const bool fits = millimetres >= 1.0F && millimetres <= 65535.0F;  // false for NaN, a lost pixel
    millimetres_.push_back(fits ? static_cast<std::uint16_t>(millimetres) : std::uint16_t{0});
  }
  image_.encoding = "16UC1";
  image_.step = static_cast<std::uint32_t>(sizeof(std::uint16_t)) * frame.cols();
  image_.data = std::as_bytes(std::span(millimetres_));
}

std::string optical_frame(std::string_view sensor) { return std::string(sensor) + "_optical"; }

Quaternion camera_from_optical() { return {0.5, -0.5, 0.5, -0.5}; }

msg::TransformStamped transform_of(const Pose& parent_from_child, double stamp_s, std::string_view parent,
                                   std::string_view child) {
  const Vec3& at = parent_from_child.translation_m;
  const Quaternion& q = parent_from_child.rotation;
  msg::TransformStamped transform;
  transform.header = {msg::time_of(stamp_s), std::string(parent)};
  transform.child_frame_id = child;
  transform.transform.translation = {at.x, at.y, at.z};
  transform.transform.rotation = {q.x, q.y, q.z, q.w};
  return transform;
}

namespace {

constexpr const char* kWorld = "world";

template <class Message>
void send(MessageSink& sink, std::uint16_t topic, const msg::Time& time, const Message& message) {
  sink.write(topic, msg::nanoseconds(time), write_message(message));
}

bool has_timing(const Sensor& sensor) { return sensor.timing != Timing(); }

/// The options that the scene file gives for points of a sensor in this frame.
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
  transforms_s_.reset();
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
  if (camera_constants(setup.sensor, "")) return {Channel::kDepth};
  // Only the rays decide between scans and clouds: such a sensor gets the channels of both.
  ChannelSet channels = ChannelSet{Channel::kRange, Channel::kReason} |
                        cloud_channels(points_asked_for(setup, CloudFrame::kSensor).value_or(CloudOptions()));
  if (const auto world = points_asked_for(setup, CloudFrame::kWorld)) channels = channels | cloud_channels(*world);
  return channels;
}

void SensorTopics::add_link(Link link) {
  for (const Link& other : links_) {
    if (other.child != link.child) continue;
    if (other.entity != kNoEntity && other.entity == link.entity) return;  // the entity carries two sensors
    throw InputError(
        fmt::format("bag: two things are called '{}', and every frame of tf needs its own name", one_line(link.child)));
  }
  if (link.child == kWorld) throw InputError("bag: 'world' is the frame of the world; choose another name");
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
  if (auto camera = camera_constants(sensor, optical_frame(sensor.name))) {
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
    const Sensor& sensor = simulator_.sensor(static_cast<SensorId>(i));
    const Pose image = sensor.aligned_to ? sensor.aligned_to->offset.value_or(Pose{}) : Pose{};
    message.transforms.push_back(
        transform_of(image * Pose{{0, 0, 0}, camera_from_optical()}, stamp_s, sensor.name, topics_[i].frame_id));
  }
  if (!message.transforms.empty()) send(*sink_, topic, msg::time_of(sent_s), message);
}

void SensorTopics::begin_frame(std::uint32_t index) {
  const double stamp_s = simulator_.stamp_s(index);
  set_clock(stamp_s);
  send_transforms(stamp_s, stamp_s);
}

void SensorTopics::set_clock(double time_s) {
  const msg::Time time = msg::time_of(time_s);
  send(*sink_, clock_, time, msg::Clock{time});
  if (!std::exchange(begun_, true)) write_transforms(tf_static_, time_s, time_s, false);
}

void SensorTopics::send_transforms(double stamp_s, double sent_s) {
  if (std::exchange(transforms_s_, stamp_s) != stamp_s) write_transforms(tf_, stamp_s, sent_s, true);
}

void SensorTopics::add(SensorId sensor, const Frame& frame) {
  std::optional<msg::Time> delivered;
  if (has_timing(simulator_.sensor(sensor))) {
    delivered = msg::time_of(frame.delivered_s());
    set_clock(frame.delivered_s());
    if (frame.content_index() == frame.index()) send_transforms(frame.stamp_s(), frame.delivered_s());
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
