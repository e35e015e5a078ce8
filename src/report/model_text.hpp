// SPDX-License-Identifier: MIT
#pragma once
// parameters.yaml as text in memory.

#include <filesystem>
#include <string>
#include <string_view>

#include <fathom/beam/model_file.hpp>

namespace fathom {

/// As read_beam_model; `file` names the text in messages.
BeamModel read_beam_model_text(std::string_view text, const std::filesystem::path& file);
std::string beam_model_text(const BeamModel& model);

}  // namespace fathom
