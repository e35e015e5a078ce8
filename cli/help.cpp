// SPDX-License-Identifier: MIT
// Pages of help: the usage, then the options by sections, required ones first. CLI11 prints options in the order in
// which they were added, and lines as long as they are.

#include <algorithm>
#include <array>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "command_tree.hpp"

namespace fathom_cli {
namespace {

constexpr std::array<std::string_view, 6> kSectionNames = {"Required", "Input",  "Model",
                                                           "Dataset",  "Output", "Computer"};
constexpr std::string_view kRare = ", rare", kUsage = "Usage: ";
constexpr std::size_t kNameWidth = 34, kPageWidth = 119;

/// `name`, and from kNameWidth on `doc`, in lines of up to kPageWidth letters.
std::string help_row(const std::string& name, const std::string& doc) {
  std::string text = "  " + name;
  text +=
      text.size() + 2 > kNameWidth ? "\n" + std::string(kNameWidth, ' ') : std::string(kNameWidth - text.size(), ' ');
  std::size_t width = kNameWidth;
  std::istringstream words(doc);
  for (std::string word; words >> word; width += word.size() + 1) {
    if (width > kNameWidth && width + word.size() > kPageWidth) {
      text.back() = '\n';
      text += std::string(width = kNameWidth, ' ');
    }
    text += word + " ";
  }
  text.back() = '\n';
  return text;
}

std::string help_row(const CLI::Option& option) {
  const std::string value = option.get_default_str();
  return help_row(shown_name(option), option.get_description() + (value.empty() ? "" : "; default: " + value));
}

bool is_rare(const CLI::Option& option) { return option.get_group().ends_with(kRare); }

/// The options of a section, the rare ones last. What is in no section goes with `Options`.
std::string section_text(const CLI::App& command, std::string_view section, bool with_rare) {
  std::string text, rare;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_group().starts_with(section)) continue;
    const bool is_help = option == command.get_help_ptr() || option == command.get_help_all_ptr();
    if (!is_help) (is_rare(*option) ? rare : text) += help_row(*option);
  }
  return with_rare ? text + rare : text;
}

std::string options_text(const CLI::App& command, bool with_rare) {
  std::string text;
  const auto add = [&](std::string_view section) {
    const std::string options = section_text(command, section, with_rare);
    if (!options.empty()) text += fmt::format("\n{}:\n{}", section, options);
  };
  for (const std::string_view section : kSectionNames) add(section);
  add("Options");
  if (text.empty()) text = "\nOptions:\n";
  text += help_row(*command.get_help_ptr());
  const auto options = command.get_options();
  if (std::any_of(options.begin(), options.end(), [](const CLI::Option* o) { return is_rare(*o); })) {
    text += help_row(*command.get_help_all_ptr());
  }
  return text;
}

std::string commands_text(const CLI::App& command) {
  std::string text;
  for (const CLI::App* below : commands_of(command)) text += help_row(below->get_name(), below->get_description());
  return text.empty() ? "" : "\nSubcommands:\n" + text;
}

}  // namespace

void begin_section(CLI::App& command, Section section, bool rare) {
  std::string group(kSectionNames[static_cast<std::size_t>(section)]);
  command.option_defaults()->group(rare ? group.append(kRare) : group);
}

std::string shown_name(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(true);
  std::string name;
  for (const std::string& letter : option.get_snames()) name += "-" + letter + ", ";
  for (const std::string& word : option.get_lnames()) name += "--" + word;
  if (option.get_expected_max() == 0 || option.get_type_size() == 0) return name;
  return name + (option.get_expected_min() == 0 ? "[=" + option.get_type_name() + "]" : " " + option.get_type_name());
}

std::string usage_of(const CLI::App& command) {
  const std::string footer = command.get_footer();
  if (footer.starts_with(kUsage)) return footer.substr(kUsage.size(), footer.find('\n') - kUsage.size());
  std::string usage = full_name(command);
  for (const CLI::Option* o : options_of(command, true)) {
    usage += fmt::format(fmt::runtime(o->get_required() ? " {}" : " [{}]"), shown_name(*o));
  }
  for (const CLI::Option* o : options_of(command)) {
    if (o->get_required()) usage += " " + shown_name(*o);
  }
  return usage + (commands_of(command).empty() ? " [OPTIONS]" : " COMMAND");
}

std::string footer_of(const CLI::App& command) {
  const std::string footer = command.get_footer();
  return footer.starts_with(kUsage) ? footer.substr(footer.find('\n') + 1) : footer;
}

std::string help_page(const CLI::App& command, bool with_rare) {
  return fmt::format("{}\n{}{}\n{}{}\n{}\n", command.get_description(), kUsage, usage_of(command),
                     options_text(command, with_rare), commands_text(command), footer_of(command));
}

}  // namespace fathom_cli
