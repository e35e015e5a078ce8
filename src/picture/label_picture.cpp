// SPDX-License-Identifier: MIT
// What the rays struck, by class: colours for people, ids for programs.

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/base/ids.hpp>
#include <fathom/files/pictures.hpp>

#include "picture/image.hpp"
#include "picture/legend.hpp"
#include "picture/palette.hpp"

namespace fathom {

namespace {

constexpr std::uint32_t kMaxPictureSide = 100000;

void check_sides(const std::filesystem::path& file, const Frame& frame) {
  if (frame.size() > 0 && frame.rows() <= kMaxPictureSide && frame.cols() <= kMaxPictureSide) return;
  throw InputError(fmt::format("{}: a frame of {} x {} rays makes no picture, the limits are 1 and {} on a side",
                               file.string(), frame.rows(), frame.cols(), kMaxPictureSide));
}

/// What a ray shows: a label, something without one, or nothing.
class LabelColors {
 public:
  LabelColors(const Frame& frame, std::span<const Label> labels) : id_(frame.label()), entity_(frame.entity_id()) {
    for (const Label& label : labels) shown_.emplace(label.id, Shown{label.name, color_of(label)});
    shown_.emplace(0, Shown{"no label", kUnknownColor});
    for (std::size_t i = 0; i < frame.size(); ++i) {
      if (is_miss(i)) continue;
      const auto found = shown_.try_emplace(id_[i]).first;
      // An id that the table does not have: the frame is of another scene.
      if (found->second.name.empty()) found->second = {fmt::format("id {}", id_[i]), entity_color(id_[i])};
      ++found->second.rays;
    }
  }

  [[nodiscard]] Rgb color(std::size_t ray) const {
    return is_miss(ray) ? kLostColor : shown_.find(id_[ray])->second.color;
  }

  /// The classes of the scene with the share of the rays that struck each, the largest first; as many lines for every
  /// frame of a run.
  [[nodiscard]] Key key(std::uint32_t columns) const {
    std::vector<const Shown*> sorted;
    for (const auto& [id, shown] : shown_) sorted.push_back(&shown);
    std::stable_sort(sorted.begin(), sorted.end(), [](const Shown* a, const Shown* b) { return a->rays > b->rays; });
    const std::size_t lines = std::clamp<std::size_t>((sorted.size() + columns - 1) / columns, 1, kLabelLines);
    const std::size_t count = std::min(sorted.size(), lines * columns);
    Key key;
    key.title = "labels";
    key.note = count < sorted.size() ? fmt::format("the largest {} of {}, by share of the rays", count, sorted.size())
                                     : "by share of the rays";
    for (std::size_t k = 0; k < count; ++k) {
      const Shown& shown = *sorted[k];
      key.entries.push_back({shown.color, shown.name, percentage(shown.rays, id_.size()), shown.rays > 0});
    }
    key.entries.resize(lines * columns);
    key.lost = "miss";
    return key;
  }

 private:
  struct Shown {
    std::string name;
    Rgb color = kUnknownColor;
    std::uint64_t rays = 0;
  };

  [[nodiscard]] bool is_miss(std::size_t ray) const { return entity_[ray] == index(kNoEntity); }

  std::span<const std::uint32_t> id_, entity_;
  std::map<std::uint32_t, Shown> shown_;  // [id]
};

}  // namespace

std::array<std::uint8_t, 3> color_of(const Label& label) { return label.color.value_or(entity_color(label.id)); }

void write_label_picture(const std::filesystem::path& file, const Frame& frame, std::span<const Label> labels,
                         bool with_legend) {
  if (frame.returns() > 1) return write_label_picture(file, frame.of_return(0), labels, with_legend);
  check_sides(file, frame);
  const LabelColors colors(frame, labels);
  Image image = picture_with_legend(
      frame.cols(), frame.rows(), with_legend,
      [&](const Lettering& letters, std::uint32_t width) { return colors.key(key_columns(letters, width)); });
  for (std::size_t i = 0; i < frame.size(); ++i) {
    image.at(static_cast<std::uint32_t>(i % frame.cols()), static_cast<std::uint32_t>(i / frame.cols())) =
        colors.color(i);
  }
  write_png(file, image);
}

void write_label_ids(const std::filesystem::path& file, const Frame& frame) {
  if (frame.returns() > 1) return write_label_ids(file, frame.of_return(0));
  check_sides(file, frame);
  const std::span<const std::uint32_t> id = frame.label();
  std::vector<std::uint16_t> levels(id.size());
  std::transform(id.begin(), id.end(), levels.begin(), [](std::uint32_t v) { return static_cast<std::uint16_t>(v); });
  write_grey16_png(file, frame.cols(), frame.rows(), levels);
}

}  // namespace fathom
