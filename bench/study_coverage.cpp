// SPDX-License-Identifier: MIT
// How often the 95 % intervals of a fit hold the truth where readings of neighbouring scans err together: a corridor
// whose furniture was moved since its map was made (tests/beam/corridor.hpp). Prints the table of docs/beam-model.md.

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/beam/corridor.hpp"

namespace {

using fathom::BeamParameters;

void print_row(const BeamParameters& truth, const fathom::test::Coverage& stretches,
               const fathom::test::Coverage& scans, const fathom::Field<BeamParameters>& field) {
  const auto member = fathom::member_of<double>(field);
  std::printf("| `%s` | %.4f | %.5f | %.5f | %.3f | %.5f | %.3f |\n", std::string(field.name).c_str(), truth.*member,
              stretches.spread.*member, stretches.reported.*member, stretches.held.*member, scans.reported.*member,
              scans.held.*member);
}

}  // namespace

/// study_coverage [SEEDS]
int main(int argc, char** argv) {
  const std::size_t seeds = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 200;
  const fathom::test::CorridorStudy study;
  const auto map = fathom::make_grid_ranges(fathom::test::corridor_map(study, 0), {});
  std::vector<fathom::BeamData> worlds;
  for (std::size_t seed = 1; seed <= seeds; ++seed) {
    worlds.push_back(fathom::test::corridor_pairs(study, *map, seed));
  }
  const BeamParameters truth = fathom::test::learn_from_all(study, worlds);
  std::vector<BeamParameters> starts(worlds.size(), truth);
  const auto by_stretch = fathom::test::measure_coverage(study, worlds, truth, fathom::FitOptions().stretches, starts);
  const auto by_scan = fathom::test::measure_coverage(study, worlds, truth, 0, starts);
  std::printf("%zu worlds of %zu readings.\n\n", worlds.size(), worlds.front().reading_m.size());
  std::printf("| parameter | truth | spread | stated, 40 stretches | coverage | stated, by scan | coverage |\n");
  std::printf("|---|---|---|---|---|---|---|\n");
  for (const auto& field : BeamParameters::fields()) print_row(truth, by_stretch, by_scan, field);
}
