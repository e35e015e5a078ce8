// SPDX-License-Identifier: MIT
// A model of several parts, such as logs.

#include <algorithm>
#include <array>
#include <cstring>

#include <gtest/gtest.h>

#include <fathom/core/error.hpp>
#include <fathom/fit/fit.hpp>

#include "fit/beam/synthetic.hpp"

namespace fathom::parts_test {
namespace {

using test::kLaser;
using test::kLaserTruth;
using test::simulate;

bool same_bits(const BeamParameters& a, const BeamParameters& b) {
  const auto same = [](double x, double y) { return std::memcmp(&x, &y, sizeof x) == 0; };
  bool all = a.tail.hit == b.tail.hit && same(a.tail.nu_hit, b.tail.nu_hit) &&
             same(a.tail.sigma_hit_per_m, b.tail.sigma_hit_per_m);
  for (const auto& field : BeamParameters::fields())
    all &= same(a.*member_of<double>(field), b.*member_of<double>(field));
  return all;
}

bool same_bits(const BeamFit& a, const BeamFit& b) {
  constexpr std::array kNumbers = {&FitParameter::std_error, &FitParameter::naive_error, &FitParameter::low_95,
                                   &FitParameter::high_95};
  const auto same_number = [&](double FitParameter::*number) {
    return same_bits(test::numbers_of(a, number), test::numbers_of(b, number));
  };
  return std::ranges::all_of(kNumbers, same_number) && same_bits(a.model, b.model) && a.blocks == b.blocks &&
         a.log_likelihood_by_iteration == b.log_likelihood_by_iteration && a.converged == b.converged &&
         a.readings == b.readings && a.kinds == b.kinds && a.findings == b.findings;
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

/// 60 scans of 100 rays; some rays miss the map.
BeamData make_log(int seed) {
  BeamData data = simulate(kLaserTruth, kLaser, 6000, 0.3, 9.5, static_cast<std::uint64_t>(seed));
  for (std::size_t i = 0; i < data.scan.size(); ++i) data.scan[i] = static_cast<std::uint32_t>(i / 100);
  for (std::size_t i = 0; i < data.reading_m.size(); i += 37)
    data.expected_m[i] = static_cast<float>(kLaser.max_range_m);
  return data;
}

BeamFit fit_parts(const std::vector<BeamData>& parts, const FitOptions& options = {}) {
  return fit_beam_model(
      parts.size(), [&](std::size_t part) { return parts[part]; }, kLaser, options);
}

TEST(BeamParts, GiveWhatIsLearnedFromAll) {
  const BeamData log = make_log(7);
  const FitOptions options = {.fit_hit_offset = true, .compute = {.threads = 1}};
  const BeamFit whole = fit_beam_model(log, kLaser, options);
  EXPECT_TRUE(same_bits(fit_parts(cut(log, {1000, 1000, 3300, 6000}), options), whole));
  EXPECT_TRUE(same_bits(fit_parts(cut(log, {6000}), options), whole));
}

TEST(BeamParts, WithoutEvidenceAreRefused) {
  EXPECT_THROW(fit_parts(std::vector<BeamData>(3)), InputError);
  EXPECT_THROW(fit_parts({}), InputError);
}

}  // namespace
}  // namespace fathom::parts_test
