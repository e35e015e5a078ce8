// SPDX-License-Identifier: MIT
#include "run/summary.hpp"

#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <fathom/files/pictures.hpp>

#include "render/prepared_sensor.hpp"
#include "sensor/sensor_view.hpp"

namespace fathom {

namespace {

using Json = nlohmann::ordered_json;

/// The parameters of a struct with a table of them, by their names.
template <FieldModel M>
Json fields_json(const M& model) {
  Json json = Json::object();
  for (const FieldInfo& field : describe<M>()) {
    json[std::string(field.name)] = Json::parse(field_json(field, get_field(model, field.name)));
  }
  return json;
}

Json parameters_json(const Noise& noise) {
  Json parameters = Json::object();
  const std::vector<FieldValue> values = noise.values();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double number = values[i].number();
    parameters[values[i].name] = Json::parse(field_json(noise.info().fields[i], {&number, 1}));
  }
  return parameters;
}

Json correlation_json(const Correlation& correlation) {
  Json json = Json::object();
  for (const FieldInfo& field : describe<Correlation>()) {
    const std::vector<double> values = get_field(correlation, field.name);
    json[std::string(field.name)] = std::isinf(values[0]) ? Json("inf") : Json::parse(field_json(field, values));
  }
  return json;
}

}  // namespace

Json timing_json(const Timing& timing) {
  Json json;
  for (const Field<Timing>& field : Timing::fields()) {
    const std::string value = field_json(without_default(field), values_of(timing, field));
    json[std::string(field.name)] = Json::parse(value);
  }
  return json;
}

void add_velocity_noise(const Sensor& sensor, const Scene& scene, Json& json) {
  if (!sensor.velocity_noise.empty()) json["velocity_noise"] = chain_json(sensor.velocity_noise, scene);
}

void add_returns(const Sensor& sensor, Json& json) {
  if (sensor.returns.size() > 1) {
    Json names = Json::array();
    for (const ReturnChoice choice : sensor.returns) {
      names.push_back(kChoiceWords<ReturnChoice>[static_cast<std::size_t>(choice)]);
    }
    json["returns"] = names;
    json["coinciding"] = kChoiceWords<CoincidingReturn>[static_cast<std::size_t>(sensor.coinciding)];
  }
  const SensorView view = make_view(sensor.model);
  const Divergence& divergence = sensor.divergence.diverges() ? sensor.divergence : view.divergence;
  if (divergence.diverges()) json["divergence"] = fields_json(divergence);
  const float falloff_m = falloff_of(sensor, view);
  if (falloff_m > 0.0F) json["falloff"] = fields_json(Falloff{FalloffLaw::kInverseSquare, falloff_m});
  if (sensor.detection.least_power() > 0.0F) json["detection"] = fields_json(sensor.detection);
  if (!(sensor.light_paths == LightPaths{})) json["light_paths"] = fields_json(sensor.light_paths);
  if (sensor.filters.any()) {
    Json& filters = json["filters"] = fields_json(sensor.filters);
    if (sensor.filters.spatial) filters["spatial"] = fields_json(*sensor.filters.spatial);
    if (sensor.filters.temporal) filters["temporal"] = fields_json(*sensor.filters.temporal);
  }
  if (sensor.aligned_to) json["aligned_to"] = fields_json(*sensor.aligned_to);
}

Json chain_json(const NoiseChain& noise_chain, const Scene& scene) {
  Json chain = Json::array();
  for (const auto& [noise, by_entity, by_ring, correlation] : noise_chain) {
    Json entry = {{"model", std::string(noise.slug())},
                  {"stage", std::string(to_string(noise.stage()))},
                  {"parameters", parameters_json(noise)}};
    for (const EntityEntry& other : by_entity) {
      entry["entities"][scene.entities()[index(other.entity)].name] = parameters_json(other.noise);
    }
    for (const RingEntry& other : by_ring) entry["rings"][std::to_string(other.ring)] = parameters_json(other.noise);
    if (!correlation.is_white()) entry["correlation"] = correlation_json(correlation);
    chain.push_back(std::move(entry));
  }
  return chain;
}

Json drawn_json(std::span<const ParameterRange::Drawn> values, const Sensor& sensor, const Scene& scene) {
  Json list = Json::array();
  for (const ParameterRange::Drawn& drawn : values) {
    Json entry;
    if (drawn.target == ParameterRange::Target::kNoise) {
      entry["entry"] = drawn.entry;
      entry["model"] = std::string(sensor.noise[drawn.entry].noise.slug());
    }
    if (drawn.entity != kNoEntity) entry["entity"] = scene.entities()[index(drawn.entity)].name;
    if (drawn.ring) entry["ring"] = *drawn.ring;
    entry["parameter"] = drawn.field;
    entry["value"] = drawn.value;
    list.push_back(entry);
  }
  return list;
}

Json drawn_json(std::span<const ParameterRange::Drawn> values, const Scene& scene) {
  Json list = Json::array();
  for (const ParameterRange::Drawn& drawn : values) {
    list.push_back(
        {{"entity", scene.entities()[index(drawn.entity)].name}, {"parameter", drawn.field}, {"value", drawn.value}});
  }
  return list;
}

namespace {

/// The parameters, and a table of all frames by columns. Dropped frames have no time of delivery.
Json timed_json(const Timing& timing, const std::vector<FrameTime>& times) {
  Json json = timing_json(timing);
  Json index = Json::array(), content = Json::array(), measured_s = Json::array(), delivered_s = Json::array();
  for (const FrameTime& time : times) {
    index.push_back(time.index), content.push_back(time.content);
    measured_s.push_back(time.stamp_s), delivered_s.push_back(time.delivered_s);  // NaN becomes null
  }
  json["frames"] = {{"index", index}, {"content", content}, {"measured_s", measured_s}, {"delivered_s", delivered_s}};
  Json dropped = Json::array(), frozen = Json::array();
  for (const FrameTime& time : times) {
    if (time.is_dropped()) dropped.push_back(time.index);
    if (time.is_frozen()) frozen.push_back(time.index);
  }
  json["dropped"] = dropped, json["frozen"] = frozen;
  return json;
}

Json sensor_json(const SensorCounts& sensor, const Sensor& description, const Scene& scene) {
  Json reasons;
  for (std::size_t i = 0; i < kReasonNames.size(); ++i) reasons[std::string(kReasonNames[i])] = sensor.reasons[i];
  Json json = {
      {"name", sensor.name},
      {"rows", sensor.rows},
      {"cols", sensor.cols},
      {"rays", sensor.rays},
      {"reasons", reasons},
      {"noise", chain_json(description.noise, scene)},
      {"range_policy", to_string(description.range_policy.value_or(make_view(description.model).usual_policy))},
      {"drawn", drawn_json(sensor.drawn, description, scene)}};
  add_velocity_noise(description, scene, json);
  if (description.timing != Timing()) json["timing"] = timed_json(description.timing, sensor.times);
  add_returns(description, json);
  if (!sensor.digest.empty()) json["digest"] = sensor.digest;
  return json;
}

Json entities_json(const Scene& scene) {
  Json names = Json::array();
  for (const Entity& entity : scene.entities()) names.push_back(entity.name);
  return names;
}

Json labels_json(const Scene& scene) {
  Json labels = Json::array();
  for (const Label& label : scene.labels()) {
    labels.push_back({{"id", label.id}, {"name", label.name}, {"color", color_of(label)}});
  }
  return labels;
}

double rate(std::uint64_t rays, double seconds) { return seconds > 0.0 ? static_cast<double>(rays) / seconds : 0.0; }

Json run_json(const Simulator& simulator, const RunCounts& counts) {
  Json sensors = Json::object();
  for (const SensorCounts& sensor : counts.sensors) {
    sensors[sensor.name] = {{"seconds", sensor.seconds}, {"rays_per_second", sensor.rays_per_second()}};
  }
  const RunOptions::Progress& progress = counts.progress;
  return {{"threads", simulator.threads()},
          {"instruction_set", std::string(to_string(simulator.options().compute.isa))},
          {"device", to_string(simulator.options().compute.device)},
          {"seconds", progress.seconds},
          {"cast_seconds", progress.cast_seconds},
          {"rays_per_second", rate(progress.rays_done, progress.cast_seconds)},
          {"sensors", sensors}};
}

Json summary_json(const SceneSetup& setup, const Simulator& simulator, const RunCounts& counts) {
  Json sensors = Json::array();
  for (const SensorCounts& sensor : counts.sensors) {
    sensors.push_back(sensor_json(sensor, simulator.sensor(sensor.id), setup.scene));
  }
  Json summary = {{"fathom", std::string(versions().fathom)},
                  {"scene", setup.file.filename().string()},
                  {"entities", entities_json(setup.scene)},
                  {"labels", labels_json(setup.scene)},
                  {"seed", counts.seed},
                  {"environment", counts.environment},
                  {"episode", counts.episode},
                  {"frames", counts.progress.frames_done},
                  {"rate_hz", setup.rate_hz},
                  {"start_s", setup.start_s},
                  {"sensors", sensors},
                  {"warnings", counts.warnings},
                  {"files", counts.files}};
  if (counts.first_frame > 0) summary["first_frame"] = counts.first_frame;
  if (!counts.drawn.empty()) summary["drawn"] = drawn_json(counts.drawn, setup.scene);
  return summary;
}

/// Names of files may hold any bytes, but JSON is UTF-8.
std::string text_of(const Json& summary) { return summary.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace

std::string summary_text(const SceneSetup& setup, const Simulator& simulator, const RunCounts& counts) {
  Json summary = summary_json(setup, simulator, counts);
  summary["versions"] = {{"compiler", std::string(versions().compiler)}};
  summary["run"] = run_json(simulator, counts);
  return text_of(summary);
}

std::string unit_summary_text(const SceneSetup& setup, const Simulator& simulator, const RunCounts& counts) {
  Json summary = summary_json(setup, simulator, counts);
  for (Json& sensor : summary["sensors"]) sensor.erase("digest");
  return text_of(summary);
}

}  // namespace fathom
