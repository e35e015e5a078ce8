// SPDX-License-Identifier: MIT
#pragma once
// What a sensor writes while a scene is run. A kind of output is a struct of options with
//
//   kSlug       its word in scene files               kFile   the first file that it writes with its default options
//   kDoc        one line for help
//   fields()    one entry per option (field.hpp)
//   needs()     the channels that its files hold
//   files()     the files that it writes for a sensor, how, and their largest size; throws InputError when the sensor
//               cannot have them
//   mismatch()  optional: an option that does not fit the others
//   check_run() optional: throws InputError when the sensor, as it moves in this run, cannot have the files
//
// Scene files, `fathom outputs`, `fathom check` and run_scene() follow from it. ReasonPictureOutput in
// simulate/output_kinds.hpp is a kind that can be copied. Class Output holds any kind: Output picture =
// RangeImageOutput{.color = ColorBy::kReason};

#include <array>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <fathom/core/export.hpp>
#include <fathom/core/field.hpp>
#include <fathom/core/geometry.hpp>
#include <fathom/frame/frame.hpp>
#include <fathom/sensor/pattern.hpp>
#include <fathom/simulate/sensor.hpp>
#include <fathom/simulate/simulator.hpp>

namespace fathom {

template <>
inline constexpr std::array<std::string_view, kChannelCount> kChoiceWords<Channel> = kChannelNames;

/// A file for every frame, <stem>_<frame, six digits>.<extension>, or one log of all frames, <stem>.<extension>. Either
/// `write` or `begin_log` is set. Both may throw InputError or SystemError; then they leave no file.
struct FATHOM_API OutputFile {
  /// What a file may hold about a frame besides the frame itself.
  struct Context {
    Pose world_from_sensor;                     ///< at the frame's stamp
    std::span<const std::string> entity_names;  ///< [entity id]
    std::span<const Label> labels = {};         ///< of the scene
  };

  /// The shape of a sensor's frames, known before the first frame.
  struct Shape {
    std::uint32_t rows = 0, cols = 0;
    ChannelSet channels;
    std::uint32_t returns = 1;

    [[nodiscard]] std::uint64_t rays() const { return std::uint64_t{rows} * cols; }
    [[nodiscard]] std::uint64_t elements() const { return returns * rays(); }  ///< of an array
  };

  /// A file of all frames of a run, in their order. It has no name until commit().
  class FATHOM_API Log {
   public:
    Log() = default;
    virtual ~Log();
    Log(const Log&) = delete;
    Log& operator=(const Log&) = delete;

    virtual void add(const Frame& frame, const Context& context) = 0;
    virtual void commit() = 0;
  };

  std::string stem, extension;  ///< letters, digits, _ and -
  /// The most bytes that the files, or the log, of this many frames can take.
  std::function<std::uint64_t(const Shape& shape, std::uint32_t frames)> bytes_at_most;
  /// Writes the file of a frame.
  std::function<void(const std::filesystem::path& file, const Frame& frame, const Context& context)> write = {};
  /// Begins the log. `pattern`: the rays of the first frame.
  std::function<std::unique_ptr<Log>(const std::filesystem::path& file, const RayPattern& pattern)> begin_log = {};

  [[nodiscard]] bool is_log() const { return static_cast<bool>(begin_log); }
  [[nodiscard]] std::string name(std::uint32_t frame) const;
  /// The pattern that the names of all frames match: a * for the number.
  [[nodiscard]] std::string glob() const;
};

/// FieldModel comes last: checking it first would ask whether class Output, made of any kind, is a kind itself.
template <class M>
concept OutputKind = requires(const M& model, const Sensor& sensor) {
  { M::kFile } -> std::convertible_to<std::string_view>;
  { model.needs(sensor) } -> std::same_as<ChannelSet>;
  { model.files(sensor) } -> std::same_as<std::vector<OutputFile>>;
}
&&FieldModel<M>;

/// A kind of output without its type.
struct OutputInfo {
  /// An option that does not fit the others: "range_image.<field> <what>".
  struct Mismatch {
    std::string_view field, what;
  };

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
[[noreturn]] FATHOM_API void throw_mismatch(std::string_view slug, const OutputInfo::Mismatch& mismatch);

}  // namespace detail

/// A kind of output with its options. Cheap to copy; immutable.
class Output {
 public:
  /// Any kind of output. Throws InputError when an option is outside its limits, or does not fit the others.
  template <OutputKind M>
  Output(const M& model)  // NOLINT(google-explicit-constructor): a kind with its options is an output
      : kind_((check(model), std::make_shared<const Kind<M>>(model))) {}

  [[nodiscard]] const OutputInfo& info() const { return kind_->info(); }
  /// The channels that the frames need.
  [[nodiscard]] ChannelSet needs(const Sensor& sensor) const { return kind_->needs(sensor); }
  /// The files for the sensor. Throws InputError when it cannot have such files.
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
