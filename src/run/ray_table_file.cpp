// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/f64.hpp>
#include <fathom/core/geometry.hpp>
#include <fathom/sensor/pattern.hpp>
#include <fathom/simulate/run.hpp>

#include "core/text.hpp"
#include "core/text/files.hpp"
#include "core/text/formats.hpp"
#include "core/text/gzip_text.hpp"
#include "core/text/text_lines.hpp"

namespace fathom {

namespace {

/// The columns that a ray table may have.
enum Column : std::size_t { kOx, kOy, kOz, kDx, kDy, kDz, kRangeM, kRing, kTimeS, kColumns };
constexpr std::array<std::string_view, kColumns> kColumnNames = {"ox", "oy",      "oz",   "dx",    "dy",
                                                                 "dz", "range_m", "ring", "time_s"};
constexpr std::size_t kRequired = kRangeM;  // the columns before it

/// The columns of the tables that Livox publishes; zenith: the angle from the z axis.
constexpr std::array<std::string_view, 3> kLivoxNames = {"Time/s", "Azimuth/deg", "Zenith/deg"};

/// The columns of a table, in their order.
using TableColumns = std::vector<Column>;

bool has(const TableColumns& columns, Column column) {
  return std::find(columns.begin(), columns.end(), column) != columns.end();
}

/// A pattern of one row, with the number of its rays.
RayPattern with_columns(RayPattern pattern, const std::string& file) {
  const std::size_t rays = pattern.direction_x.size();
  if (rays == 0) throw InputError(fmt::format("{}: holds no rays", file));
  if (rays > 0xffffffffULL) throw InputError(fmt::format("{}: {} rays, the limit is 4294967295", file, rays));
  pattern.cols = static_cast<std::uint32_t>(rays);
  return pattern;
}

/// Turns rows of numbers into a pattern, checking each; `where` names the row: "rays.csv:7".
class PatternBuilder {
 public:
  PatternBuilder(TableColumns columns, float min_range_m, float max_range_m)
      : columns_(std::move(columns)), has_range_(has(columns_, kRangeM)) {
    pattern_.rows = 1;
    pattern_.min_range_m = {min_range_m};
    if (!has_range_) pattern_.max_range_m = {max_range_m};
  }

  [[nodiscard]] std::size_t columns() const { return columns_.size(); }

  template <class Where>
  void add(std::span<const double> values, Where where) {
    std::array<double, kColumns> row{};
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      // A float beyond its limit would become infinity.
      if (!(std::abs(values[i]) <= 3e38)) {
        throw InputError(fmt::format("{}: {} = {} is not in [-3e+38, 3e+38]", where(), kColumnNames[columns_[i]],
                                     number_text(values[i])));
      }
      row[columns_[i]] = values[i];
    }
    add_geometry(row, where);
    add_extras(row, where);
  }

  RayPattern take(const std::string& file) { return with_columns(std::move(pattern_), file); }

 private:
  template <class Where>
  void add_geometry(const std::array<double, kColumns>& row, Where where) {
    const double largest = std::max({std::abs(row[kDx]), std::abs(row[kDy]), std::abs(row[kDz])});
    if (!(largest > 0.0))
      throw InputError(fmt::format("{}: direction (dx, dy, dz) = (0, 0, 0) has no length", where()));
    // Scales first, so that squares neither vanish nor overflow.
    const Vec3 scaled = {row[kDx] / largest, row[kDy] / largest, row[kDz] / largest};
    const double length = norm(scaled);
    pattern_.direction_x.push_back(static_cast<float>(scaled.x / length));
    pattern_.direction_y.push_back(static_cast<float>(scaled.y / length));
    pattern_.direction_z.push_back(static_cast<float>(scaled.z / length));
    pattern_.origin_x.push_back(static_cast<float>(row[kOx]));
    pattern_.origin_y.push_back(static_cast<float>(row[kOy]));
    pattern_.origin_z.push_back(static_cast<float>(row[kOz]));
  }

  template <class Where>
  void add_extras(const std::array<double, kColumns>& row, Where where) {
    if (has_range_) {
      const auto range_m = static_cast<float>(row[kRangeM]);
      if (!(range_m > pattern_.min_range_m[0])) {
        throw InputError(fmt::format("{}: range_m = {} is not above the minimum range, {} m", where(),
                                     number_text(row[kRangeM]), pattern_.min_range_m[0]));
      }
      pattern_.max_range_m.push_back(range_m);
    }
    if (has(columns_, kRing)) {
      const double ring = row[kRing];
      if (!(ring >= 0.0 && ring <= 65535.0 && ring == std::floor(ring))) {
        throw InputError(fmt::format("{}: ring = {} is not a whole number in [0, 65535]", where(), number_text(ring)));
      }
      pattern_.ring.push_back(static_cast<std::uint16_t>(ring));
    }
    if (has(columns_, kTimeS)) pattern_.time_offset_s.push_back(static_cast<float>(row[kTimeS]));
  }

  TableColumns columns_;
  bool has_range_;
  RayPattern pattern_;
};

TableColumns parse_csv_header(const LogLine& line, std::string_view text) {
  TableColumns columns;
  for (const std::string_view name : line.header_cells(text)) {
    const auto found = std::find(kColumnNames.begin(), kColumnNames.end(), name);
    if (found == kColumnNames.end()) {
      line.fail(fmt::format("column '{}' is not one of ox, oy, oz, dx, dy, dz, range_m, ring, time_s{}",
                            name.substr(0, 40), nearest_hint(name, kColumnNames)));
    }
    const auto column = static_cast<Column>(found - kColumnNames.begin());
    if (has(columns, column)) line.fail(fmt::format("column '{}' is there twice", name));
    columns.push_back(column);
  }
  for (std::size_t i = 0; i < kRequired; ++i) {
    if (!has(columns, static_cast<Column>(i))) line.fail(fmt::format("column '{}' is missing", kColumnNames[i]));
  }
  return columns;
}

/// Turns rows of time, azimuth and zenith into a pattern.
class LivoxBuilder {
 public:
  LivoxBuilder(float min_range_m, float max_range_m) {
    pattern_.rows = 1;
    pattern_.min_range_m = {min_range_m}, pattern_.max_range_m = {max_range_m};
  }

  [[nodiscard]] static std::size_t columns() { return kLivoxNames.size(); }

  template <class Where>
  void add(std::span<const double> row, Where where) {
    check(row[0], 0, -1e9, 1e9, where), check(row[1], 1, -360, 360, where), check(row[2], 2, 0, 180, where);
    const auto [sin_azimuth, cos_azimuth] = math::sincos(row[1] * kRadPerDeg);
    const auto [sin_zenith, cos_zenith] = math::sincos(row[2] * kRadPerDeg);
    pattern_.direction_x.push_back(static_cast<float>(sin_zenith * cos_azimuth));
    pattern_.direction_y.push_back(static_cast<float>(sin_zenith * sin_azimuth));
    pattern_.direction_z.push_back(static_cast<float>(cos_zenith));
    are_whole_ &= row[0] == std::floor(row[0]);
    if (!time_s_.empty() && not_counted_.empty() && row[0] != time_s_.back() + 1) {
      not_counted_ = fmt::format("{}: {} = {} is not {}: whole numbers count the rows", where(), kLivoxNames[0],
                                 number_text(row[0]), number_text(time_s_.back() + 1));
    }
    time_s_.push_back(row[0]);
  }

  RayPattern take(const std::string& file) {
    if (are_whole_ && !not_counted_.empty()) throw InputError(not_counted_);
    if (are_whole_) time_s_.clear();  // tables count their rows instead
    for (const double time_s : time_s_) {
      pattern_.time_offset_s.push_back(static_cast<float>(time_s - time_s_.front()));
    }
    return with_columns(std::move(pattern_), file);
  }

 private:
  template <class Where>
  static void check(double value, std::size_t column, double low, double high, Where where) {
    if (value >= low && value <= high) return;
    throw InputError(fmt::format("{}: {} = {} is not in [{}, {}]", where(), kLivoxNames[column], number_text(value),
                                 number_text(low), number_text(high)));
  }

  RayPattern pattern_;
  std::vector<double> time_s_;
  bool are_whole_ = true;    ///< all times
  std::string not_counted_;  ///< the first row that does not follow its predecessor
};

bool is_livox_header(std::string_view line) {
  const auto cells = split_cells(line);
  return std::equal(cells.begin(), cells.end(), kLivoxNames.begin(), kLivoxNames.end());
}

RayPattern read_csv(const std::filesystem::path& file, float min_range_m, float max_range_m) {
  const std::string name = file.string(), text = read_gzip_text(file);
  std::optional<std::variant<PatternBuilder, LivoxBuilder>> builder;
  std::vector<double> values;
  for_each_line(text, [&](std::size_t number, std::string_view line) {
    const auto where = [&] { return fmt::format("{}:{}", name, number); };
    if (trim(line).empty() || trim(line).front() == '#') return;
    if (!builder && is_livox_header(line)) {
      builder.emplace(LivoxBuilder(min_range_m, max_range_m));
      return;
    }
    if (!builder) {
      builder.emplace(PatternBuilder(parse_csv_header({file, number}, line), min_range_m, max_range_m));
      return;
    }
    const std::size_t columns = std::visit([](const auto& b) { return b.columns(); }, *builder);
    const auto cells = split_cells(line);
    if (cells.size() != columns) {
      throw InputError(fmt::format("{}: {} values, the header has {} columns", where(), cells.size(), columns));
    }
    values.clear();
    for (const std::string_view cell : cells) {
      const auto value = parse_number<double>(cell);
      if (!value) throw InputError(fmt::format("{}: '{}' is not a number", where(), cell.substr(0, 40)));
      values.push_back(*value);
    }
    std::visit([&](auto& b) { b.add(values, where); }, *builder);
  });
  if (!builder) throw InputError(fmt::format("{}: holds no rays", name));
  return std::visit([&](auto& b) { return b.take(name); }, *builder);
}

RayPattern read_npy_table(const std::filesystem::path& file, float min_range_m, float max_range_m) {
  const std::string name = file.string();
  const npy::Array table = npy::read(file);
  if (table.type != npy::Type::kFloat32 && table.type != npy::Type::kFloat64) {
    throw InputError(fmt::format("{}: a ray table holds float32 or float64", name));
  }
  if (table.shape.size() != 2 || table.shape[1] < kRequired || table.shape[1] > kColumns) {
    throw InputError(fmt::format("{}: a ray table has shape (n, 6 to 9)", name));
  }
  TableColumns columns;
  for (std::size_t i = 0; i < table.shape[1]; ++i) columns.push_back(static_cast<Column>(i));
  PatternBuilder builder(columns, min_range_m, max_range_m);
  std::vector<double> values(columns.size());
  for (std::size_t row = 0; row < table.shape[0]; ++row) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = table.at(row * values.size() + i);
    builder.add(values, [&] { return fmt::format("{}: row {} (from 0)", name, row); });
  }
  return builder.take(name);
}

}  // namespace

RayPattern read_ray_table(const std::filesystem::path& file, float min_range_m, float max_range_m) {
  if (!(min_range_m >= 0.0F && min_range_m < max_range_m && std::isfinite(max_range_m))) {
    throw InputError(fmt::format("{}: ranges {} to {} m are not 0 <= min_range_m < max_range_m", file.string(),
                                 min_range_m, max_range_m));
  }
  const std::string extension = file.extension().string();
  if (extension == ".npy") {
    return within_memory(file, [&] { return read_npy_table(file, min_range_m, max_range_m); });
  }
  if (extension == ".csv") {
    return within_memory(file, [&] { return read_csv(file, min_range_m, max_range_m); });
  }
  require_readable_file(file);
  throw InputError(fmt::format("{}: extension '{}' is not one of .npy, .csv", file.string(), extension));
}

}  // namespace fathom
