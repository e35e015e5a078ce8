// SPDX-License-Identifier: MIT
#include "render/entity_tables.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <fathom/core/error.hpp>

namespace fathom {

void SurfaceTable::update(const Scene& scene) {
  for (std::size_t i = reflectivity_.size(); i < scene.entities().size(); ++i) {
    const auto id = static_cast<EntityId>(i);
    const Material* material = scene.material_of(id);
    const bool is_clear = material != nullptr && material->optics.is_clear();
    const bool leads_on = material != nullptr && material->optics.leads_on();
    if (leads_on) optics_.resize(i);
    if (leads_on || !optics_.empty()) optics_.push_back(leads_on ? material->optics : SurfaceOptics{});
    const float own = material != nullptr ? material->reflectivity : scene.entities()[i].reflectivity;
    reflectivity_.push_back(is_clear ? material->optics.diffuse : own);
    labels_.push_back(scene.label_id(id));
    const bool is_cosine = material == nullptr || material->law == Material::Law::kLambert;
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
  law.kind = material.law == Material::Law::kTable ? SurfaceLaw::Kind::kTable : SurfaceLaw::Kind::kRetro;
  law.first = static_cast<std::uint32_t>(tables_.size());
  law.count = static_cast<std::uint32_t>(material.table.size());
  for (const Material::TableEntry& entry : material.table) tables_.push_back({entry.angle_rad, entry.value});
  law.gain = material.gain;
  law.width_rad = law.kind == SurfaceLaw::Kind::kRetro ? material.width_rad : 1.0F;
  laws_.push_back(law);
}

namespace {

bool ignores_parent(const Sensor& sensor) { return sensor.parent != kNoEntity && !sensor.see_parent; }

bool shares_any(const std::vector<std::string>& groups, const std::vector<std::string>& others) {
  return std::any_of(groups.begin(), groups.end(), [&](const std::string& group) {
    return std::find(others.begin(), others.end(), group) != others.end();
  });
}

}  // namespace

bool ignores_something(const Sensor& sensor) {
  return ignores_parent(sensor) || !sensor.ignore.empty() || !sensor.ignore_groups.empty();
}

void check_ignored(const Sensor& sensor, std::size_t entities) {
  for (const EntityId entity : sensor.ignore) {
    if (index(entity) >= entities) {
      throw InputError(fmt::format("ignore: entity {} is not in [0, {})", index(entity), entities));
    }
  }
  for (const std::string& group : sensor.ignore_groups) {
    if (group.empty()) throw InputError("ignore_groups: the name of a group is empty");
  }
}

void SeenMasks::find_ignored(const Sensor& sensor, const Scene& scene) {
  const std::vector<Entity>& entities = scene.entities();
  named_.assign(entities.size(), 0);
  for (const EntityId entity : sensor.ignore) named_[index(entity)] = 1;
  // The whole entity that carries the sensor, even if the sensor is attached to a part of it.
  if (ignores_parent(sensor)) named_[index(scene.whole_of(sensor.parent))] = 1;
  for (std::size_t i = 0; i < entities.size() && !sensor.ignore_groups.empty(); ++i) {
    if (shares_any(entities[i].groups, sensor.ignore_groups)) named_[i] = 1;
  }
  ignored_.assign(named_.begin(), named_.end());
  for (std::size_t i = 0; i < entities.size(); ++i) {
    std::size_t up = i;
    while (ignored_[i] == 0 && entities[up].part_of_parent && entities[up].parent != kNoEntity) {
      up = index(entities[up].parent);
      ignored_[i] = named_[up];
    }
  }
}

std::uint32_t SeenMasks::mask_of(std::uint32_t number, const Sensor& sensor, const Scene& scene) {
  if (!ignores_something(sensor)) return kSeesAll;
  if (number >= turn_.size()) turn_.resize(number + std::size_t{1}, ~0U);
  if (turn_[number] == ~0U) turn_[number] = turns_++;
  const std::uint32_t place = turn_[number] % kBits, mask = 2U << place;
  Bit& bit = bits_[place];
  if (bit.sensor == number && bit.structure == scene.structure_revision()) return mask;
  bit = {number, scene.structure_revision()};
  find_ignored(sensor, scene);
  bool changed = masks_.size() != ignored_.size();
  masks_.resize(ignored_.size(), kSeesAll);
  for (std::size_t i = 0; i < masks_.size(); ++i) {
    const std::uint32_t before = masks_[i];
    masks_[i] = ignored_[i] != 0 ? before & ~mask : before | mask;
    changed |= masks_[i] != before;
  }
  if (changed) ++version_;
  return mask;
}

}  // namespace fathom
