// SPDX-License-Identifier: MIT
// The noise of sensors learned from a flat wall.

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fathom/core/error.hpp>
#include <fathom/fit/frames.hpp>
#include <fathom/fit/wall.hpp>

#include "chain.hpp"

namespace fathom::python {

namespace {

WallSensor sensor_from(const py::dict& d) {
  WallSensor sensor;
  if (!d["lidar"].is_none()) {
    sensor = find_wall_lidar(py::cast<std::string>(d["lidar"]));
    const std::uint32_t rows = whole32(d["rows"], "rows"), cols = whole32(d["cols"], "cols");
    if (sensor.rows == rows && sensor.cols == cols) return sensor;
    throw InputError("measured has frames of " + std::to_string(rows) + " x " + std::to_string(cols) +
                     " rays, and the lidar " + std::to_string(sensor.rows) + " x " + std::to_string(sensor.cols));
  }
  sensor.rows = whole32(d["rows"], "rows"), sensor.cols = whole32(d["cols"], "cols");
  sensor.max_range_m = real(d["max_range_m"], "max_range_m");
  if (!d["camera"].is_none()) {
    const Doubles c = doubles(d["camera"], "camera", {{5}, "(fx, fy, cx, cy, baseline)"});
    sensor.camera = WallSensor::Camera{c.at(0), c.at(1), c.at(2), c.at(3), c.at(4)};
  } else {
    const Doubles a = doubles(d["azimuth_rad"], "azimuth_rad", {{-1}, "(rays,)"});
    sensor.azimuth_rad.assign(a.data(), a.data() + a.size());
  }
  return sensor;
}

WallFrames frames_from(const py::object& measured, const py::dict& sensor, const py::object& tape_m,
                       const py::object& left_out, double half_step_m) {
  WallFrames frames;
  frames.sensor = sensor_from(sensor);
  const Floats values = floats(ravelled(measured, "measured"), "measured", {{-1}, "(N,)"}, Finite::kNo);
  frames.measured_m.assign(values.data(), values.data() + values.size());
  if (!tape_m.is_none()) {
    const Floats tape = floats(ravelled(tape_m, "tape_m"), "tape_m", {{-1}, "(frames,)"}, Finite::kNo);
    for (py::ssize_t k = 0; k < tape.size(); ++k) frames.tape_m.push_back(double{tape.at(k)});
  }
  if (!left_out.is_none()) {
    py::object array = ravelled(left_out, "left_out");
    if (py::cast<py::array>(array).dtype().kind() == 'b') array = array.attr("astype")("uint8");
    const Integers flags = integers(array, "left_out", {{-1}, "(N,)"}, 0, 255);
    for (const std::int64_t one : span_of(flags)) frames.left_out.push_back(static_cast<std::uint8_t>(one));
  }
  frames.half_step_m = half_step_m;
  return frames;
}

WallOptions options_from(const py::dict& d) {
  WallOptions o;
  o.seed = py::cast<std::uint64_t>(d["seed"]);
  if (!d["border"].is_none())
    o.border = word_of<WallOptions::BorderLosses>(py::cast<std::string>(d["border"]), "border");
  if (!d["wall"].is_none()) o.wall = word_of<WallOptions::Choice>(py::cast<std::string>(d["wall"]), "wall");
  o.rings = py::cast<bool>(d["rings"]);
  o.still = py::cast<bool>(d["still"]), o.rate_hz = real(d["rate_hz"], "rate_hz");
  o.hold_out = whole32(d["hold_out"], "hold_out"), o.block_frames = whole32(d["block_frames"], "block_frames");
  o.most_returns = py::cast<std::size_t>(d["max_returns"]), o.threads = py::cast<int>(d["threads"]);
  return o;
}

py::list planes_list(const std::vector<WallMeasure::Plane>& planes) {
  py::list list;
  for (const WallMeasure::Plane& p : planes) {
    list.append(py::make_tuple(p.is_found, p.why_not, py::make_tuple(p.normal.x, p.normal.y, p.normal.z), p.distance_m,
                               p.deviation, p.on_wall, p.tails, p.lost, p.other));
  }
  return list;
}

py::list bins_list(const std::vector<WallMeasure::Bin>& bins) {
  py::list list;
  for (const WallMeasure::Bin& b : bins) {
    list.append(py::make_tuple(b.low, b.high, b.readings, b.lost, b.deviation_px, b.deviation_m));
  }
  return list;
}

py::dict measure_dict(const WallMeasure& m, const WallSensor& sensor) {
  py::dict d;
  const auto frames = static_cast<py::ssize_t>(m.planes.size());
  const std::vector<py::ssize_t> shape = {frames, static_cast<py::ssize_t>(sensor.rows),
                                          static_cast<py::ssize_t>(sensor.cols)};
  std::vector<std::uint8_t> pixels;
  pixels.reserve(m.pixels.size());
  for (const WallMeasure::Pixel pixel : m.pixels) pixels.push_back(static_cast<std::uint8_t>(pixel));
  d["planes"] = planes_list(m.planes), d["pixels"] = copied<std::uint8_t>(pixels).reshape(shape);
  d["residual"] = copied<float>(m.residual).reshape(shape);
  d["by_range"] = bins_list(m.by_range), d["by_incidence"] = bins_list(m.by_incidence);
  d["across"] = estimates(m.across), d["down"] = estimates(m.down), d["in_time"] = estimates(m.in_time);
  d["error_shares"] = copied<double>(m.error_shares), d["deviation"] = m.deviation;
  d["readings"] = m.readings, d["lost"] = m.lost, d["tails"] = m.tails, d["other"] = m.other;
  d["not_known"] = m.not_known, d["hidden"] = m.hidden;
  return d;
}

py::list laws_list(const std::vector<WallFit::Law>& laws) {
  py::list list;
  for (const WallFit::Law& law : laws) {
    list.append(py::make_tuple(law.name, law.parameters, law.nats, law.gain, law.gain_error, law.is_chosen));
  }
  return list;
}

py::dict fit_dict(const WallFit& fit) {
  py::dict d;
  d["chain"] = chain_fit_dict(fit.chain), d["measure"] = measure_dict(fit.measure, fit.sensor);
  const WallFit::CorrelationFit& c = fit.correlation;
  py::dict size;
  size["shape"] = kChoiceWords<CorrelationShape>[static_cast<std::size_t>(c.shape)];
  size["across_px"] = estimate(c.across_px), size["down_px"] = estimate(c.down_px), size["time_s"] = c.time_s.value;
  size["shared"] = c.shared, size["misfit"] = c.misfit, size["other_misfit"] = c.other_misfit;
  d["correlation"] = size;
  d["tape"] = py::none();
  if (fit.tape) {
    const WallFit::Tape& t = *fit.tape;
    d["tape"] = py::make_tuple(t.places, estimate(t.gain), estimate(t.bias_m), t.spread_m, estimate(t.bias_px),
                               t.bias_px_spread_m, t.is_disparity, t.is_exact, t.is_contradicted);
  }
  d["loss_laws"] = laws_list(fit.loss_laws), d["range_laws"] = laws_list(fit.range_laws);
  return d;
}

py::dict fit_measured(const py::object& measured, const py::dict& sensor, const py::object& tape_m,
                      const py::object& left_out, double half_step_m, const py::dict& options) {
  const WallFrames frames = frames_from(measured, sensor, tape_m, left_out, half_step_m);
  const WallOptions how = options_from(options);
  WallFit made;
  released([&] { made = fit_wall(frames, how); });
  return fit_dict(made);
}

py::dict measure(const py::object& measured, const py::dict& sensor, const py::object& left_out, double half_step_m,
                 const py::dict& options) {
  const WallFrames frames = frames_from(measured, sensor, py::none(), left_out, half_step_m);
  const WallOptions how = options_from(options);
  WallMeasure made;
  released([&] { made = measure_wall(frames, how); });
  return measure_dict(made, frames.sensor);
}

py::array simulate(const py::dict& sensor, const py::list& walls, const py::iterable& noise, std::uint64_t seed,
                   double rate_hz, int threads) {
  const WallSensor seeing = sensor_from(sensor);
  std::vector<WallMeasure::Plane> planes;
  for (const py::handle& item : walls) {
    const auto t = py::cast<py::tuple>(item);
    const auto normal = py::cast<py::tuple>(t[0]);
    const Vec3 n = {py::cast<double>(normal[0]), py::cast<double>(normal[1]), py::cast<double>(normal[2])};
    WallMeasure::Plane plane;
    plane.is_found = true, plane.distance_m = py::cast<double>(t[1]);
    plane.normal = (1.0 / norm(n)) * n;
    planes.push_back(std::move(plane));
  }
  const NoiseChain chain = chain_of(noise);
  WallFrames made;
  released(
      [&] { made = simulate_wall(seeing, planes, chain, {.seed = seed, .rate_hz = rate_hz, .threads = threads}); });
  const std::vector<py::ssize_t> shape = {static_cast<py::ssize_t>(planes.size()),
                                          static_cast<py::ssize_t>(seeing.rows), static_cast<py::ssize_t>(seeing.cols)};
  return copied<float>(made.measured_m).reshape(shape);
}

}  // namespace

void bind_walls(py::module_& m) {
  m.def("_fit_wall", &fit_measured);
  m.def("_measure_wall", &measure);
  m.def("_simulate_wall", &simulate);
  m.def("_wall_sensor_yaml",
        [](const py::dict& sensor, double farthest_m, const py::iterable& noise, const std::string& name) {
          return wall_sensor_yaml(sensor_from(sensor), farthest_m, chain_of(noise), name);
        });
}

}  // namespace fathom::python
