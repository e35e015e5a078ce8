// SPDX-License-Identifier: MIT
// The registered models seen through their tables: listing, making by name, kernels by slug.

#include <fathom/noise/noise.hpp>

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/noise/custom.hpp>

#include "core/text.hpp"
#include "sensor/kernels.hpp"
#include "sensor/noise_access.hpp"

namespace fathom {

namespace {

/// Calls f<Model>() for each registered model.
template <class F, std::size_t... I>
void for_each_model(F f, std::index_sequence<I...>) {
  (f.template operator()<std::variant_alternative_t<I, RegisteredNoise>>(), ...);
}

template <class F>
void for_each_model(F f) {
  for_each_model(f, std::make_index_sequence<std::variant_size_v<RegisteredNoise>>());
}

/// Throws InputError unless the model has the parameter, and it takes values of that kind.
void check_kind(const NoiseInfo& info, const FieldValue& given) {
  std::vector<std::string_view> names;
  for (const FieldInfo& field : info.fields) {
    names.push_back(field.name);
    if (field.name != given.name) continue;
    const auto* choice = std::get_if<Choice>(&given.value);
    if (field.kind == FieldKind::kChoice && (choice == nullptr || choice->index >= field.choices.size())) {
      throw InputError(fmt::format("{}.{} is one of {}", info.slug, field.name, fmt::join(field.choices, ", ")));
    }
    if (field.kind == FieldKind::kFlag && !std::holds_alternative<bool>(given.value)) {
      throw InputError(fmt::format("{}.{} is true or false", info.slug, field.name));
    }
    if (field.kind == FieldKind::kNumber && !std::holds_alternative<double>(given.value)) {
      throw InputError(fmt::format("{}.{} is a number, not a choice", info.slug, field.name));
    }
    return;
  }
  throw InputError(fmt::format("{} has no parameter '{}'{}", info.slug, given.name, nearest_hint(given.name, names)));
}

}  // namespace

double FieldValue::number() const {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? 1.0 : 0.0;
  if (const auto* choice = std::get_if<Choice>(&value)) return choice->index;
  return std::get<double>(value);
}

FieldValue field_value(const FieldInfo& field, double number) {
  switch (field.kind) {
    case FieldKind::kFlag:
      return {std::string(field.name), number != 0.0};
    case FieldKind::kChoice:
      return {std::string(field.name), Choice(static_cast<std::uint32_t>(number))};
    default:
      return {std::string(field.name), number};
  }
}

namespace detail {

void check_is_number(const NoiseInfo& info, std::string_view field) {
  std::vector<std::string_view> names;
  for (const FieldInfo& f : info.fields) {
    if (f.kind != FieldKind::kNumber) continue;
    if (f.name == field) return;
    names.push_back(f.name);
  }
  throw InputError(fmt::format("{} has no number '{}'{}", info.slug, field, nearest_hint(field, names)));
}

const NoiseType& registered_type(std::size_t place_in_list) {
  static const auto types = []<std::size_t... I>(std::index_sequence<I...>) {
    return std::array{make_type<std::variant_alternative_t<I, RegisteredNoise>>(
        {FATHOM_FOR_ISA(Isa::kBase, kKernels)[I], FATHOM_FOR_ISA(Isa::kAvx2, kKernels)[I],
         FATHOM_FOR_ISA(Isa::kAvx512, kKernels)[I]})...};
  }
  (std::make_index_sequence<std::variant_size_v<RegisteredNoise>>());
  return types[place_in_list];
}

std::optional<std::size_t> NoiseAccess::place_in_list(const Noise& noise) {
  for (std::size_t i = 0; i < std::variant_size_v<RegisteredNoise>; ++i) {
    if (noise.type_ == &registered_type(i)) return i;
  }
  return std::nullopt;
}

struct LazyTable {
  std::once_flag made;
  std::vector<float> values;
};

std::span<const float> NoiseAccess::table(const Noise& noise) {
  if (!noise.table_) return {};
  LazyTable& table = *noise.table_;
  std::call_once(table.made, [&] { table.values = noise.type_->hooks.tabulate(noise.model_.get()); });
  return table.values;
}

namespace {

/// "a or b": the slugs of the registered models whose type has a property.
template <class Predicate>
std::string slugs_with(Predicate has_property) {
  std::vector<std::string_view> slugs;
  for (std::size_t i = 0; i < std::variant_size_v<RegisteredNoise>; ++i) {
    const NoiseType& type = registered_type(i);
    if (has_property(type)) slugs.push_back(type.info->slug);
  }
  return fmt::format("{}", fmt::join(slugs, " or "));
}

}  // namespace

std::string models_of(Stage stage) {
  return slugs_with([&](const NoiseType& type) { return type.info->stage == stage; });
}

std::string models_for(Remedy remedy) {
  return slugs_with([&](const NoiseType& type) {
    const std::span<const Remedy> all = type.hooks.remedies;
    return std::find(all.begin(), all.end(), remedy) != all.end();
  });
}

std::vector<LossCandidate> loss_candidates(const LossCover& cover) {
  std::vector<LossCandidate> all;
  for (std::size_t i = 0; i < std::variant_size_v<RegisteredNoise>; ++i) {
    const NoiseHooks& hooks = registered_type(i).hooks;
    if (hooks.begin_loss == nullptr) continue;
    LossCandidate& candidate = all.emplace_back(LossCandidate{hooks.begin_loss(cover), hooks.loss_cause, {}});
    for (const std::string_view field : hooks.loss_free) {
      candidate.free.push_back(fmt::format("{}.{}", candidate.begun.slug(), field));
    }
  }
  return all;
}

}  // namespace detail

Noise::Noise(const detail::NoiseType& type, const void* model)
    : type_(&type), model_(type.copy(model)), identity_(type.is_identity(model)) {
  if (type.hooks.tabulate != nullptr && !identity_) table_ = std::make_shared<detail::LazyTable>();
}

void Noise::apply(Isa isa, const NoiseKey& key, RayBlock& rays, ReturnBlock& returns, DrawBuffer& draws) const {
  if (type_->hooks.tabulate != nullptr && !table_) return;  // an identity
  returns.table = detail::NoiseAccess::table(*this).data();
  type_->kernels[static_cast<std::size_t>(isa)].apply(model_.get(), key, rays, returns, draws);
}

const std::vector<NoiseInfo>& noise_models() {
  static const std::vector<NoiseInfo> models = [] {
    std::vector<NoiseInfo> all;
    for_each_model([&]<class M>() { all.push_back(detail::info_of<M>()); });
    return all;
  }();
  return models;
}

double Noise::number(std::string_view field) const {
  for (const FieldValue& value : values()) {
    if (value.name == field) return value.number();
  }
  throw InputError(fmt::format("{} has no parameter '{}'", slug(), field));
}

const LearnedField* Noise::learned(std::string_view field) const {
  for (const LearnedField& entry : learned()) {
    if (entry.field == field) return &entry;
  }
  return nullptr;
}

bool Noise::has_threshold() const {
  const auto jumps_along = [this](const LearnedField& f) {
    return f.role == LearnedRole::kThreshold && jumps(f.field);
  };
  return std::any_of(learned().begin(), learned().end(), jumps_along);
}

Noise make_noise(std::string_view slug, std::span<const FieldValue> values) {
  std::optional<Noise> made;
  for_each_model([&]<class M>() {
    if (M::kSlug != slug) return;
    M model;
    for (const FieldValue& value : values) {
      check_kind(detail::info_of<M>(), value);
      set_field(model, value.name, value.number());
    }
    made.emplace(model);
  });
  if (made) return *made;
  std::vector<std::string_view> slugs;
  for (const NoiseInfo& info : noise_models()) slugs.push_back(info.slug);
  throw InputError(fmt::format("there is no noise model '{}'{}", slug, nearest_hint(slug, slugs)));
}

}  // namespace fathom
