// SPDX-License-Identifier: MIT
#pragma once
// Values of the beam model between Python and the library.

#include <algorithm>
#include <vector>

#include <fathom/core/error.hpp>
#include <fathom/fit/beam.hpp>

#include "arguments.hpp"
#include "chain.hpp"

namespace fathom::python {

/// A struct with a table of fields from a dict of values by name. Other fields stay as in `model`.
template <FieldModel M>
M model_of(const py::dict& values, M model = {}) {
  const std::vector<FieldInfo> fields = describe<M>();
  for (const auto& [key, value] : values) {
    const auto name = py::cast<std::string>(key);
    const Field<M> field = find_field<M>(name);
    set_field(model, name, field_numbers(without_default(field), value, M::kSlug));
  }
  return model;
}

template <FieldModel M>
py::dict model_dict(const M& model) {
  py::dict values;
  for (const FieldInfo& field : describe<M>()) {
    values[py::str(std::string(field.name))] = field_object(field, get_field(model, field.name));
  }
  return values;
}

/// The values that are not as usual.
template <FieldModel M>
py::dict fields_dict(const M& model) {
  py::dict d;
  for (const FieldInfo& field : describe<M>()) {
    const std::vector<double> numbers = get_field(model, field.name);
    if (numbers != field.default_numbers) d[py::str(std::string(field.name))] = field_object(field, numbers);
  }
  return d;
}

/// [rows] of(row) of each.
template <class Row, class F>
auto column(const std::vector<Row>& rows, F of) {
  py::array_t<decltype(of(rows[0]))> made(static_cast<py::ssize_t>(rows.size()));
  std::transform(rows.begin(), rows.end(), made.mutable_data(), of);
  return made;
}

/// Parameters of the beam model: the book's and the parameters of the law of hits, in one dict.
BeamParameters beam_parameters_of(const py::dict& values);
py::dict beam_parameters_dict(const BeamParameters& parameters);

/// Azimuths [K] in the sensor's x-y plane, directions [K, 3], or a SensorModel.
RayFan fan_of(py::handle rays);
py::dict judgement_dict(const BeamJudgement& judgement);
std::vector<PlanarPose> planar_poses(py::handle poses, std::string_view name);
py::array_t<double> planar_array(std::span<const PlanarPose> poses);
/// Readings and expected ranges [K] or [S, K]. Every row is a scan, unless `scan` [same size] gives the scan of each.
BeamData data_of(py::handle readings, py::handle expected, py::handle scan);

/// Settings that advice names, as arguments.
inline constexpr SettingName kArguments[] = {{"auto_max_range", "max_range_m=\"auto\""},
                                             {"beam_refine_poses", "fit.beam(refine_poses=True)"},
                                             {"fit_hit_offset", "hit_offset_m=None"},
                                             {"hit", "hit="},
                                             {"map_frame", "frame="},
                                             {"miss", "miss="},
                                             {"per_log", "per_log="},
                                             {"refine_poses", "refine_poses=True"}};

/// Binds the attributes that ScanFit of python/fathom/_fits.py reads. `write` makes files of a report and returns their
/// names.
template <class Report, class... Options, class Write>
void bind_scan_fit(py::class_<Report, Options...>& fit, Write write) {
  fit.def_property_readonly("_learned", [](const Report& r) { return parameter_tuples(r.fit); })
      .def_property_readonly("_held_out", [](const Report& r) { return held_out_tuple(r.fit); })
      .def_property_readonly("blocks", [](const Report& r) { return r.fit.blocks; })
      .def_property_readonly("readings", [](const Report& r) { return r.fit.readings; })
      .def_property_readonly("flags", [](const Report& r) { return texts_of(r.findings(), kArguments); })
      .def("_page", [](const Report& r) { return r.text(ReportForm::kHtml); })
      .def(
          "write",
          [write](const Report& r, const std::filesystem::path& folder, bool force,
                  const std::vector<std::string>& localizers) {
            std::vector<Localizer> chosen;
            for (const std::string& word : localizers) chosen.push_back(word_of<Localizer>(word, "localizers"));
            std::vector<std::filesystem::path> files;
            released([&] { files = write(r, folder, force, chosen); });
            return files;
          },
          py::arg("folder"), py::arg("force") = false, py::arg("localizers") = std::vector<std::string>());
}

/// Scans and ranges of a fit to a log. max_range_m: a number, "auto", or None for the value of the log.
template <class Options>
void take_log_options(const py::dict& o, Options& options) {
  options.scans = py::cast<std::string>(o["scans"]), options.test_scans = py::cast<std::string>(o["test_scans"]);
  options.min_range_m = real(o["min_range_m"], "min_range_m");
  options.auto_max_range = py::isinstance<py::str>(o["max_range_m"]);
  if (options.auto_max_range && py::cast<std::string>(o["max_range_m"]) != "auto") {
    throw InputError("max_range_m = '" + py::cast<std::string>(o["max_range_m"]) + "' is neither a number nor 'auto'");
  }
  if (!o["max_range_m"].is_none() && !options.auto_max_range) {
    options.max_range_m = real(o["max_range_m"], "max_range_m");
  }
}

}  // namespace fathom::python
