// SPDX-License-Identifier: MIT
#pragma once
// What a client of the live page sends, by the Foxglove WebSocket protocol, version 1
// (https://github.com/foxglove/ws-protocol/blob/main/docs/spec.md): texts are JSON with an "op", binary messages begin
// with a byte that says what they are.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "live/parameter.hpp"

namespace fathom {

/// The client names its subscriptions itself.
struct Subscription {
  std::uint32_t id = 0, channel = 0;
};
struct Subscribe {
  std::vector<Subscription> subscriptions;
};
struct Unsubscribe {
  std::vector<std::uint32_t> ids;
};
struct GetParameters {
  std::vector<std::string> names;  ///< none: all
  std::optional<std::string> id;   ///< comes back with the answer
};
struct SetParameters {
  std::vector<Parameter> parameters;
  std::optional<std::string> id;
};
/// Whether the client wants to know when these change.
struct WatchParameters {
  std::vector<std::string> names;  ///< none: all
  bool watch = true;
};
struct ServiceCall {
  std::uint32_t service = 0, call = 0;
  std::string encoding, request;
};

using ClientMessage = std::variant<Subscribe, Unsubscribe, GetParameters, SetParameters, WatchParameters, ServiceCall>;

/// Most bytes of a message of a client; most things that one of its lists may name.
inline constexpr std::size_t kMaxClientBytes = std::size_t{256} << 10U;
inline constexpr std::size_t kMaxListed = 4096;

/// Throw InputError, in one line, for what is no message of the protocol, and for one that asks for what fathom does
/// not offer. Nothing that a client says makes them read beyond the bytes or recurse.
ClientMessage parse_client_text(std::string_view text);
ClientMessage parse_client_bytes(std::span<const std::byte> bytes);

}  // namespace fathom
