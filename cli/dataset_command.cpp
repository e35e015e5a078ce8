// SPDX-License-Identifier: MIT
#include "dataset_command.hpp"

#include <string_view>

#include <fmt/format.h>

namespace fathom_cli {
namespace {

void add_range_to(std::string& command, std::string_view option, const std::optional<fathom::NumberRange>& range) {
  if (range) command += fmt::format(" {} {}:{}", option, range->first, range->end);
}

template <class T>
void add_number_to(std::string& command, std::string_view option, const std::optional<T>& value) {
  if (value) command += fmt::format(" {} {}", option, *value);
}

}  // namespace

std::string quoted(const std::string& word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string text = "'";
  for (const char letter : word) text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return text + "'";
}

bool makes_dataset(const SimulateOptions& options) {
  return options.environments || options.episodes || options.block || options.shard || options.resume ||
         options.format || options.units_per_file || options.compression || options.dry_run;
}

std::string dataset_command(const SimulateOptions& options) {
  std::string command = fmt::format("fathom simulate {}", quoted(options.scene.string()));
  add_number_to(command, "--frames", options.frames);
  add_number_to(command, "--seed", options.seed);
  add_number_to(command, "--environment", options.environment);
  add_number_to(command, "--episode", options.episode);
  add_range_to(command, "--environments", options.environments);
  add_range_to(command, "--episodes", options.episodes);
  add_number_to(command, "--block", options.block);
  if (options.format) command += fmt::format(" --format {}", to_string(*options.format));
  add_number_to(command, "--units-per-file", options.units_per_file);
  add_number_to(command, "--compression", options.compression);
  for (const std::string& entry : options.set) command += " --set " + quoted(entry);
  return command;
}

}  // namespace fathom_cli
