// SPDX-License-Identifier: MIT
#include "dataset/unit_renderer.hpp"

#include <chrono>

#include <nlohmann/json.hpp>

#include "base/frame_writer.hpp"
#include "simulate/chain_json.hpp"

namespace fathom {

UnitRenderer::UnitRenderer(const SceneSetup& setup, const RunOptions& options, const SharedTrees& trees)
    : setup_(setup), run_(prepare_run(setup, options, &trees)) {
  for (const RunSensor& sensor : run_.sensors) frames_.emplace_back(sensor.channels);
}

void UnitRenderer::render(const Unit& unit, PackWriter& writer, const OnFrame& on_frame) {
  using Clock = std::chrono::steady_clock;
  begin_episode(run_, setup_, static_cast<std::uint32_t>(unit.environment), static_cast<std::uint32_t>(unit.episode));
  writer.begin(unit, parameters(unit));
  for (std::uint32_t k = 0; k < unit.frames; ++k) {
    const auto index = static_cast<std::uint32_t>(unit.first_frame + k);
    for (std::size_t i = 0; i < run_.sensors.size(); ++i) {
      const Clock::time_point begin = Clock::now();
      render(i, index);
      const std::chrono::duration<double> seconds = Clock::now() - begin;
      writer.add({i, index, frames_[i].stamp_s(), frames_[i]});
      on_frame(i, frames_[i], seconds.count());
    }
  }
  writer.end();
}

void UnitRenderer::render(std::size_t i, std::uint32_t index) {
  const SensorId id = run_.sensors[i].id;
  const FrameTime time = run_.simulator.frame_time(id, index);
  if (!time.is_dropped()) return run_.simulator.render(id, index, frames_[i]);
  const RayPattern& rays = run_.simulator.pattern(id, index);
  FrameWriter writer(frames_[i]);
  writer.resize(rays.rows, rays.cols, static_cast<std::uint32_t>(run_.simulator.sensor(id).returns.size()));
  writer.mask_all();
  writer.set_time(index, time.content, time.stamp_s, time.delivered_s);
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
