// SPDX-License-Identifier: MIT
#include "simulate/file_plan.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "base/text.hpp"

namespace fathom {

namespace {

/// Mistakes that a user's own kind of output can make.
void check_file(const OutputFile& file, std::string_view slug) {
  if (!is_word(file.stem) || !is_word(file.extension)) {
    throw InputError(
        fmt::format("{}: '{}' cannot name a file: letters, digits, _ and - are allowed", slug, file.name(0)));
  }
  if (static_cast<bool>(file.write) == file.is_log() || !file.bytes_at_most) {
    throw InputError(fmt::format("{}: {} must have bytes_at_most and either write or begin_log", slug, file.name(0)));
  }
}

}  // namespace

std::vector<OutputFile> plan_files(const SensorSetup& setup) {
  std::vector<OutputFile> files;
  std::set<std::string> names;
  for (const Output& output : setup.outputs) {
    for (OutputFile& file : output.files(setup.sensor)) {
      check_file(file, output.info().slug);
      if (!names.insert(file.name(0)).second) {
        throw InputError(fmt::format("two outputs of '{}' write the same file {}", setup.sensor.name, file.name(0)));
      }
      files.push_back(std::move(file));
    }
  }
  return files;
}

ChannelSet planned_channels(const SensorSetup& setup) {
  ChannelSet channels = {Channel::kReason};
  for (const Output& output : setup.outputs) channels = channels | output.needs(setup.sensor);
  return channels;
}

void check_sensor_name(std::string_view name) {
  constexpr std::size_t kLongest = 64;
  if (name.size() > kLongest || !is_word(name)) {
    throw InputError(
        fmt::format("'{}' cannot name a folder: 1 to {} letters, digits, _ and - are allowed", name, kLongest));
  }
}

void SensorNames::add(const std::string& name) {
  const auto [place, fresh] = by_lower_case_.emplace(lower_case(name), name);
  if (fresh) return;
  if (place->second == name) throw InputError(fmt::format("the name '{}' is there twice", name));
  throw InputError(
      fmt::format("the name '{}' differs from '{}' in case only; their folders would be one where file "
                  "names have no case",
                  name, place->second));
}

}  // namespace fathom
