// SPDX-License-Identifier: MIT
#include "dataset/sensor_description.hpp"

#include <fathom/sensor/depth_camera.hpp>
#include <fathom/sensor/model.hpp>

#include "sensor/sensor_view.hpp"
#include "simulate/chain_json.hpp"
#include "simulate/outputs/array_plan.hpp"
#include "simulate/returns_json.hpp"
#include "simulate/timing_json.hpp"

namespace fathom {

namespace {

using DescriptionJson = nlohmann::ordered_json;

DescriptionJson channels_json(const SensorSetup& setup) {
  DescriptionJson channels = DescriptionJson::array();
  for (const ArrayPlan& plan : planned_arrays(setup)) {
    const ChannelInfo& info = channel_info(plan.channel);
    channels.push_back({{"name", info.name()}, {"type", to_string(info.type)}, {"unit", info.unit}});
  }
  return channels;
}

}  // namespace

nlohmann::ordered_json sensor_description(const SensorSetup& setup, const Scene& scene) {
  const Sensor& sensor = setup.sensor;
  const PatternShape shape = pattern_shape(sensor.model);
  DescriptionJson json = {
      {"name", sensor.name},
      {"rows", shape.rows},
      {"cols", shape.cols},
      {"noise", chain_json(sensor, scene)},
      {"range_policy", to_string(sensor.range_policy.value_or(make_view(sensor.model).usual_policy))},
      {"channels", channels_json(setup)}};
  if (sensor.timing != Timing()) json["timing"] = timing_json(sensor.timing);
  add_returns(sensor, json);
  if (const auto lens = lens_of(sensor.model)) {
    json["intrinsics"] = {{"fx", lens->fx}, {"fy", lens->fy}, {"cx", lens->cx}, {"cy", lens->cy}};
  }
  return json;
}

}  // namespace fathom
