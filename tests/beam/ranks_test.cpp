// SPDX-License-Identifier: MIT
// Processes that learn together, here threads: the same fit to the bit, however the parts are spread.

#include <fathom/beam/ranks.hpp>

#include <algorithm>
#include <cstring>
#include <thread>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fathom/base/error.hpp>
#include <fathom/beam/fit.hpp>

#include "beam/synthetic.hpp"
#include "support/thread_ranks.hpp"

namespace fathom {
namespace {

using test::kLaser;
using test::kLaserTruth;
using test::RankTable;
using test::simulate;
using test::ThreadRanks;

/// The fits of all ranks; rank i has the parts [ends[i - 1], ends[i]).
std::vector<BeamFit> fit_together(const std::vector<BeamData>& parts, const std::vector<std::size_t>& ends,
                                  const FitOptions& options) {
  RankTable table(ends.size());
  std::vector<BeamFit> fits(ends.size());
  std::vector<std::thread> threads;
  for (std::size_t r = 0; r < ends.size(); ++r) {
    threads.emplace_back([&, r] {
      ThreadRanks ranks(table, r);
      const std::size_t begin = r == 0 ? 0 : ends[r - 1];
      fits[r] = fit_beam_model(std::span(parts).subspan(begin, ends[r] - begin), kLaser, options, &ranks);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return fits;
}

bool same_bits(const BeamParameters& a, const BeamParameters& b) {
  const auto same = [](double x, double y) { return std::memcmp(&x, &y, sizeof x) == 0; };
  bool all = a.tail.hit == b.tail.hit && same(a.tail.nu_hit, b.tail.nu_hit) &&
             same(a.tail.sigma_hit_per_m, b.tail.sigma_hit_per_m);
  for (const auto& field : BeamParameters::fields())
    all &= same(a.*member_of<double>(field), b.*member_of<double>(field));
  return all;
}

bool same_bits(const BeamFit& a, const BeamFit& b) {
  return same_bits(a.parameters, b.parameters) && same_bits(a.std_error, b.std_error) &&
         same_bits(a.naive_std_error, b.naive_std_error) && same_bits(a.low_95, b.low_95) &&
         same_bits(a.high_95, b.high_95) && a.clusters == b.clusters && a.log_likelihood == b.log_likelihood &&
         a.end == b.end && a.pairs == b.pairs && a.kinds == b.kinds && a.flags == b.flags;
}

std::vector<BeamData> cut(const BeamData& data, const std::vector<std::size_t>& ends) {
  std::vector<BeamData> parts;
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    BeamData& part = parts.emplace_back();
    part.cell_m = data.cell_m;
    const auto copy = [&](const auto& from, auto& to) {
      to.assign(from.begin() + static_cast<std::ptrdiff_t>(begin), from.begin() + static_cast<std::ptrdiff_t>(end));
    };
    copy(data.reading_m, part.reading_m);
    copy(data.expected_m, part.expected_m);
    copy(data.scan, part.scan);
    begin = end;
  }
  return parts;
}

/// 60 scans of 100 rays, some of which miss the map.
BeamData make_log(int seed) {
  BeamData data = simulate(kLaserTruth, kLaser, 6000, 0.3, 9.5, static_cast<std::uint64_t>(seed));
  for (std::size_t i = 0; i < data.scan.size(); ++i) data.scan[i] = static_cast<std::uint32_t>(i / 100);
  for (std::size_t i = 0; i < data.reading_m.size(); i += 37)
    data.expected_m[i] = static_cast<float>(kLaser.max_range_m);
  return data;
}

RC_GTEST_PROP(BeamRanks, HaveTheSameBitsHoweverPartsAreSpread, ()) {
  const BeamData log = make_log(*rc::gen::inRange(1, 1000));
  std::vector<std::size_t> cuts =
      *rc::gen::container<std::vector<std::size_t>>(5, rc::gen::inRange<std::size_t>(0, 61));
  cuts.push_back(60);
  std::ranges::sort(cuts);
  for (std::size_t& c : cuts) c *= 100;  // between scans; a part may be empty
  const std::vector<BeamData> parts = cut(log, cuts);
  FitOptions options = {.fit_hit_offset = *rc::gen::arbitrary<bool>(), .compute = {.threads = 1}};
  options.variant = *rc::gen::element(FitVariant::kExact, FitVariant::kClosedForm, FitVariant::kBook);
  if (options.variant == FitVariant::kExact) {
    options.start.tail.hit = *rc::gen::element(HitLaw::kGaussian, HitLaw::kStudentT, HitLaw::kGrows);
  }
  options.max_iterations = 12;
  options.stretches = *rc::gen::element<std::size_t>(0, 7, 40);
  const BeamFit alone = fit_beam_model(parts, kLaser, options);
  for (const std::size_t size : {1U, 2U, 4U}) {
    std::vector<std::size_t> ends =
        *rc::gen::container<std::vector<std::size_t>>(size - 1, rc::gen::inRange<std::size_t>(0, parts.size() + 1));
    ends.push_back(parts.size());
    std::ranges::sort(ends);
    options.compute.threads = *rc::gen::inRange(1, 3);
    for (const BeamFit& fit : fit_together(parts, ends, options)) RC_ASSERT(same_bits(fit, alone));
  }
}

TEST(BeamRanks, LearnFromPartsWhatIsLearnedFromAll) {
  const BeamData log = make_log(7);
  const FitOptions options = {.fit_hit_offset = true, .compute = {.threads = 1}};
  const BeamFit whole = fit_beam_model(log, kLaser, options);
  FitOptions in_a_file = options;
  in_a_file.scratch = std::filesystem::temp_directory_path();
  EXPECT_TRUE(same_bits(fit_beam_model(log, kLaser, in_a_file), whole));
  in_a_file.scratch /= "fathom_is_not_there";
  EXPECT_THROW(fit_beam_model(log, kLaser, in_a_file), SystemError);
  const BeamFit parts = fit_beam_model(cut(log, {1000, 1000, 3300, 6000}), kLaser, options);
  for (const auto& field : BeamParameters::fields()) {
    const auto member = member_of<double>(field);
    EXPECT_NEAR(parts.parameters.*member, whole.parameters.*member, 1e-6 * (1 + std::abs(whole.parameters.*member)));
    EXPECT_NEAR(parts.std_error.*member / whole.std_error.*member, 1.0, 1e-4) << field.name;
    EXPECT_NEAR(parts.naive_std_error.*member / whole.naive_std_error.*member, 1.0, 1e-4) << field.name;
  }
  EXPECT_EQ(parts.pairs, whole.pairs);
  EXPECT_TRUE(same_bits(fit_beam_model(cut(log, {6000}), kLaser, options), whole));
}

TEST(BeamRanks, RefusePartsWithoutEvidenceTogether) {
  EXPECT_THROW(fit_beam_model(std::vector<BeamData>(3), kLaser, {}), InputError);
  EXPECT_THROW(fit_beam_model(std::span<const BeamData>(), kLaser, {}), InputError);
}

}  // namespace
}  // namespace fathom
