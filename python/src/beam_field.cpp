// SPDX-License-Identifier: MIT
// The likelihood field.
#include <memory>
#include <string>
#include <vector>

#include <fathom/fit/beam.hpp>

#include "beam_values.hpp"
#include "chain.hpp"

namespace fathom::python {

namespace {

using FieldReportPtr = std::shared_ptr<FieldReport>;

FieldReportPtr fit_field(const ScanLog& log, const GridMap& map, const py::dict& o) {
  FieldLogOptions options;
  take_log_options(o, options);
  options.max_distance_m = real(o["max_distance_m"], "max_distance_m");
  auto report = std::make_shared<FieldReport>();
  released([&] { *report = fit_field_log(log, map, options); });
  return report;
}

py::array_t<double> score_field(const py::dict& model, const GridMap& map, const ScanLog& log, const std::string& scans,
                                std::size_t ray_step) {
  const auto m = model_of<LikelihoodFieldModel>(model);
  std::vector<ScanScore> scores;
  released([&] { scores = score_field_log(m, map, log, scans, ray_step); });
  py::array_t<double> made(static_cast<py::ssize_t>(scores.size()));
  for (std::size_t i = 0; i < scores.size(); ++i) {
    made.mutable_data()[static_cast<py::ssize_t>(i)] = scores[i].log_likelihood;
  }
  return made;
}

}  // namespace

void bind_beam_field(py::module_& m) {
  py::class_<FieldReport, FieldReportPtr> fit(m, "_FieldFit");
  bind_scan_fit(fit, [](const FieldReport& r, const std::filesystem::path& folder, bool force,
                        const std::vector<Localizer>& localizers) {
    write_field_fit(folder, r, force, localizers);
    return fit_files(folder, localizers);
  });
  fit.def_property_readonly("_model", [](const FieldReport& r) { return model_dict(r.fit.model); })
      .def("_localizer_text",
           [](const FieldReport& r, const std::string& localizer) {
             return localizer_text(r, word_of<Localizer>(localizer, "localizer"));
           })
      .def_readonly("nats_per_reading", &FieldReport::nats_per_reading);
  m.def("_fit_field", &fit_field);
  m.def("_score_field", &score_field);
  m.def("_read_field_model", [](const std::filesystem::path& file) { return model_dict(read_field_model(file)); });
  m.def("_write_field_model", [](const std::filesystem::path& file, const py::dict& model) {
    write_field_model(file, model_of<LikelihoodFieldModel>(model));
  });
  m.def("_localizer_field_text", [](const py::dict& model, const std::string& localizer) {
    return localizer_text(model_of<LikelihoodFieldModel>(model), word_of<Localizer>(localizer, "localizer"));
  });
}

}  // namespace fathom::python
