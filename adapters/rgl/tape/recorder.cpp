// SPDX-License-Identifier: MIT
#include "tape/recorder.hpp"

#include <array>
#include <cmath>
#include <new>

#include <fmt/format.h>

#include "status.hpp"

namespace rgl {

void TapeRecorder::begin(const std::string& path, const std::int32_t (&version)[3]) {
  if (is_active()) fail(RGL_TAPE_ERROR, "Tape error: a recording is in progress");
  std::ofstream yaml(path + ".yaml", std::ios::trunc), binary(path + ".bin", std::ios::trunc | std::ios::binary);
  if (!yaml || !binary)
    fail(RGL_INVALID_FILE_PATH, fmt::format("Invalid file path: cannot write '{}.yaml' and '{}.bin'", path, path));
  yaml_ = std::move(yaml), binary_ = std::move(binary);
  stored_ = 0, is_torn_ = false;
  begin_ = std::chrono::steady_clock::now();
  record("rgl_get_version_info", version[0], version[1], version[2]);
  if (!is_torn_) return;
  yaml_.close(), binary_.close();
  throw std::bad_alloc();
}

void TapeRecorder::end() {
  if (!is_active()) fail(RGL_TAPE_ERROR, "Tape error: no recording is in progress");
  yaml_.close(), binary_.close();
  if (!yaml_ || !binary_ || is_torn_) {
    yaml_.clear(), binary_.clear();
    fail(RGL_TAPE_ERROR, "Tape error: the tape could not be written");
  }
}

std::size_t TapeRecorder::store(const TapeArray& array) {
  constexpr std::size_t kAlign = 16;
  constexpr std::array<char, kAlign> kZeros = {};
  const std::size_t offset = stored_;
  binary_.write(static_cast<const char*>(array.data), static_cast<std::streamsize>(array.bytes));
  const std::size_t padding = (kAlign - array.bytes % kAlign) % kAlign;
  binary_.write(kZeros.data(), static_cast<std::streamsize>(padding));
  stored_ += array.bytes + padding;
  return offset;
}

void TapeRecorder::write(const char* function, const std::string& list) {
  const auto elapsed = std::chrono::steady_clock::now() - begin_;
  yaml_ << fmt::format("- {}:\n    t: {}\n    a: [{}]\n", function,
                       std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count(), list)
        << std::flush;
}

std::string TapeRecorder::text_of(double value) {
  if (std::isnan(value)) return ".nan";
  if (std::isinf(value)) return value > 0 ? ".inf" : "-.inf";
  return fmt::format("{}", value);
}

std::string TapeRecorder::quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

}  // namespace rgl
