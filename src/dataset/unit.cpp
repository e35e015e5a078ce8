// SPDX-License-Identifier: MIT
#include <fathom/dataset/unit.hpp>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/simulate/run.hpp>

#include "dataset/pack.hpp"

namespace fathom {

namespace {

void check_unit_range(std::string_view what, const NumberRange& range) {
  if (range.size() > 0) return;
  throw InputError(fmt::format("{} {}:{} are none: the end must be above the first", what, range.first, range.end));
}

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

}  // namespace

UnitList::UnitList(NumberRange environments, NumberRange episodes, std::uint32_t frames, std::uint32_t block)
    : environments_(environments), episodes_(episodes), frames_(frames), block_(block == 0 ? frames : block) {
  check_unit_range("environments", environments);
  check_unit_range("episodes", episodes);
  if (frames < 1 || frames > kMaxFrames) {
    throw InputError(fmt::format("frames = {} is not in [1, {}]", frames, kMaxFrames));
  }
  block_ = std::min(block_, frames_);
  // Both ranges have at most 2^32 numbers, so that no product leaves 64 bits.
  if (environments.size() > kMaxUnits || environments.size() * episodes.size() > kMaxUnits || size() > kMaxUnits) {
    throw InputError(fmt::format("{} environments of {} episodes of {} blocks are more than {} units{}",
                                 environments.size(), episodes.size(), blocks(), kMaxUnits,
                                 blocks() > 1 ? "; larger blocks make fewer" : ""));
  }
}

Unit UnitList::at(std::uint64_t index) const {
  if (index >= size()) throw InputError(fmt::format("unit {} is not among the {} units", index, size()));
  const std::uint64_t block = index % blocks(), run = index / blocks();
  Unit unit;
  unit.index = index;
  unit.environment = environments_.first + run / episodes_.size();
  unit.episode = episodes_.first + run % episodes_.size();
  unit.first_frame = block * block_;
  unit.frames = static_cast<std::uint32_t>(std::min<std::uint64_t>(block_, frames_ - unit.first_frame));
  return unit;
}

std::filesystem::path unit_folder(std::uint64_t index) { return PackPlaces(DatasetFormat::kFolders)(index); }

Shard parse_shard(const std::string& text) {
  const std::string_view view = text;
  const std::size_t slash = view.find('/');
  const auto index = whole_number(view.substr(0, slash));
  const auto count = slash == std::string_view::npos ? std::nullopt : whole_number(view.substr(slash + 1));
  if (!index || !count || *index >= *count || *count > kMaxUnits) {
    throw InputError(fmt::format("shard '{}' is not i/n with i below n, and n at most {}", text, kMaxUnits));
  }
  return {*index, *count};
}

}  // namespace fathom
