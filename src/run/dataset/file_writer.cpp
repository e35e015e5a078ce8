// SPDX-License-Identifier: MIT
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fathom/core/error.hpp>

#include "core/text/files.hpp"
#include "run/dataset/own_files.hpp"
#include "run/dataset/pack_tree.hpp"
#include "run/dataset/pack_writer.hpp"
#include "run/outputs/arrays.hpp"
#include "run/prepare_run.hpp"

namespace fathom {

FileWriter::FileWriter(std::filesystem::path dataset, const PackList& packs, std::string inputs)
    : dataset_(std::move(dataset)), packs_(packs), inputs_(std::move(inputs)) {}

void FileWriter::remove_unfinished() noexcept {
  std::error_code error;
  if (!unfinished_.empty()) std::filesystem::remove(unfinished_, error);
  unfinished_.clear();
}

void FileWriter::begin_pack(const Pack& pack) {
  pack_ = pack;
  const std::filesystem::path folder = packs_.places()(pack.index).parent_path();
  const std::string name = unfinished_name(pack.index, this);
  std::error_code error;
  std::filesystem::create_directories(dataset_ / folder, error);
  if (error) fail_at(dataset_ / folder, "be made", error.value());
  remove_own(dataset_, folder / name, name);  // left by a process with the same name
  unfinished_ = dataset_ / folder / name;
  open_file();
}

/// Removes the old description first and writes the new one last: no pack ever has the description of another.
PackEntry FileWriter::end_pack() {
  const FileDigest file = close_file();
  PackEntry entry = {.index = pack_.index,
                     .digest = packs_.digest(inputs_, pack_),
                     .content = file.digest,
                     .files = 1,
                     .bytes = file.bytes};
  const std::filesystem::path place = packs_.places()(pack_.index), about = packs_.places().description(pack_.index);
  if (whole_entry(dataset_, packs_.places(), pack_.index) == entry) {  // by a faster process
    remove_unfinished();
    return entry;
  }
  const std::string hidden = unfinished_.filename().string() + ".old.part";
  remove_own(dataset_, about, hidden);
  remove_own(dataset_, place, hidden);
  if (std::rename(unfinished_.c_str(), (dataset_ / place).c_str()) != 0) fail_at(unfinished_, "be renamed", errno);
  unfinished_.clear();
  write_whole_file(dataset_ / about, description_text(entry));
  return entry;
}

namespace {

constexpr std::size_t kTarBlock = 512, kNameBytes = 100;
constexpr std::uint64_t kMemberBytes = std::uint64_t{1} << 33U;  // eleven octal digits

/// The header of a member: ustar, POSIX.1-1988. No owner and no time, so that equal frames are equal bytes. By hand: 20
/// lines, and no version of libarchive decides about bytes.
std::array<char, kTarBlock> tar_header(const std::string& name, std::size_t bytes) {
  std::array<char, kTarBlock> header = {};
  const auto put = [&header](std::size_t at, const std::string& text) { text.copy(header.data() + at, text.size()); };
  put(0, name);
  put(100, fmt::format("{:07o}", 0644));    // mode
  put(108, fmt::format("{:07o}", 0));       // owner
  put(116, fmt::format("{:07o}", 0));       // group
  put(124, fmt::format("{:011o}", bytes));  // size
  put(136, fmt::format("{:011o}", 0));      // time
  put(148, "        ");                     // the checksum counts itself as blanks
  put(156, "0");                            // a regular file
  put(257, std::string("ustar\0"
                       "00",
                       8));
  const auto add = [](unsigned sum, char c) { return sum + static_cast<unsigned char>(c); };
  put(148, fmt::format("{:06o}", std::accumulate(header.begin(), header.end(), 0U, add)) + std::string("\0 ", 2));
  return header;
}

nlohmann::ordered_json pose_json(const Pose& pose) {
  const Vec3& p = pose.translation_m;
  const Quaternion& q = pose.rotation;
  return {{"position_m", {p.x, p.y, p.z}}, {"quat_wxyz", {q.w, q.x, q.y, q.z}}};
}

class TarWriter final : public FileWriter {
 public:
  TarWriter(std::filesystem::path dataset, const SceneSetup& setup, PreparedRun& run, const PackList& packs,
            std::string inputs);
  ~TarWriter() override;

  void begin(const Unit& unit, const std::string& parameters_json) override;
  void add(const UnitFrame& frame) override;
  void end(RunCounts& /*counts*/) override {}

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void open_file() override;
  FileDigest close_file() override;
  void write(std::span<const std::byte> bytes);
  void begin_member(const std::string& name, std::size_t bytes);
  void end_member(std::size_t bytes);
  void add_json();

  PreparedRun& run_;
  std::vector<std::vector<ArrayPlan>> arrays_;  // [sensor]
  std::unique_ptr<std::FILE, CloseFile> file_;
  std::optional<Digester> written_;  // bytes of the file
  Unit unit_;
  nlohmann::ordered_json parameters_, sample_;
  std::string key_;            // of the sample
  std::vector<float> buffer_;  // one array
};

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

}  // namespace

std::unique_ptr<PackWriter> make_tar_writer(const std::filesystem::path& dataset, const SceneSetup& setup,
                                            PreparedRun& run, const DatasetFile& file) {
  return std::make_unique<TarWriter>(dataset, setup, run, file.packs, file.inputs);
}

}  // namespace fathom
