// SPDX-License-Identifier: MIT
// Fits of the beam model and of the likelihood field, and their files for localizers.
#include <cstdint>
#include <memory>
#include <optional>

#include <fathom/core/error.hpp>

#include "beam_values.hpp"
#include "chain.hpp"

namespace fathom::python {

py::dict judgement_dict(const BeamJudgement& judgement) {
  py::dict d;
  d["pairs"] = judgement.pairs, d["log_likelihood"] = judgement.log_likelihood;
  d["nats_per_ray"] = judgement.nats_per_ray, d["ks_distance"] = judgement.ks_distance;
  d["pit_histogram"] = copied<double>(judgement.pit_histogram);
  d["impossible"] = judgement.impossible, d["flags"] = texts_of(judgement.findings);
  return d;
}

namespace {

using namespace py::literals;
using ReportPtr = std::shared_ptr<FitReport>;

std::size_t stretches_of(const py::dict& o) {
  return static_cast<std::size_t>(
      whole(o["stretches"], "stretches", 0, static_cast<std::int64_t>(FitOptions::kMostStretches)));
}

FitOptions fit_options(const py::dict& o) {
  FitOptions options;
  if (!o["start"].is_none()) options.start = beam_parameters_of(py::cast<py::dict>(o["start"]));
  options.variant = word_of<FitOptions::Variant>(py::cast<std::string>(o["variant"]), "variant");
  if (!o["hit"].is_none()) options.start.tail.hit = word_of<HitLaw>(py::cast<std::string>(o["hit"]), "hit");
  options.fit_hit_offset = o["hit_offset_m"].is_none();
  if (!options.fit_hit_offset) options.start.hit_offset_m = real(o["hit_offset_m"], "hit_offset_m");
  options.stretches = stretches_of(o);
  options.tolerance = real(o["tolerance"], "tolerance");
  options.max_iterations = whole(o["max_iterations"], "max_iterations", 1, 1'000'000'000);
  options.compute.threads = py::cast<int>(o["threads"]);
  return options;
}

ReportPtr fit_pairs(const py::object& readings, const py::object& expected, const py::object& scan,
                    const py::dict& sensor, double cell_m, const py::dict& given) {
  auto report = std::make_shared<FitReport>();
  report->shown = data_of(readings, expected, scan);
  report->shown.cell_m = cell_m;
  report->model.sensor = model_of<BeamSensor>(sensor);
  FitOptions options = fit_options(given);
  report->variant = options.variant;
  released_watched([&](const auto& check) {
    options.on_iteration = [&](const FitOptions::Iteration&) { check(); };
    report->fit = fit_beam_model(report->shown, report->model.sensor, options);
    report->model.parameters = report->fit.model;
    report->judgement = judge_beam_model(report->fit.model, report->model.sensor, report->shown);
  });
  return report;
}

ReportPtr fit_scans(const ScanLog& log, const World& world, const py::dict& o) {
  FitLogOptions options;
  take_log_options(o, options);
  options.step_m = real(o["step_m"], "step_m");
  options.miss = word_of<MissPolicy>(py::cast<std::string>(o["miss"]), "miss");
  options.nan = word_of<NanPolicy>(py::cast<std::string>(o["nan"]), "nan");
  options.variant = word_of<FitOptions::Variant>(py::cast<std::string>(o["variant"]), "variant");
  options.hit = word_of<HitLaw>(py::cast<std::string>(o["hit"]), "hit");
  if (o["hit_offset_m"].is_none()) {
    options.fit_hit_offset = true;
  } else if (!py::isinstance<py::str>(o["hit_offset_m"])) {
    options.hit_offset_m = real(o["hit_offset_m"], "hit_offset_m");
  } else if (py::cast<std::string>(o["hit_offset_m"]) != "auto") {
    throw InputError("hit_offset_m = '" + py::cast<std::string>(o["hit_offset_m"]) +
                     "' is not a number, None or 'auto'");
  }
  options.stretches = stretches_of(o);
  options.per_log = word_of<FitLogOptions::PerLog>(py::cast<std::string>(o["per_log"]), "per_log");
  if (!o["refine_poses"].is_none()) {
    const auto [stddev_m, stddev_rad] = py::cast<std::pair<double, double>>(o["refine_poses"]);
    options.refine_poses = {.stddev_m = stddev_m, .stddev_rad = stddev_rad};
  }
  options.compute.threads = py::cast<int>(o["threads"]);
  auto report = std::make_shared<FitReport>();
  released_watched([&](const auto& check) {
    options.on_iteration = [&](const FitOptions::Iteration&) { check(); };
    options.on_refine_progress = [&](const RefineProgress&) { check(); };
    *report = fit_log(log, world, options);
  });
  return report;
}

py::object refined_dict(const FitReport& report) {
  if (!report.refined) return py::none();
  const FitReport::RefinedLog& refined = *report.refined;
  py::dict d;
  d["log"] = std::make_shared<ScanLog>(refined.log);
  d["scans"] = copied<std::uint32_t>(refined.scan).attr("astype")("int64");
  d["logged"] = planar_array(refined.logged);
  d["turns"] = refined.turns;
  d["parameters_before"] = model_dict(refined.parameters_before);
  d["judgement_before"] = judgement_dict(refined.before);
  return d;
}

py::object mount_dict(const FitReport& report) {
  if (report.logs.empty()) return py::none();
  const FitReport::Correction &at = report.logs.front().correction, &error = report.logs.front().std_error;
  py::dict d;
  d["x_m"] = at.mount_x_m, d["y_m"] = at.mount_y_m, d["yaw_rad"] = at.mount_yaw_rad;
  d["range_offset_m"] = at.range_offset_m;
  d["std_error"] = py::dict("x_m"_a = error.mount_x_m, "y_m"_a = error.mount_y_m, "yaw_rad"_a = error.mount_yaw_rad,
                            "range_offset_m"_a = error.range_offset_m);
  return d;
}

void bind_fit(py::module_& m) {
  py::class_<FitReport, ReportPtr> fit(m, "_Fit");
  bind_scan_fit(fit, [](const FitReport& r, const std::filesystem::path& folder, bool force,
                        const std::vector<Localizer>& localizers) {
    r.write(folder, force, localizers);
    return fit_files(folder, localizers, r.refined.has_value());
  });
  fit.def_property_readonly("_parameters", [](const FitReport& r) { return beam_parameters_dict(r.fit.model); })
      .def_property_readonly("_sensor", [](const FitReport& r) { return model_dict(r.model.sensor); })
      .def_property_readonly("log_likelihood",
                             [](const FitReport& r) { return copied<double>(r.fit.log_likelihood_by_iteration); })
      .def_property_readonly("converged", [](const FitReport& r) { return r.fit.converged; })
      .def_property_readonly("kinds",
                             [](const FitReport& r) {
                               py::dict d;
                               d["range"] = r.fit.kinds[0], d["max"] = r.fit.kinds[1], d["none"] = r.fit.kinds[2];
                               return d;
                             })
      .def_readonly("notes", &FitReport::notes)
      .def_property_readonly("judgement", [](const FitReport& r) { return judgement_dict(r.judgement); })
      .def_property_readonly("_refined", &refined_dict)
      .def_property_readonly("_mount", &mount_dict)
      .def("write_model", [](const FitReport& r, const std::filesystem::path& file) { r.model.write(file); });
  m.def("_fit_pairs", &fit_pairs);
  m.def("_fit_scans", &fit_scans);
  m.def("_judge", [](const BeamModel& model, const py::object& readings, const py::object& expected,
                     const py::object& scan, std::size_t bins) {
    return judgement_dict(judge_beam_model(model.parameters, model.sensor, data_of(readings, expected, scan), bins));
  });
}

void bind_localizers(py::module_& m) {
  m.def("_localizer_beam", [](const py::dict& parameters, const std::string& localizer) {
    const LocalizerBeam b = localizer_beam(beam_parameters_of(parameters), word_of<Localizer>(localizer, "localizer"));
    py::dict d;
    d["z_hit"] = b.z_hit, d["z_short"] = b.z_short, d["z_max"] = b.z_max, d["z_rand"] = b.z_rand;
    d["sigma_hit"] = b.sigma_hit, d["lambda_short"] = b.lambda_short;
    return d;
  });
  m.def("_localizer_notes", [](const py::dict& parameters, const std::string& localizer) {
    return localizer_notes(beam_parameters_of(parameters), word_of<Localizer>(localizer, "localizer"));
  });
  m.def("_localizer_text", [](const BeamModel& model, const std::string& localizer) {
    return model.localizer_text(word_of<Localizer>(localizer, "localizer"));
  });
}

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
  return column(scores, [](const ScanScore& s) { return s.log_likelihood; });
}

void bind_field(py::module_& m) {
  py::class_<FieldReport, FieldReportPtr> fit(m, "_FieldFit");
  bind_scan_fit(fit, [](const FieldReport& r, const std::filesystem::path& folder, bool force,
                        const std::vector<Localizer>& localizers) {
    r.write(folder, force, localizers);
    return fit_files(folder, localizers);
  });
  fit.def_property_readonly("_model", [](const FieldReport& r) { return model_dict(r.fit.model); })
      .def("_localizer_text",
           [](const FieldReport& r, const std::string& localizer) {
             return r.localizer_text(word_of<Localizer>(localizer, "localizer"));
           })
      .def_readonly("nats_per_reading", &FieldReport::nats_per_reading);
  m.def("_fit_field", &fit_field);
  m.def("_score_field", &score_field);
  m.def("_read_field_model",
        [](const std::filesystem::path& file) { return model_dict(LikelihoodFieldModel::read(file)); });
  m.def("_write_field_model", [](const std::filesystem::path& file, const py::dict& model) {
    model_of<LikelihoodFieldModel>(model).write(file);
  });
  m.def("_localizer_field_text", [](const py::dict& model, const std::string& localizer) {
    return model_of<LikelihoodFieldModel>(model).localizer_text(word_of<Localizer>(localizer, "localizer"));
  });
}

}  // namespace

void bind_beam_fit(py::module_& m) {
  bind_fit(m);
  bind_field(m);
  bind_localizers(m);
}

}  // namespace fathom::python
