// SPDX-License-Identifier: MIT
#include "ros/participant.hpp"

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

std::string dds_type_name(std::string_view type) {
  const std::size_t at = type.find(kInName);
  return std::string(type.substr(0, at)).append(kInType).append(type.substr(at + kInName.size())).append("_");
}

std::string user_data_of(const MessageType& type) { return std::string("typehash=").append(type.hash).append(";"); }

}  // namespace fathom
