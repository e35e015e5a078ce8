// SPDX-License-Identifier: MIT
#include "simulate/hit_frames.hpp"

#include <cmath>
#include <optional>

#include <fathom/base/geometry.hpp>

#include "calibrate/turned_rays.hpp"

namespace fathom {

namespace {

constexpr double kSameAngle = 1e-3;  // rad

}  // namespace

HitFrames::HitFrames(const NoiseChain& chain, const NoiseChain& other) : axes_(hit_axes(chain)) {
  const std::vector<Axis> of_other = hit_axes(other);
  are_turned_ = !axes_.empty() || !of_other.empty();
  why_not_ = why_hits_are_not_told(chain);
  if (why_not_.empty() && !other.empty()) {
    why_not_ = of_other == axes_ ? why_hits_are_not_told(other) : "the two chains turn points about other axes";
  }
}

void HitFrames::take(const RayPattern& rays, std::span<const float> point_m) {
  rays_ = &rays, point_m_ = point_m;
  if (are_turned_ && why_not_.empty() && !rays.origin_x.empty()) why_not_ = "its rays start at places of their own";
}

void HitFrames::add(std::size_t i, bool is_there, std::size_t returns, HitTurns& out) {
  if (!are_turned_ || !why_not_.empty() || (!out.is_known() && point_m_.empty())) return;
  out.axes = axes_;
  std::optional<HitAngles> angles;
  if (is_there && !point_m_.empty()) {
    const Vec3 ray = {double{rays_->direction_x[i]}, double{rays_->direction_y[i]}, double{rays_->direction_z[i]}};
    const Vec3 point = {double{point_m_[3 * i]}, double{point_m_[3 * i + 1]}, double{point_m_[3 * i + 2]}};
    const double away_m = norm(point), length = norm(ray);
    if (std::isfinite(away_m) && away_m > 0.0) {
      angles = hit_angles({ray.x / length, ray.y / length, ray.z / length},
                          {point.x / away_m, point.y / away_m, point.z / away_m}, axes_);
    }
    askew_ += angles && angles->off_rad > kSameAngle ? 1 : 0;
  }
  const auto put = [&](std::vector<float>& to, double angle) {
    to.resize(returns, __builtin_nanf(""));  // of frames before it whose points were not known
    to.push_back(angles ? static_cast<float>(angle) : __builtin_nanf(""));
  };
  put(out.first_rad, angles ? angles->first_rad : 0.0);
  if (axes_.size() == 2) put(out.second_rad, angles ? angles->second_rad : 0.0);
}

}  // namespace fathom
