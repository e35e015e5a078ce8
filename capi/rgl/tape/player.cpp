// SPDX-License-Identifier: MIT
#include "tape/player.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "tape/yaml.hpp"

namespace rgl {

namespace {

std::optional<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

/// When a call came; at most a day after the recording began, so that a broken number ends.
std::chrono::nanoseconds recorded_time(const TapeCall& call) {
  constexpr std::int64_t kDay = std::chrono::nanoseconds(std::chrono::hours(24)).count();
  return std::chrono::nanoseconds(std::clamp<std::int64_t>(call.time_ns, 0, kDay));
}

}  // namespace

const std::byte* TapeState::bytes(int line, std::uint64_t offset, std::uint64_t bytes) const {
  if (offset > binary_.size() || bytes > binary_.size() - offset) {
    fail_at(line, fmt::format("{} bytes at {} reach beyond the binary file of {}", bytes, offset, binary_.size()));
  }
  return binary_.data() + offset;
}

const std::string& TapeArguments::text(std::size_t i) const {
  if (i >= call_.arguments.size()) refuse(i);
  return call_.arguments[i];
}

double TapeArguments::real(std::size_t i) const {
  const std::string& s = text(i);
  if (s == ".inf" || s == "inf") return std::numeric_limits<double>::infinity();
  if (s == "-.inf" || s == "-inf") return -std::numeric_limits<double>::infinity();
  if (s == ".nan" || s == "nan") return std::numeric_limits<double>::quiet_NaN();
  double number = 0.0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), number);
  if (error != std::errc() || end != s.data() + s.size()) refuse(i);
  return number;
}

/// Words of YAML; 1 and 0 stand in older tapes of ours.
bool TapeArguments::flag(std::size_t i) const {
  const std::string& s = text(i);
  for (const char* yes : {"true", "True", "TRUE", "1"}) {
    if (s == yes) return true;
  }
  for (const char* no : {"false", "False", "FALSE", "0"}) {
    if (s == no) return false;
  }
  refuse(i);
}

void TapeArguments::refuse(std::size_t i) const {
  fail_at(call_.line, fmt::format("{}: argument {} is missing or not understood", call_.function, i));
}

namespace {

void play_calls(const std::string& yaml, TapeState& state, bool in_real_time) {
  const std::vector<TapeCall> calls = read_tape(yaml);
  const auto begin = std::chrono::steady_clock::now();
  for (const TapeCall& call : calls) {
    if (in_real_time) std::this_thread::sleep_until(begin + recorded_time(call));
    const TapeHandler handler = find_tape_handler(call.function);
    if (handler == nullptr) fail_at(call.line, fmt::format("{} cannot be played", call.function));
    handler(TapeArguments(call, state));
  }
}

}  // namespace

void play_tape(const std::string& path, bool in_real_time) {
  const std::optional<std::string> binary = read_file(path + ".bin");
  if (!binary) fail(RGL_INVALID_FILE_PATH, fmt::format("Invalid file path: cannot read '{}.bin'", path));
  const std::optional<std::string> yaml = read_file(path + ".yaml");
  if (!yaml) fail(RGL_INVALID_FILE_PATH, fmt::format("Invalid file path: cannot read '{}.yaml'", path));
  const auto* bytes = reinterpret_cast<const std::byte*>(binary->data());
  TapeState state({bytes, bytes + binary->size()});
  try {
    play_calls(*yaml, state, in_real_time);
  } catch (const Failure& failure) {
    fail(failure.status(), fmt::format("{} ('{}.yaml')", failure.what(), path));
  }
}

}  // namespace rgl
