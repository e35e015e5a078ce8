// SPDX-License-Identifier: MIT
#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fathom/core/error.hpp>
#include <fathom/core/names.hpp>
#include <fathom/simulate/dataset.hpp>

#include "commands.hpp"
#include "option_values.hpp"
#include "signals.hpp"
#include "simulate.hpp"
#include "text.hpp"

namespace fathom_cli {
namespace {

using Json = nlohmann::ordered_json;

/// `fathom dataset verify | info DIR`
struct DatasetArguments {
  std::filesystem::path folder;
  int threads = 0;  ///< 0: one per core
  bool json = false, quiet = false;
  bool remove_faulty = false;
};

/// The command that finishes a dataset, as a shell reads it; empty if it is complete.
std::string finishing_command(const fathom::DatasetInfo& info, const std::string& folder) {
  if (!info.first_missing) return "";
  const std::string command = info.command.empty() ? "fathom simulate " + info.scene + " ..." : info.command;
  return command + " --out " + folder + " --resume";
}

std::string range_text(const fathom::NumberRange& range) { return fmt::format("{}:{}", range.first, range.end); }

Json info_json(const fathom::DatasetInfo& info, const std::string& finish) {
  Json json = {{"fathom", info.version},
               {"scene", info.scene},
               {"seed", info.seed},
               {"environments", range_text(info.units.environments())},
               {"episodes", range_text(info.units.episodes())},
               {"frames", info.units.frames()},
               {"block", info.units.block()},
               {"units", info.units.size()},
               {"complete", info.complete},
               {"made_of_something_else", info.others},
               {"unfinished", info.unfinished},
               {"foreign", info.foreign},
               {"files", info.files},
               {"bytes", info.bytes},
               {"finish", finish}};
  if (info.first_missing) json["first_missing"] = *info.first_missing;
  if (info.first_foreign) json["first_foreign"] = info.first_foreign->string();
  return json;
}

std::string info_text(const fathom::DatasetInfo& info, const std::string& finish) {
  std::string text = fmt::format(
      "{} of fathom {}, seed {}: environments {}, episodes {}, {} in blocks of {}\n"
      "{} of {} complete, {}, {}\n",
      fathom::printable(info.scene), fathom::printable(info.version), info.seed, range_text(info.units.environments()),
      range_text(info.units.episodes()), counted(info.units.frames(), "frame"), info.units.block(),
      group_digits(info.complete), counted(info.units.size(), "unit"), counted(info.files, "file"),
      bytes_text(info.bytes));
  if (info.others > 0) text += fmt::format("{} made of other inputs, seed or version\n", counted(info.others, "unit"));
  if (info.unfinished > 0) text += fmt::format("{} begun and not finished\n", counted(info.unfinished, "unit"));
  if (info.first_foreign) {
    text += fmt::format("not part of the dataset: {} (the first: {})\n", group_digits(info.foreign),
                        fathom::printable(info.first_foreign->string()));
  }
  if (info.first_missing) text += fmt::format("the first to be rendered: unit {}\n", *info.first_missing);
  if (finish.empty()) return text + "complete\n";
  return text + fmt::format("to finish it: {}\n", fathom::printable(finish));
}

/// Prints the faults; throws fathom::InputError where one of them is not removed.
void verify_dataset(const DatasetArguments& arguments) {
  const StopSignals signals(Patience::kASecond);
  const fathom::VerifyResult result = fathom::verify_dataset(
      arguments.folder,
      {.threads = arguments.threads, .should_stop = &StopSignals::received, .remove_faulty = arguments.remove_faulty});
  for (const std::string& fault : result.faults) print(fathom::printable(fault) + "\n");
  if (arguments.remove_faulty && result.removed > 0 && !arguments.quiet) {
    print(fmt::format("{} removed; `fathom dataset info {}` says what completes the dataset\n",
                      group_digits(result.removed), fathom::printable(quoted(arguments.folder.string()))));
  }
  const std::uint64_t faults = arguments.remove_faulty ? result.left : result.fault_count;
  if (faults > 0) {
    throw fathom::InputError(fmt::format("{}: {}{}", arguments.folder.string(), counted(faults, "fault"),
                                         arguments.remove_faulty ? " left alone" : ""));
  }
  if (result.fault_count > 0 || arguments.quiet) return;
  print(fmt::format("{}, {}, {}: as they were written\n", counted(result.units, "unit"), counted(result.files, "file"),
                    bytes_text(result.bytes)));
}

void print_dataset_info(const DatasetArguments& arguments) {
  const fathom::DatasetInfo info = fathom::read_dataset_info(arguments.folder);
  const std::string finish = finishing_command(info, quoted(arguments.folder.string()));
  print(arguments.json ? info_json(info, finish).dump(2, ' ', false, Json::error_handler_t::replace) + "\n"
                       : info_text(info, finish));
}

constexpr const char* kInfoHelp = R"(
Examples:
  fathom simulate examples/house/house.yaml --out out/units --frames 1 --environments 0:2 --shard 0/1
  fathom dataset info out/units)";

constexpr const char* kVerifyHelp = R"(
Examples:
  fathom simulate examples/house/house.yaml --out out/units --frames 1 --environments 0:2 --shard 0/1
  fathom dataset verify out/units)";

}  // namespace

void add_dataset_info(CLI::App& dataset) {
  const auto o = std::make_shared<DatasetArguments>();
  CLI::App& c = *dataset.add_subcommand("info", "Say what a dataset holds, and which command finishes it");
  c.add_option("DIR", o->folder, "folder of the dataset")->required();
  add_json(c, o->json);
  c.footer(kInfoHelp);
  c.final_callback([o] { print_dataset_info(*o); });
}

void add_dataset_verify(CLI::App& dataset) {
  const auto o = std::make_shared<DatasetArguments>();
  CLI::App& c = *dataset.add_subcommand("verify", "Read all files, and compare them with what was written");
  c.add_option("DIR", o->folder, "folder of the dataset")->required();
  c.add_flag("--remove-faulty", o->remove_faulty,
             "remove units and files at fault; `fathom simulate --resume` completes the dataset then");
  add_threads(c, o->threads);
  add_quiet(c, o->quiet);
  c.footer(kVerifyHelp);
  c.final_callback([o] { verify_dataset(*o); });
}

}  // namespace fathom_cli
