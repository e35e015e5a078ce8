// SPDX-License-Identifier: MIT
// The presets against figures of their manuals.

#include <array>

#include <fathom/sensor/kinds.hpp>
#include <fathom/sensor/presets.hpp>

#include "sensor/angles.hpp"

namespace fathom::test {
namespace {

const SpinningLidar& spinning(std::string_view name) { return std::get<SpinningLidar>(find_preset(name).model); }

std::string quoted(std::string_view name) { return std::string("`").append(name).append("`"); }

std::string read_page() {
  std::stringstream text;
  text << std::ifstream(FATHOM_SOURCE_DIR "/docs/sensors.md").rdbuf();
  return text.str();
}

double top_deg(const RayPattern& p) { return elevation_deg(p, 0); }
double bottom_deg(const RayPattern& p) { return elevation_deg(p, p.direction_x.size() - 1); }

TEST(Presets, AreAllAcceptedWithUniqueNamesAndTheirSources) {
  std::set<std::string_view> names;
  for (const SensorPreset& preset : sensor_presets()) {
    EXPECT_TRUE(names.insert(preset.name).second) << preset.name;
    EXPECT_FALSE(preset.source.empty()) << preset.name;
    EXPECT_FALSE(preset.doc.empty()) << preset.name;
    EXPECT_FALSE(preset.noise.empty()) << preset.name;
    const RayPattern p = make_pattern(preset.model);
    validate(p);
    if (p.time_offset_s.empty()) continue;  // cameras see all pixels at once
    // A frame ends before the next begins, for every preset at its own rate.
    const double last_s = *std::max_element(p.time_offset_s.begin(), p.time_offset_s.end());
    EXPECT_GT(last_s, 0.0) << preset.name;
    EXPECT_LE(last_s, 0.1) << preset.name;
  }
  for (const char* name : {"VLP-16",    "VLP-32C",       "HDL-64E",
                           "OS0-128",   "OS1-64",        "OS1-128",
                           "Mid-40",    "UTM-30LX",      "LMS-111",
                           "OS0-32",    "OS0-64",        "OS1-32",
                           "OS2-128",   "VLS-128",       "XT32",
                           "QT64",      "JT128",         "RS-Helios-1615",
                           "RS-Bpearl", "RPLIDAR-A2",    "D435",
                           "D435i",     "D435_filtered", "D455",
                           "D405",      "Kinect-v1",     "real_structured_light",
                           "L515",      "Flexx2",        "Azure-Kinect-WFOV-binned"}) {
    EXPECT_EQ(names.count(name), 1U) << name;
  }
}

TEST(Presets, AreFoundByNameOrTheNearestIsNamed) {
  EXPECT_EQ(find_preset("OS1-64").name, "OS1-64");
  EXPECT_EQ(input_error([&] { find_preset("VLP16"); }), "there is no sensor preset 'VLP16' (nearest known: 'VLP-16')");
}

TEST(Presets, Vlp16FiresAsItsManualSays) {
  // Manual 9.3: laser i fires i x 2.304 us into a sequence of 55.296 us; even lasers aim at -15 + i, odd ones at i.
  const RayPattern p = make_pattern(find_preset("VLP-16").model);
  ASSERT_EQ(p.rows, 16U);
  EXPECT_EQ(p.cols, 1808U);  // whole sequences in 100 ms
  std::map<int, double> fired_us;
  for (std::uint32_t row = 0; row < 16; ++row) {
    const std::size_t i = std::size_t{row} * p.cols;
    EXPECT_NEAR(elevation_deg(p, i), 15.0 - 2.0 * row, 1e-5);
    EXPECT_EQ(p.ring[i], 15 - row);
    fired_us[static_cast<int>(std::lround(elevation_deg(p, i)))] = p.time_offset_s[i] * 1e6;
    EXPECT_NEAR((p.time_offset_s[i + 1000] - p.time_offset_s[i]) * 1e6, 1000 * 55.296, 0.01);
  }
  for (int laser = 0; laser < 16; ++laser) {
    EXPECT_NEAR(fired_us.at(laser % 2 == 0 ? laser - 15 : laser), 2.304 * laser, 1e-5) << "laser " << laser;
  }
  // The head turns 3600 degrees per second: 0.199066 degrees per sequence, clockwise.
  EXPECT_NEAR(turn_deg(azimuth_deg(p, 0), azimuth_deg(p, 1)), -3600 * 55.296e-6, 1e-5);
  // Laser 15 (the top row) aims where the head has turned to when it fires.
  const std::size_t laser0 = std::size_t{15} * p.cols;
  EXPECT_NEAR(turn_deg(azimuth_deg(p, laser0), azimuth_deg(p, 0)), -3600 * 15 * 2.304e-6, 1e-5);
}

TEST(Presets, TimesIncreaseInFiringOrder) {
  for (const SensorPreset& preset : sensor_presets()) {
    if (!std::holds_alternative<SpinningLidar>(preset.model)) continue;
    const RayPattern p = make_pattern(preset.model);
    for (std::size_t row = 0; row < p.rows; ++row) {
      for (std::size_t c = 1; c < p.cols; ++c) {
        ASSERT_LT(p.time_offset_s[row * p.cols + c - 1], p.time_offset_s[row * p.cols + c]) << preset.name;
      }
    }
    const std::vector<double>& times = std::get<SpinningLidar>(preset.model).firing_time_s;
    EXPECT_TRUE(std::is_sorted(times.begin(), times.end())) << preset.name;
  }
}

TEST(Presets, Vlp32cHasTheRingsOfItsManual) {
  const SpinningLidar& lidar = spinning("VLP-32C");
  ASSERT_EQ(lidar.elevation_rad.size(), 32U);
  // Manual table 9-6: elevations and azimuth offsets by column of the firing map; lasers 29, 30, 25 at the top in
  // column 3, 2, 3 (-1.4 = counter-clockwise here), laser 1 at -1 degree in column 4 (-4.2).
  EXPECT_NEAR(lidar.elevation_rad[29] / kDeg, 15.0, 1e-9);
  EXPECT_NEAR(lidar.elevation_rad[30] / kDeg, 10.333, 1e-9);
  EXPECT_NEAR(lidar.elevation_rad[25] / kDeg, 7.0, 1e-9);
  std::map<long, int> columns;
  for (const double offset : lidar.azimuth_offset_rad) ++columns[std::lround(offset / kDeg * 10)];
  EXPECT_EQ(columns.size(), 4U);
  EXPECT_EQ(columns[14] + columns[-14] + columns[42] + columns[-42], 32);
  // Denser around the horizon: a third of a degree.
  std::vector<double> sorted = lidar.elevation_rad;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(std::unique(sorted.begin(), sorted.end()), sorted.end()) << "no elevation twice";
  const auto zero = std::lower_bound(sorted.begin(), sorted.end(), -1e-9);
  EXPECT_NEAR((zero[1] - zero[0]) / kDeg, 0.333, 1e-9);
  // Pairs fire together, 16 slots of 2.304 us.
  EXPECT_EQ(lidar.firing_time_s[0], lidar.firing_time_s[1]);
  EXPECT_NEAR(lidar.firing_time_s[31] * 1e6, 15 * 2.304, 1e-9);
  const RayPattern p = make_pattern(lidar);
  EXPECT_NEAR(top_deg(p), 15.0, 1e-5);
  EXPECT_NEAR(bottom_deg(p), -25.0, 1e-5);
}

TEST(Presets, Hdl32eIsALadderOfFourThirdsOfADegree) {
  const RayPattern p = make_pattern(find_preset("HDL-32E").model);
  EXPECT_NEAR(top_deg(p), 10.667, 1e-3);
  EXPECT_NEAR(bottom_deg(p), -30.667, 1e-3);
  for (std::uint32_t row = 1; row < 32; ++row) {
    const std::size_t i = std::size_t{row} * p.cols;
    EXPECT_NEAR(elevation_deg(p, i - p.cols) - elevation_deg(p, i), 4.0 / 3.0, 1e-5);
  }
  // User's manual, firing order: -30.67, -9.33, -29.33, -8.00, ...
  const SpinningLidar& lidar = spinning("HDL-32E");
  EXPECT_NEAR(lidar.elevation_rad[1] / kDeg, -9.333, 1e-3);
  EXPECT_NEAR(lidar.elevation_rad[2] / kDeg, -29.333, 1e-3);
  EXPECT_NEAR(lidar.elevation_rad[31] / kDeg, 10.667, 1e-3);
}

TEST(Presets, Hdl64eHasTheAnglesOfAUnitAnd133333PointsPerTurn) {
  const SpinningLidar& lidar = spinning("HDL-64E");
  ASSERT_EQ(lidar.elevation_rad.size(), 64U);
  // ros-drivers/velodyne, 64e_s3-xiesc.yaml: rot_correction and vert_correction of lasers 0, 32, 31 and 63, in rad.
  const std::map<std::size_t, std::array<double, 2>> lasers = {{0, {-0.076478, -0.126193}},
                                                               {1, {-0.127862, -0.390223}},
                                                               {62, {0.023283, -0.001550}},
                                                               {63, {0.029042, -0.207918}}};
  for (const auto& [i, angles] : lasers) {
    EXPECT_NEAR(lidar.azimuth_offset_rad[i], angles[0], 2e-5) << i;
    EXPECT_NEAR(lidar.elevation_rad[i], angles[1], 2e-5) << i;
  }
  const RayPattern p = make_pattern(lidar);
  EXPECT_NEAR(top_deg(p), 1.96, 1e-5);
  EXPECT_NEAR(bottom_deg(p), -24.555, 1e-5);
  EXPECT_EQ(p.cols, 2083U);
  EXPECT_NEAR(64.0 * p.cols, 133333, 64);
}

TEST(Presets, Vls128FiresGroupsOfEightAsItsManualSays) {
  const SpinningLidar& lidar = spinning("VLS-128");
  ASSERT_EQ(lidar.elevation_rad.size(), 128U);
  // Section 8.1: 16 groups, 2.665 us each, with a pause of one group after the eighth.
  EXPECT_NEAR(lidar.firing_time_s[63] * 1e6, 7 * 2.665, 1e-9);
  EXPECT_NEAR(lidar.firing_time_s[64] * 1e6, 9 * 2.665, 1e-9);
  EXPECT_NEAR(lidar.firing_time_s[127] * 1e6, 16 * 2.665, 1e-9);
  EXPECT_EQ(lidar.columns, 1876U);
  // ros-drivers/velodyne, VLS128.yaml: lasers 0, 59 and 127, in rad.
  const std::map<std::size_t, std::array<double, 2>> lasers = {
      {0, {-0.1108982, -0.2049366}}, {59, {-0.0158999, 0.2617994}}, {127, {0.1108982, 0.0075049}}};
  for (const auto& [i, angles] : lasers) {
    EXPECT_NEAR(lidar.azimuth_offset_rad[i], angles[0], 2e-5) << i;
    EXPECT_NEAR(lidar.elevation_rad[i], angles[1], 2e-5) << i;
  }
}

TEST(Presets, OusterRingsAreThoseOfUnits) {
  // The first and last of beam_altitude_angles and beam_azimuth_angles.
  struct Unit {
    const char* name;
    std::uint32_t rows;
    double top, bottom, first, last;
  };
  for (const Unit& e :
       {Unit{"OS0-32", 32, 43.88, -45.4, -2.9, -4.48}, Unit{"OS0-64", 64, 45.75, -45.24, 11.24, -3.98},
        Unit{"OS0-128", 128, 45.75, -46.26, 11.24, -11.35}, Unit{"OS1-32", 32, 20.5477, -21.4764, -4.252, -4.2521},
        Unit{"OS1-64", 64, 16.729, -16.679, 3.073, -3.071}, Unit{"OS1-128", 128, 20.95, -21.82, 4.21, -4.2},
        Unit{"OS2-128", 128, 10.76, -11.09, 2.07, -2.04}}) {
    const RayPattern p = make_pattern(find_preset(e.name).model);
    ASSERT_EQ(p.rows, e.rows);
    ASSERT_EQ(p.cols, 1024U);
    EXPECT_NEAR(top_deg(p), e.top, 1e-5);
    EXPECT_NEAR(bottom_deg(p), e.bottom, 1e-5);
    const std::size_t ahead = 512;  // the encoder looks straight ahead in the middle of the image
    EXPECT_NEAR(azimuth_deg(p, ahead), -e.first, 0.02) << e.name << ": positive azimuths of rings point clockwise";
    EXPECT_NEAR(azimuth_deg(p, std::size_t{e.rows - 1} * 1024 + ahead), -e.last, 0.02) << e.name;
    EXPECT_TRUE(p.origin_x.empty()) << e.name << ": edge_loss and ring rows need rays that start on the axis";
    for (std::uint32_t row = 0; row < e.rows; ++row) {
      EXPECT_EQ(p.ring[row * 1024], row) << "ring 0 is the top row";
      EXPECT_EQ(p.time_offset_s[row * 1024 + 7], p.time_offset_s[7]) << "a column fires at once";
    }
    EXPECT_NEAR(p.time_offset_s[1], 0.1 / 1024, 1e-10);
  }
}

/// The laser of a ring number.
std::size_t laser_of(const SpinningLidar& lidar, std::uint16_t ring) {
  return static_cast<std::size_t>(std::find(lidar.ring.begin(), lidar.ring.end(), ring) - lidar.ring.begin());
}

TEST(Presets, HesaiChannelsAreThoseOfTheirCorrectionFiles) {
  // Channel (from 1), elevation, clockwise azimuth, firing time in us; times count from the first laser.
  struct Row {
    const char* name;
    std::uint16_t channel;
    double elevation, azimuth, fired;
  };
  for (const Row& e : {Row{"XT32", 1, 15, 0, 0}, Row{"XT32", 32, -16, 0, 52.872 - 6}, Row{"QT64", 1, -52.121, 8.736, 0},
                       Row{"QT64", 33, 0.725, 5.493, 70.9 - 2.31}, Row{"QT64", 64, 52.133, -7.892, 136.45 - 2.31},
                       Row{"JT128", 1, -4.965, -0.037, 95.18 - 1.2}, Row{"JT128", 88, 56.565, -16.923, 0},
                       Row{"JT128", 128, 88.865, 99.353, 29.74 - 1.2}}) {
    const SpinningLidar& lidar = spinning(e.name);
    const std::size_t i = laser_of(lidar, static_cast<std::uint16_t>(e.channel - 1));
    ASSERT_LT(i, lidar.elevation_rad.size()) << e.name << e.channel;
    EXPECT_NEAR(lidar.elevation_rad[i] / kDeg, e.elevation, 1e-9) << e.name << e.channel;
    EXPECT_NEAR(lidar.azimuth_offset_rad[i] / kDeg, -e.azimuth, 1e-9) << e.name << e.channel;
    EXPECT_NEAR(lidar.firing_time_s[i] * 1e6, e.fired, 1e-9) << e.name << e.channel;
  }
}

TEST(Presets, RoboSenseLasersFireAtTheTimesOfTheDriver) {
  // decoder_RSHELIOS and decoder_RSBP of rs_driver, in us, by channel; the channels count from the top.
  const std::map<std::uint32_t, double> helios = {{1, 1.73}, {31, 53.63}},
                                        bpearl = {{7, 17.92}, {8, 25.68}, {16, 1.28}, {31, 44.88}};
  for (const auto& [name, times] : {std::pair("RS-Helios-1615", helios), std::pair("RS-Bpearl", bpearl)}) {
    const RayPattern p = make_pattern(spinning(name));
    for (const auto& [channel, fired_us] : times) {
      const std::size_t first = std::size_t{channel} * p.cols;
      EXPECT_NEAR(p.time_offset_s[first] * 1e6, fired_us, 1e-4) << name << channel;
      EXPECT_EQ(p.ring[first], 31 - channel) << name << ": the driver counts from the lowest elevation";
    }
  }
  EXPECT_NEAR(top_deg(make_pattern(spinning("RS-Bpearl"))), 89.5, 1e-3);
}

TEST(Presets, DetectWhatTheirDatasheetsState) {
  const std::map<std::string_view, float> reach_10_m = {
      {"HDL-64E", 50}, {"VLS-128", 220}, {"OS0-32", 15},    {"OS0-64", 15},         {"OS0-128", 15}, {"OS1-32", 45},
      {"OS1-64", 40},  {"OS1-128", 45},  {"OS2-128", 80},   {"XT32", 80},           {"QT64", 20},    {"JT128", 30},
      {"Mid-40", 90},  {"LMS-111", 18},  {"RS-Bpearl", 30}, {"RS-Helios-1615", 110}};
  for (const SensorPreset& preset : sensor_presets()) {
    const auto stated = reach_10_m.find(preset.name);
    if (std::holds_alternative<TofCamera>(preset.model)) continue;  // below
    EXPECT_EQ(preset.detection.reach_10_m, stated == reach_10_m.end() ? 0.0F : stated->second) << preset.name;
  }
}

// After the shift every pixel of a column looks within half a column of the column's own direction.
TEST(Presets, DestaggeredColumnsLookInOneDirection) {
  for (const char* name : {"OS0-128", "OS1-64", "OS1-128", "VLP-16", "HDL-64E", "QT64"}) {
    for (const bool clockwise : {true, false}) {
      SpinningLidar lidar = spinning(name);
      lidar.clockwise = clockwise;
      const RayPattern p = make_pattern(lidar);
      const std::vector<std::int32_t> shifts = lidar.destagger_shifts();
      ASSERT_EQ(shifts.size(), p.rows);
      const double step_deg = lidar.span_rad / kDeg / p.cols;
      for (std::uint32_t row = 0; row < p.rows; ++row) {
        const double column_deg = 180 + (clockwise ? -1 : 1) * step_deg * (100 + shifts[row]);
        const double off_deg = std::remainder(azimuth_deg(p, row * p.cols + 100) - column_deg, 360);
        ASSERT_LE(std::abs(off_deg), 0.5001 * step_deg) << name << " row " << row;
      }
    }
  }
}

TEST(Presets, PlanarScannersHaveTheStepsAndTimesOfTheirManuals) {
  RayPattern p = make_pattern(find_preset("UTM-30LX").model);
  ASSERT_EQ(p.cols, 1081U);
  EXPECT_NEAR(azimuth_deg(p, 0), -135.0, 1e-5);
  EXPECT_NEAR(azimuth_deg(p, 540), 0.0, 1e-5) << "step 540 is the front";
  EXPECT_NEAR(azimuth_deg(p, 1) - azimuth_deg(p, 0), 0.25, 1e-5);
  EXPECT_NEAR(p.time_offset_s[1], 0.025 / 1440, 1e-11) << "1440 steps in 25 ms";

  p = make_pattern(find_preset("LMS-111").model);
  ASSERT_EQ(p.cols, 541U);
  EXPECT_NEAR(azimuth_deg(p, 1) - azimuth_deg(p, 0), 0.5, 1e-5);
  EXPECT_NEAR(p.time_offset_s[540], 0.02 * 0.75, 1e-9);

  p = make_pattern(find_preset("RPLIDAR-A2").model);
  ASSERT_EQ(p.cols, 800U);
  EXPECT_NEAR(azimuth_deg(p, 401) - azimuth_deg(p, 400), 0.45, 1e-5);
  EXPECT_NEAR(p.time_offset_s[798], 1.0 / 8000, 1e-10) << "8000 samples per second, clockwise";
}

TEST(Presets, Mid40HasAConeOf38Point4Degrees) {
  const RayPattern p = make_pattern(find_preset("Mid-40").model);
  EXPECT_EQ(p.cols, 10000U);
  EXPECT_NEAR(p.time_offset_s[9999], 0.09999, 1e-8);
  const float nearest_to_rim = *std::min_element(p.direction_x.begin(), p.direction_x.end());
  EXPECT_GE(nearest_to_rim, std::cos(19.2 * kDeg) - 1e-7);
  EXPECT_LT(nearest_to_rim, std::cos(19.1 * kDeg));
}

TEST(Presets, DepthCamerasHaveTheViewAndTheSmallestDepthOfTheirDatasheets) {
  struct Expected {
    const char* name;
    double view_deg, height_deg, baseline_m, smallest_m, accurate_m;
  };
  // The height of the D405 follows from square pixels: the datasheet's 58 degrees do not fit its 84 at 16 : 9.
  for (const Expected& e : {Expected{"D435", 87, 58, 0.050, 0.28, 2},
                            {"D455", 87, 58, 0.095, 0.52, 4},
                            {"D405", 84, 54, 0.018, 0.10, 0.5}}) {
    const auto& camera = std::get<StereoCamera>(find_preset(e.name).model);
    const Intrinsics k = intrinsics(camera);
    EXPECT_NEAR(2 * std::atan(640 / k.fx) / kDeg, e.view_deg, 1e-9);
    EXPECT_NEAR(2 * std::atan(360 / k.fy) / kDeg, e.height_deg, 3) << "58 +- 3 degrees";
    EXPECT_EQ(camera.baseline_m, e.baseline_m);
    EXPECT_EQ(camera.min_range_m, e.smallest_m);
    // The datasheet's smallest depth is that of the longest search, 126 px.
    EXPECT_NEAR(k.fx * camera.baseline_m / 126, e.smallest_m, 0.05 * e.smallest_m);
    // "Depth accuracy: < 2 %" at 2, 4 and 0.5 m, which includes the deviation.
    EXPECT_LT(e.accurate_m * 0.08 / (k.fx * camera.baseline_m), 0.02);
  }
}

/// Datasets and messages of cameras name these intrinsics.
TEST(Presets, CamerasHaveTheRaysOfTheirIntrinsics) {
  std::size_t cameras = 0;
  for (const SensorPreset& preset : sensor_presets()) {
    const std::optional<Intrinsics> lens = lens_of(preset.model);
    if (!lens) continue;
    ++cameras;
    const RayPattern p = make_pattern(preset.model);
    for (std::size_t i = 0; i < p.direction_x.size(); i += 997) {
      const auto row = static_cast<double>(i / p.cols), col = static_cast<double>(i % p.cols);
      ASSERT_NEAR(p.direction_y[i] / p.direction_x[i], (lens->cx - col) / lens->fx, 1e-6) << preset.name << " " << i;
      ASSERT_NEAR(p.direction_z[i] / p.direction_x[i], (lens->cy - row) / lens->fy, 1e-6) << preset.name << " " << i;
    }
  }
  EXPECT_GE(cameras, 9U);
}

TEST(Presets, KinectHasTheDepthResolutionThatWasMeasured) {
  const SensorPreset& preset = find_preset("Kinect-v1");
  const auto& camera = std::get<StereoCamera>(preset.model);
  const double fb = intrinsics(camera).fx * camera.baseline_m;
  EXPECT_NEAR(2 * std::atan(320 / intrinsics(camera).fx) / kDeg, 57, 1);
  // Khoshelham and Elberink 2012: levels 2.85e-5 z^2 apart and a deviation of half of that, in centimetres.
  EXPECT_NEAR(100 * 25 / (8 * fb), 2.85e-5 * 500 * 500, 0.15);
  EXPECT_NEAR(100 * 25 * 0.0625 / fb, 2.85e-5 / 2 * 500 * 500, 0.075);
}

/// "slug.field" -> value, words by name; of a model that is there twice, the later one's.
std::map<std::string, std::string> values_of(const NoiseChain& chain) {
  std::map<std::string, std::string> values;
  for (const ChainEntry& entry : chain) {
    const Noise& noise = entry.noise;
    const std::vector<FieldValue> given = noise.values();
    for (std::size_t k = 0; k < given.size(); ++k) {
      const FieldInfo& field = noise.info().fields[k];
      const double number = given[k].number();
      values[std::string(noise.slug()) + "." + given[k].name] = field_text(field, {&number, 1});
    }
  }
  return values;
}

TEST(Presets, DepthCamerasHaveTheNoiseOfTheirDocumentation) {
  using Values = std::map<std::string, std::string>;
  const auto d400 = [](const char* texture, const char* projector, const char* midpoint, const char* width) {
    return Values{{"angular_ray.axis", "y"},  // the later one of two
                  {"angular_ray.mean_rad", "0"},
                  {"angular_ray.stddev_rad", "0.0015"},
                  {"stereo_shadow.tolerance", "0"},
                  {"invalid_band.left_band", "true"},
                  {"invalid_band.max_disparity_px", "126"},
                  {"invalid_band.margin_px", "5"},
                  {"texture_loss.texture", texture},
                  {"texture_loss.projector", projector},
                  {"texture_loss.reach_m", "10"},
                  {"texture_loss.ambient_klx", "0"},
                  {"texture_loss.half_ambient_klx", "10"},
                  {"texture_loss.midpoint", midpoint},
                  {"texture_loss.width", width},
                  {"stereo_energy.min_energy", "0"},
                  {"stereo_energy.pow", "10"},
                  {"stereo_energy.normalization", "threshold"},
                  {"stereo_energy.energy", "cosine"},
                  {"stereo_energy.reflectivity_exponent", "0"},
                  {"stereo_energy.range_exponent", "0"},
                  {"stereo_energy.ambient_klx", "0"},
                  {"stereo_energy.half_ambient_klx", "10"},
                  {"matching_window.radius_px", "4"},
                  {"matching_window.share", "0.12"},
                  {"matching_window.sure_share", "0.87"},
                  {"matching_window.flying", "false"},
                  {"matching_window.min_area_px", "0"},
                  {"matching_window.max_step_px", "1"},
                  {"matching_window.valid_share", "0.78"},
                  {"disparity.bias_px", "0"},
                  {"disparity.stddev_px", "0.015"},  // the later one of two
                  {"disparity.steps_per_px", "32"},
                  {"dropout.probability", "0.0006"}};
  };
  EXPECT_EQ(values_of(find_preset("D435").noise), d400("0.015", "1", "0.0158", "0.00485"));
  EXPECT_EQ(values_of(find_preset("D435i").noise), values_of(find_preset("D435").noise));
  EXPECT_EQ(values_of(find_preset("D455").noise), d400("0.015", "1", "0.0152", "0.0042"));
  EXPECT_EQ(values_of(find_preset("D405").noise), d400("0.1", "0", "0.019", "0.006"));
  for (const char* name : {"D435", "D435i", "D455", "D405"}) {
    const NoiseChain& chain = find_preset(name).noise;
    const auto moves = [](float across_px, float down_px) {
      return Correlation{.across_px = across_px, .down_px = down_px, .motion_m = 0.04, .motion_rad = 0.02};
    };
    EXPECT_EQ(chain[0].correlation, moves(4, 4)) << name;
    EXPECT_EQ(chain[7].correlation, moves(5.5F, 4.4F)) << name;
    EXPECT_EQ(values_of({chain[7]})["disparity.stddev_px"], "0.24") << name;
    EXPECT_TRUE(chain[8].correlation.is_white()) << name << ": the disparity that each frame draws again";
  }
  const SensorPreset& filtered = find_preset("D435_filtered");
  EXPECT_EQ(values_of(filtered.noise), values_of(find_preset("D435").noise));
  EXPECT_TRUE(filtered.filters.spatial && !filtered.filters.temporal && !filtered.filters.hole_filling);
  ASSERT_TRUE(filtered.aligned_to);
  EXPECT_NEAR(2 * std::atan(640 / filtered.aligned_to->fx) / kDeg, 69.4, 0.1) << "of the colour camera";
  const NoiseChain& kinect = find_preset("Kinect-v1").noise;
  EXPECT_EQ(values_of(kinect)["disparity.stddev_px"], "0.0625");
  EXPECT_EQ(values_of(kinect)["disparity.steps_per_px"], "8");
  EXPECT_EQ(kinect[3].correlation, (Correlation{.across_px = 1.1F, .down_px = 1.1F}));
  EXPECT_EQ(values_of(kinect)["matching_window.radius_px"], "4");
  EXPECT_EQ(values_of(kinect)["dropout.probability"], "0.25");
  const Values real = {{"stereo_energy.min_energy", "0.18"},
                       {"stereo_energy.pow", "14"},
                       {"stereo_energy.normalization", "threshold"},
                       {"stereo_energy.energy", "cosine"},
                       {"stereo_energy.reflectivity_exponent", "0"},
                       {"stereo_energy.range_exponent", "0"},
                       {"stereo_energy.ambient_klx", "0"},
                       {"stereo_energy.half_ambient_klx", "10"},
                       {"dropout.probability", "0.003"}};
  EXPECT_EQ(values_of(find_preset("real_structured_light").noise), real);
  // The page has the same figures.
  const std::string page = read_page();
  for (const char* figure :
       {"stereo_energy, matching_window 9 x 9 px with outlines, disparity 0.24 px, correlated over 5.5 px across and "
        "4.4 "
        "down, and 0.015 px white in steps of 1/32 px, dropout 0.06 %",
        "| `D435i` | 720 x 1280 | 0.28 to 10 | as D435 |",
        "0.28 to 10 | as D435, then the maker's [spatial filter and alignment]", "0.52 to 10 | as D435",
        "0.1 to 10 | as D435, no projector",
        "matching_window 9 x 9 px with outlines, disparity 0.0625 px in steps of 1/8 px, correlated over 1.1 px, "
        "dropout 25 % in patches",
        "0.4 to 8 | stereo_energy (threshold), dropout 0.3 %"}) {
    EXPECT_TRUE(contains(page, figure)) << figure;
  }
}

TEST(Presets, DepthCamerasHaveTheLimitsOfTheirDatasheets) {
  const auto expect = [](const char* name, std::uint32_t width, std::uint32_t height, double min_m, double max_m) {
    const RayPattern p = make_pattern(find_preset(name).model);
    EXPECT_EQ(p.cols, width) << name;
    EXPECT_EQ(p.rows, height) << name;
    EXPECT_EQ(p.min_range_m, std::vector<float>{float(min_m)}) << name;
    EXPECT_EQ(p.max_range_m, std::vector<float>{float(max_m)}) << name;
  };
  expect("D435", 1280, 720, 0.28, 10);
  expect("D455", 1280, 720, 0.52, 10);
  expect("D405", 1280, 720, 0.1, 10);
  expect("Kinect-v1", 640, 480, 0.8, 4);
  expect("real_structured_light", 640, 480, 0.4, 8);
  const auto& kinect = std::get<StereoCamera>(find_preset("Kinect-v1").model);
  EXPECT_EQ(kinect.baseline_m, 0.075);
  EXPECT_EQ(intrinsics(kinect).fx, 580);
  for (const char* name : {"D435", "D455", "D405", "Kinect-v1"}) {
    EXPECT_EQ(std::get<StereoCamera>(find_preset(name).model).reference, CameraReference::kLeft) << name;
  }
}

TEST(Presets, TimeOfFlightCamerasHaveTheFiguresOfTheirDatasheets) {
  struct Row {
    const char* name;
    std::uint32_t width, height;
    double degrees, min_m, max_m, dark_reflectivity, dark_m;
    double reflectivity, stddev_m, at_m;  // of the error
  };
  const Row rows[] = {{"Azure-Kinect-NFOV", 640, 576, 75, 0.5, 3.86, 0.15, 3.86, 0.15, 0.017, 3.86},
                      {"Azure-Kinect-NFOV-binned", 320, 288, 75, 0.5, 5.46, 0.15, 5.46, 0.15, 0.017, 5.46},
                      {"Azure-Kinect-WFOV", 1024, 1024, 120, 0.25, 2.21, 0.15, 2.21, 0.15, 0.017, 2.21},
                      {"Azure-Kinect-WFOV-binned", 512, 512, 120, 0.25, 2.88, 0.15, 2.88, 0.15, 0.017, 2.88},
                      {"L515", 640, 480, 70, 0.25, 9, 0.15, 3.9, 0.95, 0.0025, 1},
                      {"L515", 640, 480, 70, 0.25, 9, 0.15, 3.9, 0.95, 0.0155, 9},
                      {"Flexx2", 224, 172, 56, 0.1, 4, 0.8, 4, 0.8, 0.02, 2}};
  for (const Row& row : rows) {
    const SensorPreset& preset = find_preset(row.name);
    const auto& camera = std::get<TofCamera>(preset.model);
    EXPECT_EQ(camera.width, row.width) << row.name;
    EXPECT_EQ(camera.height, row.height) << row.name;
    EXPECT_NEAR(camera.horizontal_fov_rad, row.degrees * kDeg, 1e-12) << row.name;
    EXPECT_EQ(camera.min_range_m, row.min_m) << row.name;
    EXPECT_EQ(camera.max_range_m, row.max_m) << row.name;
    const double weakest = row.dark_reflectivity / (row.dark_m * row.dark_m);
    EXPECT_NEAR(double{preset.detection.least_power()}, weakest, 1e-5 * weakest) << row.name;
    Surface surface;
    surface.power = static_cast<float>(row.reflectivity / (row.at_m * row.at_m));
    const auto at = static_cast<float>(row.at_m);
    const auto number = [&](const char* field) { return static_cast<float>(preset.noise[0].noise.number(field)); };
    const Return moved = AmplitudeNoise::apply({number("stddev_m"), number("shot_m"), number("background_m")},
                                               {at, 0, 0, at, at}, surface, {.normal = {1.0F}, .uniform = {}});
    EXPECT_NEAR(double{moved.range_m} - row.at_m, row.stddev_m, 0.01 * row.stddev_m) << row.name;
  }
}

TEST(Presets, ANewRateThatTheFiringsDoNotFitIsRefused) {
  SensorModel model = find_preset("VLP-16").model;
  set_sensor_field(model, "rate_hz", std::array{20.0});
  EXPECT_TRUE(contains(input_error([&] { make_pattern(model); }), "fewer columns"));
  set_sensor_field(model, "columns", std::array{904.0});
  EXPECT_NO_THROW(make_pattern(model));
}

TEST(Presets, StandInTheDocumentation) {
  const std::string page = read_page();
  ASSERT_FALSE(page.empty()) << "docs/sensors.md is missing";
  for (const SensorPreset& preset : sensor_presets()) {
    const RayPattern p = make_pattern(preset.model);
    std::ostringstream row;
    row << "| `" << preset.name << "` | " << p.rows << " x " << p.cols << " |";
    EXPECT_TRUE(contains(page, row.str())) << "docs/sensors.md lacks " << row.str();
  }
  for (const SensorKindInfo& kind : sensor_kinds()) {
    EXPECT_TRUE(contains(page, quoted(kind.slug))) << kind.slug;
    for (const FieldInfo& field : kind.fields) {
      EXPECT_TRUE(contains(page, quoted(field.name))) << field.name;
    }
  }
}

}  // namespace
}  // namespace fathom::test
