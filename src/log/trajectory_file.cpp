// SPDX-License-Identifier: MIT
#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/files/trajectories.hpp>

#include "base/coordinates.hpp"
#include "base/text.hpp"
#include "text/gzip_text.hpp"
#include "text/read_file.hpp"
#include "text/text_lines.hpp"

namespace fathom {

namespace {

constexpr std::array<std::string_view, 8> kTumColumns = {"stamp", "tx", "ty", "tz", "qx", "qy", "qz", "qw"};

/// One line of a TUM file; `where` is "file:line".
StampedPose parse_pose(std::string_view line, const std::string& where) {
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
  std::vector<StampedPose> poses;
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

Trajectory read_trajectory(const std::filesystem::path& file) {
  return within_memory(file, [&] { return read_tum(file); });
}

}  // namespace fathom
