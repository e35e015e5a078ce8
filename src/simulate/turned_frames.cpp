// SPDX-License-Identifier: MIT
#include "simulate/turned_frames.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/math/f64.hpp>
#include <fathom/math/trigonometry.hpp>

#include "sensor/sensor_view.hpp"
#include "simulate/sensor_normals.hpp"
#include "simulate/shown_surface.hpp"

namespace fathom {

namespace {

constexpr int kNodesAlone = 33, kNodesEach = 17;  // about one axis, and about each of two
constexpr double kReach = 4.0, kOfChain = 1.5, kOfNone = 1e-3;
constexpr double kGrading = 3.0;     // of the steps between nodes, which grow tenfold from the middle to the ends
constexpr double kMostScale = 0.25;  // rad
constexpr std::size_t kRaysPerPart = 4096;

constexpr ChannelSet kTurnedChannels = {Channel::kRange, Channel::kReason, Channel::kNormal, Channel::kEnergy};

/// Models that decide what a turned ray shows, without those that lose at random: energies are read as the chain says,
/// and none is too low.
NoiseChain models_behind(const NoiseChain& chain) {
  NoiseChain models;
  for (const ChainEntry& entry : chain) {
    if (entry.noise.slug() == StereoShadow::kSlug) models.push_back(entry);
    if (entry.noise.slug() == StereoEnergy::kSlug) {
      models.push_back(entry.noise.with(StereoEnergy::kMinEnergy, 0.0).with(StereoEnergy::kPow, 1e9));
    }
  }
  return models;
}

bool shows_window(const NoiseChain& chain) {
  return std::any_of(chain.begin(), chain.end(), [](const ChainEntry& entry) {
    return entry.noise.stage() == Stage::kImage && !entry.noise.is_identity();
  });
}

double largest_angle(const TurnedRays& grid) {
  double largest = 0.0;
  for (const std::vector<double>* nodes : {&grid.first_rad, &grid.second_rad}) {
    for (const double angle : *nodes) largest = std::max(largest, std::abs(angle));
  }
  return largest;
}

/// About the middle of what two chains have, densest there: where edges are near, the angles show.
std::vector<double> nodes_for(const AxisTurn& a, const AxisTurn& b, double scale, int count) {
  const double middle = 0.5 * (a.mean_rad + b.mean_rad), apart = 0.5 * std::abs(a.mean_rad - b.mean_rad);
  const double largest = std::max(a.stddev_rad, b.stddev_rad);
  double reach = scale > 0.0 ? scale : largest > 0.0 ? kOfChain * largest : kOfNone;
  reach = kReach * std::min(reach, kMostScale) + apart;
  std::vector<double> nodes;
  for (int k = 0; k < count; ++k) {
    const double t = kGrading * (2.0 * k / (count - 1) - 1.0);
    const double grown = math::exp(kGrading) - math::exp(-kGrading);
    nodes.push_back(middle + reach * (math::exp(t) - math::exp(-t)) / grown);
  }
  return nodes;
}

}  // namespace

TurnedFrames::TurnedFrames(Simulator& simulator, SensorId sensor, const ChainFramesOptions& options, bool is_placed)
    : simulator_(simulator),
      sensor_(sensor),
      executor_(make_executor(options.run.compute.threads)),
      seen_(kTurnedChannels) {
  Sensor turning = simulator.sensor(sensor);
  take_nodes(turning.noise, options);
  grid_.on_nominal_ray = shows_window(turning.noise);
  if (grid_.on_nominal_ray) plain_.emplace(window_radius(turning.noise), largest_angle(grid_));
  const SensorView view = make_view(turning.model);
  is_same_ = !is_placed && !simulator.scene().moves() && turning.parent_from_sensor.is_fixed() && !view.rays_vary;
  if (plain_) return;  // what a window sees is known without another cast
  models_ = models_behind(turning.noise);
  turning.name += "-turned";
  turning.noise = models_;
  turning_ = simulator.add_sensor(std::move(turning));
}

void TurnedFrames::take_nodes(const NoiseChain& chain, const ChainFramesOptions& options) {
  if (!(options.angle_scale_rad >= 0.0 && options.angle_scale_rad <= kMostScale)) {
    throw InputError(fmt::format("angle_scale_rad = {} is not in [0, {}] rad", options.angle_scale_rad, kMostScale));
  }
  std::vector<AxisTurn> turns = axis_turns(chain), others = axis_turns(options.other_chain);
  if (turns.empty()) turns = others;
  if (others.empty()) others = turns;
  const auto has_axis = [&](Axis axis) {
    return std::any_of(turns.begin(), turns.end(), [&](const AxisTurn& turn) { return turn.axis == axis; });
  };
  for (const AxisTurn& other : others) {
    if (!has_axis(other.axis)) turns.push_back(other);
  }
  if (turns.size() > 2) throw InputError("the two chains turn rays about three axes; two are cast");
  for (std::size_t k = 0; k < turns.size(); ++k) {
    AxisTurn other = turns[k];
    for (const AxisTurn& o : others) {
      if (o.axis == other.axis) other = o;
    }
    grid_.axes.push_back(turns[k].axis);
    (k == 0 ? grid_.first_rad : grid_.second_rad) =
        nodes_for(turns[k], other, options.angle_scale_rad, turns.size() == 1 ? kNodesAlone : kNodesEach);
  }
}

std::array<double, 2> TurnedFrames::angles_at(std::size_t first, std::size_t second) const {
  // As the model has them, single floats.
  const auto as_float = [](double angle) { return double{static_cast<float>(angle)}; };
  return {as_float(grid_.first_rad[first]), grid_.second_rad.empty() ? 0.0 : as_float(grid_.second_rad[second])};
}

void TurnedFrames::set_angles(std::size_t first, std::size_t second) {
  const std::array<double, 2> angles = angles_at(first, second);
  NoiseChain chain;
  for (std::size_t k = 0; k < grid_.axes.size(); ++k) {
    chain.emplace_back(AngularRay{.axis = grid_.axes[k], .mean_rad = static_cast<float>(angles[k])});
  }
  chain.insert(chain.end(), models_.begin(), models_.end());
  simulator_.set_noise(turning_, std::move(chain));
}

void TurnedFrames::place_node(std::size_t i, std::size_t node, const RayTurner& turner, const TurnedSurface& own) {
  const bool is_met = seen_.reason()[i] == Reason::kHit;
  const double seen_m = double{seen_.range_m()[i]};
  const auto fits = [&](const TurnedSurface& surface) {
    const auto hit = hit_of(frame_, i, surface, turner, false);
    return hit && shows(surface, *hit, seen_m, double{seen_.energy()[i]});
  };
  std::unique_ptr<Around>& around = around_[i];
  if (!around) {
    if (is_met && fits(own)) return;
    around = std::make_unique<Around>();
    around->met.assign(grid_.nodes(), 0);
    around->surfaces.push_back(own);
  }
  std::uint8_t& met = around->met[node];
  met = TurnedRays::kNothing;
  if (!is_met) return;
  const auto known = std::find_if(around->surfaces.begin(), around->surfaces.end(), fits);
  if (known == around->surfaces.end()) {
    TurnedSurface fresh;
    fresh.normal = {double{normals_[0][i]}, double{normals_[1][i]}, double{normals_[2][i]}};
    // The plane through what was met: the reading of a plane grows with its distance.
    fresh.plane_m = dot(fresh.normal, turner.turned({double{frame_.direction_x[i]}, double{frame_.direction_y[i]},
                                                     double{frame_.direction_z[i]}}));
    const double energy = double{seen_.energy()[i]} / std::max(1e-6, std::abs(fresh.plane_m));
    fresh.energy = energy;
    if (!frame_.origin_x.empty()) {
      const Vector64 o =
          turner.turned({double{frame_.origin_x[i]}, double{frame_.origin_y[i]}, double{frame_.origin_z[i]}});
      fresh.plane_m = fresh.plane_m * seen_m + dot(fresh.normal, o);
    } else {
      const auto unit = hit_of(frame_, i, fresh, turner, false);
      if (!unit) return;
      fresh.plane_m *= seen_m / unit->reading_m;
    }
    around->surfaces.push_back(fresh);
    met = static_cast<std::uint8_t>(around->surfaces.size() - 1);
    return;
  }
  met = static_cast<std::uint8_t>(known - around->surfaces.begin());
}

void TurnedFrames::take_node(std::size_t node, const RayTurner& turner, const Frame& truth,
                             const std::vector<std::uint8_t>& wanted) {
  executor_->parallel_for(wanted.size(), kRaysPerPart, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (wanted[i] == 0) continue;
      TurnedSurface own = own_surface(frame_, i, double{truth.clean_range_m()[i]});
      own.energy = double{truth.energy()[i]} / std::max(1e-6, math::cos(double{truth.incidence_rad()[i]}));
      place_node(i, node, turner, own);
    }
  });
}

void TurnedFrames::cast(std::uint32_t index, const RayPattern& rays, const Frame& truth,
                        const std::vector<std::uint8_t>& wanted) {
  if (is_same_ && is_cast_) return;
  is_cast_ = true;
  around_.clear();
  around_.resize(wanted.size());
  frame_.direction_x = rays.direction_x, frame_.direction_y = rays.direction_y, frame_.direction_z = rays.direction_z;
  frame_.origin_x = rays.origin_x, frame_.origin_y = rays.origin_y, frame_.origin_z = rays.origin_z;
  find_normals(simulator_, sensor_, index, truth, normals_);
  frame_.normal_x = normals_[0], frame_.normal_y = normals_[1], frame_.normal_z = normals_[2];
  if (plain_) return plain_->find({rays.rows, rays.cols}, frame_, truth, wanted);
  const std::size_t columns = grid_.first_rad.size();
  for (std::size_t node = 0; node < grid_.nodes(); ++node) {
    const std::size_t first = node % columns, second = node / columns;
    set_angles(first, second);
    simulator_.render(turning_, index, seen_);
    find_normals(simulator_, sensor_, index, seen_, normals_);
    take_node(node, RayTurner(grid_.axes, angles_at(first, second)), truth, wanted);
  }
}

void TurnedFrames::begin(TurnedRays& out) const {
  out.axes = grid_.axes, out.first_rad = grid_.first_rad, out.second_rad = grid_.second_rad;
  out.on_nominal_ray = grid_.on_nominal_ray;
  out.first_surface = {0};
}

void TurnedFrames::add(std::size_t i, TurnedRays& out) {
  out.direction_x.push_back(frame_.direction_x[i]), out.direction_y.push_back(frame_.direction_y[i]);
  out.direction_z.push_back(frame_.direction_z[i]);
  out.normal_x.push_back(frame_.normal_x[i]), out.normal_y.push_back(frame_.normal_y[i]);
  out.normal_z.push_back(frame_.normal_z[i]);
  if (!frame_.origin_x.empty()) {
    out.origin_x.push_back(frame_.origin_x[i]), out.origin_y.push_back(frame_.origin_y[i]);
    out.origin_z.push_back(frame_.origin_z[i]);
  }
  Around* around = around_[i].get();
  if (around == nullptr) {
    out.surroundings.push_back(TurnedRays::kOneSurface);
    return;
  }
  if (around->place == TurnedRays::kOneSurface) {
    around->place = static_cast<std::uint32_t>(out.first_surface.size() - 1);
    out.met.insert(out.met.end(), around->met.begin(), around->met.end());
    for (const TurnedSurface& s : around->surfaces) {
      out.surface_x.push_back(static_cast<float>(s.normal.x)), out.surface_y.push_back(static_cast<float>(s.normal.y));
      out.surface_z.push_back(static_cast<float>(s.normal.z));
      out.surface_m.push_back(static_cast<float>(s.plane_m));
      out.surface_energy.push_back(static_cast<float>(s.energy));
    }
    out.first_surface.push_back(static_cast<std::uint32_t>(out.surface_m.size()));
  }
  out.surroundings.push_back(around->place);
}

}  // namespace fathom
