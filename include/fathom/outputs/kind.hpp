// SPDX-License-Identifier: MIT
#pragma once
// The shape of a kind of output: what a sensor writes while a scene is run. A kind is a struct of options with
//
//   kSlug      its word in scene files               kFile   the first file that it writes with its default options
//   kDoc       one line for help
//   fields()   one entry per option (field.hpp)
//   needs()    the channels that its files hold
//   files()    which files it writes for a sensor, how, and how large they become; throws InputError when the sensor
//              cannot have them
//   mismatch() optional: which of the options do not fit together
//   check_run()  optional: throws InputError when the sensor, as it moves in this run, cannot have the files
//
// Scene files, `fathom outputs`, `fathom check` and run_scene() follow from it. See outputs/reason_picture.hpp for a
// kind that can be copied.

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
#include <vector>

#include <fathom/base/export.hpp>
#include <fathom/base/field.hpp>
#include <fathom/base/geometry.hpp>
#include <fathom/frame/frame.hpp>
#include <fathom/frame/label.hpp>
#include <fathom/sensor/pattern.hpp>
#include <fathom/simulate/sensor.hpp>

namespace fathom {

template <>
inline constexpr std::array<std::string_view, kChannelCount> kChoiceWords<Channel> = kChannelNames;

/// Facts that a file holds about a frame besides the frame itself.
struct FrameContext {
  Pose world_from_sensor;                     ///< at the frame's stamp
  std::span<const std::string> entity_names;  ///< [entity id]
  std::span<const Label> labels = {};         ///< those of the scene
};

/// The shape of a sensor's frames, known before there is one.
struct FrameShape {
  std::uint32_t rows = 0, cols = 0;
  ChannelSet channels;
  std::uint32_t returns = 1;

  [[nodiscard]] std::uint64_t rays() const { return std::uint64_t{rows} * cols; }
  [[nodiscard]] std::uint64_t elements() const { return returns * rays(); }  ///< of an array
};

/// A file that all frames of a run go into, one after the other. Until commit() it has no name.
class FATHOM_API FrameLog {
 public:
  FrameLog() = default;
  virtual ~FrameLog();
  FrameLog(const FrameLog&) = delete;
  FrameLog& operator=(const FrameLog&) = delete;

  virtual void add(const Frame& frame, const FrameContext& context) = 0;
  virtual void commit() = 0;
};

/// A file of every frame, <stem>_<frame, six digits>.<extension>, or one log of them all, <stem>.<extension>. One of
/// `write` and `begin_log` is set. Both may throw InputError or SystemError; no file is left then.
struct FATHOM_API OutputFile {
  std::string stem, extension;  ///< letters, digits, _ and -
  /// The most bytes that the files of so many frames, or the log of them, can take.
  std::function<std::uint64_t(const FrameShape& shape, std::uint32_t frames)> bytes_at_most;
  /// Writes the file of a frame.
  std::function<void(const std::filesystem::path& file, const Frame& frame, const FrameContext& context)> write = {};
  /// Begins the log. `pattern`: the rays of the first frame.
  std::function<std::unique_ptr<FrameLog>(const std::filesystem::path& file, const RayPattern& pattern)> begin_log = {};

  [[nodiscard]] bool is_log() const { return static_cast<bool>(begin_log); }
  [[nodiscard]] std::string name(std::uint32_t frame) const;
  /// What the names of all frames match: a * for the number.
  [[nodiscard]] std::string glob() const;
};

/// An option that does not fit the others: "range_image.<field> <what>".
struct OptionMismatch {
  std::string_view field, what;
};

/// (The members first: class Output, which is made of any kind, asks whether it is one itself.)
template <class M>
concept OutputKind = requires(const M& model, const Sensor& sensor) {
  { M::kFile } -> std::convertible_to<std::string_view>;
  { model.needs(sensor) } -> std::same_as<ChannelSet>;
  { model.files(sensor) } -> std::same_as<std::vector<OutputFile>>;
}
&&FieldModel<M>;

}  // namespace fathom
