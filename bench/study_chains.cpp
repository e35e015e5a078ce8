// SPDX-License-Identifier: MIT
// How often the 95 % intervals of `fathom fit chain` hold the truth (tests/calibrate/chain_study.hpp): each model
// alone, the chains of the presets, a gain and a bias for each ring, and errors that are correlated over
// stretches (the presets in rooms that the scene has wrong, a laser along uneven walls). Prints the tables of
// bench/README.md.

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "tests/calibrate/chain_study.hpp"

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

/// study_chains [SEEDS [NAME]]: NAME of one preset, "alone", "rings", "walls", "rooms", or "alone" and a model, or
/// "rooms" and a preset, behind a blank.
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
}
