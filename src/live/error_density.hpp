// SPDX-License-Identifier: MIT
#pragma once
// How far the ranges of a frame are from the truth, and how far its noise says they are.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <fathom/noise/chain.hpp>

namespace fathom {

/// A histogram of errors in metres: counts[i] lie in [edges_m[i], edges_m[i + 1]). It spans all but the outermost
/// thousandth on each side, and what lies beyond is not counted.
struct ErrorHistogram {
  std::vector<double> edges_m;
  std::vector<std::uint64_t> counts;
};
ErrorHistogram make_error_histogram(std::vector<float> errors_m);

/// The probability density of the error, per metre, of a return whose range is chosen evenly among `clean_ranges_m`, at
/// each of `errors_m`. Known of chains whose models leave the rays as they are and give each range a Gaussian error,
/// one uniform error at most, gains and biases, without other parameters for entities or rings; what loses returns
/// makes no difference. Nothing for other chains, and for one whose error has no density. Ranges that the sensor's
/// policy clamps or drops are not looked at.
std::optional<std::vector<double>> error_density(const NoiseChain& chain, std::span<const float> clean_ranges_m,
                                                 std::span<const double> errors_m);

}  // namespace fathom
