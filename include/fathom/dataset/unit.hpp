// SPDX-License-Identifier: MIT
#pragma once
// A dataset is made of units: blocks of frames of one environment and episode. A unit needs nothing of another, so any
// process can render any of them, in any order.

#include <cstdint>
#include <filesystem>
#include <string>

#include <fathom/base/export.hpp>

namespace fathom {

/// The whole numbers from `first` on, below `end`.
struct NumberRange {
  std::uint32_t first = 0, end = 1;

  [[nodiscard]] constexpr std::uint64_t size() const { return end > first ? end - first : 0; }
};

/// The frames [first_frame, first_frame + frames) of one environment and episode. They are those that run_scene() gives
/// these numbers.
struct Unit {
  std::uint64_t index = 0;  ///< in its UnitList
  std::uint64_t environment = 0, episode = 0;
  std::uint64_t first_frame = 0;
  std::uint32_t frames = 1;

  friend bool operator==(const Unit&, const Unit&) = default;
};

/// All units of a dataset: environment by environment, in each by episode, and in each by block. The last block of an
/// episode may be shorter than the others.
class FATHOM_API UnitList {
 public:
  UnitList() = default;
  /// `frames` of every episode, in blocks of `block` frames; 0: one block. Throws InputError for a range without
  /// numbers, for frames outside [1, kMaxFrames] and for more than kMaxUnits units.
  UnitList(NumberRange environments, NumberRange episodes, std::uint32_t frames, std::uint32_t block = 0);

  [[nodiscard]] std::uint64_t size() const { return environments_.size() * episodes_.size() * blocks(); }
  /// Throws InputError for an index that is not below size().
  [[nodiscard]] Unit at(std::uint64_t index) const;

  [[nodiscard]] NumberRange environments() const { return environments_; }
  [[nodiscard]] NumberRange episodes() const { return episodes_; }
  [[nodiscard]] std::uint32_t frames() const { return frames_; }  ///< of an episode
  [[nodiscard]] std::uint32_t block() const { return block_; }

 private:
  [[nodiscard]] std::uint64_t blocks() const { return (std::uint64_t{frames_} + block_ - 1) / block_; }

  NumberRange environments_, episodes_;
  std::uint32_t frames_ = 1, block_ = 1;
};

/// Names of units hold nine digits.
inline constexpr std::uint64_t kMaxUnits = 1'000'000'000;

/// Where the unit stands in the folder of a dataset: "units/000/012/000012345". No folder above the units has more than
/// 1000 entries.
FATHOM_API std::filesystem::path unit_folder(std::uint64_t index);

/// Units that one of several processes renders: those whose index is `index` modulo `count`.
struct Shard {
  std::uint64_t index = 0, count = 1;

  friend bool operator==(const Shard&, const Shard&) = default;
};

/// Of "3/16". Throws InputError unless the index is below the count, and the count at most kMaxUnits.
FATHOM_API Shard parse_shard(const std::string& text);

}  // namespace fathom
