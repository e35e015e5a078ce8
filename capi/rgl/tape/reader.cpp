// SPDX-License-Identifier: MIT
#include "tape/reader.hpp"

#include <array>
#include <charconv>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "status.hpp"
#include "tape/yaml.hpp"

namespace rgl {

namespace {

template <class T>
std::optional<T> number_in(const std::string& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Builds the calls from the events of the text. A value in the wrong place is refused inside the event, before the
/// reader looks further, so that no text makes it recurse deeper than tapes do.
class CallReader : public YamlEvents {
 public:
  /// Nothing: the text has no value.
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
  bool has_key_ = false;  ///< of a record or a call: the next value belongs to the last key
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

}  // namespace rgl
