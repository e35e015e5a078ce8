// SPDX-License-Identifier: MIT
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fathom/core/error.hpp>
#include <fathom/frame/frame.hpp>
#include <fathom/simulate/output.hpp>

#include "commands.hpp"
#include "fields.hpp"
#include "option_values.hpp"
#include "text.hpp"

namespace fathom_cli {
namespace {

constexpr const char* kOutputsHelp = R"(
Examples:
  fathom outputs
  fathom outputs npy
  fathom outputs --json

docs/output-formats.md describes the files to the byte.)";

constexpr const char* kChannelsHelp = R"(
Examples:
  fathom channels
  fathom channels clean_range
  fathom channels --json)";

using fathom::ChannelInfo;
using fathom::FieldInfo;
using fathom::OutputInfo;
using Json = nlohmann::ordered_json;

/// `fathom outputs [OUTPUT] [--json]`, `fathom channels [CHANNEL] [--json]`
struct ListOptions {
  std::string name;  ///< empty: all
  bool json = false;
};

/// The entry of that name.
template <class Info, class NameOf>
const Info& find(std::span<const Info> list, const std::string& typed, std::string_view what, NameOf name_of) {
  std::vector<std::string_view> names;
  for (const Info& info : list) names.push_back(name_of(info));
  if (const auto found = find_typed(typed, names)) return list[*found];
  throw fathom::InputError(fmt::format("there is no {} '{}'{}", what, typed, nearest_text(typed, names)));
}

std::string outputs_overview() {
  std::vector<std::vector<std::string>> rows = {{"output", "first file", "what", "keys"}};
  for (const OutputInfo& output : fathom::output_list()) {
    std::vector<std::string_view> keys;
    for (const FieldInfo& option : output.options) keys.push_back(option.name);
    rows.push_back({std::string(output.slug), std::string(output.file), std::string(output.doc),
                    fmt::format("{}", fmt::join(keys, ", "))});
  }
  return align_columns(rows) + "\nfathom outputs OUTPUT explains the keys of one kind.\n";
}

std::string details(const OutputInfo& output) {
  const std::string text = fmt::format("{}: {}\n  first file {}\n", output.slug, output.doc, output.file);
  if (output.options.empty()) return text + "  no keys\n";
  return text + "\n" + fields_help(output.options);
}

Json to_json(const OutputInfo& output) {
  return {{"word", output.slug}, {"file", output.file}, {"doc", output.doc}, {"options", fields_json(output.options)}};
}

std::vector<std::string> row(const ChannelInfo& c) {
  return {std::string(c.name()), fmt::format("{}{}", c.planes > 1 ? "3 x " : "", to_string(c.type)),
          std::string(c.unit), std::string(c.doc)};
}

Json to_json(const ChannelInfo& c) {
  return {
      {"name", c.name()}, {"type", to_string(c.type)}, {"values_per_ray", c.planes}, {"unit", c.unit}, {"doc", c.doc}};
}

template <class Info>
std::string all_as_json(std::span<const Info> list) {
  Json json = Json::array();
  for (const Info& info : list) json.push_back(to_json(info));
  return json.dump(2) + "\n";
}

void list_outputs(const ListOptions& options) {
  if (options.name.empty()) return print(options.json ? all_as_json(fathom::output_list()) : outputs_overview());
  const OutputInfo& output =
      find(fathom::output_list(), options.name, "output", [](const OutputInfo& o) { return o.slug; });
  print(options.json ? to_json(output).dump(2) + "\n" : details(output));
}

void list_channels(const ListOptions& options) {
  std::vector<std::vector<std::string>> rows = {{"channel", "type", "unit", "what"}};
  if (options.name.empty()) {
    for (const ChannelInfo& channel : fathom::channel_list()) rows.push_back(row(channel));
    return print(options.json ? all_as_json(fathom::channel_list()) : align_columns(rows));
  }
  const ChannelInfo& channel =
      find(fathom::channel_list(), options.name, "channel", [](const ChannelInfo& c) { return c.name(); });
  rows.push_back(row(channel));
  print(options.json ? to_json(channel).dump(2) + "\n" : align_columns(rows));
}

/// A command that lists what the library knows.
void add_list(CLI::App& app, const char* command, const char* doc, const char* word, const char* help,
              void (*list)(const ListOptions&)) {
  const auto o = std::make_shared<ListOptions>();
  CLI::App& c = *app.add_subcommand(command, doc);
  c.add_option(word, o->name, "show this one only")->type_name("");
  add_json(c, o->json);
  c.footer(help);
  c.final_callback([o, list] { list(*o); });
}

}  // namespace

void add_outputs(CLI::App& app) {
  add_list(app, "outputs", "List the kinds of output and their keys", "OUTPUT", kOutputsHelp, &list_outputs);
}

void add_channels(CLI::App& app) {
  add_list(app, "channels", "List the channels of a frame, with types and units", "CHANNEL", kChannelsHelp,
           &list_channels);
}

}  // namespace fathom_cli
