// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fathom {

/// What a client may set a parameter to. Nothing: a value of another kind, which no parameter takes.
using ParameterValue = std::variant<std::monostate, double, bool, std::string>;

struct Parameter {
  std::string name;
  ParameterValue value;
};

}  // namespace fathom
