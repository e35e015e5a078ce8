// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fathom/core/error.hpp>
#include <fathom/frame/frame.hpp>
#include <fathom/frame/reason.hpp>

#include "core/text/files.hpp"
#include "run/dataset/digest.hpp"
#include "run/dataset/hdf5_files.hpp"
#include "run/dataset/pack_writer.hpp"
#include "run/outputs/arrays.hpp"
#include "run/prepare_run.hpp"

namespace fathom {

namespace {

using LayoutJson = nlohmann::ordered_json;
using Object = Hdf5Files::Object;

constexpr const char* kUnitGroup = "unit";
constexpr std::uint64_t kPoseNumbers = 7;

/// The arrays of numbers of all units.
constexpr std::array<const char*, 5> kUnitNumbers = {"index", "environment", "episode", "first_frame", "frames"};

std::string reason_words() {
  std::string words;
  for (const std::string_view word : kReasonNames) {
    if (!words.empty()) words += ',';
    words += word;
  }
  return words;
}

Hdf5Type hdf5_type(ElementType type) {
  switch (type) {
    case ElementType::kUint8:
      return Hdf5Type::kUint8;
    case ElementType::kUint16:
      return Hdf5Type::kUint16;
    case ElementType::kUint32:
      return Hdf5Type::kUint32;
    case ElementType::kFloat32:
      break;
  }
  return Hdf5Type::kFloat32;
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
    Object group = Hdf5Files::kRoot;
    std::vector<Object> channels;  // as in plans_; empty before the first frame
    std::uint32_t returns = 0, rows = 0, cols = 0;
    std::vector<double> time_s, pose;  // [units, frames], [units, frames, 7]
    std::vector<double> delivered_s;   // [units, frames]; empty: the sensor has no timing
  };

  void open_file() override;
  FileDigest close_file() override;
  void describe_sensor(Object group, const LayoutJson& sensor);
  [[nodiscard]] SensorArrays make_arrays(std::size_t sensor, Object group) const;
  void make_channels(const UnitFrame& frame);
  [[nodiscard]] Object make_channel(const SensorArrays& sensor, const ChannelInfo& info);
  void keep_pose(const UnitFrame& frame);
  void write_numbers();
  void write_sensor(const SensorArrays& sensor);
  void write_units();

  DatasetFile about_;
  PreparedRun& run_;
  std::vector<std::vector<ArrayPlan>> plans_;  // [sensor]
  std::unique_ptr<Hdf5Files> file_;
  std::vector<SensorArrays> sensors_;
  std::vector<Unit> units_;  // of the pack, so far
  std::vector<std::string> parameters_;
  std::uint64_t frame_ = 0;    // in the unit, of the frame being added
  std::vector<float> buffer_;  // one array
};

Hdf5Writer::Hdf5Writer(std::filesystem::path dataset, const SceneSetup& setup, PreparedRun& run, DatasetFile file)
    : FileWriter(std::move(dataset), file.packs, file.inputs), about_(std::move(file)), run_(run) {
  for (const SensorSetup& sensor : setup.sensors) plans_.push_back(planned_arrays(sensor));
  file_ = make_hdf5_files(packs().files().compression);
}

Hdf5Writer::~Hdf5Writer() {
  file_.reset();
  remove_unfinished();
}

void Hdf5Writer::open_file() {
  file_->begin(unfinished());
  file_->set(Hdf5Files::kRoot, "fathom", about_.version);
  file_->set(Hdf5Files::kRoot, "scene", about_.scene);
  file_->set(Hdf5Files::kRoot, "seed", std::to_string(about_.seed));  // 64 bits do not fit into a double
  file_->set(Hdf5Files::kRoot, "digest", packs().digest(about_.inputs, pack()));
  for (const LayoutJson& sensor : LayoutJson::parse(about_.sensors)) {
    const Object group = file_->add_group(sensor.at("name").get<std::string>());
    describe_sensor(group, sensor);
    sensors_.push_back(make_arrays(sensors_.size(), group));
  }
}

void Hdf5Writer::describe_sensor(Object group, const LayoutJson& sensor) {
  file_->set(group, "noise", sensor.at("noise").dump());
  if (sensor.contains("velocity_noise")) file_->set(group, "velocity_noise", sensor.at("velocity_noise").dump());
  file_->set(group, "range_policy", sensor.at("range_policy").get<std::string>());
  if (sensor.contains("timing")) file_->set(group, "timing", sensor.at("timing").dump());
  if (!sensor.contains("intrinsics")) return;
  for (const auto& [key, value] : sensor.at("intrinsics").items()) {
    file_->set(group, key.c_str(), value.get<double>());
  }
}

Hdf5Writer::SensorArrays Hdf5Writer::make_arrays(std::size_t sensor, Object group) const {
  const std::size_t frames = pack().units * packs().units().block();
  SensorArrays made;
  made.group = group;
  made.time_s.assign(frames, std::numeric_limits<double>::quiet_NaN());
  made.pose.assign(kPoseNumbers * frames, std::numeric_limits<double>::quiet_NaN());
  if (run_.simulator.sensor(run_.sensors[sensor].id).timing != Timing()) made.delivered_s = made.time_s;
  return made;
}

void Hdf5Writer::begin(const Unit& unit, const std::string& parameters_json) {
  units_.push_back(unit);
  parameters_.push_back(parameters_json);
}

void Hdf5Writer::add(const UnitFrame& frame) {
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
  const std::array<std::uint64_t, 6> at = {units_.size() - 1, frame_, 0, 0, 0, 0};
  for (std::size_t i = 0; i < plans.size(); ++i) {
    file_->write_chunk(sensor.channels[i], at, array_bytes(frame.frame, plans[i], buffer_));
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

Object Hdf5Writer::make_channel(const SensorArrays& sensor, const ChannelInfo& info) {
  std::vector<std::uint64_t> shape = {pack().units, packs().units().block()};
  if (sensor.returns > 1) shape.push_back(sensor.returns);
  shape.push_back(sensor.rows), shape.push_back(sensor.cols);
  if (info.planes > 1) shape.push_back(info.planes);
  std::vector<std::uint64_t> chunk = shape;
  chunk[0] = 1, chunk[1] = 1;
  const Object array = file_->add_array(sensor.group, std::string(info.name()), hdf5_type(info.type), shape, chunk);
  file_->set(array, "unit", std::string(info.unit));
  file_->set(array, "description", std::string(info.doc));
  if (info.channel == Channel::kReason) file_->set(array, "words", reason_words());
  return array;
}

void Hdf5Writer::write_numbers() {
  for (const SensorArrays& sensor : sensors_) write_sensor(sensor);
  write_units();
}

void Hdf5Writer::write_sensor(const SensorArrays& sensor) {
  const std::array<std::uint64_t, 3> shape = {pack().units, packs().units().block(), kPoseNumbers};
  const auto frames = std::span(shape).first(2);
  file_->write_array(sensor.group, "time_s", Hdf5Type::kFloat64, frames, sensor.time_s.data());
  if (!sensor.delivered_s.empty()) {
    file_->write_array(sensor.group, "delivered_s", Hdf5Type::kFloat64, frames, sensor.delivered_s.data());
  }
  file_->write_array(sensor.group, "pose", Hdf5Type::kFloat64, shape, sensor.pose.data());
}

void Hdf5Writer::write_units() {
  const std::array<std::uint64_t, 1> shape = {pack().units};
  const Object group = file_->add_group(kUnitGroup);
  std::array<std::vector<std::uint64_t>, kUnitNumbers.size()> columns;
  for (const Unit& unit : units_) {
    const std::array<std::uint64_t, kUnitNumbers.size()> row = {unit.index, unit.environment, unit.episode,
                                                                unit.first_frame, unit.frames};
    for (std::size_t i = 0; i < row.size(); ++i) columns[i].push_back(row[i]);
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    file_->write_array(group, kUnitNumbers[i], Hdf5Type::kUint64, shape, columns[i].data());
  }
  std::vector<const char*> texts;
  for (const std::string& text : parameters_) texts.push_back(text.c_str());
  file_->write_array(group, "parameters", Hdf5Type::kText, shape, texts.data());
}

FileDigest Hdf5Writer::close_file() {
  constexpr std::size_t kBlock = std::size_t{1} << 18U;  // stays in a cache between the two reads
  write_numbers();
  sensors_.clear();
  units_.clear();
  parameters_.clear();
  WholeFile out(unfinished());
  Digester digester;
  file_->finish([&](std::span<const std::byte> bytes) {
    for (; !bytes.empty(); bytes = bytes.subspan(std::min(kBlock, bytes.size()))) {
      const auto block = bytes.first(std::min(kBlock, bytes.size()));
      digester.add(block);
      out.write(block);
    }
  });
  out.commit();
  return digester.result();
}

}  // namespace

void check_hdf5(const SceneSetup& setup) {
  for (const SensorSetup& sensor : setup.sensors) {
    if (sensor.sensor.name != kUnitGroup) continue;
    throw InputError(fmt::format("{}: sensors: name '{}': HDF5 has the numbers of the units there; choose another name",
                                 setup.file.string(), sensor.sensor.name));
  }
}

std::unique_ptr<PackWriter> make_hdf5_writer(const std::filesystem::path& dataset, const SceneSetup& setup,
                                             PreparedRun& run, const DatasetFile& file) {
  return std::make_unique<Hdf5Writer>(dataset, setup, run, file);
}

}  // namespace fathom
