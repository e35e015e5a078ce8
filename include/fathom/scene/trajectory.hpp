// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <vector>

#include <fathom/core/export.hpp>
#include <fathom/core/geometry.hpp>

namespace fathom {

/// A pose over time: linear in position, spherical-linear in rotation between keys; held before the first and after the
/// last key, or repeated from the first key's stamp when `loop`.
class FATHOM_API Trajectory {
 public:
  struct Key {
    double stamp_s = 0.0;
    Pose pose;
  };

  /// A pose that never changes.
  Trajectory(const Pose& fixed = {});  // NOLINT(google-explicit-constructor): a pose is a trajectory
  /// At least one key; stamps strictly increase; everything finite, positions within kMaxCoordinateM; quaternions are
  /// normalised here. Throws InputError naming the key.
  explicit Trajectory(std::vector<Key> keys, bool loop = false);

  [[nodiscard]] Pose at(double stamp_s) const;
  /// Becomes the given fixed pose; allocates nothing, so that a pose can be set every frame. Throws InputError if it is
  /// not finite or its position not within kMaxCoordinateM.
  void hold(const Pose& fixed);
  [[nodiscard]] bool is_fixed() const { return keys_.size() == 1; }
  [[nodiscard]] const std::vector<Key>& keys() const { return keys_; }
  [[nodiscard]] bool loops() const { return loop_; }

 private:
  std::vector<Key> keys_;
  bool loop_ = false;
};

/// Reads a trajectory in TUM format: lines `stamp tx ty tz qx qy qz qw` (s, m, unit quaternion), # comments. Throws
/// InputError naming file and line.
FATHOM_API Trajectory read_trajectory(const std::filesystem::path& file);

}  // namespace fathom
