// SPDX-License-Identifier: MIT
#include "command_tree.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/names.hpp>

namespace fathom_cli {
namespace {

using Names = std::vector<std::string_view>;

constexpr const char *kHelpWord = "help", *kProgram = "fathom";

/// "simulate, check or noise"
std::string listed(const Names& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += i == 0 ? "" : i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

Names command_names(const CLI::App& command) {
  Names names;
  for (const CLI::App* c : commands_of(command)) names.emplace_back(c->get_name());
  return names;
}

Names long_options(const CLI::App& command) {
  Names names;
  for (const CLI::Option* option : options_of(command)) {
    for (const std::string& name : option->get_lnames()) names.emplace_back(name);
  }
  return names;
}

/// The name that begins with `word`, if only one does; else the one that it is likely a slip of.
std::string_view meant(std::string_view word, const Names& names) {
  const auto begins = [&](std::string_view name) { return name.substr(0, word.size()) == word; };
  const auto found = std::find_if(names.begin(), names.end(), begins);
  const bool only = !word.empty() && std::count_if(names.begin(), names.end(), begins) == 1;
  return only ? *found : fathom::likely_name(word, names);
}

[[noreturn]] void fail_unknown(const CLI::App& command, const std::string& word, const std::string& what,
                               const std::string& nearest) {
  fail_usage(command, fmt::format("'{}' is no {} of {}{}{}", word, what, full_name(command),
                                  nearest.empty() ? "" : "; nearest: ", nearest));
}

const CLI::App& child(const CLI::App& command, const std::string& word) {
  const auto children = command.get_subcommands([&](const CLI::App* c) { return c->get_name() == word; });
  if (!children.empty() && !word.empty()) return *children.front();
  fail_unknown(command, word, "command", std::string(meant(word, command_names(command))));
}

bool is_number(std::string_view word) {
  return word.size() > 1 && (std::isdigit(static_cast<unsigned char>(word[1])) != 0 || word[1] == '.');
}

/// The name of an option without dashes and value: "out" of "--out=x".
std::string bare_name(const std::string& word) {
  const std::size_t begin = word.find_first_not_of('-');
  return begin == std::string::npos ? "" : word.substr(begin, word.find('=') - begin);
}

const CLI::Option* find_option(const CLI::App& command, const std::string& word) {
  const bool is_long = word.rfind("--", 0) == 0;
  const std::string name = bare_name(word);
  for (const CLI::Option* option : options_of(command)) {
    const auto& names = is_long ? option->get_lnames() : option->get_snames();
    if (std::find(names.begin(), names.end(), name) != names.end()) return option;
  }
  return nullptr;
}

[[noreturn]] void fail_unknown_option(const CLI::App& command, const std::string& word) {
  const std::string_view likely = meant(bare_name(word), long_options(command));
  fail_unknown(command, word, "option", likely.empty() ? "" : fmt::format("--{}", likely));
}

/// Whether the parser refuses a second value. It parses repeated options one by one.
bool takes_one(const CLI::Option& option) {
  return option.get_items_expected_max() == 1 && !option.get_trigger_on_parse() &&
         option.get_multi_option_policy() == CLI::MultiOptionPolicy::Throw;
}

/// Of the words that follow the name of a command.
void check_options(const CLI::App& command, const std::vector<std::string>& words, std::size_t begin) {
  std::set<const CLI::Option*> given;
  for (std::size_t i = begin; i < words.size() && words[i] != "--"; ++i) {
    const std::string& word = words[i];
    if (word.size() < 2 || word.front() != '-' || is_number(word)) continue;
    const CLI::Option* option = find_option(command, word);
    if (option == nullptr) fail_unknown_option(command, word);
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    if (takes_one(*option) && !given.insert(option).second) fail_usage(command, fmt::format("{} is given twice", name));
    if (option->get_expected_min() == 0) {  // a flag, or an option whose value may be left out
      if (equals == std::string::npos) continue;
      if (option->get_expected_max() == 0) fail_usage(command, fmt::format("{} takes no value", name));
    }
    // The word after an option that takes a value is that value.
    if (equals == std::string::npos) ++i;
    if (i >= words.size() || equals + 1 == word.size()) fail_usage(command, fmt::format("{} needs a value", name));
  }
}

constexpr fathom::SettingName kOptionNames[] = {{"angle_scale_rad", "--angle-scale"},
                                                {"auto_max_range", "--max-range auto"},
                                                {"band_edges_m", "--bands"},
                                                {"baseline_m", "--camera BASELINE"},
                                                {"beam.hit_offset_m", "--hit-offset"},
                                                {"beam.max_range_m", "--max-range"},
                                                {"beam.min_range_m", "--min-range"},
                                                {"beam.step_m", "--step"},
                                                {"beam_refine_poses", "fathom fit beam --refine-poses"},
                                                {"block_frames", "--block-frames"},
                                                {"camera_info", "--camera-info"},
                                                {"cx_px", "--camera CX"},
                                                {"cy_px", "--camera CY"},
                                                {"files", "--files"},
                                                {"fit.variant", "--variant"},
                                                {"fit_hit_offset", "--hit-offset fit"},
                                                {"focal_baseline_px_m", "--focal-baseline"},
                                                {"force", "--force"},
                                                {"gate_m", "--gate"},
                                                {"hit", "--hit"},
                                                {"hit_offset_m", "--hit-offset"},
                                                {"hold_out", "--hold-out"},
                                                {"laser", "--laser"},
                                                {"levels_per_m", "--levels-per-m"},
                                                {"likelihood_field.max_distance_m", "--max-distance"},
                                                {"likelihood_field.max_range_m", "--max-range"},
                                                {"likelihood_field.min_range_m", "--min-range"},
                                                {"map_frame", "--frame"},
                                                {"max_distance_m", "--max-distance"},
                                                {"max_range_m", "--max-range"},
                                                {"max_returns", "--max-returns"},
                                                {"min_range_m", "--min-range"},
                                                {"miss", "--miss"},
                                                // A hint at an option, or at the command of another model's files.
                                                {"model", "--model"},
                                                {"model", "fathom compare"},
                                                {"model", "fathom score"},
                                                {"mount", "--mount"},
                                                {"out", "--out"},
                                                {"per_log", "--per-log"},
                                                {"ray_angle_deg", "--ray-angle"},
                                                {"ray_time_s", "--ray-time"},
                                                {"refine_poses", "--refine-poses"},
                                                {"scans", "--scans"},
                                                {"step_m", "--step"},
                                                {"stretches", "--stretches"},
                                                {"tape_m", "--distances"},
                                                {"test_scans", "--test-scans"}};

}  // namespace

std::vector<fathom::SettingName> setting_names(const CLI::App& command) {
  const std::string group = command.get_parent() == nullptr ? "" : full_name(*command.get_parent());
  std::vector<fathom::SettingName> names;
  for (const fathom::SettingName& name : kOptionNames) {
    const std::string option(name.shown.substr(0, name.shown.find(' ')));
    const bool is_elsewhere = option == kProgram && name.shown.find(" --") != std::string_view::npos;
    const bool is_of_command = command.get_option_no_throw(option) != nullptr || name.shown == group || is_elsewhere;
    if (is_of_command) names.push_back(name);
  }
  return names;
}

const CLI::App& find_command(const CLI::App& root, std::vector<std::string>& words) {
  const CLI::App* command = &root;
  bool help = false;
  std::size_t i = 0;
  while (i < words.size() && !command->get_subcommands({}).empty()) {
    if (words[i].rfind('-', 0) == 0) break;
    if (words[i] == kHelpWord) {
      help = true;
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      command = &child(*command, words[i++]);
    }
  }
  if (help) words.emplace_back("--help");
  check_options(*command, words, i);
  if (i == words.size() && !commands_of(*command).empty()) {
    fail_usage(*command, fmt::format("{} needs a command: {}", full_name(*command), listed(command_names(*command))));
  }
  return *command;
}

void fail_usage(const CLI::App& command, const std::string& what) {
  throw fathom::InputError(fmt::format("{} (see {} --help)", what, full_name(command)));
}

std::string full_name(const CLI::App& command) {
  return command.get_parent() == nullptr ? command.get_name()
                                         : full_name(*command.get_parent()) + " " + command.get_name();
}

std::vector<const CLI::App*> commands_of(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App* c) { return !c->get_group().empty(); });
}

std::vector<const CLI::Option*> options_of(const CLI::App& command, bool positional) {
  return command.get_options([&](const CLI::Option* o) { return o->get_positional() == positional; });
}

}  // namespace fathom_cli
