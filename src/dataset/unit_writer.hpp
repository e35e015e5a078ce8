// SPDX-License-Identifier: MIT
#pragma once
// What a format of datasets is: it gets the frames of units, one unit after the other.

#include <cstdint>
#include <string>
#include <string_view>

#include <fathom/dataset/unit.hpp>
#include <fathom/frame/frame.hpp>

namespace fathom {

/// A frame of a sensor. The frame lives until add() returns.
struct UnitFrame {
  std::string_view sensor;
  std::uint32_t index;  ///< of the frame in its episode
  double time_s;        ///< when the frame begins
  const Frame& frame;
};

/// Used by one thread at a time. For each unit: begin(), add() for every frame of every sensor, frame by frame and in
/// each sensor by sensor in the order of the scene file, and end(). Units that are begun and not ended leave nothing.
/// Every function throws SystemError naming the file.
class UnitWriter {
 public:
  UnitWriter() = default;
  UnitWriter(const UnitWriter&) = delete;
  UnitWriter& operator=(const UnitWriter&) = delete;
  virtual ~UnitWriter() = default;

  /// `parameters_json` describes the unit: its numbers, and of each sensor its chain with the drawn parameters.
  virtual void begin(const Unit& unit, const std::string& parameters_json) = 0;
  virtual void add(const UnitFrame& frame) = 0;
  /// The unit is complete.
  virtual void end() = 0;
  /// The shard is complete: a format of one file per shard makes it appear now, whole.
  virtual void close() = 0;
};

}  // namespace fathom
