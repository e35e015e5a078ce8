// SPDX-License-Identifier: MIT
#include "dataset_commands.hpp"

#include <memory>

#include <CLI/CLI.hpp>

#include "dataset.hpp"
#include "option_values.hpp"

namespace fathom_cli {
namespace {

constexpr const char* kDatasetHelp = R"(
Examples:
  fathom simulate examples/house/house.yaml --out out/units --frames 1 --environments 0:2 --shard 0/1
  fathom dataset info out/units
  fathom dataset verify out/units

docs/scale.md describes datasets, from one computer to many.)";

void add_dataset_command(CLI::App& dataset, const char* name, const char* doc, bool json,
                         void (*run)(const DatasetArguments&)) {
  const auto o = std::make_shared<DatasetArguments>();
  CLI::App& c = *dataset.add_subcommand(name, doc);
  c.add_option("DIR", o->folder, "folder of the dataset")->required();
  if (json) {
    c.add_flag("--json", o->json, "as JSON");
  } else {
    add_quiet(c, o->quiet);
  }
  if (run == &verify_dataset) {
    add_threads(c, o->threads);
    c.add_flag("--remove-faulty", o->remove_faulty,
               "remove units and files at fault; `fathom simulate --resume` completes the dataset then");
  }
  c.footer(kDatasetHelp);
  c.final_callback([o, run] { run(*o); });
}

}  // namespace

void add_dataset_commands(CLI::App& app) {
  CLI::App& dataset = *app.add_subcommand("dataset", "Look into datasets and check them");
  dataset.require_subcommand(1);
  dataset.footer(kDatasetHelp);
  add_dataset_command(dataset, "info", "Say what a dataset holds, and which command finishes it", true,
                      &print_dataset_info);
  add_dataset_command(dataset, "verify", "Read all files, and compare them with what was written", false,
                      &verify_dataset);
}

}  // namespace fathom_cli
