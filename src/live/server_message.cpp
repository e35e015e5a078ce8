// SPDX-License-Identifier: MIT
#include "live/server_message.hpp"

#include <array>
#include <cstring>
#include <variant>

#include <nlohmann/json.hpp>

namespace fathom {

namespace {

using OrderedJson = nlohmann::ordered_json;

// The byte that a binary message begins with.
constexpr char kMessageOp = 1, kTimeOp = 2, kServiceResponseOp = 3;

/// Names of files and messages of systems may hold bytes that are no UTF-8.
std::string text_of(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

template <class Number>
void append_number(std::string& bytes, Number number) {
  std::array<char, sizeof(number)> raw = {};
  std::memcpy(raw.data(), &number, sizeof(number));
  bytes.append(raw.data(), raw.size());
}

OrderedJson parameter_json(const Parameter& parameter) {
  OrderedJson json = {{"name", parameter.name}};
  if (const auto* const number = std::get_if<double>(&parameter.value)) {
    json["value"] = *number;
    json["type"] = "float64";
  } else if (const auto* const flag = std::get_if<bool>(&parameter.value)) {
    json["value"] = *flag;
  } else if (const auto* const word = std::get_if<std::string>(&parameter.value)) {
    json["value"] = *word;
  }
  return json;
}

OrderedJson schema_json(std::string_view name, std::string_view schema) {
  return {{"encoding", "json"}, {"schemaName", name}, {"schemaEncoding", "jsonschema"}, {"schema", schema}};
}

}  // namespace

std::string server_info_text(std::string_view session_id, std::string_view version) {
  return text_of({{"op", "serverInfo"},
                  {"name", "fathom"},
                  {"capabilities", {"parameters", "parametersSubscribe", "time", "services"}},
                  {"supportedEncodings", {"json"}},
                  {"metadata", {{"version", version}}},
                  {"sessionId", session_id}});
}

std::string status_text(StatusLevel level, std::string_view message) {
  return text_of({{"op", "status"}, {"level", static_cast<int>(level)}, {"message", message}});
}

std::string advertise_text(std::span<const AdvertisedTopic> topics) {
  OrderedJson channels = OrderedJson::array();
  for (const auto& [channel, topic] : topics) {
    channels.push_back({{"id", channel},
                        {"topic", topic->name},
                        {"encoding", topic->encoding},
                        {"schemaName", topic->schema_name},
                        {"schema", topic->schema},
                        {"schemaEncoding", topic->schema_encoding}});
  }
  return text_of({{"op", "advertise"}, {"channels", channels}});
}

std::string unadvertise_text(std::span<const std::uint32_t> channels) {
  return text_of({{"op", "unadvertise"}, {"channelIds", channels}});
}

std::string advertise_services_text(std::span<const LiveService> services) {
  OrderedJson list = OrderedJson::array();
  for (std::size_t i = 0; i < services.size(); ++i) {
    const std::string name(services[i].name);
    list.push_back({{"id", i},
                    {"name", name},
                    {"type", name},
                    {"request", schema_json(name + "/request", services[i].request)},
                    {"response", schema_json(name + "/response", services[i].response)}});
  }
  return text_of({{"op", "advertiseServices"}, {"services", list}});
}

std::string parameter_values_text(std::span<const Parameter> parameters, const std::optional<std::string>& id) {
  OrderedJson json = {{"op", "parameterValues"}, {"parameters", OrderedJson::array()}};
  for (const Parameter& parameter : parameters) json["parameters"].push_back(parameter_json(parameter));
  if (id) json["id"] = *id;
  return text_of(json);
}

std::string service_failure_text(const ServiceCall& call, std::string_view message) {
  return text_of(
      {{"op", "serviceCallFailure"}, {"serviceId", call.service}, {"callId", call.call}, {"message", message}});
}

std::string message_head(std::uint32_t subscription, std::uint64_t time_ns) {
  std::string bytes(1, kMessageOp);
  append_number(bytes, subscription);
  append_number(bytes, time_ns);
  return bytes;
}

std::string time_bytes(std::uint64_t time_ns) {
  std::string bytes(1, kTimeOp);
  append_number(bytes, time_ns);
  return bytes;
}

std::string service_response_bytes(const ServiceCall& call, std::string_view json) {
  constexpr std::string_view kEncoding = "json";
  std::string bytes(1, kServiceResponseOp);
  append_number(bytes, call.service);
  append_number(bytes, call.call);
  append_number(bytes, static_cast<std::uint32_t>(kEncoding.size()));
  bytes.append(kEncoding);
  bytes.append(json);
  return bytes;
}

}  // namespace fathom
