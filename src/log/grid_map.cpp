// SPDX-License-Identifier: MIT
// map_server's YAML and image: http://wiki.ros.org/map_server, "Map format".

#include "log/grid_map.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/files/maps.hpp>

#include "log/map_image.hpp"
#include "text/confined.hpp"
#include "text/gzip_text.hpp"
#include "text/read_file.hpp"
#include "text/yaml_reader.hpp"

namespace fathom {

namespace {

/// map_saver writes two files, and the image alone says neither how large nor where the map is.
void refuse_image(const std::filesystem::path& file) {
  require_readable_file(file);
  std::string head(8, ' ');
  std::ifstream(file, std::ios::binary).read(head.data(), static_cast<std::streamsize>(head.size()));
  const bool netpbm = head[0] == 'P' && head[1] >= '1' && head[1] <= '6' && (head[2] == ' ' || head[2] == '\n');
  const bool packed = head.starts_with(kGzipMagic);
  if (!netpbm && !packed && !head.starts_with("\x89PNG") && !head.starts_with("\xff\xd8\xff")) return;
  std::filesystem::path yaml = file;
  std::error_code error;
  const bool beside = std::filesystem::exists(yaml.replace_extension(".yaml"), error);
  throw InputError(fmt::format("{}: is {}; give the map's YAML, which names the image{}", file.string(),
                               packed ? "compressed (gzip)" : "an image",
                               beside ? fmt::format(": {}", yaml.string()) : ""));
}

PlanarPose read_origin(const YamlReader& origin) {
  if (origin.value().items.size() != 3) origin.fail("is not [x, y, yaw]");
  const std::vector<YamlReader> numbers = origin.items();
  constexpr Limits kPlace = {-1e7, 1e7, "m"}, kYaw = {-1e3, 1e3, "rad"};
  return {numbers[0].number(kPlace), numbers[1].number(kPlace), numbers[2].number(kYaw)};
}

bool read_negate(const YamlReader& negate) {
  const std::string& text = negate.text();
  if (text == "1" || text == "true") return true;
  if (text != "0" && text != "false") negate.fail("is not 0 or 1");
  return false;
}

std::filesystem::path read_image_name(const YamlReader& image, const std::filesystem::path& folder) {
  const std::string& name = image.text();
  if (name.empty() || name.find('\0') != std::string::npos) image.fail("is not a file name");
  const std::array<std::filesystem::path, 1> folders = {folder};
  if (!confined(folder / name, folders)) {
    image.fail(fmt::format("leads out of the folder of the map, {}", folder.empty() ? "." : folder.string()));
  }
  return folder / name;
}

/// The cell of a pixel, as in map_server: `scale` takes an alpha channel as transparency, `trinary` as a fourth colour.
Cell cell_of(const GreyImage& image, std::size_t pixel, const MapImageOptions& options) {
  double value = static_cast<float>(image.value[pixel]) / static_cast<float>(image.white);
  if (!image.alpha.empty()) {
    const double alpha = static_cast<float>(image.alpha[pixel]) / 255.0F;
    if (options.mode == MapMode::kTrinary) {
      value = (3.0 * value + alpha) / 4.0;
    } else if (alpha < 1.0) {
      return Cell::kUnknown;
    }
  }
  const double occupancy = options.negate ? value : 1.0 - value;
  if (occupancy > options.occupied_thresh) return Cell::kOccupied;
  return occupancy < options.free_thresh ? Cell::kFree : Cell::kUnknown;
}

GridMap cells_of(const GreyImage& image, const MapImageOptions& options) {
  GridMap map;
  map.rows = image.rows;
  map.cols = image.cols;
  map.resolution_m = options.resolution_m;
  map.world_from_map = options.world_from_map;
  map.cells.resize(image.value.size());
  for (std::uint32_t row = 0; row < map.rows; ++row) {
    for (std::uint32_t col = 0; col < map.cols; ++col) {
      const std::size_t pixel = std::size_t{map.rows - 1 - row} * map.cols + col;
      map.cells[std::size_t{row} * map.cols + col] = cell_of(image, pixel, options);
    }
  }
  validate(map);
  return map;
}

YamlValue read_map_yaml(const std::filesystem::path& yaml_file) {
  refuse_image(yaml_file);
  YamlValue root = parse_yaml(read_yaml_text(yaml_file), yaml_file.string());
  refuse_other_kind(root, YamlFileKind::kMap);
  return root;
}

GridMapFile read_map(const std::filesystem::path& yaml_file) {
  const YamlValue root = read_map_yaml(yaml_file);
  YamlReader map(root);
  // All are asked for before one is missed, so that a known key is not taken for a slip of another.
  for (const char* key : {"image", "resolution", "origin", "negate", "occupied_thresh", "free_thresh", "mode"}) {
    static_cast<void>(map.find(key));
  }
  MapImageOptions options;
  options.resolution_m = map.at("resolution").number({1e-4, 1e4, "m"});
  options.world_from_map = read_origin(map.at("origin"));
  options.negate = read_negate(map.at("negate"));
  options.occupied_thresh = map.at("occupied_thresh").number({0, 1, "1"});
  options.free_thresh = map.at("free_thresh").number({0, options.occupied_thresh, "1"});
  constexpr std::array<std::string_view, 2> kModes = {"trinary", "scale"};
  if (const auto mode = map.find("mode")) options.mode = static_cast<MapMode>(mode->one_of(kModes));
  const YamlReader image = map.at("image");
  const std::filesystem::path image_file = read_image_name(image, yaml_file.parent_path());
  GridMapFile file;
  file.files = {yaml_file, image_file};
  // map_server passes over keys that it does not know.
  for (const std::string& key : map.unread()) file.notes.push_back(key + ", and is not read");
  image.located([&] {
    within_memory(image_file, [&] {
      const GreyImage grey = read_grey_image(image_file);
      file.map = cells_of(grey, options);
      file.notes.insert(file.notes.end(), grey.notes.begin(), grey.notes.end());
    });
  });
  return file;
}

}  // namespace

GridMap read_grid_image(const std::filesystem::path& image_file, const MapImageOptions& options) {
  return within_memory(image_file, [&] { return cells_of(read_grey_image(image_file), options); });
}

GridMapFile read_grid_map_file(const std::filesystem::path& yaml_file) {
  return within_memory(yaml_file, [&] { return read_map(yaml_file); });
}

GridMap read_grid_map(const std::filesystem::path& yaml_file) { return read_grid_map_file(yaml_file).map; }

std::filesystem::path grid_map_image(const std::filesystem::path& yaml_file) {
  const YamlValue root = read_map_yaml(yaml_file);
  YamlReader map(root);
  return read_image_name(map.at("image"), yaml_file.parent_path());
}

}  // namespace fathom
