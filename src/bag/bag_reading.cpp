// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "bag/bag_message.hpp"
#include "base/counts.hpp"
#include "base/text.hpp"

namespace fathom {

void check_topic(const BagTopic& topic) {
  const std::size_t size = topic.name.size() + topic.type.size() + topic.encoding.size();
  if (size <= kMostTopicText) return;
  throw InputError(
      fmt::format("name, type and encoding of a topic have {} bytes, the limit is {}", size, kMostTopicText));
}

std::string BagMessage::place() const { return file.string() + ": " + printable(topic.name); }

void BagReading::add_topic(const BagTopic& topic) {
  if (topics.size() >= kMostBagTopics && !topics.contains(topic)) {
    throw InputError(fmt::format("has more than {} topics", kMostBagTopics));
  }
  topics.insert(topic);
}

void BagReading::add_damage(std::string_view what, std::uint64_t count) {
  if (damaged == 0) damage = one_line(what);
  damaged += count;
}

std::vector<std::string> BagReading::notes() const {
  std::vector<std::string> notes;
  if (!tear.empty()) notes.push_back(tear + "; what stands before is read");
  if (damaged > 0) {
    notes.push_back(
        fmt::format("{} {} damaged and left out, the first: {}", counted(damaged, "part"), are(damaged), damage));
  }
  return notes;
}

}  // namespace fathom
