// SPDX-License-Identifier: MIT
#include <cctype>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <fathom/frame/frame.hpp>
#include <fathom/noise/noise.hpp>
#include <fathom/outputs/output.hpp>
#include <fathom/sensor/kinds.hpp>
#include <fathom/sensor/presets.hpp>

#include "command_tree.hpp"
#include "share.hpp"

namespace fathom_cli {
namespace {

using Words = std::vector<std::string>;

/// How a shell says what may stand at a place.
struct Shell {
  std::string_view files, folders;
  std::string_view words;  ///< format: {} are the words
};
constexpr Shell kBash = {"mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")",
                         "mapfile -t COMPREPLY < <(compgen -d -- \"$cur\")",
                         "mapfile -t COMPREPLY < <(compgen -W '{}' -- \"$cur\")"};
constexpr Shell kZsh = {"_files", "_files -/", "compadd -- {}"};

/// The names that stand for a positional of this name.
Words known_names(const std::string& positional) {
  Words names;
  if (positional == "SENSOR") {
    for (const auto& preset : fathom::sensor_presets()) names.emplace_back(preset.name);
    for (const auto& kind : fathom::sensor_kinds()) names.emplace_back(kind.slug);
  } else if (positional == "MODEL") {
    for (const auto& model : fathom::noise_models()) names.emplace_back(model.slug);
  } else if (positional == "OUTPUT") {
    for (const auto& output : fathom::output_list()) names.emplace_back(output.slug);
  } else if (positional == "CHANNEL") {
    for (const auto& channel : fathom::channel_list()) names.emplace_back(channel.name());
  }
  return names;
}

/// The words of a type such as skip|max; what is in capitals is no word.
Words words_of_type(const std::string& type) {
  Words words;
  if (type.find('|') == std::string::npos) return words;
  for (std::size_t begin = 0; begin <= type.size();) {
    const std::size_t end = std::min(type.find('|', begin), type.size());
    const std::string word = type.substr(begin, end - begin);
    if (!word.empty() && std::isupper(static_cast<unsigned char>(word.front())) == 0) words.push_back(word);
    begin = end + 1;
  }
  return words;
}

std::string words_action(const Shell& shell, const Words& words) {
  return fmt::format(fmt::runtime(shell.words), fmt::join(words, " "));
}

bool is_file_type(const std::string& type) {
  return type == "YAML" || type == "CSV" || type == "LOG" || type == "PNG" || type == "DATA";
}

/// The completion of an option's value; empty without a suggestion.
std::string value_action(const Shell& shell, const CLI::Option& option) {
  const std::string type = option.get_type_name();
  if (type == "DIR") return std::string(shell.folders);
  if (is_file_type(type)) return std::string(shell.files);
  const Words words = words_of_type(type);
  return words.empty() ? "" : words_action(shell, words);
}

Words option_names(const CLI::App& command) {
  Words names;
  for (const CLI::Option* option : options_of(command)) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// The completion of a word that is no option: a command, a file, or a name that the library knows.
std::string bare_action(const Shell& shell, const CLI::App& command) {
  Words words;
  for (const CLI::App* child : commands_of(command)) words.push_back(child->get_name());
  if (!words.empty()) {
    words.emplace_back("help");
    return words_action(shell, words);
  }
  for (const CLI::Option* positional : options_of(command, true)) {
    const Words names = known_names(positional->get_name(true));
    return names.empty() ? std::string(shell.files) : words_action(shell, names);
  }
  return words_action(shell, option_names(command));
}

/// The lines of the three `case` statements, for a command and those below it.
struct Cases {
  std::string commands, values, options, bare;
};

void add_cases(const Shell& shell, const CLI::App& command, Cases& cases) {
  const std::string name = full_name(command);
  for (const CLI::App* child : commands_of(command)) {
    cases.commands += fmt::format("      '{0}') command='{0}' ;;\n", full_name(*child));
    add_cases(shell, *child, cases);
  }
  for (const CLI::Option* option : options_of(command)) {
    if (option->get_expected_min() == 0) continue;
    for (const std::string& long_name : option->get_lnames()) {
      const std::string action = value_action(shell, *option);
      cases.values += fmt::format("    '{} --{}') {}return ;;\n", name, long_name, action.empty() ? "" : action + "; ");
    }
  }
  cases.options += fmt::format("    '{}') {} ;;\n", name, words_action(shell, option_names(command)));
  cases.bare += fmt::format("    '{}') {} ;;\n", name, bare_action(shell, command));
}

constexpr const char* kBashScript = R"(# bash completion of fathom; generated from its help
_fathom() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD - 1]}} command=fathom word
  COMPREPLY=()
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD - 1}}"; do
    case "$command $word" in
{}    esac
  done
  case "$command $prev" in
{}  esac
  if [[ $cur == -* ]]; then
    case $command in
{}    esac
    return
  fi
  case $command in
{}  esac
}}
complete -o filenames -F _fathom fathom
)";

constexpr const char* kZshScript = R"(#compdef fathom
# zsh completion of fathom; generated from its help
_fathom() {{
  local command=fathom word
  for word in "${{(@)words[2,CURRENT-1]}}"; do
    case "$command $word" in
{}    esac
  done
  case "$command ${{words[CURRENT-1]}}" in
{}  esac
  if [[ ${{words[CURRENT]}} == -* ]]; then
    case $command in
{}    esac
    return
  fi
  case $command in
{}  esac
}}
_fathom "$@"
)";

std::string script(const Shell& shell, const char* text, const CLI::App& root) {
  Cases cases;
  add_cases(shell, root, cases);
  return fmt::format(fmt::runtime(text), cases.commands, cases.values, cases.options, cases.bare);
}

}  // namespace

std::string bash_completion(const CLI::App& root) { return script(kBash, kBashScript, root); }

std::string zsh_completion(const CLI::App& root) { return script(kZsh, kZshScript, root); }

}  // namespace fathom_cli
