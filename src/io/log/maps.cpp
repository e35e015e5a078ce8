// SPDX-License-Identifier: MIT
// map_server's YAML and image: http://wiki.ros.org/map_server, "Map format".
#include "io/log/maps.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/files/meshes.hpp>
#include <fathom/scene/trajectory.hpp>

#include "core/numbers.hpp"
#include "core/text.hpp"
#include "core/text/files.hpp"
#include "core/text/formats.hpp"
#include "core/text/gzip_text.hpp"
#include "core/text/text_lines.hpp"
#include "core/text/yaml.hpp"
#include "io/log/grey_image.hpp"
#include "io/log/scan_lines.hpp"

namespace fathom {

namespace {

/// map_saver writes two files, and the image alone gives neither size nor place of the map.
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
  constexpr Limits kPlace = {-1e7, 1e7, "m"}, kYaw = {-kMostAzimuthRad, kMostAzimuthRad, "rad"};
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

/// The cell of a pixel, as in map_server.
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

/// The values that `value_of` gives to the pixels, from the lowest row of the image to the uppermost.
template <class Value, class F>
std::vector<Value> from_below(const GreyImage& image, F value_of) {
  std::vector<Value> values;
  values.reserve(image.value.size());
  for (std::size_t row = image.rows; row-- > 0;) {
    for (std::size_t col = 0; col < image.cols; ++col) values.push_back(value_of(row * image.cols + col));
  }
  return values;
}

GridMap cells_of(const GreyImage& image, const MapImageOptions& options) {
  GridMap map;
  map.rows = image.rows;
  map.cols = image.cols;
  map.resolution_m = options.resolution_m;
  map.world_from_map = options.world_from_map;
  map.cells = from_below<Cell>(image, [&](std::size_t pixel) { return cell_of(image, pixel, options); });
  validate(map);
  return map;
}

YamlValue read_map_yaml(const std::filesystem::path& yaml_file) {
  refuse_image(yaml_file);
  YamlValue root = parse_yaml(read_yaml_text(yaml_file), yaml_file.string());
  refuse_other_kind(root, YamlFileKind::kMap);
  return root;
}

GridMap read_map(const std::filesystem::path& yaml_file) {
  const YamlValue root = read_map_yaml(yaml_file);
  YamlReader map(root);
  // Marks all known keys as read first, so that the message about a missing key does not suggest one of them.
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
  GridMap made;
  std::vector<std::string> notes;
  // map_server ignores unknown keys.
  for (const std::string& key : map.unread()) notes.push_back(key + ", and is not read");
  image.located([&] {
    within_memory(image_file, [&] {
      const GreyImage grey = read_grey_image(image_file);
      made = cells_of(grey, options);
      notes.insert(notes.end(), grey.notes.begin(), grey.notes.end());
    });
  });
  made.notes = std::move(notes), made.files = {yaml_file, image_file};
  return made;
}

}  // namespace

GridMap read_grid_image(const std::filesystem::path& image_file, const MapImageOptions& options) {
  return within_memory(image_file, [&] { return cells_of(read_grey_image(image_file), options); });
}

GridMap read_grid_map(const std::filesystem::path& yaml_file) {
  return within_memory(yaml_file, [&] { return read_map(yaml_file); });
}

std::filesystem::path grid_map_image(const std::filesystem::path& yaml_file) {
  const YamlValue root = read_map_yaml(yaml_file);
  YamlReader map(root);
  return read_image_name(map.at("image"), yaml_file.parent_path());
}

namespace {

GreyImage read_levels(const std::filesystem::path& file) {
  return read_image(file, [](const std::filesystem::path& name, std::string_view bytes) {
    return read_png_levels(name, bytes, "heights are a grey picture of 8 or 16 bits");
  });
}

void check_elevation(double elevation_m) {
  if (elevation_m > 0.0 && elevation_m <= kMostPrimitiveM) return;
  throw InputError(fmt::format("height_field.elevation_m = {} is not in (0, {}] m", number_text(elevation_m),
                               number_text(kMostPrimitiveM)));
}

HeightField heights_of(const GreyImage& image, const HeightImageOptions& options) {
  HeightField field;
  field.rows = image.rows;
  field.cols = image.cols;
  field.size_x_m = options.size_x_m;
  field.size_y_m = options.size_y_m;
  field.base_m = options.base_m;
  field.notes = image.notes;
  double low = 0.0, high = image.white;
  if (options.stretch) {
    const auto [least, most] = std::minmax_element(image.value.begin(), image.value.end());
    low = *least;
    high = std::max<double>(*most, low + 1.0);  // a picture with a single level is flat
  }
  field.heights_m = from_below<float>(image, [&](std::size_t pixel) {
    return static_cast<float>(options.elevation_m * ((image.value[pixel] - low) / (high - low)));
  });
  return field;
}

HeightField read_array(const std::filesystem::path& file) {
  const npy::Array array = npy::read(file);
  constexpr std::size_t kMostSide = 0xffffffffU;
  if (array.shape.size() != 2 || array.shape[0] > kMostSide || array.shape[1] > kMostSide) {
    throw InputError(fmt::format("{}: heights are an array of shape (rows, cols)", file.string()));
  }
  HeightField field;
  field.rows = static_cast<std::uint32_t>(array.shape[0]);
  field.cols = static_cast<std::uint32_t>(array.shape[1]);
  const std::size_t count = array.shape[0] * array.shape[1];
  field.heights_m.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double height_m = array.at(i);
    if (!(height_m >= -kMostPrimitiveM && height_m <= kMostPrimitiveM)) {
      throw InputError(fmt::format("{}: height [{}, {}] = {} is not in [{}, {}] m", file.string(), i / field.cols,
                                   i % field.cols, number_text(height_m), number_text(-kMostPrimitiveM),
                                   number_text(kMostPrimitiveM)));
    }
    field.heights_m.push_back(static_cast<float>(height_m));
  }
  return field;
}

constexpr std::array<std::string_view, 8> kTumColumns = {"stamp", "tx", "ty", "tz", "qx", "qy", "qz", "qw"};

/// Parses a line of a TUM file. `where`: "file:line".
Trajectory::Key parse_pose(std::string_view line, const std::string& where) {
  const auto words = split_words(line);
  if (words.size() != kTumColumns.size()) {
    throw InputError(fmt::format("{}: {} values, expected 8: stamp tx ty tz qx qy qz qw", where, words.size()));
  }
  std::array<double, kTumColumns.size()> v{};
  for (std::size_t i = 0; i < v.size(); ++i) {
    const auto value = parse_number<double>(words[i]);
    if (!value || !std::isfinite(*value)) {
      throw InputError(
          fmt::format("{}: {} = '{}' is not a finite number", where, kTumColumns[i], words[i].substr(0, 40)));
    }
    v[i] = *value;
  }
  const Quaternion rotation = {v[7], v[4], v[5], v[6]};  // TUM writes w last
  const double length = std::sqrt(dot(rotation, rotation));
  if (!is_about_one(length)) {
    throw InputError(fmt::format("{}: quaternion has length {}, not 1", where, number_text(length)));
  }
  return {v[0], {{v[1], v[2], v[3]}, rotation}};
}

Trajectory read_tum(const std::filesystem::path& file) {
  const std::string name = file.string(), text = read_gzip_text(file);
  std::vector<Trajectory::Key> poses;
  for_each_line(text, [&](std::size_t number, std::string_view line) {
    line = trim(line);
    if (line.empty() || line.front() == '#') return;
    const std::string where = fmt::format("{}:{}", name, number);
    poses.push_back(parse_pose(line, where));
    if (poses.size() > 1 && !(poses.back().stamp_s > poses[poses.size() - 2].stamp_s)) {
      throw InputError(fmt::format("{}: stamp {} s does not come after {} s", where, number_text(poses.back().stamp_s),
                                   number_text(poses[poses.size() - 2].stamp_s)));
    }
  });
  if (poses.empty()) throw InputError(fmt::format("{}: holds no poses", name));
  return Trajectory(std::move(poses));
}

}  // namespace

HeightField read_height_image(const std::filesystem::path& file, const HeightImageOptions& options) {
  check_elevation(options.elevation_m);
  return within_memory(file, [&] { return heights_of(read_levels(file), options); });
}

HeightField read_height_array(const std::filesystem::path& file) {
  return within_memory(file, [&] { return read_array(file); });
}

Trajectory read_trajectory(const std::filesystem::path& file) {
  return within_memory(file, [&] { return read_tum(file); });
}

}  // namespace fathom
