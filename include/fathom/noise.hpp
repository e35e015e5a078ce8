#pragma once
// Noise of any model, built in or the user's own, as one type: Noise noise = DistanceNoise{.stddev_m = 0.02F};

#include <array>
#include <concepts>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <fathom/export.hpp>
#include <fathom/isa.hpp>
#include <fathom/noise/drive.hpp>
#include <fathom/noise/models.hpp>

namespace fathom {

/// What is known of a model without its type.
struct NoiseInfo {
  std::string_view slug, doc;
  Stage stage;
  SurfaceNeeds needs;
  std::vector<FieldInfo> fields;
};

/// A value of an enumerated parameter: its position among the words of its FieldInfo. Any enum turns into one.
struct Choice {
  std::uint32_t index = 0;

  explicit constexpr Choice(std::uint32_t position) : index(position) {}
  template <class E>
  requires std::is_enum_v<E>
  constexpr Choice(E value)  // NOLINT(google-explicit-constructor): so that a FieldValue can be given an Axis
      : index(static_cast<std::uint32_t>(value)) {}
  friend constexpr bool operator==(Choice, Choice) = default;
};

/// One parameter by name, as files give it.
struct FieldValue {
  std::string name;
  std::variant<double, bool, Choice> value;

  /// As the functions of field.hpp take it: the number, 0 or 1 of a flag, or the position of a word.
  [[nodiscard]] FATHOM_API double number() const;
};

/// The value of a parameter that this number stands for.
FATHOM_API FieldValue field_value(const FieldInfo& field, double number);

namespace detail {

template <class T, class Variant>
inline constexpr bool kIsAlternative = false;
template <class T, class... Ts>
inline constexpr bool kIsAlternative<T, std::variant<Ts...>> = (std::same_as<T, Ts> || ...);

template <NoiseModel M>
constexpr SurfaceNeeds needs_of() {
  if constexpr (requires { M::kNeeds; }) {
    return M::kNeeds;
  } else {
    return {};
  }
}

template <NoiseModel M>
constexpr bool has_simple_fields() {
  for (const Field<M>& field : M::fields()) {
    if (!std::holds_alternative<float M::*>(field.member) && !std::holds_alternative<bool M::*>(field.member) &&
        !std::holds_alternative<ChoiceMember<M>>(field.member)) {
      return false;
    }
  }
  return true;
}

template <NoiseModel M>
NoiseInfo make_info() {
  static_assert(has_simple_fields<M>(), "parameters of noise are float, bool or an enum");
  return {M::kSlug, M::kDoc, M::kStage, needs_of<M>(), describe<M>()};
}

template <NoiseModel M>
const NoiseInfo& info_of() {
  static const NoiseInfo info = make_info<M>();
  return info;
}

template <NoiseModel M>
std::vector<FieldValue> values_of(const void* model) {
  std::vector<FieldValue> values;
  for (const FieldInfo& field : info_of<M>().fields) {
    values.push_back(field_value(field, get_field(*static_cast<const M*>(model), field.name).front()));
  }
  return values;
}

/// Throws InputError unless the model has a number called `field`.
FATHOM_API void check_is_number(const NoiseInfo& info, std::string_view field);

/// The kernels of a registered model, [Isa], compiled inside the library; found by slug.
FATHOM_API std::array<BlockKernel, 3> registered_kernels(std::string_view slug);

struct UserBuild;  // the tag of kernels compiled in the user's own translation unit

template <NoiseModel M>
std::array<BlockKernel, 3> kernels_of() {
  if constexpr (kIsAlternative<M, RegisteredNoise>) {
    return registered_kernels(M::kSlug);
  } else {
    return {&block_kernel<M, UserBuild>, &block_kernel<M, UserBuild>, &block_kernel<M, UserBuild>};
  }
}

}  // namespace detail

/// A noise model with its parameters. Cheap to copy; immutable.
class Noise {
 public:
  /// Any registered model, or any struct of the shape that noise/model.hpp describes. Throws InputError when a
  /// parameter is outside its limits.
  template <NoiseModel M>
  Noise(const M& model)  // NOLINT(google-explicit-constructor): a model is a noise
      : model_((validate(model), std::make_shared<const M>(model))),
        info_(&detail::info_of<M>()),
        values_(&detail::values_of<M>),
        with_(&Noise::with_number<M>),
        kernels_(detail::kernels_of<M>()),
        identity_(model.is_identity()) {}

  [[nodiscard]] const NoiseInfo& info() const { return *info_; }
  [[nodiscard]] std::string_view slug() const { return info_->slug; }
  [[nodiscard]] Stage stage() const { return info_->stage; }
  [[nodiscard]] bool is_identity() const { return identity_; }
  [[nodiscard]] std::vector<FieldValue> values() const { return values_(model_.get()); }

  /// The same noise with one number changed. Throws InputError for an unknown field or a value outside its limits.
  [[nodiscard]] Noise with(std::string_view field, double value) const { return with_(model_.get(), field, value); }

  /// Applies the model to a block with the kernel for `isa`.
  void apply(Isa isa, const NoiseKey& key, RayBlock& rays, ReturnBlock& returns, DrawBuffer& draws) const {
    kernels_[static_cast<std::size_t>(isa)](model_.get(), key, rays, returns, draws);
  }

 private:
  template <NoiseModel M>
  static Noise with_number(const void* model, std::string_view field, double value) {
    detail::check_is_number(detail::info_of<M>(), field);
    M changed = *static_cast<const M*>(model);
    set_field(changed, field, value);
    return changed;
  }

  std::shared_ptr<const void> model_;
  const NoiseInfo* info_;
  std::vector<FieldValue> (*values_)(const void*);
  Noise (*with_)(const void*, std::string_view, double);
  std::array<BlockKernel, 3> kernels_;
  bool identity_;
};

/// All registered models, in the order of the list.
FATHOM_API const std::vector<NoiseInfo>& noise_models();

/// A registered model by slug; absent fields keep their defaults. Throws InputError for an unknown slug or field
/// (naming the nearest known one) and for a value outside its limits.
FATHOM_API Noise make_noise(std::string_view slug, std::span<const FieldValue> values);

}  // namespace fathom
