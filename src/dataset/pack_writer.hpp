// SPDX-License-Identifier: MIT
#pragma once
// What a format of datasets is: it gets the frames of the units of a pack, one unit after the other.

#include <cstdint>
#include <string>
#include <string_view>

#include <fathom/dataset/unit.hpp>
#include <fathom/frame/frame.hpp>

#include "dataset/pack.hpp"
#include "dataset/pack_entry.hpp"
#include "simulate/summary.hpp"

namespace fathom {

/// A frame of a sensor. The frame lives until add() returns.
struct UnitFrame {
  std::size_t sensor;   ///< its number in the scene file
  std::uint32_t index;  ///< of the frame in its episode
  double time_s;        ///< when the frame begins
  const Frame& frame;
};

/// Used by one thread at a time. For each pack: begin_pack(); for each of its units begin(), add() for every frame, and
/// end(); end_pack(). Frames come by the scene's frames, and in each by sensor in the order of the scene file. Packs
/// that are begun and not ended leave nothing. Every function throws SystemError naming the file.
class PackWriter {
 public:
  PackWriter() = default;
  PackWriter(const PackWriter&) = delete;
  PackWriter& operator=(const PackWriter&) = delete;
  virtual ~PackWriter() = default;

  virtual void begin_pack(const Pack& pack) = 0;
  /// `parameters_json` describes the unit: its numbers, and of each sensor what was drawn.
  virtual void begin(const Unit& unit, const std::string& parameters_json) = 0;
  virtual void add(const UnitFrame& frame) = 0;
  /// `counts`: of the unit; the writer may list its files there.
  virtual void end(RunCounts& counts) = 0;
  /// The pack is complete: it appears now, whole.
  virtual PackEntry end_pack() = 0;
};

}  // namespace fathom
