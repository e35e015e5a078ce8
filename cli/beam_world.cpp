#include "beam_world.hpp"

#include <system_error>

#include <fmt/format.h>
#include <fathom/error.hpp>
#include <fathom/grid_map.hpp>
#include <fathom/names.hpp>
#include <fathom/run.hpp>
#include <fathom/scene_ranges.hpp>

namespace fathom_cli {
namespace {

constexpr const char* kLogName = "scans.csv";

}  // namespace

BeamWorld open_world(const BeamWorldOptions& options, fathom::UnknownCells unknown, int threads) {
  BeamWorld world;
  if (!options.scene.empty()) {
    fathom::SceneRangesOptions scene_options;
    scene_options.pose_from_sensor.translation_m.z = options.height_m;
    scene_options.compute.threads = threads;
    fathom::SceneSetup setup = fathom::read_scene_file(options.scene);
    world.expected = fathom::make_scene_ranges(setup.scene, scene_options);
    world.inputs = std::move(setup.inputs);
    world.name = fmt::format("{} at a height of {:g} m", options.scene.filename().string(), options.height_m);
    return world;
  }
  const fathom::GridMap map = fathom::read_grid_map(options.map);
  world.expected = fathom::make_grid_ranges(map, {.unknown = unknown});
  world.cell_m = map.resolution_m;
  world.name = options.map.filename().string();
  return world;
}

std::filesystem::path find_log(const std::filesystem::path& log_or_run) {
  std::error_code error;
  if (!std::filesystem::is_directory(log_or_run, error)) return log_or_run;
  std::vector<std::filesystem::path> logs;
  for (const auto& entry : std::filesystem::directory_iterator(log_or_run, error)) {
    if (std::filesystem::exists(entry.path() / kLogName, error)) logs.push_back(entry.path() / kLogName);
  }
  if (logs.size() == 1) return logs.front();
  if (logs.empty()) {
    throw fathom::InputError(
        fmt::format("{}: a folder without */{}; a run has it where a sensor has the output scan_log",
                    log_or_run.string(), kLogName));
  }
  std::sort(logs.begin(), logs.end());
  throw fathom::InputError(fmt::format("{}: a run with {} scan logs; choose one, such as {}", log_or_run.string(),
                                       logs.size(), logs.front().string()));
}

std::string skipped_note(const fathom::ScanLog& log) {
  std::string text;
  for (const fathom::SkippedLines& skipped : log.skipped) {
    text += fmt::format("note: {} {} lines were passed over; readings are those of FLASER\n", skipped.lines, fathom::printable(skipped.name));
  }
  return text;
}

std::vector<std::uint32_t> choose_scans(const std::string& text, const fathom::ScanLog& log,
                                        const std::filesystem::path& file) {
  return naming(file, [&] { return fathom::select_scans(text, log.scans()); });
}

std::vector<std::filesystem::path> world_files(const BeamWorldOptions& options) {
  std::vector<std::filesystem::path> files;
  if (!options.scene.empty()) files.push_back(options.scene);
  if (!options.map.empty()) files.insert(files.end(), {options.map, fathom::grid_map_image(options.map)});
  return files;
}

}  // namespace fathom_cli
