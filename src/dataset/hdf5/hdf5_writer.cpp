// SPDX-License-Identifier: MIT
#include "dataset/hdf5/hdf5_writer.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "dataset/hdf5/layout.hpp"
#include "dataset/hdf5_files.hpp"

namespace fathom::hdf5 {

Hdf5Writer::Hdf5Writer(std::filesystem::path dataset, const SceneSetup& setup, PreparedRun& run, DatasetFile file)
    : FileWriter(std::move(dataset), file.packs, file.inputs), about_(std::move(file)), run_(run) {
  for (const SensorSetup& sensor : setup.sensors) plans_.push_back(planned_arrays(sensor));
  const int level = packs().files().compression;
  if (level > 0) filter_.emplace(level);
}

Hdf5Writer::~Hdf5Writer() {
  const Quiet quiet;
  sensors_.clear();
  file_.reset();
  remove_unfinished();
}

void Hdf5Writer::open_file() {
  const Quiet quiet;
  file_.emplace(unfinished(), memory_);
  describe_file(file_->get(), about_, packs().digest(about_.inputs, pack()), unfinished());
  std::vector<Handle> groups = make_sensor_groups(file_->get(), about_, unfinished());
  const std::size_t frames = pack().units * packs().units().block();
  for (Handle& group : groups) {
    SensorArrays& sensor = sensors_.emplace_back();
    sensor.group = std::move(group);
    sensor.time_s.assign(frames, std::numeric_limits<double>::quiet_NaN());
    sensor.pose.assign(kPoseNumbers * frames, std::numeric_limits<double>::quiet_NaN());
    if (run_.simulator.sensor(run_.sensors[sensors_.size() - 1].id).timing != Timing()) {
      sensor.delivered_s = sensor.time_s;
    }
  }
}

void Hdf5Writer::begin(const Unit& unit, const std::string& parameters_json) {
  units_.push_back(unit);
  parameters_.push_back(parameters_json);
}

void Hdf5Writer::add(const UnitFrame& frame) {
  const Quiet quiet;
  const std::vector<ArrayPlan>& plans = plans_[frame.sensor];
  SensorArrays& sensor = sensors_[frame.sensor];
  frame_ = frame.index - units_.back().first_frame;
  keep_pose(frame);
  if (sensor.channels.empty()) make_channels(frame);
  if (frame.frame.rows() != sensor.rows || frame.frame.cols() != sensor.cols) {
    throw InputError(
        fmt::format("{}: frame {} of '{}' has {} x {} rays, the first one {} x {}: HDF5 holds arrays of one size",
                    unfinished().string(), frame.index, run_.simulator.sensor(run_.sensors[frame.sensor].id).name,
                    frame.frame.rows(), frame.frame.cols(), sensor.rows, sensor.cols));
  }
  for (std::size_t i = 0; i < plans.size(); ++i) {
    write_frame(sensor.channels[i].get(), channel_info(plans[i].channel), array_bytes(frame.frame, plans[i], buffer_));
  }
}

void Hdf5Writer::keep_pose(const UnitFrame& frame) {
  const std::size_t at = (units_.size() - 1) * packs().units().block() + frame_;
  const Pose pose = run_.simulator.world_from_sensor(run_.sensors[frame.sensor].id, frame.time_s);
  const Vec3& p = pose.translation_m;
  const Quaternion& q = pose.rotation;
  SensorArrays& sensor = sensors_[frame.sensor];
  sensor.time_s[at] = frame.time_s;
  if (!sensor.delivered_s.empty()) sensor.delivered_s[at] = frame.frame.delivered_s();
  const std::array<double, kPoseNumbers> numbers = {p.x, p.y, p.z, q.w, q.x, q.y, q.z};
  std::ranges::copy(numbers, sensor.pose.begin() + static_cast<std::ptrdiff_t>(kPoseNumbers * at));
}

void Hdf5Writer::make_channels(const UnitFrame& frame) {
  SensorArrays& sensor = sensors_[frame.sensor];
  sensor.returns = frame.frame.returns(), sensor.rows = frame.frame.rows(), sensor.cols = frame.frame.cols();
  for (const ArrayPlan& plan : plans_[frame.sensor]) {
    sensor.channels.push_back(make_channel(sensor, channel_info(plan.channel)));
  }
}

Handle Hdf5Writer::make_channel(const SensorArrays& sensor, const ChannelInfo& info) {
  std::vector<hsize_t> shape = {pack().units, packs().units().block()};
  if (sensor.returns > 1) shape.push_back(sensor.returns);
  shape.push_back(sensor.rows), shape.push_back(sensor.cols);
  if (info.planes > 1) shape.push_back(info.planes);
  std::vector<hsize_t> chunk = shape;
  chunk[0] = 1, chunk[1] = 1;
  const int rank = static_cast<int>(shape.size());
  const hid_t type = file_type(info.type);
  const Handle space(H5Screate_simple(rank, shape.data(), nullptr), &H5Sclose, unfinished());
  const Handle how = array_properties(type, unfinished());
  check(H5Pset_chunk(how.get(), rank, chunk.data()), unfinished());
  if (filter_) {
    check(H5Pset_shuffle(how.get()), unfinished());
    check(H5Pset_deflate(how.get(), static_cast<unsigned>(packs().files().compression)), unfinished());
  }
  Handle array(H5Dcreate2(sensor.group.get(), std::string(info.name()).c_str(), type, space.get(), H5P_DEFAULT,
                          how.get(), H5P_DEFAULT),
               &H5Dclose, unfinished());
  describe_channel(array.get(), info, unfinished());
  return array;
}

void Hdf5Writer::write_frame(hid_t array, const ChannelInfo& info, std::span<const std::byte> elements) {
  constexpr std::uint32_t kWithoutDeflate = 2;  // the second of the two filters
  const StoredChunk chunk = filter_ ? filter_->store(elements, size_of(info.type)) : StoredChunk{elements, true};
  const std::array<hsize_t, 6> at = {units_.size() - 1, frame_, 0, 0, 0, 0};
  check(H5Dwrite_chunk(array, H5P_DEFAULT, chunk.deflated ? 0 : kWithoutDeflate, at.data(), chunk.bytes.size(),
                       chunk.bytes.data()),
        unfinished());
}

void Hdf5Writer::write_array(hid_t group, const char* name, hid_t file_type, hid_t memory_type,
                             std::span<const hsize_t> shape, const void* elements) {
  const Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), &H5Sclose, unfinished());
  const Handle how = array_properties(file_type, unfinished());
  const Handle array(H5Dcreate2(group, name, file_type, space.get(), H5P_DEFAULT, how.get(), H5P_DEFAULT), &H5Dclose,
                     unfinished());
  check(H5Dwrite(array.get(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, elements), unfinished());
}

void Hdf5Writer::write_numbers() {
  const std::array<hsize_t, 3> shape = {pack().units, packs().units().block(), kPoseNumbers};
  for (const SensorArrays& sensor : sensors_) {
    write_array(sensor.group.get(), "time_s", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, std::span(shape).first(2),
                sensor.time_s.data());
    if (!sensor.delivered_s.empty()) {
      write_array(sensor.group.get(), "delivered_s", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, std::span(shape).first(2),
                  sensor.delivered_s.data());
    }
    write_array(sensor.group.get(), "pose", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, shape, sensor.pose.data());
  }
  const Handle group = create_group(file_->get(), kUnitGroup, unfinished());
  std::array<std::vector<std::uint64_t>, kUnitNumbers.size()> columns;
  for (const Unit& unit : units_) {
    const std::array<std::uint64_t, kUnitNumbers.size()> row = {unit.index, unit.environment, unit.episode,
                                                                unit.first_frame, unit.frames};
    for (std::size_t i = 0; i < row.size(); ++i) columns[i].push_back(row[i]);
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    write_array(group.get(), kUnitNumbers[i], H5T_STD_U64LE, H5T_NATIVE_UINT64, std::span(shape).first(1),
                columns[i].data());
  }
  std::vector<const char*> texts;
  for (const std::string& text : parameters_) texts.push_back(text.c_str());
  const Handle type = text_type(unfinished());
  write_array(group.get(), "parameters", type.get(), type.get(), std::span(shape).first(1), texts.data());
}

FileDigest Hdf5Writer::close_file() {
  const Quiet quiet;
  write_numbers();
  sensors_.clear();
  units_.clear();
  parameters_.clear();
  FileDigest digest = file_->save(unfinished());
  file_.reset();
  return digest;
}

}  // namespace fathom::hdf5

namespace fathom {

bool hdf5_takes_threads() {
  hbool_t safe = false;
  return H5is_library_threadsafe(&safe) >= 0 && safe;
}

void check_hdf5(const SceneSetup& setup) {
  for (const SensorSetup& sensor : setup.sensors) {
    if (sensor.sensor.name != hdf5::kUnitGroup) continue;
    throw InputError(fmt::format("{}: sensors: name '{}': HDF5 has the numbers of the units there; name it otherwise",
                                 setup.file.string(), sensor.sensor.name));
  }
}

std::unique_ptr<PackWriter> make_hdf5_writer(const std::filesystem::path& dataset, const SceneSetup& setup,
                                             PreparedRun& run, const DatasetFile& file) {
  return std::make_unique<hdf5::Hdf5Writer>(dataset, setup, run, file);
}

}  // namespace fathom
