// SPDX-License-Identifier: MIT
#pragma once
// How often the intervals of learned chains hold the truth: chains of the presets in a room, and a laser that drives
// along walls which are not where the scene has them.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fathom/calibrate/chain_frames.hpp>
#include <fathom/math/f64.hpp>
#include <fathom/math/random.hpp>
#include <fathom/sensor/presets.hpp>

#include "calibrate/chain_simulator.hpp"
#include "render/test_scenes.hpp"

namespace fathom::test {

/// What becomes of one parameter over the seeds of a study.
struct ParameterCoverage {
  std::string name;
  double truth = 0.0;
  std::size_t fits = 0, without_error = 0, held = 0;
  std::vector<double> off;  ///< |value - truth| / error, of fits with an error
  double squares = 0.0;     ///< their sum of squares

  void add(const LearnedParameter& p) {
    ++fits;
    if (!std::isfinite(p.std_error)) {
      ++without_error;
      return;
    }
    held += truth >= p.low && truth <= p.high ? 1 : 0;
    off.push_back(std::abs(p.value - truth) / p.std_error);
    squares += off.back() * off.back();
  }
  [[nodiscard]] double share_held() const { return static_cast<double>(held) / static_cast<double>(off.size()); }
  /// 0.674 of a normal whose error is the stated one.
  [[nodiscard]] double median_off() const {
    std::vector<double> sorted = off;
    std::sort(sorted.begin(), sorted.end());
    return sorted.empty() ? NAN : 0.5 * (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]);
  }
  [[nodiscard]] double spread_over_stated() const { return std::sqrt(squares / static_cast<double>(off.size())); }
};

struct ChainStudy {
  std::string name = {};
  NoiseChain truth = {};
  std::vector<ChainParameter> free = {};
  std::function<ChainReturns(std::uint64_t seed)> returns = {};
  ChainFitOptions options = {.hold_out = 0, .threads = 1};
  double wrong = 0.7;  ///< share of the true values from which learning begins
};

inline double truth_of(const NoiseChain& chain, const ChainParameter& p) {
  if (!p.ring) return value_of(chain, p);
  for (const RingEntry& other : chain[p.entry].by_ring) {
    if (other.ring == *p.ring) return value_of({other.noise}, {0, p.field});
  }
  return value_of(chain, p);
}

/// Learns the chain of each seed, from 1 on.
inline std::vector<ParameterCoverage> measure_coverage(const ChainStudy& study, std::size_t seeds) {
  std::vector<ParameterCoverage> out(study.free.size());
  NoiseChain start = study.truth;
  for (std::size_t k = 0; k < study.free.size(); ++k) {
    const ChainParameter& p = study.free[k];
    out[k].truth = truth_of(study.truth, p);
    start[p.entry].by_ring.clear();
    if (!p.ring) start[p.entry].noise = start[p.entry].noise.with(p.field, study.wrong * out[k].truth);
  }
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const ChainFit fit = fit_chain(start, study.free, study.returns(seed), study.options);
    for (std::size_t k = 0; k < out.size(); ++k) out[k].name = fit.parameters[k].name, out[k].add(fit.parameters[k]);
  }
  return out;
}

/// The kind of sensor with few rays: fewer columns, an image of fewer pixels, or the middle of one whose disparities
/// are in pixels.
inline SensorModel with_few_rays(SensorModel model) {
  if (auto* lidar = std::get_if<SpinningLidar>(&model)) {
    lidar->columns = 512 / static_cast<std::uint32_t>(lidar->elevation_rad.size());
  }
  const auto reduce = [](DepthCamera& camera, bool crop) {
    constexpr std::uint32_t kWidth = 96, kHeight = 64;
    if (camera.fx == 0.0) camera.fx = 0.5 * camera.width / std::tan(0.5 * camera.horizontal_fov_rad);
    if (!crop) camera.fx *= static_cast<double>(kWidth) / camera.width;
    camera.horizontal_fov_rad = 0.0, camera.width = kWidth, camera.height = kHeight;
  };
  if (auto* camera = std::get_if<DepthCamera>(&model)) reduce(*camera, false);
  if (auto* camera = std::get_if<StereoCamera>(&model)) reduce(*camera, true);
  return model;
}

/// Those that returns of one room can tell apart: no steps of levels, which have no error, no reach that is farther
/// than the room, no largest disparity that nothing has, no number at its limit, and of a model that is there twice the
/// last one.
inline std::vector<ChainParameter> told_parameters(const NoiseChain& chain) {
  std::vector<ChainParameter> out;
  for (const ChainParameter& p : chain_parameters(chain, "*")) {
    const std::string_view slug = chain[p.entry].noise.slug();
    const bool is_first = std::any_of(chain.begin() + static_cast<std::ptrdiff_t>(p.entry) + 1, chain.end(),
                                      [&](const ChainEntry& e) { return e.noise.slug() == slug; });
    double low = 0.0;
    for (const FieldInfo& field : chain[p.entry].noise.info().fields) {
      if (field.name == p.field) low = field.low;
    }
    const bool is_beyond = p.field == "steps_per_px" || p.field == "reach_m" || p.field == "max_disparity_px";
    if (!is_first && !is_beyond && value_of(chain, p) != low) out.push_back(p);
  }
  return out;
}

/// A sensor that turns in a room, 40 frames, of whose rays it keeps about so many in all.
inline SceneSetup turning_in_a_room(SensorModel model, NoiseChain noise) {
  std::vector<StampedPose> keys;
  for (int k = 0; k <= 40; ++k) {
    const double turn = 2.0 * 3.14159265358979 * k / 40;
    keys.push_back({0.1 * k, Pose{{1.0 + 1.5 * std::cos(turn), std::sin(turn), 0.1},
                                  from_roll_pitch_yaw(0, 0.1 * std::sin(3 * turn), 2 * turn)}});
  }
  SceneSetup setup;
  setup.file = "room.yaml", setup.scene = make_room_scene();
  Sensor sensor = make_sensor(std::move(model), std::move(noise), {}, "sensor");
  sensor.parent_from_sensor = Trajectory(std::move(keys));
  setup.sensors.emplace_back();
  setup.sensors.front().sensor = std::move(sensor);
  return setup;
}

inline ChainReturns returns_of_seed(const SceneSetup& setup, std::uint32_t frames, std::size_t most_returns,
                                    std::uint64_t seed) {
  ChainFramesOptions options;
  options.most_returns = most_returns, options.run.seed = seed, options.run.compute.threads = 1;
  Simulator simulator = make_simulator(setup, options.run);
  Frame frame({Channel::kRange, Channel::kReason});
  ChainFrameReader reader(setup, frames, options);
  for (std::uint32_t k = 0; k < frames; ++k) {
    simulator.render(SensorId{0}, k, frame);
    std::vector<float> range_m(frame.range_m().begin(), frame.range_m().end());
    for (std::size_t i = 0; i < range_m.size(); ++i) {
      if (frame.reason()[i] != Reason::kHit) range_m[i] = NAN;
    }
    reader.add_ranges(k, range_m);
  }
  return reader.frames().returns;
}

/// Of a preset: its chain, or what is left of it without models that turn rays, as `name` then says.
inline ChainStudy preset_study(const SensorPreset& preset) {
  ChainStudy study = {.name = std::string(preset.name)};
  for (const ChainEntry& entry : preset.noise) {
    if (entry.noise.stage() != Stage::kRay) study.truth.push_back(entry);
  }
  if (study.truth.size() != preset.noise.size()) study.name += " without angular_ray";
  study.free = told_parameters(study.truth);
  const SceneSetup setup = turning_in_a_room(with_few_rays(preset.model), study.truth);
  // Else sensors with the same noise would have the same draws.
  const auto own = static_cast<std::uint64_t>(&preset - sensor_presets().data()) << 32U;
  study.returns = [setup, own](std::uint64_t seed) { return returns_of_seed(setup, 40, 8'000, own + seed); };
  return study;
}

/// A lidar of which each ring has a gain and a bias of its own.
inline ChainStudy ring_study(std::uint16_t rings) {
  ChainStudy study = {.name = "gain_bias by ring"};
  std::vector<RingEntry> entries;
  for (std::uint16_t ring = 0; ring < rings; ++ring) {
    const float r = static_cast<float>(ring);
    entries.push_back({ring, GainBias{0.002F * std::sin(r), 0.03F * std::cos(2 * r)}});
  }
  study.truth = {ChainEntry(GainBias{}, entries), DistanceNoise{0.0F, 0.02F, 0.0F}};
  std::vector<std::uint16_t> numbers(rings);
  for (std::uint16_t ring = 0; ring < rings; ++ring) numbers[ring] = ring;
  study.free = chain_parameters(study.truth, "gain_bias.rings.*", numbers);
  study.free.push_back({1, "stddev_m"});
  const SceneSetup setup = turning_in_a_room(make_lidar(rings, 64), study.truth);
  study.returns = [setup](std::uint64_t seed) { return returns_of_seed(setup, 40, 40'000, seed); };
  return study;
}

/// A laser drives 800 m between two walls whose panels stand up to some centimetres from where the scene has them: the
/// scans of a stretch of the way err together.
inline ChainReturns uneven_walls(std::uint64_t seed, std::uint32_t scans = 480, std::uint32_t rays = 24) {
  constexpr double kHalfWidthM = 2.0, kStepM = 1.6, kPanelM = 2.5, kUnevenM = 0.02, kStddevM = 0.02;
  const auto normal = [&](std::uint32_t a, std::uint32_t b, std::uint32_t stream) {
    const auto word = keyed_block({.seed = seed, .frame = a, .stream = stream}, b, 0).word[0];
    return math::normal_quantile((word + 0.5) / 4294967296.0);
  };
  ChainReturns out;
  out.sensor_moved = true;
  for (std::uint32_t scan = 0; scan < scans; ++scan) {
    for (std::uint32_t ray = 0; ray < rays; ++ray) {
      const double angle = 0.3 + (3.14159265358979 - 0.6) * (ray / 2) / (rays / 2 - 1);
      const double range = kHalfWidthM / std::sin(angle), x = kStepM * scan + kHalfWidthM / std::tan(angle);
      const auto panel = static_cast<std::uint32_t>(std::floor(x / kPanelM) + 1000);
      const double off = kUnevenM * normal(panel, ray % 2, 1) / std::sin(angle);
      out.range_m.push_back(static_cast<float>(range + off + kStddevM * normal(scan, ray, 2)));
      out.clean_range_m.push_back(static_cast<float>(range));
      out.clean_x_m.push_back(static_cast<float>(range * std::cos(angle)));
      out.clean_y_m.push_back(static_cast<float>(kHalfWidthM));
      out.incidence_rad.push_back(static_cast<float>(std::abs(angle - 1.5707963267948966)));
      out.energy.push_back(1.0F), out.frame.push_back(scan);
    }
  }
  return out;
}

/// The study with the mean of what its seeds learn for its truth.
inline ChainStudy with_learned_truth(ChainStudy study, std::size_t seeds) {
  std::vector<double> sum(study.free.size(), 0.0);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const ChainFit fit = fit_chain(study.truth, study.free, study.returns(seed), study.options);
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += fit.parameters[k].value;
  }
  for (std::size_t k = 0; k < sum.size(); ++k) {
    const ChainParameter& p = study.free[k];
    study.truth[p.entry].noise = study.truth[p.entry].noise.with(p.field, sum[k] / static_cast<double>(seeds));
  }
  return study;
}

}  // namespace fathom::test
