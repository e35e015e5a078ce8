// SPDX-License-Identifier: MIT
#include "fit/frames/frame_geometry.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/f64.hpp>
#include <fathom/core/geometry.hpp>

#include "fit/chain/turned_rays.hpp"
#include "render/lanes.hpp"
#include "sensor/sensor_view.hpp"

namespace fathom {

namespace {

constexpr double kSameAngle = 1e-3;  // rad
constexpr int kNodes = 33;
constexpr double kReach = 4.0, kOfChain = 1.5, kOfNone = 1e-3;
constexpr double kGrading = 3.0;     // of the steps between nodes, which grow tenfold from the middle to the ends
constexpr double kMostScale = 0.25;  // rad
constexpr std::size_t kRaysPerPart = 4096;

constexpr ChannelSet kTurnedChannels = {Channel::kRange, Channel::kReason, Channel::kNormal, Channel::kEnergy};

/// Models that decide whether a turned ray shows a surface, without random losses: energies follow the chain, and no
/// energy is too low.
NoiseChain models_behind(const NoiseChain& chain) {
  NoiseChain models;
  for (const ChainEntry& entry : chain) {
    if (entry.noise.info().needs.sight) models.push_back(entry);
    if (const auto kept = entry.noise.without_losses()) models.emplace_back(*kept);
  }
  return models;
}

/// Whether a ray that would meet a surface at this hit shows it, by its reading and its energy.
bool shows(const ChainReturns::TurnedRays::Surface& surface, const TurnedHit& hit, double seen_m, double seen_energy) {
  constexpr double kSamePlane = 5e-5, kOfGrazing = 1e-6;  // relative
  constexpr double kSameEnergy = 0.02, kLeastCosine = 0.05;
  const double tolerance = kSamePlane + kOfGrazing / hit.cosine;
  if (!(std::abs(hit.reading_m - seen_m) <= tolerance * seen_m)) return false;
  const double energy = seen_energy / hit.cosine;
  return hit.cosine < kLeastCosine || std::abs(energy - surface.energy) <= kSameEnergy * surface.energy;
}

Vec3 vector_at(const std::vector<float>& x, const std::vector<float>& y, const std::vector<float>& z, std::size_t i) {
  return {double{x[i]}, double{y[i]}, double{z[i]}};
}

/// Angles about the middle between the means of two chains, densest there.
std::vector<double> nodes_for(const AxisTurn& a, const AxisTurn& b, double scale) {
  const double middle = 0.5 * (a.mean_rad + b.mean_rad), apart = 0.5 * std::abs(a.mean_rad - b.mean_rad);
  const double largest = std::max(a.stddev_rad, b.stddev_rad);
  double reach = scale > 0.0 ? scale : largest > 0.0 ? kOfChain * largest : kOfNone;
  reach = kReach * std::min(reach, kMostScale) + apart;
  std::vector<double> nodes;
  for (int k = 0; k < kNodes; ++k) {
    const double t = kGrading * (2.0 * k / (kNodes - 1) - 1.0);
    const double grown = math::exp(kGrading) - math::exp(-kGrading);
    nodes.push_back(middle + reach * (math::exp(t) - math::exp(-t)) / grown);
  }
  return nodes;
}

}  // namespace

void FrameEdges::find(const RayPattern& p, const Frame& truth) {
  const std::size_t cols = p.cols;
  for (std::vector<float>* values : {&edge_rad, &jump, &jump_rad}) values->resize(truth.rays());
  const auto row_at = [&](std::size_t row) -> EdgeRow {
    const std::size_t at = row * cols;
    return {p.direction_x.data() + at, p.direction_y.data() + at, p.direction_z.data() + at,
            truth.clean_range_m().data() + at};
  };
  const SurfaceKernels& kernels = surface_kernels(detect_isa());
  for (std::size_t row = 0; row < p.rows; ++row) {
    const EdgeRow here = row_at(row), above = row_at(row > 0 ? row - 1 : row),
                  below = row_at(std::min<std::size_t>(row + 1, p.rows - 1));
    const EdgeRow *const up = row > 0 ? &above : nullptr, *const down = row + 1 < p.rows ? &below : nullptr;
    const std::size_t at = row * cols;
    const EdgeNormals of_row = {normals[0].data() + at, normals[1].data() + at, normals[2].data() + at};
    for (std::uint32_t begin = 0; begin < p.cols; begin += kBlockRays) {
      const std::uint32_t count = std::min(kBlockRays, p.cols - begin);
      alignas(64) float angle[kBlockRays], step[kBlockRays], step_angle[kBlockRays];
      kernels.edge_angles(here, up, down, p.cols, begin, count, angle);
      kernels.edge_jumps(here, of_row, up, down, p.cols, begin, count, step, step_angle);
      std::copy_n(angle, count, edge_rad.data() + at + begin);
      std::copy_n(step, count, jump.data() + at + begin);
      std::copy_n(step_angle, count, jump_rad.data() + at + begin);
    }
  }
}

void find_normals(Simulator& simulator, SensorId sensor, std::uint32_t index, const Frame& frame,
                  std::array<std::vector<float>, 3>& normals) {
  const std::size_t rays = frame.rays();
  for (std::vector<float>& values : normals) values.resize(rays);
  const RayPattern& pattern = simulator.pattern(sensor, index);
  const bool is_rolling = simulator.sensor(sensor).rolling && !pattern.time_offset_s.empty();
  double time_s = frame.stamp_s();
  Quaternion sensor_from_world = conjugate(simulator.world_from_sensor(sensor, time_s).rotation);
  const Frame::Points normal = frame.normal_world();
  for (std::size_t i = 0; i < rays; ++i) {
    const double at_s = frame.stamp_s() + (is_rolling ? double{pattern.time_offset_s[i]} : 0.0);
    if (at_s != time_s) {
      time_s = at_s;
      sensor_from_world = conjugate(simulator.world_from_sensor(sensor, time_s).rotation);
    }
    const Vec3 n = rotate(sensor_from_world, Vec3{double{normal.x[i]}, double{normal.y[i]}, double{normal.z[i]}});
    normals[0][i] = static_cast<float>(n.x), normals[1][i] = static_cast<float>(n.y);
    normals[2][i] = static_cast<float>(n.z);
  }
}

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
  if (are_turned_ && why_not_.empty() && !rays.origin_x.empty()) why_not_ = "its rays start at different places";
}

void HitFrames::add(std::size_t i, bool is_there, std::size_t returns, ChainReturns::HitTurns& out) {
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
    to.resize(returns, __builtin_nanf(""));  // for earlier frames with unknown points
    to.push_back(angles ? static_cast<float>(angle) : __builtin_nanf(""));
  };
  put(out.first_rad, angles ? angles->first_rad : 0.0);
  if (axes_.size() == 2) put(out.second_rad, angles ? angles->second_rad : 0.0);
}

TurnedFrames::TurnedFrames(Simulator& simulator, SensorId sensor, const ChainFrames::Options& options, bool is_placed)
    : simulator_(simulator),
      sensor_(sensor),
      executor_(make_executor(options.run.compute.threads)),
      seen_(kTurnedChannels) {
  Sensor turning = simulator.sensor(sensor);
  take_nodes(turning.noise, options);
  const SensorView view = make_view(turning.model);
  is_same_ = !is_placed && !simulator.scene().moves() && turning.parent_from_sensor.is_fixed() && !view.rays_vary;
  models_ = models_behind(turning.noise);
  turning.name += "-turned";
  turning.noise = models_;
  turning_ = simulator.add_sensor(std::move(turning));
}

void TurnedFrames::take_nodes(const NoiseChain& chain, const ChainFrames::Options& options) {
  if (!(options.angle_scale_rad >= 0.0 && options.angle_scale_rad <= kMostScale)) {
    throw InputError(Setting{"angle_scale_rad"},
                     fmt::format(" = {} is not in [0, {}] rad", options.angle_scale_rad, kMostScale));
  }
  const auto own = ray_turn(chain), other = ray_turn(options.other_chain);
  const AxisTurn &a = own ? *own : *other, &b = other ? *other : *own;  // one of them turns rays
  if (a.axis != b.axis) {
    throw InputError(fmt::format("the two chains turn rays about {} and about {}; rays are cast about one axis",
                                 axis_word(a.axis), axis_word(b.axis)));
  }
  grid_.axis = a.axis, grid_.angle_rad = nodes_for(a, b, options.angle_scale_rad);
}

void TurnedFrames::set_angle(double angle_rad) {
  NoiseChain chain = {AngularRay{.axis = *grid_.axis, .mean_rad = static_cast<float>(angle_rad)}};
  chain.insert(chain.end(), models_.begin(), models_.end());
  simulator_.set_noise(turning_, std::move(chain));
}

ChainReturns::TurnedRays::Surface TurnedFrames::seen_surface(std::size_t i, const RayTurner& turner) const {
  ChainReturns::TurnedRays::Surface seen;
  seen.normal = vector_at(normals_[0], normals_[1], normals_[2], i);
  const double along = dot(seen.normal, turner.turned(rays_[i].direction));
  seen.plane_m = along * double{seen_.range_m()[i]} + dot(seen.normal, turner.turned(rays_[i].origin_m));
  seen.energy = energy_head_on(double{seen_.energy()[i]}, std::abs(along));
  return seen;
}

void TurnedFrames::place_node(std::size_t i, std::size_t node, const RayTurner& turner,
                              const ChainReturns::TurnedRays::Surface& own) {
  const bool is_met = seen_.reason()[i] == Reason::kHit;
  const auto fits = [&](const ChainReturns::TurnedRays::Surface& surface) {
    const auto hit = hit_of(rays_[i], surface, turner, false);
    return hit && shows(surface, *hit, double{seen_.range_m()[i]}, double{seen_.energy()[i]});
  };
  std::unique_ptr<Around>& around = around_[i];
  if (!around) {
    if (is_met && fits(own)) return;
    around = std::make_unique<Around>();
    around->met.assign(grid_.angle_rad.size(), 0);
    around->surfaces.push_back(own);
  }
  std::vector<ChainReturns::TurnedRays::Surface>& surfaces = around->surfaces;
  const auto known = is_met ? std::ranges::find_if(surfaces, fits) : surfaces.end();
  around->met[node] = is_met ? static_cast<std::uint8_t>(known - surfaces.begin()) : ChainReturns::TurnedRays::kNothing;
  if (is_met && known == surfaces.end()) surfaces.push_back(seen_surface(i, turner));
}

void TurnedFrames::take_node(std::size_t node, const RayTurner& turner, const Frame& truth,
                             const std::vector<std::uint8_t>& wanted) {
  executor_->parallel_for(wanted.size(), kRaysPerPart, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (wanted[i] == 0) continue;
      place_node(i, node, turner,
                 own_surface(rays_[i], truth.clean_range_m()[i], truth.energy()[i], truth.incidence_rad()[i]));
    }
  });
}

void TurnedFrames::cast(std::uint32_t index, const RayPattern& rays, const Frame& truth,
                        const std::vector<std::uint8_t>& wanted) {
  if (is_same_ && is_cast_) return;
  is_cast_ = true;
  around_.clear();
  around_.resize(wanted.size());
  find_normals(simulator_, sensor_, index, truth, normals_);
  rays_.resize(wanted.size());
  for (std::size_t i = 0; i < rays_.size(); ++i) {
    rays_[i].direction = vector_at(rays.direction_x, rays.direction_y, rays.direction_z, i);
    if (!rays.origin_x.empty()) rays_[i].origin_m = vector_at(rays.origin_x, rays.origin_y, rays.origin_z, i);
    rays_[i].normal = vector_at(normals_[0], normals_[1], normals_[2], i);
  }
  for (std::size_t node = 0; node < grid_.angle_rad.size(); ++node) {
    const double angle_rad = double{static_cast<float>(grid_.angle_rad[node])};  // as the model has it
    set_angle(angle_rad);
    simulator_.render(turning_, index, seen_);
    find_normals(simulator_, sensor_, index, seen_, normals_);
    take_node(node, RayTurner(*grid_.axis, angle_rad), truth, wanted);
  }
}

void TurnedFrames::begin(ChainReturns::TurnedRays& out) const {
  out.axis = grid_.axis, out.angle_rad = grid_.angle_rad;
  out.first_surface = {0};
}

void TurnedFrames::add(std::size_t i, ChainReturns::TurnedRays& out) {
  out.rays.push_back(rays_[i]);
  Around* around = around_[i].get();
  if (around == nullptr) return;
  if (around->place == ChainReturns::TurnedRays::kOneSurface) {
    around->place = static_cast<std::uint32_t>(out.first_surface.size() - 1);
    out.met.insert(out.met.end(), around->met.begin(), around->met.end());
    out.surfaces.insert(out.surfaces.end(), around->surfaces.begin(), around->surfaces.end());
    out.first_surface.push_back(static_cast<std::uint32_t>(out.surfaces.size()));
  }
  out.rays.back().surroundings = around->place;
}

}  // namespace fathom
