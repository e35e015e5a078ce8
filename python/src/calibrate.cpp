// SPDX-License-Identifier: MIT
#include <fathom/calibrate/calibrate.hpp>

#include <fathom/calibrate/run_pairs.hpp>

#include "chain.hpp"
#include "frame.hpp"

namespace fathom::python {

namespace {

using namespace py::literals;

py::tuple estimate(const Estimate& e) { return py::make_tuple(e.value, e.std_error); }

RangePairs range_pairs(const py::object& range, const py::object& expected) {
  const Floats r = floats(ravelled(range, "range"), "range", {{-1}, "(N,)"}, Finite::kNo);
  const Floats e = floats(ravelled(expected, "expected"), "expected", {{-1}, "(N,)"}, Finite::kNo);
  check_lengths(r, "range", e, "expected");
  return {{r.data(), r.data() + r.size()}, {e.data(), e.data() + e.size()}};
}

py::dict distance(const py::object& range, const py::object& expected) {
  const RangePairs pairs = range_pairs(range, expected);
  DistanceCalibration made;
  released([&] { made = calibrate_distance(pairs); });
  py::dict d;
  d["mean_m"] = estimate(made.mean_m), d["stddev_m"] = estimate(made.stddev_m);
  d["stddev_per_m"] = estimate(made.stddev_per_m);
  d["log_likelihood"] = made.log_likelihood, d["pairs"] = made.pairs, d["skipped"] = made.skipped;
  d["flags"] = made.flags;
  d["noise"] = noise_dict(Noise(made.noise()));
  return d;
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
  EnergyCalibrationOptions options;
  options.normalization = word_of<EnergyNormalization>(normalization, "normalization");
  EnergyCalibration made;
  released([&] { made = calibrate_energy(pairs, options); });
  py::dict d;
  d["min_energy"] = estimate(made.min_energy), d["pow"] = estimate(made.pow);
  d["normalization"] = normalization;
  d["log_likelihood"] = made.log_likelihood, d["pairs"] = made.pairs, d["skipped"] = made.skipped,
  d["lost"] = made.lost;
  d["flags"] = made.flags;
  d["noise"] = noise_dict(Noise(made.noise()));
  return d;
}

py::tuple energy_arrays(const EnergyPairs& pairs) {
  return py::make_tuple(copied<float>(pairs.energy), copied<std::uint8_t>(pairs.lost));
}

}  // namespace

void bind_calibrate(py::module_& m) {
  m.def("_calibrate_distance", &distance);
  m.def("_calibrate_energy", &energy);
  m.def("_range_pairs", [](FrameHandle& h) {
    RangePairs pairs;
    append_pairs(h.frame(), pairs);
    return py::make_tuple(copied<float>(pairs.range_m), copied<float>(pairs.expected_m));
  });
  m.def("_energy_pairs", [](FrameHandle& h) {
    EnergyPairs pairs;
    append_pairs(h.frame(), pairs);
    return energy_arrays(pairs);
  });
  m.def("_read_range_pairs", [](const std::filesystem::path& file, const std::string& sensor) {
    const RangePairs pairs = read_range_pairs(file, sensor);
    return py::make_tuple(copied<float>(pairs.range_m), copied<float>(pairs.expected_m));
  });
  m.def("_read_energy_pairs",
        [](const std::filesystem::path& file, const std::string& sensor, const std::optional<std::string>& law) {
          std::optional<EnergyNormalization> wanted;
          if (law) wanted = word_of<EnergyNormalization>(*law, "normalization");
          return energy_arrays(read_energy_pairs(file, sensor, wanted));
        });
}

}  // namespace fathom::python
