// SPDX-License-Identifier: MIT
#include <fathom/base/error.hpp>

#include "base/text.hpp"

namespace fathom {

namespace {

constexpr std::size_t kLongestMessage = 900;  // bytes: some lines of a terminal

}  // namespace

Error::Error(std::string_view message) : std::runtime_error(printable(message, kLongestMessage)) {}

// The destructors are defined here, so that type information lives once in the library and exceptions can be caught
// across its boundary.
Error::~Error() = default;
InputError::~InputError() = default;
SystemError::~SystemError() = default;
Interrupted::~Interrupted() = default;

}  // namespace fathom
