// SPDX-License-Identifier: MIT
// Learning and scoring of whole chains of noise.

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fathom/fit/reports.hpp>

#include "arguments.hpp"
#include "chain.hpp"

namespace fathom::python {

namespace {

/// Arrays of returns by their names in python/fathom/_chains.py.
constexpr std::array<std::pair<const char*, std::vector<float> ChainReturns::*>, 10> kArrays = {{
    {"range_m", &ChainReturns::range_m},
    {"clean_range_m", &ChainReturns::clean_range_m},
    {"clean_x_m", &ChainReturns::clean_x_m},
    {"clean_y_m", &ChainReturns::clean_y_m},
    {"incidence_rad", &ChainReturns::incidence_rad},
    {"energy", &ChainReturns::energy},
    {"edge_rad", &ChainReturns::edge_rad},
    {"jump", &ChainReturns::jump},
    {"jump_rad", &ChainReturns::jump_rad},
    {"light", &ChainReturns::light},
}};

template <class T>
void take_whole(const py::dict& d, const char* name, std::int64_t most, std::vector<T>& out) {
  const Integers values = integers(ravelled(d[name], name), name, {{-1}, "(N,)"}, 0, most);
  for (const std::int64_t one : span_of(values)) out.push_back(static_cast<T>(one));
}

/// Elements of an array of structures, as turned_dict() makes it.
template <class T>
std::vector<T> records(const py::dict& d, const char* name) {
  const auto values = py::array_t<T, py::array::c_style>::ensure(d[name]);
  if (!values) throw InputError(std::string(name) + ": is not an array as read_measured_frames() makes it");
  return {values.data(), values.data() + values.size()};
}

std::vector<Axis> axes_of(const py::dict& d) {
  std::vector<Axis> axes;
  for (const py::handle& axis : py::list(d["axes"])) axes.push_back(word_of<Axis>(py::cast<std::string>(axis), "axes"));
  return axes;
}

py::list axis_words(const std::vector<Axis>& axes) {
  py::list words;
  for (const Axis axis : axes) words.append(kChoiceWords<Axis>[static_cast<std::size_t>(axis)]);
  return words;
}

ChainReturns::TurnedRays turned_of(const py::dict& d) {
  ChainReturns::TurnedRays t;
  t.axis = word_of<Axis>(py::cast<std::string>(d["axis"]), "axis");
  for (const py::handle& angle : py::list(d["angle_rad"])) t.angle_rad.push_back(py::cast<double>(angle));
  t.rays = records<ChainReturns::TurnedRays::Ray>(d, "rays"),
  t.surfaces = records<ChainReturns::TurnedRays::Surface>(d, "surfaces");
  take_whole(d, "first_surface", 0xffffffff, t.first_surface);
  take_whole(d, "met", 255, t.met);
  return t;
}

py::object turned_dict(const ChainReturns::TurnedRays& t) {
  if (!t.is_known()) return py::none();
  py::dict d;
  d["axis"] = kChoiceWords<Axis>[static_cast<std::size_t>(*t.axis)], d["angle_rad"] = t.angle_rad;
  d["rays"] = copied<ChainReturns::TurnedRays::Ray>(t.rays),
  d["surfaces"] = copied<ChainReturns::TurnedRays::Surface>(t.surfaces);
  d["first_surface"] = copied<std::uint32_t>(t.first_surface);
  d["met"] = copied<std::uint8_t>(t.met);
  return d;
}

ChainReturns::HitTurns hits_of(const py::dict& d) {
  ChainReturns::HitTurns h;
  h.axes = axes_of(d);
  for (auto [name, out] : {std::pair{"first_rad", &h.first_rad}, std::pair{"second_rad", &h.second_rad}}) {
    const Floats values = floats(ravelled(d[name], name), name, {{-1}, "(N,)"}, Finite::kNo);
    out->assign(values.data(), values.data() + values.size());
  }
  return h;
}

py::object hits_dict(const ChainReturns::HitTurns& h) {
  if (!h.is_known()) return py::none();
  py::dict d;
  d["axes"] = axis_words(h.axes), d["first_rad"] = copied<float>(h.first_rad),
  d["second_rad"] = copied<float>(h.second_rad);
  return d;
}

ChainReturns returns_of(const py::dict& d) {
  ChainReturns r;
  for (const auto& [name, member] : kArrays) {
    const Floats values = floats(ravelled(d[name], name), name, {{-1}, "(N,)"}, Finite::kNo);
    (r.*member).assign(values.data(), values.data() + values.size());
  }
  take_whole(d, "ring", 0xffff, r.ring);
  take_whole(d, "frame", 0xffffffff, r.frame);
  r.optics = {static_cast<float>(real(d["fx_px"], "fx_px")), static_cast<float>(real(d["cx_px"], "cx_px")),
              static_cast<float>(real(d["baseline_m"], "baseline_m"))};
  r.min_range_m = real(d["min_range_m"], "min_range_m"), r.max_range_m = real(d["max_range_m"], "max_range_m");
  r.least_power = real(d["least_power"], "least_power"), r.beam_rad = real(d["beam_rad"], "beam_rad");
  r.sensor_moved = py::cast<bool>(d["sensor_moved"]);
  r.outside = word_of<ChainReturns::Outside>(py::cast<std::string>(d["outside"]), "outside");
  r.half_step_m = real(d["half_step_m"], "half_step_m");
  r.depths_are_rounded = py::cast<bool>(d["depths_are_rounded"]);
  if (!d["turned"].is_none()) r.turned = turned_of(d["turned"]);
  if (!d["hits"].is_none()) r.hits = hits_of(d["hits"]);
  return r;
}

py::dict returns_dict(const ChainReturns& r) {
  py::dict d;
  for (const auto& [name, member] : kArrays) d[name] = copied<float>(r.*member);
  d["frame"] = copied<std::uint32_t>(r.frame);
  d["ring"] = copied<std::uint16_t>(r.ring), d["sensor_moved"] = r.sensor_moved;
  d["fx_px"] = double{r.optics.fx_px}, d["cx_px"] = double{r.optics.cx_px};
  d["baseline_m"] = double{r.optics.baseline_m};
  d["min_range_m"] = r.min_range_m, d["max_range_m"] = r.max_range_m, d["least_power"] = r.least_power;
  d["beam_rad"] = r.beam_rad;
  d["outside"] = kChoiceWords<ChainReturns::Outside>[static_cast<std::size_t>(r.outside)];
  d["half_step_m"] = r.half_step_m, d["depths_are_rounded"] = r.depths_are_rounded;
  d["turned"] = turned_dict(r.turned);
  d["hits"] = hits_dict(r.hits);
  return d;
}

}  // namespace

py::list parameter_tuples(const Fit& fit) {
  py::list list;
  for (const Fit::Parameter& p : fit.parameters) {
    list.append(py::make_tuple(p.name, p.unit, p.start, p.value, p.std_error, p.naive_error, p.low_95, p.high_95,
                               kChoiceWords<Fit::Status>[static_cast<std::size_t>(p.status)]));
  }
  return list;
}

py::object held_out_tuple(const Fit& fit) {
  if (!fit.held_out) return py::none();
  const Fit::HeldOut& h = *fit.held_out;
  return py::make_tuple(h.nats, h.readings, h.start_nats, h.gain_nats, h.gain_error, h.note);
}

py::dict chain_fit_dict(const ChainFit& made) {
  py::dict d;
  const auto n = static_cast<py::ssize_t>(made.parameters.size());
  d["parameters"] = parameter_tuples(made);
  d["correlations"] = copied<double>(made.correlations).reshape({n, n});
  d["returns"] = made.returns, d["lost"] = made.lost, d["frames"] = made.frames, d["at_edges"] = made.at_edges;
  d["blocks"] = made.blocks, d["block"] = made.block;
  d["start_log_likelihood"] = made.start_log_likelihood, d["log_likelihood"] = made.log_likelihood;
  d["held_out"] = held_out_tuple(made), d["flags"] = texts_of(made.findings);
  py::dict out;
  out["fit"] = d, out["noise"] = chain_list(made.chain);
  return out;
}

namespace {

py::dict fit(const py::iterable& noise, const std::vector<std::string>& patterns, const py::dict& returns, int hold_out,
             int block_frames, const std::optional<int>& stretches, int threads) {
  const NoiseChain chain = chain_of(noise);
  const ChainReturns measured = returns_of(returns);
  const std::vector<std::uint16_t> rings = measured.rings();
  const std::vector<ChainParameter> free = chain_parameters(chain, patterns, rings);
  ChainFitOptions options;
  options.hold_out = whole32(py::int_(hold_out), "hold_out");
  options.block_frames = whole32(py::int_(block_frames), "block_frames");
  if (stretches) options.stretches = whole32(py::int_(*stretches), "stretches");
  options.threads = threads;
  ChainFit made;
  released([&] { made = fit_chain(chain, free, measured, options); });
  return chain_fit_dict(made);
}

py::list score(const py::iterable& noise, const py::dict& returns, int threads) {
  const NoiseChain chain = chain_of(noise);
  const ChainReturns measured = returns_of(returns);
  std::vector<FrameScore> made;
  released([&] { made = score_frames(chain, measured, threads); });
  py::list scores;
  for (const FrameScore& s : made) scores.append(py::make_tuple(s.frame, s.returns, s.lost, s.nats));
  return scores;
}

std::vector<FrameScore> scores_of(const py::list& tuples) {
  std::vector<FrameScore> scores;
  for (const py::handle& item : tuples) {
    const auto t = py::cast<py::tuple>(item);
    scores.push_back({py::cast<std::uint32_t>(t[0]), py::cast<std::size_t>(t[1]), py::cast<std::size_t>(t[2]),
                      py::cast<double>(t[3])});
  }
  return scores;
}

py::tuple mean(const py::list& scores, int stretches) {
  const MeanScore m = mean_score(scores_of(scores), whole32(py::int_(stretches), "stretches"));
  return py::make_tuple(m.nats, m.std_error);
}

py::tuple difference(const py::list& scores, const py::list& others, int stretches) {
  const MeanScore m = score_difference(scores_of(scores), scores_of(others), whole32(py::int_(stretches), "stretches"));
  return py::make_tuple(m.nats, m.std_error);
}

py::dict read(const std::filesystem::path& scene, const std::filesystem::path& measured, const std::string& sensor,
              const std::vector<std::string>& overrides, const std::string& files,
              const std::optional<double>& levels_per_m, const py::dict& log, std::uint64_t most_returns,
              double angle_scale_rad, const py::iterable& other_noise, int threads) {
  const NoiseChain other = chain_of(other_noise);
  MeasuredOptions options;
  options.log.laser = py::cast<std::string>(log["laser"]);
  options.log.ray_angle_deg = py::cast<std::optional<double>>(log["ray_angle_deg"]);
  if (!log["mount"].is_none()) options.log.mount = planar_pose_of(log["mount"], "mount");
  options.scans = py::cast<std::string>(log["scans"]);
  options.max_range_m = py::cast<std::optional<double>>(log["max_range_m"]);
  options.step_m = real(log["step_m"], "step_m");
  ChainFrames made;
  NoiseChain chain;
  released([&] {
    const SceneSetup setup = read_scene_file(scene, overrides);
    options.files = files, options.levels_per_m = levels_per_m;
    options.frames.sensor = sensor, options.frames.most_returns = most_returns;
    options.frames.angle_scale_rad = angle_scale_rad, options.frames.other_chain = other;
    options.frames.run.compute.threads = threads;
    chain = setup.sensors[find_sensor(setup, sensor)].sensor.noise;
    made = read_measured_frames(setup, measured, options);
  });
  py::dict d;
  d["returns"] = returns_dict(made.returns), d["sensor"] = made.sensor, d["noise"] = chain_list(chain);
  d["frames"] = made.frames, d["hidden"] = made.hidden, d["unexpected"] = made.unexpected;
  d["flags"] = texts_of(made.findings());
  return d;
}

}  // namespace

void bind_chain_fits(py::module_& m) {
  PYBIND11_NUMPY_DTYPE(Vec3, x, y, z);
  PYBIND11_NUMPY_DTYPE(ChainReturns::TurnedRays::Ray, direction, origin_m, normal, surroundings);
  PYBIND11_NUMPY_DTYPE(ChainReturns::TurnedRays::Surface, normal, plane_m, energy);
  m.def("_fit_chain", &fit);
  m.def("_score_frames", &score);
  m.def("_mean_score", &mean);
  m.def("_score_difference", &difference);
  m.def("_read_measured_frames", &read);
  m.def("_chain_yaml",
        [](const py::iterable& noise, std::size_t indent) { return chain_yaml(chain_of(noise), indent); });
}

}  // namespace fathom::python
