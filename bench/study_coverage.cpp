// SPDX-License-Identifier: MIT
// How often the 95 % intervals of a fit hold the truth where neighbouring scans have correlated errors: a corridor
// whose furniture was moved since its map was made (tests/fit/beam/corridor.hpp). bench/README.md has the
// ranges of the tables.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "tests/fit/beam/corridor.hpp"

namespace {

using fathom::FitOptions;
using fathom::test::CorridorStudy;
using fathom::test::Learned;

struct Law {
  const char* name;
  fathom::HitTail tail;
};
constexpr Law kLaws[] = {{"gaussian", {}},
                         {"student_t", {fathom::HitLaw::kStudentT, 3.0, 0.0}},
                         {"grows", {fathom::HitLaw::kGrows, 4.0, 0.01}},
                         {"likelihood_field", {}}};

void print_table(const Learned& truth, const std::vector<Learned>& by_stretch, const std::vector<Learned>& by_scan) {
  const auto stretches = fathom::test::coverage_of(truth, by_stretch),
             scans = fathom::test::coverage_of(truth, by_scan);
  std::printf("| parameter | truth | spread | stated, 40 stretches | coverage | stated, by scan | coverage |\n");
  std::printf("|---|---|---|---|---|---|---|\n");
  for (std::size_t k = 0; k < truth.size(); ++k) {
    const auto& of = stretches[k];
    std::printf("| `%s` | %.4f | %.5f | %.5f | %.3f | %.5f | %.3f |\n", of.name.c_str(), of.truth, of.spread,
                of.reported, of.held, scans[k].reported, scans[k].held);
  }
}

void study_field(const CorridorStudy& study, const fathom::GridMap& map, const std::vector<fathom::BeamData>& worlds) {
  const fathom::LikelihoodFieldModel start = {.max_range_m = study.sensor.max_range_m};
  const fathom::DistanceField field(map, start.max_distance_m);
  std::vector<fathom::FieldData> ends;
  ends.reserve(worlds.size());
  for (const auto& world : worlds) ends.push_back(fathom::test::corridor_ends(study, world, field, start));
  const fathom::FieldFit truth = fathom::test::learn_field_from_all(ends, field, start);
  print_table(truth.parameters, fathom::test::learn_fields(ends, field, start, FitOptions().stretches),
              fathom::test::learn_fields(ends, field, start, 0));
}

void study_beams(const CorridorStudy& study, const std::vector<fathom::BeamData>& worlds) {
  const fathom::BeamFit truth = fathom::test::learn_from_all(study, worlds);
  std::vector<fathom::BeamParameters> starts(worlds.size(), truth.model);
  const auto by_stretch = fathom::test::learn_from_each(study, worlds, FitOptions().stretches, starts);
  print_table(truth.parameters, by_stretch, fathom::test::learn_from_each(study, worlds, 0, starts));
}

}  // namespace

/// study_coverage [SEEDS [gaussian|student_t|grows|likelihood_field]]
int main(int argc, char** argv) {
  const std::size_t seeds = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 200;
  const char* const wanted = argc > 2 ? argv[2] : kLaws[0].name;
  for (const Law& law : kLaws) {
    if (std::strcmp(law.name, wanted) != 0) continue;
    CorridorStudy study;
    study.truth.tail = law.tail;
    const fathom::GridMap drawn = fathom::test::corridor_map(study, 0);
    const auto map = fathom::make_grid_ranges(drawn, {});
    std::vector<fathom::BeamData> worlds;
    for (std::size_t seed = 1; seed <= seeds; ++seed) {
      worlds.push_back(fathom::test::corridor_pairs(study, *map, seed));
    }
    std::printf("%s: %zu worlds of %zu readings.\n\n", law.name, worlds.size(), worlds.front().reading_m.size());
    if (std::strcmp(law.name, "likelihood_field") == 0) {
      study_field(study, drawn, worlds);
    } else {
      study_beams(study, worlds);
    }
    return 0;
  }
  std::fprintf(stderr, "study_coverage: '%s' is not gaussian, student_t, grows or likelihood_field\n", wanted);
  return 2;
}
