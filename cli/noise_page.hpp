// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <fathom/noise/noise.hpp>

namespace fathom_cli {

/// How help and the reference page speak of a stage; completes "acts on ...".
std::string_view stage_doc(fathom::Stage stage);

/// docs/noise.md, Markdown.
std::string noise_page(const std::vector<fathom::NoiseInfo>& models);

}  // namespace fathom_cli
