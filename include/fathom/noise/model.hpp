// SPDX-License-Identifier: MIT
#pragma once
// The shape of a noise model. A model is a struct of parameters with
//
//   kSlug      its name in files; see is_slug()      kStage   when it acts, and so on what
//   kDraws     random numbers it needs per ray       kDoc     one line for help
//   fields()   one entry per parameter: name, unit, limits, doc (field.hpp); of float, bool and choice<> members
//   is_identity()  whether these parameters change nothing (the model is then skipped, with the same bits)
//   apply()    the kernel: parameters, one value and its random numbers in, the new value out; pure (a model of stage
//              kImage has window() in its place: what one pixel becomes is in noise/window.hpp)
//
// and, where it has them, with
//
//   kNote              how it differs on purpose from its source, in whole sentences for help in Python
//   kNeeds             what it wants to know of the surface that was struck (noise/surface.hpp)
//   check()            throws InputError when parameters that are each within their limits do not fit together
//   check_on(sensor)   throws InputError when it cannot act on such a sensor (noise/sensor_traits.hpp)
//   kSameInChain       parameters that are the same wherever the model stands in a chain: an array of SameInChain
//   sight_tolerance()  with kNeeds.sight: the last share of a line of sight on which the struck entity may block it
//                      (see noise/stereo_shadow.hpp); 0 without this member
//   energy_angle()     how the array of energies reads the angle (noise/energy.hpp)
//   energy_gain()      what the energy depends on besides angles (noise/energy.hpp)
//   edge_reads()       of stage kEdgeLoss: what of the neighbours these parameters read (noise/surface.hpp); all
//   window()           of stage kImage: how a window over the image makes surfaces of its pixels (noise/window.hpp)
//   least_depth_m(o)   depth below which it loses every return of a camera with the optics o; 0: no such depth
//   idle(field)        why the parameter has no effect beside the others; empty: it has one
//
// and, so that measured returns can be scored under it and its parameters learned (fathom/calibrate/chain.hpp), with
//
//   act(p, law)        what it makes of the law of a range (noise/measured_range_law.hpp)
//   loss_probability(p, Return, Surface)   the probability that a model of loss takes such a return
//   turn()             the rotation of rays or hit points: an AxisTurn (noise/rotate.hpp)
//   kLearned           the parameters that returns can determine: an array of LearnedField
//   jumps(field)       whether the likelihood jumps along a parameter of role kThreshold; true without this member
//   settle(p)          makes the parameters fit together after one of them changed: the weights of a mixture
//   begin(p, returns, free)   where learning begins, guessed from LearnedReturns
//   with_other_law(p)  the same with another law, which learning tries, too
//   law()              the name of the law that it has
//
// The library finds these members by their names (noise/custom.hpp): what one model needs of the sensor, of the chain
// or of the renderer stands in that model and nowhere else.
//
// No model writes a loop; drive.hpp does. See noise/distance.hpp for a model that can be copied.

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <fathom/base/export.hpp>
#include <fathom/base/field.hpp>
#include <fathom/frame/reason.hpp>
#include <fathom/math/f32.hpp>
#include <fathom/noise/sensor_traits.hpp>
#include <fathom/noise/surface.hpp>

namespace fathom {

/// When a model acts. A frame runs the stages in this order; within one stage, models act in the order of the chain.
/// (The cast and the range gate stand between kRay and kAngleLoss, the range policy between kReading and kDropout; a
/// range at or below 0 is lost before the policy sees it.)
enum class Stage : std::uint8_t {
  kRay,         ///< on the ray, before the cast:                        Ray -> Ray
  kAngleLoss,   ///< on how obliquely the surface was struck:          Return, Surface -> Reason
  kShadow,      ///< on what the cameras see of the hit point:         Return, Surface -> Reason
  kEnergyLoss,  ///< on the light that comes back to the cameras:      Return, Surface -> Reason
  kEdgeLoss,    ///< on the neighbours in the image:                   Return, Surface -> Reason
  kImage,       ///< on the whole image of what is left:      disparities -> disparities, surfaces, Reasons
  kHitPoint,    ///< on the hit point:                                   Return -> Return
  kRange,       ///< on the range, moving the hit point along its line:  Return -> Return or Reading
  kReading,     ///< on what the sensor reports, a return or none:  Ray, Reading, max range -> Reading
  kDropout,     ///< on what is left: keep it or say why it is lost:     Return -> Reason
};

inline constexpr std::array<std::string_view, 10> kStageNames = {
    "ray", "angle_loss", "shadow", "energy_loss", "edge_loss", "image", "hit_point", "range", "reading", "dropout"};
constexpr std::string_view to_string(Stage stage) { return kStageNames[static_cast<std::size_t>(stage)]; }

/// An emitted ray in the sensor frame: origin (m) and unit direction.
struct Ray {
  float ox, oy, oz;
  float dx, dy, dz;
};

/// A return in the sensor frame.
struct Return {
  float x, y, z;   ///< hit point, m
  float range_m;   ///< distance the ray travelled
  float radius_m;  ///< distance of the hit point from the sensor origin; equals range_m for rays that start there
};

/// The report of a sensor for one ray: a return, or the reason why there is none. A model of stage kRange gives a
/// Reading when it may leave a return without any range.
struct Reading {
  Return hit;  ///< meaningful where the reason is kHit
  Reason reason;
};

/// How many independent numbers a model consumes per ray.
struct DrawCount {
  int normals = 0;
  int uniforms = 0;
};

/// The random numbers of one ray for one model: standard normals, and uniforms in [0, 1).
template <DrawCount Count>
struct Draws {
  float normal[Count.normals > 0 ? Count.normals : 1];
  float uniform[Count.uniforms > 0 ? Count.uniforms : 1];
};

template <class Model>
using DrawsOf = Draws<Model::kDraws>;

/// A parameter that must have one value in a chain: all entries of the model agree on it, also those for single
/// entities and rings.
struct SameInChain {
  std::string_view field;   ///< name of the parameter
  std::string_view reason;  ///< ends the message: "the energy array has one reading"
};

/// What a parameter does to the likelihood of measured returns.
enum class LearnedRole : std::uint8_t {
  kPlain,      ///< the likelihood is smooth along it
  kShift,      ///< it shifts ranges, and with them the ends of a uniform error
  kStretch,    ///< it scales ranges and these ends
  kDeviation,  ///< it spreads ranges without end, and so blurs the ends of a uniform error
  kGrowth,     ///< the same, in proportion to the range
  kLowEnd,     ///< one end of a uniform error
  kHighEnd,    ///< the other end
  kThreshold,  ///< losses begin at it, so the likelihood jumps
  kWeight,     ///< weight of a mixture; settle() gives the rest to the others
  kLevels  ///< steps of discrete levels: read off the spacing of readings, as the likelihood grows with their number
};

/// A parameter that measured returns can determine, alone or beside others.
struct LearnedField {
  std::string_view field;
  LearnedRole role = LearnedRole::kPlain;
  int yields = 1;  ///< where several parameters span the same change, those with the largest number stay as given
  std::string_view same_in_rings = {};  ///< why it cannot be learned for single rings; empty: it can
};

/// Measured returns, from which a model may guess where learning begins. Arrays [returns].
struct LearnedReturns {
  std::span<const float> range_m;        ///< NaN: lost
  std::span<const float> clean_range_m;  ///< before any noise
  std::span<const std::uint32_t> frame;  ///< ascending
  double max_range_m = 0.0;              ///< of the sensor
};

/// Moves a return by `delta_m` along the line from the sensor origin through it. Carried through the origin, it comes
/// out on the other side, with a negative radius; a return at the origin itself has no line and stays.
FATHOM_KERNEL Return move_radially(Return r, float delta_m) {
  const float moved = r.radius_m + delta_m;
  const float scale = moved / math::select(r.radius_m != 0.0F, r.radius_m, 1.0F);
  return {r.x * scale, r.y * scale, r.z * scale, r.range_m + delta_m, moved};
}

/// Whether a text can be a slug: letters, digits, _ and -. A stream is named "sensor/slug" (random.hpp), so a slash in
/// a slug would let two streams share their draws.
constexpr bool is_slug(std::string_view text) {
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'), digit = c >= '0' && c <= '9';
    if (!letter && !digit && c != '_' && c != '-') return false;
  }
  return !text.empty();
}

template <class M>
concept NoiseModel = requires(const M& model) {
  { M::kSlug } -> std::convertible_to<std::string_view>;
  { M::kDoc } -> std::convertible_to<std::string_view>;
  { M::kStage } -> std::convertible_to<Stage>;
  { M::kDraws } -> std::convertible_to<DrawCount>;
  { M::fields().size() } -> std::convertible_to<std::size_t>;
  { model.is_identity() } -> std::convertible_to<bool>;
}
&&std::copyable<M>&& is_slug(M::kSlug);

}  // namespace fathom
