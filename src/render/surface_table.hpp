// SPDX-License-Identifier: MIT
#pragma once
// What rays read of the surfaces of a scene's entities besides their place.

#include <cstdint>
#include <span>
#include <vector>

#include <fathom/scene/scene.hpp>

#include "render/intensity_math.hpp"

namespace fathom {

class SurfaceTable {
 public:
  SurfaceTable() = default;
  explicit SurfaceTable(const Scene& scene) { update(scene); }

  /// Takes over the entities that were added since the last call.
  void update(const Scene& scene);
  /// Of an entity that it has: as an episode draws it.
  void set_reflectivity(EntityId entity, float reflectivity) { reflectivity_[index(entity)] = reflectivity; }

  [[nodiscard]] std::span<const float> reflectivity() const { return reflectivity_; }  ///< [entities]
  [[nodiscard]] std::span<const std::uint32_t> labels() const { return labels_; }      ///< [entities], ids
  [[nodiscard]] std::span<const SurfaceLaw> laws() const { return laws_; }  ///< [entities]; empty: all cosines
  [[nodiscard]] std::span<const LawEntry> tables() const { return tables_; }
  /// `reflectivity`: [entities], in place of those of the table.
  [[nodiscard]] SurfaceView view(std::span<const float> reflectivity) const {
    return {reflectivity.data(), laws_.empty() ? nullptr : laws_.data(), tables_.data()};
  }

 private:
  void add_law(const Material& material);

  std::vector<float> reflectivity_;
  std::vector<std::uint32_t> labels_;
  std::vector<SurfaceLaw> laws_;
  std::vector<LawEntry> tables_;
};

}  // namespace fathom
