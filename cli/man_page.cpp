// SPDX-License-Identifier: MIT
#include <algorithm>
#include <sstream>
#include <string_view>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/beam/log_files.hpp>
#include <fathom/simulate/simulator.hpp>

#include "command_tree.hpp"
#include "share.hpp"

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

}  // namespace

void generate_share(const CLI::App& root, const std::filesystem::path& folder) {
  write_man_pages(root, folder / "man/man1");
  write_made(folder / "bash-completion/completions/fathom", bash_completion(root));
  write_made(folder / "zsh/site-functions/_fathom", zsh_completion(root));
}

}  // namespace fathom_cli
