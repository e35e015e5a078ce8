// SPDX-License-Identifier: MIT
// <plugin plugin="fathom.depth"> for MuJoCo 3: depth cameras with fathom's noise and losses as sensors of a model. It
// is compiled against the MuJoCo that loads it, because each version has its own mjpPlugin (README.md).
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <mujoco/mujoco.h>

#include <fathom/core/error.hpp>
#include <fathom/mujoco.hpp>
#include <fathom/simulate/simulator.hpp>

#include "depth_config.hpp"

namespace fathom::mjplugin {

namespace {

/// A fathom.depth sensor of an mjData: a mirror of the model, a simulator, and the values of the last frame.
class DepthSensor {
 public:
  /// Throws InputError unless exactly one sensor, at a camera or a site, uses the instance, and its camera can be made.
  DepthSensor(const mjModel& model, int instance, DepthConfig config)
      : config_(std::move(config)), mirror_(&model, {.groups = config_.groups}) {
    for (int id = 0; id < static_cast<int>(model.nsensor); ++id) {
      if (model.sensor_type[id] != mjSENS_PLUGIN || model.sensor_plugin[id] != instance) continue;
      if (id_ >= 0) throw InputError("two sensors share an instance: give each its own");
      id_ = id;
    }
    if (id_ < 0) throw InputError("no sensor uses the instance");
    sensor_ = make_sensor(model);
    static_cast<void>(Simulator(Scene(), {.compute = {.threads = 1}}).add_sensor(alone(sensor_)));  // checks it
    for (const Output output : config_.outputs) channels_.insert(channel_of(output));
    frame_ = Frame(channels_);
  }

  /// Restarts at the first frame, with its noise.
  void reset() { index_ = 0, rendered_s_.reset(); }

  /// Fills the values of the sensor in `data`: arrays [height, width] in order. They change only when the next frame is
  /// due.
  void compute(const mjModel& model, mjData& data) {
    if (is_due(data.time)) render(data);
    std::copy(values_.begin(), values_.end(), data.sensordata + model.sensor_adr[id_]);
  }

 private:
  static Channel channel_of(Output output) {
    switch (output) {
      case Output::kDepth:
        return Channel::kDepth;
      case Output::kRange:
        return Channel::kRange;
      case Output::kCleanDepth:
        return Channel::kCleanDepth;
      case Output::kCleanRange:
        return Channel::kCleanRange;
      case Output::kReason:
        return Channel::kReason;
      case Output::kGeomId:
        break;
    }
    return Channel::kEntityId;
  }

  /// The sensor for a scene without entities.
  static Sensor alone(Sensor sensor) {
    sensor.parent = kNoEntity, sensor.ignore_groups.clear();
    return sensor;
  }

  [[nodiscard]] Sensor make_sensor(const mjModel& model) const {
    const int object = model.sensor_objid[id_];
    const bool at_camera = model.sensor_objtype[id_] == mjOBJ_CAMERA;
    if (!at_camera && model.sensor_objtype[id_] != mjOBJ_SITE) throw InputError("the sensor is at no camera or site");
    const char* name = model.names + (at_camera ? model.name_camadr : model.name_siteadr)[object];
    StereoCamera camera;
    if (config_.focal_per_aperture) {
      camera.width = config_.width, camera.height = config_.height;
      camera.fx = config_.width * *config_.focal_per_aperture;
    } else if (at_camera) {
      camera = mirror_.camera(name, {.width = config_.width, .height = config_.height});
    } else {
      throw InputError("at a site, focal_length and horizontal_aperture are needed");
    }
    camera.min_range_m = config_.min_range_m, camera.max_range_m = config_.max_range_m;
    camera.baseline_m = config_.baseline_m;
    SensorModel kind = camera;
    if (config_.baseline_m == 0.0) kind = static_cast<const DepthCamera&>(camera);
    Sensor sensor = at_camera ? mirror_.on_camera(name, std::move(kind), config_.see_own_body)
                              : mirror_.on_site(name, std::move(kind), config_.see_own_body);
    sensor.noise = config_.noise;
    return sensor;
  }

  [[nodiscard]] bool is_due(double now_s) const {
    constexpr double kRounding = 1e-9;  // times are sums of steps
    return !rendered_s_ || now_s < *rendered_s_ || now_s >= *rendered_s_ + config_.period_s - kRounding;
  }

  void render(const mjData& data) {
    if (simulator_ == nullptr) {  // poses are known only now
      simulator_ = std::make_unique<Simulator>(
          mirror_.scene(&data), SimulatorOptions{.seed = config_.seed, .compute = {.threads = config_.threads}});
      handle_ = simulator_->add_sensor(sensor_);
    } else {
      mirror_.update(&data, simulator_->scene());
    }
    simulator_->render(handle_, index_++, frame_);
    rendered_s_ = data.time;
    values_.clear();
    for (const Output output : config_.outputs) append(output);
  }

  void append(Output output) {
    if (output == Output::kReason) {
      for (const Reason reason : frame_.reason()) values_.push_back(static_cast<mjtNum>(reason));
    } else if (output == Output::kGeomId) {
      for (const std::uint32_t entity : frame_.entity_id()) values_.push_back(mirror_.geom_id(entity));
    } else {
      for (const float value : frame_.floats(channel_of(output))) {
        values_.push_back(std::isfinite(value) ? static_cast<mjtNum>(value) : static_cast<mjtNum>(config_.lost));
      }
    }
  }

  DepthConfig config_;
  MujocoMirror mirror_;
  int id_ = -1;  // the sensor in the model
  Sensor sensor_;
  std::unique_ptr<Simulator> simulator_;
  SensorId handle_ = {};
  ChannelSet channels_;
  Frame frame_;
  std::uint32_t index_ = 0;
  std::optional<double> rendered_s_;
  std::vector<mjtNum> values_;
};

DepthConfig config_of(const mjModel* model, int instance) {
  return read_config([&](const char* key) {
    const char* text = mj_getPluginConfig(model, instance, key);
    return std::string(text == nullptr ? "" : text);
  });
}

/// Runs f and returns its result. MuJoCo is C: an exception becomes an error of MuJoCo, whose handler ends the program
/// or the loading of the model. If the handler returns, the result is -1.
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

/// A diverging simulation has poses that are not numbers. Then there is a warning, and the values do not change.
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
