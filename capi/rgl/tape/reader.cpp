// SPDX-License-Identifier: MIT
#include "tape/reader.hpp"

#include <array>
#include <charconv>
#include <optional>
#include <sstream>
#include <string_view>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "status.hpp"

namespace rgl {

namespace {

[[noreturn]] void fail_at(const YAML::Mark& mark, std::string_view what) {
  fail(RGL_TAPE_ERROR, fmt::format("Invalid Tape: line {}: {}", mark.line + 1, what));
}

template <class T>
std::optional<T> number_in(const std::string& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Builds the calls from yaml-cpp's events. A value in the wrong place is refused inside the event, before
/// the parser looks further, so that no text makes it recurse deeper than tapes do.
class CallReader : public YAML::EventHandler {
 public:
  /// Nothing: the text has no value.
  [[nodiscard]] std::optional<std::vector<TapeCall>> take() { return std::move(calls_); }

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (place_ != Place::kDocument) OnScalar(mark, "", anchor, "");
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override { fail_at(mark, "an alias"); }

  void OnScalar(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                const std::string& text) override {
    if (place_ == Place::kRecord && !has_key_) {
      calls_->push_back({text, 0, {}});
    } else if (place_ == Place::kCall && !has_key_) {
      if (text != "t" && text != "a") fail_at(mark, fmt::format("'{}' is neither t nor a", text));
      key_ = text;
    } else if (place_ == Place::kCall && key_ == "t") {
      const auto time_ns = number_in<std::int64_t>(text);
      if (!time_ns) fail_at(mark, fmt::format("'{}' is no number", text));
      calls_->back().time_ns = *time_ns;
    } else if (place_ == Place::kArguments) {
      calls_->back().arguments.push_back(text);
      return;
    } else {
      fail_at(mark, fmt::format("'{}' belongs to no call", text));
    }
    has_key_ = !has_key_;
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                       YAML::EmitterStyle::value /*style*/) override {
    if (place_ == Place::kDocument) {
      calls_.emplace();
      place_ = Place::kCalls;
    } else if (place_ == Place::kCall && has_key_ && key_ == "a") {
      place_ = Place::kArguments;
    } else {
      fail_at(mark, "a list belongs to no call");
    }
  }
  void OnSequenceEnd() override {
    place_ = place_ == Place::kArguments ? Place::kCall : Place::kDocument;
    has_key_ = false;
  }

  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {
    if (place_ == Place::kDocument) fail(RGL_TAPE_ERROR, "Unsupported Tape format: Detected outdated format");
    if (place_ == Place::kCalls) {
      place_ = Place::kRecord;
    } else if (place_ == Place::kRecord && has_key_) {
      place_ = Place::kCall;
    } else {
      fail_at(mark, "a map belongs to no call");
    }
    has_key_ = false;
  }
  void OnMapEnd() override {
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

std::optional<std::vector<TapeCall>> read_calls(const std::string& text) {
  // yaml-cpp takes it for the end of the file.
  if (text.find('\x04') != std::string::npos) fail(RGL_TAPE_ERROR, "Invalid Tape: the control character 0x04");
  std::istringstream stream(text);
  CallReader reader;
  try {
    YAML::Parser(stream).HandleNextDocument(reader);
  } catch (const YAML::Exception& error) {
    fail_at(error.mark, error.msg);
  }
  return reader.take();
}

void check_version(const std::vector<TapeCall>& calls) {
  constexpr std::string_view kVersionCall = "rgl_get_version_info";
  for (const TapeCall& call : calls) {
    if (call.function != kVersionCall || call.arguments.size() < 3) continue;
    std::array<int, 3> version = {};
    for (std::size_t i = 0; i < 3; ++i) {
      const auto part = number_in<int>(call.arguments[i]);
      if (!part) fail(RGL_TAPE_ERROR, fmt::format("Invalid Tape: '{}' is no number", call.arguments[i]));
      version[i] = *part;
    }
    if (version >= std::array<int, 3>{0, 16, 3}) return;
    fail(RGL_TAPE_ERROR, "Unsupported Tape Format: Tape version is too old. Required version: 0.16.3.");
  }
  fail(RGL_TAPE_ERROR, "Unsupported Tape format: Missing version record in the Tape");
}

}  // namespace

std::vector<TapeCall> read_tape(const std::string& text) {
  std::optional<std::vector<TapeCall>> calls = read_calls(text);
  if (!calls) fail(RGL_TAPE_ERROR, "Invalid Tape: Empty YAML file detected");
  check_version(*calls);
  return std::move(*calls);
}

}  // namespace rgl
