// SPDX-License-Identifier: MIT
// The plugin fathom.depth, through the mjpPlugin that it registers, as MuJoCo calls it. MuJoCo's side are the functions
// below and the arrays of MuJoCo 3.3.8; no MuJoCo runs here.

#include <cstdarg>

#include <fathom/mujoco.hpp>
#include <fathom/noise/distance.hpp>
#include <fathom/noise/dropout.hpp>
#include <fathom/noise/stereo_energy.hpp>
#include <fathom/noise/stereo_shadow.hpp>
#include <fathom/simulate/simulator.hpp>

#include "mujoco/tests/mujoco3/arrays_of_file.hpp"

namespace {

mjpPlugin g_registered;  // before main(), by the plugin's constructor

std::map<std::string, std::string>& config() {
  static std::map<std::string, std::string> entries;
  return entries;
}

int g_warnings = 0;

}  // namespace

extern "C" {
void mjp_defaultPlugin(mjpPlugin* plugin) { *plugin = {}; }
int mjp_registerPlugin(const mjpPlugin* plugin) {
  g_registered = *plugin;
  return 0;
}
const char* mj_getPluginConfig(const mjModel*, int, const char* attribute) {
  const auto found = config().find(attribute);
  return found == config().end() ? "" : found->second.c_str();
}
void mju_error(const char* format, ...) {
  char text[500];
  va_list values;
  va_start(values, format);
  std::vsnprintf(text, sizeof text, format, values);
  va_end(values);
  throw std::runtime_error(text);
}
void mju_warning(const char*, ...) { ++g_warnings; }
}

namespace fathom::test {
namespace {

constexpr int kInstance = 1;  // of two

/// The first model of the file with a sensor of the plugin, from its birth to its end.
class PluginWorld {
 public:
  explicit PluginWorld(std::map<std::string, std::string> entries, int object_type = mjOBJ_CAMERA, int object = 1)
      : arrays_(answers().at("cases").at(0).at("model")), object_type_{0, object_type}, object_{0, object} {
    config() = std::move(entries);
    mjModel& m = arrays_.model;
    m.nsensor = 2;
    m.sensor_type = type_.data(), m.sensor_plugin = plugin_.data(), m.sensor_objtype = object_type_.data();
    m.sensor_objid = object_.data(), m.sensor_adr = address_.data();
    values_.assign(3 + static_cast<std::size_t>(g_registered.nsensordata(&m, kInstance, 1)), 7.0);
    arrays_.data.sensordata = values_.data(), arrays_.data.plugin_data = instances_.data();
    if (g_registered.init(&m, &arrays_.data, kInstance) != 0) throw std::runtime_error("init failed");
    reset();
  }
  PluginWorld(const PluginWorld&) = delete;
  PluginWorld& operator=(const PluginWorld&) = delete;
  ~PluginWorld() { g_registered.destroy(&arrays_.data, kInstance); }

  void reset() {
    g_registered.reset(&arrays_.model, nullptr, reinterpret_cast<void*>(instances_[kInstance]), kInstance);
  }
  /// The values of the sensor after a step.
  std::vector<double> compute(double time_s) {
    arrays_.data.time = time_s;
    g_registered.compute(&arrays_.model, &arrays_.data, kInstance, mjPLUGIN_SENSOR);
    EXPECT_EQ(values_[0] + values_[1] + values_[2], 21.0) << "values of another sensor";
    return {values_.begin() + 3, values_.end()};
  }
  mjModel& model() { return arrays_.model; }
  mjData& data() { return arrays_.data; }

 private:
  ArraysOfFile arrays_;
  std::vector<int> type_ = {0, mjSENS_PLUGIN}, plugin_ = {-1, kInstance}, object_type_, object_, address_ = {0, 3};
  std::vector<double> values_;
  std::vector<std::uintptr_t> instances_ = {0, 0};
};

/// The same sensor without the plugin.
std::vector<double> by_the_mirror(PluginWorld& world, const Sensor& sensor, std::uint32_t index) {
  const MujocoMirror mirror(&world.model());
  Simulator simulator(mirror.scene(&world.data()), {.seed = 5, .compute = {.threads = 1}});
  Frame frame({Channel::kDepth, Channel::kReason, Channel::kEntityId});
  simulator.render(simulator.add_sensor(sensor), index, frame);
  std::vector<double> values;
  for (const float depth : frame.depth_m()) values.push_back(std::isfinite(depth) ? double{depth} : -2.0);
  for (const Reason reason : frame.reason()) values.push_back(static_cast<double>(reason));
  for (const std::uint32_t entity : frame.entity_id()) values.push_back(mirror.geom_id(entity));
  return values;
}

const std::map<std::string, std::string> kStereo = {
    {"size", "40 30"},
    {"baseline", "0.1"},
    {"max_range_m", "50"},
    {"channels", "depth reason geom_id"},
    {"lost", "-2"},
    {"seed", "5"},
    {"noise", "stereo_shadow; stereo_energy min_energy=0.3 pow=2;distance stddev_m=0.01"}};

TEST(MujocoPlugin, RegistersASensor) {
  EXPECT_STREQ(g_registered.name, "fathom.depth");
  EXPECT_EQ(g_registered.capabilityflags, mjPLUGIN_SENSOR);
  EXPECT_EQ(g_registered.needstage, mjSTAGE_POS);
  EXPECT_EQ(g_registered.nstate(nullptr, 0), 0);
  const std::vector<std::string> keys(g_registered.attributes, g_registered.attributes + g_registered.nattribute);
  for (const auto& [key, value] : kStereo) EXPECT_NE(std::find(keys.begin(), keys.end(), key), keys.end()) << key;
}

TEST(MujocoPlugin, ItsValuesAreThoseOfTheMirror) {
  PluginWorld world(kStereo);
  const MujocoMirror mirror(&world.model());
  StereoCamera camera = mirror.camera("fovy", {.width = 40, .height = 30});
  camera.baseline_m = 0.1, camera.max_range_m = 50;
  Sensor sensor = mirror.on_camera("fovy", camera);
  sensor.noise = {StereoShadow{}, StereoEnergy{.min_energy = 0.3F, .pow = 2}, DistanceNoise{.stddev_m = 0.01F}};
  const std::vector<double> first = world.compute(0.0);
  ASSERT_EQ(first.size(), 3U * 40 * 30);
  EXPECT_EQ(first, by_the_mirror(world, sensor, 0));
  EXPECT_GT(std::count_if(first.begin(), first.begin() + 1200, [](double d) { return d > 0; }), 100);
  for (int i = 0; i < world.model().ngeom; ++i) world.data().geom_xpos[3 * i + 1] += 0.1 * i;
  const std::vector<double> moved = world.compute(0.002);
  EXPECT_EQ(moved, by_the_mirror(world, sensor, 1));
  EXPECT_NE(moved, first);
}

TEST(MujocoPlugin, ResetBringsBackTheFirstFrame) {
  PluginWorld world({{"size", "16 12"}, {"max_range_m", "50"}, {"noise", "dropout probability=0.5"}});
  const auto first = world.compute(0.0), second = world.compute(0.002);
  EXPECT_NE(first, second);
  world.reset();
  EXPECT_EQ(world.compute(0.0), first);
  EXPECT_EQ(world.compute(0.002), second);
}

TEST(MujocoPlugin, AFrameStaysUntilTheNextIsDue) {
  PluginWorld world(
      {{"size", "16 12"}, {"max_range_m", "50"}, {"noise", "dropout probability=0.5"}, {"rate_hz", "100"}});
  const auto first = world.compute(0.0);
  EXPECT_EQ(world.compute(0.004), first);
  EXPECT_EQ(world.compute(0.008), first);
  const auto second = world.compute(0.010);
  EXPECT_NE(second, first);
  EXPECT_EQ(world.compute(0.012), second);
}

TEST(MujocoPlugin, ASimulationThatDivergesIsAWarning) {
  PluginWorld world({{"size", "16 12"}, {"max_range_m", "50"}});
  const auto before = world.compute(0.0);
  g_warnings = 0;
  double& place = world.data().geom_xpos[3];
  const double was = std::exchange(place, std::nan(""));
  EXPECT_EQ(world.compute(0.002), before);
  EXPECT_EQ(g_warnings, 1);
  place = was;
  EXPECT_EQ(world.compute(0.004), before);
  EXPECT_EQ(g_warnings, 1);
}

TEST(MujocoPlugin, AtASiteItNeedsIntrinsics) {
  PluginWorld world({{"size", "16 12"},
                     {"focal_length", "24"},
                     {"horizontal_aperture", "20.955"},
                     {"channels", "geom_id"},
                     {"max_range_m", "50"}},
                    mjOBJ_SITE, 0);
  EXPECT_EQ(world.compute(0.0).size(), 16U * 12);
}

std::string refusal(std::map<std::string, std::string> entries, int type = mjOBJ_CAMERA) {
  entries.try_emplace("size", "16 12");
  try {
    const PluginWorld world(std::move(entries), type, type == mjOBJ_CAMERA ? 1 : 0);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(MujocoPlugin, RefusesWhatItCannotRead) {
  EXPECT_EQ(refusal({{"size", "16"}}), "fathom.depth: size = '16' is not 2 numbers");
  EXPECT_EQ(refusal({{"size", "16 1.5"}}), "fathom.depth: size = '16 1.5' is not whole");
  EXPECT_EQ(refusal({{"size", "16 0"}}), "fathom.depth: size = '0' is not in [1, 16384]");
  EXPECT_EQ(refusal({{"rate_hz", "fast"}}), "fathom.depth: rate_hz = 'fast' is not a number");
  EXPECT_EQ(refusal({{"geomgroup", "1 1"}}), "fathom.depth: geomgroup = '1 1' is not 6 numbers");
  EXPECT_EQ(refusal({{"see_own_body", "1"}}), "fathom.depth: see_own_body = '1' is neither true nor false");
  EXPECT_TRUE(contains(refusal({{"channels", "dept"}}), "channels = 'dept' is not one of depth"));
  EXPECT_EQ(refusal({{"focal_length", "24"}}), "fathom.depth: focal_length and horizontal_aperture go together");
  EXPECT_TRUE(contains(refusal({{"noise", "distence"}}), "distance"));
  EXPECT_TRUE(contains(refusal({{"noise", "distance stddev=1"}}), "stddev_m"));
  EXPECT_EQ(refusal({{"noise", "distance stddev_m"}}), "fathom.depth: noise = 'stddev_m' is not parameter=value");
  EXPECT_NE(refusal({{"noise", "stereo_shadow"}}), "") << "a camera with one eye has no shadows";
  EXPECT_TRUE(contains(refusal({}, mjOBJ_SITE), "at a site"));
}

}  // namespace
}  // namespace fathom::test
