// SPDX-License-Identifier: MIT
// `fathom fit wall`: walls of a camera, a laser and a lidar are learned from files, what is learned can be
// simulated, and bad input is refused before anything is written.

#include "process.hpp"

namespace cli_test {
namespace {

constexpr const char* kWallScene = R"(
seed: 7
frames: 24
rate_hz: 1
sensors:
  - name: camera
    type: stereo_camera
    width: 96
    height: 72
    fx: 60
    principal_point_px: [47.5, 35.5]
    baseline_m: 0.1
    reference: left
    motion: &way
      keyframes:
        - {time_s: 0, position_m: [-0.8, 0, 1], rpy_deg: [0, 0, -20]}
        - {time_s: 23, position_m: [-2.4, 0, 1], rpy_deg: [0, 0, 50]}
    noise: [{disparity: {stddev_px: 0.08, steps_per_px: 16}}, {dropout: {probability: 0.03}}]
    outputs: [{npy: {channels: [depth]}}, {depth_png: {per_m: 6000}}]
  - name: laser
    type: laser_2d
    rays: 181
    min_azimuth_deg: -90
    max_azimuth_deg: 90
    motion: *way
    noise: [{distance: {stddev_m: 0.01}}, {dropout: {probability: 0.05}}]
    outputs: [scan_log]
scene:
  meshes: {wall: {box: {size_m: [0.1, 40, 20]}}}
  entities: [{name: wall, mesh: wall, position_m: [0.05, 0, 0]}]
)";

/// A lidar between the wall and a floor.
constexpr const char* kLidarWallScene = R"(
seed: 7
frames: 24
rate_hz: 1
sensors:
  - name: lidar
    type: spinning_lidar
    elevation_deg: [-12, -10, -8, -6, -4, -2, 0, 2, 4, 6, 8, 10]
    columns: 240
    motion:
      keyframes:
        - {time_s: 0, position_m: [-0.8, 0, 1], rpy_deg: [0, 0, -20]}
        - {time_s: 23, position_m: [-4.4, 0, 1], rpy_deg: [0, 0, 20]}
    noise: [{distance: {stddev_m: 0.01, stddev_per_m: 0.003}}, {dropout: {probability: 0.05}}]
    outputs: [pcd, ply]
scene:
  meshes: {wall: {box: {size_m: [0.1, 40, 20]}}, floor: {box: {size_m: [40, 40, 0.1]}}}
  entities:
    - {name: wall, mesh: wall, position_m: [0.05, 0, 0]}
    - {name: floor, mesh: floor, position_m: [0, 0, -0.05]}
)";
constexpr const char* kLidarEntry =
    "type: spinning_lidar\nelevation_deg: [-12, -10, -8, -6, -4, -2, 0, 2, 4, 6, 8, 10]\ncolumns: 240\n";

constexpr const char* kCamera = "60,60,47.5,35.5,0.1";

void expect_wall_found(const json& fit, const std::string& name, double truth) {
  expect_learned(fit, name, truth, 0.2);
}

class CalibrateWall : public testing::Test {
 protected:
  /// Its tests look at one run.
  static void SetUpTestSuite() {
    run_ = std::make_unique<TemporaryFolder>();
    succeed({"simulate", write_text(*run_ / "wall.yaml", kWallScene), "--out", *run_ / "run", "--quiet"});
  }
  static void TearDownTestSuite() { run_.reset(); }
  static json learned(const Words& options) {
    return json::parse(succeed(Words{"fit", "wall"} + options + Words{"--json", "--max-returns", "4000"}).out);
  }
  void refused(const std::string& name, const Words& arguments, const Words& expected) {
    expect_refused(name, Words{"fit", "wall"} + arguments + Words{"--out", folder_ / "never"}, expected,
                   folder_ / "never");
  }

  inline static std::unique_ptr<TemporaryFolder> run_;
  TemporaryFolder folder_;
  std::string scene_ = *run_ / "wall.yaml";
};

TEST_F(CalibrateWall, OfArraysImagesAndScansFindsWhatMadeThem) {
  const std::string images = *run_ / "run/camera";
  const json arrays = learned({images, "--camera", kCamera, "--max-range", "10"});
  expect_wall_found(arrays, "disparity.stddev_px", 0.08);
  expect_wall_found(arrays, "dropout.probability", 0.03);
  EXPECT_EQ(arrays["parameters"]["disparity.steps_per_px"]["value"], 16);
  EXPECT_EQ(arrays["details"]["planes"].size(), 24U);
  EXPECT_NEAR(arrays["details"]["planes"][0]["distance_m"].get<double>(), 0.8, 0.01);
  const json levels =
      learned({images, "--camera", kCamera, "--max-range", "10", "--files", "depth*.png", "--levels-per-m", "6000"});
  expect_wall_found(levels, "disparity.stddev_px", 0.08);
  // Lost beyond 90 degrees is not the wall's, and what a laser sees of it ends somewhere.
  const json scans = learned({"--log", *run_ / "run/laser/scans.csv", "--sector=-60,60"});
  expect_wall_found(scans, "distance.stddev_m", 0.01);
  expect_wall_found(scans, "dropout.probability", 0.05);
}

TEST_F(CalibrateWall, OfCloudsFindsWhatMadeThemAndWritesTheLidar) {
  const std::string scene = write_text(folder_ / "lidar.yaml", kLidarWallScene);
  const std::string lidar = write_text(folder_ / "sensor.yaml", kLidarEntry);
  succeed({"simulate", scene, "--out", folder_ / "run3", "--quiet"});
  const std::string clouds = folder_ / "run3/lidar", out = folder_ / "lidar_fit";
  const json fit = learned({clouds, "--sensor", lidar, "--files", "*.pcd", "--wall", "ahead"});
  expect_wall_found(fit, "distance.stddev_m", 0.01);
  expect_wall_found(fit, "distance.stddev_per_m", 0.003);
  expect_wall_found(fit, "dropout.probability", 0.05);
  EXPECT_NEAR(fit["details"]["planes"][0]["distance_m"].get<double>(), 0.8, 0.01);
  // A scene with one sensor says the same rays, and the other format holds the same points.
  EXPECT_EQ(learned({clouds, "--sensor", scene, "--files", "*.ply", "--wall", "ahead"})["parameters"],
            fit["parameters"]);
  const std::string said = succeed({"fit", "wall", clouds, "--sensor", lidar, "--files", "*.pcd", "--wall", "ahead",
                                    "--max-returns", "3000", "--out", out})
                               .out;
  EXPECT_TRUE(contains(said, " of 2 880\n"));
  succeed({"simulate", scene, "--set", "sensors.lidar=@" + out + "/sensor.yaml", "--set", "frames=1", "--out",
           folder_ / "again", "--quiet"});

  refused("no sensor", {clouds}, {"--sensor PRESET|FILE is required with clouds"});
  refused("camera of clouds", {clouds, "--sensor", lidar, "--camera", kCamera}, {"--camera is for depth images"});
  refused("no preset", {clouds, "--sensor", "VLP16"}, {"--sensor there is no sensor preset 'VLP16'", "VLP-16"});
  refused("other lidar", {clouds, "--sensor", "OS1-64", "--files", "*.pcd"},
          {"cloud_000000.pcd", "points lie on no ring of the lidar: in the median they are ", " degrees off",
           "elevation_deg"});
  refused("a laser", {clouds, "--sensor", "UTM-30LX"}, {"--sensor UTM-30LX: 1 x 1081 rays"});
  refused("sensor of images", {*run_ / "run/camera", "--sensor", lidar}, {"--sensor is for clouds"});
  refused("sensor of scans", {"--log", *run_ / "run/laser/scans.csv", "--sensor", lidar}, {"--sensor is for clouds"});
  refused("scans of clouds", {clouds, "--sensor", lidar, "--scans", "odd"}, {"--scans is for a log"});
  refused("scale of clouds", {clouds, "--sensor", lidar, "--levels-per-m", "500"},
          {"lidar: --levels-per-m is for 16-bit images, and this is a folder of clouds"});
  refused("range", {clouds, "--sensor", lidar, "--max-range", "9"}, {"--max-range is what the lidar"});
}

TEST_F(CalibrateWall, OfCloudsBesideTheRaysOfTheSensorTakesThoseOfThePoints) {
  // The turn of the lidar starts elsewhere and has fewer columns than its file says.
  const std::string scene = write_text(folder_ / "lidar.yaml", kLidarWallScene);
  const std::string lidar = write_text(folder_ / "sensor.yaml", kLidarEntry);
  succeed({"simulate", scene, "--out", folder_ / "run4", "--quiet", "--set", "sensors.lidar.start_azimuth_deg=71.3",
           "--set", "sensors.lidar.columns=237"});
  const std::string clouds = folder_ / "run4/lidar", out = folder_ / "turned_fit";
  const Words how = {clouds, "--sensor", lidar, "--files", "*.pcd", "--wall", "ahead"};
  const json fit = learned(how);
  expect_wall_found(fit, "distance.stddev_m", 0.01);
  expect_wall_found(fit, "distance.stddev_per_m", 0.003);
  expect_wall_found(fit, "dropout.probability", 0.05);
  EXPECT_EQ(fit["details"]["turns"]["most_cols"], 237);
  EXPECT_EQ(fit["details"]["sensor"]["cols"], 237);
  EXPECT_EQ(fit["details"]["of_measured"]["knows_losses"], true);
  EXPECT_GT(fit["details"]["of_measured"]["lost"], 0);
  const json beside = learned(how + Words{"--sector=-90,5"});
  EXPECT_LT(beside["details"]["of_measured"]["readings"].get<double>(),
            0.8 * fit["details"]["of_measured"]["readings"].get<double>());
  const std::string said = succeed(Words{"fit", "wall", "--out", out, "--max-returns", "3000"} + how).out;
  EXPECT_TRUE(contains(said, "note: points lie between the rays of the sensor"));
  EXPECT_TRUE(contains(said, " of 2 844\n"));
  succeed({"simulate", scene, "--set", "sensors.lidar=@" + out + "/sensor.yaml", "--set", "frames=1", "--out",
           folder_ / "again", "--quiet"});
}

TEST_F(CalibrateWall, WritesFilesThatASceneTakes) {
  const std::string images = *run_ / "run/camera", out = folder_ / "fit";
  const Words how = {"fit",  "wall",        images,     "--camera", kCamera, "--max-range", "10", "--max-returns",
                     "3000", "--distances", "0:8=1.06", "--out",    out};
  const std::string said = succeed(how).out;
  EXPECT_TRUE(contains(said, "disparity.stddev_px"));
  for (const char* name : {"noise.yaml", "sensor.yaml", "report.html", "fit.json"}) {
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(out) / name)) << name;
  }
  const json fit = json::parse(fathom::test::bytes_of(out + "/fit.json"));
  EXPECT_EQ(fit["details"]["tape"]["places"], 1);
  EXPECT_NEAR(fit["details"]["of_simulated"]["deviation"].get<double>(),
              fit["details"]["of_measured"]["deviation"].get<double>(), 0.004);
  succeed({"simulate", scene_, "--set", "sensors.camera.noise=@" + out + "/noise.yaml", "--out", folder_ / "again",
           "--quiet"});
  const json again = learned({folder_ / "again/camera", "--camera", kCamera, "--max-range", "10"});
  EXPECT_NEAR(again["parameters"]["disparity.stddev_px"]["value"].get<double>(),
              fit["parameters"]["disparity.stddev_px"]["value"].get<double>(), 0.004);
  // The sensor, pasted into a scene.
  std::string sensor = fathom::test::bytes_of(out + "/sensor.yaml"), entry = "  - ";
  for (const char c : sensor) entry += c == '\n' ? std::string("\n    ") : std::string(1, c);
  const std::string pasted =
      write_text(folder_ / "pasted.yaml", "frames: 1\nsensors:\n" + entry +
                                              "\nscene:\n  meshes: {wall: {box: {size_m: [0.1, 40, 20]}}}\n  entities: "
                                              "[{name: wall, mesh: wall, position_m: [1, 0, 0]}]\n");
  succeed({"check", pasted});
  // Nothing is replaced without --force.
  EXPECT_EQ(run_fathom(how).exit_code, 2);
  Words forced = how;
  forced.emplace_back("--force");
  EXPECT_EQ(succeed(forced).out, said);
}

TEST_F(CalibrateWall, RefusesDistancesAndDepthsOfAnotherUnit) {
  const std::string images = *run_ / "run/camera", log = *run_ / "run/laser/scans.csv";
  refused("centimetres", {images, "--camera", kCamera, "--distances", "0:1=80,23:24=240"},
          {"--distances: ", "depth_000000.npy is 80 m by tape and 0.8", " m by its readings, ",
           "as all others are: are the distances in cm, not in m?"});
  refused(
      "a typo", {images, "--camera", "60,60,47.5,35.5", "--distances", "0:1=0.8,12:13=16.3"},
      {"--distances: ", "depth_000012.npy is 16.3 m by tape and 1.6", "unlike others: is the distance typed right"});
  refused("of scans", {"--log", log, "--sector=-60,60", "--distances", "0:1=80,12:13=163"},
          {"scans.csv: --distances: scan 0 is 80 m by tape and 0.8", "are the distances in cm, not in m?"});
  refused("scans beyond the range", {"--log", log, "--sector=-60,60", "--max-range", "0.5"},
          {"scans.csv: scan 0: has 0 readings, and a wall needs 20 (", " more are not below --max-range = 0.5)"});
  const Words levels = {images, "--camera", kCamera, "--files", "depth*.png", "--levels-per-m"};
  const auto with = [&](const Words& more) { return levels + more; };
  refused("scale against a tape", with({"60", "--distances", "0:1=0.8,23:24=2.4"}),
          {"--distances: ", "depth_000000.png",
           "as all others are: --levels-per-m = 60 may be wrong, and 6000 agrees with the tape"});
  refused("scale beyond the range", with({"6", "--max-range", "20"}),
          {"depth_0000", ".png: its wall is ",
           " m away, beyond --max-range = 20, and 0 of 24 frames show one within it", "--levels-per-m = 6 is right"});
  refused(
      "scale", with({"1000000"}),
      {"depth_000012.png: its wall is 0.00981 m away, where the disparity is 6", " px, and the image 96 px wide: see ",
       "whether --levels-per-m = 1000000, focal length and baseline are right"});
}

TEST_F(CalibrateWall, NamesDistancesThatContradictReadings) {
  const std::string images = *run_ / "run/camera", out = folder_ / "fit";
  const auto learn = [&](const char* distances) {
    return succeed({"fit", "wall", images, "--camera", kCamera, "--max-range", "10", "--max-returns", "3000",
                    "--distances", distances, "--out", out, "--force"})
        .out;
  };
  const std::string said = learn("depth_*=0.8");
  EXPECT_TRUE(
      contains(said, "1 place. Distances and readings contradict each other, and the chain leaves out gain and bias."));
  EXPECT_TRUE(contains(said, "note: frames of one distance by tape lie 1.6 m apart by their readings: "));
  EXPECT_TRUE(contains(said, "depth_000023.npy at 2.40 m are both 0.8 m by tape; give each place its own distance"));
  const auto is_said = [&](const std::string& part) {
    return said.find(part) != std::string::npos &&
           fathom::test::bytes_of(out + "/report.html").find(part) != std::string::npos &&
           fathom::test::bytes_of(out + "/fit.json").find(part) != std::string::npos;
  };
  EXPECT_TRUE(is_said("distances by tape and readings contradict each other"));
  EXPECT_EQ(json::parse(fathom::test::bytes_of(out + "/fit.json"))["details"]["tape"]["is_contradicted"], true);
  EXPECT_TRUE(said.starts_with("usable: no, because distances by tape and readings contradict each other\n")) << said;
  EXPECT_TRUE(contains(fathom::test::bytes_of(out + "/noise.yaml"), "bias_px: 0,"));
  // In a good one nothing is contradicted, and frames held out are on terminal, page and in fit.json.
  const std::string good = learn("0:1=0.8,23:24=2.4");
  EXPECT_FALSE(contains(good, "contradict"));
  const json fit = json::parse(fathom::test::bytes_of(out + "/fit.json"));
  EXPECT_EQ(fit["details"]["tape"]["is_contradicted"], false);
  const double held_out_nats = fit["held_out"]["nats"].get<double>();
  const std::size_t at = good.find("held-out frames: ");
  ASSERT_NE(at, std::string::npos) << good;
  const std::string nats = good.substr(at + 17, good.find('\n', at + 17) - at - 17);
  EXPECT_NEAR(std::stod(nats), held_out_nats, 5.1e-5);
  const std::string page = fathom::test::bytes_of(out + "/report.html");
  EXPECT_TRUE(contains(page, nats)) << nats;
  EXPECT_TRUE(contains(page, "nats per return, held-out frames"));
  EXPECT_TRUE(contains(page, "Log probability that a ray is lost"));
}

TEST_F(CalibrateWall, RefusesWrongInputInOneLine) {
  const std::string images = *run_ / "run/camera", log = *run_ / "run/laser/scans.csv";
  refused("nothing", {}, {"DIR, --log or --bag is required"});
  refused("no camera", {images}, {"--camera FX,FY,CX,CY[,BASELINE] is required"});
  refused("three numbers", {images, "--camera", "1,2,3"}, {"--camera has 3 numbers"});
  refused("no focal length", {images, "--camera", "0,2,3,4"}, {"--camera = 0,2,3,4: FX and FY are above 0"});
  refused("baseline", {images, "--camera", "9,9,3,4,-1"}, {"BASELINE is not below 0"});
  refused("principal point", {images, "--camera", "60,60,192.5,35.5"}, {"--camera CX = 192.5 is not in [-96, 192] px"});
  refused("principal point", {images, "--camera", "60,60,47.5,-73"}, {"--camera CY = -73 is not in [-72, 144] px"});
  refused("word", {images, "--camera", "a,9,3,4"}, {"--camera", "a"});
  refused("two sources", {images, "--camera", kCamera, "--log", log}, {"--log and --bag are for scans"});
  refused("scale of scans", {"--log", log, "--levels-per-m", "1000"},
          {"scans.csv: --levels-per-m is for 16-bit images, and this is a log"});
  refused("files of scans", {"--log", log, "--files", "*.csv"},
          {"scans.csv: --files is for a folder of depth images or clouds, and this is a log"});
  refused("scale of metres", {images, "--camera", kCamera, "--levels-per-m", "1000"},
          {"depth_000000.npy: --levels-per-m is for 16-bit images, and this one has metres"});
  refused("rate of what moves", {"--log", log, "--rate", "30"}, {"--rate is for --still"});
  refused("rate of images", {images, "--camera", kCamera, "--rate", "30"}, {"--rate is for --still"});
  refused("camera of scans", {"--log", log, "--camera", kCamera}, {"--camera is for depth images"});
  refused("sector of images", {images, "--camera", kCamera, "--sector=-1,1"}, {"--sector is for scans"});
  refused("sector", {"--log", log, "--sector=20,-20"}, {"--sector = 20,-20"});
  refused("empty sector", {"--log", log, "--sector=100,120"}, {"scans.csv", "no ray lies from"});
  refused("no such frame", {images, "--camera", kCamera, "--distances", "near_*=1"}, {"there is no frame 'near_*'"});
  refused("far away", {images, "--camera", kCamera, "--distances", "0:3=-1"},
          {"distance -1 is not in [0.001, 1e+06] m"});
  refused("twice", {images, "--camera", kCamera, "--distances", "0:3=1,2:4=1"},
          {"depth_000002", "has the distance 1 m already"});
  refused("no list", {images, "--camera", kCamera, "--distances", folder_ / "none.csv"}, {"none.csv"});
  const std::string list = write_text(folder_ / "list.csv", "# of a tape\n0:3,1\n3:5\n");
  refused("cells", {images, "--camera", kCamera, "--distances", list}, {"list.csv:3", "has 1 cells"});
  refused("hold out", {images, "--camera", kCamera, "--hold-out", "1"},
          {"--hold-out = 1 leaves nothing to learn from"});
  refused("no folder", {folder_ / "nowhere", "--camera", kCamera}, {"nowhere", "is no folder"});
  const std::string room = write_text(
      folder_ / "room.yaml",
      "frames: 1\nsensors:\n  - {name: camera, type: depth_camera, width: 64, height: 48, fx: 30, outputs: [{npy: "
      "{channels: "
      "[depth]}}]}\nscene:\n  meshes: {ball: {sphere: {radius_m: 3}}}\n  entities: [{name: ball, mesh: ball}]\n");
  succeed({"simulate", room, "--out", folder_ / "room", "--quiet"});
  refused("a ball", {folder_ / "room/camera", "--camera", "30,30,31.5,23.5"},
          {"depth_000000.npy", "its readings deviate from every plane by"});
}

}  // namespace
}  // namespace cli_test
