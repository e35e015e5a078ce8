// SPDX-License-Identifier: MIT
// Bags and logs of scans: read, scored and drawn; heatmaps of scans; files of models.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include <fathom/core/error.hpp>
#include <fathom/files/log_files.hpp>

#include "beam_values.hpp"

namespace fathom::python {

namespace {

using namespace py::literals;
using HeatmapPtr = std::shared_ptr<Heatmap>;
using LogPtr = std::shared_ptr<ScanLog>;

py::tuple scores_arrays(const std::vector<ScanScore>& scans) {
  std::vector<PlanarPose> poses;
  for (const ScanScore& s : scans) poses.push_back(s.pose);
  return py::make_tuple(column(scans, [](const ScanScore& s) { return static_cast<std::int64_t>(s.scan); }),
                        planar_array(poses),
                        column(scans, [](const ScanScore& s) { return static_cast<std::int64_t>(s.rays); }),
                        column(scans, [](const ScanScore& s) { return s.log_likelihood; }));
}

/// Arrays [beams], in the order of BeamScores of python/fathom/beam.py.
py::tuple beam_arrays(const std::vector<BeamScore>& beams) {
  return py::make_tuple(column(beams, [](const BeamScore& b) { return static_cast<std::int64_t>(b.scan); }),
                        column(beams, [](const BeamScore& b) { return static_cast<std::int64_t>(b.ray); }),
                        column(beams, [](const BeamScore& b) { return b.azimuth_rad; }),
                        column(beams, [](const BeamScore& b) { return b.reading_m; }),
                        column(beams, [](const BeamScore& b) { return b.expected_m; }),
                        column(beams, [](const BeamScore& b) { return b.log_density; }),
                        column(beams, [](const BeamScore& b) { return b.hit; }),
                        column(beams, [](const BeamScore& b) { return b.shorts; }),
                        column(beams, [](const BeamScore& b) { return b.max; }),
                        column(beams, [](const BeamScore& b) { return b.rand; }));
}

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
  released([&] { data = make_beam_data(log, chosen, world, max_range_m, {.threads = threads}); });
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
            for (const ScanLog::Skipped& s : l.skipped) d[py::str(s.name)] = s.lines;
            return d;
          },
          "Readings of other lasers that were passed over, by their names in the log.")
      .def("__len__", &ScanLog::scans)
      .def(
          "write_csv", [](const ScanLog& l, const std::filesystem::path& file) { write_text_file(file, l.csv()); },
          "file"_a)
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
        ScanLogOptions options = {laser, ray_angle_deg, ray_time_s, std::nullopt};
        if (!mount.is_none()) options.mount = planar_pose_of(mount, "mount");
        return std::make_shared<ScanLog>(read_scan_log(find_scan_log(file), options));
      },
      "log_or_run"_a, "laser"_a = "", "ray_angle_deg"_a = py::none(), "ray_time_s"_a = 0.0, "mount"_a = py::none(),
      "Reads a log (CARMEN text or CSV, also gzip), or that of a run's folder.\n"
      "laser: of a log of CARMEN with several, 'FLASER', 'ROBOTLASER1', 'RAWLASER1' and so on; ray_angle_deg: between\n"
      "its rays, where their number does not say it; ray_time_s: from one ray to the next, of a laser that moved "
      "during\n"
      "scans; mount: x (m), y (m), yaw (rad) on the robot, of a RAWLASERn.");
}

void bind_files(py::module_& m) {
  m.def("_read_model", [](const std::filesystem::path& file) {
    const BeamModel model = BeamModel::read(file);
    return py::make_tuple(beam_parameters_dict(model.parameters), model_dict(model.sensor),
                          kChoiceWords<UnknownCells>.at(static_cast<std::size_t>(model.unknown)));
  });
  m.def("_write_model", [](const std::filesystem::path& file, const BeamModel& model) { model.write(file); });
  m.def("_score_log", [](const BeamModel& model, const World& world, const ScanLog& log, const std::string& scans,
                         std::size_t ray_step, double alpha, bool exact, int threads) {
    ScoreOptions options = {.ray_step = ray_step, .alpha = alpha, .compute = {.threads = threads}, .exact = exact};
    LogScores scores;
    released_watched([&](const auto& check) {
      options.on_progress = [&](double) { check(); };
      scores = score_log(model, world, log, scans, options);
    });
    return py::make_tuple(scores_arrays(scores.scans), judgement_dict(scores.judgement));
  });
  m.def("_score_beams", [](const BeamModel& model, const World& world, const ScanLog& log, const std::string& scans,
                           std::size_t ray_step, int threads) {
    std::vector<BeamScore> beams;
    released([&] {
      beams = score_beams(model, world, log, select_scans(scans, log.scans()), ray_step, {.threads = threads});
    });
    return beam_arrays(beams);
  });
  m.def("_sample_log", [](const BeamModel& model, const World& world, const py::object& poses,
                          const py::object& azimuth_rad, const py::object& seed, int threads) {
    const Doubles azimuths = doubles(azimuth_rad, "azimuth_rad", {{-1}, "(K,)"});
    return std::make_shared<ScanLog>(
        sample_log(model, world, planar_poses(poses, "poses"), span_of(azimuths), seed_of(seed), {.threads = threads}));
  });
}

py::array_t<double> heat_array(const Heatmap& h) {
  return copied<double>(h.log_likelihood).attr("reshape")(h.grid.rows, h.grid.cols);
}

HeatmapPtr heatmap(const BeamModel& model, const World& world, const py::object& rays, const py::object& readings,
                   const GridMap& map, double spacing_m, std::size_t headings, std::size_t ray_step, double alpha,
                   int threads) {
  const RayFan fan = fan_of(rays);
  const std::string wanted = "(" + std::to_string(fan.size()) + ",)";
  const Floats z = floats(readings, "readings", {{static_cast<py::ssize_t>(fan.size())}, wanted.c_str()}, Finite::kNo);
  HeatmapOptions options;
  options.headings = headings;
  options.score = {.ray_step = ray_step, .alpha = alpha, .compute = {.threads = threads}};
  auto made = std::make_shared<Heatmap>();
  released_watched([&](const auto& check) {
    options.on_progress = [&](double) { check(); };
    *made =
        make_heatmap(model.parameters, model.sensor, world, fan, span_of(z), free_positions(map, spacing_m), options);
  });
  return made;
}

void write_picture(const Heatmap& h, const std::filesystem::path& file, const GridMap& map, std::uint32_t pixels,
                   const py::object& truth, const std::string& truth_name, const py::object& hits_world,
                   const std::string& theme) {
  Heatmap::Picture picture;
  picture.pixels = pixels, picture.theme = word_of<Theme>(theme, "theme");
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
          "(x_m, y_m, yaw_rad): the best pose between the poses of the grid.")
      .def_readonly("refined_log_likelihood", &Heatmap::refined_log_likelihood)
      .def_readonly("rays", &Heatmap::rays, "How many carry evidence and were scored.")
      .def("write_png", &write_picture, "file"_a, "map"_a, "pixels"_a = 1600, "truth"_a = py::none(),
           "truth_name"_a = "pose in the log", "hits_world"_a = py::none(), "theme"_a = "dark",
           "Draws it over the map: truth (x_m, y_m, yaw_rad) as a ring; hits_world [N, 3] as dots. theme: 'dark', or\n"
           "'light' for print.");
  m.def("_heatmap", &heatmap);
  m.def("_heatmap_of_log",
        [](const BeamModel& model, const World& world, const ScanLog& log, const py::object& scan, const GridMap& map,
           double spacing_m, std::size_t headings, std::optional<std::size_t> ray_step, int threads) {
          HeatmapLogOptions options;
          options.spacing_m = spacing_m, options.headings = headings, options.ray_step = ray_step;
          options.compute.threads = threads;
          const std::uint32_t number = whole32(scan, "scan");
          LogHeatmap made;
          released_watched([&](const auto& check) {
            options.on_progress = [&](double) { check(); };
            made = heatmap_of_log(model, world, log, number, map, options);
          });
          return py::make_tuple(std::make_shared<Heatmap>(std::move(made.heatmap)), tuple_of(made.logged),
                                made.logged_log_likelihood);
        });
}

py::dict topic_dict(const BagInfo::Topic& topic) {
  py::dict d;
  d["name"] = topic.name, d["type"] = topic.type, d["encoding"] = topic.encoding, d["known"] = topic.is_known;
  d["messages"] = topic.messages, d["first_s"] = topic.first_s, d["last_s"] = topic.last_s;
  d["rate_hz"] = topic.rate_hz(), d["frames"] = topic.frames;
  d["damaged"] = topic.damaged, d["damage"] = topic.damage;
  return d;
}

py::dict bag_info(const std::filesystem::path& bag) {
  BagInfo info;
  released([&] { info = read_bag_info(bag); });
  py::list topics;
  for (const BagInfo::Topic& topic : info.topics) topics.append(topic_dict(topic));
  py::dict d;
  d["format"] = info.format, d["messages"] = info.messages, d["first_s"] = info.first_s, d["last_s"] = info.last_s;
  d["torn"] = info.tear, d["damaged"] = info.damaged, d["damage"] = info.damage, d["topics"] = topics;
  return d;
}

void bind_bags(py::module_& m) {
  m.def("read_bag_info", &bag_info, "bag"_a,
        "The content of a bag of ROS 2 (MCAP, .db3 or a folder of rosbag2), as `fathom bag info --json` prints it:\n"
        "format, messages, first_s and last_s, torn (where it ends too early; '' for a whole bag), damaged (number of\n"
        "skipped parts), damage (of the first), and topics, a dict for each.");
}

}  // namespace

void bind_beam_logs(py::module_& m) {
  bind_bags(m);
  bind_log(m);
  bind_files(m);
  bind_heatmap(m);
}

}  // namespace fathom::python
