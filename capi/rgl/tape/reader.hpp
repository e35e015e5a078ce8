// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace rgl {

/// One recorded call: `{function: {t: ns, a: [arguments]}}`.
struct TapeCall {
  std::string function;
  int line = 0;              ///< of the text, from 1
  std::int64_t time_ns = 0;  ///< since the recording began
  std::vector<std::string> arguments;
};

/// Reads the calls of a tape from YAML text. Throws TAPE_ERROR for what is not YAML or not a list of calls, an empty
/// file, a missing or too old version record.
std::vector<TapeCall> read_tape(const std::string& text);

}  // namespace rgl
