// SPDX-License-Identifier: MIT
#include "render/surface_table.hpp"

namespace fathom {

void SurfaceTable::update(const Scene& scene) {
  for (std::size_t i = reflectivity_.size(); i < scene.entities().size(); ++i) {
    const auto id = static_cast<EntityId>(i);
    const Material* material = scene.material_of(id);
    reflectivity_.push_back(material != nullptr ? material->reflectivity : scene.entities()[i].reflectivity);
    labels_.push_back(scene.label_id(id));
    const bool is_cosine = material == nullptr || material->law == IncidenceLaw::kLambert;
    if (is_cosine && laws_.empty()) continue;
    laws_.resize(i);
    if (is_cosine) {
      laws_.emplace_back();
    } else {
      add_law(*material);
    }
  }
}

void SurfaceTable::add_law(const Material& material) {
  SurfaceLaw law;
  law.kind = material.law == IncidenceLaw::kTable ? SurfaceLaw::Kind::kTable : SurfaceLaw::Kind::kRetro;
  law.first = static_cast<std::uint32_t>(tables_.size());
  law.count = static_cast<std::uint32_t>(material.table.size());
  for (const IncidenceValue& entry : material.table) tables_.push_back({entry.angle_rad, entry.value});
  law.gain = material.gain;
  law.width_rad = law.kind == SurfaceLaw::Kind::kRetro ? material.width_rad : 1.0F;
  laws_.push_back(law);
}

}  // namespace fathom
