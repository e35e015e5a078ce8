// SPDX-License-Identifier: MIT
// Logs of scans, fits and heatmaps.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include <fathom/base/error.hpp>
#include <fathom/beam/bag_log.hpp>

#include "beam_values.hpp"

namespace fathom::python {

py::dict judgement_dict(const BeamJudgement& judgement) {
  py::dict d;
  d["pairs"] = judgement.pairs, d["log_likelihood"] = judgement.log_likelihood;
  d["nats_per_ray"] = judgement.nats_per_ray, d["ks_distance"] = judgement.ks_distance;
  d["pit_histogram"] = copied<double>(judgement.pit_histogram);
  d["impossible"] = judgement.impossible, d["flags"] = judgement.flags;
  return d;
}

py::tuple scores_arrays(const std::vector<ScanScore>& scans) {
  const auto n = static_cast<py::ssize_t>(scans.size());
  py::array_t<std::int64_t> numbers(n), rays(n);
  py::array_t<double> log_likelihood(n);
  std::vector<PlanarPose> poses;
  for (py::ssize_t i = 0; i < n; ++i) {
    const ScanScore& s = scans[static_cast<std::size_t>(i)];
    numbers.mutable_data()[i] = s.scan, rays.mutable_data()[i] = static_cast<std::int64_t>(s.rays);
    log_likelihood.mutable_data()[i] = s.log_likelihood;
    poses.push_back(s.pose);
  }
  return py::make_tuple(numbers, planar_array(poses), rays, log_likelihood);
}

namespace {

/// Arrays [beams], in the order of BeamScores of python/fathom/beam.py.
py::tuple beam_arrays(const std::vector<BeamScore>& beams) {
  const auto n = static_cast<py::ssize_t>(beams.size());
  const auto column = [&](auto of) {
    py::array_t<decltype(of(beams[0]))> made(n);
    std::transform(beams.begin(), beams.end(), made.mutable_data(), of);
    return made;
  };
  return py::make_tuple(
      column([](const BeamScore& b) { return static_cast<std::int64_t>(b.scan); }),
      column([](const BeamScore& b) { return static_cast<std::int64_t>(b.ray); }),
      column([](const BeamScore& b) { return b.azimuth_rad; }), column([](const BeamScore& b) { return b.reading_m; }),
      column([](const BeamScore& b) { return b.expected_m; }), column([](const BeamScore& b) { return b.log_density; }),
      column([](const BeamScore& b) { return b.hit; }), column([](const BeamScore& b) { return b.shorts; }),
      column([](const BeamScore& b) { return b.max; }), column([](const BeamScore& b) { return b.rand; }));
}

using namespace py::literals;
using LogPtr = std::shared_ptr<ScanLog>;
using ReportPtr = std::shared_ptr<FitReport>;

LogPtr make_log(const py::object& poses, const py::object& azimuth_rad, const py::object& range_m, double max_range_m,
                const std::string& name) {
  auto log = std::make_shared<ScanLog>();
  log->pose = planar_poses(poses, "poses");
  const Doubles azimuths = doubles(azimuth_rad, "azimuth_rad", {{-1}, "(K,)"});
  log->azimuth_rad.assign(azimuths.data(), azimuths.data() + azimuths.size());
  const auto scans = static_cast<py::ssize_t>(log->scans()), rays = static_cast<py::ssize_t>(log->rays());
  const std::string wanted = "(" + std::to_string(scans) + ", " + std::to_string(rays) + "), scans by rays,";
  const Floats ranges = floats(range_m, "range_m", {{scans, rays}, wanted.c_str()}, Finite::kNo);
  log->range_m.assign(ranges.data(), ranges.data() + ranges.size());
  log->max_range_m = max_range_m;
  log->name = name;
  validate(*log);
  return log;
}

std::vector<std::uint32_t> scans_of(const ScanLog& log, const py::object& scans) {
  if (py::isinstance<py::str>(scans)) return select_scans(py::cast<std::string>(scans), log.scans());
  std::vector<std::uint32_t> made;
  const auto most = static_cast<std::int64_t>(log.scans()) - 1;
  for (const std::int64_t s : span_of(integers(scans, "scans", {{-1}, "(S,)"}, 0, most))) {
    made.push_back(static_cast<std::uint32_t>(s));
  }
  return made;
}

py::tuple log_pairs(const ScanLog& log, const World& world, double max_range_m, const py::object& scans, int threads) {
  BeamData data;
  const std::vector<std::uint32_t> chosen = scans_of(log, scans);
  Compute compute;
  compute.threads = threads;
  released([&] { data = make_beam_data(log, chosen, world, max_range_m, compute); });
  const auto shaped = [&](const std::vector<float>& values) {
    return copied<float>(values).attr("reshape")(chosen.size(), log.rays());
  };
  return py::make_tuple(shaped(data.reading_m), shaped(data.expected_m));
}

void bind_log(py::module_& m) {
  py::class_<ScanLog, LogPtr>(m, "ScanLog",
                              "Scans of one planar sensor with its poses; all have rays at the same azimuths.")
      .def(py::init(&make_log), "poses"_a, "azimuth_rad"_a, "range_m"_a, "max_range_m"_a = 0.0, "name"_a = "",
           "poses [S, 3] of x, y (m) and yaw (rad); azimuth_rad [K]; range_m [S, K]; max_range_m: how far the sensor\n"
           "measures, 0: not known.")
      .def_property_readonly(
          "azimuth_rad", [](const ScanLog& l) { return copied<double>(l.azimuth_rad); }, "[K]; a copy.")
      .def_property_readonly(
          "poses", [](const ScanLog& l) { return planar_array(l.pose); }, "[S, 3] of x, y (m) and yaw (rad); a copy.")
      .def_property_readonly(
          "range_m",
          [](const LogPtr& l) {
            const py::capsule owner(new LogPtr(l), [](void* p) { delete static_cast<LogPtr*>(p); });
            return readonly_view(py::dtype::of<float>(),
                                 {static_cast<py::ssize_t>(l->scans()), static_cast<py::ssize_t>(l->rays())},
                                 l->range_m.data(), owner);
          },
          "float32 [S, K], m; read-only, no copy.")
      .def_readonly("max_range_m", &ScanLog::max_range_m)
      .def_readonly("name", &ScanLog::name)
      .def_readonly("laser", &ScanLog::laser, "Whose readings these are, in a log with several lasers.")
      .def_property_readonly(
          "skipped",
          [](const ScanLog& l) {
            py::dict d;
            for (const SkippedLines& s : l.skipped) d[py::str(s.name)] = s.lines;
            return d;
          },
          "Readings of other lasers that were passed over, by their names in the log.")
      .def("__len__", &ScanLog::scans)
      .def(
          "write_csv", [](const ScanLog& l, const std::filesystem::path& file) { write_scan_csv(file, l); }, "file"_a)
      .def(
          "select",
          [](const ScanLog& l, const std::string& text) {
            return copied<std::uint32_t>(select_scans(text, l.scans())).attr("astype")("int64");
          },
          "scans"_a, "The numbers of the scans that 'all', 'odd', 'even' or 'start:stop:step' selects.")
      .def(
          "notes", [](const ScanLog& l, std::optional<double> z) { return log_notes(l, z); },
          "max_range_m"_a = py::none(), "What a user should know of it before trusting it, one sentence each.")
      .def(
          "suspected_no_return_m", [](const ScanLog& l, double z) { return suspected_no_return_m(l, z); },
          "max_range_m"_a, "The reading by which this sensor probably says 'no return'; 0: none.")
      .def("pairs", &log_pairs, "world"_a, "max_range_m"_a, "scans"_a = "all", "threads"_a = 0,
           "Readings and expected ranges of scans, float32 [S, K] each.")
      .def(
          "hits_world",
          [](const ScanLog& l, const py::object& scan, const py::dict& sensor) {
            const std::vector<Vec3> hits = scan_hits_world(l, whole32(scan, "scan"), model_of<BeamSensor>(sensor));
            py::array_t<double> made({static_cast<py::ssize_t>(hits.size()), py::ssize_t{3}});
            double* out = made.mutable_data();
            for (const Vec3& h : hits) *out++ = h.x, *out++ = h.y, *out++ = h.z;
            return made;
          },
          "scan"_a, "sensor"_a)
      .def("__repr__", [](const ScanLog& l) {
        return "ScanLog of " + std::to_string(l.scans()) + " scans, " + std::to_string(l.rays()) + " rays";
      });
  m.def(
      "read_bag_log",
      [](const std::filesystem::path& bag, const std::string& scan, const std::string& frame) {
        return std::make_shared<ScanLog>(read_bag_log(bag, {scan, frame}));
      },
      "bag"_a, "scan"_a = "", "frame"_a = "map",
      "Reads the scans of a laser from a bag of ROS 2, at the poses that its transforms give them beam by beam.\n"
      "scan: their topic, where there are several. frame: that in which the map stands.");
  m.def(
      "read_scan_log",
      [](const std::filesystem::path& file, const std::string& laser, const std::optional<double>& ray_angle_deg,
         double ray_time_s, const py::object& mount) {
        const ScanLogOptions options = {laser, ray_angle_deg, ray_time_s, planar_pose_of(mount, "mount")};
        return std::make_shared<ScanLog>(read_scan_log(find_scan_log(file), options));
      },
      "log_or_run"_a, "laser"_a = "", "ray_angle_deg"_a = py::none(), "ray_time_s"_a = 0.0,
      "mount"_a = py::make_tuple(0.0, 0.0, 0.0),
      "Reads a log (CARMEN text or CSV, also gzip), or that of a run's folder.\n"
      "laser: of a log of CARMEN with several, 'FLASER', 'ROBOTLASER1', 'RAWLASER1' and so on; ray_angle_deg: between\n"
      "its rays, where their number does not say it; ray_time_s: from one ray to the next, of a laser that moved "
      "during\n"
      "scans; mount: x (m), y (m), yaw (rad) on the robot, of a RAWLASERn.");
}

std::size_t stretches_of(const py::dict& o) {
  return static_cast<std::size_t>(
      whole(o["stretches"], "stretches", 0, static_cast<std::int64_t>(FitOptions::kMostStretches)));
}

FitOptions fit_options(const py::dict& o) {
  FitOptions options;
  if (!o["start"].is_none()) options.start = beam_parameters_of(py::cast<py::dict>(o["start"]));
  options.variant = word_of<FitVariant>(py::cast<std::string>(o["variant"]), "variant");
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
  report->stretches = options.stretches;
  released_watched([&](const auto& check) {
    options.on_iteration = [&](const FitIteration&) { check(); };
    report->fit = fit_beam_model(report->shown, report->model.sensor, options);
    report->model.parameters = report->fit.parameters;
    report->judgement = judge_beam_model(report->fit.parameters, report->model.sensor, report->shown);
  });
  return report;
}

ReportPtr fit_scans(const ScanLog& log, const World& world, const py::dict& o) {
  FitLogOptions options;
  options.scans = py::cast<std::string>(o["scans"]), options.test_scans = py::cast<std::string>(o["test_scans"]);
  options.auto_max_range = py::isinstance<py::str>(o["max_range_m"]);
  if (options.auto_max_range && py::cast<std::string>(o["max_range_m"]) != "auto") {
    throw InputError("max_range_m = '" + py::cast<std::string>(o["max_range_m"]) + "' is neither a number nor 'auto'");
  }
  if (!o["max_range_m"].is_none() && !options.auto_max_range) {
    options.max_range_m = real(o["max_range_m"], "max_range_m");
  }
  options.min_range_m = real(o["min_range_m"], "min_range_m"), options.step_m = real(o["step_m"], "step_m");
  options.miss = word_of<MissPolicy>(py::cast<std::string>(o["miss"]), "miss");
  options.nan = word_of<NanPolicy>(py::cast<std::string>(o["nan"]), "nan");
  options.variant = word_of<FitVariant>(py::cast<std::string>(o["variant"]), "variant");
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
  options.per_log = word_of<PerLog>(py::cast<std::string>(o["per_log"]), "per_log");
  if (!o["refine_poses"].is_none()) {
    const auto [stddev_m, stddev_rad] = py::cast<std::pair<double, double>>(o["refine_poses"]);
    options.refine_poses = {.stddev_m = stddev_m, .stddev_rad = stddev_rad};
  }
  options.compute.threads = py::cast<int>(o["threads"]);
  auto report = std::make_shared<FitReport>();
  released_watched([&](const auto& check) {
    options.on_iteration = [&](const FitIteration&) { check(); };
    options.on_refine_progress = [&](const RefineProgress&) { check(); };
    *report = fit_log(log, world, options);
  });
  return report;
}

py::object refined_dict(const FitReport& report) {
  if (!report.refined) return py::none();
  const RefinedLog& refined = *report.refined;
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
  const LogCorrection &at = report.logs.front().correction, &error = report.logs.front().std_error;
  py::dict d;
  d["x_m"] = at.mount_x_m, d["y_m"] = at.mount_y_m, d["yaw_rad"] = at.mount_yaw_rad;
  d["range_offset_m"] = at.range_offset_m;
  d["std_error"] = py::dict("x_m"_a = error.mount_x_m, "y_m"_a = error.mount_y_m, "yaw_rad"_a = error.mount_yaw_rad,
                            "range_offset_m"_a = error.range_offset_m);
  return d;
}

void bind_fit(py::module_& m) {
  py::class_<FitReport, ReportPtr>(m, "_Fit")
      .def_property_readonly("_parameters", [](const FitReport& r) { return beam_parameters_dict(r.fit.parameters); })
      .def_property_readonly("_std_error", [](const FitReport& r) { return beam_numbers_dict(r.fit.std_error); })
      .def_property_readonly("_low_95", [](const FitReport& r) { return beam_numbers_dict(r.fit.low_95); })
      .def_property_readonly("_high_95", [](const FitReport& r) { return beam_numbers_dict(r.fit.high_95); })
      .def_property_readonly(
          "clusters", [](const FitReport& r) { return r.fit.clusters; },
          "How many standard errors take as independent.")
      .def_property_readonly("_naive_std_error",
                             [](const FitReport& r) { return beam_numbers_dict(r.fit.naive_std_error); })
      .def_property_readonly("_sensor", [](const FitReport& r) { return model_dict(r.model.sensor); })
      .def_property_readonly(
          "log_likelihood", [](const FitReport& r) { return copied<double>(r.fit.log_likelihood); },
          "float64 [iterations + 1].")
      .def_property_readonly("converged", [](const FitReport& r) { return r.fit.end == FitEnd::kConverged; })
      .def_property_readonly(
          "pairs", [](const FitReport& r) { return r.fit.pairs; }, "How many carry evidence.")
      .def_property_readonly(
          "kinds",
          [](const FitReport& r) {
            py::dict d;
            d["range"] = r.fit.kinds[0], d["max"] = r.fit.kinds[1], d["none"] = r.fit.kinds[2];
            return d;
          },
          "How many readings are ranges, without a return, and without evidence.")
      .def_property_readonly(
          "flags", [](const FitReport& r) { return report_flags(r); }, "What to beware of, one line each.")
      .def_readonly("notes", &FitReport::notes, "What a user should know of the log, one sentence each.")
      .def_readonly("held_out", &FitReport::held_out, "Whether `judgement` is of scans that were not learned from.")
      .def_property_readonly("judgement", [](const FitReport& r) { return judgement_dict(r.judgement); })
      .def(
          "write",
          [](const FitReport& r, const std::filesystem::path& folder, bool force,
             const std::vector<std::string>& localizers) {
            std::vector<Localizer> chosen;
            for (const std::string& word : localizers) chosen.push_back(word_of<Localizer>(word, "localizers"));
            released([&] { write_fit(folder, r, force, chosen); });
            return fit_files(folder, chosen, r.refined.has_value());
          },
          "folder"_a, "force"_a = false, "localizers"_a = std::vector<std::string>(),
          "Writes parameters.yaml, report.html and fit.json into a folder, a file for each localizer, and refined.log "
          "where "
          "poses were refined.")
      .def_property_readonly("_refined", &refined_dict)
      .def_property_readonly("_mount", &mount_dict)
      .def(
          "write_model", [](const FitReport& r, const std::filesystem::path& file) { write_beam_model(file, r.model); },
          "file"_a, "Writes parameters.yaml alone.");
  m.def("_fit_pairs", &fit_pairs);
  m.def("_fit_scans", &fit_scans);
  m.def("_judge", [](const py::dict& parameters, const py::dict& sensor, const py::object& readings,
                     const py::object& expected, const py::object& scan, std::size_t bins) {
    return judgement_dict(judge_beam_model(beam_parameters_of(parameters), model_of<BeamSensor>(sensor),
                                           data_of(readings, expected, scan), bins));
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
  m.def("_localizer_text", [](const py::dict& parameters, const py::dict& sensor, const std::string& localizer) {
    return localizer_text(beam_parameters_of(parameters), model_of<BeamSensor>(sensor),
                          word_of<Localizer>(localizer, "localizer"));
  });
}

BeamModel beam_model(const py::dict& parameters, const py::dict& sensor, const std::string& unknown) {
  return {beam_parameters_of(parameters), model_of<BeamSensor>(sensor), word_of<UnknownCells>(unknown, "unknown")};
}

void bind_files(py::module_& m) {
  m.def("_read_model", [](const std::filesystem::path& file) {
    const BeamModel model = read_beam_model(file);
    return py::make_tuple(beam_parameters_dict(model.parameters), model_dict(model.sensor),
                          kChoiceWords<UnknownCells>.at(static_cast<std::size_t>(model.unknown)));
  });
  m.def("_write_model",
        [](const std::filesystem::path& file, const py::dict& parameters, const py::dict& sensor,
           const std::string& unknown) { write_beam_model(file, beam_model(parameters, sensor, unknown)); });
  m.def("_score_log", [](const py::dict& parameters, const py::dict& sensor, const World& world, const ScanLog& log,
                         const std::string& scans, std::size_t ray_step, double alpha, bool exact, int threads) {
    ScoreLogOptions options;
    options.score = {.ray_step = ray_step, .alpha = alpha, .compute = {.threads = threads}, .exact = exact};
    const BeamModel model = beam_model(parameters, sensor, "free");
    LogScores scores;
    released_watched([&](const auto& check) {
      options.on_progress = [&](double) { check(); };
      scores = score_log(model, world, log, scans, options);
    });
    return py::make_tuple(scores_arrays(scores.scans), judgement_dict(scores.judgement));
  });
  m.def("_score_beams", [](const py::dict& parameters, const py::dict& sensor, const World& world, const ScanLog& log,
                           const std::string& scans, std::size_t ray_step, int threads) {
    const BeamModel model = beam_model(parameters, sensor, "free");
    std::vector<BeamScore> beams;
    released([&] {
      beams = score_beams(model, world, log, select_scans(scans, log.scans()), ray_step, {.threads = threads});
    });
    return beam_arrays(beams);
  });
  m.def("_sample_log", [](const py::dict& parameters, const py::dict& sensor, const World& world,
                          const py::object& poses, const py::object& azimuth_rad, const py::object& seed, int threads) {
    const Doubles azimuths = doubles(azimuth_rad, "azimuth_rad", {{-1}, "(K,)"});
    Compute compute;
    compute.threads = threads;
    return std::make_shared<ScanLog>(sample_log(beam_model(parameters, sensor, "free"), world,
                                                planar_poses(poses, "poses"), span_of(azimuths), seed_of(seed),
                                                compute));
  });
}

py::array_t<double> heat_array(const Heatmap& h) {
  return copied<double>(h.log_likelihood).attr("reshape")(h.grid.rows, h.grid.cols);
}

HeatmapPtr heatmap(const py::dict& parameters, const py::dict& sensor, const World& world, const py::object& rays,
                   const py::object& readings, const GridMap& map, double spacing_m, std::size_t headings,
                   std::size_t ray_step, double alpha, int threads) {
  const RayFan fan = fan_of(rays);
  const std::string wanted = "(" + std::to_string(fan.size()) + ",)";
  const Floats z = floats(readings, "readings", {{static_cast<py::ssize_t>(fan.size())}, wanted.c_str()}, Finite::kNo);
  HeatmapOptions options;
  options.headings = headings;
  options.score = {.ray_step = ray_step, .alpha = alpha, .compute = {.threads = threads}};
  const auto p = beam_parameters_of(parameters);
  const auto s = model_of<BeamSensor>(sensor);
  auto made = std::make_shared<Heatmap>();
  released_watched([&](const auto& check) {
    options.on_progress = [&](double) { check(); };
    *made = make_heatmap(p, s, world, fan, span_of(z), free_positions(map, spacing_m), options);
  });
  return made;
}

void write_picture(const Heatmap& h, const std::filesystem::path& file, const GridMap& map, std::uint32_t pixels,
                   const py::object& truth, const std::string& truth_name, const py::object& hits_world) {
  HeatmapPicture picture;
  picture.pixels = pixels;
  if (!truth.is_none()) picture.truth = planar_pose_of(truth, "truth");
  picture.truth_name = truth_name;
  if (!hits_world.is_none()) {
    const Doubles hits = doubles(hits_world, "hits_world", {{-1, 3}, "(N, 3)"});
    for (py::ssize_t i = 0; i < hits.size(); i += 3) {
      picture.scan_hits_world.push_back({hits.data()[i], hits.data()[i + 1], hits.data()[i + 2]});
    }
  }
  check_heatmap_name(file);
  released([&] { write_heatmap(file, h, map, picture); });
}

void bind_heatmap(py::module_& m) {
  py::class_<Heatmap, HeatmapPtr>(
      m, "Heatmap", "Where a scan could have been made: its likelihood over positions, at the best heading of each.")
      .def_property_readonly("log_likelihood", &heat_array, "float64 [rows, cols]; NaN where not scored.")
      .def_property_readonly(
          "yaw_rad",
          [](const Heatmap& h) { return copied<float>(h.yaw_rad).attr("reshape")(h.grid.rows, h.grid.cols); },
          "float32 [rows, cols]: the heading that has it, in the world.")
      .def_property_readonly("spacing_m", [](const Heatmap& h) { return h.grid.spacing_m; })
      .def_property_readonly(
          "origin", [](const Heatmap& h) { return tuple_of(h.grid.world_from_grid); },
          "(x_m, y_m, yaw_rad) of [0, 0] in the world.")
      .def_property_readonly(
          "best", [](const Heatmap& h) { return tuple_of(h.best); }, "(x_m, y_m, yaw_rad), of the grid.")
      .def_readonly("best_log_likelihood", &Heatmap::best_log_likelihood)
      .def_property_readonly(
          "refined", [](const Heatmap& h) { return tuple_of(h.refined); },
          "(x_m, y_m, yaw_rad): the best pose between those of the grid.")
      .def_readonly("refined_log_likelihood", &Heatmap::refined_log_likelihood)
      .def_readonly("rays", &Heatmap::rays, "How many carry evidence and were scored.")
      .def("write_png", &write_picture, "file"_a, "map"_a, "pixels"_a = 1600, "truth"_a = py::none(),
           "truth_name"_a = "pose in the log", "hits_world"_a = py::none(),
           "Draws it over the map: truth (x_m, y_m, yaw_rad) as a ring; hits_world [N, 3] as dots.");
  m.def("_heatmap", &heatmap);
  m.def("_heatmap_of_log", [](const py::dict& parameters, const py::dict& sensor, const World& world,
                              const ScanLog& log, const py::object& scan, const GridMap& map, double spacing_m,
                              std::size_t headings, std::optional<std::size_t> ray_step, int threads) {
    HeatmapLogOptions options;
    options.spacing_m = spacing_m, options.headings = headings, options.ray_step = ray_step;
    options.compute.threads = threads;
    const std::uint32_t number = whole32(scan, "scan");
    const BeamModel model = beam_model(parameters, sensor, "free");
    LogHeatmap made;
    released_watched([&](const auto& check) {
      options.on_progress = [&](double) { check(); };
      made = heatmap_of_log(model, world, log, number, map, options);
    });
    return py::make_tuple(std::make_shared<Heatmap>(std::move(made.heatmap)), tuple_of(made.logged),
                          made.logged_log_likelihood);
  });
}

}  // namespace

void bind_beam_logs(py::module_& m) {
  bind_log(m);
  bind_fit(m);
  bind_localizers(m);
  bind_files(m);
  bind_heatmap(m);
}

}  // namespace fathom::python
