// SPDX-License-Identifier: MIT
#include "live/messages.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fathom/core/error.hpp>

#include "core/text/files.hpp"
#include "core/text/json_place.hpp"

namespace fathom {

namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxNumber = 0xffffffffU;  // of channels and subscriptions
constexpr std::byte kServiceCallOp{2};           // the first byte of such a message
constexpr std::size_t kServiceCallHead = 13;     // that byte, and three numbers of 32 bits

/// A list of a message, of a bounded length.
JsonPlace list_at(const JsonPlace& message, const char* key) {
  JsonPlace list = message.at(key);
  if (list.size() > kMaxListed) list.fail(fmt::format("has {} entries, the limit is {}", list.size(), kMaxListed));
  return list;
}

std::vector<std::string> names_at(const JsonPlace& message, const char* key) {
  const JsonPlace list = list_at(message, key);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < list.size(); ++i) names.push_back(list[i].text());
  return names;
}

std::uint32_t number_of(const JsonPlace& place) { return static_cast<std::uint32_t>(place.whole(0, kMaxNumber)); }

std::optional<std::string> id_of(const JsonPlace& message) {
  const auto id = message.find("id");
  return id ? std::optional<std::string>(id->text()) : std::nullopt;
}

ParameterValue value_of(const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_string()) return value.get<std::string>();
  return std::monostate();
}

ClientMessage read_subscribe(const JsonPlace& message, const Json& /*json*/) {
  const JsonPlace list = list_at(message, "subscriptions");
  Subscribe subscribe;
  for (std::size_t i = 0; i < list.size(); ++i) {
    subscribe.subscriptions.push_back({number_of(list[i].at("id")), number_of(list[i].at("channelId"))});
  }
  return subscribe;
}

ClientMessage read_unsubscribe(const JsonPlace& message, const Json& /*json*/) {
  const JsonPlace list = list_at(message, "subscriptionIds");
  Unsubscribe unsubscribe;
  for (std::size_t i = 0; i < list.size(); ++i) unsubscribe.ids.push_back(number_of(list[i]));
  return unsubscribe;
}

ClientMessage read_get(const JsonPlace& message, const Json& /*json*/) {
  return GetParameters{names_at(message, "parameterNames"), id_of(message)};
}

ClientMessage read_set(const JsonPlace& message, const Json& json) {
  const JsonPlace list = list_at(message, "parameters");
  SetParameters set;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string& name = list[i].at("name").text();
    const Json& entry = json["parameters"][i];
    set.parameters.push_back({name, entry.contains("value") ? value_of(entry["value"]) : ParameterValue()});
  }
  set.id = id_of(message);
  return set;
}

ClientMessage read_watch(const JsonPlace& message, const Json& /*json*/) {
  return WatchParameters{names_at(message, "parameterNames"), true};
}

ClientMessage read_unwatch(const JsonPlace& message, const Json& /*json*/) {
  return WatchParameters{names_at(message, "parameterNames"), false};
}

struct Operation {
  std::string_view op;
  ClientMessage (*read)(const JsonPlace& message, const Json& json);
};
constexpr std::array<Operation, 6> kOperations = {{
    {"subscribe", &read_subscribe},
    {"unsubscribe", &read_unsubscribe},
    {"getParameters", &read_get},
    {"setParameters", &read_set},
    {"subscribeParameterUpdates", &read_watch},
    {"unsubscribeParameterUpdates", &read_unwatch},
}};

Json parse_json(std::string_view text) {
  if (json_nesting(text) > kMaxNesting) {
    throw InputError(fmt::format("message: is nested deeper than {}", kMaxNesting));
  }
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) throw InputError("message: is not JSON");
  return json;
}

}  // namespace

ClientMessage parse_client_text(std::string_view text) {
  const std::string where = "message";
  const Json json = parse_json(text);
  const JsonPlace message(json, where);
  if (!message.is_object()) message.fail("is not an object");
  const JsonPlace op = message.at("op");
  const auto found = std::find_if(kOperations.begin(), kOperations.end(),
                                  [&](const Operation& operation) { return operation.op == op.text(); });
  if (found == kOperations.end()) op.fail(fmt::format("= \"{}\" is nothing that fathom offers", op.text()));
  return found->read(message, json);
}

ClientMessage parse_client_bytes(std::span<const std::byte> bytes) {
  if (bytes.empty() || bytes.front() != kServiceCallOp) {
    throw InputError("message: its first byte is not that of a service call, and fathom takes no other bytes");
  }
  if (bytes.size() < kServiceCallHead) {
    throw InputError(
        fmt::format("message: a service call of {} bytes, the least is {}", bytes.size(), kServiceCallHead));
  }
  std::array<std::uint32_t, 3> numbers = {};
  std::memcpy(numbers.data(), bytes.data() + 1, sizeof(numbers));
  const auto [service, call, encoding_bytes] = numbers;
  if (encoding_bytes > bytes.size() - kServiceCallHead) {
    throw InputError(fmt::format("message: an encoding of {} bytes, and {} bytes are left", encoding_bytes,
                                 bytes.size() - kServiceCallHead));
  }
  const auto* const text = reinterpret_cast<const char*>(bytes.data());
  const std::string_view rest(text + kServiceCallHead, bytes.size() - kServiceCallHead);
  return ServiceCall{service, call, std::string(rest.substr(0, encoding_bytes)),
                     std::string(rest.substr(encoding_bytes))};
}

namespace {

using OrderedJson = nlohmann::ordered_json;

// The first bytes of binary messages.
constexpr char kMessageOp = 1, kTimeOp = 2, kServiceResponseOp = 3;

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

std::string line_of(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

std::string server_info_text(std::string_view session_id, std::string_view version) {
  return line_of({{"op", "serverInfo"},
                  {"name", "fathom"},
                  {"capabilities", {"parameters", "parametersSubscribe", "time", "services"}},
                  {"supportedEncodings", {"json"}},
                  {"metadata", {{"version", version}}},
                  {"sessionId", session_id}});
}

std::string status_text(StatusLevel level, std::string_view message) {
  return line_of({{"op", "status"}, {"level", static_cast<int>(level)}, {"message", message}});
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
  return line_of({{"op", "advertise"}, {"channels", channels}});
}

std::string unadvertise_text(std::span<const std::uint32_t> channels) {
  return line_of({{"op", "unadvertise"}, {"channelIds", channels}});
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
  return line_of({{"op", "advertiseServices"}, {"services", list}});
}

std::string parameter_values_text(std::span<const Parameter> parameters, const std::optional<std::string>& id) {
  OrderedJson json = {{"op", "parameterValues"}, {"parameters", OrderedJson::array()}};
  for (const Parameter& parameter : parameters) json["parameters"].push_back(parameter_json(parameter));
  if (id) json["id"] = *id;
  return line_of(json);
}

std::string service_failure_text(const ServiceCall& call, std::string_view message) {
  return line_of(
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
