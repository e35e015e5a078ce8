// SPDX-License-Identifier: MIT
#pragma once
// Shared by the commands that learn and score: the world that gives expected ranges, the log of readings, and files
// that are about to be written.

#include <cstddef>
#include <filesystem>
#include <functional>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json_fwd.hpp>

#include <fathom/core/error.hpp>
#include <fathom/core/names.hpp>
#include <fathom/fit/beam.hpp>
#include <fathom/fit/chain.hpp>
#include <fathom/report/fit.hpp>

#include "command_tree.hpp"
#include "text.hpp"

namespace CLI {
class App;
}

namespace fathom_cli {

using Paths = std::vector<std::filesystem::path>;

/// `--map M.yaml`, or `--scene S.yaml --height H`. Neither: empty.
struct BeamWorldOptions {
  std::filesystem::path map, scene;
  double height_m = 0.3;  ///< of the sensor in the scene: a log is planar

  [[nodiscard]] bool is_given() const { return !map.empty() || !scene.empty(); }
};

/// The scene where there is one, else the map. Throws fathom::InputError.
fathom::World open_world(const BeamWorldOptions& options, fathom::UnknownCells unknown, int threads);

/// `--log L --laser NAME ...`, or `--bag B --topic TOPIC --frame F`.
struct BeamLogOptions {
  std::filesystem::path log, bag;
  fathom::BagLogOptions in_bag;
  fathom::ScanLogOptions in_text;

  [[nodiscard]] bool is_given() const { return !log.empty() || !bag.empty(); }
  /// The file that is read, of a run's folder the log in it; or the bag. Throws fathom::InputError.
  [[nodiscard]] std::filesystem::path file() const;
};

/// Reads a log, which messages and reports call as it was typed: a run's folder stands for the log in it.
fathom::ScanLog read_log(const BeamLogOptions& options);

/// Where results go and how they are printed: --out, --json, --force and --quiet.
struct OutputOptions {
  std::filesystem::path out;  ///< empty: nothing is written, or the data go to stdout
  bool json = false, force = false, quiet = false;
  std::vector<fathom::SettingName> names;  ///< of settings, as options of the command
};

/// f(); an InputError gets `words` in front.
template <class F>
auto with_words(const std::string& words, F f) -> decltype(f()) {
  try {
    return f();
  } catch (const fathom::InputError& error) {
    throw fathom::InputError(words, error.message());
  }
}

/// Calls f(), which works on `file`; puts the name of the file before an InputError or a lack of memory.
template <class F>
auto about_file(const std::filesystem::path& file, F f) -> decltype(f()) {
  const auto lacks_memory = [&file] {
    return fathom::SystemError(file.string() + ": what it holds does not fit into memory");
  };
  try {
    return with_words(file.string() + ": ", std::move(f));
  } catch (const std::bad_alloc&) {
    throw lacks_memory();
  } catch (const std::length_error&) {
    throw lacks_memory();
  }
}

/// A line "note: ..." for each note; settings have these names.
template <class Notes>
std::string notes_text(const Notes& notes, fathom::SettingNames names = {}) {
  std::string text;
  for (const auto& note : notes) text += "note: " + fathom::printable(fathom::Message(note).text(names)) + "\n";
  return text;
}

/// The files that the world is read from, as far as its options name them.
Paths world_files(const BeamWorldOptions& options);

/// Throws fathom::InputError when one of `files` is, under whatever name, one of `inputs`.
void refuse_inputs(const Paths& files, const Paths& inputs);

/// Throws fathom::InputError when --out is one of the inputs or of the files of the world, or a folder, or exists and
/// --force is not given, so that a slip replaces nothing.
void check_new_file(const OutputOptions& o, const BeamWorldOptions& world, const Paths& inputs);

/// Writes `csv` to --out, and `about` to stdout. Without --out the CSV goes to stdout, and `about` to stderr.
void write_csv(const OutputOptions& output, const std::string& csv, const std::string& about);

/// Prints a report in the form that the options ask for. `files`: names of files in --out; `more` follows them.
template <class Report>
void print_report(const Report& report, const OutputOptions& o, std::string_view files = "",
                  const std::string& more = "") {
  if (o.json) return print(report.text(fathom::ReportForm::kJson));
  if (o.quiet) return print(report.text(fathom::ReportForm::kBrief, o.names));
  std::string text = report.text(fathom::ReportForm::kTerminal, o.names);
  if (!o.out.empty()) text += fmt::format("\n{} are in {}\n{}", files, fathom::printable(o.out.string()), more);
  print(text);
}

/// How well a model describes data, and, where two are compared, another model.
struct ModelScores {
  std::filesystem::path first_file, second_file;
  fathom::MeanScore first;
  std::optional<fathom::MeanScore> second = {}, difference = {};
};
/// Prints `facts` and the scores as JSON; or a line for each score, "nats per `unit`", and, unless --quiet is given,
/// `more`.
void print_scores(const ModelScores& scores, const OutputOptions& o, std::string_view unit,
                  nlohmann::ordered_json facts, const std::string& more);

// Options. Functions of worlds and logs begin the sections of their options.

/// --map, and --scene with --height in its place.
void add_world(CLI::App& c, BeamWorldOptions& o);

/// --log or --bag, and how they are read.
void add_log(CLI::App& c, BeamLogOptions& o);

/// --map and the options of logs, for commands that need a map.
void add_map_and_log(CLI::App& c, BeamWorldOptions& world, BeamLogOptions& log);

/// What logs in text do not say, except --ray-time. These options need --log where the command has it.
void add_log_text(CLI::App& c, fathom::ScanLogOptions& o);

/// --height, of the sensor in a scene.
void add_height(CLI::App& c, double& height_m);

/// --parameters: a file of `fathom fit beam` or `fathom fit field`.
void add_parameters(CLI::App& c, std::filesystem::path& parameters);

/// The section of output: --out for these files, --json, --force and --quiet.
void add_report_output(CLI::App& c, OutputOptions& o, const std::string& files);

/// The section of output of commands whose data may go to stdout: --out, --force and --quiet.
void add_csv_output(CLI::App& c, OutputOptions& o);

/// The section of output of commands that write no file: --json and --quiet.
void add_score_output(CLI::App& c, OutputOptions& o);

/// Sets the action of the command after parsing. A signal ends it, and output.names are the names of its options.
void set_action(CLI::App& c, OutputOptions& output, const std::function<void()>& act);

/// --stretches: N stretches of the way, or 0: each scan.
void add_stretches(CLI::App& c, std::size_t& stretches);

/// Throws fathom::InputError where --height would be passed over.
void refuse_height_without_scene(const CLI::App& c);

/// Throws fathom::InputError where there is no log.
void check_log(const CLI::App& c, const BeamLogOptions& log);

/// Throws fathom::InputError where there is no world or no log, or where --height would be passed over.
void check_world_and_log(const CLI::App& c, const BeamWorldOptions& world, const BeamLogOptions& log);

}  // namespace fathom_cli
