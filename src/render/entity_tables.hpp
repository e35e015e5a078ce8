// SPDX-License-Identifier: MIT
#pragma once
// Tables over the entities of a scene for rays: how surfaces reflect, and which entities a sensor sees.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <fathom/scene/scene.hpp>
#include <fathom/simulate/sensor.hpp>

#include "render/surface_math.hpp"
#include "trace/caster.hpp"

namespace fathom {

class SurfaceTable {
 public:
  SurfaceTable() = default;
  explicit SurfaceTable(const Scene& scene) { update(scene); }

  /// Adds the entities that are new since the last call.
  void update(const Scene& scene);
  /// Replaces the reflectivity of an entity with a value drawn for an episode.
  void set_reflectivity(EntityId entity, float reflectivity) { reflectivity_[index(entity)] = reflectivity; }

  [[nodiscard]] std::span<const float> reflectivity() const { return reflectivity_; }  ///< [entities]
  [[nodiscard]] std::span<const std::uint32_t> labels() const { return labels_; }      ///< [entities], ids
  [[nodiscard]] std::span<const SurfaceLaw> laws() const { return laws_; }  ///< [entities]; empty: all cosines
  [[nodiscard]] std::span<const LawEntry> tables() const { return tables_; }
  /// [entities]; empty if light neither passes nor is mirrored.
  [[nodiscard]] std::span<const SurfaceOptics> optics() const { return optics_; }
  /// `reflectivity`: [entities], instead of the table's own.
  [[nodiscard]] SurfaceView view(std::span<const float> reflectivity) const {
    return {reflectivity.data(), laws_.empty() ? nullptr : laws_.data(), tables_.data()};
  }

 private:
  void add_law(const Material& material);

  std::vector<float> reflectivity_;
  std::vector<std::uint32_t> labels_;
  std::vector<SurfaceLaw> laws_;
  std::vector<LawEntry> tables_;
  std::vector<SurfaceOptics> optics_;
};

/// Which entities the sensors of a scene see, as masks for a Caster. A sensor that ignores nothing needs no mask: its
/// rays meet every entity. Any other sensor has one of 31 bits, set in the mask of each entity that it sees. If more
/// sensors ignore something, they share bits in turn.
class SeenMasks {
 public:
  /// Up to this many ignoring sensors each keep their own bit.
  static constexpr std::uint32_t kBits = 31;  // 1 to 31; every entity has bit 0

  /// The mask of a sensor's rays; masks() hold for it until the next call. In steady state nothing is allocated.
  /// `number`: always the same for a sensor.
  std::uint32_t mask_of(std::uint32_t number, const Sensor& sensor, const Scene& scene);
  /// [entities]: for Caster::set_masks(). Empty if no sensor has ignored anything so far.
  [[nodiscard]] std::span<const std::uint32_t> masks() const { return masks_; }
  /// Counts the changes of masks().
  [[nodiscard]] std::uint64_t version() const { return version_; }

 private:
  /// The sensor and the structure of the scene for which a bit was last set.
  struct Bit {
    std::uint32_t sensor = ~0U;
    std::uint64_t structure = 0;
  };
  void find_ignored(const Sensor& sensor, const Scene& scene);

  std::array<Bit, kBits> bits_;
  std::vector<std::uint32_t> turn_;  // [number]: index among the sensors that ignore something; ~0U: not asked yet
  std::uint32_t turns_ = 0;
  std::vector<std::uint32_t> masks_;
  std::vector<char> named_, ignored_;  // [entities]: named by the sensor; named or part of a named entity
  std::uint64_t version_ = 0;
};

/// Whether its rays may pass through an entity.
[[nodiscard]] bool ignores_something(const Sensor& sensor);

/// Throws InputError when the sensor ignores an entity that is not among `entities`, or a group without a name.
void check_ignored(const Sensor& sensor, std::size_t entities);

}  // namespace fathom
