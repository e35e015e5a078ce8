// SPDX-License-Identifier: MIT
// <plugin plugin="fathom.depth"> for MuJoCo 3: depth cameras with fathom's noise and losses as sensors of a model. It
// is compiled against the MuJoCo that loads it, as each version has its own mjpPlugin (docs/mujoco.md).

#include <exception>
#include <memory>
#include <string>

#include <mujoco/mujoco.h>

#include "depth_config.hpp"
#include "depth_sensor.hpp"

namespace fathom::mjplugin {

namespace {

DepthConfig config_of(const mjModel* model, int instance) {
  return read_config([&](const char* key) {
    const char* text = mj_getPluginConfig(model, instance, key);
    return std::string(text == nullptr ? "" : text);
  });
}

/// Runs f and returns its result. MuJoCo is C: what f throws becomes an error of MuJoCo, whose handler ends the program
/// or the loading of the model; if it returns, so does this, with -1.
template <class F>
int guarded(F f) {
  std::string message;
  try {
    return f();
  } catch (const std::exception& error) {
    message = error.what();
  }
  mju_error("fathom.depth: %s", message.c_str());
  return -1;
}

DepthSensor* sensor_of(const mjData* data, int instance) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): MuJoCo keeps what init() made as a number
  return reinterpret_cast<DepthSensor*>(data->plugin_data[instance]);
}

int count_state(const mjModel*, int) { return 0; }

int count_values(const mjModel* model, int instance, int) {
  return guarded([&] { return static_cast<int>(config_of(model, instance).values()); });
}

int init(const mjModel* model, mjData* data, int instance) {
  return guarded([&] {
    auto made = std::make_unique<DepthSensor>(*model, instance, config_of(model, instance));
    data->plugin_data[instance] = reinterpret_cast<std::uintptr_t>(made.release());
    return 0;
  });
}

void destroy(mjData* data, int instance) {
  const std::unique_ptr<DepthSensor> last(sensor_of(data, instance));
  data->plugin_data[instance] = 0;
}

void reset(const mjModel*, mjtNum*, void* sensor, int) {
  if (sensor != nullptr) static_cast<DepthSensor*>(sensor)->reset();
}

/// A simulation that diverges has poses that are no numbers: a warning, and the values stay as they are.
void compute(const mjModel* model, mjData* data, int instance, int) {
  std::string message;
  try {
    return sensor_of(data, instance)->compute(*model, *data);
  } catch (const std::exception& error) {
    message = error.what();
  }
  mju_warning("fathom.depth: %s", message.c_str());
}

[[gnu::constructor]] void register_plugin() {
  mjpPlugin plugin;
  mjp_defaultPlugin(&plugin);
  plugin.name = "fathom.depth";
  plugin.nattribute = static_cast<int>(kKeys.size());
  plugin.attributes = kKeys.data();
  plugin.capabilityflags = mjPLUGIN_SENSOR;
  plugin.needstage = mjSTAGE_POS;
  plugin.nstate = count_state;
  plugin.nsensordata = count_values;
  plugin.init = init;
  plugin.destroy = destroy;
  plugin.reset = reset;
  plugin.compute = compute;
  mjp_registerPlugin(&plugin);
}

}  // namespace

}  // namespace fathom::mjplugin
