// SPDX-License-Identifier: MIT
#pragma once
// For your own noise models: the loops over rays, compiled where this is included, and the table of a model's
// functions. Include it where you make a Noise from your own type. Programs that use only the registered models need
// just noise.hpp, and compile faster.

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include <fathom/noise/detail/drive.hpp>
#include <fathom/noise/noise.hpp>

namespace fathom::detail {

template <class M>
concept ChecksSensor = requires(const M& model, const SensorTraits& sensor) {
  model.check_on(sensor);
};
template <class M>
concept ToleratesOwnSurface = requires(const M& model) {
  { model.sight_tolerance() } -> std::convertible_to<float>;
};
template <class M>
concept ReadsEnergy = requires(const M& model) {
  { model.energy_angle() } -> std::same_as<EnergyAngle>;
};
template <class M>
concept ScalesEnergy = requires(const M& model) {
  { model.energy_gain() } -> std::same_as<EnergyGain>;
};
template <class M>
concept ReadsEdges = requires(const M& model) {
  { model.edge_reads() } -> std::same_as<EdgeReads>;
};
template <class M>
concept HasWindow = requires(const M& model) {
  { model.window() } -> std::same_as<WindowRule>;
};
template <class M>
concept HasLeastDepth = requires(const M& model, const Optics& optics) {
  { model.least_depth_m(optics) } -> std::convertible_to<double>;
};

template <class M>
const M& model_at(const void* model) {
  return *static_cast<const M*>(model);
}

/// Whether the model has every parameter that a list names: kSameInChain, kLearned.
template <NoiseModel M, class Named>
constexpr bool names_fields(const Named& list) {
  for (const auto& named : list) {
    bool is_there = false;
    for (const auto& field : M::fields()) is_there |= field.name == named.field;
    if (!is_there) return false;
  }
  return true;
}

/// Whether a list of learned parameters has a role.
template <class Learned>
constexpr bool has_role(const Learned& list, LearnedRole role) {
  for (const LearnedField& field : list) {
    if (field.role == role) return true;
  }
  return false;
}

/// Adds the hooks of a model whose parameters can be learned.
template <NoiseModel M>
constexpr void add_learning_hooks(NoiseHooks& hooks) {
  if constexpr (requires(const M& m, MeasuredRangeLaw& law) { M::act(m, law); }) {
    hooks.act = [](const void* m, MeasuredRangeLaw& law) { M::act(model_at<M>(m), law); };
  }
  if constexpr (HasLossProbability<M>) {
    hooks.loss_probability = [](const void* m, const Return& hit, const Surface& surface) -> double {
      return M::loss_probability(model_at<M>(m), hit, surface);
    };
  }
  if constexpr (requires(const M& m) { m.soft_law({}); }) {
    hooks.soft_law = [](const void* m, std::span<const float> table) -> SoftLawPtr {
      return model_at<M>(m).soft_law(table);
    };
  }
  if constexpr (requires(const M& m) { m.turn(); }) {
    hooks.turn = [](const void* m) -> AxisTurn { return model_at<M>(m).turn(); };
  }
  if constexpr (requires { M::kLearned; }) {
    static_assert(names_fields<M>(M::kLearned), "kLearned names a parameter that fields() lacks");
    static_assert(
        !has_role(M::kLearned, LearnedRole::kLevels) || requires(const Optics& o) { M::level_of(o, 1.0); },
        "a parameter of role kLevels needs level_of()");
    hooks.learned = M::kLearned;
  }
  if constexpr (requires(const M& m) { m.jumps(std::string_view()); }) {
    hooks.jumps = [](const void* m, std::string_view field) -> bool { return model_at<M>(m).jumps(field); };
  }
  if constexpr (requires(const Optics& optics) { M::level_of(optics, 1.0); }) {
    hooks.level_of = [](const Optics& optics, double depth_m) -> double { return M::level_of(optics, depth_m); };
  }
  if constexpr (requires(const M& m, const LearnedReturns& r, std::span<const std::string_view> f) {
                  M::begin(m, r, f);
                }) {
    hooks.begin = [](const void* m, const LearnedReturns& returns, std::span<const std::string_view> free) -> Noise {
      return M::begin(model_at<M>(m), returns, free);
    };
  }
  if constexpr (requires(const M& m) {
                  M::with_other_law(m);
                  m.law();
                }) {
    hooks.with_other_law = [](const void* m) -> Noise { return M::with_other_law(model_at<M>(m)); };
    hooks.law = [](const void* m) -> std::string_view { return model_at<M>(m).law(); };
  }
  if constexpr (requires { M::kRemedies; }) hooks.remedies = M::kRemedies;
  if constexpr (requires(const M& m) { M::with_heavy_tails(m); }) {
    hooks.with_heavy_tails = [](const void* m) -> Noise { return M::with_heavy_tails(model_at<M>(m)); };
  }
  if constexpr (requires(const LossCover& cover) { M::begin_loss(cover); }) {
    hooks.loss_cause = M::kLossCause, hooks.loss_free = M::kLossFree;
    hooks.begin_loss = [](const LossCover& cover) -> Noise { return M::begin_loss(cover); };
  }
}

/// The hooks that the model has; see noise/model.hpp.
template <NoiseModel M>
constexpr NoiseHooks hooks_of() {
  NoiseHooks hooks;
  if constexpr (requires { M::kSameInChain; }) {
    static_assert(names_fields<M>(M::kSameInChain), "kSameInChain names a parameter that fields() lacks");
    hooks.same_in_chain = M::kSameInChain;
  }
  if constexpr (ChecksSensor<M>) {
    hooks.check_on = [](const void* m, const SensorTraits& sensor) { model_at<M>(m).check_on(sensor); };
  }
  if constexpr (ToleratesOwnSurface<M>) {
    hooks.sight_tolerance = [](const void* m) -> float { return model_at<M>(m).sight_tolerance(); };
  }
  if constexpr (ReadsEnergy<M>) {
    hooks.energy_angle = [](const void* m) { return model_at<M>(m).energy_angle(); };
  }
  if constexpr (ScalesEnergy<M>) {
    hooks.energy_gain = [](const void* m) { return model_at<M>(m).energy_gain(); };
  }
  if constexpr (ReadsEdges<M>) {
    hooks.edge_reads = [](const void* m) { return model_at<M>(m).edge_reads(); };
  }
  if constexpr (HasWindow<M>) {
    hooks.window = [](const void* m) { return model_at<M>(m).window(); };
  }
  if constexpr (HasLeastDepth<M>) {
    hooks.least_depth_m = [](const void* m, const Optics& optics) -> double {
      return model_at<M>(m).least_depth_m(optics);
    };
  }
  if constexpr (requires(const M& m) { m.idle(std::string_view()); }) {
    hooks.idle = [](const void* m, std::string_view field) -> std::string_view { return model_at<M>(m).idle(field); };
  }
  if constexpr (requires(const M& m) { M::without_losses(m); }) {
    hooks.without_losses = [](const void* m) -> Noise { return M::without_losses(model_at<M>(m)); };
  }
  if constexpr (requires(const M& m) { m.is_placed(); }) {
    hooks.is_placed = [](const void* m) -> bool { return model_at<M>(m).is_placed(); };
  }
  if constexpr (requires(const M& m) { m.tabulate(); }) {
    hooks.tabulate = [](const void* m) -> std::vector<float> { return model_at<M>(m).tabulate(); };
  }
  if constexpr (requires(const M& m) { M::on_beam(m, 0.0F); }) {
    hooks.on_beam = [](const void* m, float rad) -> Noise { return M::on_beam(model_at<M>(m), rad); };
  }
  add_learning_hooks<M>(hooks);
  return hooks;
}

/// `kernels`: [Isa].
template <NoiseModel M>
NoiseType make_type(const std::array<ModelKernels, 3>& kernels) {
  return {.info = &info_of<M>(),
          .copy = [](const void* m) -> std::shared_ptr<const void> {
            validate(model_at<M>(m));
            return std::make_shared<const M>(model_at<M>(m));
          },
          .is_identity = [](const void* m) -> bool { return model_at<M>(m).is_identity(); },
          .values = &values_of<M>,
          .with = &Noise::with_numbers<M>,
          .kernels = kernels,
          .hooks = hooks_of<M>()};
}

struct UserBuild;  // the tag of kernels compiled in the user's own translation unit

template <class M>
struct OwnType {
  static const NoiseType& get() {
    constexpr ModelKernels kKernels = kernels_of<M, UserBuild>();
    static const NoiseType type = make_type<M>({kKernels, kKernels, kKernels});
    return type;
  }
};

}  // namespace fathom::detail
