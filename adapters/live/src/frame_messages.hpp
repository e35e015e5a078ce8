// SPDX-License-Identifier: MIT
#pragma once
// Frames as messages for the live page, and the errors of their ranges.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/frame/frame.hpp>
#include <fathom/noise/chain.hpp>
#include <fathom/sensor/pattern.hpp>

namespace fathom {

/// The channels that points_message() and the statistics need.
inline constexpr ChannelSet kLiveChannels = {Channel::kRange, Channel::kCleanRange, Channel::kHitSensor,
                                             Channel::kEntityId, Channel::kReason};

/// A PointCloud2 with a point for every ray, [rows, cols], in the sensor's frame: x y z with noise as float32 in
/// metres, NaN where lost; clean_range as float32 in metres, NaN if the noise-free ray meets nothing; entity as uint32,
/// 0xffffffff if the ray meets no entity; reason as uint8.
std::string points_message(const Frame& frame, std::string_view frame_id);

/// A PointCloud2 [rows, cols] of the unit directions of the noise-free rays, x y z as float32.
std::string rays_message(const RayPattern& pattern, double stamp_s, std::string_view frame_id);

/// A histogram of errors in metres: counts[i] lie in [edges_m[i], edges_m[i + 1]). It omits the outermost thousandth on
/// each side.
struct ErrorHistogram {
  std::vector<double> edges_m;
  std::vector<std::uint64_t> counts;
};
ErrorHistogram make_error_histogram(std::vector<float> errors_m);

/// The probability density of the error, per metre, at each of `errors_m`, for a return whose range is drawn evenly
/// from `clean_ranges_m`. Known for chains that do not turn rays and that add to ranges Gaussian errors, at most one
/// uniform error, gains and biases, without other parameters for entities or rings; they may lose returns. Nothing for
/// other chains, and for an error without a density. Ignores the sensor's range policy.
std::optional<std::vector<double>> error_density(const NoiseChain& chain, std::span<const float> clean_ranges_m,
                                                 std::span<const double> errors_m);

}  // namespace fathom
