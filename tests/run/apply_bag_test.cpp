// SPDX-License-Identifier: MIT
// Noise for a topic of a bag: what SensorNoise makes of each message alone, and all other messages byte for byte.

#include <fathom/noise/models.hpp>
#include <fathom/sensor/presets.hpp>
#include <fathom/simulate/apply.hpp>

#include "io/bag/mcap_writer.hpp"
#include "io/bag/read_bag.hpp"
#include "io/message/cdr.hpp"
#include "io/message/sensors.hpp"
#include "run/message_noise.hpp"
#include "support/expect.hpp"

namespace fathom::test::apply_bag_test {
namespace {

constexpr std::uint32_t kNoisyRows = 12, kNoisyCols = 16, kNoisyImages = 4;
constexpr float kNotMet = std::numeric_limits<float>::infinity();

/// A message as a bag has it.
struct Kept {
  BagTopic topic;
  std::uint64_t time_ns, published_ns;
  std::uint32_t sequence;
  std::string bytes;

  [[nodiscard]] bool has_frame_of(const Kept& other) const {
    const bool same_schema = (topic.schema == nullptr) == (other.topic.schema == nullptr) &&
                             (topic.schema == nullptr || *topic.schema == *other.topic.schema);
    return topic == other.topic && same_schema && topic.metadata == other.topic.metadata && time_ns == other.time_ns &&
           published_ns == other.published_ns && sequence == other.sequence;
  }
  template <class Message>
  [[nodiscard]] Message read() const {
    Message message;
    read_message(std::as_bytes(std::span(bytes)), message);
    return message;
  }
};

std::vector<Kept> kept_in(const std::filesystem::path& bag) {
  std::vector<Kept> all;
  const BagReading reading = read_bag(bag, [&](const BagMessage& m) {
    all.push_back({m.topic,
                   m.time_ns,
                   m.published_ns,
                   m.sequence,
                   {reinterpret_cast<const char*>(m.bytes.data()), m.bytes.size()}});
  });
  EXPECT_EQ(reading.tear, "");
  return all;
}

Sensor stereo_sensor() {
  Sensor sensor;
  sensor.name = "eyes", sensor.model = StereoCamera{};
  sensor.noise = {Disparity{.stddev_px = 0.2F}, Dropout{.probability = 0.1F}};
  return sensor;
}

Sensor laser_sensor() {
  Sensor sensor;
  sensor.name = "laser";
  sensor.model = Laser2d{.rays = 90, .min_azimuth_rad = -1.5, .max_azimuth_rad = 1.5, .max_range_m = 20.0};
  sensor.noise = {DistanceNoise{.stddev_m = 0.02F}, Dropout{.probability = 0.1F}};
  return sensor;
}

/// Depths of image k: a slope with a hole.
std::vector<float> depths_of(std::uint32_t k) {
  std::vector<float> depth_m;
  for (std::uint32_t i = 0; i < kNoisyRows * kNoisyCols; ++i) {
    depth_m.push_back(i % 17 == 3 ? 0.0F : 1.0F + 0.125F * static_cast<float>(k) + 0.0078125F * static_cast<float>(i));
  }
  return depth_m;
}

std::uint16_t level_of(float depth_m) { return static_cast<std::uint16_t>(std::lround(1000.0 * double{depth_m})); }

/// The bytes of pixels in rows of `step` bytes.
template <class T>
std::string rows_of(const std::vector<T>& pixels, std::size_t step, bool is_bigendian) {
  std::string bytes(kNoisyRows * step, '\x5a');
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    char* const at = &bytes[i / kNoisyCols * step + i % kNoisyCols * sizeof(T)];
    std::memcpy(at, &pixels[i], sizeof(T));
    if (is_bigendian) std::reverse(at, at + sizeof(T));
  }
  return bytes;
}

struct ImageKind {
  const char* encoding;
  std::size_t padding;
  bool is_bigendian;
};

template <class T>
std::string image_bytes(std::uint32_t k, const ImageKind& kind, const std::vector<T>& pixels) {
  msg::Image image;
  image.header = {msg::time_of(0.1 * k), "eyes_optical"};
  image.height = kNoisyRows, image.width = kNoisyCols, image.encoding = kind.encoding;
  image.is_bigendian = kind.is_bigendian ? 1 : 0;
  image.step = static_cast<std::uint32_t>(kNoisyCols * sizeof(T) + kind.padding);
  const std::string data = rows_of(pixels, image.step, kind.is_bigendian);
  image.data = std::as_bytes(std::span(data));
  return write_message(image);
}

template <class T>
std::vector<T> pixels_of_depths(const std::vector<float>& depth_m) {
  std::vector<T> pixels;
  for (const float m : depth_m) {
    if constexpr (sizeof(T) == sizeof(float)) {
      pixels.push_back(m);
    } else {
      pixels.push_back(std::isnan(m) ? T{0} : level_of(m));
    }
  }
  return pixels;
}

msg::CameraInfo camera_info() {
  msg::CameraInfo info;
  info.height = kNoisyRows, info.width = kNoisyCols;
  info.k = {20, 0, 7.5, 0, 21, 5.5, 0, 0, 1};
  info.p = {20, 0, 7.5, -20 * 0.07, 0, 21, 5.5, 0, 0, 0, 1, 0};
  return info;
}

class ApplyBagTest : public testing::Test {
 protected:
  /// Images, scans, an unknown type and a topic without messages; a camera_info comes behind the first image.
  void write_images(const ImageKind& kind, const msg::CameraInfo& info = camera_info()) {
    McapWriter bag(folder_ / "in.mcap");
    const std::uint16_t depth = bag.add_topic("/eyes/depth", msg::Image::kType);
    const std::uint16_t camera = bag.add_topic("/eyes/camera_info", msg::CameraInfo::kType);
    BagTopic strange = {"/joy", "sensor_msgs/msg/Joy", "cdr"};
    strange.schema = std::make_shared<const BagSchema>(BagSchema{"ros2idl", "module sensor_msgs {}"});
    mcap::append_pair(strange.metadata, "offered_qos_profiles", "- reliability: 1");
    const std::uint16_t joy = bag.add_topic(strange);
    bag.add_topic("/empty", msg::LaserScan::kType);
    for (std::uint32_t k = 0; k < kNoisyImages; ++k) {
      const std::uint64_t time = 1000 - 10 * k;  // bags need not be in order
      bag.write(depth, {time, time - 3, 70 + k}, bytes_of_image(k, kind));
      bag.write(camera, time + 1, write_message(info));
      bag.write(joy, {time + 2, time - 1, 0}, "what no one knows " + std::to_string(k));
    }
    bag.commit();
  }
  static std::string bytes_of_image(std::uint32_t k, const ImageKind& kind) {
    if (kind.encoding == std::string("32FC1")) return image_bytes(k, kind, depths_of(k));
    return image_bytes(k, kind, pixels_of_depths<std::uint16_t>(depths_of(k)));
  }

  void write_scans(const std::function<void(msg::LaserScan&)>& change = [](msg::LaserScan&) {}) {
    McapWriter bag(folder_ / "in.mcap");
    const std::uint16_t topic = bag.add_topic("/scan", msg::LaserScan::kType);
    for (std::uint32_t k = 0; k < 3; ++k) {
      msg::LaserScan scan;
      scan.header = {msg::time_of(0.1 * k), "laser"};
      scan.angle_min = -1.5F, scan.angle_max = 1.5F, scan.angle_increment = 3.0F / 89.0F;
      scan.range_min = 0.05F, scan.range_max = 25.0F;
      for (std::uint32_t i = 0; i < 90; ++i) scan.ranges.push_back(1.0F + 0.03125F * static_cast<float>(i + k));
      scan.ranges[3] = kNotMet, scan.ranges[4] = -kNotMet, scan.ranges[5] = std::nanf(""), scan.ranges[6] = 24.0F;
      scan.intensities = scan.ranges;
      change(scan);
      bag.write(topic, k, write_message(scan));
    }
    bag.commit();
  }

  ApplyBagResult apply(const Sensor& sensor, const std::string& topic, int threads = 1) {
    ApplyBagOptions options;
    options.topic = topic, options.noise.seed = 5, options.noise.compute.threads = threads, options.force = true;
    return apply_to_bag(sensor, folder_ / "in.mcap", folder_ / "out.mcap", options);
  }
  std::string refusal(const Sensor& sensor, const std::string& topic) {
    std::filesystem::remove(folder_ / "out.mcap");
    const std::string text = message_of<InputError>([&] { apply(sensor, topic); });
    EXPECT_FALSE(std::filesystem::exists(folder_ / "out.mcap"));
    return text;
  }

  const TemporaryFolder folder_;
};

TEST_F(ApplyBagTest, GivesEachImageWhatSensorNoiseGivesItAlone) {
  for (const ImageKind& kind : {ImageKind{"32FC1", 0, false}, ImageKind{"32FC1", 8, true}, ImageKind{"16UC1", 0, false},
                                ImageKind{"mono16", 6, true}}) {
    write_images(kind);
    const ApplyBagResult result = apply(stereo_sensor(), "/eyes/depth");
    EXPECT_EQ(result.noisy, kNoisyImages);
    EXPECT_EQ(result.copied, 2 * kNoisyImages);
    Sensor sensor = stereo_sensor();
    set_camera(sensor, {{20, 21, 7.5, 5.5}, 0.07}, kNoisyRows, kNoisyCols);
    SensorNoise noise(sensor, {.seed = 5});
    Frame frame({Channel::kDepth});
    const std::vector<Kept> before = kept_in(folder_ / "in.mcap"), after = kept_in(folder_ / "out.mcap");
    ASSERT_EQ(before.size(), after.size());
    std::uint32_t k = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
      EXPECT_TRUE(before[i].has_frame_of(after[i])) << before[i].topic.name << " " << i;
      if (before[i].topic.name != "/eyes/depth") {
        EXPECT_EQ(before[i].bytes, after[i].bytes);
        continue;
      }
      std::vector<float> clean_m = depths_of(k);
      if (kind.encoding != std::string("32FC1")) {
        for (float& m : clean_m) m = static_cast<float>(level_of(m) / 1000.0);
      }
      noise.apply(k, {.depth_m = clean_m}, frame);
      const std::vector<float> noisy_m(frame.depth_m().begin(), frame.depth_m().end());
      EXPECT_NE(before[i].bytes, after[i].bytes);
      EXPECT_EQ(after[i].bytes, kind.encoding == std::string("32FC1")
                                    ? image_bytes(k, kind, noisy_m)
                                    : image_bytes(k, kind, pixels_of_depths<std::uint16_t>(noisy_m)))
          << kind.encoding << " " << k;
      ++k;
    }
    EXPECT_EQ(k, kNoisyImages);
  }
}

TEST_F(ApplyBagTest, GivesEachScanWhatSensorNoiseGivesItAlone) {
  write_scans();
  apply(laser_sensor(), "/scan");
  SensorNoise noise(laser_sensor(), {.seed = 5});
  Frame frame({Channel::kRange, Channel::kReason});
  const std::vector<Kept> before = kept_in(folder_ / "in.mcap"), after = kept_in(folder_ / "out.mcap");
  ASSERT_EQ(after.size(), 3U);
  for (std::uint32_t k = 0; k < 3; ++k) {
    const auto clean = before[k].read<msg::LaserScan>();
    auto noisy = after[k].read<msg::LaserScan>();
    noise.apply(k, {.range_m = clean.ranges}, frame);
    for (std::size_t i = 0; i < clean.ranges.size(); ++i) {
      const float given = noisy.ranges[i];
      switch (frame.reason()[i]) {
        case Reason::kHit:
          EXPECT_EQ(given, frame.range_m()[i]);
          break;
        case Reason::kMiss:
          EXPECT_TRUE(std::isnan(clean.ranges[i]) ? std::isnan(given) : given == clean.ranges[i]) << i;
          break;
        default:
          EXPECT_EQ(given, kNotMet) << i;
      }
    }
    EXPECT_EQ(noisy.ranges[6], kNotMet) << "beyond the sensor's 20 m";
    noisy.ranges = clean.ranges, noisy.ranges[5] = 0.0F;
    auto same = clean;
    same.ranges[5] = 0.0F, same.intensities[5] = noisy.intensities[5] = 0.0F;  // NaN
    EXPECT_EQ(write_message(noisy), write_message(same)) << "all but the ranges stays";
  }
}

TEST_F(ApplyBagTest, GivesEachCloudWhatSensorNoiseGivesItAlone) {
  McapWriter bag(folder_ / "in.mcap");
  const std::uint16_t topic = bag.add_topic("/points", msg::PointCloud2::kType);
  std::vector<std::string> clean;
  for (std::uint32_t k = 0; k < 3; ++k) {
    std::vector<float> points;
    for (std::uint32_t i = 0; i < 200; ++i) {
      const auto at = static_cast<float>(i + k);
      points.insert(points.end(), {2.0F + 0.01F * at, 0.02F * at, 0.5F, at});
    }
    msg::PointCloud2 cloud;
    cloud.header = {msg::time_of(0.1 * k), "lidar"};
    cloud.width = 200, cloud.point_step = 16, cloud.row_step = 3200;
    cloud.point_fields = {{"x", 0, 7, 1}, {"y", 4, 7, 1}, {"z", 8, 7, 1}, {"intensity", 12, 7, 1}};
    cloud.data = std::as_bytes(std::span(points));
    clean.push_back(write_message(cloud));
    bag.write(topic, k, clean.back());
  }
  bag.commit();
  apply(laser_sensor(), "/points");
  SensorNoise noise(laser_sensor(), {.seed = 5});
  ReasonCounts counts = {};
  const std::vector<Kept> after = kept_in(folder_ / "out.mcap");
  ASSERT_EQ(after.size(), 3U);
  for (std::uint32_t k = 0; k < 3; ++k) {
    const auto noisy = apply_to_cloud_message(noise, k, std::as_bytes(std::span(clean[k])), counts);
    EXPECT_EQ(after[k].bytes, std::string(reinterpret_cast<const char*>(noisy.data()), noisy.size()));
    const auto width = after[k].read<msg::PointCloud2>().width;
    EXPECT_LT(width, 200U) << "dropout";
    EXPECT_GT(width, 100U);
  }
}

TEST_F(ApplyBagTest, WritesTheSameBytesForAnyNumberOfThreads) {
  write_images({"32FC1", 0, false});
  apply(stereo_sensor(), "/eyes/depth", 1);
  const std::string one = test::bytes_of(folder_ / "out.mcap");
  apply(stereo_sensor(), "/eyes/depth", 3);
  EXPECT_EQ(one, test::bytes_of(folder_ / "out.mcap"));
}

TEST_F(ApplyBagTest, KeepsTopicsWithoutMessages) {
  write_images({"32FC1", 0, false});
  apply(stereo_sensor(), "/eyes/depth");
  const auto topics_of = [&](const char* name) { return read_bag(folder_ / name, [](const BagMessage&) {}).topics; };
  EXPECT_EQ(topics_of("in.mcap"), topics_of("out.mcap"));
  EXPECT_TRUE(topics_of("out.mcap").contains({"/empty", "sensor_msgs/msg/LaserScan", "cdr"}));
}

TEST_F(ApplyBagTest, RefusesInOneLineAndWritesNothing) {
  write_images({"32FC1", 0, false});
  EXPECT_TRUE(
      contains(refusal(stereo_sensor(), "/eyes/dept"), "in.mcap: has no topic '/eyes/dept'; nearest: /eyes/depth"));
  EXPECT_TRUE(contains(refusal(stereo_sensor(), "/joy"), "/joy has messages sensor_msgs/msg/Joy (cdr)"));
  EXPECT_TRUE(
      contains(refusal(laser_sensor(), "/eyes/depth"),
               "in.mcap: /eyes/depth: message 0: sensor 'laser' is a laser_2d: depth images need a depth_camera"));
  EXPECT_TRUE(contains(refusal(laser_sensor(), "/empty"), "has no messages")) << "nothing to do";
  write_images({"8UC1", 0, false});
  EXPECT_TRUE(contains(refusal(stereo_sensor(), "/eyes/depth"), "message 0: has the encoding '8UC1', which holds no"));
  msg::CameraInfo info = camera_info();
  info.width = 640;
  write_images({"32FC1", 0, false}, info);
  EXPECT_TRUE(contains(refusal(stereo_sensor(), "/eyes/depth"),
                       "message 0: has 16 x 12 pixels, and /eyes/camera_info is of 640 x 12"));
  info = camera_info();
  info.k[0] = 0;
  write_images({"32FC1", 0, false}, info);
  EXPECT_TRUE(contains(refusal(stereo_sensor(), "/eyes/depth"), "has no finite focal lengths above 0"));
  write_scans();
  EXPECT_TRUE(
      contains(refusal(stereo_sensor(), "/scan"), "message 0: sensor 'eyes' is a stereo_camera: scans need rays"));
  write_scans([](msg::LaserScan& scan) { scan.ranges.pop_back(); });
  EXPECT_TRUE(contains(refusal(laser_sensor(), "/scan"), "message 0: has 89 ranges, and sensor 'laser' 90 rays"));
  write_scans([](msg::LaserScan& scan) { scan.angle_min = -1.4F; });
  EXPECT_TRUE(contains(refusal(laser_sensor(), "/scan"), "message 0: has angles from -1.4 rad in steps of 0.0337"));
  write_scans([](msg::LaserScan& scan) { scan.angle_increment = -scan.angle_increment; });
  EXPECT_TRUE(contains(refusal(laser_sensor(), "/scan"), "and sensor 'laser' from -1.5 in steps of 0.0337"));
}

TEST_F(ApplyBagTest, RefusesIntrinsicsThatChangeOrAreMissing) {
  McapWriter bag(folder_ / "in.mcap");
  const std::uint16_t depth = bag.add_topic("/eyes/depth", msg::Image::kType);
  const std::uint16_t camera = bag.add_topic("/info", msg::CameraInfo::kType);
  msg::CameraInfo info = camera_info();
  for (std::uint32_t k = 0; k < 2; ++k) {
    bag.write(depth, k, bytes_of_image(k, {"32FC1", 0, false}));
    bag.write(camera, k, write_message(info));
    info.k[0] += 1;
  }
  bag.commit();
  EXPECT_TRUE(
      test::contains(refusal(stereo_sensor(), "/eyes/depth"), "in.mcap: has no CameraInfo on /eyes/camera_info"));
  ApplyBagOptions options;
  options.topic = "/eyes/depth", options.camera_info = "/info";
  const auto apply_so = [&] { apply_to_bag(stereo_sensor(), folder_ / "in.mcap", folder_ / "out.mcap", options); };
  EXPECT_TRUE(test::contains(message_of<InputError>(apply_so), "/info: the intrinsics change within the bag"));
  options.camera = GivenCamera{{20, 20, 7.5, 5.5}, 0.05};
  apply_so();
  EXPECT_TRUE(test::contains(message_of<InputError>(apply_so), "out.mcap: exists already"));
  const auto onto_itself = [&] { apply_to_bag(stereo_sensor(), folder_ / "in.mcap", folder_ / "in.mcap", options); };
  options.force = true;
  EXPECT_TRUE(test::contains(message_of<InputError>(onto_itself), "in.mcap: is read, and the bag would replace"));
  const auto as_db3 = [&] { apply_to_bag(stereo_sensor(), folder_ / "in.mcap", folder_ / "out.db3", options); };
  EXPECT_TRUE(test::contains(message_of<InputError>(as_db3), "out.db3: bags are written as MCAP"));
}

// The filter has no past for another camera.
TEST_F(ApplyBagTest, BeginsATemporalFilterWithEachCamera) {
  Sensor sensor = stereo_sensor();
  sensor.filters.temporal = DepthFilters::Temporal{};
  MessageNoise noise(sensor, {});
  msg::CameraInfo info = camera_info();
  for (std::uint32_t k = 0; k < kNoisyImages; ++k) {
    if (k == 2) info.k[0] += 1;
    const std::string camera = write_message(info), image = bytes_of_image(k, {"32FC1", 0, false});
    EXPECT_EQ(noise.set_camera(std::as_bytes(std::span(camera))), k == 2);
    EXPECT_EQ(noise.apply(msg::Image::kType.name, k, std::as_bytes(std::span(image))).size(), image.size());
  }
}

TEST_F(ApplyBagTest, StopsWithoutAFile) {
  write_images({"32FC1", 0, false});
  ApplyBagOptions options;
  options.topic = "/eyes/depth";
  int left = 20;
  options.noise.should_stop = [&] { return --left < 0; };
  EXPECT_THROW(apply_to_bag(stereo_sensor(), folder_ / "in.mcap", folder_ / "out.mcap", options), Interrupted);
  EXPECT_EQ(folder_.count(), 1);
}

}  // namespace
}  // namespace fathom::test::apply_bag_test
