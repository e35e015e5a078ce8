// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <rgl/api/old.h>

#include "status.hpp"
#include "tape/reader.hpp"

namespace rgl {

/// The objects that a tape being played has made so far, and its arrays.
class TapeState {
 public:
  explicit TapeState(std::vector<std::byte> binary) : binary_(std::move(binary)) {}

  /// Objects by the number that the tape knows them by.
  std::map<std::uint64_t, rgl_mesh_t> meshes;
  std::map<std::uint64_t, rgl_entity_t> entities;
  std::map<std::uint64_t, rgl_texture_t> textures;
  std::map<std::uint64_t, rgl_node_t> nodes;

  /// `bytes` of the binary file, which a call on `line` names. Throws TAPE_ERROR when the file ends before.
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
  /// An array of `count` elements, whose offset the argument is; in a tape, offsets are multiples of 16.
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

/// How to play a function; null: it is not known.
TapeHandler find_tape_handler(const std::string& function);

/// Plays path.yaml with path.bin by calling the functions of the interface; objects that it makes stay. A failed call
/// does not stop the tape: it may have failed when it was recorded. `in_real_time`: makes each call at the time at
/// which it was recorded; otherwise calls follow each other at once. Throws TAPE_ERROR, INVALID_FILE_PATH.
void play_tape(const std::string& path, bool in_real_time);

}  // namespace rgl
