// SPDX-License-Identifier: MIT
#pragma once
// The angles about the axes of a chain's angular_hit by which a point lies beside its ray.
//
//   p = R(second, b) R(first, a) d,   d and p of length 1
//
// About one axis, a is the angle between the parts of d and p across it. About two, q = R(first, a) d keeps d's part
// along the first axis, and p = R(second, b) q keeps q's along the second. With the length 1 both parts and p give q
// except for a sign. It is the sign of d, since angles of a quarter turn are not errors of reading.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/core/geometry.hpp>
#include <fathom/fit/chain.hpp>
#include <fathom/noise/chain.hpp>

namespace fathom {

struct HitAngles {
  double first_rad = 0.0, second_rad = 0.0;
  double off_rad = 0.0;  ///< by which no turn about these axes brings the ray to the point
};

/// Of a point in direction `point` whose ray is along `ray`, both of length 1; empty if too near an axis.
std::optional<HitAngles> hit_angles(const Vec3& ray, const Vec3& point, std::span<const Axis> axes);

/// Axes of the models angular_hit of a chain, in their order.
std::vector<Axis> hit_axes(const NoiseChain& chain);

/// Throw InputError unless arrays have the sizes for this number of returns, nodes ascend, and axes and numbers are
/// possible.
void check_hits(const ChainReturns::HitTurns& turns, std::size_t returns);
void check_turned(const ChainReturns::TurnedRays& rays, std::size_t returns);

/// Why points do not show the angles of such a chain; empty if they do, or if it has no angular_hit.
std::string why_hits_are_not_told(const NoiseChain& chain);

// The angle by which the angular_rays of a chain turn a ray, the weights of the nodes of ChainReturns::TurnedRays under
// its law, and where a turned ray meets a plane.

/// Whether a model turns rays, even if its angles are 0.
inline bool turns_rays(const Noise& noise) { return noise.stage() == Stage::kRay && noise.turn(); }
bool turns_rays(const NoiseChain& chain);

/// The rotation of rays by all models of a chain together; empty without such models. Throws InputError for turns
/// about two axes, and for a model whose effect on turned rays has no density here: a window over the image, a loss at
/// edges, a loss that jumps with the angle.
std::optional<AxisTurn> ray_turn(const NoiseChain& chain);

std::string_view axis_word(Axis axis);

/// Throws InputError: the chain can be neither scored nor learned.
[[noreturn]] void refuse_chain(std::string_view why);

/// A normal angle.
struct AngleLaw {
  double mean = 0.0, variance = 0.0;
};

/// Sums over nodes: of weights, of weights times the mean angle within the hat, of derivatives of weights by the mean.
struct NodeSums {
  double weight = 0.0, place = 0.0, slope = 0.0;
};

/// Turns rays about an axis by an angle.
class RayTurner {
 public:
  RayTurner() = default;
  RayTurner(Axis axis, double angle_rad);

  [[nodiscard]] Vec3 turned(Vec3 v) const;
  [[nodiscard]] Vec3 axis() const;

 private:
  Axis axis_ = Axis::kX;
  double sin_ = 0.0, cos_ = 1.0;
};

/// The angle of a chain on the nodes of rays, which must outlive it.
struct RayTurns {
  /// Throws as ray_turn(), and for rays turned about another axis than that of the chain.
  RayTurns(const NoiseChain& chain, const ChainReturns::TurnedRays& rays);

  std::span<const double> nodes;
  double deviation = 0.0;
  AngleLaw law;
  std::vector<NodeSums> before;  ///< [nodes + 1] over the nodes before node k
  RayTurner by_mean;
  std::vector<RayTurner> by_node;  ///< [nodes]
};

/// Between the nodes in the middle, where they are densest.
double step_in_middle(std::span<const double> nodes);

/// Probability of the angles at which nodes meet surface `number`, with shares of the steps at its ends.
double share_of(std::span<const double> nodes, const std::uint8_t* met, std::uint8_t number, const AngleLaw& law);

/// The energy of a surface that is met head-on.
double energy_head_on(double energy, double cosine);

/// The plane of the clean hit of a return.
ChainReturns::TurnedRays::Surface own_surface(const ChainReturns::TurnedRays::Ray& ray, float clean_range_m,
                                              float energy, float incidence_rad);

/// Where a turned ray meets a plane. The reading is the range or, for a depth that is reported on the nominal ray, the
/// range there of the same distance to the image plane.
struct TurnedHit {
  double reading_m = 0.0;
  double range_m = 0.0, x_m = 0.0, y_m = 0.0;  ///< along the turned ray
  double cosine = 1.0;                         ///< of incidence
  double rate = 0.0;                           ///< d log(reading) / d angle
  double bend = 0.0;                           ///< d^2 reading / d angle^2, over the reading
};

/// Empty for a ray that does not meet the plane.
std::optional<TurnedHit> hit_of(const ChainReturns::TurnedRays::Ray& ray,
                                const ChainReturns::TurnedRays::Surface& surface, const RayTurner& turner,
                                bool on_nominal_ray);

}  // namespace fathom
