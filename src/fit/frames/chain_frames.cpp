// SPDX-License-Identifier: MIT
#include "fit/frames/chain_frames.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/f64.hpp>
#include <fathom/core/random.hpp>

#include "core/text.hpp"
#include "fit/chain/chain_likelihood.hpp"
#include "fit/frames/frame_geometry.hpp"
#include "render/prepared_sensor.hpp"
#include "sensor/noise_access.hpp"
#include "sensor/returns.hpp"
#include "sensor/sensor_view.hpp"

namespace fathom {

namespace {

constexpr std::size_t kLeastReturns = 1000;
constexpr std::uint64_t kThinningSeed = 0x7468696e6e696e67;  // arbitrary: selects the returns that are left out
constexpr float kSameRange = 1e-5F;                          // relative
constexpr double kSameAzimuth = 1e-3;                        // rad: logs have angles with few digits
constexpr double kLevelRad = 1e-5;
constexpr std::string_view kCarrier = "#carrier of the laser";  // scene files cannot give this name

constexpr ChannelSet kTruth = {Channel::kCleanRange, Channel::kCleanHit, Channel::kIncidence,
                               Channel::kEnergy,     Channel::kNormal,   Channel::kRing};
constexpr ChannelSet kSeen = {Channel::kRange, Channel::kCleanRange, Channel::kReason};

/// The same sensor, attached to an entity that is placed for each frame; it ignores the same entities.
Sensor carried_by(EntityId carrier, Sensor sensor, const std::string& name) {
  if (sensor.parent != kNoEntity && !sensor.see_parent) sensor.ignore.push_back(sensor.parent);
  sensor.name = name;
  sensor.parent = carrier, sensor.parent_from_sensor = Trajectory();
  sensor.see_parent = true;
  return sensor;
}

bool is_same_pose(const Pose& a, const Pose& b) {
  const auto numbers = [](const Pose& p) {
    return std::array{p.translation_m.x, p.translation_m.y, p.translation_m.z, p.rotation.w,
                      p.rotation.x,      p.rotation.y,      p.rotation.z};
  };
  return numbers(a) == numbers(b);
}

/// Models that lose or replace rays because of the scene, not by chance.
NoiseChain scene_models(const NoiseChain& chain) {
  NoiseChain models;
  for (const ChainEntry& entry : chain) {
    const bool is_window = entry.noise.stage() == Stage::kImage;
    if (entry.noise.info().needs.sight || is_window) models.push_back(entry);
  }
  return models;
}

/// The chain without models that turn rays.
NoiseChain straight_models(NoiseChain chain) {
  std::erase_if(chain, [](const ChainEntry& entry) { return entry.noise.stage() == Stage::kRay; });
  return chain;
}

/// Whether light may leave a scene without a return.
bool has_optics(const Scene& scene) {
  return std::any_of(scene.materials().begin(), scene.materials().end(),
                     [](const Material& material) { return material.optics.leads_on(); });
}

bool reads_edges(const NoiseChain& chain) {
  return std::ranges::any_of(chain, [](const ChainEntry& entry) { return entry.noise.info().needs.neighbours; });
}

/// Whether a chain also makes readings where the scene is empty, besides weather.
bool draws_readings(const NoiseChain& chain) {
  return std::ranges::any_of(chain, [](const ChainEntry& entry) {
    return entry.noise.stage() == Stage::kReading && !entry.noise.info().needs.power;
  });
}

bool has_weather(const NoiseChain& chain) {
  return std::ranges::any_of(chain, &detail::NoiseAccess::is_weather, &ChainEntry::noise);
}

ChainReturns::Outside outside_of(const Sensor& sensor, const SensorView& view) {
  switch (sensor.range_policy.value_or(view.usual_policy)) {
    case RangePolicy::kClamp:
      return ChainReturns::Outside::kClamped;
    case RangePolicy::kDrop:
      return ChainReturns::Outside::kLost;
    case RangePolicy::kKeep:
      break;
  }
  return ChainReturns::Outside::kKept;
}

}  // namespace

std::size_t find_sensor(const SceneSetup& setup, const std::string& name) {
  std::vector<std::string_view> names;
  for (const SensorSetup& sensor : setup.sensors) names.push_back(sensor.sensor.name);
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  if (!name.empty()) {
    throw InputError(
        fmt::format("{}: there is no sensor '{}'{}", setup.file.string(), name, nearest_hint(name, names)));
  }
  if (names.size() == 1) return 0;
  throw InputError(
      fmt::format("{}: has {} sensors; name one of {}", setup.file.string(), names.size(), fmt::join(names, ", ")));
}

std::vector<std::uint16_t> rings_of(const Sensor& sensor) {
  const std::set<std::uint32_t> rings = rings_of(sensor.model);
  return {rings.begin(), rings.end()};
}

std::vector<Finding> ChainFrames::findings() const {
  std::vector<Finding> all = notes;
  const auto note = [&all](const char* code, const std::string& text) {
    all.push_back({Finding::Severity::kNote, code, text});
  };
  if (beyond > 0) {
    note("beyond_max_range",
         fmt::format("{} beyond the {:.6g} m that the sensor measures {} as lost", counted(beyond, "reading"),
                     returns.max_range_m, beyond == 1 ? "counts" : "count"));
  }
  if (unexpected > 0) {
    note("unexpected", fmt::format("{} where the scene has nothing within the limits {} left out",
                                   counted(unexpected, "reading"), were(unexpected)));
  }
  if (askew > 0) {
    note("askew",
         fmt::format("{} {} more than 0.001 rad from where {} can turn them about its axis: the fit uses the "
                     "turn about that axis alone",
                     counted(askew, "point"), askew == 1 ? "lies" : "lie", detail::models_of(Stage::kHitPoint)));
  }
  // Ranges of drops differ from the scene, and neighbours together.
  const std::string of_scene = has_weather ? std::string() : scene_note(returns, has_mixture);
  if (!of_scene.empty()) all.push_back({Finding::Severity::kUnusable, "wrong_map", of_scene});
  return all;
}

class ChainFrameReader::Impl {
 public:
  Impl(const SceneSetup& setup, std::size_t frames, const ChainFrames::Options& options)
      : options_(options),
        simulator_(make_simulator(setup, options.run)),
        sensor_(SensorId(find_sensor(setup, options.sensor))),
        truth_from_(sensor_),
        hits_(simulator_.sensor(sensor_).noise, options.other_chain) {
    const Sensor& sensor = simulator_.sensor(sensor_);
    if (sensor.returns.size() != 1) {
      throw InputError(fmt::format("sensor '{}': reports {} returns of a ray; chains are learned of one", sensor.name,
                                   sensor.returns.size()));
    }
    if (sensor.filters.any() || sensor.aligned_to) {
      throw InputError(
          fmt::format("sensor '{}': chains are learned of raw frames, without filters and aligned_to", sensor.name));
    }
    if (options.most_returns < kLeastReturns) {
      throw InputError(Setting{"max_returns"},
                       fmt::format(" = {} is not at least {}", options.most_returns, kLeastReturns));
    }
    const SensorView view = make_view(sensor.model);
    shape_ = view.shape, rays_vary_ = view.rays_vary, farthest_m_ = view.farthest_m;
    falloff_m_ = falloff_of(sensor, view);
    const double rays = static_cast<double>(frames) * shape_.rows * shape_.cols;
    share_ = std::min(1.0, static_cast<double>(options.most_returns) / std::max(rays, 1.0));
    out_.sensor = sensor.name;
    out_.returns.optics = view.optics;
    out_.returns.outside = outside_of(sensor, view);
    out_.returns.half_step_m = options.half_step_m;
    has_edges_ = reads_edges(sensor.noise) && !sensor.rolling;
    out_.has_mixture = draws_readings(sensor.noise);
    out_.has_weather = has_weather(sensor.noise) || has_weather(options.other_chain);
    out_.returns.least_power = double{sensor.detection.least_power()};
    out_.returns.beam_rad = double{beam_angle(divergence_of(sensor, view))};
    see_from(sensor_);
  }

  [[nodiscard]] RayPattern::Shape shape() const { return shape_; }
  [[nodiscard]] const ChainFrames& frames() const { return out_; }
  [[nodiscard]] const RayPattern& pattern(std::uint32_t index) { return simulator_.pattern(sensor_, index); }
  [[nodiscard]] bool is_camera() const { return out_.returns.optics.fx_px > 0.0F; }
  void round_depths() { out_.returns.depths_are_rounded = true; }

  void add(std::uint32_t index, std::span<const float> range_m, std::span<const float> point_m = {}) {
    check_size(range_m.size());
    if (out_.frames > 0 && index <= last_) {
      throw InputError(fmt::format("frame {} comes after frame {}: frames do not ascend", index, last_));
    }
    last_ = index, ++out_.frames;
    simulator_.render(truth_from_, index, truth_);
    if (seeing_) simulator_.render(*seeing_, index, seen_);
    const RayPattern& rays = pattern(index);
    take_limits(rays);
    const Pose world_from_sensor = simulator_.world_from_sensor(truth_from_, truth_.stamp_s());
    if (!first_pose_) first_pose_ = world_from_sensor;
    if (!is_same_pose(*first_pose_, world_from_sensor)) out_.returns.sensor_moved = true;
    if (has_edges_) {
      find_normals(simulator_, truth_from_, index, truth_, edges_.normals);
      edges_.find(rays, truth_);
    }
    if (turned_) turned_->cast(index, rays, truth_, wanted_rays(rays));
    take_points(rays, point_m);
    for (std::size_t i = 0; i < range_m.size(); ++i) add_ray(rays, i, range_m[i]);
    out_.askew = hits_.askew();
  }

  /// Places the sensor at the pose of a log at this frame.
  void place(std::uint32_t index, const PlanarPose& pose) {
    const Sensor& sensor = simulator_.sensor(sensor_);
    if (!carrier_) carry(sensor);
    const Pose in_scene = simulator_.world_from_sensor(sensor_, simulator_.frame_time(sensor_, index).stamp_s);
    if (!(rotate(in_scene.rotation, {0, 0, 1}).z >= 1.0 - 0.5 * kLevelRad * kLevelRad)) {
      throw InputError(fmt::format("sensor '{}': is tilted in the scene at frame {}; a log has x, y and yaw only",
                                   out_.sensor, index));
    }
    simulator_.scene().set_pose(
        *carrier_, {{pose.x_m, pose.y_m, in_scene.translation_m.z}, from_roll_pitch_yaw(0.0, 0.0, pose.yaw_rad)});
  }

  void check_azimuths(std::span<const double> azimuth_rad) {
    const RayPattern& rays = pattern(0);
    const bool is_planar =
        std::ranges::all_of(rays.direction_z, [](float z) { return std::abs(double{z}) <= kLevelRad; });
    if (!rays.origin_x.empty() || !is_planar || rays_vary_) {
      throw InputError(fmt::format("sensor '{}': a log is of a laser with rays in one plane, as of {}", out_.sensor,
                                   with_rays_in_one_plane()));
    }
    const std::size_t count = rays.direction_x.size();
    if (azimuth_rad.size() != count) {
      throw InputError(
          fmt::format("its scans have {} rays, and sensor '{}' has {}", azimuth_rad.size(), out_.sensor, count));
    }
    for (std::size_t i = 0; i < count; ++i) {
      const double ours = math::atan2(double{rays.direction_y[i]}, double{rays.direction_x[i]});
      if (std::abs(std::remainder(azimuth_rad[i] - ours, 2.0 * std::numbers::pi)) <= kSameAzimuth) continue;
      throw InputError(fmt::format("its ray {} points at {:.6g} deg, and that of sensor '{}' at {:.6g} deg", i,
                                   azimuth_rad[i] / kRadPerDeg, out_.sensor, ours / kRadPerDeg));
    }
  }

  [[nodiscard]] double max_range_m() const { return farthest_m_; }

  void check_size(std::size_t values) const {
    const std::size_t rays = std::size_t{shape_.rows} * shape_.cols;
    if (values == rays) return;
    throw InputError(fmt::format("{} values given for the {} x {} rays of sensor '{}'", values, shape_.rows,
                                 shape_.cols, out_.sensor));
  }

  /// Clean ranges of the last frame.
  [[nodiscard]] std::span<const float> clean_range_m() const { return truth_.clean_range_m(); }

 private:
  /// Adds sensors for the frames that sensor `id` sees: its clean rays; its rays with the models, the detection and the
  /// optics that lose them because of the scene, if there are some; and its turned rays, if a chain turns them.
  void see_from(SensorId id) {
    const Sensor sensor = simulator_.sensor(id);
    truth_from_ = id;
    if (turns_rays(sensor.noise) || turns_rays(options_.other_chain)) {
      Sensor straight = sensor;
      straight.name += "-straight";
      straight.noise = straight_models(straight.noise);
      turned_.emplace(simulator_, id, options_, carrier_.has_value());
      turned_->begin(out_.returns.turned);
      truth_from_ = simulator_.add_sensor(std::move(straight));
    } else if (options_.angle_scale_rad != 0.0) {
      throw InputError("sensor '", out_.sensor, "': ", Setting{"angle_scale_rad"}, " is for chains with ",
                       detail::models_of(Stage::kRay), ", and its chain has none");
    }
    NoiseChain models = scene_models(sensor.noise);
    const bool is_detecting = sensor.detection.least_power() > 0.0F;
    if (models.empty() && !is_detecting && !out_.has_weather && !has_optics(simulator_.scene())) return;
    Sensor seeing = sensor;
    seeing.name += "-seen";
    seeing.noise = std::move(models);
    if (out_.has_weather) seen_ = Frame(kSeen | ChannelSet{Channel::kIntensity});
    seeing_ = simulator_.add_sensor(std::move(seeing));
  }

  void carry(const Sensor& sensor) {
    if (sensor.rolling) {
      throw InputError(fmt::format(
          "sensor '{}': is rolling, and a log has one pose for all rays of a scan; set rolling: false", out_.sensor));
    }
    Entity carrier;
    carrier.name = std::string(kCarrier), carrier.mesh = kNoMesh;
    carrier_ = simulator_.scene().add_entity(std::move(carrier));
    see_from(simulator_.add_sensor(carried_by(*carrier_, sensor, sensor.name + "-carried")));
  }

  void take_points(const RayPattern& rays, std::span<const float> point_m) {
    hits_.take(rays, point_m);
    if (point_m.empty() || has_points_) return;
    has_points_ = true;
    if (hits_.why_not().empty()) return;
    out_.notes.push_back(
        {Finding::Severity::kNote, "askew",
         fmt::format("points do not determine {}: {}", detail::models_of(Stage::kHitPoint), hits_.why_not())});
  }

  /// The rays that may become returns in this frame or, if turned rays meet the same surfaces in all frames, in any.
  [[nodiscard]] std::vector<std::uint8_t> wanted_rays(const RayPattern& rays) const {
    std::vector<std::uint8_t> wanted(truth_.rays());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const bool is_taken = turned_->is_same_in_all_frames() || this->is_taken(i);
      wanted[i] = is_taken && is_within(rays, i) && !is_hidden(i) ? 1 : 0;
    }
    return wanted;
  }

  /// If limits differ between rays, returns use the widest. Each ray uses its own limits in is_within().
  void take_limits(const RayPattern& rays) {
    const auto [nearest, farthest] = std::ranges::minmax_element(rays.max_range_m);
    if (out_.has_mixture && *nearest != *farthest) {
      throw InputError(
          fmt::format("sensor '{}': readings of {} are learned of rays that measure equally far, and these "
                      "measure {} to {} m",
                      out_.sensor, BeamMixture::kSlug, *nearest, *farthest));
    }
    out_.returns.min_range_m = double{std::ranges::min(rays.min_range_m)};
    out_.returns.max_range_m = double{*farthest};
  }

  [[nodiscard]] bool is_within(const RayPattern& rays, std::size_t i) const {
    const float z = truth_.clean_range_m()[i];
    return z > 0.0F && z >= limit_of(rays.min_range_m, i) && z <= limit_of(rays.max_range_m, i);
  }
  [[nodiscard]] static float limit_of(const std::vector<float>& limits_m, std::size_t i) {
    return limits_m[limits_m.size() == 1 ? 0 : i];
  }

  [[nodiscard]] bool is_hidden(std::size_t i) const {
    if (!seeing_) return false;
    if (seen_.reason()[i] != Reason::kHit) return true;
    const float z = seen_.clean_range_m()[i];
    return std::abs(seen_.range_m()[i] - z) > kSameRange * z;
  }

  /// Whether a ray of the last frame is kept: a keyed draw, the same in every call.
  [[nodiscard]] bool is_taken(std::size_t i) const {
    if (share_ >= 1.0) return true;
    const auto word = keyed_block({.seed = kThinningSeed, .frame = last_}, static_cast<std::uint32_t>(i), 0).word[0];
    return double{uniform_from_word(word)} < share_;
  }

  void add_ray(const RayPattern& rays, std::size_t i, float range_m) {
    if (!is_taken(i)) return;
    bool is_there = range_m > 0.0F && std::isfinite(range_m);
    if (is_there && out_.returns.outside != ChainReturns::Outside::kKept &&
        double{range_m} > ChainFrames::kBeyond * double{limit_of(rays.max_range_m, i)}) {
      is_there = false, ++out_.beyond;
    }
    if (!is_within(rays, i)) {
      out_.unexpected += is_there && !out_.has_mixture && !out_.has_weather ? 1 : 0;
      return;
    }
    if (is_hidden(i)) {
      ++out_.hidden;
      return;
    }
    const Frame::Points hit = truth_.clean_hit_sensor_m();
    ChainReturns& r = out_.returns;
    hits_.add(i, is_there, r.size(), r.hits);
    r.range_m.push_back(is_there ? range_m : __builtin_nanf(""));
    r.clean_range_m.push_back(truth_.clean_range_m()[i]);
    r.clean_x_m.push_back(hit.x[i]), r.clean_y_m.push_back(hit.y[i]);
    r.incidence_rad.push_back(truth_.incidence_rad()[i]), r.energy.push_back(truth_.energy()[i]);
    r.ring.push_back(truth_.ring()[i]);
    r.frame.push_back(last_);
    if (out_.has_weather) r.light.push_back(without_falloff(seen_.intensity()[i], seen_.range_m()[i], falloff_m_));
    if (turned_) turned_->add(i, r.turned);
    if (!has_edges_) return;
    r.edge_rad.push_back(edges_.edge_rad[i]), r.jump.push_back(edges_.jump[i]);
    r.jump_rad.push_back(edges_.jump_rad[i]);
  }

  ChainFrames::Options options_;
  Simulator simulator_;
  SensorId sensor_, truth_from_;
  std::optional<SensorId> seeing_;
  std::optional<EntityId> carrier_;
  std::optional<Pose> first_pose_;
  std::optional<TurnedFrames> turned_;
  HitFrames hits_;
  Frame truth_{kTruth}, seen_{kSeen};
  FrameEdges edges_;
  RayPattern::Shape shape_;
  double share_ = 1.0, farthest_m_ = 0.0;
  float falloff_m_ = 0.0F;
  bool has_edges_ = false, rays_vary_ = false, has_points_ = false;
  std::uint32_t last_ = 0;
  ChainFrames out_;
};

ChainFrameReader::ChainFrameReader(const SceneSetup& setup, std::size_t frames, const ChainFrames::Options& options)
    : impl_(std::make_unique<Impl>(setup, frames, options)) {}
ChainFrameReader::~ChainFrameReader() = default;
ChainFrameReader::ChainFrameReader(ChainFrameReader&&) noexcept = default;
ChainFrameReader& ChainFrameReader::operator=(ChainFrameReader&&) noexcept = default;

RayPattern::Shape ChainFrameReader::shape() const { return impl_->shape(); }
const ChainFrames& ChainFrameReader::frames() const { return impl_->frames(); }
std::span<const float> ChainFrameReader::clean_range_m() const { return impl_->clean_range_m(); }
void ChainFrameReader::add_ranges(std::uint32_t index, std::span<const float> range_m) { impl_->add(index, range_m); }

void ChainFrameReader::add_points(std::uint32_t index, std::span<const float> range_m, std::span<const float> point_m) {
  impl_->check_size(range_m.size());
  if (point_m.size() != 3 * range_m.size()) {
    throw InputError(fmt::format("{} values given for {} points", point_m.size(), range_m.size()));
  }
  impl_->add(index, range_m, point_m);
}

void ChainFrameReader::add_scan(std::uint32_t index, std::span<const float> range_m,
                                const PlanarPose& world_from_sensor) {
  impl_->check_size(range_m.size());
  impl_->place(index, world_from_sensor);
  impl_->add(index, range_m);
}

void ChainFrameReader::check_azimuths(std::span<const double> azimuth_rad) const { impl_->check_azimuths(azimuth_rad); }
double ChainFrameReader::max_range_m() const { return impl_->max_range_m(); }

void ChainFrameReader::add_depths(std::uint32_t index, std::span<const float> depth_m) {
  if (!impl_->is_camera()) throw InputError(fmt::format("sensor '{}' is no camera", impl_->frames().sensor));
  impl_->check_size(depth_m.size());
  impl_->round_depths();
  const std::vector<float>& along = impl_->pattern(index).direction_x;
  std::vector<float> range_m(depth_m.size());
  for (std::size_t i = 0; i < depth_m.size(); ++i) range_m[i] = depth_m[i] / along[i];
  impl_->add(index, range_m);
}

}  // namespace fathom
