// SPDX-License-Identifier: MIT
#include "bag.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fathom/base/names.hpp>
#include <fathom/files/bags.hpp>

#include "signals.hpp"
#include "text.hpp"

namespace fathom_cli {
namespace {

using Json = nlohmann::ordered_json;

std::string rate_of(const fathom::BagTopicInfo& topic) {
  return topic.rate_hz() > 0.0 ? fmt::format("{:.3g} Hz", topic.rate_hz()) : "-";
}

/// The first few frames, so that a line stays a line.
std::string frames_of(const fathom::BagTopicInfo& topic) {
  constexpr std::size_t kShown = 3;
  std::string text;
  for (std::size_t i = 0; i < topic.frames.size() && i < kShown; ++i) {
    text += (i == 0 ? "" : ", ") + fathom::printable(topic.frames[i]);
  }
  if (topic.frames.size() > kShown) text += fmt::format(" and {} more", topic.frames.size() - kShown);
  return text.empty() ? "-" : text;
}

std::string answer_to(const fathom::BagTopicInfo& topic) {
  if (topic.is_known) return "reads it";
  return topic.encoding == "cdr" ? "passes it over" : "passes over " + fathom::printable(topic.encoding);
}

std::string table_of(const fathom::BagInfo& info) {
  std::vector<std::vector<std::string>> rows = {{"topic", "type", "messages", "rate", "frames", "fathom"}};
  for (const fathom::BagTopicInfo& topic : info.topics) {
    rows.push_back({fathom::printable(topic.name), fathom::printable(topic.type), group_digits(topic.messages),
                    rate_of(topic), frames_of(topic), answer_to(topic)});
  }
  return align_columns(rows, {2, 3});
}

std::string json_of(const fathom::BagInfo& info) {
  Json topics = Json::array();
  for (const fathom::BagTopicInfo& topic : info.topics) {
    topics.push_back({{"name", topic.name},
                      {"type", topic.type},
                      {"encoding", topic.encoding},
                      {"messages", topic.messages},
                      {"first_s", topic.first_s},
                      {"last_s", topic.last_s},
                      {"rate_hz", topic.rate_hz()},
                      {"frames", topic.frames},
                      {"known", topic.is_known},
                      {"damaged", topic.damaged}});
  }
  const Json all = {{"format", info.format}, {"messages", info.messages}, {"first_s", info.first_s},
                    {"last_s", info.last_s}, {"torn", info.tear},         {"damaged", info.damaged},
                    {"damage", info.damage}, {"topics", topics}};
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::vector<std::string> warnings_of(const fathom::BagInfo& info) {
  std::vector<std::string> warnings;
  if (!info.tear.empty()) warnings.push_back(info.tear + "; what stands before is read");
  if (info.damaged > 0) {
    warnings.push_back(fmt::format("{} {} damaged and left out, the first: {}", counted(info.damaged, "part"),
                                   info.damaged == 1 ? "is" : "are", info.damage));
  }
  for (const fathom::BagTopicInfo& topic : info.topics) {
    if (topic.damaged == 0) continue;
    warnings.push_back(
        fmt::format("{}: {} damaged, the first: {}", topic.name, counted(topic.damaged, "message"), topic.damage));
  }
  return warnings;
}

}  // namespace

void print_bag_info(const BagInfoOptions& options) {
  const StopSignals signals(Patience::kNone);
  const fathom::BagInfo info = fathom::read_bag_info(options.bag);
  if (options.json) return print(json_of(info));
  print(fmt::format("{}: {}, {} in {:.3f} s, from {:.3f} s on\n\n{}", fathom::printable(options.bag.string()),
                    info.format, counted(info.messages, "message"), info.last_s - info.first_s, info.first_s,
                    table_of(info)));
  print_warnings(warnings_of(info));
}

}  // namespace fathom_cli
