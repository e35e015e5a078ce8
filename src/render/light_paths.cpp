// SPDX-License-Identifier: MIT
#include "render/light_paths.hpp"

#include <algorithm>

#include "sensor/returns.hpp"
#include "trace/caster.hpp"

namespace fathom {

namespace {

/// The branches of a ray.
constexpr std::uint32_t branches_of_tree(std::uint32_t bounces) { return (2U << bounces) - 1; }
constexpr std::uint32_t kMostBranches = 64 * branches_of_tree(static_cast<std::uint32_t>(LightPaths::kMostBounces));
constexpr std::uint32_t kNoBranch = ~0U;
/// Rays whose trees of branches grow together: many, because packets of one origin are fast.
constexpr std::uint32_t roots_at_once(std::uint32_t bounces) {
  return std::min(kBlockRays, kMostBranches / branches_of_tree(bounces));
}
static_assert(roots_at_once(static_cast<std::uint32_t>(LightPaths::kMostBounces)) >= kDivergingSamples);

/// Without a detection, branches with less light are cut. With one, a branch is cut if a white surface at its start
/// would have this share of the power that the sensor needs.
constexpr float kLeastLight = 1e-5F, kPowerMargin = 0.01F;
constexpr float kLeastSeparationM = 0.01F;  // of echoes, if there are too many
/// The strongest echo has the most power: beyond this range, energies of lidars fall with its square.
constexpr float kPowerReferenceM = 0.01F;

/// A stretch of a ray between two surfaces, unfolded.
struct Branch {
  Triple o, d;
  float near_m;                    // the surface before lies here
  float way_m;                     // to the hit, from o
  float delay_m;                   // by panes
  float light;                     // share there and back
  float mirrored;                  // share that the surface mirrors, one way; once it has been followed
  std::uint32_t entity, triangle;  // of the hit
  Triple n;                        // of the hit, against d
  float speed_m_s;
  std::uint32_t lane;        // in the plan
  std::uint32_t path;        // Channel::kPath
  std::uint32_t parent;      // kNoBranch: a root
  std::uint32_t root, next;  // next of the same root, or kNoBranch
  bool is_mirrored;          // by the surface that the parent met

  [[nodiscard]] bool met() const { return way_m < math::kInfinity; }
  [[nodiscard]] float cosine() const { return -(d.x * n.x + d.y * n.y + d.z * n.z); }
  [[nodiscard]] float range_m() const { return way_m + delay_m; }
};

Triple along(const Triple& a, float s, const Triple& b) { return {a.x + s * b.x, a.y + s * b.y, a.z + s * b.z}; }

Triple mirrored_at(const Triple& n, const Triple& v) {
  return along(v, -2.0F * (v.x * n.x + v.y * n.y + v.z * n.z), n);
}

Triple unit(const Triple& v) {
  const float scale = 1.0F / math::sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
  return {v.x * scale, v.y * scale, v.z * scale};
}

/// The return of a ray that met such a surface.
struct FollowedReturn {
  ChosenReturn chosen;
  const Branch* branch;  // that it shows
  Triple n;              // as mirrors show it
  float intensity;       // without falloff
};

class BranchTrees {
 public:
  /// `has_triangles`: of the hits of roots.
  BranchTrees(const RenderJob& job, bool has_triangles)
      : job_(job),
        plan_(*job.echoes),
        is_camera_(job.rig.apart),
        has_triangles_(has_triangles),
        reference_m_(is_camera_ ? 0.0F : kPowerReferenceM) {}

  [[nodiscard]] std::uint32_t roots() const { return roots_; }

  /// A ray after its cast. `lane`: in `cast`; `plan_lane`: in the plan.
  void add_root(const CastBlock& cast, std::uint32_t lane, std::uint32_t plan_lane) {
    const bool own = !job_.rolling_cast_from_sensor.empty() || !job_.plan.from_sensor_origin;
    const float* t = job_.cast_from_sensor.t;
    Branch& b = branches_[count_];
    b.o = own ? Triple{cast.ox[lane], cast.oy[lane], cast.oz[lane]} : Triple{t[0], t[1], t[2]};
    b.d = {cast.dx[lane], cast.dy[lane], cast.dz[lane]}, b.n = {cast.nx[lane], cast.ny[lane], cast.nz[lane]};
    b.near_m = 0.0F, b.way_m = cast.range_m[lane], b.delay_m = 0.0F, b.light = 1.0F;
    b.entity = cast.entity[lane], b.triangle = has_triangles_ ? cast.triangle[lane] : kNoTriangle;
    b.speed_m_s = has_speeds() ? cast.speed_m_s[lane] : 0.0F;
    b.lane = plan_lane, b.path = 0, b.parent = kNoBranch, b.root = count_, b.next = kNoBranch, b.is_mirrored = false;
    last_[count_] = count_;
    roots_ = ++count_;
  }

  /// Follows the light of all roots.
  void grow() {
    std::uint32_t begin = 0;
    for (std::uint32_t bounce = 0; bounce < plan_.light_paths.bounces && begin < count_; ++bounce) {
      const std::uint32_t end = count_;
      for (std::uint32_t i = begin; i < end; ++i) add_passed(i);
      cast(end);
      const std::uint32_t middle = count_;
      for (std::uint32_t i = begin; i < end && follows_mirrors(); ++i) {
        if (branches_[i].mirrored > 0.0F) add_mirrored(i);
      }
      cast(middle);
      begin = end;
    }
  }

  /// Chooses the returns of the roots [first, end), the samples of one ray, for choose_by_simulator(). `weights`: of
  /// the roots; null: 1.
  void choose(std::uint32_t first, std::uint32_t end, const float* weights, std::uint32_t* chosen) {
    hits_ = 0;
    for (std::uint32_t root = first; root < end; ++root) {
      const float weight = weights == nullptr ? 1.0F : weights[root - first];
      for (std::uint32_t b = root; b != kNoBranch; b = branches_[b].next) add_hit(b, weight);
    }
    float separation_m = is_camera_ ? 0.0F : plan_.separation_m;
    join_hits(hit_, weight_, separation_m, echoes_, hits_);
    while (echoes_.count == kDivergingSamples && hits_ > kDivergingSamples) {  // more echoes than there is room for
      separation_m = 2.0F * separation_m + kLeastSeparationM;
      join_hits(hit_, weight_, separation_m, echoes_, hits_);
    }
    if (job_.chain.least_power > 0.0F) drop_weak_echoes(echoes_, reference_m_, job_.chain.least_power);
    const CastPlan& plan = job_.plan;
    const std::uint32_t lane = branches_[first].lane;
    choose_by_simulator(echoes_, plan_.choices.data(), static_cast<std::uint32_t>(plan_.choices.size()),
                        plan_.coinciding, plan.min_range_m[plan.min_range_m.size() > 1 ? lane : 0],
                        plan.max_range_m[plan.max_range_m.size() > 1 ? lane : 0], chosen);
  }

  /// Of the last choose(); `root`: shown if all light left.
  [[nodiscard]] FollowedReturn return_by(std::uint32_t echo, std::uint32_t root) const {
    const ChosenReturn chosen = return_of(echoes_, echo);
    const Branch* branch = &branches_[chosen.met ? branch_[chosen.sample] : root];
    return {chosen, branch, seen_normal(*branch),
            chosen.met ? without_falloff(chosen.energy, chosen.range_m, reference_m_) : 0.0F};
  }

  /// Share of the light that a matt surface would get and return there: a pane scatters little of it.
  [[nodiscard]] float light_of(const Branch& b) const {
    const SurfaceOptics* surface = optics_of(b);
    if (surface == nullptr) return b.light;
    return b.light * (surface->is_clear() ? surface->diffuse : film_of(b, *surface));
  }

 private:
  [[nodiscard]] bool has_speeds() const { return !job_.speeds.empty(); }
  [[nodiscard]] bool follows_mirrors() const { return !is_camera_ || plan_.light_paths.camera_ghosts; }

  /// Optics of the surface that a branch met; null if light neither passes it nor is mirrored.
  [[nodiscard]] const SurfaceOptics* optics_of(const Branch& b) const {
    return meets_optics(job_, b.way_m, b.entity) ? &job_.optics()[b.entity] : nullptr;
  }

  [[nodiscard]] float film_of(const Branch& b, const SurfaceOptics& surface) const {
    return film_factor(surface, job_.surfaces.reflectivity[b.entity], b.cosine());
  }

  /// Whether light is not followed beyond this way.
  [[nodiscard]] bool is_cut(float light, float way_m) const {
    const float least = job_.chain.least_power;
    return least > 0.0F ? power_of(light, way_m) < kPowerMargin * least : light < kLeastLight;
  }

  /// Adds a branch behind the surface that branch i met, on the same line; false if it is cut. `share`: of the light.
  bool add_behind(std::uint32_t i, float share, std::uint32_t path) {
    const Branch& from = branches_[i];
    const float light = from.light * share * share;
    if (is_cut(light, from.way_m)) return false;
    Branch& to = branches_[count_];
    to = from;
    to.light = light, to.path |= path, to.parent = i, to.next = kNoBranch, to.is_mirrored = path == kMirrored;
    branches_[last_[from.root]].next = count_;
    last_[from.root] = count_++;
    return true;
  }

  /// Splits the light at the surface that branch i met, and adds the branch that passes it.
  void add_passed(std::uint32_t i) {
    const SurfaceOptics* surface = optics_of(branches_[i]);
    branches_[i].mirrored = 0.0F;
    if (surface == nullptr) return;
    const float cosine = branches_[i].cosine();
    const LightShares shares = shares_of(*surface, cosine);
    branches_[i].mirrored = shares.mirrored;
    if (!(shares.passed > 0.0F) || !add_behind(i, shares.passed, kThroughGlass)) return;
    Branch& to = branches_[count_ - 1];
    to.near_m = behind(to, cosine), to.delay_m += pane_delay_m(*surface, cosine);
  }

  void add_mirrored(std::uint32_t i) {
    const float cosine = branches_[i].cosine();
    if (!add_behind(i, branches_[i].mirrored, kMirrored)) return;
    Branch& to = branches_[count_ - 1];
    to.o = along(to.o, -2.0F * to.way_m * cosine, to.n);
    to.d = unit(along(to.d, 2.0F * cosine, to.n));
    to.near_m = behind(to, cosine);
  }

  /// The way of a branch just behind the surface of its parent, by the resolution of lines of sight.
  [[nodiscard]] float behind(const Branch& b, float cosine) const {
    const float o[3] = {b.o.x, b.o.y, b.o.z};
    const float coordinate = larger(eye_coordinate(o, {}, job_.caster.reach()), b.way_m);
    return b.way_m + b.way_m * sight_resolution(coordinate, b.way_m, cosine, kLoosestSight);
  }

  /// Casts the branches from `first` on.
  void cast(std::uint32_t first) {
    for (; first < count_; first += kBlockRays) cast_block(first, std::min(count_ - first, kBlockRays));
  }

  void cast_block(std::uint32_t first, std::uint32_t count) {
    float near_m[kBlockRays], times_s[kBlockRays];
    const bool moves = sees_motion(job_);
    const std::uint32_t padded = whole_packets(count);
    const Triple& o = branches_[first].o;
    const bool is_shared = !moves && std::all_of(branches_ + first, branches_ + first + count, [&](const Branch& b) {
      return b.o.x == o.x && b.o.y == o.y && b.o.z == o.z;
    });
    for (std::uint32_t k = 0; k < padded; ++k) {
      const Branch& b = branches_[first + std::min(k, count - 1)];
      met_.ox[k] = b.o.x, met_.oy[k] = b.o.y, met_.oz[k] = b.o.z;
      met_.dx[k] = b.d.x, met_.dy[k] = b.d.y, met_.dz[k] = b.d.z;
      near_m[k] = b.near_m;
      if (moves) times_s[k] = time_of_lane(job_, b.lane);
    }
    const CastRays rays{.ox = is_shared ? nullptr : met_.ox,
                        .oy = met_.oy,
                        .oz = met_.oz,
                        .origin = {o.x, o.y, o.z},
                        .dx = met_.dx,
                        .dy = met_.dy,
                        .dz = met_.dz,
                        .near = near_m,
                        .count = padded,
                        .coherent = job_.samples == nullptr ? job_.plan.coherent : plan_.coherent,
                        .mask = job_.mask,
                        .times_s = moves ? times_s : nullptr};
    job_.caster.cast(rays, {met_.range_m, met_.entity, has_triangles_ ? met_.triangle : nullptr, met_.nx, met_.ny,
                            met_.nz, has_speeds() ? met_.speed_m_s : nullptr});
    for (std::uint32_t k = 0; k < count; ++k) {
      Branch& b = branches_[first + k];
      b.way_m = met_.range_m[k], b.entity = met_.entity[k];
      b.n = {met_.nx[k], met_.ny[k], met_.nz[k]};
      if (has_triangles_) b.triangle = met_.triangle[k];
      if (has_speeds()) b.speed_m_s = met_.speed_m_s[k];
    }
  }

  void add_hit(std::uint32_t number, float weight) {
    const Branch& b = branches_[number];
    if (!b.met()) return;
    const SurfaceOptics* surface = optics_of(b);
    const float intensity = b.light * intensity_at(b, surface);
    if (surface != nullptr && !(intensity > 0.0F)) return;
    const float range = b.range_m(), falloff = reference_m_ > 0.0F ? falloff_at(range, reference_m_) : 1.0F;
    hit_.range_m[hits_] = range, hit_.energy[hits_] = weight * intensity * falloff;
    weight_[hits_] = weight, branch_[hits_++] = number;
  }

  /// Of the surface that a branch met.
  [[nodiscard]] float intensity_at(const Branch& b, const SurfaceOptics* surface) const {
    const bool hides = surface != nullptr && surface->mirror > 0.0F && !follows_mirrors();
    if (hides) return 0.0F;
    float own = intensity_of(job_.surfaces, 0.0F, b.entity, b.d, b.n, 0.0F);
    if (surface != nullptr && !surface->is_clear()) own *= film_of(b, *surface);
    if (surface == nullptr || is_camera_) return own;
    return own + mirrored_back(*surface, b.d, b.n, plan_.half_angle_rad);
  }

  [[nodiscard]] Triple seen_normal(const Branch& struck) const {
    Triple n = struck.n;
    for (const Branch* b = &struck; b->parent != kNoBranch; b = &branches_[b->parent]) {
      if (b->is_mirrored) n = mirrored_at(branches_[b->parent].n, n);
    }
    return n;
  }

  const RenderJob& job_;
  const SamplePlan& plan_;
  const bool is_camera_;  // which sees two images, and no pulses
  const bool has_triangles_;
  const float reference_m_;  // of the falloff of energies
  std::uint32_t count_ = 0, roots_ = 0, hits_ = 0;
  std::uint32_t last_[kBlockRays];  // branch of each root
  Branch branches_[kMostBranches];
  CastBlock met_;
  RayHits<kMostBranches> hit_;
  float weight_[kMostBranches];
  std::uint32_t branch_[kMostBranches];  // of the hits
  Echoes echoes_;
};

/// Follows these lanes. Out of line, as the trees need much of the stack.
[[gnu::noinline]] void follow_lanes(const RenderJob& job, const std::uint32_t* lanes, std::uint32_t count,
                                    std::uint32_t begin, bool has_triangles, CastBlock& cast, LanePaths& paths) {
  BranchTrees trees(job, has_triangles);
  for (std::uint32_t k = 0; k < count; ++k) trees.add_root(cast, lanes[k], begin + lanes[k]);
  trees.grow();
  for (std::uint32_t k = 0; k < count; ++k) {
    const std::uint32_t i = lanes[k];
    std::uint32_t echo[kMostReturns];
    trees.choose(k, k + 1, nullptr, echo);
    const FollowedReturn r = trees.return_by(echo[0], k);
    paths.followed[i] = 1, paths.lost[i] = r.chosen.met ? 0 : 1;
    paths.path[i] = r.branch->path, paths.light[i] = trees.light_of(*r.branch), paths.intensity[i] = r.intensity;
    if (!r.chosen.met) continue;
    cast.range_m[i] = r.chosen.range_m;
    cast.entity[i] = r.branch->entity, cast.triangle[i] = r.branch->triangle;
    cast.nx[i] = r.n.x, cast.ny[i] = r.n.y, cast.nz[i] = r.n.z;
    cast.speed_m_s[i] = r.branch->speed_m_s;
  }
}

}  // namespace

void follow_light(const RenderJob& job, std::uint32_t begin, std::uint32_t count, bool has_triangles, CastBlock& cast,
                  LanePaths& paths) {
  const std::uint32_t most = roots_at_once(job.echoes->light_paths.bounces);
  std::uint32_t lanes[kBlockRays], found = 0;
  for (std::uint32_t* values : {paths.followed, paths.path, paths.lost}) std::fill_n(values, count, 0U);
  std::fill_n(paths.light, count, 1.0F);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (meets_optics(job, cast.range_m[i], cast.entity[i])) lanes[found++] = i;
    if (found == most || (i + 1 == count && found > 0)) {
      follow_lanes(job, lanes, found, begin, has_triangles, cast, paths);
      found = 0;
    }
  }
}

[[gnu::noinline]] void follow_samples(const RenderJob& job, std::uint32_t begin, std::uint32_t i, const CastBlock& cast,
                                      std::uint32_t lane, ReturnHits* hits) {
  BranchTrees trees(job, true);
  std::uint32_t shown = 0;  // the first sample that met something
  while (shown + 1 < kDivergingSamples && !(cast.range_m[lane + shown] < math::kInfinity)) ++shown;
  for (std::uint32_t s = 0; s < kDivergingSamples; ++s) trees.add_root(cast, lane + s, begin + i);
  trees.grow();
  std::uint32_t echo[kMostReturns];
  trees.choose(0, trees.roots(), job.samples->weights.data(), echo);
  for (std::uint32_t k = 0; k < job.returns(); ++k) {
    const FollowedReturn r = trees.return_by(echo[k], shown);
    const Branch& b = *r.branch;
    const std::uint32_t at = lane + b.root;
    ReturnHits& out = hits[k];
    out.blank[i] = r.chosen.blank ? 1 : 0, out.lost[i] = r.chosen.met || r.chosen.blank ? 0 : 1;
    out.range_m[i] = r.chosen.met ? r.chosen.range_m : r.chosen.blank ? math::kInfinity : b.range_m();
    const bool has_surface = !r.chosen.blank;
    out.entity[i] = has_surface ? b.entity : index(kNoEntity), out.triangle[i] = has_surface ? b.triangle : kNoTriangle;
    out.path[i] = b.path, out.light[i] = trees.light_of(b), out.speed_m_s[i] = b.speed_m_s;
    out.intensity[i] = job.falloff_m > 0.0F ? r.intensity * falloff_at(out.range_m[i], job.falloff_m) : r.intensity;
    out.nx[i] = r.n.x, out.ny[i] = r.n.y, out.nz[i] = r.n.z;
    out.dx[i] = cast.dx[at], out.dy[i] = cast.dy[at], out.dz[i] = cast.dz[at];
  }
}

}  // namespace fathom
