// SPDX-License-Identifier: MIT
// How often the 95 % intervals of `fathom fit chain` hold the truth (tests/fit/calibrate/chain_study.hpp): each model
// alone, the chains of the presets, a gain and a bias for each ring, weather, and errors that are correlated over
// stretches (the presets in rooms that the scene has wrong, a laser along uneven walls). Prints the tables of
// bench/README.md.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fathom/core/random.hpp>

#include "tests/fit/calibrate/chain_study.hpp"

namespace fathom::test {

namespace {

/// Of a chain before a camera, whose returns the kernels of its models draw.
ChainStudy case_study(const LearnedCase& c) {
  std::string name;
  for (const ChainEntry& entry : c.chain) name += (name.empty() ? "" : ", ") + std::string(entry.noise.slug());
  ChainStudy study = {.name = c.name == "quantised" || c.name == "coarse" ? name + " in steps" : name,
                      .truth = c.chain};
  for (const ChainParameter& p : parameters_of(c.chain, c.free)) {
    if (p.field != "steps_per_px") study.free.push_back(p);
  }
  study.returns = [chain = c.chain](std::uint64_t seed) {
    // Of angles that were the same at all seeds, a limit of angles would lie in the same place between two of them.
    const auto first_quad = static_cast<std::uint32_t>(seed * kStudyReturns / 4);
    return simulate_returns(chain, kStudyFrames, kStudyReturns / kStudyFrames / 16 * 16, 31 + 509 * seed, first_quad);
  };
  return study;
}

/// Turned rays of a lidar before fences, and no other noise.
ChainStudy turned_rays_alone() {
  ChainStudy study = {.name = "angular_ray", .truth = {AngularRay{Axis::kZ, 0.001F, 0.002F}}};
  study.free = chain_parameters(study.truth, "*");
  const SceneSetup setup = swaying_before_fences(with_few_rays(find_preset("VLP-16").model), study.truth);
  study.returns = [setup](std::uint64_t seed) {
    return returns_of_seed(setup, setup, kStudyFrames, kStudyReturns, (1ULL << 40U) + seed);
  };
  return study;
}

/// Rooms in a row, 20 m from each other, each with a table and a ball. `seed`: walls stand centimetres beside where
/// they stand without one, and turned by half a degree.
Scene make_rooms(std::uint32_t rooms, std::optional<std::uint64_t> seed) {
  Scene scene;
  const MeshId box = scene.add_mesh(make_box({1, 1, 1}), "box");
  const MeshId ball = scene.add_mesh(make_sphere(0.5), "ball");
  for (std::uint32_t k = 0; k < rooms; ++k) {
    const auto off = [&](std::uint32_t which, double deviation) {
      if (!seed) return 0.0;
      const auto word = keyed_block({.seed = *seed, .frame = k, .stream = 4}, which, 0).word[0];
      return deviation * math::normal_quantile((word + 0.5) / 4294967296.0);
    };
    const double x = 20.0 * k;
    const std::string number = std::to_string(k);
    scene.add_entity({.name = "room" + number,
                      .mesh = box,
                      .parent_from_entity = Pose{{x + off(0, 0.015), off(1, 0.015), off(2, 0.01)},
                                                 from_roll_pitch_yaw(0, 0, off(3, 0.009))},
                      .scale = {12 + off(4, 0.03), 8 + off(5, 0.03), 4 + off(6, 0.02)}});
    scene.add_entity({.name = "table" + number,
                      .mesh = box,
                      .parent_from_entity = Pose{{x + 3, 1, -1}, from_roll_pitch_yaw(0, 0, 0.4)},
                      .scale = {1, 2, 0.8},
                      .reflectivity = 0.5F});
    scene.add_entity({.name = "ball" + number, .mesh = ball, .parent_from_entity = Pose{{x - 2, -2, 0}, {}}});
  }
  return scene;
}

/// A preset moves through rooms whose walls are not where the scene has them. Errors of two or three frames are
/// correlated, and stretches end within rooms. The truth is the mean estimate over the seeds, because the fit learns
/// the walls' part in an error, too. Models that turn rays are left out: such walls hide them.
ChainStudy rooms_study(const SensorPreset& preset) {
  constexpr std::uint32_t kRooms = 50, kFrames = 120;
  ChainStudy study = {.name = std::string(preset.name) + " in rooms", .truth = without_turned_rays(preset.noise)};
  study.is_truth_learned = true;
  study.free = told_parameters(study.truth);
  std::vector<Trajectory::Key> way;
  for (std::uint32_t k = 0; k <= kFrames; ++k) {
    Pose pose = turning_pose(3.0 * k / kFrames);
    pose.translation_m.x += 20.0 * (k * kRooms / kFrames);
    way.push_back({0.1 * k, pose});
  }
  const SceneSetup scene = study_setup(make_rooms(kRooms, {}), with_few_rays(preset.model), study.truth, way);
  study.returns = [scene, own = own_seeds(preset)](std::uint64_t seed) {
    SceneSetup world = scene;
    world.scene = make_rooms(kRooms, own + seed);
    return returns_of_seed(world, scene, kFrames, kStudyReturns, own + seed);
  };
  return study;
}

}  // namespace

}  // namespace fathom::test

namespace {

using fathom::test::ParameterCoverage;

void print_head() {
  std::printf(
      "| chain | parameter | truth | held in 95 %% | median off / error | spread / error | error / spread | no error "
      "|\n");
  std::printf("|---|---|---|---|---|---|---|---|\n");
}

void print_row(std::string_view study, std::string_view parameter, const ParameterCoverage& c,
               const std::string& truth) {
  std::printf("| %.*s | `%.*s` | %s | ", static_cast<int>(study.size()), study.data(),
              static_cast<int>(parameter.size()), parameter.data(), truth.c_str());
  if (4 * c.without_error > c.fits) {
    std::printf("not told | | | | %zu |\n", c.without_error);
  } else {
    std::printf("%.3f | %.3f | %.3f | %.3f | %zu |\n", c.share_held(), c.median_off(), c.spread_over_stated(),
                c.stated_over_spread(), c.without_error);
  }
  std::fflush(stdout);
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

void print_each(const fathom::test::ChainStudy& study, std::size_t seeds) {
  for (const ParameterCoverage& c : measure_coverage(study, seeds)) print_row(study.name, c.name, c, number(c.truth));
}

/// Parameters of all rings together.
void print_rings(const fathom::test::ChainStudy& study, std::size_t seeds) {
  const std::vector<ParameterCoverage> all = measure_coverage(study, seeds);
  for (const std::string field : {".gain", ".bias_m", ".stddev_m"}) {
    ParameterCoverage sum;
    for (const ParameterCoverage& c : all) {
      if (c.name.ends_with(field)) sum.add(c);
    }
    print_row(study.name, (field == ".stddev_m" ? "distance" : "gain_bias.rings.*") + field, sum, "");
  }
}

void print_walls(std::size_t seeds) {
  const fathom::NoiseChain chain = {fathom::DistanceNoise{0.0F, 0.02F, 0.0F}};
  for (const std::uint32_t stretches : {40U, 0U}) {
    fathom::test::ChainStudy study = {.name = stretches > 0 ? "uneven walls, 40 stretches" : "uneven walls, by frame"};
    study.truth = chain, study.free = chain_parameters(chain, "distance.mean_m");
    study.free.push_back({0, "stddev_m"});
    study.returns = [](std::uint64_t seed) { return fathom::test::uneven_walls(seed); };
    study.options.stretches = stretches, study.is_truth_learned = true;
    print_each(study, seeds);
  }
}

}  // namespace

/// study_chains [SEEDS [NAME]]: NAME of one preset, "alone", "rings", "walls", "weather", "rooms", or "alone" or
/// "weather" and a model, or "rooms" and a preset, behind a blank.
int main(int argc, char** argv) {
  const std::size_t seeds = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 200;
  const std::string only = argc > 2 ? argv[2] : "";
  const auto is_meant = [&](const std::string& name) { return only.empty() || only == name; };
  print_head();
  for (const fathom::SensorPreset& preset : fathom::sensor_presets()) {
    if (is_meant(std::string(preset.name))) print_each(fathom::test::preset_study(preset), seeds);
  }
  for (const fathom::test::LearnedCase& c : fathom::test::models_alone()) {
    if (is_meant("alone") || only == "alone " + c.name) print_each(fathom::test::case_study(c), seeds);
  }
  if (is_meant("alone") || only == "alone angular_ray") print_each(fathom::test::turned_rays_alone(), seeds);
  if (is_meant("rings")) print_rings(fathom::test::ring_study(16), seeds);
  for (const fathom::SensorPreset& preset : fathom::sensor_presets()) {
    const bool all = only == "rooms";
    if (all || is_meant("rooms " + std::string(preset.name))) print_each(fathom::test::rooms_study(preset), seeds);
  }
  if (is_meant("walls")) print_walls(seeds);
  for (const fathom::test::ChainStudy& study : fathom::test::weather_studies()) {
    if (is_meant("weather") || only == "weather " + study.name) print_each(study, seeds);
  }
}
