// SPDX-License-Identifier: MIT
#include "tape/player.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>
#include <thread>

#include <fmt/format.h>

#include "status.hpp"

namespace rgl {

namespace {

template <class T>
std::optional<T> number_in(const std::string& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Builds the calls from the events of the text. It refuses a value at the wrong place inside the event, so that no
/// text makes the reader recurse deeper than a tape.
class CallReader : public YamlEvents {
 public:
  /// Absent if the text has no value.
  [[nodiscard]] std::optional<std::vector<TapeCall>> take() { return std::move(calls_); }

  void on_scalar(int line, const std::string& text) override {
    if (place_ == Place::kDocument && text.empty()) return;  // null: no value
    if (place_ == Place::kRecord && !has_key_) {
      calls_->push_back({text, line, 0, {}});
    } else if (place_ == Place::kCall && !has_key_) {
      if (text != "t" && text != "a") fail_at(line, fmt::format("'{}' is neither t nor a", text));
      key_ = text;
    } else if (place_ == Place::kCall && key_ == "t") {
      const auto time_ns = number_in<std::int64_t>(text);
      if (!time_ns) fail_at(line, fmt::format("'{}' is no number", text));
      calls_->back().time_ns = *time_ns;
    } else if (place_ == Place::kArguments) {
      calls_->back().arguments.push_back(text);
      return;
    } else {
      fail_at(line, fmt::format("'{}' belongs to no call", text));
    }
    has_key_ = !has_key_;
  }

  void on_list(int line) override {
    if (place_ == Place::kDocument) {
      calls_.emplace();
      place_ = Place::kCalls;
    } else if (place_ == Place::kCall && has_key_ && key_ == "a") {
      place_ = Place::kArguments;
    } else {
      fail_at(line, "a list belongs to no call");
    }
  }
  void on_list_end() override {
    place_ = place_ == Place::kArguments ? Place::kCall : Place::kDocument;
    has_key_ = false;
  }

  void on_map(int line) override {
    if (place_ == Place::kDocument) fail(RGL_TAPE_ERROR, "Unsupported Tape format: Detected outdated format");
    if (place_ == Place::kCalls) {
      place_ = Place::kRecord;
    } else if (place_ == Place::kRecord && has_key_) {
      place_ = Place::kCall;
    } else {
      fail_at(line, "a map belongs to no call");
    }
    has_key_ = false;
  }
  void on_map_end() override {
    place_ = place_ == Place::kCall ? Place::kRecord : Place::kCalls;
    has_key_ = false;
  }

 private:
  /// The part of a call that comes next: `- function: {t: ns, a: [arguments]}`.
  enum class Place : std::uint8_t { kDocument, kCalls, kRecord, kCall, kArguments };

  std::optional<std::vector<TapeCall>> calls_;
  Place place_ = Place::kDocument;
  bool has_key_ = false;  ///< in a record or a call: the next value belongs to the last key
  std::string key_;
};

void check_version(const std::vector<TapeCall>& calls) {
  constexpr std::string_view kVersionCall = "rgl_get_version_info";
  for (const TapeCall& call : calls) {
    if (call.function != kVersionCall || call.arguments.size() < 3) continue;
    std::array<int, 3> version = {};
    for (std::size_t i = 0; i < 3; ++i) {
      const auto part = number_in<int>(call.arguments[i]);
      if (!part) fail_at(call.line, fmt::format("'{}' is no number", call.arguments[i]));
      version[i] = *part;
    }
    if (version >= std::array<int, 3>{0, 16, 3}) return;
    fail(RGL_TAPE_ERROR, "Unsupported Tape Format: Tape version is too old. Required version: 0.16.3.");
  }
  fail(RGL_TAPE_ERROR, "Unsupported Tape format: Missing version record in the Tape");
}

}  // namespace

std::vector<TapeCall> read_tape(const std::string& text) {
  CallReader reader;
  read_yaml(text, reader);
  std::optional<std::vector<TapeCall>> calls = reader.take();
  if (!calls) fail(RGL_TAPE_ERROR, "Invalid Tape: Empty YAML file detected");
  check_version(*calls);
  return std::move(*calls);
}

namespace {

std::optional<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

/// The time of a call since the recording began, limited to a day because the number may be broken.
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

/// Words of YAML. Older tapes of fathom have 1 and 0.
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
