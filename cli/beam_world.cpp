// SPDX-License-Identifier: MIT
#include "beam_world.hpp"

#include <fmt/format.h>

#include <fathom/base/names.hpp>
#include <fathom/beam/log.hpp>
#include <fathom/simulate/run.hpp>

namespace fathom_cli {

fathom::World open_world(const BeamWorldOptions& options, fathom::UnknownCells unknown, int threads) {
  if (options.scene.empty()) return fathom::World::from_map(options.map, {.unknown = unknown});
  return fathom::World::from_scene(fathom::read_scene_file(options.scene), options.height_m, unknown,
                                   {.threads = threads});
}

std::filesystem::path BeamLogOptions::file() const { return bag.empty() ? fathom::find_scan_log(log) : bag; }

fathom::ScanLog read_log(const BeamLogOptions& options) {
  if (!options.bag.empty()) return fathom::read_bag_log(options.bag, options.in_bag);
  fathom::ScanLog log = as_log_typed([&] { return fathom::read_scan_log(options.file(), options.in_text); });
  log.name = options.log.string();
  return log;
}

std::string notes_text(const std::vector<std::string>& notes) {
  std::string text;
  for (const std::string& note : notes) {
    text += "note: " + as_typed("give max_range_m", "give --max-range", fathom::printable(note)) + "\n";
  }
  return text;
}

std::vector<std::filesystem::path> world_files(const BeamWorldOptions& options) {
  std::vector<std::filesystem::path> files;
  if (!options.scene.empty()) files.push_back(options.scene);
  if (!options.map.empty()) files.insert(files.end(), {options.map, fathom::grid_map_image(options.map)});
  return files;
}

}  // namespace fathom_cli
