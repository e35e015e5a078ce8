// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fathom/base/error.hpp>
#include <fathom/frame/frame.hpp>
#include <fathom/frame/reason.hpp>

#include "dataset/hdf5/compress.hpp"
#include "dataset/hdf5/handle.hpp"
#include "dataset/pack_writer.hpp"
#include "simulate/outputs/arrays.hpp"
#include "simulate/prepare_run.hpp"

namespace fathom::hdf5 {

namespace {

using LayoutJson = nlohmann::ordered_json;

constexpr const char* kUnitGroup = "unit";
constexpr hsize_t kPoseNumbers = 7;

/// The arrays of numbers of all units.
constexpr std::array<const char*, 5> kUnitNumbers = {"index", "environment", "episode", "first_frame", "frames"};

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

/// The attributes of a file. `digest`: of the pack.
void describe_file(hid_t file, const DatasetFile& dataset, const std::string& digest,
                   const std::filesystem::path& name) {
  write_attribute(file, "fathom", dataset.version, name);
  write_attribute(file, "scene", dataset.scene, name);
  write_attribute(file, "seed", std::to_string(dataset.seed), name);  // 64 bits do not fit into a double
  write_attribute(file, "digest", digest, name);
}

/// The groups of the sensors, in their order, with descriptions.
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

/// Missing elements of real numbers are NaN. The file keeps no times of arrays.
Handle array_properties(hid_t type, const std::filesystem::path& name) {
  Handle properties(H5Pcreate(H5P_DATASET_CREATE), &H5Pclose, name);
  check(H5Pset_obj_track_times(properties.get(), false), name);
  const double missing = std::numeric_limits<double>::quiet_NaN();
  if (H5Tget_class(type) == H5T_FLOAT) {
    check(H5Pset_fill_value(properties.get(), H5T_NATIVE_DOUBLE, &missing), name);
  }
  return properties;
}

/// Writes the file of a pack: each frame of a channel is a chunk, written immediately.
class Hdf5Writer final : public FileWriter {
 public:
  Hdf5Writer(std::filesystem::path dataset, const SceneSetup& setup, PreparedRun& run, DatasetFile file);
  ~Hdf5Writer() override;

  void begin(const Unit& unit, const std::string& parameters_json) override;
  void add(const UnitFrame& frame) override;
  void end(RunCounts& /*counts*/) override {}

 private:
  struct SensorArrays {
    Handle group;
    std::vector<Handle> channels;  // as in plans_; empty before the first frame
    std::uint32_t returns = 0, rows = 0, cols = 0;
    std::vector<double> time_s, pose;  // [units, frames], [units, frames, 7]
    std::vector<double> delivered_s;   // [units, frames]; empty: the sensor has no timing
  };

  void open_file() override;
  FileDigest close_file() override;
  void make_channels(const UnitFrame& frame);
  [[nodiscard]] Handle make_channel(const SensorArrays& sensor, const ChannelInfo& info);
  void write_frame(hid_t array, const ChannelInfo& info, std::span<const std::byte> elements);
  void keep_pose(const UnitFrame& frame);
  void write_numbers();
  void write_array(hid_t group, const char* name, hid_t file_type, hid_t memory_type, std::span<const hsize_t> shape,
                   const void* elements);

  DatasetFile about_;
  PreparedRun& run_;
  std::vector<std::vector<ArrayPlan>> plans_;  // [sensor]
  std::optional<ChunkFilter> filter_;          // empty without compression
  FileMemory memory_;
  std::optional<NewFile> file_;
  std::vector<SensorArrays> sensors_;
  std::vector<Unit> units_;  // of the pack, so far
  std::vector<std::string> parameters_;
  std::uint64_t frame_ = 0;    // in the unit, of the frame being added
  std::vector<float> buffer_;  // one array
};

}  // namespace

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
    throw InputError(fmt::format("{}: sensors: name '{}': HDF5 has the numbers of the units there; choose another name",
                                 setup.file.string(), sensor.sensor.name));
  }
}

std::unique_ptr<PackWriter> make_hdf5_writer(const std::filesystem::path& dataset, const SceneSetup& setup,
                                             PreparedRun& run, const DatasetFile& file) {
  return std::make_unique<hdf5::Hdf5Writer>(dataset, setup, run, file);
}

}  // namespace fathom
