// SPDX-License-Identifier: MIT
// Learning and scoring of whole chains of noise.

#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fathom/calibrate/chain_report.hpp>

#include "chain.hpp"

namespace fathom::python {

namespace {

/// Arrays of returns by their names in python/fathom/chains.py.
constexpr std::array<std::pair<const char*, std::vector<float> ChainReturns::*>, 9> kArrays = {{
    {"range_m", &ChainReturns::range_m},
    {"clean_range_m", &ChainReturns::clean_range_m},
    {"clean_x_m", &ChainReturns::clean_x_m},
    {"clean_y_m", &ChainReturns::clean_y_m},
    {"incidence_rad", &ChainReturns::incidence_rad},
    {"energy", &ChainReturns::energy},
    {"edge_rad", &ChainReturns::edge_rad},
    {"jump", &ChainReturns::jump},
    {"jump_rad", &ChainReturns::jump_rad},
}};

ChainReturns returns_of(const py::dict& d) {
  ChainReturns r;
  for (const auto& [name, member] : kArrays) {
    const Floats values = floats(ravelled(d[name], name), name, {{-1}, "(N,)"}, Finite::kNo);
    (r.*member).assign(values.data(), values.data() + values.size());
  }
  const Integers frame = integers(ravelled(d["frame"], "frame"), "frame", {{-1}, "(N,)"}, 0, 0xffffffff);
  for (const std::int64_t one : span_of(frame)) r.frame.push_back(static_cast<std::uint32_t>(one));
  r.optics = {static_cast<float>(real(d["fx_px"], "fx_px")), static_cast<float>(real(d["cx_px"], "cx_px")),
              static_cast<float>(real(d["baseline_m"], "baseline_m"))};
  r.min_range_m = real(d["min_range_m"], "min_range_m"), r.max_range_m = real(d["max_range_m"], "max_range_m");
  r.outside = word_of<OutsideLimits>(py::cast<std::string>(d["outside"]), "outside");
  r.half_step_m = real(d["half_step_m"], "half_step_m");
  r.depths_are_rounded = py::cast<bool>(d["depths_are_rounded"]);
  return r;
}

py::dict returns_dict(const ChainReturns& r) {
  py::dict d;
  for (const auto& [name, member] : kArrays) d[name] = copied<float>(r.*member);
  d["frame"] = copied<std::uint32_t>(r.frame);
  d["fx_px"] = double{r.optics.fx_px}, d["cx_px"] = double{r.optics.cx_px};
  d["baseline_m"] = double{r.optics.baseline_m};
  d["min_range_m"] = r.min_range_m, d["max_range_m"] = r.max_range_m;
  d["outside"] = kChoiceWords<OutsideLimits>[static_cast<std::size_t>(r.outside)];
  d["half_step_m"] = r.half_step_m, d["depths_are_rounded"] = r.depths_are_rounded;
  return d;
}

py::dict parameter_dict(const LearnedParameter& p) {
  py::dict d;
  d["name"] = p.name, d["unit"] = p.unit, d["start"] = p.start, d["value"] = p.value;
  d["std_error"] = p.std_error, d["naive_error"] = p.naive_error, d["low"] = p.low, d["high"] = p.high;
  d["is_unidentified"] = p.is_unidentified, d["is_at_limit"] = p.is_at_limit;
  return d;
}

}  // namespace

py::dict chain_fit_dict(const ChainFit& made) {
  py::dict d;
  py::list parameters;
  for (const LearnedParameter& p : made.parameters) parameters.append(parameter_dict(p));
  const auto n = static_cast<py::ssize_t>(made.parameters.size());
  d["parameters"] = parameters;
  d["correlations"] = copied<double>(made.correlations).reshape({n, n});
  d["returns"] = made.returns, d["lost"] = made.lost, d["frames"] = made.frames, d["clusters"] = made.clusters;
  d["start_log_likelihood"] = made.start_log_likelihood, d["log_likelihood"] = made.log_likelihood;
  d["judged"] = made.judged, d["held_out_nats"] = made.held_out_nats, d["start_nats"] = made.start_nats;
  d["gain_nats"] = made.gain_nats, d["gain_error"] = made.gain_error, d["flags"] = made.flags;
  py::dict out;
  out["fit"] = d, out["noise"] = chain_list(made.chain);
  return out;
}

namespace {

py::dict fit(const py::iterable& noise, const std::vector<std::string>& patterns, const py::dict& returns, int hold_out,
             int block_frames, int threads) {
  const NoiseChain chain = chain_of(noise);
  const ChainReturns measured = returns_of(returns);
  std::vector<ChainParameter> free;
  for (const std::string& pattern : patterns) {
    for (ChainParameter& p : chain_parameters(chain, pattern)) free.push_back(std::move(p));
  }
  ChainFitOptions options;
  options.hold_out = whole32(py::int_(hold_out), "hold_out");
  options.block_frames = whole32(py::int_(block_frames), "block_frames");
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

py::tuple mean(const py::list& scores) {
  const MeanScore m = mean_score(scores_of(scores));
  return py::make_tuple(m.nats, m.std_error);
}

py::tuple difference(const py::list& scores, const py::list& others) {
  const MeanScore m = score_difference(scores_of(scores), scores_of(others));
  return py::make_tuple(m.nats, m.std_error);
}

py::dict read(const std::filesystem::path& scene, const std::filesystem::path& measured, const std::string& sensor,
              const std::vector<std::string>& overrides, const std::string& files, double levels_per_m,
              std::uint64_t most_returns, int threads) {
  ChainFrames made;
  NoiseChain chain;
  released([&] {
    const SceneSetup setup = read_scene_file(scene, overrides);
    MeasuredOptions options;
    options.files = files, options.levels_per_m = levels_per_m;
    options.frames.sensor = sensor, options.frames.most_returns = most_returns;
    options.frames.run.compute.threads = threads;
    chain = setup.sensors[find_sensor(setup, sensor)].sensor.noise;
    made = read_measured_frames(setup, measured, options);
  });
  py::dict d;
  d["returns"] = returns_dict(made.returns), d["sensor"] = made.sensor, d["noise"] = chain_list(chain);
  d["frames"] = made.frames, d["hidden"] = made.hidden, d["unexpected"] = made.unexpected;
  return d;
}

}  // namespace

void bind_chain_fits(py::module_& m) {
  m.def("_fit_chain", &fit);
  m.def("_score_frames", &score);
  m.def("_mean_score", &mean);
  m.def("_score_difference", &difference);
  m.def("_read_measured_frames", &read);
  m.def("_chain_yaml",
        [](const py::iterable& noise, std::size_t indent) { return chain_yaml(chain_of(noise), indent); });
}

}  // namespace fathom::python
