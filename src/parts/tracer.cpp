// SPDX-License-Identifier: MIT
#include <fathom/parts/tracer.hpp>

#include <optional>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "parts/block_tracer.hpp"
#include "parts/ray_layout.hpp"
#include "parts/trace_job.hpp"
#include "sensor/diverging_samples.hpp"

namespace fathom {

namespace {

void check_size(std::size_t size, std::uint32_t rays, bool one_for_all, const char* what) {
  if (size == 0 || size == rays || (one_for_all && size == 1)) return;
  throw InputError(fmt::format("{} {} for {} rays", size, what, rays));
}

TraceJob make_job(const RayCaster& caster, const PosedRays& rays, const TraceSettings& settings,
                  const TraceArrays& out) {
  check_size(rays.range_m.size(), rays.count, true, "ranges");
  check_size(rays.time_offset_s.size(), rays.count, false, "time offsets");
  check_size(rays.mask.size(), rays.count, false, "values of a mask");
  if (settings.returns.empty()) throw InputError("at least one return is needed");
  const std::optional<Affine> sensor_from_world = inverse(settings.world_from_sensor);
  if (!sensor_from_world) throw InputError("world_from_sensor flattens space or is not finite");
  TraceJob job{.caster = caster,
               .rays = rays,
               .settings = settings,
               .out = out,
               .lanes = trace_kernels(settings.isa),
               .sensor_from_world = *sensor_from_world,
               .samples = {},
               .ids = {},
               .laser_retros = {}};
  job.diverges = settings.divergence_h_rad > 0.0F || settings.divergence_v_rad > 0.0F;
  job.wants_sides =
      job.diverges || out.azimuth_rad != nullptr || out.elevation_rad != nullptr || out.world_from_ray != nullptr;
  if (job.diverges) job.samples = diverging_samples(settings.divergence_h_rad, settings.divergence_v_rad);
  for (const CastInstance& instance : caster.instances()) {
    if (out.id != nullptr) job.ids.push_back(instance.id);
    if (out.laser_retro != nullptr) job.laser_retros.push_back(instance.laser_retro);
  }
  job.ids.push_back(0), job.laser_retros.push_back(0.0F);
  return job;
}

}  // namespace

class Tracer::Impl {
 public:
  Impl(const RayCaster& caster, const PosedRays& rays, const TraceSettings& settings, const TraceArrays& out)
      : job(make_job(caster, rays, settings, out)), layout(rays.count, rays.grid) {}

  const TraceJob job;
  const RayLayout layout;
};

Tracer::Tracer(const RayCaster& caster, const PosedRays& rays, const TraceSettings& settings, const TraceArrays& out)
    : impl_(std::make_unique<Impl>(caster, rays, settings, out)) {}
Tracer::~Tracer() = default;
Tracer::Tracer(Tracer&&) noexcept = default;
Tracer& Tracer::operator=(Tracer&&) noexcept = default;

std::size_t Tracer::strips() const { return impl_->layout.strips(); }
RayStrip Tracer::strip(std::size_t number) const { return impl_->layout.strip(number); }
void Tracer::trace_strip(std::size_t number) const {
  impl_->layout.for_each_block(number, [this](const RayTiles& tiles) { BlockTracer(impl_->job, tiles).run(); });
}

}  // namespace fathom
