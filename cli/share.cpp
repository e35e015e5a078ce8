// SPDX-License-Identifier: MIT
// What an installation puts into share: manual pages and completion for bash and zsh, made from the help of the
// commands. By hand: help2man would need Perl in each build, and starts the program once for each page.

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/files/log_files.hpp>
#include <fathom/frame/frame.hpp>
#include <fathom/noise/noise.hpp>
#include <fathom/sensor/kinds.hpp>
#include <fathom/sensor/presets.hpp>
#include <fathom/simulate/output.hpp>
#include <fathom/simulate/simulator.hpp>

#include "command_tree.hpp"
#include "commands.hpp"

namespace fathom_cli {
namespace {

/// "fathom-fit-beam"
std::string page_name(const CLI::App& command) {
  std::string name = full_name(command);
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

/// Text that groff shows unchanged.
std::string escaped(std::string_view text) {
  std::string result = text.empty() || (text.front() != '.' && text.front() != '\'') ? "" : "\\&";
  for (const char c : text) {
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
  }
  return result;
}

/// The footer of a help page: its paragraphs, and the lines below "Examples:".
struct Footer {
  std::vector<std::string> paragraphs, examples;
};

Footer split_footer(const std::string& text) {
  Footer footer;
  std::istringstream lines(text);
  bool in_examples = false, new_paragraph = true;
  for (std::string line; std::getline(lines, line);) {
    if (line == "Example:" || line == "Examples:") {
      in_examples = true;
    } else if (line.empty()) {
      in_examples = false, new_paragraph = true;
    } else if (in_examples) {
      footer.examples.push_back(line.substr(std::min<std::size_t>(2, line.find_first_not_of(' '))));
    } else if (new_paragraph) {
      footer.paragraphs.push_back(line);
      new_paragraph = false;
    } else {
      footer.paragraphs.back() += "\n" + line;
    }
  }
  return footer;
}

std::string tagged(const std::string& tag, const std::string& text) {
  return fmt::format(".TP\n.B {}\n{}\n", escaped(tag), escaped(text));
}

std::string usual_value(const CLI::Option& option) {
  const std::string value = option.get_default_str();
  return value.empty() ? "" : fmt::format(" (default: {})", value);
}

std::string arguments_section(const CLI::App& command) {
  std::string text;
  for (const CLI::Option* o : options_of(command, true)) text += tagged(o->get_name(true), o->get_description());
  return text.empty() ? "" : ".SH ARGUMENTS\n" + text;
}

std::string options_section(const CLI::App& command) {
  std::string text = ".SH OPTIONS\n";
  for (const CLI::Option* o : options_of(command)) {
    text += tagged(shown_name(*o), o->get_description() + usual_value(*o) + (o->get_required() ? "; required" : ""));
  }
  return text;
}

std::string commands_section(const CLI::App& command) {
  std::string text;
  for (const CLI::App* c : commands_of(command)) text += tagged(page_name(*c) + "(1)", c->get_description());
  return text.empty() ? "" : ".SH COMMANDS\n" + text;
}

std::string examples_section(const std::vector<std::string>& lines) {
  if (lines.empty()) return "";
  std::string text = ".SH EXAMPLES\n.EX\n";
  for (const std::string& line : lines) text += escaped(line) + "\n";
  return text + ".EE\n";
}

std::string see_also_section(const CLI::App& command) {
  std::string text = ".SH \"SEE ALSO\"\n";
  if (command.get_parent() != nullptr) text += fmt::format(".BR {} (1),\n", escaped(page_name(*command.get_parent())));
  return text + "the pages in share/doc/fathom of the place where fathom is installed: README.md, docs, examples\n";
}

constexpr const char* kExitStatus = R"(.SH "EXIT STATUS"
.TP
.B 0
done
.TP
.B 1
the system failed: disk, memory
.TP
.B 2
bad input or usage: one line on standard error says what and where
.TP
.B 130
interrupted; every file that is there is whole
)";

/// Groff, from the same texts as the help.
std::string man_page(const CLI::App& command) {
  const Footer footer = split_footer(footer_of(command));
  const std::string name = page_name(command);
  std::string upper = name;
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  std::string text = fmt::format(".TH {} 1 \"\" \"fathom {}\" \"fathom\"\n", escaped(upper), fathom::versions().fathom);
  text += fmt::format(".SH NAME\n{} \\- {}\n", escaped(name), escaped(command.get_description()));
  text += fmt::format(".SH SYNOPSIS\n.B {}\n", escaped(usage_of(command)));
  text += fmt::format(".SH DESCRIPTION\n{}.\n", escaped(command.get_description()));
  for (const std::string& paragraph : footer.paragraphs) text += fmt::format(".PP\n{}\n", escaped(paragraph));
  return text + commands_section(command) + arguments_section(command) + options_section(command) +
         examples_section(footer.examples) + kExitStatus + see_also_section(command);
}

void write_made(const std::filesystem::path& file, const std::string& text) {
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  if (error) {
    throw fathom::SystemError(fmt::format("{}: cannot be made: {}", file.parent_path().string(), error.message()));
  }
  fathom::write_text_file(file, text);
}

void write_man_pages(const CLI::App& command, const std::filesystem::path& folder) {
  write_made(folder / (page_name(command) + ".1"), man_page(command));
  for (const CLI::App* child : commands_of(command)) write_man_pages(*child, folder);
}

// Completion: commands, options, the words that an option takes, names that the library knows, files.

using Words = std::vector<std::string>;

/// The completion of one word, in the language of a shell.
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

/// The words of a type such as skip|max; capitals such as N are no words.
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

void generate_share(const CLI::App& root, const std::filesystem::path& folder) {
  write_man_pages(root, folder / "man/man1");
  write_made(folder / "bash-completion/completions/fathom", script(kBash, kBashScript, root));
  write_made(folder / "zsh/site-functions/_fathom", script(kZsh, kZshScript, root));
}

}  // namespace fathom_cli
