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
  std::variant<double, Choice> value;
};

namespace detail {

template <class T, class Variant>
inline constexpr bool kIsAlternative = false;
template <class T, class... Ts>
inline constexpr bool kIsAlternative<T, std::variant<Ts...>> = (std::same_as<T, Ts> || ...);

FATHOM_API std::string default_text(double value);

template <NoiseModel M>
constexpr SurfaceNeeds needs_of() {
  if constexpr (requires { M::kNeeds; }) {
    return M::kNeeds;
  } else {
    return {};
  }
}

template <NoiseModel M>
NoiseInfo make_info() {
  static const M defaults{};  // static: g++ 12 warns of an automatic one wrongly
  NoiseInfo info{M::kSlug, M::kDoc, M::kStage, needs_of<M>(), {}};
  for (const auto& f : M::fields()) {
    if (const auto* number = std::get_if<float M::*>(&f.member)) {
      info.fields.push_back({f.name, f.unit, {}, f.low, f.high, f.doc, default_text(defaults.*(*number))});
    } else {
      const auto& words = std::get<ChoiceMember<M>>(f.member);
      info.fields.push_back(
          {f.name, f.unit, words.words, f.low, f.high, f.doc, std::string(words.words[words.get(defaults)])});
    }
  }
  return info;
}

template <NoiseModel M>
const NoiseInfo& info_of() {
  static const NoiseInfo info = make_info<M>();
  return info;
}

template <NoiseModel M>
std::vector<FieldValue> values_of(const void* model) {
  std::vector<FieldValue> values;
  const M& m = *static_cast<const M*>(model);
  for (const auto& f : M::fields()) {
    if (const auto* number = std::get_if<float M::*>(&f.member)) {
      values.push_back({std::string(f.name), m.*(*number)});
    } else {
      values.push_back({std::string(f.name), Choice(std::get<ChoiceMember<M>>(f.member).get(m))});
    }
  }
  return values;
}

/// Throws InputError: `slug` has no number called `field`.
[[noreturn]] FATHOM_API void no_such_number(const NoiseInfo& info, std::string_view field);

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
    M changed = *static_cast<const M*>(model);
    for (const auto& f : M::fields()) {
      const auto* number = std::get_if<float M::*>(&f.member);
      if (f.name != field || number == nullptr) continue;
      check_value(f, value);
      changed.*(*number) = static_cast<float>(value);
      return changed;
    }
    detail::no_such_number(detail::info_of<M>(), field);
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
