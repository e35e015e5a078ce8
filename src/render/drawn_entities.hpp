// SPDX-License-Identifier: MIT
#pragma once
// What the episodes of many environments draw for the entities of their scene.

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "render/moved_entities.hpp"
#include "render/parameter_range.hpp"

namespace fathom {

/// Environments are counted from 0.
class DrawnEntities {
 public:
  /// Nothing is drawn until keep(). `reflectivity`: of the entities, where it is not drawn. Throws InputError for a
  /// range that is none of an entity.
  DrawnEntities(const Scene& scene, std::span<const float> reflectivity, std::vector<ParameterRange> ranges,
                std::uint32_t environments)
      : ranges_(std::move(ranges)), entities_(scene.entities().size()) {
    for (const ParameterRange& range : ranges_) check_range(scene.entities(), range);
    values_.resize(environments * ranges_.size());
    for (std::uint32_t e = 0; e < (ranges_.empty() ? 1 : environments); ++e) {
      reflectivity_.insert(reflectivity_.end(), reflectivity.begin(), reflectivity.end());
    }
  }

  [[nodiscard]] EntityDraw draw(const Scene& scene, std::uint64_t episode_seed) const {
    return draw_entities(scene.entities(), ranges_, episode_seed);
  }
  /// `moved`: takes the offsets of poses.
  void keep(std::uint32_t environment, const EntityDraw& drawn, const Scene& scene, MovedEntities& moved) {
    std::copy(drawn.values.begin(), drawn.values.end(),
              values_.begin() + static_cast<std::ptrdiff_t>(environment * ranges_.size()));
    const std::size_t first = environment * entities_;
    for (const auto& [entity, value] : drawn.reflectivity) reflectivity_[first + index(entity)] = value;
    for (const auto& [entity, offset] : drawn.offset) moved.set_offset(scene, environment, entity, offset);
  }

  /// [entities], in an environment.
  [[nodiscard]] std::span<const float> reflectivity(std::uint32_t environment) const {
    return std::span(reflectivity_).subspan(ranges_.empty() ? 0 : environment * entities_, entities_);
  }
  [[nodiscard]] std::vector<DrawnParameter> drawn(std::uint32_t environment) const {
    return named_values(ranges_, std::span(values_).subspan(environment * ranges_.size(), ranges_.size()));
  }
  [[nodiscard]] std::span<const double> values() const { return values_; }  ///< [environments, ranges]
  [[nodiscard]] std::span<const ParameterRange> ranges() const { return ranges_; }

 private:
  std::vector<ParameterRange> ranges_;
  std::size_t entities_;
  std::vector<double> values_;       // [environments, ranges]
  std::vector<float> reflectivity_;  // [entities], or [environments, entities]
};

}  // namespace fathom
