// SPDX-License-Identifier: MIT
#include "dataset/hdf5/layout.hpp"

#include <limits>

#include <nlohmann/json.hpp>

#include <fathom/frame/reason.hpp>

namespace fathom::hdf5 {

namespace {

using LayoutJson = nlohmann::ordered_json;

void describe_sensor(hid_t group, const LayoutJson& sensor, const std::filesystem::path& name) {
  write_attribute(group, "noise", sensor.at("noise").dump(), name);
  write_attribute(group, "range_policy", sensor.at("range_policy").get<std::string>(), name);
  if (sensor.contains("timing")) write_attribute(group, "timing", sensor.at("timing").dump(), name);
  if (!sensor.contains("intrinsics")) return;
  for (const auto& [key, value] : sensor.at("intrinsics").items())
    write_attribute(group, key.c_str(), value.get<double>(), name);
}

std::string reason_words() {
  std::string words;
  for (const std::string_view word : kReasonNames) {
    if (!words.empty()) words += ',';
    words += word;
  }
  return words;
}

}  // namespace

void describe_file(hid_t file, const DatasetFile& dataset, const std::string& digest,
                   const std::filesystem::path& name) {
  write_attribute(file, "fathom", dataset.version, name);
  write_attribute(file, "scene", dataset.scene, name);
  write_attribute(file, "seed", std::to_string(dataset.seed), name);  // of 64 bits: no double holds all
  write_attribute(file, "digest", digest, name);
}

std::vector<Handle> make_sensor_groups(hid_t file, const DatasetFile& dataset, const std::filesystem::path& name) {
  std::vector<Handle> groups;
  for (const LayoutJson& sensor : LayoutJson::parse(dataset.sensors)) {
    groups.push_back(create_group(file, sensor.at("name").get<std::string>(), name));
    describe_sensor(groups.back().get(), sensor, name);
  }
  return groups;
}

void describe_channel(hid_t array, const ChannelInfo& info, const std::filesystem::path& name) {
  write_attribute(array, "unit", std::string(info.unit), name);
  write_attribute(array, "description", std::string(info.doc), name);
  if (info.channel == Channel::kReason) write_attribute(array, "words", reason_words(), name);
}

hid_t file_type(ElementType type) {
  switch (type) {
    case ElementType::kUint8:
      return H5T_STD_U8LE;
    case ElementType::kUint16:
      return H5T_STD_U16LE;
    case ElementType::kUint32:
      return H5T_STD_U32LE;
    case ElementType::kFloat32:
      break;
  }
  return H5T_IEEE_F32LE;
}

Handle array_properties(hid_t type, const std::filesystem::path& name) {
  Handle properties(H5Pcreate(H5P_DATASET_CREATE), &H5Pclose, name);
  check(H5Pset_obj_track_times(properties.get(), false), name);
  const double missing = std::numeric_limits<double>::quiet_NaN();
  if (H5Tget_class(type) == H5T_FLOAT) {
    check(H5Pset_fill_value(properties.get(), H5T_NATIVE_DOUBLE, &missing), name);
  }
  return properties;
}

}  // namespace fathom::hdf5
