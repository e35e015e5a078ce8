// SPDX-License-Identifier: MIT
#pragma once
// The commands of the program and their options, as CLI11 holds them, and their help. Of words that are neither a
// command nor an option CLI11 says only that something is missing.

#include <cstdint>
#include <string>
#include <vector>

#include <fathom/core/error.hpp>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace fathom_cli {

/// "fathom fit beam"
std::string full_name(const CLI::App& command);

/// The commands right below, in order.
std::vector<const CLI::App*> commands_of(const CLI::App& command);

/// The options of a command; the positionals, in order, where `positional`.
std::vector<const CLI::Option*> options_of(const CLI::App& command, bool positional = false);

/// The command that the words (without the name of the program) lead to. `help` among the names of commands becomes
/// --help at the end. Throws fathom::InputError for a word that is no command or option there, with the nearest one,
/// and for a group of commands without a command.
const CLI::App& find_command(const CLI::App& root, std::vector<std::string>& words);

/// The settings for which the command has options, with the names of these options. Hints may name its group.
std::vector<fathom::SettingName> setting_names(const CLI::App& command);

/// Throws fathom::InputError "<what> (see fathom fit beam --help)".
[[noreturn]] void fail_usage(const CLI::App& command, const std::string& what);

/// The sections of a help page, in their order. The group of an option names its section.
enum class Section : std::uint8_t { kRequired, kInput, kModel, kDataset, kOutput, kComputer };

/// Puts the options that are added to the command from here on into a section; only --help-all shows rare ones.
void begin_section(CLI::App& command, Section section, bool rare = false);

/// An option with its value, as help shows it: "--out DIR", "-h, --help", "--refine-poses[=M,DEG]", "SCENE".
std::string shown_name(const CLI::Option& option);

/// "fathom fit chain SCENE --measured DIR --free PATTERN [OPTIONS]": the text after "Usage: " in the first line of
/// the footer, else the required options.
std::string usage_of(const CLI::App& command);

/// The footer without the line "Usage: ...".
std::string footer_of(const CLI::App& command);

/// The page of --help, or, with rare options, of --help-all.
std::string help_page(const CLI::App& command, bool with_rare);

}  // namespace fathom_cli
