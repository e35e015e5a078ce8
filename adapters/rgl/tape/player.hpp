// SPDX-License-Identifier: MIT
#pragma once
// Tapes: their YAML, their calls, and playing them.

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <rgl/api/old.h>

#include "status.hpp"

namespace rgl {

/// The events of a YAML text, in its order. `line` counts from 1. A function that throws ends the reading. The depth is
/// bounded if on_list() or on_map() throws from some depth on.
class YamlEvents {
 public:
  virtual ~YamlEvents() = default;
  virtual void on_scalar(int line, const std::string& text) = 0;
  virtual void on_list(int line) = 0;
  virtual void on_list_end() = 0;
  virtual void on_map(int line) = 0;
  virtual void on_map_end() = 0;
};

/// Throws TAPE_ERROR: "Invalid Tape: line 3: ...".
[[noreturn]] void fail_at(int line, std::string_view what);

/// Reads the first document, in the YAML of tapes: lists and maps, in blocks or in brackets, plain and quoted texts of
/// one line, comments. Refuses anchors, aliases, tags, keys after '?', block texts and texts of several lines. An empty
/// document has no events. Null is an empty text. Throws TAPE_ERROR.
void read_yaml(std::string_view text, YamlEvents& events);

/// A recorded call: `{function: {t: ns, a: [arguments]}}`.
struct TapeCall {
  std::string function;
  int line = 0;              ///< in the text, from 1
  std::int64_t time_ns = 0;  ///< since the recording began
  std::vector<std::string> arguments;
};

/// Reads the calls of a tape from YAML. Throws TAPE_ERROR for a text that is not YAML or not a list of calls, an empty
/// file, and a missing or too old version record.
std::vector<TapeCall> read_tape(const std::string& text);

/// The objects of a tape that is being played, and its arrays.
class TapeState {
 public:
  explicit TapeState(std::vector<std::byte> binary) : binary_(std::move(binary)) {}

  /// Objects by their numbers on the tape.
  std::map<std::uint64_t, rgl_mesh_t> meshes;
  std::map<std::uint64_t, rgl_entity_t> entities;
  std::map<std::uint64_t, rgl_texture_t> textures;
  std::map<std::uint64_t, rgl_node_t> nodes;

  /// `bytes` bytes of the binary file, for a call on `line`. Throws TAPE_ERROR if the file ends before.
  [[nodiscard]] const std::byte* bytes(int line, std::uint64_t offset, std::uint64_t bytes) const;

 private:
  std::vector<std::byte> binary_;
};

/// The arguments of a call, by position.
class TapeArguments {
 public:
  TapeArguments(const TapeCall& call, TapeState& state) : call_(call), state_(state) {}

  /// A number, an enum or a bool. Throws TAPE_ERROR.
  template <class T>
  [[nodiscard]] T value(std::size_t i) const {
    if constexpr (std::is_same_v<T, bool>) {
      return flag(i);
    } else if constexpr (std::is_floating_point_v<T>) {
      return static_cast<T>(real(i));
    } else if constexpr (std::is_enum_v<T>) {
      return static_cast<T>(value<std::underlying_type_t<T>>(i));
    } else {
      T number{};
      const std::string& s = text(i);
      const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), number);
      if (error != std::errc() || end != s.data() + s.size()) refuse(i);
      return number;
    }
  }
  /// An array of `count` elements. The argument is its offset, a multiple of 16.
  template <class T>
  [[nodiscard]] const T* array(std::size_t i, std::int64_t count = 1) const {
    const std::uint64_t size = sizeof(T) * static_cast<std::uint64_t>(count < 0 ? 0 : count);
    const auto offset = value<std::uint64_t>(i);
    if (offset % alignof(T) != 0) refuse(i);
    return reinterpret_cast<const T*>(state_.bytes(call_.line, offset, size));
  }
  [[nodiscard]] const std::string& text(std::size_t i) const;
  [[nodiscard]] std::uint64_t number(std::size_t i) const { return value<std::uint64_t>(i); }

  [[nodiscard]] rgl_mesh_t mesh(std::size_t i) const { return find(state_.meshes, i); }
  [[nodiscard]] rgl_entity_t entity(std::size_t i) const { return find(state_.entities, i); }
  [[nodiscard]] rgl_texture_t texture(std::size_t i) const { return find(state_.textures, i); }
  [[nodiscard]] rgl_node_t node(std::size_t i) const { return find(state_.nodes, i); }
  [[nodiscard]] TapeState& state() const { return state_; }

 private:
  template <class Handle>
  [[nodiscard]] Handle find(const std::map<std::uint64_t, Handle>& handles, std::size_t i) const {
    const auto found = handles.find(number(i));
    return found == handles.end() ? nullptr : found->second;
  }
  [[nodiscard]] double real(std::size_t i) const;
  [[nodiscard]] bool flag(std::size_t i) const;
  [[noreturn]] void refuse(std::size_t i) const;

  const TapeCall& call_;
  TapeState& state_;
};

using TapeHandler = rgl_status_t (*)(const TapeArguments&);

/// The handler of a function; null if unknown.
TapeHandler find_tape_handler(const std::string& function);

/// Plays path.yaml with path.bin by calling the functions of the interface. Its objects stay alive. A failed call does
/// not stop the tape, because it may have failed in the recording. `in_real_time`: keeps the recorded times of calls.
/// Throws TAPE_ERROR and INVALID_FILE_PATH.
void play_tape(const std::string& path, bool in_real_time);

}  // namespace rgl
