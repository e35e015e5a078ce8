// SPDX-License-Identifier: MIT
#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <system_error>

#include <fathom/fit/calibrate.hpp>
#include <fathom/fit/frames.hpp>
#include <fathom/fit/reports.hpp>
#include <fathom/noise/stereo_energy.hpp>

#include "commands.hpp"
#include "learning.hpp"
#include "option_values.hpp"

namespace fathom_cli {
namespace {

constexpr const char* kFitPairsHelp = R"(
Usage: fathom fit pairs (DATA | --log LOG --map YAML | --bag BAG --map YAML) --model distance|energy [OPTIONS]
Examples:
  fathom fit pairs pairs.csv --model distance
  fathom simulate examples/house/house.yaml --out out/house
  fathom fit pairs out/house --sensor laser --model distance
  fathom fit pairs --bag drive.mcap --topic /laser/scan --frame world --map examples/house/maps/map.yaml
      --model distance
  fathom fit pairs pixels.csv --model energy
  fathom simulate examples/06_stereo/stereo.yaml --out out/pixels
      --set 'sensors.stereo.noise=[{stereo_energy: {min_energy: 0.18, pow: 14, normalization: threshold}}]'
  fathom fit pairs out/pixels --model energy --normalization threshold

distance: a CSV has the columns range_m and expected_m, what was read and what was due, and scan, its number, where it
is known. A run needs the output npy: {channels: [range, clean_range]}, and no noise but `distance` that changes ranges.
Of a bag or log, readings count that are near (--gate) what the map or scene expects at the pose of each beam. Errors
take stretches of the way as independent (--stretches); of a CSV without scans each pair.
energy: a CSV has the columns energy and lost (0 or 1), a pixel a line. A run needs the output npy: {channels: [energy,
reason]} and one stereo_energy, of this normalization and the same for all entities. Errors take pixels as independent,
which losses with a correlation are not.)";

enum class PairsModel : std::uint8_t { kDistance, kEnergy };
constexpr std::array<std::string_view, 2> kPairsModels = {"distance", "energy"};

/// `fathom fit pairs DATA --model distance|energy`, or `--model distance --bag B --map M ...`
struct FitPairsOptions {
  PairsModel model = PairsModel::kDistance;
  std::filesystem::path data;  ///< CSV of pairs, or the folder of a run; empty with `log` and `world`
  BeamLogOptions log;
  BeamWorldOptions world;
  fathom::LogPairs::Options pairs;
  std::size_t stretches = fathom::DistanceCalibration::kUsualStretches;
  bool asks_stretches = false;  ///< whether they were typed
  std::string sensor;           ///< of a run; empty: its only sensor
  fathom::EnergyNormalization normalization = fathom::EnergyNormalization::kDocument;
  OutputOptions output;
};

/// Of a CSV or a run, or of the scans of a log or bag.
fathom::LogPairs pairs_of(const FitPairsOptions& options, std::vector<std::string>& notes) {
  if (!options.data.empty()) return {fathom::read_range_pairs(options.data, options.sensor)};
  const fathom::World world = open_world(options.world, fathom::UnknownCells::kFree, options.pairs.compute.threads);
  const fathom::ScanLog log = read_log(options.log);
  notes = world.notes();
  notes.insert(notes.end(), log.notes.begin(), log.notes.end());
  return fathom::range_pairs_of_log(log, world, options.pairs);
}

/// Both learn a noise model and print its parameters, as a table with a line for scene files or as JSON.
void fit_distance(const FitPairsOptions& options) {
  fathom::DistanceReport report;
  fathom::LogPairs found = pairs_of(options, report.notes);
  if (options.asks_stretches && found.pairs.scan.empty()) {
    throw fathom::InputError(fmt::format("--stretches is for scans: {} has no column scan", options.data.string()));
  }
  report.fit = about_file(options.data.empty() ? options.log.file() : options.data,
                          [&] { return fathom::calibrate_distance(found.pairs, options.stretches); });
  report.gate_m = options.pairs.gate_m;
  if (options.data.empty()) report.found = std::move(found);
  print_report(report, options.output);
}

void fit_energy(const FitPairsOptions& options) {
  const auto pairs = fathom::read_energy_pairs(options.data, options.sensor, options.normalization);
  const fathom::EnergyCalibration fit =
      about_file(options.data, [&] { return fathom::calibrate_energy(pairs, options.normalization); });
  print_report(fit, options.output);
}

/// A table, a log or a bag has no sensors.
void refuse_sensor_without_run(const FitPairsOptions& o) {
  std::error_code error;
  if (o.sensor.empty() || std::filesystem::is_directory(o.data, error)) return;
  throw fathom::InputError("--sensor is of the folder of a run, and " +
                           (o.data.empty() ? "scans of a log or bag are of one laser" : o.data.string() + " is none"));
}

/// One source, a world where it needs one, and nothing for the other model.
void check_pairs(const CLI::App& c, const FitPairsOptions& o) {
  const bool is_energy = o.model == PairsModel::kEnergy;
  const auto refuse = [&c](std::initializer_list<const char*> options, const std::string& why) {
    for (const char* option : options) {
      if (c.count(option) > 0) throw fathom::InputError(fmt::format(fmt::runtime(why), option));
    }
  };
  if (is_energy) {
    refuse({"--log", "--bag", "--map", "--scene", "--gate", "--max-range", "--stretches"},
           "{} is for --model distance");
    if (o.data.empty()) fail_usage(c, "DATA is required");
  } else {
    refuse({"--normalization"}, "{} is for --model energy");
  }
  if (!o.data.empty()) {
    refuse({"--log", "--bag", "--map", "--scene", "--gate", "--max-range"},
           "DATA has its expected ranges: {} is for scans of a log or bag");
  }
  refuse_sensor_without_run(o);
  refuse_height_without_scene(c);
  if (!o.data.empty()) return;
  if (!o.log.is_given()) fail_usage(c, "DATA, --log or --bag is required");
  check_world_and_log(c, o.world, o.log);
}

}  // namespace

void add_fit_pairs(CLI::App& fit) {
  const auto o = std::make_shared<FitPairsOptions>();
  CLI::App& c = *fit.add_subcommand("pairs", "Learn one noise model from pairs of what was read and what was due");
  begin_section(c, Section::kRequired);
  c.add_option("DATA", o->data, "CSV of pairs, or the folder of a run");
  add_log(c, o->log);
  add_world(c, o->world);
  begin_section(c, Section::kRequired);
  add_choice(c, "--model",
             fmt::format("mean and deviation of {}, or threshold and power of the loss law {}",
                         fathom::DistanceNoise::kSlug, fathom::StereoEnergy::kSlug),
             o->model, kPairsModels)
      .required()
      ->default_str("");
  begin_section(c, Section::kInput);
  c.add_option("--sensor", o->sensor, "of a run; default: the only one that wrote what is needed")->type_name("NAME");
  add_number(c, {"--max-range", "M", "how far the laser measures; default: what the log says"}, {0.0, 1e6, "m"},
             o->pairs.max_range_m);
  begin_section(c, Section::kModel);
  add_number(c, {"--gate", "M", "distance: readings farther from what is expected are of something else"},
             {0.0, 1e6, "m"}, o->pairs.gate_m);
  add_choice(c, fmt::format("--{}", fathom::StereoEnergy::kNormalization),
             "energy: " + doc_of<fathom::StereoEnergy>(fathom::StereoEnergy::kNormalization), o->normalization);
  begin_section(c, Section::kModel, true);
  add_stretches(c, o->stretches);
  add_score_output(c, o->output);
  c.footer(kFitPairsHelp);
  set_action(c, o->output, [o, &c] {
    check_pairs(c, *o);
    o->asks_stretches = c.count("--stretches") > 0;
    if (o->model == PairsModel::kDistance) {
      fit_distance(*o);
    } else {
      fit_energy(*o);
    }
  });
}

}  // namespace fathom_cli
