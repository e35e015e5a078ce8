// SPDX-License-Identifier: MIT
#pragma once
// The shape of a noise model. A model is a struct of parameters with
//
//   kSlug      its name in files; see is_slug()      kStage   when it acts, and so on what
//   kDraws     random numbers it needs per ray       kDoc     one line for help
//   fields()   one entry per parameter: name, unit, limits, doc (field.hpp); of float, bool and choice<> members
//   is_identity()  whether these parameters change nothing (the model is then skipped, with the same bits)
//   apply()    the kernel: parameters, one value and its random numbers in, the new value out; pure (a model of stage
//              kImage has window() instead: noise/detail/window.hpp has the rule for one pixel)
//
// and, where it has them, with
//
//   kNote              how it differs on purpose from its source, in whole sentences for help in Python
//   kNeeds             the parts of a Surface that apply() reads
//   check()            throws InputError when parameters that are each within their limits do not fit together
//   check_on(sensor)   throws InputError when it cannot act on a sensor with these SensorTraits
//   kSameInChain       parameters that are the same wherever the model appears in a chain: an array of SameInChain
//   sight_tolerance()  with kNeeds.sight: the last share of a line of sight on which the struck entity may block it
//                      (see noise/stereo_shadow.hpp); 0 without this member
//   energy_angle()     how the array of energies reads the angle (noise/stereo_energy.hpp)
//   energy_gain()      factors of the energy besides angles (noise/stereo_energy.hpp)
//   edge_reads()       of stage kEdgeLoss: the EdgeReads of these parameters; without this member: all
//   window()           of stage kImage: how a window over the image makes surfaces (noise/detail/window.hpp)
//   least_depth_m(o)   depth below which it loses every return of a camera with the optics o; 0: no such depth
//   idle(field)        why the parameter has no effect beside the others; empty if it has one
//   without_losses(p)  of a model that reads the energy: the same one when it loses nothing
//   is_placed()        with kNeeds.place: whether these parameters read Receiver::placed
//   variant()          0, 1 or 2 (kVariants = 3): the kernel of these parameters, see drive_variant(); 0: not placed
//   tabulate()         of stage kReading with kNeeds.power: the table that apply() reads, made once for a Noise that is
//                      no identity
//   on_beam(p, rad)    the same model on a sensor whose rays widen by this full angle
//
// and, so that measured returns can be scored under it and its parameters learned (fathom/fit/chain.hpp), with
//
//   act(p, law)        applies its error to the law of a range (noise/detail/measured_range_law.hpp)
//   loss_probability(p, Return, Surface)   the probability that a model of loss takes such a return, a FATHOM_KERNEL
//   soft_law(table)    of a model with tabulate(): the drops before a surface, as a SoftLaw
//   turn()             the rotation of rays or hit points: an AxisTurn
//   kLearned           the parameters that returns can determine: an array of LearnedField
//   jumps(field)       whether the likelihood jumps along a parameter of role kThreshold; true without this member
//   level_of(optics, depth_m)   for a parameter of role kLevels: the quantity that has levels
//   settle(p)          makes the parameters fit together after one of them changed: the weights of a mixture
//   begin(p, returns, free)   where learning begins, guessed from LearnedReturns
//   with_other_law(p)  the same with another law, which learning tries, too
//   law()              the name of its law
//   kRemedies          faults of a chain that this model mends, so that findings advise it: an array of Remedy
//   with_heavy_tails(p)   another model near this one, whose error has heavier tails; learning compares the two
//
// and, so that a law of loss is compared with others, with
//
//   kLossCause         what must vary between returns: a LossCause
//   kLossFree          names of the parameters that are learned
//   begin_loss(cover)  where learning begins, guessed from a LossCover
//
// The library finds these members by their names (noise/custom.hpp). A model's needs of the sensor, the chain or the
// renderer are in that model and nowhere else.
//
// No model writes a loop; drive.hpp does. See noise/distance.hpp for a model that can be copied.

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include <fathom/core/export.hpp>
#include <fathom/core/f32.hpp>
#include <fathom/core/field.hpp>
#include <fathom/frame/reason.hpp>

namespace fathom {

struct BeamParameters;
enum class MissPolicy : std::uint8_t;

/// The camera that a sensor's rays belong to; the same for all rays. All 0 without a camera.
struct Optics {
  float fx_px = 0.0F;       ///< focal length, horizontal
  float cx_px = 0.0F;       ///< principal point, from the centre of the leftmost pixel
  float baseline_m = 0.0F;  ///< distance of the two cameras
};

inline constexpr std::uint32_t kHiddenFromLeft = 1, kHiddenFromRight = 2;

/// The surface that a return struck. A model that reads it takes it before its draws: apply(params, Return, Surface,
/// Draws). n is the unit normal, turned towards the emitter; e, l, r are the unit directions from the hit point to the
/// emitter, the left and the right camera. Without cameras l = r = e.
struct Surface {
  float cos_emitter = 1.0F;       ///< n . e: cosine of the incidence angle
  float cos_left = 1.0F;          ///< n . l; negative when the camera is behind the surface
  float cos_right = 1.0F;         ///< n . r
  float left_to_emitter = 1.0F;   ///< l . e
  float right_to_emitter = 1.0F;  ///< r . e
  float edge_rad = 0.0F;  ///< angle at the hit between the ways to the camera and to the neighbour that steps back most
  std::uint32_t hidden = 0;  ///< kHiddenFromLeft | kHiddenFromRight
  Optics optics;
  /// Of the neighbour that lies farthest behind the tangent plane at the hit: r / t - 1 with its range r and the range
  /// t at which its ray meets the plane; and the angle at the hit between the ways to the camera and to that neighbour.
  float jump = -1.0F, jump_rad = 0.0F;
  float energy_gain = 1.0F;  ///< factor of the energy besides angles; see EnergyGain in noise/stereo_energy.hpp
  float power = 1.0F;        ///< of the return; see noise/detail/power.hpp
};

/// The parts of its Surface that a model needs; a sensor that cannot give them refuses the model.
struct SurfaceNeeds {
  bool angles = false;      ///< the cosines
  bool sight = false;       ///< hidden: costs a ray from each camera. Needs two cameras apart.
  bool neighbours = false;  ///< edge_rad, jump and jump_rad: only in stage kEdgeLoss. Needs rays from one point.
  bool camera = false;      ///< optics.fx_px and cx_px: the sensor is a camera
  bool baseline = false;    ///< optics.baseline_m > 0: two cameras apart
  bool power = false;       ///< of stage kReading: PoweredReading
  bool place = false;  ///< Receiver::placed; entries for entities then act besides, in the frames of these entities
  bool surface_power = false;  ///< Surface::power; only with angles
};

/// The values of neighbours that a model with these parameters reads. The renderer computes no others.
struct EdgeReads {
  bool angles = true;  ///< edge_rad
  bool jumps = true;   ///< jump and jump_rad
};

/// The properties of a sensor that its noise models may depend on; see check_on().
struct SensorTraits {
  Optics optics;                   ///< of its camera; a baseline above 0: two cameras apart
  bool left_is_reference = false;  ///< the left camera takes the image, and the right one is beside it
  bool one_origin = true;          ///< all rays start at the sensor's origin
  bool rolling = false;            ///< each ray is cast at its own time
  bool in_rows = true;             ///< rays lie in rows and columns, the same ones in every frame
  std::uint32_t rows = 0, cols = 0;
  bool closes = false;        ///< the last column is next to the first one: a full turn
  std::uint32_t returns = 1;  ///< of each ray
};

/// When a model acts. A frame runs the stages in this order; within one stage, models act in the order of the chain.
/// (The cast and the range gate come between kRay and kAngleLoss, the range policy between kReading and kDropout. A
/// range at or below 0 is lost before the range policy.)
enum class Stage : std::uint8_t {
  kRay,         ///< on the ray, before the cast:                        Ray -> Ray
  kAngleLoss,   ///< on how obliquely the surface was struck:          Return, Surface -> Reason
  kShadow,      ///< on what the cameras see of the hit point:         Return, Surface -> Reason
  kEnergyLoss,  ///< on the light that comes back to the cameras:      Return, Surface -> Reason
  kEdgeLoss,    ///< on the neighbours in the image:                   Return, Surface -> Reason
  kImage,       ///< on the image of the returns left:         disparities -> disparities, surfaces, Reasons
  kHitPoint,    ///< on the hit point:                                   Return -> Return
  kRange,       ///< on the range, moving the hit point along its line:  Return -> Return or Reading
  kReading,     ///< on what the sensor reports, a return or none:  Ray, Reading, max range -> Reading
  kDropout,     ///< on each return left: keep it or lose it:      Return -> Reason
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

/// The report of a sensor for one ray: a return, or the reason of its loss. A model of stage kRange gives a
/// Reading when it may leave a return without any range.
struct Reading {
  Return hit;  ///< meaningful where the reason is kHit
  Reason reason;
};

/// A reading with the light that came back. A model of stage kReading that reads it has
/// apply(params, Ray, PoweredReading, Receiver, Draws). It acts also on returns of reasons kLowPower and
/// kSpecular: light may come back from something else.
struct PoweredReading {
  Return hit;
  Reason reason;
  float intensity;   ///< before the falloff: power x range^2 (noise/detail/power.hpp); of a ray that met nothing 0
  bool from_medium;  ///< whether drops in the air returned it, no surface
};

/// What such a model knows of the sensor.
struct Receiver {
  float min_range_m, max_range_m;
  float least_power;     ///< of a surface; 0: it detects all
  float least_of_drops;  ///< the same of drops
  const float* table;    ///< of tabulate(); null without
  Ray placed = {};       ///< the ray in the world, or in the frame of the entity that an entry is for
};

template <class M>
concept ReadsPower = requires(const M& p, const Ray& ray, const PoweredReading& in, const Receiver& receiver) {
  M::apply(p, ray, in, receiver, {});
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
  int yields = 1;  ///< of several parameters that span the same change, the ones with the largest number stay fixed
  std::string_view same_in_rings = {};  ///< why it cannot be learned for single rings; empty if it can
};

/// What a chain may lack to describe measured returns.
enum class Remedy : std::uint8_t {
  kRangeError,  ///< a random error of the range that reaches everywhere
  kHeavyTails   ///< an error with heavy tails
};

/// What must vary between returns, so that they tell a law of loss from others.
enum class LossCause : std::uint8_t { kChance, kIncidence, kDepth };

/// What measured returns cover.
struct LossCover {
  double lost_share = 0.0;
  double kept_rad = 0.0;  ///< the largest incidence of a return that was not lost
  double far_m = 0.0;     ///< the depth beyond which 5 % of the returns are
};

/// The light that air leaves and that its drops return, as a law. Its functions take the power that drops must exceed,
/// the range of the surface behind them, and a range r. They use the table of the model, which must outlive them.
struct SoftLaw {
  explicit SoftLaw(double extinction) : extinction_per_m(extinction) {}
  virtual ~SoftLaw() = default;

  /// The probability that drops return more than the power, from beyond r.
  [[nodiscard]] virtual double beyond(double power, double surface_m, double r_m) const = 0;
  /// The density of this return along r, 1/m.
  [[nodiscard]] virtual double density(double power, double surface_m, double r_m) const = 0;

  double extinction_per_m;
};
using SoftLawPtr = std::shared_ptr<const SoftLaw>;

/// Measured returns, from which a model may guess where learning begins. Arrays [returns].
struct LearnedReturns {
  std::span<const float> range_m;        ///< NaN: lost
  std::span<const float> clean_range_m;  ///< before any noise
  std::span<const std::uint32_t> frame;  ///< ascending
  double max_range_m = 0.0;              ///< of the sensor
  /// Fits the beam model (fathom/noise/beam_density.hpp) to the returns, with this hit offset, or a learned one if
  /// null.
  BeamParameters (*fit_beam)(const LearnedReturns& returns, MissPolicy miss, const double* hit_offset_m) = nullptr;
};

/// Moves a return by `delta_m` along the line from the sensor origin through it. Beyond the origin it comes out on the
/// other side, with a negative radius. A return at the origin itself has no line and stays.
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

/// An axis of the sensor frame (x forward, y left, z up).
enum class Axis : std::uint8_t { kX, kY, kZ };
template <>
inline constexpr std::array<std::string_view, 3> kChoiceWords<Axis> = {"x", "y", "z"};

/// A normal rotation about an axis: what a model does to rays or to hit points.
struct AxisTurn {
  Axis axis;
  double mean_rad = 0.0, stddev_rad = 0.0;
};

/// Log density of a rotation by an angle in rad, per rad. Angles that differ by whole rotations are equal. -infinity
/// for a deviation of 0.
FATHOM_API double log_density(const AxisTurn& turn, double angle_rad);

struct Vector {
  float x, y, z;
};

/// Rotates v actively and right-handed about a coordinate axis by the angle whose sine and cosine are given.
/// `axis` is the same for a whole frame, so the compiler moves the choice out of the loop over rays.
FATHOM_KERNEL Vector rotate_about(Axis axis, math::SinCos a, Vector v) {
  if (axis == Axis::kX) return {v.x, a.cos * v.y - a.sin * v.z, a.sin * v.y + a.cos * v.z};
  if (axis == Axis::kY) return {a.sin * v.z + a.cos * v.x, v.y, a.cos * v.z - a.sin * v.x};
  return {a.cos * v.x - a.sin * v.y, a.sin * v.x + a.cos * v.y, v.z};
}

// The blocks of drive.hpp: only their names, so that noise.hpp stays light.
struct NoiseKey;
struct RayBlock;
struct ReturnBlock;
struct DrawBuffer;

/// Applies a model, type erased, to a block. The model's stage decides whether it changes rays or returns.
using BlockKernel = void (*)(const void* model, const NoiseKey& key, RayBlock& rays, ReturnBlock& returns,
                             DrawBuffer& draws);

/// Finds loss_probability() of all returns of a block, whose surfaces are known.
using LossKernel = void (*)(const void* model, const ReturnBlock& returns, double* probability);

struct ModelKernels {
  BlockKernel apply;
  LossKernel find_losses;  ///< null: not a model of loss that is learned
};

}  // namespace fathom
