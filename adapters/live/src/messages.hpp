// SPDX-License-Identifier: MIT
#pragma once
// The messages between the live page and its clients, by the Foxglove WebSocket protocol, version 1
// (https://github.com/foxglove/ws-protocol/blob/main/docs/spec.md): texts are JSON with an "op", binary messages begin
// with a byte that identifies them.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace fathom {

/// The value of a parameter. monostate: a value of another kind, which no parameter takes.
using ParameterValue = std::variant<std::monostate, double, bool, std::string>;

struct Parameter {
  std::string name;
  ParameterValue value;
};

// From clients.

/// The client chooses the ids of its subscriptions.
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
  std::vector<std::string> names;  ///< empty: all
  std::optional<std::string> id;   ///< comes back with the answer
};
struct SetParameters {
  std::vector<Parameter> parameters;
  std::optional<std::string> id;
};
/// Whether the client gets changes of these parameters.
struct WatchParameters {
  std::vector<std::string> names;  ///< empty: all
  bool watch = true;
};
struct ServiceCall {
  std::uint32_t service = 0, call = 0;
  std::string encoding, request;
};

using ClientMessage = std::variant<Subscribe, Unsubscribe, GetParameters, SetParameters, WatchParameters, ServiceCall>;

/// Most bytes of a message of a client; most entries of each of its lists.
inline constexpr std::size_t kMaxClientBytes = std::size_t{256} << 10U;
inline constexpr std::size_t kMaxListed = 4096;

/// Throw InputError, in one line, for a text or bytes that are no message of the protocol, and for requests that fathom
/// does not offer. No input makes them read beyond the bytes or recurse.
ClientMessage parse_client_text(std::string_view text);
ClientMessage parse_client_bytes(std::span<const std::byte> bytes);

// To clients.

/// The topic of a channel; the client gets it as "advertise".
struct LiveTopic {
  std::string name;      ///< "/lidar/points"
  std::string encoding;  ///< of its messages: "cdr" or "json"
  std::string schema_name, schema, schema_encoding;
  bool keeps = false;  ///< new subscribers also get its newest message

  friend bool operator==(const LiveTopic&, const LiveTopic&) = default;
};

/// A service, whose requests and answers are JSON objects.
struct LiveService {
  std::string_view name;      ///< "/fathom/pause"
  std::string_view request;   ///< JSON schema
  std::string_view response;  ///< JSON schema
};

enum class ServiceId : std::uint8_t { kPause, kStep, kSeek, kSpeed, kSaveFrame, kSaveScene };

/// [ServiceId]
inline constexpr std::array<LiveService, 6> kLiveServices = {{
    {"/fathom/pause", R"({"type":"object","properties":{"paused":{"type":"boolean"}}})", R"({"type":"object"})"},
    {"/fathom/step", R"({"type":"object"})", R"({"type":"object"})"},
    {"/fathom/seek", R"({"type":"object","properties":{"time_s":{"type":"number"}}})", R"({"type":"object"})"},
    {"/fathom/speed", R"({"type":"object","properties":{"speed":{"type":"number"}}})", R"({"type":"object"})"},
    {"/fathom/save_frame", R"({"type":"object","properties":{"sensor":{"type":"string"}}})",
     R"({"type":"object","properties":{"files":{"type":"array","items":{"type":"string"}}}})"},
    {"/fathom/save_scene", R"({"type":"object"})", R"({"type":"object","properties":{"file":{"type":"string"}}})"},
}};

/// As the protocol counts them.
enum class StatusLevel : std::uint8_t { kInfo, kWarning, kError };

struct AdvertisedTopic {
  std::uint32_t channel;
  const LiveTopic* topic;
};

/// On one line. Names of files and messages of systems may hold bytes that are not UTF-8; these are replaced.
std::string line_of(const nlohmann::ordered_json& json);

std::string server_info_text(std::string_view session_id, std::string_view version);
std::string status_text(StatusLevel level, std::string_view message);
std::string advertise_text(std::span<const AdvertisedTopic> topics);
std::string unadvertise_text(std::span<const std::uint32_t> channels);
/// `services` are numbered from 0.
std::string advertise_services_text(std::span<const LiveService> services);
std::string parameter_values_text(std::span<const Parameter> parameters, const std::optional<std::string>& id = {});
std::string service_failure_text(const ServiceCall& call, std::string_view message);

/// The bytes before the message of a channel.
std::string message_head(std::uint32_t subscription, std::uint64_t time_ns);
std::string time_bytes(std::uint64_t time_ns);
/// `json` is the answer.
std::string service_response_bytes(const ServiceCall& call, std::string_view json);

}  // namespace fathom
