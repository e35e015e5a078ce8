// SPDX-License-Identifier: MIT
#pragma once
// An output of any kind as one type: Output picture = RangeImageOutput{.color = ColorBy::kReason};

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include <fathom/base/export.hpp>
#include <fathom/base/field.hpp>
#include <fathom/outputs/kind.hpp>
#include <fathom/outputs/kinds.hpp>
#include <fathom/simulate/simulator.hpp>

namespace fathom {

/// A kind of output without its type.
struct OutputInfo {
  std::string_view slug;  ///< the word of scene files
  std::string_view file;  ///< the first file, in the sensor's folder, with the default options
  std::string_view doc;
  std::vector<FieldInfo> options;
};

namespace detail {

template <OutputKind M>
const OutputInfo& output_info() {
  static const OutputInfo info = {M::kSlug, M::kFile, M::kDoc, describe<M>()};
  return info;
}

/// Throws InputError naming the kind and the option.
[[noreturn]] FATHOM_API void throw_mismatch(std::string_view slug, const OptionMismatch& mismatch);

}  // namespace detail

/// A kind of output with its options. Cheap to copy; immutable.
class Output {
 public:
  /// Any struct of the shape that outputs/kind.hpp describes. Throws InputError when an option is outside its limits,
  /// or does not fit the others.
  template <OutputKind M>
  Output(const M& model)  // NOLINT(google-explicit-constructor): a kind with its options is an output
      : kind_((check(model), std::make_shared<const Kind<M>>(model))) {}

  [[nodiscard]] const OutputInfo& info() const { return kind_->info(); }
  /// The channels that the frames need.
  [[nodiscard]] ChannelSet needs(const Sensor& sensor) const { return kind_->needs(sensor); }
  /// The files that are written for the sensor. Throws InputError when it cannot have such files.
  [[nodiscard]] std::vector<OutputFile> files(const Sensor& sensor) const { return kind_->files(sensor); }
  /// Throws InputError when the sensor, as it moves over the frames, cannot have such files.
  void check_run(Simulator& simulator, SensorId sensor, std::uint32_t frames) const {
    kind_->check_run(simulator, sensor, frames);
  }
  /// The options, if the output is of this kind; else null.
  template <OutputKind M>
  [[nodiscard]] const M* get_if() const {
    const auto* kind = dynamic_cast<const Kind<M>*>(kind_.get());
    return kind == nullptr ? nullptr : &kind->options;
  }

 private:
  struct AnyKind {
    virtual ~AnyKind() = default;
    [[nodiscard]] virtual const OutputInfo& info() const = 0;
    [[nodiscard]] virtual ChannelSet needs(const Sensor& sensor) const = 0;
    [[nodiscard]] virtual std::vector<OutputFile> files(const Sensor& sensor) const = 0;
    virtual void check_run(Simulator& simulator, SensorId sensor, std::uint32_t frames) const = 0;
  };

  template <OutputKind M>
  struct Kind final : AnyKind {
    explicit Kind(const M& from) : options(from) {}
    [[nodiscard]] const OutputInfo& info() const override { return detail::output_info<M>(); }
    [[nodiscard]] ChannelSet needs(const Sensor& sensor) const override { return options.needs(sensor); }
    [[nodiscard]] std::vector<OutputFile> files(const Sensor& sensor) const override { return options.files(sensor); }
    void check_run([[maybe_unused]] Simulator& simulator, [[maybe_unused]] SensorId sensor,
                   [[maybe_unused]] std::uint32_t frames) const override {
      if constexpr (requires { options.check_run(simulator, sensor, frames); }) {
        options.check_run(simulator, sensor, frames);
      }
    }

    M options;
  };

  template <OutputKind M>
  static void check(const M& model) {
    validate(model);
    if constexpr (requires { model.mismatch(); }) {
      if (const auto mismatch = model.mismatch()) detail::throw_mismatch(M::kSlug, *mismatch);
    }
  }

  std::shared_ptr<const AnyKind> kind_;
};

/// All registered kinds, in the order of the list.
FATHOM_API std::span<const OutputInfo> output_list();

}  // namespace fathom
