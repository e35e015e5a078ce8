// SPDX-License-Identifier: MIT
#include "dataset/tar_writer.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "dataset/fail_at.hpp"

namespace fathom {

namespace {

constexpr std::size_t kTarBlock = 512;

/// The header of a member: ustar, POSIX.1-1988. No owner and no time, so that equal frames are equal bytes.
std::array<char, kTarBlock> tar_header(const std::string& name, std::size_t bytes) {
  std::array<char, kTarBlock> header = {};
  const auto put = [&header](std::size_t at, const std::string& text) { text.copy(header.data() + at, text.size()); };
  put(0, name);
  put(100, fmt::format("{:07o}", 0644));    // mode
  put(108, fmt::format("{:07o}", 0));       // owner
  put(116, fmt::format("{:07o}", 0));       // group
  put(124, fmt::format("{:011o}", bytes));  // size
  put(136, fmt::format("{:011o}", 0));      // time
  put(148, "        ");                     // the checksum, taken with blanks in its place
  put(156, "0");                            // a regular file
  put(257, std::string("ustar\0"
                       "00",
                       8));
  const auto add = [](unsigned sum, char c) { return sum + static_cast<unsigned char>(c); };
  put(148, fmt::format("{:06o}", std::accumulate(header.begin(), header.end(), 0U, add)) + std::string("\0 ", 2));
  return header;
}

constexpr std::size_t kNameBytes = 100;
constexpr std::uint64_t kMemberBytes = std::uint64_t{1} << 33U;  // eleven octal digits

nlohmann::ordered_json pose_json(const Pose& pose) {
  const Vec3& p = pose.translation_m;
  const Quaternion& q = pose.rotation;
  return {{"position_m", {p.x, p.y, p.z}}, {"quat_wxyz", {q.w, q.x, q.y, q.z}}};
}

}  // namespace

TarWriter::TarWriter(std::filesystem::path dataset, const SceneSetup& setup, PreparedRun& run, const PackList& packs,
                     std::string inputs)
    : FileWriter(std::move(dataset), packs, std::move(inputs)), run_(run) {
  for (const SensorSetup& sensor : setup.sensors) arrays_.push_back(planned_arrays(sensor));
}

TarWriter::~TarWriter() {
  file_.reset();
  remove_unfinished();
}

void TarWriter::open_file() {
  file_.reset(std::fopen(unfinished().c_str(), "wbxe"));
  if (!file_) fail_at(unfinished(), "be made", errno);
  written_.emplace();
  constexpr std::size_t kBuffer = std::size_t{1} << 18U;
  std::setvbuf(file_.get(), nullptr, _IOFBF, kBuffer);
}

/// Two empty blocks end the archive.
FileDigest TarWriter::close_file() {
  const std::array<std::byte, 2 * kTarBlock> end = {};
  write(end);
  if (std::fclose(file_.release()) != 0) fail_at(unfinished(), "be written", errno);
  return written_->result();
}

void TarWriter::write(std::span<const std::byte> bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) {
    fail_at(unfinished(), "be written", errno);
  }
  written_->add(bytes);
}

void TarWriter::begin_member(const std::string& name, std::size_t bytes) {
  if (name.size() > kNameBytes || bytes >= kMemberBytes) {
    throw InputError(
        fmt::format("{}: a tar file has no room for a name of {} bytes or an array of {} bytes: at most {} and {}",
                    name, name.size(), bytes, kNameBytes, kMemberBytes - 1));
  }
  const auto header = tar_header(name, bytes);
  write(std::as_bytes(std::span(header)));
}

void TarWriter::end_member(std::size_t bytes) {
  const std::array<std::byte, kTarBlock> zeros = {};
  write(std::span(zeros).first((kTarBlock - bytes % kTarBlock) % kTarBlock));
}

void TarWriter::begin(const Unit& unit, const std::string& parameters_json) {
  unit_ = unit;
  parameters_ = nlohmann::ordered_json::parse(parameters_json);
}

void TarWriter::add(const UnitFrame& frame) {
  if (frame.sensor == 0) {
    key_ = fmt::format("{:06}_{:06}_{:06}", unit_.environment, unit_.episode, frame.index);
    sample_ = {{"unit", unit_.index},
               {"environment", unit_.environment},
               {"episode", unit_.episode},
               {"frame", frame.index},
               {"sensors", nlohmann::ordered_json::object()}};
  }
  const SensorId id = run_.sensors[frame.sensor].id;
  const std::string& sensor = run_.simulator.sensor(id).name;
  for (const ArrayPlan& plan : arrays_[frame.sensor]) {
    if (frame.frame.is_dropped()) break;
    const std::string head = npy_header(frame.frame, plan.channel);
    const auto bytes = array_bytes(frame.frame, plan, buffer_);
    begin_member(fmt::format("{}.{}.{}.npy", key_, sensor, to_string(plan.channel)), head.size() + bytes.size());
    write(std::as_bytes(std::span(head)));
    write(bytes);
    end_member(head.size() + bytes.size());
  }
  nlohmann::ordered_json of_sensor = pose_json(run_.simulator.world_from_sensor(id, frame.time_s));
  of_sensor["time_s"] = frame.time_s;
  if (run_.simulator.sensor(id).timing != Timing()) of_sensor["delivered_s"] = frame.frame.delivered_s();
  sample_["sensors"][sensor] = std::move(of_sensor);
  if (frame.sensor + 1 == arrays_.size()) add_json();
}

void TarWriter::add_json() {
  for (const auto& sensor : parameters_.at("sensors")) {
    sample_["sensors"][sensor.at("name").get<std::string>()]["drawn"] = sensor.at("drawn");
  }
  const std::string text = sample_.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  begin_member(key_ + ".json", text.size());
  write(std::as_bytes(std::span(text)));
  end_member(text.size());
}

}  // namespace fathom
