// SPDX-License-Identifier: MIT
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fathom/core/names.hpp>
#include <fathom/files/log_files.hpp>

#include "commands.hpp"
#include "option_values.hpp"
#include "signals.hpp"
#include "text.hpp"

namespace fathom_cli {
namespace {

constexpr const char* kBagInfoHelp = R"(
Examples:
  fathom simulate examples/house/house.yaml --out out/bag --bag house.mcap
  fathom bag info house.mcap

docs/bags.md describes what is written into bags and read of them.)";

using Json = nlohmann::ordered_json;

/// `fathom bag info BAG ...`
struct BagInfoOptions {
  std::filesystem::path bag;
  bool json = false;
};

std::string rate_of(const fathom::BagInfo::Topic& topic) {
  return topic.rate_hz() > 0.0 ? fmt::format("{:.3g} Hz", topic.rate_hz()) : "-";
}

/// The first few frames, so that a line stays a line.
std::string frames_of(const fathom::BagInfo::Topic& topic) {
  constexpr std::size_t kShown = 3;
  std::string text;
  for (std::size_t i = 0; i < topic.frames.size() && i < kShown; ++i) {
    text += (i == 0 ? "" : ", ") + fathom::printable(topic.frames[i]);
  }
  if (topic.frames.size() > kShown) text += fmt::format(" and {} more", topic.frames.size() - kShown);
  return text.empty() ? "-" : text;
}

std::string answer_to(const fathom::BagInfo::Topic& topic) {
  if (topic.is_known) return "reads it";
  return topic.encoding == "cdr" ? "passes it over" : "passes over " + fathom::printable(topic.encoding);
}

std::string table_of(const fathom::BagInfo& info) {
  std::vector<std::vector<std::string>> rows = {{"topic", "type", "messages", "rate", "frames", "fathom"}};
  for (const fathom::BagInfo::Topic& topic : info.topics) {
    rows.push_back({fathom::printable(topic.name), fathom::printable(topic.type), group_digits(topic.messages),
                    rate_of(topic), frames_of(topic), answer_to(topic)});
  }
  return align_columns(rows, {2, 3});
}

std::string json_of(const fathom::BagInfo& info) {
  Json topics = Json::array();
  for (const fathom::BagInfo::Topic& topic : info.topics) {
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
  for (const fathom::BagInfo::Topic& topic : info.topics) {
    if (topic.damaged == 0) continue;
    warnings.push_back(
        fmt::format("{}: {} damaged, the first: {}", topic.name, counted(topic.damaged, "message"), topic.damage));
  }
  return warnings;
}

void print_bag_info(const BagInfoOptions& options) {
  const StopSignals signals(Patience::kNone);
  const fathom::BagInfo info = fathom::read_bag_info(options.bag);
  if (options.json) return print(json_of(info));
  print(fmt::format("{}: {}, {} in {:.3f} s, from {:.3f} s on\n\n{}", fathom::printable(options.bag.string()),
                    info.format, counted(info.messages, "message"), info.last_s - info.first_s, info.first_s,
                    table_of(info)));
  print_warnings(warnings_of(info));
}

}  // namespace

void add_bag_info(CLI::App& bag) {
  const auto o = std::make_shared<BagInfoOptions>();
  CLI::App& c = *bag.add_subcommand("info", "List the topics of a bag, and what fathom reads of them");
  c.add_option("BAG", o->bag, "MCAP, .db3, or a folder of rosbag2")->required();
  add_json(c, o->json);
  c.footer(kBagInfoHelp);
  c.final_callback([o] { print_bag_info(*o); });
}

}  // namespace fathom_cli
