// SPDX-License-Identifier: MIT
#include "generate.hpp"

#include <system_error>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/beam/csv.hpp>

#include "command_tree.hpp"
#include "completion.hpp"
#include "man_page.hpp"

namespace fathom_cli {
namespace {

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
