// SPDX-License-Identifier: MIT
#pragma once
// Renders one frame of one sensor: block by block, ray noise -> cast -> range gate -> angle loss, shadow, energy loss
// -> hit and range noise -> range policy -> dropout -> the arrays asked for; then, over the image, edge loss. A chain
// with a model of stage kImage cuts the blocks in two: up to the losses; then, over the image, edge loss and the
// window; then from hit noise on. For rays that diverge, all steps from the range gate on run once for each return;
// such sensors have no window. A given image takes the place of the cast. All choices are made here, once per frame or
// block; the loops over rays are in lanes.cpp and noise/detail/drive.hpp.

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <fathom/core/compute.hpp>
#include <fathom/frame/frame.hpp>
#include <fathom/sensor/kinds.hpp>

#include "core/compute.hpp"
#include "render/chain.hpp"
#include "render/entity_tables.hpp"
#include "render/image_filters.hpp"
#include "render/lanes.hpp"
#include "render/plan.hpp"
#include "trace/caster.hpp"

namespace fathom {

/// Values that the stages which read neighbours keep until the whole image is complete, [rays].
struct EdgeScratch {
  std::vector<float> range_m;                    ///< of the surfaces struck; +inf on a miss
  std::vector<std::uint8_t> reached;             ///< whether the return is valid before edge loss
  std::vector<std::uint32_t> entity;             ///< struck; with edge losses that have entries for them, or a window
  std::vector<float> edge_nx, edge_ny, edge_nz;  ///< normals in the sensor frame; of edge losses by jumps

  // With a window.
  std::vector<Reason> reason;         ///< so far
  std::vector<float> disparity_px;    ///< 0 or no number without a valid return
  std::vector<float> matched_px;      ///< disparities after the window
  std::vector<std::uint32_t> taken;   ///< place of the pixel whose surface is shown
  std::vector<std::uint32_t> region;  ///< see RegionFinder
  std::vector<std::uint64_t> links;   ///< RegionLinks of a row, and one of their arrays for the row above
  std::vector<std::uint32_t> triangle;
  std::vector<std::uint32_t> pixel;  ///< of a given image: whose surface each ray met
  std::vector<float> nx, ny, nz;     ///< normals in the caster's coordinates
  std::vector<float> dx, dy, dz;     ///< rays that struck the surfaces, in the same coordinates

  /// Of each array of RegionLinks.
  static constexpr std::size_t link_words(std::uint32_t cols) { return cols / 64 + std::size_t{1}; }

  /// Allocates the arrays that `chain` needs.
  void fit(const StagedChain& chain, std::uint32_t rows, std::uint32_t cols);
};

struct RenderJob;
struct GivenSurfaces;
class FieldStore;

/// Renders frames instead of the processor: one for each renderer of frames, for one thread at a time. The casters of
/// its jobs live as long as it does.
class FrameDevice {
 public:
  virtual ~FrameDevice() = default;
  /// As render() below. Throws InputError for a chain with a user's model.
  virtual void render(std::span<const RenderJob> jobs, Frame& frame) = 0;
};

/// Everything a frame needs; nothing here changes while it renders.
struct RenderJob {
  const CastPlan& plan;
  const RayPattern& pattern;
  const StagedChain& chain;
  const Caster& caster;
  const SurfaceTable& surface_table;
  std::span<const float> reflectivity;  ///< [entities]: of the table, or as drawn for an environment
  std::uint64_t seed;
  std::uint32_t frame_index;
  RangePolicy range_policy;
  Isa isa;
  Rigid cast_from_sensor;  ///< into the caster's coordinates
  Rigid world_from_sensor;
  std::span<const Rigid> rolling_cast_from_sensor;  ///< [plan.times_s], or empty: not rolling
  std::span<const Rigid> rolling_world_from_sensor;
  std::span<const Rigid> places;       ///< [chain.frames]: from the caster's coordinates
  std::span<const RigidSpeed> speeds;  ///< of the sensor: [plan.times_s] if rolling, else one; read by kVelocity
  RigView rig;
  const std::function<bool()>& should_stop;  ///< SimulatorOptions'; may be empty
  EdgeScratch* edge = nullptr;               ///< never null; render() gives it its size
  double stamp_s = 0.0;                      ///< of the frame, by the sensor's clock
  std::optional<Travel> motion = Travel{};   ///< up to the frame; zeros unless a correlation reads it
  FieldStore* fields = nullptr;              ///< of correlated draws; never null if the chain has some
  std::uint32_t mask = kSeesAll;             ///< of its rays: CastRays::mask
  std::size_t first = 0;                     ///< place of the first ray in the arrays of a return
  FrameDevice* device = nullptr;             ///< the renderer; null: the processor
  /// Number of its set of rays on a device: one for each sensor, or for each sensor in each environment with its own
  /// rays. A number always refers to the same plan, at its changing revisions.
  std::uint32_t ray_set = 0;
  const SamplePlan* samples = nullptr;   ///< how its rays diverge; null for lines
  float falloff_m = 0.0F;                ///< reference of the falloff of intensities; 0: none
  const GivenSurfaces* given = nullptr;  ///< the surfaces that its rays meet; null: they are cast
  const SamplePlan* echoes = nullptr;    ///< which of several echoes it reports; null: all surfaces are matt
  ImageFilters filters = {};             ///< the steps after the chain

  SurfaceView surfaces = surface_table.view(reflectivity);
  /// [entities] if light passes any surface or is mirrored, else empty.
  [[nodiscard]] std::span<const SurfaceOptics> optics() const {
    return echoes == nullptr ? std::span<const SurfaceOptics>() : surface_table.optics();
  }
  [[nodiscard]] FieldInstant instant() const { return {frame_index, stamp_s, motion}; }
  [[nodiscard]] std::uint32_t returns() const {
    return samples == nullptr ? 1 : static_cast<std::uint32_t>(samples->choices.size());
  }
};

/// Fills every channel of `frame`, which has its size already, from place job.first on, for each of the jobs. The jobs
/// share the sensor; each may have its own rays, the same number for all. If an alignment changes the shape of images,
/// job.first counts rays, and the frame has as many images of that shape.
void render(std::span<const RenderJob> jobs, Executor& executor, Frame& frame);
inline void render(const RenderJob& job, Executor& executor, Frame& frame) { render({&job, 1}, executor, frame); }

/// The renderer for the device of `compute`; null for the processor. Throws InputError if the GPU, its driver or the
/// code for it is missing (kAuto then takes the processor); SystemError if the driver fails. `executor` must outlive
/// it.
std::unique_ptr<FrameDevice> open_device(const Compute& compute, Executor& executor);

/// The device that renders a chain: null if kAuto was chosen and the chain has a user's model, or if light passes a
/// surface or is mirrored. Throws InputError in the latter case if kCuda was chosen.
FrameDevice* device_for(FrameDevice* device, const Compute& compute, const StagedChain& chain,
                        const SurfaceTable& surfaces);

}  // namespace fathom
