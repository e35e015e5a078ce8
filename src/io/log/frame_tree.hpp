// SPDX-License-Identifier: MIT
#pragma once
// Frames and their poses over time, from /tf and /tf_static of ROS.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fathom/core/geometry.hpp>

#include "io/message/geometry.hpp"

namespace fathom {

/// A tree of frames. Poses between two stamps are interpolated. Before the first stamp and after the last the pose is
/// unknown.
class FrameTree {
 public:
  /// Adds the transforms of a message; stamps may come in any order. `holds_always`: for /tf_static. Throws InputError
  /// for a transform without a rotation or with numbers that are not finite, for a frame that is its own parent, and
  /// for a frame with two parents.
  void add(const msg::TFMessage& message, bool holds_always);

  /// Why add() refuses the numbers of a transform; empty if it accepts them.
  static std::string fault_of(const msg::TransformStamped& transform);

  /// The pose of a frame in another over time. Queries that advance in time are the fastest.
  class Path {
   public:
    /// Sets `pose` to outer_from_inner. Returns false if a transform between them is unknown at this time.
    [[nodiscard]] bool at(std::int64_t stamp_ns, Pose& pose);
    /// Whether no transform between the frames has a stamp between these times. Call at() for a time between them
    /// first.
    [[nodiscard]] bool is_even(std::int64_t from_ns, std::int64_t to_ns) const;

   private:
    friend class FrameTree;
    using Stamped = std::pair<std::int64_t, Pose>;
    struct Step {
      const std::vector<Stamped>* poses;  // parent_from_child; a single one if holds_always
      bool holds_always;
      bool down;  // from parent to child: the pose is inverted
      std::size_t next = 0;
    };
    static bool find(Step& step, std::int64_t stamp_ns, Pose& pose);
    std::vector<Step> steps_;  // from the outer frame to the inner one
  };

  /// The path from `outer` to `inner`. Sorts the added poses. Throws InputError naming the known frames if one of the
  /// two is unknown or nothing connects them.
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
