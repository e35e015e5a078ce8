// SPDX-License-Identifier: MIT
#pragma once
// Where frames stand in each other over time, as /tf and /tf_static of ROS tell.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fathom/base/geometry.hpp>

#include "message/tf_message.hpp"

namespace fathom {

/// Frames, each below at most one other. Poses between two stamps are interpolated; none is made up before the first
/// stamp or after the last.
class FrameTree {
 public:
  /// Takes the transforms of a message, in any order of stamps. `holds_always`: of /tf_static. Throws InputError for
  /// one without a rotation or with numbers that are not finite, a frame in itself, and a frame below two others.
  void add(const msg::TFMessage& message, bool holds_always);

  /// Why add() refuses the numbers of a transform; empty: they are sound.
  static std::string fault_of(const msg::TransformStamped& transform);

  /// A frame in another one over time. Queries that advance in time are the fastest.
  class Path {
   public:
    /// Whether all that is on the way is known at this time; sets `pose` to outer_from_inner.
    [[nodiscard]] bool at(std::int64_t stamp_ns, Pose& pose);
    /// Whether no frame on the way takes another course between these times, after at() for one between them was true.
    [[nodiscard]] bool is_even(std::int64_t from_ns, std::int64_t to_ns) const;

   private:
    friend class FrameTree;
    using Stamped = std::pair<std::int64_t, Pose>;
    struct Step {
      const std::vector<Stamped>* poses;  // parent_from_child; one of them holds always
      bool holds_always;
      bool down;  // from parent to child: the pose is turned round
      std::size_t next = 0;
    };
    static bool find(Step& step, std::int64_t stamp_ns, Pose& pose);
    std::vector<Step> steps_;  // from the outer frame to the inner one
  };

  /// The way from `outer` to `inner`. Sorts what was added. Throws InputError naming the frames that there are, where
  /// one is not known or nothing connects them.
  [[nodiscard]] Path path(const std::string& outer, const std::string& inner);

 private:
  struct Link {
    std::string parent;
    bool holds_always = false;
    std::vector<Path::Stamped> poses;
  };
  [[nodiscard]] std::vector<std::string> up_from(const std::string& frame) const;
  [[nodiscard]] std::string frames_text() const;

  std::map<std::string, Link> links_;  // by the child
};

}  // namespace fathom
