// SPDX-License-Identifier: MIT
#pragma once
// How often the intervals of learned chains hold the truth: chains of the presets in a room, before a fence where they
// turn rays, and in rooms whose walls are not where the scene has them; and a laser along such walls.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fathom/core/f64.hpp>
#include <fathom/core/random.hpp>
#include <fathom/fit/frames.hpp>
#include <fathom/sensor/presets.hpp>

#include "fit/calibrate/chain_simulator.hpp"
#include "fit/calibrate/learned_cases.hpp"
#include "fit/frames/chain_frames.hpp"
#include "render/test_scenes.hpp"

namespace fathom::test {

/// The estimates of one parameter over the seeds of a study.
struct ParameterCoverage {
  std::string name;
  double truth = 0.0;
  std::size_t fits = 0, without_error = 0, held = 0;
  std::vector<double> off;               ///< |value - truth| / error, of fits with an error
  double squares = 0.0;                  ///< their sum of squares
  double errors = 0.0, distances = 0.0;  ///< sums of squares of the errors, and of value - truth

  void add(const Fit::Parameter& p) {
    ++fits;
    if (!std::isfinite(p.std_error)) {
      ++without_error;
      return;
    }
    held += truth >= p.low_95 && truth <= p.high_95 ? 1 : 0;
    off.push_back(std::abs(p.value - truth) / p.std_error);
    squares += off.back() * off.back();
    errors += p.std_error * p.std_error, distances += (p.value - truth) * (p.value - truth);
  }
  void add(const ParameterCoverage& o) {
    fits += o.fits, without_error += o.without_error, held += o.held, squares += o.squares;
    errors += o.errors, distances += o.distances;
    off.insert(off.end(), o.off.begin(), o.off.end());
  }
  [[nodiscard]] double share_held() const { return static_cast<double>(held) / static_cast<double>(off.size()); }
  /// 0.674 of a normal whose error is the stated one.
  [[nodiscard]] double median_off() const {
    std::vector<double> sorted = off;
    std::sort(sorted.begin(), sorted.end());
    return sorted.empty() ? NAN : 0.5 * (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]);
  }
  [[nodiscard]] double spread_over_stated() const { return std::sqrt(squares / static_cast<double>(off.size())); }
  /// Root of the mean stated variance over the mean square of value - truth.
  [[nodiscard]] double stated_over_spread() const { return std::sqrt(errors / distances); }
};

struct ChainStudy {
  std::string name = {};
  NoiseChain truth = {};
  std::vector<ChainParameter> free = {};
  std::function<ChainReturns(std::uint64_t seed)> returns = {};
  ChainFitOptions options = {.hold_out = 0, .threads = 1};
  double wrong = 0.7;             ///< share of the true values from which learning begins
  bool is_truth_learned = false;  ///< the truth is the mean of what its seeds learn: that of a scene with errors
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
    if (!p.ring) start = with_wrong_values(std::move(start), {p}, study.wrong);
  }
  std::vector<std::vector<Fit::Parameter>> learned;  // [seeds, parameters]
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    learned.push_back(fit_chain(start, study.free, study.returns(seed), study.options).parameters);
  }
  for (std::size_t k = 0; k < out.size(); ++k) {
    out[k].name = learned.front()[k].name;
    if (study.is_truth_learned) {
      double sum = 0.0;
      for (const auto& of_seed : learned) sum += of_seed[k].value;
      out[k].truth = sum / static_cast<double>(seeds);
    }
    for (const auto& of_seed : learned) out[k].add(of_seed[k]);
  }
  return out;
}

/// The kind of sensor with few rays: fewer columns or points, an image of fewer pixels, or the middle of one whose
/// disparities are in pixels.
inline SensorModel with_few_rays(SensorModel model) {
  if (auto* lidar = std::get_if<SpinningLidar>(&model)) {
    lidar->columns = 512 / static_cast<std::uint32_t>(lidar->elevation_rad.size());
  }
  if (auto* rosette = std::get_if<Rosette>(&model)) {
    rosette->points_per_s *= 512.0 / rosette->points, rosette->points = 512;
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

/// The parameters that returns of one room identify. Omitted are steps of levels (they have no standard error), a reach
/// beyond the room, a largest disparity that no return has, and numbers at their limit. Of a model that occurs twice,
/// only the last entry counts.
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

inline constexpr std::uint32_t kStudyFrames = 40;
inline constexpr std::size_t kStudyReturns = 8'000;

inline SceneSetup study_setup(Scene scene, SensorModel model, NoiseChain noise, std::vector<Trajectory::Key> way) {
  SceneSetup setup;
  setup.file = "study.yaml", setup.scene = std::move(scene);
  Sensor sensor = make_sensor(std::move(model), std::move(noise), {}, "sensor");
  sensor.parent_from_sensor = Trajectory(std::move(way));
  setup.sensors.emplace_back();
  setup.sensors.front().sensor = std::move(sensor);
  return setup;
}

/// The pose of a sensor that turns round twice in a room.
inline Pose turning_pose(double share) {
  const double turn = 2.0 * 3.14159265358979 * share;
  return {{1.0 + 1.5 * std::cos(turn), std::sin(turn), 0.1},
          from_roll_pitch_yaw(0, 0.1 * std::sin(3 * turn), 2 * turn)};
}

/// A sensor that turns in a room.
inline SceneSetup turning_in_a_room(SensorModel model, NoiseChain noise) {
  std::vector<Trajectory::Key> way;
  for (std::uint32_t k = 0; k <= kStudyFrames; ++k) way.push_back({0.1 * k, turning_pose(1.0 * k / kStudyFrames)});
  return study_setup(make_room_scene(), std::move(model), std::move(noise), std::move(way));
}

/// Two fences before a wall, of upright and of level slats: edges are what tells by how much rays are turned.
inline Scene make_fences() {
  Scene scene;
  const MeshId box = scene.add_mesh(make_box({1, 1, 1}), "box");
  const auto add = [&](std::string name, const Vec3& at, const Vec3& size) {
    scene.add_entity({.name = std::move(name), .mesh = box, .parent_from_entity = Pose{at, {}}, .scale = size});
  };
  add("wall", {6, 0, 0}, {1, 40, 40});
  for (int k = -50; k <= 50; ++k) add("upright" + std::to_string(k + 50), {2, 0.04 * k, 0}, {0.01, 0.02, 6});
  for (int k = -30; k <= 30; ++k) add("level" + std::to_string(k + 30), {3, 0, 0.1 * k}, {0.01, 8, 0.04});
  return scene;
}

/// A sensor that sways before fences, and looks at them only.
inline SceneSetup swaying_before_fences(SensorModel model, NoiseChain noise) {
  if (auto* lidar = std::get_if<SpinningLidar>(&model)) lidar->start_azimuth_rad = 0.5, lidar->span_rad = 1.0;
  std::vector<Trajectory::Key> way;
  for (std::uint32_t k = 0; k <= kStudyFrames; ++k) {
    way.push_back({0.1 * k, Pose{{0.3 * std::sin(0.9 * k), 0.2 * std::sin(0.7 * k), 0.2 * std::cos(0.8 * k)},
                                 from_roll_pitch_yaw(0.05 * std::sin(1.1 * k), 0, 0.1 * std::sin(1.3 * k))}});
  }
  return study_setup(make_fences(), std::move(model), std::move(noise), std::move(way));
}

/// What a sensor measures in a world, beside a scene of it that need not be right.
inline ChainReturns returns_of_seed(const SceneSetup& world, const SceneSetup& scene, std::uint32_t frames,
                                    std::size_t most_returns, std::uint64_t seed) {
  ChainFrames::Options options;
  options.most_returns = most_returns, options.run.seed = seed, options.run.compute.threads = 1;
  Simulator simulator = make_simulator(world, options.run);
  Frame frame({Channel::kRange, Channel::kReason});
  ChainFrameReader reader(scene, frames, options);
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

/// Else sensors with the same noise would have the same draws.
inline std::uint64_t own_seeds(const SensorPreset& preset) {
  return static_cast<std::uint64_t>(&preset - sensor_presets().data()) << 32U;
}

inline NoiseChain without_turned_rays(const NoiseChain& chain) {
  NoiseChain rest;
  for (const ChainEntry& entry : chain) {
    if (entry.noise.stage() != Stage::kRay) rest.push_back(entry);
  }
  return rest;
}

/// Of a preset in a room, or before fences if it turns rays about one axis: its chain. Turns about two axes are left
/// out, as `name` then says.
inline ChainStudy preset_study(const SensorPreset& preset) {
  ChainStudy study = {.name = std::string(preset.name), .truth = preset.noise};
  if (without_turned_rays(study.truth).size() + 2 == study.truth.size()) {
    study.truth = without_turned_rays(study.truth), study.name += " without angular_ray";
  }
  study.free = told_parameters(study.truth);
  const bool turns = without_turned_rays(study.truth).size() != study.truth.size();
  const SensorModel model = with_few_rays(preset.model);
  const SceneSetup setup = turns ? swaying_before_fences(model, study.truth) : turning_in_a_room(model, study.truth);
  study.returns = [setup, own = own_seeds(preset)](std::uint64_t seed) {
    return returns_of_seed(setup, setup, kStudyFrames, kStudyReturns, own + seed);
  };
  return study;
}

/// A lidar with a separate gain and bias for each ring.
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
  study.returns = [setup](std::uint64_t seed) { return returns_of_seed(setup, setup, kStudyFrames, 40'000, seed); };
  return study;
}

/// A lidar turns in a hall so wide that weather loses some of its walls. The first parameter is that of the weather.
inline ChainStudy weather_study(const Noise& weather) {
  ChainStudy study = {.name = std::string(weather.slug()), .truth = {weather, DistanceNoise{0.0F, 0.02F, 0.0F}}};
  study.free = {{0, std::string(weather.learned().front().field)}, {1, "stddev_m"}};
  Scene hall;
  const MeshId box = hall.add_mesh(make_box({1, 1, 1}), "box");
  hall.add_entity({.name = "hall", .mesh = box, .scale = {120, 80, 24}, .reflectivity = 0.3F});
  hall.add_entity({.name = "post", .mesh = box, .parent_from_entity = Pose{{9, 4, 0}, {}}, .scale = {1, 6, 20}});
  SceneSetup setup = turning_in_a_room(make_lidar(16, 64), study.truth);
  setup.scene = std::move(hall);
  setup.sensors.front().sensor.detection.reach_10_m = 50.0F;
  study.returns = [setup](std::uint64_t seed) {
    const std::uint64_t own = (1ULL << 41U) + seed;
    ChainReturns returns = returns_of_seed(setup, setup, kStudyFrames, kStudyReturns, own);
    for (std::uint32_t i = 0; i < returns.size(); ++i) {  // as the fit takes it
      const auto word = keyed_block({.seed = own, .frame = i, .stream = 5}, 0, 0).word[0];
      returns.light[i] *= math::exp(static_cast<float>(0.01 * math::normal_quantile((word + 0.5) / 4294967296.0)));
    }
    return returns;
  };
  return study;
}

inline std::vector<ChainStudy> weather_studies() {
  return {weather_study(Fog{.visibility_m = 60.0F}), weather_study(Rain{.rate_mm_per_h = 20.0F}),
          weather_study(Snow{.rate_mm_per_h = 2.0F})};
}

/// A laser drives 800 m between two walls whose panels are up to some centimetres from where the scene has them. Errors
/// of scans within a stretch of the way are correlated.
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

}  // namespace fathom::test
