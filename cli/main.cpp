// SPDX-License-Identifier: MIT
// The command line: parses, calls, and turns exceptions into exit codes. CLI11 takes seconds to compile: only what
// parses, or writes pages about the options, includes it.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/names.hpp>
#include <fathom/simulate/simulator.hpp>

#include "command_tree.hpp"
#include "commands.hpp"
#include "signals.hpp"
#include "text.hpp"

namespace fathom_cli {
namespace {

enum ExitCode { kOk = 0, kSystemFailed = 1, kBadInput = 2, kInterrupted = 130 };

/// "map.yaml, scans.log: ": the files and folders among the words of a command that reads them, for lacks of memory.
std::string inputs_among(const std::vector<std::string>& words) {
  std::string names;
  for (std::size_t i = 1; i < words.size(); ++i) {
    std::string name = words[i];
    if (const std::size_t equals = name.find('='); name.starts_with("--") && equals != std::string::npos) {
      if (name.starts_with("--out=")) continue;
      name.erase(0, equals + 1);
    }
    std::error_code error;
    if (words[i - 1] == "--out" || name.starts_with("-") || !std::filesystem::exists(name, error)) continue;
    names += (names.empty() ? "" : ", ") + fathom::printable(name);
  }
  return names.empty() ? "" : names + ": ";
}

/// Runs `command`; reports an exception in one line on stderr.
int translate_errors(const std::vector<std::string>& words, const std::function<void()>& command) {
  const auto tell = [](ExitCode code, std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    std::fputs(fmt::format("fathom: {}{}\n", code == kInterrupted ? "" : "error: ", text).c_str(), stderr);
    return static_cast<int>(code);
  };
  const auto tell_lack_of_memory = [&] {
    try {
      return tell(kSystemFailed, inputs_among(words) + "this does not fit into memory");
    } catch (const std::exception&) {  // there is no memory for the names either
      std::fputs("fathom: error: this does not fit into memory\n", stderr);
      return static_cast<int>(kSystemFailed);
    }
  };
  try {
    command();
    return kOk;
  } catch (const fathom::Interrupted& e) {
    return tell(kInterrupted, e.what());
  } catch (const fathom::InputError& e) {
    return tell(kBadInput, e.what());
  } catch (const std::bad_alloc&) {
    return tell_lack_of_memory();
  } catch (const std::length_error&) {
    return tell_lack_of_memory();
  } catch (const std::filesystem::filesystem_error& e) {
    const std::string file = e.path1().empty() ? "" : e.path1().string() + ": ";
    return tell(kSystemFailed, fathom::SystemError(file + e.code().message()).what());
  } catch (const std::exception& e) {
    return tell(kSystemFailed, fathom::SystemError(e.what()).what());  // printable, as fathom's own are
  }
}

std::string version_text() {
  const auto [built_in, left_out] = features();
  std::string text = fmt::format("fathom {}\n", fathom::versions().fathom);
  if (!built_in.empty()) text += fmt::format("built in: {}\n", built_in);
  if (!left_out.empty()) text += fmt::format("left out (Debian packages or options): {}\n", left_out);
  return text;
}

void parse_and_run(std::vector<std::string> words) {
  const auto app = make_commands();
  const CLI::App& command = find_command(*app, words);
  if (&command == app.get() && std::find(words.begin(), words.end(), "--version") != words.end()) {
    return print(version_text());
  }
  try {
    std::reverse(words.begin(), words.end());  // as CLI11 wants them
    app->parse(std::move(words));
  } catch (const fathom::InputError& e) {
    throw fathom::InputError(e.message().text(setting_names(command)));
  } catch (const CLI::CallForHelp&) {
    print(help_page(command, false));
  } catch (const CLI::CallForAllHelp&) {
    print(help_page(command, true));
  } catch (const CLI::ParseError& e) {
    fail_usage(command, e.what());
  }
}

}  // namespace
}  // namespace fathom_cli

int main(int argc, char** argv) {
  fathom_cli::secure_streams();
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  return fathom_cli::translate_errors(words, [&] { fathom_cli::parse_and_run(words); });
}
