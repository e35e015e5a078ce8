// SPDX-License-Identifier: MIT
#include "simulate/read_returns.hpp"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sensor/sensor_view.hpp"
#include "text/read_fields.hpp"

namespace fathom {

void read_returns(YamlReader& map, Sensor& sensor) {
  if (auto divergence = map.find("divergence")) {
    read_fields(*divergence, sensor.divergence);
    divergence->finish();
    divergence->located([&] { check_divergence(sensor.divergence, make_view(sensor.model)); });
    if (!sensor.divergence.diverges()) divergence->fail_key("has no angle above 0: horizontal_rad or vertical_rad");
  }
  if (const auto returns = map.find("returns")) {
    sensor.returns.clear();
    const bool is_one = returns->is(YamlValue::Kind::kScalar);
    for (const YamlReader& word : is_one ? std::vector<YamlReader>{*returns} : returns->items()) {
      sensor.returns.push_back(static_cast<ReturnChoice>(word.one_of(kChoiceWords<ReturnChoice>)));
    }
    returns->located([&] { validate(sensor.divergence, sensor.returns); });
  }
  if (const auto coinciding = map.find("coinciding")) {
    if (sensor.returns.size() < 2) coinciding->fail("needs several returns: one alone coincides with no other");
    sensor.coinciding = static_cast<CoincidingReturn>(coinciding->one_of(kChoiceWords<CoincidingReturn>));
  }
  if (auto falloff = map.find("falloff")) {
    if (!falloff->find("law")) {
      falloff->fail_key(
          fmt::format("has no law: {}{}", fmt::join(kChoiceWords<FalloffLaw>, " or "), falloff->slip_hint()));
    }
    read_fields(*falloff, sensor.falloff);
    falloff->finish();
  }
}

}  // namespace fathom
