// SPDX-License-Identifier: MIT
#include "dataset/unit_renderer.hpp"

#include <nlohmann/json.hpp>

#include "render/simulator_options.hpp"
#include "simulate/chain_json.hpp"

namespace fathom {

UnitRenderer::UnitRenderer(const SceneSetup& setup, const RunOptions& options, const SharedTrees& trees)
    : setup_(setup), run_(prepare_run(setup, options, &trees)), counted_(setup, run_, options.digest) {}

const RunCounts& UnitRenderer::render(const Unit& unit, PackWriter& writer, const OnFrame& on_frame) {
  begin_episode(run_, setup_, static_cast<std::uint32_t>(unit.environment), static_cast<std::uint32_t>(unit.episode));
  counted_.begin();
  RunCounts& counts = counted_.counts();
  counts.first_frame = unit.first_frame;
  writer.begin(unit, parameters(unit));
  for (std::uint32_t k = 0; k < unit.frames; ++k) {
    for (std::size_t i = 0; i < run_.sensors.size(); ++i) {
      const NumberRange frames = sensor_frames(i, static_cast<std::uint32_t>(unit.first_frame + k));
      for (std::uint32_t index = frames.first; index < frames.end; ++index) {
        const Frame& frame = counted_.render(i, index);
        writer.add({i, index, frame.stamp_s(), frame});
      }
    }
    ++counts.progress.frames_done;
    on_frame(counts.progress);
  }
  writer.end(counted_.end());
  return counts;
}

/// The frames that a sensor begins during a frame of the scene: one where it makes as many as the scene.
NumberRange UnitRenderer::sensor_frames(std::size_t sensor, std::uint32_t scene_frame) const {
  const RunSensor& of = run_.sensors[sensor];
  if (of.frames == run_.frames) return {scene_frame, scene_frame + 1};
  const Timing& timing = run_.simulator.sensor(of.id).timing;
  const SceneClock clock = clock_of(run_.simulator.options());
  return {static_cast<std::uint32_t>(count_frames(timing, clock, scene_frame)),
          static_cast<std::uint32_t>(count_frames(timing, clock, scene_frame + 1))};
}

std::string UnitRenderer::parameters(const Unit& unit) const {
  using Json = nlohmann::ordered_json;
  Json sensors = Json::array();
  for (const RunSensor& sensor : run_.sensors) {
    const Sensor& description = run_.simulator.sensor(sensor.id);
    sensors.push_back({{"name", description.name}, {"drawn", drawn_json(sensor.drawn, description, setup_.scene)}});
  }
  Json json = {{"environment", unit.environment}, {"episode", unit.episode},   {"first_frame", unit.first_frame},
               {"frames", unit.frames},           {"seed", run_.episode.seed}, {"sensors", sensors}};
  if (!run_.drawn.empty()) json["drawn"] = drawn_json(run_.drawn, setup_.scene);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace fathom
