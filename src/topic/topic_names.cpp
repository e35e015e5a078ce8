// SPDX-License-Identifier: MIT
#include "topic/topic_names.hpp"

namespace fathom {

namespace {

constexpr std::string_view kTopicPrefix = "rt/";
constexpr std::string_view kInType = "::msg::dds_::";
constexpr std::string_view kInName = "/msg/";

}  // namespace

std::string dds_topic_name(std::string_view topic) {
  if (topic.starts_with('/')) topic.remove_prefix(1);
  return std::string(kTopicPrefix).append(topic);
}

std::optional<std::string> ros_topic_name(std::string_view dds_name) {
  if (!dds_name.starts_with(kTopicPrefix) || dds_name.size() == kTopicPrefix.size()) return std::nullopt;
  return std::string("/").append(dds_name.substr(kTopicPrefix.size()));
}

std::string dds_type_name(std::string_view type) {
  const std::size_t at = type.find(kInName);
  return std::string(type.substr(0, at)).append(kInType).append(type.substr(at + kInName.size())).append("_");
}

std::optional<std::string> ros_type_name(std::string_view dds_name) {
  const std::size_t at = dds_name.find(kInType);
  if (at == std::string_view::npos || at == 0 || !dds_name.ends_with('_')) return std::nullopt;
  const std::string_view last = dds_name.substr(at + kInType.size());
  if (last.size() < 2) return std::nullopt;
  return std::string(dds_name.substr(0, at)).append(kInName).append(last.substr(0, last.size() - 1));
}

std::string user_data_of(const MessageType& type) { return std::string("typehash=").append(type.hash).append(";"); }

const MessageType* find_message_type(std::string_view type) {
  for (const MessageType* known : message_types()) {
    if (known->name == type) return known;
  }
  return nullptr;
}

}  // namespace fathom
