// SPDX-License-Identifier: MIT
#pragma once
// The part of YAML that tapes are written in: lists and maps, in blocks or in brackets, plain and quoted texts of one
// line, comments. Anchors, aliases, tags, keys after '?', block texts and texts of several lines are refused.

#include <string>
#include <string_view>

namespace rgl {

/// What the reader finds, in the order of the text. `line` counts from 1. A function that throws ends the reading. The
/// depth is bounded if on_list() or on_map() throws from some depth on.
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

/// Reads the first document; an empty one has no events. Null is an empty text. Throws TAPE_ERROR.
void read_yaml(std::string_view text, YamlEvents& events);

}  // namespace rgl
