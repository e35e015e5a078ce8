// SPDX-License-Identifier: MIT
#include <fathom/calibrate/chain_frames.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/math/random.hpp>

#include "base/text.hpp"
#include "render/surface_lanes.hpp"
#include "sensor/sensor_view.hpp"
#include "simulate/turned_frames.hpp"

namespace fathom {

namespace {

constexpr std::size_t kLeastReturns = 1000;
constexpr std::uint64_t kThinningSeed = 0x7468696e6e696e67;  // any number: which returns are left out
constexpr float kSameRange = 1e-5F;                          // relative

constexpr ChannelSet kTruth = {Channel::kCleanRange, Channel::kCleanHit, Channel::kIncidence, Channel::kEnergy,
                               Channel::kNormal};
constexpr ChannelSet kSeen = {Channel::kRange, Channel::kCleanRange, Channel::kReason};

/// Models that lose or replace rays by what the scene is like, not by chance.
NoiseChain scene_models(const NoiseChain& chain) {
  NoiseChain models;
  for (const ChainEntry& entry : chain) {
    const bool is_shadow = entry.noise.slug() == StereoShadow::kSlug, is_window = entry.noise.stage() == Stage::kImage;
    if (is_shadow || is_window) models.push_back(entry);
  }
  return models;
}

/// The chain but for what turns its rays.
NoiseChain straight_models(const NoiseChain& chain) {
  NoiseChain models;
  for (const ChainEntry& entry : chain) {
    if (entry.noise.stage() != Stage::kRay) models.push_back(entry);
  }
  return models;
}

bool reads_edges(const NoiseChain& chain) {
  return std::any_of(chain.begin(), chain.end(),
                     [](const ChainEntry& entry) { return entry.noise.info().needs.neighbours; });
}

OutsideLimits outside_of(const Sensor& sensor, const SensorView& view) {
  switch (sensor.range_policy.value_or(view.usual_policy)) {
    case RangePolicy::kClamp:
      return OutsideLimits::kClamped;
    case RangePolicy::kDrop:
      return OutsideLimits::kLost;
    case RangePolicy::kKeep:
      break;
  }
  return OutsideLimits::kKept;
}

/// Surface::edge_rad, jump and jump_rad of all pixels of a frame.
struct Edges {
  std::vector<float> edge_rad, jump, jump_rad;

  void find(const RayPattern& p, const Frame& truth, const Quaternion& world_from_sensor) {
    const std::size_t rays = truth.rays(), cols = p.cols;
    for (std::vector<float>* values : {&edge_rad, &jump, &jump_rad, &nx_, &ny_, &nz_}) values->resize(rays);
    const PointSpan normal = truth.normal_world();
    const Quaternion sensor_from_world = conjugate(world_from_sensor);
    for (std::size_t i = 0; i < rays; ++i) {
      const Vec3 n = rotate(sensor_from_world, Vec3{double{normal.x[i]}, double{normal.y[i]}, double{normal.z[i]}});
      nx_[i] = static_cast<float>(n.x), ny_[i] = static_cast<float>(n.y), nz_[i] = static_cast<float>(n.z);
    }
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
      const EdgeNormals normals = {nx_.data() + at, ny_.data() + at, nz_.data() + at};
      for (std::uint32_t begin = 0; begin < p.cols; begin += kBlockRays) {
        const std::uint32_t count = std::min(kBlockRays, p.cols - begin);
        alignas(64) float angle[kBlockRays], step[kBlockRays], step_angle[kBlockRays];
        kernels.edge_angles(here, up, down, p.cols, begin, count, angle);
        kernels.edge_jumps(here, normals, up, down, p.cols, begin, count, step, step_angle);
        std::copy_n(angle, count, edge_rad.data() + at + begin);
        std::copy_n(step, count, jump.data() + at + begin);
        std::copy_n(step_angle, count, jump_rad.data() + at + begin);
      }
    }
  }

 private:
  std::vector<float> nx_, ny_, nz_;
};

}  // namespace

std::size_t find_sensor(const SceneSetup& setup, const std::string& name) {
  std::vector<std::string_view> names;
  for (const SensorSetup& sensor : setup.sensors) names.push_back(sensor.sensor.name);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  if (!name.empty()) {
    throw InputError(
        fmt::format("{}: there is no sensor '{}'{}", setup.file.string(), name, nearest_hint(name, names)));
  }
  if (names.size() == 1) return 0;
  throw InputError(
      fmt::format("{}: has {} sensors; name one of {}", setup.file.string(), names.size(), fmt::join(names, ", ")));
}

class ChainFrameReader::Impl {
 public:
  Impl(const SceneSetup& setup, std::size_t frames, const ChainFramesOptions& options)
      : simulator_(make_simulator(setup, options.run)), sensor_(SensorId(find_sensor(setup, options.sensor))) {
    const Sensor& sensor = simulator_.sensor(sensor_);
    if (sensor.returns.size() != 1) {
      throw InputError(fmt::format("sensor '{}': reports {} returns of a ray; chains are learned of one", sensor.name,
                                   sensor.returns.size()));
    }
    if (options.most_returns < kLeastReturns) {
      throw InputError(fmt::format("most_returns = {} is not at least {}", options.most_returns, kLeastReturns));
    }
    const SensorView view = make_view(sensor.model);
    shape_ = view.shape;
    const double rays = static_cast<double>(frames) * shape_.rows * shape_.cols;
    share_ = std::min(1.0, static_cast<double>(options.most_returns) / std::max(rays, 1.0));
    out_.sensor = sensor.name;
    out_.returns.optics = view.optics;
    out_.returns.outside = outside_of(sensor, view);
    out_.returns.half_step_m = options.half_step_m;
    has_edges_ = reads_edges(sensor.noise) && !sensor.rolling;
    take_turns(sensor, options);
    NoiseChain models = scene_models(simulator_.sensor(sensor_).noise);
    if (models.empty()) return;
    Sensor seeing = simulator_.sensor(sensor_);
    seeing.name += "-seen";
    seeing.noise = std::move(models);
    seeing_ = simulator_.add_sensor(std::move(seeing));
  }

  [[nodiscard]] PatternShape shape() const { return shape_; }
  [[nodiscard]] const ChainFrames& frames() const { return out_; }
  [[nodiscard]] const RayPattern& pattern(std::uint32_t index) { return simulator_.pattern(sensor_, index); }
  [[nodiscard]] bool is_camera() const { return out_.returns.optics.fx_px > 0.0F; }
  void round_depths() { out_.returns.depths_are_rounded = true; }

  void add(std::uint32_t index, std::span<const float> range_m) {
    check_size(range_m.size());
    if (out_.frames > 0 && index <= last_) {
      throw InputError(fmt::format("frame {} comes after frame {}: frames do not ascend", index, last_));
    }
    last_ = index, ++out_.frames;
    simulator_.render(straight_.value_or(sensor_), index, truth_);
    if (seeing_) simulator_.render(*seeing_, index, seen_);
    const RayPattern& rays = pattern(index);
    take_limits(rays);
    if (has_edges_) {
      edges_.find(rays, truth_, simulator_.world_from_sensor(sensor_, truth_.stamp_s()).rotation);
    }
    if (turned_) turned_->cast(index, rays, truth_, wanted_rays(rays));
    for (std::size_t i = 0; i < range_m.size(); ++i) add_ray(rays, i, range_m[i]);
  }

  void check_size(std::size_t values) const {
    const std::size_t rays = std::size_t{shape_.rows} * shape_.cols;
    if (values == rays) return;
    throw InputError(fmt::format("{} values given for the {} x {} rays of sensor '{}'", values, shape_.rows,
                                 shape_.cols, out_.sensor));
  }

  /// Clean ranges of the last frame.
  [[nodiscard]] std::span<const float> clean_range_m() const { return truth_.clean_range_m(); }

 private:
  /// What turned rays meet is cast for chains that turn them; what is clean comes from a sensor that does not.
  void take_turns(const Sensor& sensor, const ChainFramesOptions& options) {
    if (!turns_rays(sensor.noise) && !turns_rays(options.other_chain)) return;
    Sensor straight = sensor;
    straight.name += "-straight";
    straight.noise = straight_models(straight.noise);
    turned_.emplace(simulator_, sensor_, options);
    straight_ = simulator_.add_sensor(std::move(straight));
  }

  /// Those of a frame that may become returns; of all frames where turned rays meet the same in each.
  [[nodiscard]] std::vector<std::uint8_t> wanted_rays(const RayPattern& rays) const {
    std::vector<std::uint8_t> wanted(truth_.rays());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const bool is_taken = turned_->is_same_in_all_frames() || this->is_taken(i);
      wanted[i] = is_taken && is_within(rays, i) && !is_hidden(i) ? 1 : 0;
    }
    return wanted;
  }

  /// Limits that differ from ray to ray count for what lies within them, and the widest for what noise carries out.
  void take_limits(const RayPattern& rays) {
    out_.returns.min_range_m = double{*std::min_element(rays.min_range_m.begin(), rays.min_range_m.end())};
    out_.returns.max_range_m = double{*std::max_element(rays.max_range_m.begin(), rays.max_range_m.end())};
  }

  [[nodiscard]] bool is_within(const RayPattern& rays, std::size_t i) const {
    const float z = truth_.clean_range_m()[i];
    const float low = rays.min_range_m[rays.min_range_m.size() == 1 ? 0 : i];
    const float high = rays.max_range_m[rays.max_range_m.size() == 1 ? 0 : i];
    return z > 0.0F && z >= low && z <= high;
  }

  [[nodiscard]] bool is_hidden(std::size_t i) const {
    if (!seeing_) return false;
    if (seen_.reason()[i] != Reason::kHit) return true;
    const float z = seen_.clean_range_m()[i];
    return std::abs(seen_.range_m()[i] - z) > kSameRange * z;
  }

  /// A uniform in [0, 1) of a ray of a frame, the same whoever asks.
  [[nodiscard]] bool is_taken(std::size_t i) const {
    if (share_ >= 1.0) return true;
    const auto word = keyed_block({.seed = kThinningSeed, .frame = last_}, static_cast<std::uint32_t>(i), 0).word[0];
    return double{uniform_from_word(word)} < share_;
  }

  void add_ray(const RayPattern& rays, std::size_t i, float range_m) {
    if (!is_taken(i)) return;
    const bool is_there = range_m > 0.0F && std::isfinite(range_m);
    if (!is_within(rays, i)) {
      out_.unexpected += is_there ? 1 : 0;
      return;
    }
    if (is_hidden(i)) {
      ++out_.hidden;
      return;
    }
    const PointSpan hit = truth_.clean_hit_sensor_m();
    ChainReturns& r = out_.returns;
    r.range_m.push_back(is_there ? range_m : __builtin_nanf(""));
    r.clean_range_m.push_back(truth_.clean_range_m()[i]);
    r.clean_x_m.push_back(hit.x[i]), r.clean_y_m.push_back(hit.y[i]);
    r.incidence_rad.push_back(truth_.incidence_rad()[i]), r.energy.push_back(truth_.energy()[i]);
    r.frame.push_back(last_);
    if (turned_) turned_->add(i, r.turned);
    if (!has_edges_) return;
    r.edge_rad.push_back(edges_.edge_rad[i]), r.jump.push_back(edges_.jump[i]);
    r.jump_rad.push_back(edges_.jump_rad[i]);
  }

  Simulator simulator_;
  SensorId sensor_;
  std::optional<SensorId> seeing_, straight_;
  std::optional<TurnedFrames> turned_;
  Frame truth_{kTruth}, seen_{kSeen};
  Edges edges_;
  PatternShape shape_;
  double share_ = 1.0;
  bool has_edges_ = false;
  std::uint32_t last_ = 0;
  ChainFrames out_;
};

ChainFrameReader::ChainFrameReader(const SceneSetup& setup, std::size_t frames, const ChainFramesOptions& options)
    : impl_(std::make_unique<Impl>(setup, frames, options)) {}
ChainFrameReader::~ChainFrameReader() = default;
ChainFrameReader::ChainFrameReader(ChainFrameReader&&) noexcept = default;
ChainFrameReader& ChainFrameReader::operator=(ChainFrameReader&&) noexcept = default;

PatternShape ChainFrameReader::shape() const { return impl_->shape(); }
const ChainFrames& ChainFrameReader::frames() const { return impl_->frames(); }
std::span<const float> ChainFrameReader::clean_range_m() const { return impl_->clean_range_m(); }
void ChainFrameReader::add_ranges(std::uint32_t index, std::span<const float> range_m) { impl_->add(index, range_m); }

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
