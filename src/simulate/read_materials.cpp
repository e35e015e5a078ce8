// SPDX-License-Identifier: MIT
#include "simulate/read_materials.hpp"

#include <utility>
#include <vector>

#include "scene/material_limits.hpp"
#include "text/quantity.hpp"

namespace fathom {

namespace {

constexpr double kRightAngle = 1.57079637050628662;  // pi / 2 in single precision
constexpr Limits kAngles = {0, kRightAngle, "rad"}, kValues = {0, kMostIncidenceValue, "1"};

void read_table(const Quantity& table, Material& material) {
  material.law = IncidenceLaw::kTable;
  for (const YamlReader& entry : table.reader().items()) {
    const std::vector<YamlReader> pair = entry.items();
    if (pair.size() != 2) entry.fail("is not a pair of an angle and a value");
    material.table.push_back(
        {static_cast<float>(table.part(pair[0], kAngles)), static_cast<float>(pair[1].number(kValues))});
  }
}

void read_retro(YamlReader retro, Material& material) {
  material.law = IncidenceLaw::kRetro;
  material.gain = static_cast<float>(retro.at("gain").number({0.001, kMostIncidenceValue, "1"}));
  material.width_rad = static_cast<float>(Quantity::at(retro, "width_rad").number({0.001, kRightAngle, "rad"}));
  retro.finish();
}

}  // namespace

void read_materials(YamlReader map, Scene& scene) {
  for (YamlReader& entry : map.entries()) {
    Material material;
    material.name = entry.key();
    if (const auto value = entry.find("reflectivity")) {
      material.reflectivity = static_cast<float>(value->number({0, 1, "1"}));
    }
    const auto table = Quantity::find(entry, "table_rad");
    const auto retro = entry.find("retro");
    if (table && retro) retro->fail_key("and a table are both given; a material has one law");
    if (table) read_table(*table, material);
    if (retro) read_retro(*retro, material);
    entry.finish();
    entry.located([&] { scene.add_material(std::move(material)); });
  }
}

}  // namespace fathom
