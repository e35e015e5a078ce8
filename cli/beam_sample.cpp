// SPDX-License-Identifier: MIT
#include "beam_sample.hpp"

#include <cstdio>
#include <string>

#include <fathom/base/error.hpp>
#include <fathom/beam/csv.hpp>
#include <fathom/beam/log.hpp>

#include "outputs.hpp"
#include "signals.hpp"
#include "text.hpp"

namespace fathom_cli {
namespace {

/// The CSV, and what a user should know of the log that it was made from.
struct Sampled {
  std::string csv, notes;
};

Sampled sample_in_world(const BeamSampleOptions& options, const fathom::BeamModel& model) {
  const fathom::World world = open_world(options.world, model.unknown, options.threads);
  refuse_inputs({options.out}, world.inputs());
  fathom::ScanLog from;  // the poses, with the rays of the log that they are from or those that the options ask for
  if (!options.log.empty()) {
    from = fathom::read_scan_log(fathom::find_scan_log(options.log));
  } else {
    from.pose = fathom::read_poses_csv(options.poses);
    from.azimuth_rad = fathom::even_azimuths_rad(options.rays, options.view_deg);
  }
  const fathom::ScanLog log =
      fathom::sample_log(model, world, from.pose, from.azimuth_rad, options.seed, {.threads = options.threads});
  return {fathom::scan_csv(log), notes_text(world.notes()) + notes_text(fathom::log_notes(from))};
}

Sampled sample_expected(const BeamSampleOptions& options, const fathom::BeamModel& model) {
  const fathom::ExpectedTable table = fathom::read_expected_csv(options.expected);
  return {fathom::readings_csv(table, fathom::sample_table(model, table, options.seed)), ""};
}

}  // namespace

void sample_beam(const BeamSampleOptions& options) {
  const StopSignals signals(Patience::kNone);
  const bool in_world = !options.world.map.empty() || !options.world.scene.empty();
  const bool has_poses = !options.poses.empty() || !options.log.empty();
  if (in_world == !options.expected.empty() || in_world != has_poses) {
    throw fathom::InputError("give --expected, or --map or --scene with --poses or --log");
  }
  if (!options.out.empty()) {
    Paths inputs = world_files(options.world);
    inputs.insert(inputs.end(), {options.parameters, options.expected, options.poses});
    if (!options.log.empty()) inputs.push_back(fathom::find_scan_log(options.log));
    check_new_file(options.out, options.force, inputs);
  }
  const fathom::BeamModel model = fathom::read_beam_model(options.parameters);
  const auto [csv, notes] = in_world ? sample_in_world(options, model) : sample_expected(options, model);
  if (options.out.empty()) {
    print(csv);
    if (!options.quiet) std::fputs(notes.c_str(), stderr);
  } else {
    fathom::write_text_file(options.out, csv);
    if (!options.quiet) print(notes);
  }
}

}  // namespace fathom_cli
