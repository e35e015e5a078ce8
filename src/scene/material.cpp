// SPDX-License-Identifier: MIT
#include <fathom/scene/material.hpp>

#include <numbers>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "base/text.hpp"
#include "scene/material_limits.hpp"

namespace fathom {

namespace {

constexpr float kRightAngle = std::numbers::pi_v<float> / 2;

void check(const Material& m, std::string_view what, float value, float low, float high, bool open) {
  if ((open ? value > low : value >= low) && value <= high) return;
  throw InputError(fmt::format("material '{}': {} = {} is not in {}{}, {}]", m.name, what, number_text(value),
                               open ? '(' : '[', number_text(low), number_text(high)));
}

void check_table(const Material& m) {
  if (m.table.size() < 2 || m.table.size() > kMostIncidenceValues) {
    throw InputError(
        fmt::format("material '{}': table has {} entries, not 2 to {}", m.name, m.table.size(), kMostIncidenceValues));
  }
  for (std::size_t i = 0; i < m.table.size(); ++i) {
    check(m, "table: angle_rad", m.table[i].angle_rad, 0.0F, kRightAngle, false);
    check(m, "table: value", m.table[i].value, 0.0F, kMostIncidenceValue, false);
    if (i > 0 && !(m.table[i].angle_rad > m.table[i - 1].angle_rad)) {
      throw InputError(fmt::format("material '{}': the angles of its table do not ascend at entry {}", m.name, i));
    }
  }
}

}  // namespace

void validate(const Material& m) {
  if (m.name.empty()) throw InputError("a material needs a name");
  check(m, "reflectivity", m.reflectivity, 0.0F, 1.0F, false);
  const auto refuse = [&](std::string_view what, std::string_view law) {
    throw InputError(fmt::format("material '{}': {} is for the law {}", m.name, what, law));
  };
  switch (m.law) {
    case IncidenceLaw::kLambert:
      break;
    case IncidenceLaw::kTable:
      check_table(m);
      break;
    case IncidenceLaw::kRetro:
      check(m, "gain", m.gain, 0.0F, kMostIncidenceValue, true);
      check(m, "width_rad", m.width_rad, 0.0F, kRightAngle, true);
      break;
    default:
      throw InputError(fmt::format("material '{}': there is no such law", m.name));
  }
  if (m.law != IncidenceLaw::kTable && !m.table.empty()) refuse("a table", "table");
  if (m.law != IncidenceLaw::kRetro && m.gain != 0.0F) refuse("a gain", "retro");
  if (m.law != IncidenceLaw::kRetro && m.width_rad != 0.0F) refuse("a width", "retro");
}

}  // namespace fathom
