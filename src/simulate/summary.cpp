// SPDX-License-Identifier: MIT
#include "simulate/summary.hpp"

#include <string>

#include <nlohmann/json.hpp>

#include <fathom/files/pictures.hpp>

#include "sensor/sensor_view.hpp"
#include "simulate/chain_json.hpp"
#include "simulate/returns_json.hpp"
#include "simulate/timing_json.hpp"

namespace fathom {

namespace {

using Json = nlohmann::ordered_json;

/// The parameters, and a table by columns of all frames: those that are dropped have no time of delivery.
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
      {"noise", chain_json(description, scene)},
      {"range_policy", to_string(description.range_policy.value_or(make_view(description.model).usual_policy))},
      {"drawn", drawn_json(sensor.drawn, description, scene)}};
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
  const Progress& progress = counts.progress;
  return {{"threads", simulator.threads()},
          {"instruction_set", std::string(to_string(simulator.options().compute.isa))},
          {"caster", std::string(to_string(simulator.options().compute.caster))},
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

/// Names of files may hold any bytes; JSON is UTF-8.
std::string text_of(const Json& summary) { return summary.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace

std::string summary_text(const SceneSetup& setup, const Simulator& simulator, const RunCounts& counts) {
  const Versions built = versions();
  Json summary = summary_json(setup, simulator, counts);
  summary["versions"] = {{"embree", std::string(built.embree)}, {"compiler", std::string(built.compiler)}};
  summary["run"] = run_json(simulator, counts);
  return text_of(summary);
}

std::string unit_summary_text(const SceneSetup& setup, const Simulator& simulator, const RunCounts& counts) {
  Json summary = summary_json(setup, simulator, counts);
  for (Json& sensor : summary["sensors"]) sensor.erase("digest");
  return text_of(summary);
}

}  // namespace fathom
