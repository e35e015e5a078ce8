// SPDX-License-Identifier: MIT
#include "run/dataset/digest.hpp"

#include <algorithm>
#include <chrono>
#include <sys/stat.h>

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <fathom/core/names.hpp>
#include <fathom/simulate/dataset.hpp>
#include <fathom/simulate/simulator.hpp>

#include "core/text/files.hpp"
#include "run/dataset/own_files.hpp"

namespace fathom {

std::string digest_of(std::string_view bytes) {
  return fmt::format("{:016x}", XXH3_64bits(bytes.data(), bytes.size()));
}

struct Digester::State {
  XXH3_state_t of_library;
};

Digester::Digester() : state_(std::make_unique<State>()) { XXH3_64bits_reset(&state_->of_library); }
Digester::~Digester() = default;

void Digester::add(std::span<const std::byte> bytes) {
  XXH3_64bits_update(&state_->of_library, bytes.data(), bytes.size());
  bytes_ += bytes.size();
}

FileDigest Digester::result() const {
  return {.bytes = bytes_, .digest = fmt::format("{:016x}", XXH3_64bits_digest(&state_->of_library))};
}

std::optional<FileDigest> digest_file(const std::filesystem::path& file) {
  constexpr std::size_t kBlock = std::size_t{1} << 20U;
  Digester digester;
  const bool whole =
      read_blocks(file, kBlock, [&](std::string_view block) { digester.add(std::as_bytes(std::span(block))); });
  if (!whole) return {};
  return digester.result();
}

InputDigests::Stamp InputDigests::stamp_of(const std::filesystem::path& file) {
  struct stat state = {};
  if (stat(file.c_str(), &state) != 0) return {};
  const auto nanoseconds = [](const timespec& time) {
    return std::int64_t{time.tv_sec} * 1'000'000'000 + std::int64_t{time.tv_nsec};
  };
  return {state.st_dev, state.st_ino, static_cast<std::uint64_t>(state.st_size), nanoseconds(state.st_mtim),
          nanoseconds(state.st_ctim)};
}

std::string InputDigests::file_digest(const std::filesystem::path& file) {
  // A file that changes twice within the resolution of its times, the second time after it was read, looks unchanged.
  constexpr std::int64_t kLongAgoNs = 10'000'000'000;
  const Stamp stamp = stamp_of(file);
  const auto found = known_.find(file);
  if (found != known_.end() && found->second.stamp == stamp) return found->second.digest;
  const std::int64_t now =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  std::string digest = digest_of(read_file(file));
  if (stamp.changed_ns != 0 && std::max(stamp.modified_ns, stamp.changed_ns) < now - kLongAgoNs) {
    known_[file] = {stamp, digest};
  }
  return digest;
}

std::string InputDigests::digest(const SceneSetup& setup, const RunOptions& options) {
  const std::lock_guard lock(mutex_);
  std::string text = fmt::format("fathom {}\nseed {}\n", versions().fathom, options.seed.value_or(setup.seed));
  for (const std::string& entry : setup.overrides) text += "set " + entry + "\n";
  // Without folders: another computer may have the same files elsewhere.
  for (const std::filesystem::path& file : setup.inputs) {
    text += fmt::format("{} {}\n", file.filename().string(), file_digest(file));
  }
  return digest_of(text);
}

std::string unit_digest(const std::string& inputs, const Unit& unit) {
  return digest_of(fmt::format("{} {} {} {} {} {}", inputs, unit.index, unit.environment, unit.episode,
                               unit.first_frame, unit.frames));
}

std::string unit_digest(const SceneSetup& setup, const RunOptions& options, const Unit& unit) {
  return unit_digest(InputDigests().digest(setup, options), unit);
}

}  // namespace fathom
