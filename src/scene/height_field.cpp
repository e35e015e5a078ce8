// SPDX-License-Identifier: MIT
#include <fathom/scene/height_field.hpp>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "base/text.hpp"

namespace fathom {

namespace {

void check_field_size(std::string_view what, double value) {
  if (value > 0.0 && value <= kMostPrimitiveM) return;
  throw InputError(
      fmt::format("height_field.{} = {} is not in (0, {}] m", what, number_text(value), number_text(kMostPrimitiveM)));
}

std::size_t triangles_of(const HeightField& field) {
  const std::size_t rows = field.rows, cols = field.cols;
  const std::size_t rim = 2 * (rows - 1) + 2 * (cols - 1);
  return 2 * (rows - 1) * (cols - 1) + (field.base_m > 0.0 ? 3 * rim : 0);
}

void check_grid(const HeightField& field) {
  if (field.rows < 2 || field.cols < 2) {
    throw InputError(
        fmt::format("height_field has {} x {} heights; it needs 2 rows and 2 columns or more", field.rows, field.cols));
  }
  const std::size_t count = std::size_t{field.rows} * field.cols;
  if (field.heights_m.size() != count) {
    throw InputError(fmt::format("height_field.heights_m has {} values; {} rows of {} columns need {}",
                                 field.heights_m.size(), field.rows, field.cols, count));
  }
  if (triangles_of(field) > kMaxHeightFieldTriangles) {
    throw InputError(fmt::format("height_field of {} x {} heights makes {} triangles, more than {}", field.rows,
                                 field.cols, triangles_of(field), kMaxHeightFieldTriangles));
  }
}

void check_heights(const HeightField& field) {
  for (std::size_t i = 0; i < field.heights_m.size(); ++i) {
    const double height_m = field.heights_m[i];
    const auto place = [&] {
      return fmt::format("height_field.heights_m[{}, {}] = {}", i / field.cols, i % field.cols, number_text(height_m));
    };
    if (!(height_m >= -kMostPrimitiveM && height_m <= kMostPrimitiveM)) {
      throw InputError(
          fmt::format("{} is not in [{}, {}] m", place(), number_text(-kMostPrimitiveM), number_text(kMostPrimitiveM)));
    }
    if (field.base_m > 0.0 && !(field.heights_m[i] > static_cast<float>(-field.base_m))) {
      throw InputError(
          fmt::format("{} is not above the bottom, at {} m (base_m)", place(), number_text(-field.base_m)));
    }
  }
}

void check_field(const HeightField& field) {
  check_field_size("size_x_m", field.size_x_m);
  check_field_size("size_y_m", field.size_y_m);
  if (!(field.base_m >= 0.0 && field.base_m <= kMostPrimitiveM)) {
    throw InputError(fmt::format("height_field.base_m = {} is not in [0, {}] m", number_text(field.base_m),
                                 number_text(kMostPrimitiveM)));
  }
  check_grid(field);
  check_heights(field);
}

/// The vertices on the rim, counter-clockwise from above, each once.
std::vector<std::uint32_t> rim_of(std::uint32_t rows, std::uint32_t cols) {
  std::vector<std::uint32_t> rim;
  for (std::uint32_t c = 0; c + 1 < cols; ++c) rim.push_back(c);
  for (std::uint32_t r = 0; r + 1 < rows; ++r) rim.push_back(r * cols + cols - 1);
  for (std::uint32_t c = cols - 1; c > 0; --c) rim.push_back((rows - 1) * cols + c);
  for (std::uint32_t r = rows - 1; r > 0; --r) rim.push_back(r * cols);
  return rim;
}

/// Walls below the rim, and a bottom that is a fan around its centre.
void add_body(Mesh& mesh, const std::vector<std::uint32_t>& rim, float bottom_m) {
  const auto first = static_cast<std::uint32_t>(mesh.vertices_m.size());
  for (const std::uint32_t top : rim) {
    const auto [x, y, z] = mesh.vertices_m[top];
    mesh.vertices_m.push_back({x, y, bottom_m});
  }
  const auto centre = static_cast<std::uint32_t>(mesh.vertices_m.size());
  mesh.vertices_m.push_back({0, 0, bottom_m});
  const auto count = static_cast<std::uint32_t>(rim.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t next = (i + 1) % count;
    mesh.triangles.push_back({rim[i], first + i, first + next});
    mesh.triangles.push_back({rim[i], first + next, rim[next]});
    mesh.triangles.push_back({centre, first + next, first + i});
  }
}

}  // namespace

Mesh make_height_field(const HeightField& field) {
  check_field(field);
  const std::uint32_t rows = field.rows, cols = field.cols;
  Mesh mesh;
  mesh.triangles.reserve(triangles_of(field));
  for (std::uint32_t r = 0; r < rows; ++r) {
    const double y = field.size_y_m * (static_cast<double>(r) / (rows - 1) - 0.5);
    for (std::uint32_t c = 0; c < cols; ++c) {
      const double x = field.size_x_m * (static_cast<double>(c) / (cols - 1) - 0.5);
      mesh.vertices_m.push_back(
          {static_cast<float>(x), static_cast<float>(y), field.heights_m[std::size_t{r} * cols + c]});
    }
  }
  for (std::uint32_t r = 0; r + 1 < rows; ++r) {
    for (std::uint32_t c = 0; c + 1 < cols; ++c) {
      const std::uint32_t at = r * cols + c;
      mesh.triangles.push_back({at, at + 1, at + cols + 1});
      mesh.triangles.push_back({at, at + cols + 1, at + cols});
    }
  }
  if (field.base_m > 0.0) add_body(mesh, rim_of(rows, cols), static_cast<float>(-field.base_m));
  return mesh;
}

}  // namespace fathom
