// SPDX-License-Identifier: MIT
// `fathom apply` between two topics: subscribers get what SensorNoise makes of each message.

#include <fathom/ros/publish.hpp>
#include <fathom/sensor/presets.hpp>

#include "io/message/cdr.hpp"
#include "io/message/sensors.hpp"
#include "ros/participant.hpp"
#include "ros/tests/judge.hpp"
#include "run/message_noise.hpp"
#include "support/expect.hpp"

namespace fathom::test {
namespace {

using topic_test::wait_until;

class ApplyTopics : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_topics()) GTEST_SKIP() << "this build has no DDS";
#ifndef FATHOM_CLI
    GTEST_SKIP() << "this build has no command line";
#endif
  }
  [[nodiscard]] std::vector<std::string> command(const std::string& sensor, const std::string& topic,
                                                 const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words;
#ifdef FATHOM_CLI
    words = {FATHOM_CLI,
             "apply",
             sensor,
             "--topic",
             topic,
             "--publish",
             "/noisy",
             "--seed",
             "5",
             "--domain",
             std::to_string(domain_.domain)};
#endif
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  const TopicDomain domain_ = {topic_test::any_domain(), {}};
};

msg::LaserScan scan_number(std::uint32_t k, const Sensor& sensor) {
  const auto& laser = std::get<Laser2d>(sensor.model);
  msg::LaserScan scan;
  scan.header = {{static_cast<std::int32_t>(k), 0}, "laser"};
  scan.angle_min = static_cast<float>(laser.min_azimuth_rad),
  scan.angle_max = static_cast<float>(laser.max_azimuth_rad);
  scan.angle_increment = static_cast<float>((laser.max_azimuth_rad - laser.min_azimuth_rad) / (laser.rays - 1));
  for (std::uint32_t i = 0; i < laser.rays; ++i) scan.ranges.push_back(1.0F + 0.001F * static_cast<float>(i % 999 + k));
  return scan;
}

/// DDS may lose what is sent before both sides know of each other: the first message that arrives is any one. From then
/// on each is the frame of its number.
TEST_F(ApplyTopics, PublishWhatSensorNoiseMakesOfEachScan) {
  const Sensor sensor = preset_sensor("sensor", "RPLIDAR-A2");
  topic_test::Program program(command("RPLIDAR-A2", "/scan"));
  const auto participant = open_participant(domain_);
  const std::uint16_t out = participant->add_reader("/noisy", msg::LaserScan::kType);
  const std::uint16_t in = participant->add_writer("/scan", msg::LaserScan::kType, {});
  ASSERT_TRUE(wait_until([&] { return participant->readers(in) == 1; }));
  std::vector<std::string> noisy;
  std::uint32_t sent = 0;
  ASSERT_TRUE(wait_until([&] {
    participant->write(in, write_message(scan_number(sent++, sensor)));
    participant->wait(0.05);
    while (const auto message = participant->take(out)) noisy.push_back(*message);
    return noisy.size() >= 5;
  }));
  EXPECT_EQ(program.interrupt(), 0);
  std::size_t published = 0;
  for (const std::string& line : program.lines()) {
    if (line.find(" messages, ") != std::string::npos) published = std::strtoul(line.c_str(), nullptr, 10);
  }
  EXPECT_GE(published, noisy.size());

  MessageNoiseOptions options;
  options.noise.seed = 5;
  MessageNoise noise(sensor, options);
  std::optional<std::uint32_t> lost;
  for (const std::string& bytes : noisy) {
    msg::LaserScan scan;
    read_message(std::as_bytes(std::span(bytes)), scan);
    const auto k = static_cast<std::uint32_t>(scan.header.stamp.sec);
    const std::string clean = write_message(scan_number(k, sensor));
    const auto is_frame = [&](std::uint32_t index) {
      return noise.apply(msg::LaserScan::kType.name, index, std::as_bytes(std::span(clean))) == bytes;
    };
    for (std::uint32_t before = 0; !lost && before <= k; ++before) {
      if (is_frame(k - before)) lost = before;
    }
    ASSERT_TRUE(lost) << "scan " << k << " is no frame of the sensor";
    EXPECT_TRUE(is_frame(k - *lost)) << k;
  }
}

/// The publisher is best effort, as drivers of cameras are, and the intrinsics come behind the first image.
TEST_F(ApplyTopics, TakeImagesOfBestEffortAndTheirIntrinsics) {
  topic_test::Program program(command("D435", "/camera/depth", {"--frames", "3"}));
  const auto participant = open_participant(domain_);
  const std::uint16_t out = participant->add_reader("/noisy", msg::Image::kType);
  const std::uint16_t in = participant->add_writer("/camera/depth", msg::Image::kType, kSensorDataQuality);
  const std::uint16_t info_out = participant->add_writer("/camera/camera_info", msg::CameraInfo::kType, {});
  const std::vector<float> depth_m(32 * 24, 1.5F);
  msg::Image image;
  image.height = 24, image.width = 32, image.step = 128, image.encoding = "32FC1";
  image.data = std::as_bytes(std::span(depth_m));
  msg::CameraInfo info;
  info.height = 24, info.width = 32, info.k = {30, 0, 15.5, 0, 30, 11.5, 0, 0, 1};
  std::vector<std::string> noisy;
  ASSERT_TRUE(wait_until([&] {
    participant->write(in, write_message(image));
    participant->write(info_out, write_message(info));
    participant->wait(0.05);
    while (const auto message = participant->take(out)) noisy.push_back(*message);
    return program.line_of("3 messages, ") != "";
  }));
  ASSERT_TRUE(wait_until([&] {
    participant->wait(0.05);
    while (const auto message = participant->take(out)) noisy.push_back(*message);
    return !noisy.empty();
  }));
  msg::Image found;
  read_message(std::as_bytes(std::span(noisy.back())), found);
  EXPECT_EQ(found.width, 32U);
  EXPECT_EQ(found.encoding, "32FC1");
  EXPECT_NE(noisy.back(), write_message(image));
}

TEST(ApplyTopicCalls, AreRefusedInOneLine) {
  ApplyTopicOptions options;
  options.topic = "/scan", options.publish = "/scan", options.domain = {topic_test::any_domain(), {}};
  const Sensor sensor = preset_sensor("sensor", "RPLIDAR-A2");
  const auto refusal = [&] { return message_of<InputError>([&] { apply_to_topic(sensor, options); }); };
  EXPECT_EQ(refusal(), "/scan: noisy messages need another topic than clean ones");
  options.publish = "/noisy";
  if (has_topics()) return;
  EXPECT_TRUE(contains(refusal(), "topics: this build of fathom has no DDS"));
}

}  // namespace
}  // namespace fathom::test
