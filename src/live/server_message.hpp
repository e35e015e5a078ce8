// SPDX-License-Identifier: MIT
#pragma once
// What fathom sends to a client, by the Foxglove WebSocket protocol, version 1 (see client_message.hpp).

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "live/client_message.hpp"
#include "live/parameter.hpp"

namespace fathom {

/// What a channel carries; the client gets it as "advertise".
struct LiveTopic {
  std::string name;      ///< "/lidar/points"
  std::string encoding;  ///< of its messages: "cdr" or "json"
  std::string schema_name, schema, schema_encoding;
  bool keeps = false;  ///< its newest message is sent upon subscription, too

  friend bool operator==(const LiveTopic&, const LiveTopic&) = default;
};

/// A service, whose requests and answers are JSON.
struct LiveService {
  std::string_view name;      ///< "/fathom/pause"
  std::string_view request;   ///< JSON schema
  std::string_view response;  ///< JSON schema
};

/// As the protocol counts them.
enum class StatusLevel : std::uint8_t { kInfo, kWarning, kError };

struct AdvertisedTopic {
  std::uint32_t channel;
  const LiveTopic* topic;
};

std::string server_info_text(std::string_view session_id, std::string_view version);
std::string status_text(StatusLevel level, std::string_view message);
std::string advertise_text(std::span<const AdvertisedTopic> topics);
std::string unadvertise_text(std::span<const std::uint32_t> channels);
/// `services` are numbered from 0.
std::string advertise_services_text(std::span<const LiveService> services);
std::string parameter_values_text(std::span<const Parameter> parameters, const std::optional<std::string>& id = {});
std::string service_failure_text(const ServiceCall& call, std::string_view message);

/// What stands before the message of a channel.
std::string message_head(std::uint32_t subscription, std::uint64_t time_ns);
std::string time_bytes(std::uint64_t time_ns);
/// `json` is the answer.
std::string service_response_bytes(const ServiceCall& call, std::string_view json);

}  // namespace fathom
