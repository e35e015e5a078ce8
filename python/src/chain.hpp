// SPDX-License-Identifier: MIT
#pragma once
// Converts noise, sensors and results of fits between Python and the library.

#include <optional>
#include <string>
#include <vector>

#include <fathom/fit/calibrate.hpp>
#include <fathom/fit/chain.hpp>
#include <fathom/noise/chain.hpp>
#include <fathom/simulate/run.hpp>

#include "arguments.hpp"

namespace fathom::python {

/// A registered model from the values of its parameters by name.
Noise noise_of(const std::string& slug, const py::dict& values);
/// The other way round.
py::dict noise_dict(const Noise& noise);

/// A correlation from its values by name; and the other way round, empty for white draws.
Correlation correlation_of(const py::dict& values);
py::dict correlation_dict(const Correlation& correlation);

/// A chain and its ranges from what fathom/noise.py makes of them: a list of (slug, values, [(entity, values)],
/// [(ring, values)], correlation).
NoiseChain chain_of(const py::iterable& entries);
/// The other way round; entities by their ids.
py::list chain_list(const NoiseChain& chain);

/// (value, std_error)
inline py::tuple estimate(const Estimate& e) { return py::make_tuple(e.value, e.std_error); }

inline py::list estimates(const std::vector<Estimate>& many) {
  py::list list;
  for (const Estimate& e : many) list.append(estimate(e));
  return list;
}

/// For Fit::Parameter of python/fathom/_fits.py.
py::list parameter_tuples(const Fit& fit);
/// For Fit::HeldOut of python/fathom/_fits.py.
py::object held_out_tuple(const Fit& fit);

/// What was learned: "fit" and "noise" for python/fathom/_chains.py.
py::dict chain_fit_dict(const ChainFit& fit);

/// A sensor from what Sensor._spec() of fathom/sensors.py gives.
SensorSetup sensor_of(const py::dict& spec);
/// The other way round.
py::dict sensor_dict(const SensorSetup& setup);

/// Its filters as a dict; and the camera that it is aligned to, or None.
py::dict filters_dict(const DepthFilters& filters);
py::object aligned_dict(const std::optional<AlignedCamera>& camera);

/// Ranges of any target, as dicts and back.
std::vector<ParameterRange> ranges_of(const py::list& dicts);
py::list ranges_list(const std::vector<ParameterRange>& ranges);

/// Drawn values as a list of dicts.
py::list drawn_list(const Scene& scene, const NoiseChain& chain, const std::vector<ParameterRange::Drawn>& drawn);

}  // namespace fathom::python
