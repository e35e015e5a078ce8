// SPDX-License-Identifier: MIT
#pragma once
// Noise of any model, built in or the user's own, as one type: Noise noise = DistanceNoise{.stddev_m = 0.02F};
// Your own model needs noise/custom.hpp too.

#include <array>
#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <fathom/core/compute.hpp>
#include <fathom/core/export.hpp>
#include <fathom/noise/detail/measured_range_law.hpp>
#include <fathom/noise/detail/window.hpp>
#include <fathom/noise/model.hpp>
#include <fathom/noise/models.hpp>
#include <fathom/noise/stereo_energy.hpp>

namespace fathom {

class Noise;

/// A model's properties, without its type.
struct NoiseInfo {
  std::string_view slug, doc;
  std::string_view note;  ///< how it differs from its source; empty if it does not
  Stage stage;
  SurfaceNeeds needs;
  std::vector<FieldInfo> fields;
  DrawCount draws = {};  ///< random numbers per ray
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

/// A number of a model by the name of its parameter.
struct NamedNumber {
  std::string_view field;
  double value;
};

/// A number as the value of a parameter: itself, the flag it means, or the word at that position.
FATHOM_API FieldValue field_value(const FieldInfo& field, double number);

namespace detail {

template <NoiseModel M>
constexpr SurfaceNeeds needs_of() {
  if constexpr (requires { M::kNeeds; }) {
    return M::kNeeds;
  } else {
    return {};
  }
}

template <NoiseModel M>
constexpr std::string_view note_of() {
  if constexpr (requires { M::kNote; }) {
    return M::kNote;
  } else {
    return {};
  }
}

template <NoiseModel M>
constexpr bool has_simple_fields() {
  for (const Field<M>& field : M::fields()) {
    if (!member_of<float>(field) && !member_of<bool>(field) && !field.member.as_choice()) return false;
  }
  return true;
}

template <NoiseModel M>
NoiseInfo make_info() {
  static_assert(has_simple_fields<M>(), "parameters of noise are float, bool or an enum");
  return {M::kSlug, M::kDoc, note_of<M>(), M::kStage, needs_of<M>(), describe<M>(), M::kDraws};
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

/// The optional members of a model (noise/model.hpp) as functions; null or empty if the model lacks them.
struct NoiseHooks {
  std::span<const SameInChain> same_in_chain = {};
  void (*check_on)(const void*, const SensorTraits&) = nullptr;
  float (*sight_tolerance)(const void*) = nullptr;
  EnergyAngle (*energy_angle)(const void*) = nullptr;
  EnergyGain (*energy_gain)(const void*) = nullptr;
  EdgeReads (*edge_reads)(const void*) = nullptr;
  WindowRule (*window)(const void*) = nullptr;
  double (*least_depth_m)(const void*, const Optics&) = nullptr;
  std::string_view (*idle)(const void*, std::string_view) = nullptr;
  Noise (*without_losses)(const void*) = nullptr;
  bool (*is_placed)(const void*) = nullptr;
  std::vector<float> (*tabulate)(const void*) = nullptr;
  Noise (*on_beam)(const void*, float) = nullptr;
  void (*act)(const void*, MeasuredRangeLaw&) = nullptr;
  double (*loss_probability)(const void*, const Return&, const Surface&) = nullptr;
  SoftLawPtr (*soft_law)(const void*, std::span<const float> table) = nullptr;
  AxisTurn (*turn)(const void*) = nullptr;
  std::span<const LearnedField> learned = {};
  bool (*jumps)(const void*, std::string_view) = nullptr;
  double (*level_of)(const Optics&, double) = nullptr;
  Noise (*begin)(const void*, const LearnedReturns&, std::span<const std::string_view>) = nullptr;
  Noise (*with_other_law)(const void*) = nullptr;
  std::string_view (*law)(const void*) = nullptr;
  std::span<const Remedy> remedies = {};
  Noise (*with_heavy_tails)(const void*) = nullptr;
  LossCause loss_cause = LossCause::kChance;
  std::span<const std::string_view> loss_free = {};
  Noise (*begin_loss)(const LossCover&) = nullptr;
};

/// The functions of a model without its type.
struct NoiseType {
  const NoiseInfo* info;
  std::shared_ptr<const void> (*copy)(const void*);  ///< throws InputError when a parameter is outside its limits
  bool (*is_identity)(const void*);
  std::vector<FieldValue> (*values)(const void*);
  Noise (*with)(const void*, std::span<const NamedNumber>, bool settles);
  std::array<ModelKernels, 3> kernels;  ///< [Isa]
  NoiseHooks hooks;
};

/// Position of a model in the list of registered models; their number for a user's model.
template <class M, class Variant = RegisteredNoise>
inline constexpr std::size_t kPlaceInList = 0;
template <class M, class... Ms>
inline constexpr std::size_t kPlaceInList<M, std::variant<Ms...>> = [] {
  std::size_t place = 0;
  static_cast<void>(((std::same_as<M, Ms> ? false : (++place, true)) && ...));
  return place;
}();

/// Of a registered model, compiled inside the library.
FATHOM_API const NoiseType& registered_type(std::size_t place_in_list);

/// Of a user's model; defined in noise/custom.hpp.
template <class M>
struct OwnType;

template <NoiseModel M>
const NoiseType& type_of() {
  if constexpr (kPlaceInList<M> < std::variant_size_v<RegisteredNoise>) {
    return registered_type(kPlaceInList<M>);
  } else {
    static_assert(
        requires { sizeof(OwnType<M>); }, "your own noise model needs #include <fathom/noise/custom.hpp>");
    return OwnType<M>::get();
  }
}

/// Of the library: the parameters of a model as they lie in memory.
struct NoiseAccess;
struct LazyTable;

/// Makes the table of a model's functions; defined in noise/custom.hpp.
template <NoiseModel M>
NoiseType make_type(const std::array<ModelKernels, 3>& kernels);

}  // namespace detail

/// A noise model with its parameters. Cheap to copy; immutable.
class Noise {
 public:
  /// Any registered model, or any struct of the shape that noise/model.hpp describes (with noise/custom.hpp included).
  /// Throws InputError when a parameter is outside its limits.
  template <NoiseModel M>
  Noise(const M& model)  // NOLINT(google-explicit-constructor): a model is a noise
      : Noise(detail::type_of<M>(), &model) {}

  [[nodiscard]] const NoiseInfo& info() const { return *type_->info; }
  [[nodiscard]] std::string_view slug() const { return info().slug; }
  [[nodiscard]] Stage stage() const { return info().stage; }
  [[nodiscard]] bool is_identity() const { return identity_; }
  [[nodiscard]] std::vector<FieldValue> values() const { return type_->values(model_.get()); }
  /// The value of a parameter as FieldValue::number(). Throws InputError for an unknown field.
  [[nodiscard]] FATHOM_API double number(std::string_view field) const;

  /// The same noise with one number changed. Throws InputError for an unknown field or a value outside its limits.
  [[nodiscard]] Noise with(std::string_view field, double value) const { return with({{{field, value}}}); }
  /// The same with several numbers. `settles`: whether settle() of the model adapts the others.
  [[nodiscard]] Noise with(std::span<const NamedNumber> numbers, bool settles = false) const {
    return type_->with(model_.get(), numbers, settles);
  }

  // Each calls the model's optional member of the same name; see noise/model.hpp.

  /// Throws InputError when the model cannot act on such a sensor.
  void check_on(const SensorTraits& sensor) const {
    if (type_->hooks.check_on != nullptr) type_->hooks.check_on(model_.get(), sensor);
  }
  [[nodiscard]] std::span<const SameInChain> same_in_chain() const { return type_->hooks.same_in_chain; }
  [[nodiscard]] float sight_tolerance() const {
    return type_->hooks.sight_tolerance == nullptr ? 0.0F : type_->hooks.sight_tolerance(model_.get());
  }
  [[nodiscard]] std::optional<EnergyAngle> energy_angle() const {
    if (type_->hooks.energy_angle == nullptr) return std::nullopt;
    return type_->hooks.energy_angle(model_.get());
  }
  [[nodiscard]] std::optional<EnergyGain> energy_gain() const {
    if (type_->hooks.energy_gain == nullptr) return std::nullopt;
    return type_->hooks.energy_gain(model_.get());
  }
  [[nodiscard]] EdgeReads edge_reads() const {
    return type_->hooks.edge_reads == nullptr ? EdgeReads{} : type_->hooks.edge_reads(model_.get());
  }
  [[nodiscard]] std::optional<WindowRule> window() const {
    if (type_->hooks.window == nullptr) return std::nullopt;
    return type_->hooks.window(model_.get());
  }
  [[nodiscard]] double least_depth_m(const Optics& optics) const {
    return type_->hooks.least_depth_m == nullptr ? 0.0 : type_->hooks.least_depth_m(model_.get(), optics);
  }

  /// Why the parameter has no effect beside the others, for instance "law = angle does not read it"; empty if it has
  /// one.
  [[nodiscard]] std::string_view idle(std::string_view field) const {
    return type_->hooks.idle == nullptr ? std::string_view() : type_->hooks.idle(model_.get(), field);
  }

  /// The same model when it loses nothing; empty if the model does not read the energy.
  [[nodiscard]] std::optional<Noise> without_losses() const {
    if (type_->hooks.without_losses == nullptr) return std::nullopt;
    return type_->hooks.without_losses(model_.get());
  }

  [[nodiscard]] bool is_placed() const {
    return type_->hooks.is_placed != nullptr && type_->hooks.is_placed(model_.get());
  }

  /// The same noise on a sensor whose rays widen by this full angle.
  [[nodiscard]] Noise on_beam(float rad) const {
    return type_->hooks.on_beam == nullptr ? *this : type_->hooks.on_beam(model_.get(), rad);
  }

  // For learning; see noise/model.hpp.

  [[nodiscard]] std::optional<AxisTurn> turn() const {
    if (type_->hooks.turn == nullptr) return std::nullopt;
    return type_->hooks.turn(model_.get());
  }
  [[nodiscard]] std::span<const LearnedField> learned() const { return type_->hooks.learned; }
  /// The entry of the parameter in learned(); null if returns cannot determine it.
  [[nodiscard]] FATHOM_API const LearnedField* learned(std::string_view field) const;
  [[nodiscard]] bool jumps(std::string_view field) const {
    return type_->hooks.jumps == nullptr || type_->hooks.jumps(model_.get(), field);
  }
  /// The quantity with levels at a depth, such as a disparity in px. The model has a parameter of role kLevels.
  [[nodiscard]] double level_of(const Optics& optics, double depth_m) const {
    return type_->hooks.level_of(optics, depth_m);
  }
  /// Whether the likelihood jumps along one of the parameters.
  [[nodiscard]] FATHOM_API bool has_threshold() const;
  /// Where learning of the parameters `free` begins; empty: at the model's own values.
  [[nodiscard]] std::optional<Noise> begin(const LearnedReturns& returns,
                                           std::span<const std::string_view> free) const {
    if (type_->hooks.begin == nullptr) return std::nullopt;
    return type_->hooks.begin(model_.get(), returns, free);
  }
  [[nodiscard]] std::optional<Noise> with_other_law() const {
    if (type_->hooks.with_other_law == nullptr) return std::nullopt;
    return type_->hooks.with_other_law(model_.get());
  }
  [[nodiscard]] std::optional<Noise> with_heavy_tails() const {
    if (type_->hooks.with_heavy_tails == nullptr) return std::nullopt;
    return type_->hooks.with_heavy_tails(model_.get());
  }
  [[nodiscard]] std::string_view law() const {
    return type_->hooks.law == nullptr ? std::string_view() : type_->hooks.law(model_.get());
  }

  /// Applies the model to a block (noise/detail/drive.hpp) with the kernel for `isa`.
  FATHOM_API void apply(Isa isa, const NoiseKey& key, RayBlock& rays, ReturnBlock& returns, DrawBuffer& draws) const;

 private:
  template <NoiseModel M>
  friend detail::NoiseType detail::make_type(const std::array<ModelKernels, 3>& kernels);
  friend struct detail::NoiseAccess;

  FATHOM_API Noise(const detail::NoiseType& type, const void* model);

  template <NoiseModel M>
  static Noise with_numbers(const void* model, std::span<const NamedNumber> numbers, bool settles) {
    M changed = *static_cast<const M*>(model);
    for (const NamedNumber& number : numbers) {
      detail::check_is_number(detail::info_of<M>(), number.field);
      set_field(changed, number.field, number.value);
    }
    if constexpr (requires { M::settle(changed); }) {
      if (settles) M::settle(changed);
    }
    return changed;
  }

  const detail::NoiseType* type_;
  std::shared_ptr<const void> model_;
  bool identity_;
  std::shared_ptr<detail::LazyTable> table_ = nullptr;  ///< of tabulate(), made when first read; null without
};

/// All registered models, in the order of the list.
FATHOM_API const std::vector<NoiseInfo>& noise_models();

/// A registered model by slug; absent fields keep their defaults. Throws InputError for an unknown slug or field
/// (naming the nearest known one) and for a value outside its limits.
FATHOM_API Noise make_noise(std::string_view slug, std::span<const FieldValue> values);

}  // namespace fathom
