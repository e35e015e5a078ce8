// The registered models seen through their tables: listing, making by name, kernels by slug.

#include <fathom/noise.hpp>

#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <fathom/error.hpp>
#include <fathom/noise/custom.hpp>

#include "base/text.hpp"
#include "noise/kernels.hpp"

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

template <NoiseModel M>
void set_field(M& model, const FieldValue& given) {
  std::vector<std::string_view> names;
  for (const auto& field : M::fields()) {
    names.push_back(field.name);
    if (field.name != given.name) continue;
    if (const auto* number = std::get_if<float M::*>(&field.member)) {
      if (!std::holds_alternative<double>(given.value)) {
        throw InputError(fmt::format("{}.{} is a number, not a choice", M::kSlug, field.name));
      }
      // Checked before narrowing, so that 1e300 is reported as itself and not as inf.
      check_value(field, std::get<double>(given.value));
      model.*(*number) = static_cast<float>(std::get<double>(given.value));
    } else {
      const auto& member = std::get<ChoiceMember<M>>(field.member);
      const auto* choice = std::get_if<Choice>(&given.value);
      if (choice == nullptr || choice->index >= member.words.size()) {
        throw InputError(fmt::format("{}.{} is one of {}", M::kSlug, field.name, fmt::join(member.words, ", ")));
      }
      member.set(model, choice->index);
    }
    return;
  }
  throw InputError(fmt::format("{} has no parameter '{}'{}", M::kSlug, given.name, nearest_hint(given.name, names)));
}

}  // namespace

namespace detail {

std::string default_text(double value) { return number_text(value); }

void no_such_number(const NoiseInfo& info, std::string_view field) {
  std::vector<std::string_view> names;
  for (const FieldInfo& f : info.fields) {
    if (f.choices.empty()) names.push_back(f.name);
  }
  throw InputError(fmt::format("{} has no number '{}'{}", info.slug, field, nearest_hint(field, names)));
}

const NoiseType& registered_type(std::size_t place_in_list) {
  static const auto types = []<std::size_t... I>(std::index_sequence<I...>) {
    return std::array{make_type<std::variant_alternative_t<I, RegisteredNoise>>(
        {sse2::kKernels[I], avx2::kKernels[I], avx512::kKernels[I]})...};
  }
  (std::make_index_sequence<std::variant_size_v<RegisteredNoise>>());
  return types[place_in_list];
}

}  // namespace detail

Noise::Noise(const detail::NoiseType& type, const void* model)
    : type_(&type), model_(type.copy(model)), identity_(type.is_identity(model)) {}

const std::vector<NoiseInfo>& noise_models() {
  static const std::vector<NoiseInfo> models = [] {
    std::vector<NoiseInfo> all;
    for_each_model([&]<class M>() { all.push_back(detail::info_of<M>()); });
    return all;
  }();
  return models;
}

Noise make_noise(std::string_view slug, std::span<const FieldValue> values) {
  std::optional<Noise> made;
  for_each_model([&]<class M>() {
    if (M::kSlug != slug) return;
    M model;
    for (const FieldValue& value : values) set_field(model, value);
    made.emplace(model);
  });
  if (made) return *made;
  std::vector<std::string_view> slugs;
  for (const NoiseInfo& info : noise_models()) slugs.push_back(info.slug);
  throw InputError(fmt::format("there is no noise model '{}'{}", slug, nearest_hint(slug, slugs)));
}

}  // namespace fathom
