// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace fathom {

/// Sec-WebSocket-Accept for a Sec-WebSocket-Key, by RFC 6455, section 4.2.2.
std::string accept_key(std::string_view key);

}  // namespace fathom
