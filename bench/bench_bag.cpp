// SPDX-License-Identifier: MIT
// Bags: how fast scans are read, by compression, and what a bag of a run costs beside PCD files of the same run. All in
// one run: contenders take turns. Rates are of bytes of messages, before compression, and of processor time.

#include <lz4frame.h>
#include <zlib.h>
#include <zstd.h>

#include <fathom/files/clouds.hpp>
#include <fathom/files/log_files.hpp>
#include <fathom/simulate/run.hpp>

#include "interleave.hpp"
#include "io/bag/mcap_format.hpp"
#include "io/bag/mcap_writer.hpp"
#include "io/bag/read_bag.hpp"
#include "io/cloud/cloud_message.hpp"
#include "io/message/cdr.hpp"
#include "io/message/geometry.hpp"
#include "io/message/sensors.hpp"

namespace fathom::bench {
namespace {

namespace fs = std::filesystem;

/// Removed at the end.
class Scratch {
 public:
  Scratch() : folder_(fs::temp_directory_path() / "fathom_bench_bag") { fs::create_directories(folder_); }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] fs::path operator/(const std::string& name) const { return folder_ / name; }

 private:
  fs::path folder_;
};

/// A robot in a room, whose laser of 1081 rays scans 40 times a second: ranges with 1 cm of noise. `each` gets the
/// topic, the time and the bytes.
void make_drive(std::size_t scans, const std::function<void(int, std::uint64_t, const std::string&)>& each) {
  std::mt19937 random(1);
  std::normal_distribution<float> noise(0.0F, 0.01F);
  msg::LaserScan scan;
  scan.header.frame_id = "laser";
  scan.angle_min = -2.356F, scan.angle_max = 2.356F, scan.angle_increment = 0.00436F;
  scan.time_increment = 1.7e-5F, scan.range_min = 0.05F, scan.range_max = 30.0F;
  scan.ranges.resize(1081);
  msg::TFMessage tf;
  tf.transforms.resize(1);
  tf.transforms[0].child_frame_id = "laser";
  tf.transforms[0].header.frame_id = "map";
  tf.transforms[0].transform.rotation.w = 1.0;
  for (std::size_t i = 0; i <= scans; ++i) {
    const double now_s = 0.025 * static_cast<double>(i);
    scan.header.stamp = tf.transforms[0].header.stamp = msg::time_of(now_s);
    tf.transforms[0].transform.translation.x = now_s;
    for (std::size_t r = 0; r < scan.ranges.size(); ++r) {
      scan.ranges[r] = 5.0F + 3.0F * std::sin(0.01F * static_cast<float>(r)) + noise(random);
    }
    const std::uint64_t time_ns = msg::nanoseconds(scan.header.stamp);
    each(1, time_ns, write_message(tf));
    if (i < scans) each(0, time_ns, write_message(scan));
  }
}

std::string pack(const std::string& compression, const std::string& bytes) {
  if (compression.empty()) return bytes;
  if (compression == "zstd") {
    std::string out(ZSTD_compressBound(bytes.size()), '\0');
    out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 1));
    return out;
  }
  std::string out(LZ4F_compressFrameBound(bytes.size(), nullptr), '\0');
  out.resize(LZ4F_compressFrame(out.data(), out.size(), bytes.data(), bytes.size(), nullptr));
  return out;
}

/// The drive as MCAP in chunks of 768 KiB, as rosbag2 writes them, with checksums. Bytes of all messages.
std::size_t write_drive(const fs::path& file, const std::string& compression, std::size_t scans) {
  using mcap::Op;
  using mcap::Record;
  std::string out(mcap::kMagic), chunk;
  std::size_t bytes_of_messages = 0;
  Record().text("ros2").text("bench").append_to(out, Op::kHeader);
  const auto topic = [&out](std::uint16_t id, const char* name, const MessageType& type) {
    const auto schema = static_cast<std::uint16_t>(id + 1);
    Record().number(schema).text(type.name).text("ros2msg").text(schema_text(type)).append_to(out, Op::kSchema);
    Record().number(id).number(schema).text(name).text("cdr").number(std::uint32_t{0}).append_to(out, Op::kChannel);
  };
  topic(0, "/scan", msg::LaserScan::kType);
  topic(1, "/tf", msg::TFMessage::kType);
  const auto flush = [&] {
    const std::string packed = pack(compression, chunk);
    const auto crc =
        static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const unsigned char*>(chunk.data()), chunk.size()));
    Record()
        .number(std::uint64_t{0})
        .number(std::uint64_t{0})
        .number(std::uint64_t{chunk.size()})
        .number(crc)
        .text(compression)
        .number(std::uint64_t{packed.size()})
        .raw(packed)
        .append_to(out, Op::kChunk);
    chunk.clear();
  };
  make_drive(scans, [&](int id, std::uint64_t time_ns, const std::string& bytes) {
    Record()
        .number(static_cast<std::uint16_t>(id))
        .number(std::uint32_t{0})
        .number(time_ns)
        .number(time_ns)
        .raw(bytes)
        .append_to(chunk, Op::kMessage);
    bytes_of_messages += bytes.size();
    if (chunk.size() >= std::size_t{768} << 10) flush();
  });
  if (!chunk.empty()) flush();
  Record().number(std::uint32_t{0}).append_to(out, Op::kDataEnd);
  write_whole_file(file, out);
  return bytes_of_messages;
}

void bench_reading(const Scratch& scratch) {
  constexpr std::size_t kScans = 12'000;
  constexpr int kRounds = 15;
  const std::vector<std::pair<std::string, std::string>> bags = {{"none", ""}, {"zstd", "zstd"}, {"lz4", "lz4"}};
  std::size_t bytes = 0;
  std::vector<std::function<void()>> contenders;
  static double kept = 0;
  for (const auto& [name, compression] : bags) {
    const fs::path file = scratch / (name + ".mcap");
    bytes = write_drive(file, compression, kScans);
    contenders.emplace_back([file] {
      msg::LaserScan scan;
      static_cast<void>(read_bag(file, [&scan](const BagMessage& m) {
        if (m.topic.name != "/scan") return;
        read_message(m.bytes, scan);
        kept += double{scan.ranges.back()};
      }));
    });
    contenders.emplace_back([file] { kept += static_cast<double>(read_bag_log(file, {"", "map"}).scans()); });
  }
  const std::vector<double> seconds = interleave(kRounds, contenders, cpu_seconds_now);
  std::printf("## Reading scans\n\n%zu scans of 1081 rays, %.0f MB\n\n", kScans, 1e-6 * static_cast<double>(bytes));
  std::printf("| compression | file, MB | scans, MB/s | as a log, at the poses of tf, MB/s |\n|---|---|---|---|\n");
  for (std::size_t i = 0; i < bags.size(); ++i) {
    std::printf("| %s | %.0f | %.0f | %.0f |\n", bags[i].first.c_str(),
                1e-6 * static_cast<double>(fs::file_size(scratch / (bags[i].first + ".mcap"))),
                1e-6 * static_cast<double>(bytes) / seconds[2 * i],
                1e-6 * static_cast<double>(bytes) / seconds[2 * i + 1]);
  }
}

SceneSetup setup_of(const std::string& outputs, const std::string& preset) {
  SceneSetup setup =
      read_scene_file(fs::path(FATHOM_SOURCE_DIR) / "examples/house/house.yaml",
                      {"sensors=[{name: lidar, preset: " + preset +
                       ", position_m: [0, 0, 1.2], noise: [{distance: {stddev_m: 0.02}}], outputs: " + outputs + "}]"});
  return setup;
}

/// Seconds of a run into a folder that is then removed.
std::function<void()> run_of(const SceneSetup& setup, const fs::path& out, const fs::path& bag) {
  return [&setup, out, bag] {
    RunOptions how;
    how.out = out, how.bag = bag, how.force = true, how.frames = 10, how.compute.threads = 1;
    run_scene(setup, how);
  };
}

void bench_writing(const Scratch& scratch, const std::string& preset) {
  constexpr int kRounds = 15;
  constexpr std::uint32_t kFrames = 10;
  const SceneSetup files = setup_of("[pcd]", preset), none = setup_of("[]", preset);
  Simulator simulator = make_simulator(none);
  std::vector<Frame> frames;
  for (std::uint32_t i = 0; i < kFrames; ++i) {
    frames.emplace_back(CloudOptions().fields | ChannelSet{Channel::kHitSensor, Channel::kReason});
    simulator.render(SensorId{0}, i, frames.back());
  }
  const auto write_files = [&] {
    for (std::size_t i = 0; i < frames.size(); ++i) write_pcd(scratch / (std::to_string(i) + ".pcd"), frames[i]);
  };
  const auto write_bag = [&] {
    McapWriter bag(scratch / "frames.mcap");
    const std::uint16_t topic = bag.add_topic("/lidar/points", msg::PointCloud2::kType);
    for (const Frame& frame : frames) {
      const CloudMessage cloud = cloud_message(frame, "lidar", {});
      bag.write(topic, msg::nanoseconds(cloud.message.header.stamp), write_message(cloud.message));
    }
    bag.commit();
  };
  const auto times = interleaved_times(
      kRounds, {write_files, write_bag, run_of(files, scratch / "files", {}),
                run_of(none, scratch / "none", scratch / "run.mcap"), run_of(none, scratch / "nothing", {})});
  std::vector<double> ms;
  ms.reserve(times.size());
  for (const auto& t : times) ms.push_back(1e3 * median(t) / kFrames);
  std::printf("| %s | %.1f | %.1f | **%.2f** | %.1f | %.1f | %.1f | **%.2f** |\n", preset.c_str(), ms[0], ms[1],
              median_ratio(times[1], times[0]), ms[4], ms[2], ms[3], median_ratio(times[3], times[2]));
}

}  // namespace
}  // namespace fathom::bench

int main(int argc, char**) {
  const fathom::bench::Scratch scratch;
  if (argc < 2) fathom::bench::bench_reading(scratch);
  std::printf(
      "\n## Writing clouds\n\nMilliseconds a frame: frames that are there as PCD files and as a bag; runs with no "
      "files, "
      "with PCD files, with a bag\n\n"
      "| lidar | PCD | bag | bag / PCD | run | run with PCD | run with bag | bag / PCD "
      "|\n|---|---|---|---|---|---|---|---|\n");
  for (const char* preset : {"VLP-16", "OS1-128"}) fathom::bench::bench_writing(scratch, preset);
}
