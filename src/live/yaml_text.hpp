// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "text/yaml_tree.hpp"

namespace fathom {

/// A tree as YAML that reads as the same tree.
std::string yaml_text(const YamlValue& root);

}  // namespace fathom
