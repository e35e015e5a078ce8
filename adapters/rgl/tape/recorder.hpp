// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <fstream>
#include <string>
#include <type_traits>

#include <rgl/api/core.h>

namespace rgl {

/// An array of a call. Its bytes go to the binary file, and the record has their offset.
struct TapeArray {
  const void* data;
  std::size_t bytes;
};
template <class T>
TapeArray tape_array(const T* data, std::int32_t count = 1) {
  return {data, sizeof(T) * static_cast<std::size_t>(count)};
}

/// Writes calls as `- function: {t: ns, a: [arguments]}` to path.yaml and their arrays, each padded to 16 bytes, to
/// path.bin.
class TapeRecorder {
 public:
  /// Throws TAPE_ERROR if it records already, and INVALID_FILE_PATH if it cannot create a file.
  void begin(const std::string& path, const std::int32_t (&version)[3]);
  /// Throws TAPE_ERROR if it does not record, or if the tape is incomplete.
  void end();
  [[nodiscard]] bool is_active() const { return yaml_.is_open(); }

  /// Leaves out a call if there is no memory for it; then end() throws.
  template <class... Args>
  void record(const char* function, const Args&... args) noexcept {
    if (!is_active()) return;
    try {
      std::string list;
      (append(list, args), ...);
      write(function, list);
    } catch (...) {
      is_torn_ = true;
    }
  }

 private:
  template <class T>
  void append(std::string& list, const T& value) {
    if (!list.empty()) list += ", ";
    if constexpr (std::is_same_v<T, TapeArray>) {
      list += std::to_string(store(value));
    } else if constexpr (std::is_same_v<T, bool>) {
      list += value ? "true" : "false";  // RGL reads tapes by yaml-cpp, which refuses 1 and 0
    } else if constexpr (std::is_pointer_v<T>) {
      list += std::to_string(reinterpret_cast<std::uintptr_t>(value));
    } else if constexpr (std::is_enum_v<T>) {
      list += std::to_string(static_cast<std::int64_t>(value));
    } else if constexpr (std::is_floating_point_v<T>) {
      list += text_of(static_cast<double>(value));
    } else if constexpr (std::is_same_v<T, std::string>) {
      list += quoted(value);
    } else {
      list += std::to_string(value);
    }
  }
  std::size_t store(const TapeArray& array);
  void write(const char* function, const std::string& list);
  static std::string text_of(double value);
  static std::string quoted(const std::string& text);

  std::ofstream yaml_, binary_;
  std::size_t stored_ = 0;
  bool is_torn_ = false;  ///< a call is missing
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace rgl
