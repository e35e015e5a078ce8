#include "beam_sample.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <fathom/beam/csv.hpp>
#include <fathom/beam/sample.hpp>
#include <fathom/error.hpp>

#include "outputs.hpp"
#include "signals.hpp"
#include "text.hpp"

namespace fathom_cli {
namespace {

/// Readings for z*, scan by scan; all [pairs].
std::vector<float> sample_pairs(const fathom::BeamModel& model, const BeamSampleOptions& options,
                                const std::vector<std::uint32_t>& scan, const std::vector<float>& expected_m) {
  std::vector<float> reading_m(expected_m.size());
  for (std::size_t begin = 0; begin < scan.size();) {
    std::size_t end = begin;
    while (end < scan.size() && scan[end] == scan[begin]) ++end;
    fathom::sample_scan(model.parameters, model.sensor, fathom::beam_key(options.seed, scan[begin]),
                        std::span(expected_m).subspan(begin, end - begin),
                        std::span(reading_m).subspan(begin, end - begin));
    begin = end;
  }
  return reading_m;
}

/// `beams` azimuths over the view, its middle straight ahead; a whole turn does not repeat its first beam.
std::vector<double> even_azimuths_rad(std::uint32_t beams, double view_deg) {
  const double gaps = view_deg >= 360.0 ? beams : std::max(1.0, beams - 1.0);
  std::vector<double> azimuth_rad;
  for (std::uint32_t i = 0; i < beams; ++i) {
    azimuth_rad.push_back((beams == 1 ? 0.0 : view_deg * (i / gaps - 0.5)) * fathom::kRadPerDeg);
  }
  return azimuth_rad;
}

/// Poses, with the beams of the log that they are from or those that the options ask for.
fathom::ScanLog read_poses(const BeamSampleOptions& options) {
  if (!options.log.empty()) return fathom::read_scan_log(find_log(options.log));
  fathom::ScanLog log;
  log.pose = fathom::read_poses_csv(options.poses);
  log.azimuth_rad = even_azimuths_rad(options.beams, options.view_deg);
  return log;
}

std::string sample_in_world(const BeamSampleOptions& options, const fathom::BeamModel& model) {
  const BeamWorld world = open_world(options.world, model.unknown, options.threads);
  refuse_inputs({options.out}, world.inputs);
  fathom::ScanLog log = read_poses(options);
  log.max_range_m = model.sensor.max_range_m;
  log.range_m.assign(log.scans() * log.beams(), 0.0F);
  const std::vector<std::uint32_t> all = fathom::select_scans("all", log.scans());
  const fathom::BeamData pairs =
      fathom::make_beam_data(log, all, *world.expected, model.sensor.max_range_m, {.threads = options.threads});
  log.range_m = sample_pairs(model, options, pairs.scan, pairs.expected_m);
  return fathom::scan_csv(log);
}

std::string sample_expected(const BeamSampleOptions& options, const fathom::BeamModel& model) {
  const fathom::ExpectedTable table = fathom::read_expected_csv(options.expected);
  return fathom::readings_csv(table, sample_pairs(model, options, table.scan, table.expected_m));
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
    if (!options.log.empty()) inputs.push_back(find_log(options.log));
    check_new_file(options.out, options.force, inputs);
  }
  const fathom::BeamModel model = fathom::read_beam_model(options.parameters);
  const std::string csv = in_world ? sample_in_world(options, model) : sample_expected(options, model);
  if (options.out.empty()) {
    print(csv);
  } else {
    fathom::write_text_file(options.out, csv);
  }
}

}  // namespace fathom_cli
