// SPDX-License-Identifier: MIT
// Runs whose sensors have timings: numbers and names of files, summary.json, bags and errors.

#include <fathom/fit/frames.hpp>
#include <fathom/simulate/environments.hpp>

#include "io/bag/read_bag.hpp"
#include "io/message/cdr.hpp"
#include "io/message/geometry.hpp"
#include "io/message/sensors.hpp"
#include "render/simulators.hpp"
#include "run/prepare_run.hpp"
#include "run/run_folder.hpp"
#include "run/scene_fixture.hpp"

namespace fathom::test {
namespace {

using nlohmann::json;

/// A lidar with the timing and a laser without, on a body that moves.
std::string timed_scene(const std::string& timing, const std::string& outputs = "pcd") {
  return R"(
scene:
  meshes: {room: {box: {size_m: [8, 6, 3]}}, body: {box: {size_m: [0.4, 0.3, 0.2]}}}
  entities:
    - {name: room, mesh: room, position_m: [0, 0, 1.5]}
    - name: base
      mesh: body
      motion: {keyframes: [{time_s: 0, position_m: [-1, 0, 0.2]}, {time_s: 4, position_m: [1, 0, 0.2], rpy_deg: [0, 0, 90]}]}
sensors:
  - name: lidar
    preset: VLP-16
    columns: 30
    parent: base
    position_m: [0, 0, 0.4]
    noise: [{distance: {stddev_m: 0.02}}]
    )" + timing +
         R"(
    outputs: [)" +
         outputs + R"(]
  - {name: laser, preset: RPLIDAR-A2, parent: base, position_m: [0.2, 0, 0.2], noise: [], outputs: [pcd]}
frames: 4
rate_hz: 10
start_s: 0.5
seed: 3
)";
}

const std::string kDropsAndFreezes =
    "timing: {rate_hz: 50, phase_s: 0.005, latency_s: 0.03, jitter_s: 0.002, drop_frame: 0.25, freeze: 0.3}";

class TimedRun : public testing::Test {
 protected:
  SceneSetup read(const std::string& text) { return read_scene_text(text, folder_ / "a.yaml", {}); }
  RunOptions options(const std::string& out = "out") {
    RunOptions how;
    how.out = folder_ / out;
    how.compute.threads = 1;
    return how;
  }
  json summary(const std::string& out = "out") { return json::parse(test::bytes_of(folder_ / out / "summary.json")); }
  const TemporaryFolder folder_;
};

std::string file_of(std::uint32_t frame) { return "lidar/cloud_0000" + std::to_string(100 + frame).substr(1) + ".pcd"; }

TEST_F(TimedRun, AnEmptyTimingChangesNoByte) {
  run_scene(read(timed_scene("")), options("without"));
  run_scene(read(timed_scene("timing: {}")), options("empty"));
  auto without = read_folder(folder_ / "without"), empty = read_folder(folder_ / "empty");
  EXPECT_EQ(without.size(), 2U * 4 + 1);
  for (auto* files : {&without, &empty}) {
    json text = json::parse(files->at("summary.json"));
    EXPECT_FALSE(text["sensors"][0].contains("timing"));
    text.erase("run");
    files->at("summary.json") = text.dump();
  }
  EXPECT_TRUE(without == empty);
}

TEST_F(TimedRun, FilesAreNumberedByTheFramesOfTheSensor) {
  const SceneSetup setup = read(timed_scene("timing: {rate_hz: 25, phase_s: 0.25, latency_s: 0.125}"));
  const RunPlan plan = plan_run(setup, options());
  EXPECT_EQ(plan.sensors[0].frames, 4U);  // from 0.25 s to 0.4 s
  EXPECT_EQ(plan.sensors[1].frames, 4U);
  run_scene(setup, options());
  const auto files = read_folder(folder_ / "out");
  EXPECT_EQ(files.size(), plan.files());
  for (std::uint32_t k = 0; k < 4; ++k) EXPECT_TRUE(files.contains(file_of(k))) << k;
  const json timing = summary()["sensors"][0]["timing"];
  EXPECT_EQ(timing["rate_hz"], 25.0);
  EXPECT_EQ(timing["phase_s"], 0.25);
  EXPECT_EQ(timing["latency_s"], 0.125);
  EXPECT_EQ(timing["frames"]["index"], (json{0, 1, 2, 3}));
  EXPECT_EQ(timing["frames"]["measured_s"],
            (json{0.75, 0.5 + 1 / 25.0 + 0.25, 0.5 + 2 / 25.0 + 0.25, 0.5 + 3 / 25.0 + 0.25}));
  for (int k = 0; k < 4; ++k) {
    EXPECT_EQ(timing["frames"]["delivered_s"][k].get<double>(),
              timing["frames"]["measured_s"][k].get<double>() + 0.125);
  }
  EXPECT_EQ(timing["dropped"], json::array());
  EXPECT_EQ(timing["frozen"], json::array());
  EXPECT_FALSE(summary()["sensors"][1].contains("timing"));
  EXPECT_EQ(summary()["frames"], 4);
}

TEST_F(TimedRun, DroppedFramesHaveNoFileAndFrozenOnesTheLastOnce) {
  const SceneSetup setup = read(timed_scene(kDropsAndFreezes));
  const RunResult result = run_scene(setup, options());
  const auto files = read_folder(folder_ / "out");
  const Simulator simulator = make_simulator(setup);
  std::uint32_t frozen = 0, dropped = 0;
  const json timing = summary()["sensors"][0]["timing"];
  for (std::uint32_t k = 0; k < 20; ++k) {
    const FrameTime time = simulator.frame_time(SensorId{0}, k);
    EXPECT_EQ(files.contains(file_of(k)), !time.is_dropped()) << k;
    const json& table = timing["frames"];
    EXPECT_EQ(table["index"][k], k);
    EXPECT_EQ(table["content"][k], time.content);
    EXPECT_EQ(table["measured_s"][k].get<double>(), time.stamp_s);
    EXPECT_EQ(table["delivered_s"][k].is_null(), time.is_dropped());
    if (time.is_frozen()) {
      EXPECT_TRUE(files.at(file_of(k)) == files.at(file_of(time.content))) << k;
      EXPECT_EQ(timing["frozen"][frozen++], k);
    }
    if (time.is_dropped()) {
      EXPECT_EQ(timing["dropped"][dropped++], k);
    }
  }
  EXPECT_FALSE(files.contains(file_of(20)));
  EXPECT_GT(frozen, 1U);
  EXPECT_GT(dropped, 1U);
  EXPECT_EQ(timing["frozen"].size(), frozen);
  EXPECT_EQ(timing["dropped"].size(), dropped);
  EXPECT_EQ(result.sensors[0].rays, (20U - dropped) * 16 * 30);
  EXPECT_EQ(result.progress.frames_done, 4U);
}

TEST_F(TimedRun, PairsAreThoseOfAllFramesThatArrive) {
  const SceneSetup setup = read(timed_scene(kDropsAndFreezes, "npy: {channels: [range, clean_range]}"));
  const RunResult result = run_scene(setup, options());
  EXPECT_LT(result.sensors[0].rays, 20U * 480);
  EXPECT_EQ(read_range_pairs(folder_ / "out", "lidar").range_m.size(), result.sensors[0].rays);
}

TEST_F(TimedRun, OfAnEnvironmentHasTheDrawsOfItsEpisode) {
  const SceneSetup setup = read(timed_scene(kDropsAndFreezes));
  std::set<std::string> tables;
  for (const std::uint32_t environment : {0U, 1U}) {
    for (const std::uint32_t episode : {0U, 1U}) {
      RunOptions how = options();
      how.frames = 2, how.force = true;
      how.environment = environment, how.episode = episode;
      run_scene(setup, how);
      const json all = summary("out");
      const json& table = all["sensors"][0]["timing"]["frames"];
      tables.insert(table.dump());
      for (std::uint32_t k = 0; k < 10; ++k) {
        const FrameTime time =
            frame_time(setup.sensors[0].sensor.timing, {10.0, 0.5}, episode_seed(3, environment, episode), "lidar", k);
        EXPECT_EQ(table["measured_s"][k].get<double>(), time.stamp_s);
      }
    }
  }
  EXPECT_EQ(tables.size(), 4U);
}

TEST_F(TimedRun, ARunThatWasStoppedListsTheFilesOfEachSensor) {
  const SceneSetup setup = read(timed_scene("timing: {rate_hz: 50}"));
  RunOptions how = options();
  bool stop = false;
  how.on_progress = [&](const RunOptions::Progress& progress) { stop = progress.frames_done == 2; };
  how.should_stop = [&] { return stop; };
  EXPECT_THROW(run_scene(setup, how), Interrupted);
  const std::string record = test::bytes_of(folder_ / "out" / kRecordName);
  EXPECT_TRUE(contains(record, "lidar/cloud_[000000-000019].pcd"));
  EXPECT_TRUE(contains(record, "laser/cloud_[000000-000003].pcd"));
  how = options();
  how.force = true;
  run_scene(setup, how);
  EXPECT_EQ(read_folder(folder_ / "out").size(), 20U + 4 + 1);
}

TEST_F(TimedRun, TheScheduleIsInTheOrderOfTime) {
  const SceneSetup setup = read(timed_scene(kDropsAndFreezes));
  const Simulator simulator = make_simulator(setup);
  FrameSchedule schedule(simulator, 2, 4);
  double before_s = -1.0;
  std::array<std::uint32_t, 3> counts = {};
  while (const auto event = schedule.next()) {
    EXPECT_GE(event->time_s, before_s);
    before_s = event->time_s;
    std::uint32_t& count = counts[event->sensor ? 1 + index(*event->sensor) : 0];
    EXPECT_EQ(event->index, count++);
    if (event->sensor == SensorId{1}) {
      EXPECT_EQ(counts[0], counts[2]) << "the laser's frames follow the frames of the scene";
    }
  }
  EXPECT_EQ(counts, (std::array<std::uint32_t, 3>{4, 20, 4}));
}

TEST_F(TimedRun, TheLastFrameAtATimeIsTheLastThatArrived) {
  const SceneSetup setup = read(timed_scene(kDropsAndFreezes));
  const Simulator simulator = make_simulator(setup);
  for (int i = 0; i < 60; ++i) {
    const double time_s = 0.5 + 0.007 * i;
    std::optional<std::uint32_t> wanted;
    for (std::uint32_t k = 0; k < 40; ++k) {
      const FrameTime time = simulator.frame_time(SensorId{0}, k);
      if (time.delivered_s <= time_s) wanted = k;
    }
    const auto found = last_delivered(simulator, SensorId{0}, time_s);
    EXPECT_EQ(found.has_value(), wanted.has_value()) << time_s;
    if (found && wanted) {
      EXPECT_EQ(found->index, *wanted) << time_s;
    }
  }
  EXPECT_EQ(last_delivered(simulator, SensorId{1}, simulator.stamp_s(7))->index, 7U);
}

struct Heard {
  std::string topic;
  std::uint64_t time_ns;
  std::string bytes;

  template <class Message>
  [[nodiscard]] Message as() const {
    Message message;
    read_message(std::as_bytes(std::span(bytes)), message);
    return message;
  }
};

std::uint64_t in_ns(double time_s) { return static_cast<std::uint64_t>(std::llround(time_s * 1e9)); }
std::uint64_t in_ns(const msg::Time& time) { return msg::nanoseconds(time); }

class TimedBag : public TimedRun {
 protected:
  std::vector<Heard> messages_of(const SceneSetup& setup) {
    RunOptions how = options();
    how.bag = folder_ / "a.mcap";
    run_scene(setup, how);
    std::vector<Heard> found;
    const BagReading reading = read_mcap(how.bag, [&](const BagMessage& m) {
      found.push_back({m.topic.name, m.time_ns, {reinterpret_cast<const char*>(m.bytes.data()), m.bytes.size()}});
    });
    EXPECT_TRUE(reading.notes().empty());
    return found;
  }
};

TEST_F(TimedBag, HasTheStampOfMeasuringInMessagesThatComeAtTheirDelivery) {
  const SceneSetup setup = read(timed_scene(kDropsAndFreezes));
  const Simulator simulator = make_simulator(setup);
  std::uint64_t before_ns = 0, clock_ns = 0;
  std::uint32_t k = 0, clouds = 0, scans = 0;
  for (const Heard& heard : messages_of(setup)) {
    if (heard.topic != "/laser/scan") {  // it comes at the time of its first ray, at the end of the revolution
      EXPECT_GE(heard.time_ns, before_ns);
      before_ns = heard.time_ns;
    }
    if (heard.topic == "/clock") {
      EXPECT_GE(in_ns(heard.as<msg::Clock>().clock), clock_ns);
      clock_ns = in_ns(heard.as<msg::Clock>().clock);
    } else if (heard.topic == "/lidar/points") {
      while (simulator.frame_time(SensorId{0}, k).is_dropped()) ++k;
      const FrameTime time = simulator.frame_time(SensorId{0}, k++);
      EXPECT_EQ(heard.time_ns, in_ns(time.delivered_s));
      EXPECT_EQ(clock_ns, in_ns(time.delivered_s));
      EXPECT_EQ(in_ns(heard.as<msg::PointCloud2>().header.stamp), in_ns(time.stamp_s));
      ++clouds;
    } else if (heard.topic == "/laser/scan") {
      EXPECT_EQ(in_ns(heard.as<msg::LaserScan>().header.stamp), heard.time_ns);
      ++scans;
    }
  }
  EXPECT_EQ(scans, 4U);
  std::uint32_t arrived = 0;
  for (std::uint32_t i = 0; i < 20; ++i) arrived += simulator.frame_time(SensorId{0}, i).is_dropped() ? 0 : 1;
  EXPECT_EQ(clouds, arrived);
}

TEST_F(TimedBag, HasTheTransformsOfEveryMeasuring) {
  const SceneSetup setup = read(timed_scene(kDropsAndFreezes));
  const Simulator simulator = make_simulator(setup);
  std::map<std::uint64_t, Vec3> told;
  for (const Heard& heard : messages_of(setup)) {
    if (heard.topic == "/tf") {
      const auto tf = heard.as<msg::TFMessage>().transforms.at(0);
      const auto& t = tf.transform.translation;
      EXPECT_TRUE(told.emplace(in_ns(tf.header.stamp), Vec3{t.x, t.y, t.z}).second) << "once each";
    } else if (heard.topic == "/lidar/points") {
      EXPECT_TRUE(told.contains(in_ns(heard.as<msg::PointCloud2>().header.stamp)));
    }
  }
  for (std::uint32_t k = 0; k < 20; ++k) {
    const FrameTime time = simulator.frame_time(SensorId{0}, k);
    if (time.is_dropped()) continue;
    const Vec3 wanted = simulator.scene().world_from_entity(EntityId{1}, time.stamp_s).translation_m;
    EXPECT_LT(norm(told.at(in_ns(time.stamp_s)) - wanted), 1e-12);
  }
}

TEST_F(TimedBag, ScansSayHowLongTheyAreApart) {
  const std::string scene = replaced(timed_scene(""), "outputs: [pcd]}", "timing: {rate_hz: 20}, outputs: [pcd]}");
  for (const Heard& heard : messages_of(read(scene))) {
    if (heard.topic == "/laser/scan") {
      EXPECT_EQ(heard.as<msg::LaserScan>().scan_time, 0.05F);
    }
  }
}

TEST_F(TimedRun, RefusesWhatCannotBe) {
  const auto refused = [&](const std::string& timing) {
    return input_error([&] { read(timed_scene("timing: {" + timing + "}")); });
  };
  EXPECT_TRUE(
      contains(refused("rate_hz: 0"), "a.yaml:16:23: sensors.lidar.timing.rate_hz = 0 is not in [0.001, 1000000] Hz"));
  for (const char* key : {"rate_hz", "phase_s", "latency_s", "jitter_s", "drop_frame", "freeze"}) {
    for (const char* bad : {"-1", ".nan", ".inf", "1e300", "[1, 2]", "slow", "{uniform: [0, 1]}"}) {
      EXPECT_TRUE(contains(refused(std::string(key) + ": " + bad), "a.yaml:16:")) << key << " " << bad;
    }
  }
  EXPECT_TRUE(contains(refused("latency: 1"), "latency_s"));
  EXPECT_TRUE(contains(refused("jitter_s: 0.02"),
                       "timing.jitter_s = 0.02 is above 0.0125 s, an eighth of the time between two frames"));
  const auto not_run = [&](const std::string& timing, std::uint32_t frames) {
    return input_error([&] {
      RunOptions how = options();
      how.frames = frames;
      run_scene(read(timed_scene("timing: {" + timing + "}")), how);
    });
  };
  EXPECT_TRUE(contains(not_run("phase_s: 1", 4),
                       "a.yaml:16:13: sensors.lidar.timing.phase_s = 1 is not below the 0.4 s of the run: the "
                       "sensor would make no frame"));
  EXPECT_TRUE(contains(not_run("rate_hz: 1e6", 20),
                       "a.yaml:16:13: sensors.lidar.timing: the sensor would make 2000000 frames in the 2 s of "
                       "the run, not 1 to 1000000"));
  SceneSetup setup = read(timed_scene("timing: {phase_s: 1}"));
  setup.sensors[0].timing_place.clear();  // as in a program
  EXPECT_EQ(input_error([&] { run_scene(setup, options()); }),
            "sensor 'lidar': timing.phase_s = 1 is not below the 0.4 s of the run: the sensor would make no frame");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
}

TEST_F(TimedRun, SumsUpWhatIsRead) {
  const SceneSetup setup = read(timed_scene(kDropsAndFreezes));
  EXPECT_EQ(
      setup.sensors[0].sensor.timing,
      (Timing{
          .rate_hz = 50, .phase_s = 0.005, .latency_s = 0.03, .jitter_s = 0.002, .drop_frame = 0.25, .freeze = 0.3}));
  EXPECT_EQ(setup.sensors[1].sensor.timing, Timing());
}

}  // namespace
}  // namespace fathom::test
