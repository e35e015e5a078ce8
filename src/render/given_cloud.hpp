// SPDX-License-Identifier: MIT
#pragma once
// A given cloud as an image: its points in rows and columns, their rays and their ranges.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <fathom/frame/frame.hpp>
#include <fathom/noise/chain.hpp>
#include <fathom/sensor/pattern.hpp>
#include <fathom/simulate/sensor_noise.hpp>

#include "render/plan.hpp"

namespace fathom {

/// Place of a point that is nowhere in the image: it met nothing, and only its azimuth could sort it.
inline constexpr std::uint32_t kNoPlace = ~0U;

class CloudImage {
 public:
  /// Reads a cloud for a sensor with these rays. `given` must outlive image(). Throws InputError for arrays of other
  /// sizes, too many places, and a cloud in which nothing is met.
  void prepare(const GivenCloud& given, const RayPattern& sensor);

  /// Whether the points lie on the sensor's own rays.
  [[nodiscard]] bool on_sensor_rays() const { return on_sensor_rays_; }
  /// Whether neighbours in the image are neighbours in space.
  [[nodiscard]] bool in_rows() const { return in_rows_; }
  [[nodiscard]] GivenFrame image() const { return image_; }
  [[nodiscard]] std::span<const std::uint32_t> places() const { return places_; }
  /// The rays of the points, unless they are the sensor's own.
  [[nodiscard]] const RayPattern& pattern() const { return pattern_; }
  [[nodiscard]] const CastPlan& plan() const { return plan_; }

  /// Removes the returns of rays that the cloud does not show.
  void lose_unknown(Frame& frame) const;

 private:
  void arrange(const GivenCloud& given);
  void sort_by_ring(const GivenCloud& given);
  [[nodiscard]] bool find_sensor_ranges(const GivenCloud& given, const RayPattern& sensor);
  void find_rays(const GivenCloud& given, const RayPattern& sensor);
  void fill_gaps(std::size_t begin, std::size_t end);
  void fill_gap(std::size_t begin, std::size_t end, std::size_t from, std::size_t to);
  template <class T>
  std::span<const T> at_places(std::span<const T> of_points, std::vector<T>& memory, std::size_t planes = 1) const;

  bool on_sensor_rays_ = false, in_rows_ = false, sorted_ = false;
  std::uint32_t rows_ = 0, cols_ = 0;
  std::vector<std::uint32_t> places_;  // [points]
  RayPattern pattern_;
  CastPlan plan_;
  GivenFrame image_;
  std::vector<float> range_m_, normal_, reflectivity_;  // [places]
  std::vector<std::uint32_t> entity_;
  std::vector<std::uint8_t> known_;  // [places]: whether a point shows the ray
};

/// Throws InputError for stereo_shadow, and for models that need neighbours unless `has_neighbours`.
void check_cloud_chain(std::string_view sensor, const NoiseChain& chain, bool has_neighbours);

}  // namespace fathom
