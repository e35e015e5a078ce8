// SPDX-License-Identifier: MIT
#include <fathom/fit/calibrate.hpp>

#include <cstdint>
#include <limits>

#include <fathom/fit/frames.hpp>
#include <fathom/fit/measure_depth.hpp>

#include "chain.hpp"
#include "frame.hpp"

namespace fathom::python {

namespace {

using namespace py::literals;

RangePairs range_pairs(const py::object& range, const py::object& expected, const py::object& scan) {
  const Floats r = floats(ravelled(range, "range"), "range", {{-1}, "(N,)"}, Finite::kNo);
  const Floats e = floats(ravelled(expected, "expected"), "expected", {{-1}, "(N,)"}, Finite::kNo);
  check_lengths(r, "range", e, "expected");
  RangePairs pairs = {{r.data(), r.data() + r.size()}, {e.data(), e.data() + e.size()}};
  if (scan.is_none()) return pairs;
  const Integers s =
      integers(ravelled(scan, "scan"), "scan", {{-1}, "(N,)"}, 0, std::numeric_limits<std::uint32_t>::max());
  check_lengths(r, "range", s, "scan");
  for (const std::int64_t one : span_of(s)) pairs.scan.push_back(static_cast<std::uint32_t>(one));
  return pairs;
}

/// What both calibrations have.
template <class Calibration>
py::dict pairs_dict(const Calibration& made) {
  py::dict d;
  d["parameters"] = parameter_tuples(made), d["log_likelihood"] = made.log_likelihood;
  d["blocks"] = made.blocks, d["block"] = made.block;
  d["pairs"] = made.pairs, d["skipped"] = made.skipped, d["flags"] = texts_of(made.findings);
  d["noise"] = noise_dict(Noise(made.noise()));
  return d;
}

py::dict distance(const py::object& range, const py::object& expected, const py::object& scan, std::size_t stretches) {
  const RangePairs pairs = range_pairs(range, expected, scan);
  DistanceCalibration made;
  released([&] { made = calibrate_distance(pairs, stretches); });
  return pairs_dict(made);
}

py::dict energy(const py::object& value, const py::object& lost, const std::string& normalization) {
  const Floats e = floats(ravelled(value, "energy"), "energy", {{-1}, "(N,)"}, Finite::kNo);
  py::object flags = ravelled(lost, "lost");
  if (py::cast<py::array>(flags).dtype().kind() == 'b') flags = flags.attr("astype")("uint8");
  const Integers l = integers(flags, "lost", {{-1}, "(N,)"}, 0, 1);
  check_lengths(e, "energy", l, "lost");
  EnergyPairs pairs;
  pairs.energy.assign(e.data(), e.data() + e.size());
  for (const std::int64_t one : span_of(l)) pairs.lost.push_back(static_cast<std::uint8_t>(one));
  const auto law = word_of<EnergyNormalization>(normalization, "normalization");
  EnergyCalibration made;
  released([&] { made = calibrate_energy(pairs, law); });
  py::dict d = pairs_dict(made);
  d["normalization"] = normalization, d["lost"] = made.lost;
  return d;
}

py::tuple energy_arrays(const EnergyPairs& pairs) {
  return py::make_tuple(copied<float>(pairs.energy), copied<std::uint8_t>(pairs.lost));
}

py::tuple blobs(const DepthMeasure::Blobs& b) { return py::make_tuple(b.count, b.pixels); }

py::dict depth_dict(const DepthMeasure& m) {
  py::dict d;
  d["shape"] = py::make_tuple(m.frames, m.rows, m.cols);
  d["focal_baseline_px_m"] = m.focal_baseline_px_m;
  const DepthMeasure::Patches& p = m.patches;
  d["patches"] = py::make_tuple(p.all, p.with_hole, p.with_step, p.rough, p.used);
  d["deviation_px"] = estimate(m.deviation_px), d["deviation_m"] = estimate(m.deviation_m);
  d["residual_px"] = m.residual_px, d["residual_m"] = m.residual_m;
  d["across"] = estimates(m.across), d["down"] = estimates(m.down), d["in_time"] = estimates(m.in_time);
  d["across_residual"] = copied<double>(m.across_residual), d["down_residual"] = copied<double>(m.down_residual);
  d["pixels"] = m.pixels, d["holes"] = m.holes, d["holes_without_neighbour"] = m.holes_without_neighbour;
  d["largest_blob"] = m.largest_blob, d["left_out"] = m.left_out;
  py::list classes, whole, sizes, bands, walls;
  for (const auto& w : m.walls) walls.append(py::make_tuple(w.side_px, w.patches, w.deviation_px));
  for (const auto& b : m.blobs) classes.append(blobs(b));
  for (const auto& b : m.whole_blobs) whole.append(blobs(b));
  for (const auto& b : m.blobs_by_size) sizes.append(blobs(b));
  for (const auto& b : m.bands) {
    bands.append(py::make_tuple(b.low_m, b.high_m, b.pixels, b.holes, b.patches, b.deviation_px, b.deviation_m));
  }
  d["blobs"] = classes, d["whole_blobs"] = whole, d["blobs_by_size"] = sizes, d["bands"] = bands, d["flags"] = m.flags;
  d["walls"] = walls;
  return d;
}

/// 0 or 1 for each pixel of the frames, or for each of an image; empty for None.
std::vector<std::uint8_t> flags_of(const py::object& left_out, bool one, const Floats& frames) {
  if (left_out.is_none()) return {};
  py::object array = any_array(left_out, "left_out");
  if (py::cast<py::array>(array).dtype().kind() == 'b') array = array.attr("astype")("uint8");
  const py::ssize_t rows = frames.shape(one ? 0 : 1), cols = frames.shape(one ? 1 : 2);
  const bool for_all = one || py::cast<py::array>(array).ndim() == 2;
  const Integers flags =
      for_all ? integers(array, "left_out", {{rows, cols}, "(rows, cols) of the frames"}, 0, 255)
              : integers(array, "left_out", {{frames.shape(0), rows, cols}, "the shape of the frames, or (rows, cols)"},
                         0, 255);
  std::vector<std::uint8_t> out;
  out.reserve(static_cast<std::size_t>(flags.size()));
  for (const std::int64_t flag : span_of(flags)) out.push_back(static_cast<std::uint8_t>(flag));
  return out;
}

py::dict depth(const py::object& frames, std::optional<double> focal_baseline_px_m, const py::object& band_edges_m,
               bool still, int threads, const py::object& left_out) {
  const py::array array = any_array(frames, "frames");
  const bool one = array.ndim() == 2;
  const Floats values = one ? floats(array, "frames", {{-1, -1}, "(rows, cols)"}, Finite::kNo)
                            : floats(array, "frames", {{-1, -1, -1}, "(frames, rows, cols)"}, Finite::kNo);
  const Doubles edges = doubles(band_edges_m, "band_edges_m", {{-1}, "(N,)"});
  DepthMeasure::Options options;
  options.focal_baseline_px_m = focal_baseline_px_m;
  options.band_edges_m.assign(edges.data(), edges.data() + edges.size());
  options.still = still;
  options.threads = threads;
  const auto count = static_cast<std::size_t>(one ? 1 : values.shape(0));
  const auto rows = static_cast<std::uint32_t>(values.shape(one ? 0 : 1));
  const auto cols = static_cast<std::uint32_t>(values.shape(one ? 1 : 2));
  const std::vector<std::uint8_t> out = flags_of(left_out, one, values);
  DepthMeasure made;
  released([&] { made = measure_depth(span_of(values), count, rows, cols, options, out); });
  return depth_dict(made);
}

}  // namespace

void bind_calibrate(py::module_& m) {
  m.def("_calibrate_distance", &distance);
  m.def("_calibrate_energy", &energy);
  m.def("_measure_depth", &depth);
  m.def("_range_pairs", [](FrameHandle& h) {
    RangePairs pairs;
    pairs.append(h.frame());
    return py::make_tuple(copied<float>(pairs.range_m), copied<float>(pairs.expected_m));
  });
  m.def("_energy_pairs", [](FrameHandle& h) {
    EnergyPairs pairs;
    pairs.append(h.frame());
    return energy_arrays(pairs);
  });
  m.def("_read_range_pairs", [](const std::filesystem::path& file, const std::string& sensor) {
    const RangePairs pairs = read_range_pairs(file, sensor);
    const py::object scan = pairs.scan.empty() ? py::object(py::none()) : copied<std::uint32_t>(pairs.scan);
    return py::make_tuple(copied<float>(pairs.range_m), copied<float>(pairs.expected_m), scan);
  });
  m.def("_read_energy_pairs",
        [](const std::filesystem::path& file, const std::string& sensor, const std::optional<std::string>& law) {
          std::optional<EnergyNormalization> wanted;
          if (law) wanted = word_of<EnergyNormalization>(*law, "normalization");
          return energy_arrays(read_energy_pairs(file, sensor, wanted));
        });
}

}  // namespace fathom::python
