// SPDX-License-Identifier: MIT
#pragma once
// Whether distances by tape can be those of the readings.

#include <string>
#include <vector>

#include "calibrate/wall_tape.hpp"

namespace fathom {

/// Throws InputError, naming a frame, where all places are off their readings by more than a factor of 1.5 to the same
/// side, or one by more than 3: no sensor errs so much. Of a place the frame counts that is least off.
void check_tape(const WallFrames& frames, const WallWork& work);

/// Throws InputError for a gain or bias that goes into the chain, and is beyond what its model takes.
void check_tape_limits(const WallTape& tape);

struct TapeDoubts {
  std::vector<std::string> flags;  ///< one line each
  bool is_contradicted = false;    ///< as WallTape::is_contradicted
};

/// How places lie about gain and bias, and frames about their places.
TapeDoubts doubts_of_tape(const WallFrames& frames, const WallWork& work, const WallTape& tape);

/// What few distances cannot tell, and whether the chain has none of them; then the doubts. Null: no distance of a
/// frame with a wall was given.
std::vector<std::string> tape_flags(const WallTape* tape, const TapeDoubts& doubts);

}  // namespace fathom
