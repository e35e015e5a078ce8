// SPDX-License-Identifier: MIT
// Stereo frames against raw Embree on the same rays: one thread, timed by the core time it had, contenders interleaved
// in one process, medians, and the least times, when nothing else used the core.
//
//   bench_stereo [house | correlated | windows | presets | balls | environments] [avx512 | avx2 | sse2] [scene file of
//   the house]
//
// An instruction set binds both fathom and Embree.
//
// The raw side casts the primary rays and, to the hit points known beforehand, the two sets of back-rays, to those
// points only that the angle loss leaves. fathom also turns rays, finds normals and cosines, applies every loss and
// writes depth and reasons in the order of the frame.

#include <fmt/format.h>

#include <fathom/sensor/presets.hpp>
#include <fathom/simulate/environments.hpp>
#include <fathom/simulate/simulator.hpp>

#include "interleave.hpp"
#include "raw_embree.hpp"
#include "render/plan.hpp"
#include "scenes.hpp"
#include "sensor/sensor_view.hpp"
#include "trace/caster.hpp"

namespace fathom::bench {
namespace {

constexpr int kRounds = 101;

/// Also the window over the image, which cuts the frame's blocks in two.
NoiseChain every_loss_and_window(float radius_px, float min_area_px) {
  NoiseChain noise = every_loss();
  noise.insert(noise.begin() + 3, MatchingWindow{.radius_px = radius_px, .min_area_px = min_area_px});
  return noise;
}

/// The same with its disparity, which comes last, correlated over 3 px across and 1 px down.
NoiseChain correlated(NoiseChain noise) {
  noise.back().correlation = {.across_px = 3, .down_px = 1};
  return noise;
}

/// World rays of a camera in the order of fathom's tiles.
RawRays primary_rays(const CastPlan& plan, const Pose& pose) {
  RawRays rays;
  const Vec3 o = pose.translation_m;
  rays.origin[0] = float(o.x), rays.origin[1] = float(o.y), rays.origin[2] = float(o.z);
  for (std::uint32_t i = 0; i < plan.lanes(); ++i) {
    const Vec3 d = rotate(pose.rotation, {plan.dx[i], plan.dy[i], plan.dz[i]});
    rays.dx.push_back(float(d.x)), rays.dy.push_back(float(d.y)), rays.dz.push_back(float(d.z));
  }
  return rays;
}

/// Ranges of the primary rays, [lanes], +inf also where the surface is seen too obliquely for the angle loss.
std::vector<float> ranges_left_by_angle(const Caster& caster, const RawRays& primary) {
  const std::size_t lanes = primary.dx.size();
  std::vector<float> range(lanes), nx(lanes), ny(lanes), nz(lanes);
  CastRays rays{.dx = primary.dx.data(),
                .dy = primary.dy.data(),
                .dz = primary.dz.data(),
                .count = static_cast<std::uint32_t>(lanes)};
  std::copy_n(primary.origin, 3, rays.origin);
  caster.cast(rays, {.range_m = range.data(), .nx = nx.data(), .ny = ny.data(), .nz = nz.data()});
  for (std::size_t i = 0; i < lanes; ++i) {
    const float cosine = -(primary.dx[i] * nx[i] + primary.dy[i] * ny[i] + primary.dz[i] * nz[i]);
    if (std::isfinite(range[i]) && cosine < std::cos(kMaxIncidenceRad)) range[i] = INFINITY;
  }
  return range;
}

RawSights back_rays(const RawRays& primary, const std::vector<float>& range, const Vec3& camera) {
  RawSights sights;
  sights.origin[0] = float(camera.x), sights.origin[1] = float(camera.y), sights.origin[2] = float(camera.z);
  for (std::size_t i = 0; i < range.size(); ++i) {
    const bool hit = range[i] < 1e6F;
    const float r = hit ? range[i] : 1.0F;
    sights.dx.push_back(primary.origin[0] + r * primary.dx[i] - sights.origin[0]);
    sights.dy.push_back(primary.origin[1] + r * primary.dy[i] - sights.origin[1]);
    sights.dz.push_back(primary.origin[2] + r * primary.dz[i] - sights.origin[2]);
    sights.tfar.push_back(hit ? 1.0F - 1e-5F : 0.0F);  // lost returns need no line of sight
  }
  return sights;
}

void run_frame(const std::string& name, const Scene& scene, const StereoCamera& camera, const Pose& pose,
               NoiseChain noise, Isa isa) {
  const RawEmbree raw(scene, isa);
  Simulator simulator(scene, {.compute = {.threads = 1, .isa = isa}});
  const SensorId id = simulator.add_sensor(make_sensor(camera, pose, std::move(noise)));
  CastPlan plan;
  make_plan(make_pattern(camera), false, plan);
  const RawRays primary = primary_rays(plan, pose);
  std::vector<float> range(plan.lanes());
  std::vector<std::uint32_t> entity(plan.lanes()), blocked(plan.lanes());
  const std::unique_ptr<Executor> executor = make_executor(1);
  const std::unique_ptr<Caster> caster = make_caster(isa, *executor);
  caster->update(scene, 0.0, {});
  const std::vector<float> seen = ranges_left_by_angle(*caster, primary);
  const StereoRig rig = stereo_rig(camera);
  const RawSights left = back_rays(primary, seen, pose * rig.left_m),
                  right = back_rays(primary, seen, pose * rig.right_m);
  const auto sight_of = [&](const RawSights& s) {
    for (std::uint32_t tile = 0; tile < plan.blocks(); ++tile) {
      const std::uint32_t begin = plan.first_lanes[tile];
      SightLines lines{.dx = s.dx.data() + begin,
                       .dy = s.dy.data() + begin,
                       .dz = s.dz.data() + begin,
                       .clear = s.tfar.data() + begin,
                       .count = plan.first_lanes[tile + 1] - begin};
      std::copy_n(s.origin, 3, lines.eye);
      caster->find_blocked(lines, blocked.data() + begin);
    }
  };
  Frame frame({Channel::kDepth, Channel::kReason});
  const std::vector<std::vector<double>> times =
      interleaved_times(kRounds,
                        {[&] {
                           raw.intersect(primary, RawMode::k16Coherent, range.data(), entity.data());
                           raw.occluded16(left, blocked.data());
                           raw.occluded16(right, blocked.data());
                         },
                         [&] {
                           raw.intersect(primary, RawMode::k1, range.data(), entity.data());
                           raw.occluded1(left, blocked.data());
                           raw.occluded1(right, blocked.data());
                         },
                         [&] { simulator.render(id, 0, frame); },
                         [&] { raw.occluded16(left, blocked.data()), raw.occluded16(right, blocked.data()); },
                         [&] { sight_of(left), sight_of(right); }},
                        cpu_seconds_now);
  // The least times are those in which nothing else used the core.
  std::vector<double> t, shortest;
  for (const std::vector<double>& of_one : times) t.push_back(median(of_one)), shortest.push_back(least(of_one));
  const double rays = static_cast<double>(frame.size()) * 1e-6;
  std::printf("| %-30s | %6.2f | %6.2f | %6.2f | %4.2f | %4.2f | %5.2f / %5.2f = %4.2f | %5.1f | %5.1f | %4.2f |\n",
              name.c_str(), 1e3 * t[1], 1e3 * t[0], 1e3 * t[2], t[1] / t[2], t[0] / t[2], 1e3 * shortest[1],
              1e3 * shortest[2], shortest[1] / shortest[2], 2 * rays / t[3], 2 * rays / t[4], t[3] / t[4]);
  std::fflush(stdout);
}

/// The frame with its disparity correlated over 3 px across and 1 px down, against the same without.
void run_correlated(const Scene& scene, const StereoCamera& camera, const Pose& pose, Isa isa) {
  Simulator simulator(scene, {.compute = {.threads = 1, .isa = isa}});
  std::vector<SensorId> ids;
  for (const Correlation& c :
       {Correlation{}, Correlation{.across_px = 3, .down_px = 1}, Correlation{.across_px = 3, .down_px = 3},
        Correlation{.across_px = 3, .down_px = 3, .shape = CorrelationShape::kExponential},
        Correlation{.across_px = 3, .down_px = 1, .time_s = 0.5}}) {
    NoiseChain noise = every_loss();
    noise.back().correlation = c;
    ids.push_back(
        simulator.add_sensor(make_sensor(camera, pose, std::move(noise), fmt::format("camera {}", ids.size()))));
  }
  Frame frame({Channel::kDepth, Channel::kReason});
  std::uint32_t index = 0;
  std::vector<std::function<void()>> contenders;
  contenders.reserve(ids.size());
  for (const SensorId id : ids) contenders.emplace_back([&, id] { simulator.render(id, index++, frame); });
  const auto times = interleaved_times(kRounds, contenders, cpu_seconds_now);
  const std::vector<std::string> names = {"without", "3 x 1 px", "3 x 3 px", "3 x 3 px, exponential",
                                          "3 x 1 px, key frames 0.5 s apart"};
  std::printf("\n| correlated disparity, 640 x 480 | ms | ratio | ratio of least times |\n|---|---|---|---|\n");
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::printf("| %s | %.2f | %.3f | %.3f |\n", names[i].c_str(), 1e3 * median(times[i]),
                median(times[i]) / median(times[0]), least(times[i]) / least(times[0]));
  }
  std::fflush(stdout);
}

/// What a matching window and a correlated disparity cost: the frame with every loss, without them and with, in turn.
void run_windows(const Scene& scene, const StereoCamera& camera, const Pose& pose, Isa isa) {
  const std::vector<std::pair<std::string, NoiseChain>> chains = {
      {"neither", every_loss()},
      {"radius 3", every_loss_and_window(3, 0)},
      {"radius 3, speckle filter", every_loss_and_window(3, 40)},
      {"radius 5, speckle filter", every_loss_and_window(5, 40)},
      {"correlated", correlated(every_loss())},
      {"radius 3, correlated", correlated(every_loss_and_window(3, 0))},
      {"radius 4, correlated", correlated(every_loss_and_window(4, 0))},
      {"radius 5, correlated", correlated(every_loss_and_window(5, 0))},
      {"radius 5, speckle filter, correlated", correlated(every_loss_and_window(5, 40))}};
  Simulator simulator(scene, {.compute = {.threads = 1, .isa = isa}});
  std::vector<Frame> frames;
  std::vector<std::function<void()>> contenders;
  frames.reserve(chains.size()), contenders.reserve(chains.size());
  for (const auto& [name, noise] : chains) {
    simulator.add_sensor(make_sensor(camera, pose, noise, name));
    frames.emplace_back(ChannelSet{Channel::kDepth, Channel::kReason});
  }
  std::uint32_t index = 0;  // another one each time, as a field of draws that is there already costs nothing
  for (std::uint32_t i = 0; i < chains.size(); ++i) {
    contenders.emplace_back([&, i] { simulator.render(SensorId{i}, index++, frames[i]); });
  }
  const std::vector<std::vector<double>> times = interleaved_times(kRounds, contenders, cpu_seconds_now);
  std::printf(
      "\n| matching window and correlated disparity, house, 640 x 480 | ms | least, ms | ratio | least ratio "
      "|\n|---|---|---|---|---|\n");
  for (std::size_t i = 0; i < chains.size(); ++i) {
    std::printf("| %s | %.2f | %.2f | %.2f | %.2f |\n", chains[i].first.c_str(), 1e3 * median(times[i]),
                1e3 * least(times[i]), median(times[i]) / median(times[0]), least(times[i]) / least(times[0]));
  }
  std::fflush(stdout);
}

/// The chain of a preset without its window, each draw independent of its neighbours.
NoiseChain white(const NoiseChain& preset, bool turns_rays) {
  NoiseChain plain;
  for (ChainEntry entry : preset) {
    const std::string_view slug = entry.noise.slug();
    if (slug == MatchingWindow::kSlug || (slug == AngularRay::kSlug && !turns_rays)) continue;
    entry.correlation = {};
    plain.push_back(std::move(entry));
  }
  return plain;
}

/// What a preset's whole chain costs against the same frame with white noise and without a window, in turn.
void run_presets(const Scene& scene, const Pose& pose, Isa isa) {
  std::printf(
      "\n| house, 640 x 480 | white, no window, rays stay: ms | white, no window: ms | preset: ms | preset / first | "
      "preset / second | least / first | least / second |\n|---|---|---|---|---|---|---|---|\n");
  for (const char* name : {"D435", "D435_filtered", "D455", "D405"}) {
    const SensorPreset& preset = find_preset(name);
    auto camera = std::get<StereoCamera>(preset.model);
    camera.width = 640, camera.height = 480;
    Simulator simulator(scene, {.compute = {.threads = 1, .isa = isa}});
    std::uint32_t index = 0;  // another one each time, as a field of draws that is there already costs nothing
    std::array<Frame, 3> frames;
    std::vector<std::function<void()>> contenders;
    for (std::uint32_t i = 0; i < 3; ++i) {
      const SensorId id = simulator.add_sensor(
          make_sensor(camera, pose, i < 2 ? white(preset.noise, i == 1) : preset.noise, fmt::format("camera {}", i)));
      frames[i] = Frame({Channel::kDepth, Channel::kReason});
      contenders.emplace_back([&, id, i] { simulator.render(id, index++, frames[i]); });
    }
    const auto times = interleaved_times(kRounds, contenders, cpu_seconds_now);
    std::printf("| %s | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f |\n", name, 1e3 * median(times[0]),
                1e3 * median(times[1]), 1e3 * median(times[2]), median_ratio(times[2], times[0]),
                median_ratio(times[2], times[1]), least(times[2]) / least(times[0]), least(times[2]) / least(times[1]));
    std::fflush(stdout);
  }
}

/// 125 copies of a ball of 5040 triangles, five a side and a metre apart, before the camera.
Scene make_balls(double radius_m) {
  Scene scene;
  const MeshId ball = scene.add_mesh(make_sphere(radius_m, 72));
  for (int i = 0; i < 125; ++i) {
    const int column = i % 5, row = i / 5 % 5, layer = i / 25;
    const Vec3 at = {3.0 + column, row - 2.0, layer - 2.0};
    scene.add_entity({.name = "ball " + std::to_string(i), .mesh = ball, .parent_from_entity = Pose{at, {}}});
  }
  return scene;
}

/// The same batch on one thread and on two; with `moving`, one ball stands elsewhere in every environment, so that each
/// has its own top-level tree.
void run_environments(const Scene& scene, std::uint32_t count, bool moving) {
  const auto make = [&](int threads) {
    Environments batch(scene, make_sensor(stereo_camera(64, 48), {}, every_loss()),
                       {.simulator = {.compute = {.threads = threads}}, .count = count, .ranges = {}});
    for (std::uint32_t e = 0; e < count; ++e) {
      batch.set_sensor_pose(e, {{0.0001 * e, 0, 0}, {}});
      if (moving) batch.set_entity_pose(e, EntityId{0}, {{2.0, -2.0 + 0.0001 * e, -2.0}, {}});
    }
    return batch;
  };
  Environments one = make(1), two = make(2);
  Frame frame({Channel::kDepth});
  const std::vector<double> t = interleave(3, {[&] { one.render(0, frame); }, [&] { two.render(0, frame); }});
  std::printf("| %u x 64 x 48, %-26s | %7.0f | %5.2f | %7.0f | %4.2f |\n", count,
              moving ? "an entity moved in each" : "camera poses differ", 1e3 * t[0],
              static_cast<double>(frame.size()) * 1e-6 / t[0], 1e3 * t[1], t[0] / t[1]);
  std::fflush(stdout);
}

}  // namespace
}  // namespace fathom::bench

int main(int argc, char** argv) {
  using namespace fathom;
  const std::string wanted = argc > 1 ? argv[1] : "";
  const std::string set = argc > 2 ? argv[2] : "";
  const Isa isa = set == "sse2" ? Isa::kBase : set == "avx2" ? Isa::kAvx2 : detect_isa();
  const std::string file = argc > 3 ? argv[3] : FATHOM_SOURCE_DIR "/examples/house/house.yaml";
  std::printf("%s\n\n", std::string(to_string(isa)).c_str());
  std::printf(
      "| set | raw single rays, ms | raw packets, ms | fathom, ms | single / fathom | packets / fathom | least times "
      "of "
      "single and fathom | raw back-rays, M/s | fathom's, M/s | ratio |\n"
      "|---|---|---|---|---|---|---|---|---|---|\n");
  const auto is_wanted = [&](std::string_view name) { return name.find(wanted) != std::string_view::npos; };
  const Pose in_house{{0.0, 0.0, 1.2}, from_roll_pitch_yaw(0, 0, 0.4)};
  const StereoCamera camera = bench::stereo_camera(640, 480);
  const Scene house = bench::make_house(file);
  if (is_wanted("house")) {
    bench::run_frame("house, 640 x 480", house, camera, in_house, bench::every_loss(), isa);
    bench::run_frame("the same with edge_loss", house, camera, in_house, bench::every_loss_and_edges(), isa);
  }
  if (is_wanted("correlated")) bench::run_correlated(house, camera, in_house, isa);
  if (is_wanted("windows")) bench::run_windows(house, camera, in_house, isa);
  if (is_wanted("presets")) bench::run_presets(house, in_house, isa);
  for (const double radius_m : {0.35, 0.25, 0.2, 0.15, 0.125}) {
    if (!is_wanted("balls")) break;
    bench::run_frame(fmt::format("125 balls of {} m, 160 x 120", radius_m), bench::make_balls(radius_m),
                     bench::stereo_camera(160, 120), {}, bench::every_loss(), isa);
  }
  if (!is_wanted("environments")) return 0;
  const Scene balls = bench::make_balls(0.15);
  std::printf(
      "\n| environments in one call, 125 balls of 0.15 m | one thread, ms | M pixels/s | two threads, ms | scaling |\n"
      "|---|---|---|---|---|\n");
  bench::run_environments(balls, 4096, false);
  bench::run_environments(balls, 4096, true);
}
