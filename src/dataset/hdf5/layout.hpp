// SPDX-License-Identifier: MIT
#pragma once
// What a file of HDF5 holds: groups, attributes, and arrays by kind.

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include <fathom/frame/channel_list.hpp>

#include "dataset/dataset_file.hpp"
#include "dataset/hdf5/handle.hpp"

namespace fathom::hdf5 {

inline constexpr const char* kUnitGroup = "unit";
inline constexpr hsize_t kPoseNumbers = 7;

/// The arrays of numbers of all units.
inline constexpr std::array<const char*, 5> kUnitNumbers = {"index", "environment", "episode", "first_frame", "frames"};

/// The attributes of a file: who made it, and of what. `digest`: of the pack.
void describe_file(hid_t file, const DatasetFile& dataset, const std::string& digest,
                   const std::filesystem::path& name);

/// The groups of the sensors, in their order, with what is to be known of each.
std::vector<Handle> make_sensor_groups(hid_t file, const DatasetFile& dataset, const std::filesystem::path& name);

/// The attributes of an array of a channel.
void describe_channel(hid_t array, const ChannelInfo& info, const std::filesystem::path& name);

/// The type of elements in files.
hid_t file_type(ElementType type);

/// Properties of an array: missing elements of numbers with a point are NaN. Names and sizes are all that is kept.
Handle array_properties(hid_t type, const std::filesystem::path& name);

}  // namespace fathom::hdf5
