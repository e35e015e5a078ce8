// SPDX-License-Identifier: MIT
#include "simulate/read_surface.hpp"

#include <algorithm>
#include <string_view>
#include <type_traits>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/files/robot.hpp>
#include <fathom/scene/scene.hpp>

#include "base/text.hpp"
#include "render/parameter_range.hpp"
#include "simulate/read_range.hpp"

namespace fathom {

namespace {

std::vector<std::string> read_groups(const YamlReader& list) {
  std::vector<std::string> groups;
  for (const YamlReader& name : list.items()) {
    if (name.text().empty()) name.fail("is no name of a group");
    groups.push_back(name.text());
  }
  return groups;
}

std::string read_label(const YamlReader& name, const LabelNames& table) {
  std::string label = name.text();
  if (label.empty()) name.fail("is no name of a label");
  if (table && std::find(table->begin(), table->end(), label) == table->end()) {
    const std::vector<std::string_view> known(table->begin(), table->end());
    name.fail("is not in scene.labels" + nearest_hint(label, known));
  }
  return label;
}

void read_material(YamlReader& map, Entity& entity) {
  const auto value = map.find("reflectivity"), material = map.find("material");
  if (value && material) value->fail("and a material are both given; the material has a reflectivity");
  if (value) entity.material.clear();  // a part's own, beside the material of the whole
  if (!material) return;
  entity.material = material->text();
  if (entity.material.empty()) material->fail("is no name of a material");
}

}  // namespace

template <class T>
std::optional<ParameterRange> read_surface(YamlReader& map, const LabelNames& table, T& thing) {
  if constexpr (std::is_same_v<T, Entity>) read_material(map, thing);
  std::optional<ParameterRange> range;
  if (const auto value = Quantity::find(map, "reflectivity")) {
    if constexpr (std::is_same_v<T, Entity>) range = read_range(*value, reflectivity_field());
    if (range) range->target = RangeTarget::kEntity;
    thing.reflectivity = static_cast<float>(range ? middle_of(*range) : value->number({0, 1, "1"}));
  }
  if (const auto groups = map.find("groups")) thing.groups = read_groups(*groups);
  if (const auto sided = map.find("one_sided")) thing.one_sided = sided->boolean();
  if (const auto label = map.find("label")) thing.label = read_label(*label, table);
  return range;
}

template std::optional<ParameterRange> read_surface(YamlReader& map, const LabelNames& table, Entity& thing);
template std::optional<ParameterRange> read_surface(YamlReader& map, const LabelNames& table, RobotPlace& thing);

}  // namespace fathom
