// SPDX-License-Identifier: MIT
#include <cstddef>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/sensor/kinds.hpp>

#include "base/text.hpp"

namespace fathom {

namespace {

template <FieldModel M>
SensorKindInfo kind_info() {
  return {M::kSlug, M::kDoc, describe<M>(), requires {M::kRaysFromFile;
}
};  // namespace
}  // namespace fathom

template <std::size_t... I>
std::vector<SensorKindInfo> all_kinds(std::index_sequence<I...>) {
  return {kind_info<std::variant_alternative_t<I, SensorModel>>()...};
}

template <std::size_t I = 0>
SensorModel model_of_kind(std::string_view kind) {
  if constexpr (I < std::variant_size_v<SensorModel>) {
    using Model = std::variant_alternative_t<I, SensorModel>;
    if (Model::kSlug == kind) return Model{};
    return model_of_kind<I + 1>(kind);
  } else {
    std::vector<std::string_view> slugs;
    for (const SensorKindInfo& info : sensor_kinds()) slugs.push_back(info.slug);
    throw InputError(fmt::format("there is no kind of sensor '{}'{}", kind, nearest_hint(kind, slugs)));
  }
}

}  // namespace

const std::vector<SensorKindInfo>& sensor_kinds() {
  static const std::vector<SensorKindInfo> kinds =
      all_kinds(std::make_index_sequence<std::variant_size_v<SensorModel>>{});
  return kinds;
}

std::string_view sensor_kind(const SensorModel& model) {
  return std::visit([](const auto& m) { return std::remove_cvref_t<decltype(m)>::kSlug; }, model);
}

SensorModel make_sensor_model(std::string_view kind) { return model_of_kind(kind); }

void set_sensor_field(SensorModel& model, std::string_view field, double value) {
  set_sensor_field(model, field, std::span<const double>(&value, 1));
}

void set_sensor_field(SensorModel& model, std::string_view field, std::span<const double> values) {
  std::visit([&](auto& m) { set_field(m, field, values); }, model);
}

std::vector<double> get_sensor_field(const SensorModel& model, std::string_view field) {
  return std::visit([&](const auto& m) { return get_field(m, field); }, model);
}

}  // namespace fathom
