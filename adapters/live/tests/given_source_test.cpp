// SPDX-License-Identifier: MIT
// Given images and clouds as sources of the live page.

#include <limits>

#include <fmt/format.h>

#include <fathom/frame/frame.hpp>
#include <fathom/noise/models.hpp>
#include <fathom/simulate/run.hpp>
#include <fathom/simulate/sensor_noise.hpp>

#include "io/message/cdr.hpp"
#include "live/frame_messages.hpp"
#include "live/live_source.hpp"
#include "run/sensor_topics.hpp"
#include "support/expect.hpp"

namespace fathom::test {
namespace {

constexpr const char* kScene = "scene: {meshes: {}, entities: []}\nsensors:\n  - {name: sensor, preset: D435}\n";
constexpr const char* kDeviation = "sensors.sensor.noise.0.stddev_px";

/// A floor that rises to the top, and a hole.
std::vector<float> image() {
  std::vector<float> depth_m(48 * 64);
  for (std::size_t i = 0; i < depth_m.size(); ++i) depth_m[i] = 1.0F + static_cast<float>(i / 64) / 32.0F;
  depth_m[100] = 0.0F;
  return depth_m;
}

Sensor camera() {
  Sensor sensor = preset_sensor("sensor", "D435");
  auto& model = std::get<StereoCamera>(sensor.model);
  model.width = 64, model.height = 48, model.fx = 60, model.horizontal_fov_rad = 0;
  sensor.noise = {Disparity{.stddev_px = 0.1F}, Dropout{.probability = 0.1F}};
  return sensor;
}

class GivenSourceTest : public testing::Test {
 protected:
  GivenFile given() {
    return {.file = folder_ / "depth.npy",
            .read_depth_m = [this] { return depth_m_; },
            .sensor = camera(),
            .scene_text = kScene};
  }
  /// Points in the directions of the axes, and one that met nothing.
  GivenFile cloud(int cols = 3, int rows = 1) {
    constexpr const char* kPoints[] = {"4 0 0\n", "nan nan nan\n", "0 0 2\n", "0 -3 0\n"};
    std::string text =
        fmt::format("FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH {}\nHEIGHT {}\nDATA ascii\n", cols, rows);
    for (int i = 0; i < cols * rows; ++i) text += kPoints[i];
    folder_.write("cloud.pcd", text);
    Sensor sensor = preset_sensor("sensor", "VLP-16");
    sensor.noise = {DistanceNoise{.stddev_m = 0.1F}};
    return {.file = folder_ / "cloud.pcd", .sensor = sensor, .scene_text = kScene};
  }
  std::unique_ptr<LiveSource> source() { return make_given_source(given(), {.out = folder_ / "out", .seed = 5}); }

  /// The newest message of a topic, without its head, after the source has shown a frame.
  std::string shown(LiveSource& source, std::uint32_t frame, const std::string& topic) {
    TopicHub hub("id", "0", kLiveServices, [] {});
    std::vector<LiveTopic> topics = source.topics();
    std::erase_if(topics, [&](const LiveTopic& other) { return other.name != topic; });
    hub.set_topics(topics);
    const ClientId client = hub.connect();
    const std::string subscribe = R"({"op":"subscribe","subscriptions":[{"id":1,"channelId":1}]})";
    hub.receive(client, std::as_bytes(std::span(subscribe)), true, LiveClock::now());
    source.show(frame, hub);
    std::string bytes;
    while (const std::optional<Outgoing> message = hub.next(client)) {
      if (message->body) bytes = *message->body;
    }
    return bytes;
  }

  TemporaryFolder folder_;
  std::vector<float> depth_m_ = image();
};

TEST_F(GivenSourceTest, StreamsTheFramesOfSensorNoise) {
  const auto source = this->source();
  source->set({kDeviation, 0.5});
  Sensor sensor = camera();
  sensor.noise[0] = Disparity{.stddev_px = 0.5F};
  SensorNoise noise(sensor, {.seed = 5});
  Frame frame(kLiveChannels | ChannelSet{Channel::kDepth});
  for (const std::uint32_t index : {0U, 3U, 1U}) {
    noise.apply(index, {.depth_m = depth_m_}, frame);
    EXPECT_EQ(shown(*source, index, "/sensor/points"), points_message(frame, "sensor"));
    EXPECT_EQ(shown(*source, index, "/sensor/image"), write_message(depth_image(frame, optical_frame("sensor"))));
  }
}

TEST_F(GivenSourceTest, StreamsTheFramesOfACloud) {
  GivenFile given = cloud();
  const auto source = make_given_source(given, {.seed = 5});
  source->set({"sensors.sensor.noise.0.stddev_m", 0.5});
  Sensor sensor = given.sensor;
  sensor.noise[0] = DistanceNoise{.stddev_m = 0.5F};
  SensorNoise noise(sensor, {.seed = 5});
  Frame frame(kLiveChannels);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> x = {4, nan, 0}, y = {0, nan, 0}, z = {0, nan, 2};
  for (const std::uint32_t index : {0U, 3U, 1U}) {
    noise.apply_cloud(index, {.x_m = x, .y_m = y, .z_m = z}, frame);
    EXPECT_EQ(shown(*source, index, "/sensor/points"), points_message(frame, "sensor"));
  }
  RayPattern rays;
  rays.rows = 1, rays.cols = 3;
  rays.direction_x = {1, 0, 0}, rays.direction_y = {0, 0, 0}, rays.direction_z = {0, 0, 1};
  EXPECT_EQ(shown(*source, 0, "/sensor/rays"), rays_message(rays, 0, "sensor"));
  for (const LiveTopic& topic : source->topics()) EXPECT_NE(topic.name, "/sensor/image");
  EXPECT_EQ(source->state()["sensors"][0]["cols"], 3);
}

TEST_F(GivenSourceTest, GivesAGapTheRayOfAnotherRow) {
  const auto source = make_given_source(cloud(2, 2), {});
  RayPattern rays;
  rays.rows = rays.cols = 2;
  rays.direction_x = {1, 0, 0, 0}, rays.direction_y = {0, -1, 0, -1}, rays.direction_z = {0, 0, 1, 0};
  EXPECT_EQ(shown(*source, 0, "/sensor/rays"), rays_message(rays, 0, "sensor"));
}

TEST_F(GivenSourceTest, RefusesACloudThatFitsFrame0Alone) {
  Sensor sensor = preset_sensor("sensor", "Mid-40");
  SensorNoise noise(sensor);
  const RayPattern rays = noise.pattern(0);
  std::string text =
      fmt::format("FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH {}\nHEIGHT 1\nDATA ascii\n", rays.direction_x.size());
  for (std::size_t i = 0; i < rays.direction_x.size(); ++i) {
    text += fmt::format("{} {} {}\n", 4 * rays.direction_x[i], 4 * rays.direction_y[i], 4 * rays.direction_z[i]);
  }
  folder_.write("cloud.pcd", text);
  const GivenFile given = {.file = folder_ / "cloud.pcd", .sensor = sensor, .scene_text = kScene};
  EXPECT_TRUE(contains(input_error([&] { (void)make_given_source(given, {}); }), "cloud.pcd: "));
}

TEST_F(GivenSourceTest, KeepsTheCloudUntilThereIsAGoodOne) {
  const auto source = make_given_source(cloud(), {.seed = 5});
  const std::string before = shown(*source, 0, "/sensor/points");
  folder_.write("cloud.pcd", "FIELDS x");
  EXPECT_TRUE(source->reload_if_saved());
  EXPECT_TRUE(contains(source->state()["error"].get<std::string>(), "cloud.pcd")) << source->state();
  EXPECT_EQ(shown(*source, 0, "/sensor/points"), before);
  cloud(4);
  EXPECT_TRUE(source->reload_if_saved());
  EXPECT_TRUE(source->state()["error"].is_null());
  EXPECT_EQ(source->state()["sensors"][0]["cols"], 4);
}

TEST_F(GivenSourceTest, KeepsTheImageUntilThereIsAGoodOne) {
  folder_.write("depth.npy", "1");
  const auto source = this->source();
  EXPECT_FALSE(source->reload_if_saved());
  const std::string before = shown(*source, 0, "/sensor/image");
  depth_m_.pop_back();
  folder_.write("depth.npy", "12");
  EXPECT_TRUE(source->reload_if_saved());
  EXPECT_TRUE(contains(source->state()["error"].get<std::string>(), "depth.npy")) << source->state();
  EXPECT_EQ(shown(*source, 0, "/sensor/image"), before);
  depth_m_ = std::vector<float>(48 * 64, 3.0F);
  folder_.write("depth.npy", "123");
  EXPECT_TRUE(source->reload_if_saved());
  EXPECT_TRUE(source->state()["error"].is_null());
  EXPECT_NE(shown(*source, 0, "/sensor/image"), before);
}

TEST_F(GivenSourceTest, SavesTheSensorThatIsShown) {
  const auto source = this->source();
  source->set({kDeviation, 0.25});
  const SceneSetup saved = read_scene_file(source->save_scene());
  ASSERT_EQ(saved.sensors.size(), 1U);
  const Sensor& sensor = saved.sensors[0].sensor;
  EXPECT_EQ(sensor.noise[0].noise.number("stddev_px"), 0.25);
  EXPECT_EQ(sensor.noise.size(), 2U);
  const auto& model = std::get<StereoCamera>(sensor.model);
  EXPECT_EQ(std::pair(model.width, model.height), std::pair(64U, 48U));
  EXPECT_EQ(intrinsics(model).fx, 60.0);
  EXPECT_EQ(intrinsics(model).cx, 31.5);
}

TEST_F(GivenSourceTest, RefusesWhatAnImageLacks) {
  GivenFile several = given();
  several.sensor.returns = {ReturnChoice::kStrongest, ReturnChoice::kLast};
  EXPECT_THROW((void)make_given_source(several, {}), InputError);
  GivenFile stereo = cloud();
  stereo.sensor = preset_sensor("sensor", "D435");
  EXPECT_TRUE(contains(input_error([&] { (void)make_given_source(stereo, {}); }), "cloud.pcd: "));
  depth_m_.assign(depth_m_.size(), 2000.0F);
  EXPECT_TRUE(contains(input_error([&] { (void)source(); }), "depth.npy: "));
}

}  // namespace
}  // namespace fathom::test
