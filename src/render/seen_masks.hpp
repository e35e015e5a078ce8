// SPDX-License-Identifier: MIT
#pragma once
// Which entities the sensors of a scene see, as masks for a Caster. A sensor that ignores nothing needs none: its rays
// meet every entity. Any other has one of 31 bits, which an entity's mask holds where the sensor sees it; where more
// sensors ignore something, they take turns.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <fathom/scene/scene.hpp>
#include <fathom/simulate/sensor.hpp>

#include "cast/caster.hpp"

namespace fathom {

class SeenMasks {
 public:
  /// Of so many sensors that ignore something, none takes the bit of another.
  static constexpr std::uint32_t kBits = 31;  // 1 to 31; every entity has bit 0

  /// The mask of a sensor's rays. masks() are right for them until the next call. In steady state nothing is allocated.
  /// `number`: a sensor's own, which always stands for the same one.
  std::uint32_t mask_of(std::uint32_t number, const Sensor& sensor, const Scene& scene);
  /// [entities]: for Caster::set_masks(). Empty: no sensor has ignored anything so far.
  [[nodiscard]] std::span<const std::uint32_t> masks() const { return masks_; }
  /// Counts the changes of masks().
  [[nodiscard]] std::uint64_t version() const { return version_; }

 private:
  /// A bit, and for what it was last set.
  struct Bit {
    std::uint32_t sensor = ~0U;
    std::uint64_t structure = 0;
  };
  void find_ignored(const Sensor& sensor, const Scene& scene);

  std::array<Bit, kBits> bits_;
  std::vector<std::uint32_t> turn_;  // [number]: the how manieth sensor that ignores something; ~0U: not yet asked
  std::uint32_t turns_ = 0;
  std::vector<std::uint32_t> masks_;
  std::vector<char> named_, ignored_;  // [entities]: by the sensor itself; with the parts of those
  std::uint64_t version_ = 0;
};

/// Whether there is anything that its rays would pass through.
[[nodiscard]] bool ignores_something(const Sensor& sensor);

/// Throws InputError when the sensor ignores an entity that is not among `entities`, or a group without a name.
void check_ignored(const Sensor& sensor, std::size_t entities);

}  // namespace fathom
