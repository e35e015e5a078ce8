// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fathom/scene/trajectory.hpp>

#include "core/text.hpp"
#include "core/text/read_fields.hpp"
#include "render/parameter_range.hpp"
#include "run/read_scene.hpp"

namespace fathom {

namespace {

Trajectory read_keyframes(const YamlReader& list, bool loop) {
  std::vector<Trajectory::Key> keys;
  for (YamlReader key : list.items()) {
    const double stamp_s = key.at("time_s").number();
    keys.push_back({stamp_s, read_pose(key)});
    key.finish();
  }
  return list.located([&] { return Trajectory(std::move(keys), loop); });
}

/// The keyframes are in the scene or in a file.
Trajectory read_keys(YamlReader& motion, bool repeats, SceneFiles& files) {
  const auto file = motion.find("file");
  if (!file) return read_keyframes(motion.at("keyframes"), repeats);
  if (motion.find("keyframes")) file->fail("and keyframes are both given; one is enough");
  const std::filesystem::path path = read_path(*file, files);
  return file->located([&] { return Trajectory(read_trajectory(path).keys(), repeats); });
}

/// The motion, shifted in time so that its first key is at first_s.
Trajectory moved_to(double first_s, const Trajectory& motion) {
  std::vector<Trajectory::Key> keys = motion.keys();
  const double later_s = first_s - keys.front().stamp_s;
  for (Trajectory::Key& key : keys) key.stamp_s += later_s;
  return Trajectory(std::move(keys), motion.loops());
}

/// A log's stamps are seconds since 1970, while frames of a scene begin at 0: all frames would show one pose.
void note_times(const YamlReader& motion, const Trajectory& trajectory, SceneFiles& files) {
  const double first_s = trajectory.keys().front().stamp_s, last_s = trajectory.keys().back().stamp_s;
  const bool is_met = files.first_frame_s <= last_s && files.last_frame_s >= first_s;
  if (is_met || trajectory.loops() || trajectory.is_fixed()) return;
  files.notes.push_back(fmt::format(
      "{}: no frame lies within its keyframes: they are at {} to {} s, the frames at {} to {} s; 'start: first_stamp' "
      "moves the first to the first",
      motion.place(), number_text(first_s), number_text(last_s), number_text(files.first_frame_s),
      number_text(files.last_frame_s)));
}

constexpr std::array<std::string_view, 2> kStarts = {"as_stamped", "first_stamp"};

Trajectory read_motion(YamlReader motion, SceneFiles& files) {
  const auto loop = motion.find("loop"), start = motion.find("start");
  const bool repeats = loop && loop->boolean();
  const bool is_moved = start && start->one_of(kStarts) == 1;
  Trajectory trajectory = read_keys(motion, repeats, files);
  motion.finish();
  if (is_moved) trajectory = moved_to(files.first_frame_s, trajectory);
  note_times(motion, trajectory, files);
  return trajectory;
}

}  // namespace

std::filesystem::path read_path(const YamlReader& reader, SceneFiles& files) {
  if (reader.text().empty() || reader.text().find('\0') != std::string::npos) reader.fail("is not a file name");
  const YamlMark& mark = reader.value().mark;
  const auto folder = mark.line > 0 ? std::filesystem::path(*mark.source).parent_path() : files.folder;
  files.opened.push_back(folder / reader.text());
  return files.opened.back();
}

Trajectory read_trajectory_or_pose(YamlReader& map, SceneFiles& files) {
  const auto motion = map.find("motion");
  if (!motion) return read_pose(map);
  for (const char* key : {"position_m", "rpy_deg", "rpy_rad", "quaternion_xyzw"}) {
    if (const auto fixed = map.find(key)) fixed->fail("and motion are both given; the keyframes hold the whole pose");
  }
  return read_motion(*motion, files);
}

namespace {

constexpr auto& kLaws = kChoiceWords<ParameterRange::Law>;

/// The two numbers of a list.
std::array<YamlReader, 2> pair_of(const YamlReader& list) {
  static_cast<void>(list.numbers(2));
  const std::vector<YamlReader> items = list.items();
  return {items[0], items[1]};
}

void read_limits(const Quantity& quantity, const YamlReader& list, const Limits& limits, ParameterRange& range) {
  const auto [low, high] = pair_of(list);
  range.low = quantity.part(low, limits);
  range.high = quantity.part(high, limits);
  if (range.low > range.high) list.fail("is not [low, high]");
}

/// As read_range(), for `map` inside the quantity, which has its unit.
std::optional<ParameterRange> read_range_in(const Quantity& quantity, YamlReader map, const FieldInfo& field) {
  if (field.kind != FieldKind::kNumber || !map.is(YamlValue::Kind::kMap)) return std::nullopt;
  const Limits all{field.low, field.high, field.unit};
  ParameterRange range;
  range.field = field.name;
  std::optional<YamlReader> given;
  for (std::size_t i = 0; i < kLaws.size(); ++i) {
    const auto numbers = map.find(kLaws[i]);
    if (!numbers) continue;
    if (given) numbers->fail("and another law are both given; one is enough");
    given = numbers;
    range.law = static_cast<ParameterRange::Law>(i);
  }
  const auto limits = map.find("limits");
  map.finish();
  if (!given) map.fail(fmt::format("is neither a number nor a range: {}", fmt::join(kLaws, ", ")));
  if (range.law != ParameterRange::Law::kNormal && range.law != ParameterRange::Law::kTruncatedNormal) {
    if (limits) limits->fail("belongs to a normal range; the others end at their own numbers");
    read_limits(quantity, *given, all, range);
    if (range.law == ParameterRange::Law::kLogUniform && !(range.low > 0.0)) given->fail("does not begin above 0");
    return range;
  }
  const auto [mean, stddev] = pair_of(*given);
  range.mean = quantity.part(mean);
  range.stddev = quantity.part(stddev);
  if (!(range.stddev >= 0.0)) stddev.fail("is no standard deviation: it is below 0");
  range.low = field.low, range.high = field.high;
  if (limits) read_limits(quantity, *limits, all, range);
  return range;
}

/// The three parts of one key of pose_offset. `first`: place of the first one in kPoseOffsetFields.
void read_offset_parts(const Quantity& quantity, std::size_t first, std::vector<LocatedRange>& ranges) {
  const YamlReader& reader = quantity.reader();
  const bool is_list = reader.is(YamlValue::Kind::kList);
  if (!is_list && !reader.is(YamlValue::Kind::kMap)) reader.fail("is neither a range nor a list of three");
  const std::vector<YamlReader> items = is_list ? reader.items() : std::vector<YamlReader>(3, reader);
  if (items.size() != 3) reader.fail(fmt::format("has {} values, not 3", items.size()));
  for (std::size_t i = 0; i < 3; ++i) {
    const FieldInfo field = pose_offset_field(kPoseOffsetFields[first + i]);
    auto range = read_range_in(quantity, items[i], field);
    if (!range) {
      const double value = quantity.part(items[i], {field.low, field.high, field.unit});
      if (value == 0.0) continue;
      range = ParameterRange{.field = std::string(field.name), .low = value, .high = value};
    }
    ranges.push_back({items[i], *range});
  }
}

}  // namespace

std::optional<ParameterRange> read_range(const Quantity& quantity, const FieldInfo& field) {
  return read_range_in(quantity, quantity.reader(), field);
}

std::vector<double> read_value_or_range(const Quantity& quantity, const FieldInfo& field,
                                        std::vector<LocatedRange>& ranges) {
  const auto add = [&](const YamlReader& where, ParameterRange range) {
    range.target = ParameterRange::Target::kSensor;
    ranges.push_back({where, range});
    return middle_of(range);
  };
  if (const auto range = read_range(quantity, field)) return {add(quantity.reader(), *range)};
  const YamlReader& reader = quantity.reader();
  if (field.kind != FieldKind::kPair || !reader.is(YamlValue::Kind::kList)) return read_value(quantity, field);
  std::vector<double> values;
  for (const YamlReader& item : reader.items()) {
    FieldInfo part = field;
    part.kind = FieldKind::kNumber;
    part.name = field.parts[std::min(values.size(), field.parts.size() - 1)];
    const auto range = read_range_in(quantity, item, part);
    values.push_back(range ? add(item, *range) : quantity.part(item, {field.low, field.high, field.unit}));
  }
  return values;
}

std::vector<LocatedRange> read_pose_offset(YamlReader& map, ParameterRange::Target target) {
  std::vector<LocatedRange> ranges;
  auto offset = map.find("pose_offset");
  if (!offset) return ranges;
  const auto position = Quantity::find(*offset, "position_m"), rotation = Quantity::find(*offset, "rotation_rad");
  offset->finish();
  if (position) read_offset_parts(*position, 0, ranges);
  if (rotation) read_offset_parts(*rotation, 3, ranges);
  for (LocatedRange& one : ranges) one.range.target = target;
  return ranges;
}

void refuse_range(const YamlReader& number) {
  const auto is_there = [&](std::string_view law) { return number.value().find(law) != nullptr; };
  if (std::none_of(kLaws.begin(), kLaws.end(), is_there)) return;
  number.fail("is a range; only numbers of noise models and of sensors, pose_offset and reflectivity can be ranges");
}

double middle_of(const ParameterRange& range) {
  switch (range.law) {
    case ParameterRange::Law::kLogUniform:
      return std::clamp(std::sqrt(range.low) * std::sqrt(range.high), range.low, range.high);
    case ParameterRange::Law::kNormal:
    case ParameterRange::Law::kTruncatedNormal:
      return std::clamp(range.mean, range.low, range.high);
    case ParameterRange::Law::kUniform:
      break;
  }
  return std::clamp(0.5 * range.low + 0.5 * range.high, range.low, range.high);
}

}  // namespace fathom
