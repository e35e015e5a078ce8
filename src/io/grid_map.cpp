// map_server's YAML and image: http://wiki.ros.org/map_server, "Map format".

#include <fathom/grid_map.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <fathom/error.hpp>

#include "base/text.hpp"
#include "io/map_image.hpp"
#include "io/read_file.hpp"

namespace fathom {

namespace {

class MapYaml {
 public:
  explicit MapYaml(const std::filesystem::path& file) : file_(file) {
    try {
      root_ = YAML::Load(read_file(file));
    } catch (const YAML::Exception& error) {
      fail(error.mark, error.msg);
    }
    if (!root_.IsMap()) fail(root_.Mark(), "is not a map_server file (key: value lines)");
    constexpr std::array<std::string_view, 7> kKeys = {"image",           "resolution",  "origin", "negate",
                                                       "occupied_thresh", "free_thresh", "mode"};
    for (const auto& entry : root_) {
      const auto key = entry.first.as<std::string>("");
      if (std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end()) continue;
      fail(entry.first.Mark(), fmt::format("unknown key '{}'{}", key, nearest_hint(key, kKeys)));
    }
  }

  [[nodiscard]] bool has(const char* key) const { return root_[key].IsDefined(); }

  [[nodiscard]] YAML::Node at(const char* key) const {
    if (!has(key)) fail(root_.Mark(), fmt::format("there is no key '{}'", key));
    return root_[key];
  }

  [[nodiscard]] double number(const YAML::Node& node, const std::string& key, double low, double high) const {
    double value = 0.0;
    if (!node.IsScalar() || !YAML::convert<double>::decode(node, value)) {
      fail(node.Mark(), fmt::format("{} is not a number", key));
    }
    if (!(value >= low && value <= high)) {
      fail(node.Mark(),
           fmt::format("{} = {} is not in [{}, {}]", key, number_text(value), number_text(low), number_text(high)));
    }
    return value;
  }

  [[nodiscard]] bool flag(const char* key) const {
    const YAML::Node node = at(key);
    const auto text = node.IsScalar() ? node.Scalar() : std::string();
    if (text == "1" || text == "true") return true;
    if (text == "0" || text == "false") return false;
    fail(node.Mark(), fmt::format("{} = '{}' is not 0 or 1", key, text));
  }

  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& what) const {
    throw InputError(fmt::format("{}:{}: {}", file_.string(), mark.is_null() ? 1 : mark.line + 1, one_line(what)));
  }

 private:
  std::filesystem::path file_;
  YAML::Node root_;
};

PlanarPose read_origin(const MapYaml& yaml) {
  const YAML::Node origin = yaml.at("origin");
  if (!origin.IsSequence() || origin.size() != 3) yaml.fail(origin.Mark(), "origin is not [x, y, yaw]");
  return {yaml.number(origin[0], "origin[0]", -1e7, 1e7), yaml.number(origin[1], "origin[1]", -1e7, 1e7),
          yaml.number(origin[2], "origin[2]", -1e3, 1e3)};
}

MapMode read_mode(const MapYaml& yaml) {
  if (!yaml.has("mode")) return MapMode::kTrinary;
  const YAML::Node mode = yaml.at("mode");
  const auto text = mode.IsScalar() ? mode.Scalar() : std::string();
  if (text == "trinary") return MapMode::kTrinary;
  if (text == "scale") return MapMode::kScale;
  yaml.fail(mode.Mark(), fmt::format("mode = '{}' is not trinary or scale", text));
}

/// What a pixel says, as map_server takes it: scale sees an alpha channel as what it is, trinary as a fourth colour.
Cell cell_of(const GreyImage& image, std::size_t pixel, const MapImageOptions& options) {
  double value = image.value[pixel];
  if (!image.alpha.empty()) {
    const double alpha = image.alpha[pixel];
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

}  // namespace

GridMap read_grid_image(const std::filesystem::path& image_file, const MapImageOptions& options) {
  const GreyImage image = read_grey_image(image_file);
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

GridMap read_grid_map(const std::filesystem::path& yaml_file) {
  const MapYaml yaml(yaml_file);
  MapImageOptions options;
  options.resolution_m = yaml.number(yaml.at("resolution"), "resolution", 1e-4, 1e4);
  options.world_from_map = read_origin(yaml);
  options.negate = yaml.flag("negate");
  options.occupied_thresh = yaml.number(yaml.at("occupied_thresh"), "occupied_thresh", 0, 1);
  options.free_thresh = yaml.number(yaml.at("free_thresh"), "free_thresh", 0, options.occupied_thresh);
  options.mode = read_mode(yaml);
  const YAML::Node image = yaml.at("image");
  if (!image.IsScalar() || image.Scalar().empty()) yaml.fail(image.Mark(), "image is not a file name");
  try {
    return read_grid_image(yaml_file.parent_path() / image.Scalar(), options);
  } catch (const InputError& error) {
    yaml.fail(image.Mark(), fmt::format("image: {}", error.what()));
  }
}

std::filesystem::path grid_map_image(const std::filesystem::path& yaml_file) {
  const YAML::Node image = MapYaml(yaml_file).at("image");
  return yaml_file.parent_path() / (image.IsScalar() ? image.Scalar() : std::string());
}

}  // namespace fathom
