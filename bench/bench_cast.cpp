// SPDX-License-Identifier: MIT
// Frames against raw Embree on the same rays: one thread, timed by the core time it had, contenders interleaved in one
// process, medians.
//
//   bench_cast [scene file of the house] [sse2|avx2|avx512|returns|motion|glass]
//
// `motion`: rolling frames with 20 entities that move and turn, against the same frames where nothing moves.
// `glass`: frames of a scene in which a fifth of the rays meets a pane, or a mirror, against the same frames with an
// opaque sheet. At most 2.2 times as long is the aim for the pane.
// `returns`: frames of rays that widen against as many frames of one ray as these have samples, and nothing else.
//
// The raw side (raw_embree.cpp) gets world rays already jittered with the same noise that fathom draws, in the order of
// fathom's tiles, and writes range and id. fathom starts from its pattern, draws the noise, casts, applies hit and
// distance noise, gates, and writes range and entity id in the order of the frame. Its caster alone is also given the
// raw side's rays, as tiles and one by one.

#include <fathom/simulate/simulator.hpp>

#include "interleave.hpp"
#include "raw_embree.hpp"
#include "render/plan.hpp"
#include "render/render.hpp"
#include "scenes.hpp"
#include "support/casters.hpp"
#include "trace/caster.hpp"

namespace fathom::bench {
namespace {

constexpr int kRounds = 31;
constexpr std::uint64_t kSeed = 1;

Sensor sensor_of(const Set& set, std::string name, NoiseChain noise) {
  return make_sensor(set.model, set.world_from_sensor, std::move(noise), std::move(name));
}

/// The rays that fathom casts for frame 0 of a sensor, in its order, in world coordinates.
RawRays world_rays(const Sensor& sensor, const CastPlan& plan, const Pose& world_from_sensor, Isa isa) {
  RawRays rays;
  const Vec3 o = world_from_sensor.translation_m;
  rays.origin[0] = static_cast<float>(o.x), rays.origin[1] = static_cast<float>(o.y);
  rays.origin[2] = static_cast<float>(o.z);
  const StagedChain chain = stage_chain(sensor.name, sensor.noise, RangePolicy::kKeep, {});
  RayBlock block;
  ReturnBlock returns;
  DrawBuffer draws;
  for (std::uint32_t tile = 0; tile < plan.blocks(); ++tile) {
    const std::uint32_t begin = plan.first_lanes[tile];
    block.count = plan.first_lanes[tile + 1] - begin;
    block.quads = plan.quad_keys.data() + begin / kQuadRays;
    std::copy_n(plan.dx.data() + begin, block.count, block.dx);
    std::copy_n(plan.dy.data() + begin, block.count, block.dy);
    std::copy_n(plan.dz.data() + begin, block.count, block.dz);
    for (const ActiveNoise& n : chain.ray) n.noise.apply(isa, {kSeed, 0, n.stream}, block, returns, draws);
    for (std::uint32_t i = 0; i < block.count; ++i) {
      const Vec3 d = rotate(world_from_sensor.rotation, {block.dx[i], block.dy[i], block.dz[i]});
      rays.dx.push_back(static_cast<float>(d.x));
      rays.dy.push_back(static_cast<float>(d.y));
      rays.dz.push_back(static_cast<float>(d.z));
    }
  }
  return rays;
}

/// fathom's caster alone, on rays that are ready.
class CasterAlone {
 public:
  CasterAlone(const Scene& scene, Isa isa) : executor_(make_executor(1)), caster_(make_caster(isa, *executor_)) {
    caster_->update(scene, 0.0, {});
  }

  void cast(const RawRays& rays, const CastPlan& plan, bool one_by_one, float* range, std::uint32_t* id) const {
    for (std::uint32_t tile = 0; tile < plan.blocks(); ++tile) {
      const std::uint32_t begin = plan.first_lanes[tile];
      CastRays part{.dx = rays.dx.data() + begin,
                    .dy = rays.dy.data() + begin,
                    .dz = rays.dz.data() + begin,
                    .count = plan.first_lanes[tile + 1] - begin,
                    .coherent = plan.coherent && !one_by_one};
      std::copy_n(rays.origin, 3, part.origin);
      caster_->cast(part, {.range_m = range + begin, .entity = id + begin});
    }
  }

 private:
  std::unique_ptr<Executor> executor_;
  std::unique_ptr<Caster> caster_;
};

void run_set(const Set& set, Isa isa) {
  const RawEmbree raw(*set.scene, isa);
  const CasterAlone alone(*set.scene, isa);
  const auto simulator_of = [&](int threads) {
    return Simulator(*set.scene, {.seed = kSeed, .compute = {.threads = threads, .isa = isa}});
  };
  Simulator one = simulator_of(1), two = simulator_of(2);
  const Sensor noisy = sensor_of(set, "noisy", three_gaussians()), clean = sensor_of(set, "clean", {});
  CastPlan plan;
  make_plan(make_pattern(set.model), false, plan);
  const RawRays jittered = world_rays(noisy, plan, set.world_from_sensor, isa);
  const RawRays straight = world_rays(clean, plan, set.world_from_sensor, isa);
  const SensorId on = one.add_sensor(noisy), off = one.add_sensor(clean), both = two.add_sensor(noisy);
  std::vector<float> range(plan.lanes());
  std::vector<std::uint32_t> id(plan.lanes());
  Frame frame({Channel::kRange, Channel::kEntityId});
  constexpr RawMode kModes[] = {RawMode::k16Coherent, RawMode::k16, RawMode::k8Coherent, RawMode::k8, RawMode::k1};
  std::vector<std::function<void()>> contenders;
  for (const RawMode mode : kModes) {
    contenders.emplace_back([&, mode] { raw.intersect(straight, mode, range.data(), id.data()); });
  }
  contenders.emplace_back([&] { one.render(off, 0, frame); });
  contenders.emplace_back([&] { alone.cast(straight, plan, false, range.data(), id.data()); });
  contenders.emplace_back([&] { alone.cast(straight, plan, true, range.data(), id.data()); });
  contenders.emplace_back([&] { raw.intersect(jittered, RawMode::k16Coherent, range.data(), id.data()); });
  contenders.emplace_back([&] { one.render(on, 0, frame); });
  const std::vector<double> t = interleave(kRounds, contenders, cpu_seconds_now);
  const std::vector<double> wall =
      interleave(kRounds, {[&] { one.render(on, 0, frame); }, [&] { two.render(both, 0, frame); }});
  const double rays = static_cast<double>(frame.size()) * 1e-6;
  const auto best = static_cast<std::size_t>(std::min_element(t.begin(), t.begin() + 5) - t.begin());
  std::printf(
      "| %-42s | %ux%u of %ux%u | %11s: %5.1f | %5.1f | %4.2f | %5.1f | %4.2f | %5.1f | %5.1f | %4.2f | %5.1f | %5.1f "
      "| "
      "%4.2f | %4.2f |\n",
      set.name.c_str(), plan.tile.cols, plan.tile.rows, plan.packet.cols, plan.packet.rows, kRawModeNames[best],
      rays / t[best], rays / t[5], t[best] / t[5], rays / t[6], t[best] / t[6], rays / t[8], rays / t[9], t[8] / t[9],
      rays / t[4], rays / t[7], t[4] / t[7], wall[0] / wall[1]);
  std::fflush(stdout);
}

/// Frames of rays that widen, against as many frames of lines as they have samples: ratios of core time, each the
/// median over rounds. With three noises, for each return.
void run_returns(const Set& set) {
  constexpr int kFewRounds = 11;
  Simulator simulator(*set.scene, {.seed = kSeed, .compute = {.threads = 1}});
  const SensorId lines = simulator.add_sensor(sensor_of(set, "lines", three_gaussians()));
  const auto add_wide = [&](const char* name, ReturnChoices returns) {
    Sensor sensor = sensor_of(set, name, three_gaussians());
    sensor.divergence = {.horizontal_rad = 0.003F, .vertical_rad = 0.0015F};
    sensor.returns = std::move(returns);
    return simulator.add_sensor(sensor);
  };
  using enum ReturnChoice;
  const SensorId wide[] = {add_wide("one", {kStrongest}), add_wide("two", {kStrongest, kLast}),
                           add_wide("five", {kStrongest, kLast, kFirst, kSecond, kSecondStrongest})};
  const ChannelSet channels = {Channel::kRange, Channel::kHitSensor, Channel::kIntensity, Channel::kEntityId};
  std::array<Frame, 4> frames = {Frame(channels), Frame(channels), Frame(channels), Frame(channels)};
  std::vector<std::function<void()>> contenders;
  contenders.emplace_back([&] {
    for (std::uint32_t k = 0; k < kDivergingSamples; ++k) simulator.render(lines, k, frames[0]);
  });
  for (std::size_t i = 0; i < 3; ++i) contenders.emplace_back([&, i] { simulator.render(wide[i], 0, frames[i + 1]); });
  const auto t = interleaved_times(kFewRounds, contenders, cpu_seconds_now);
  std::printf("| %s | %.1f | %.2f | %.2f | %.2f |\n", set.name.c_str(),
              static_cast<double>(frames[0].rays()) * 1e-6 / median(t[1]), median_ratio(t[1], t[0]),
              median_ratio(t[2], t[1]), median_ratio(t[3], t[1]));
  std::fflush(stdout);
}

/// Rolling frames of a scene, without motion, and with 20 entities that move within a frame; each frame is placed anew.
void run_motion(const Set& set) {
  constexpr std::size_t kMoving = 20;
  Scene moving = *set.scene;
  const std::size_t count = moving.entities().size();
  for (std::size_t k = 0; k < kMoving; ++k) {
    const auto id = static_cast<EntityId>(k * count / kMoving);
    const Pose from = moving.entities()[index(id)].parent_from_entity.at(0.0);
    moving.set_motion(id, Trajectory({{0.0, from}, {1.0, from * Pose{{1, 0, 0}, from_roll_pitch_yaw(0, 0, 1)}}}));
  }
  Sensor sensor = sensor_of(set, "lidar", {});
  sensor.rolling = true;
  Frame frame({Channel::kRange, Channel::kEntityId});
  std::vector<Simulator> simulators;
  std::vector<std::function<void()>> contenders;
  for (const Scene* scene : {set.scene, static_cast<const Scene*>(&moving)}) {
    simulators.emplace_back(*scene, SimulatorOptions{.seed = kSeed, .compute = {.threads = 1}});
    simulators.back().add_sensor(sensor);
  }
  for (Simulator& simulator : simulators) {
    contenders.emplace_back([&, number = 0U]() mutable { simulator.render(SensorId{0}, number++ % 2, frame); });
  }
  const auto t = interleaved_times(kRounds, contenders, cpu_seconds_now);
  std::printf("| %s | %zu of %zu | %.1f | %.1f | %.3f |\n", set.name.c_str(), kMoving, count, 1e3 * median(t[0]),
              1e3 * median(t[1]), median_ratio(t[1], t[0]));
}

/// A sheet near the sensor before a fifth of its rays: opaque, a pane, a mirror.
void run_glass(const Set& set) {
  constexpr double kNearM = 0.5, kHalfTurn = 0.2 * std::numbers::pi;
  Sensor sensor = sensor_of(set, "lidar", {});
  sensor.detection.reach_10_m = 90, sensor.returns = {ReturnChoice::kLast};
  std::vector<Simulator> simulators;
  std::vector<Frame> frames(3, Frame({Channel::kRange, Channel::kEntityId, Channel::kPath}));
  std::vector<std::function<void()>> contenders;
  for (const SurfaceOptics& optics :
       {SurfaceOptics{}, SurfaceOptics{.refractive_index = 1.5F, .diffuse = 0.02F}, SurfaceOptics{.mirror = 0.9F}}) {
    Scene scene = *set.scene;
    scene.add_material({.name = "sheet", .optics = optics});
    scene.add_entity({.name = "sheet",
                      .mesh = scene.add_mesh(make_plane(40.0, 2.0 * kNearM * std::tan(kHalfTurn))),
                      .parent_from_entity = set.world_from_sensor *
                                            Pose{{kNearM, 0, 0}, from_roll_pitch_yaw(0, 0.5 * std::numbers::pi, 0)},
                      .material = "sheet"});
    simulators.emplace_back(std::move(scene), SimulatorOptions{.seed = kSeed, .compute = {.threads = 1}});
    simulators.back().add_sensor(sensor);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    contenders.emplace_back([&, i] { simulators[i].render(SensorId{0}, 0, frames[i]); });
  }
  const auto t = interleaved_times(kRounds, contenders, cpu_seconds_now);
  const auto path = frames[1].path();
  const auto met = path.size() - static_cast<std::size_t>(std::count(path.begin(), path.end(), 0));
  std::printf("| %s | %.2f | %.2f | %.2f |\n", set.name.c_str(),
              static_cast<double>(met) / static_cast<double>(path.size()), median_ratio(t[1], t[0]),
              median_ratio(t[2], t[0]));
}

/// Commit of many moved entities: seconds of the whole update by the caster, and of the raw calls.
void run_moving(int entities) {
  Scene scene;
  const MeshId box = scene.add_mesh(make_box({0.5, 0.5, 0.5}));
  for (int i = 0; i < entities; ++i) {
    scene.add_entity(
        {.name = "box " + std::to_string(i), .mesh = box, .parent_from_entity = Pose{{double(i), 0, 0}, {}}});
  }
  Simulator simulator(std::move(scene), {.compute = {.threads = 1}});
  const SensorId id = simulator.add_sensor(make_sensor(Laser2d{.rays = 1}, {}, {}));
  Frame frame({Channel::kRange});
  double shift = 0.0;
  const double seconds =
      interleave(101, {[&] {
                   shift += 0.01;
                   for (int i = 0; i < entities; ++i) {
                     simulator.scene().set_pose(static_cast<EntityId>(i), {{double(i), shift, 0}, {}});
                   }
                   simulator.render(id, 0, frame);
                 }})[0];
  std::printf("%d moved entities, set, committed and one ray cast: %.3f ms\n", entities, 1e3 * seconds);
}

/// A square of rows x rows vertices that waves, refitted.
void run_deforming(std::uint32_t rows) {
  Mesh square;
  for (std::uint32_t i = 0; i < rows * rows; ++i) {
    const std::uint32_t row = i / rows, column = i % rows;
    square.vertices_m.push_back({0.01F * static_cast<float>(column), 0.01F * static_cast<float>(row), 0.0F});
    if (column + 1 == rows || row + 1 == rows) continue;
    square.triangles.push_back({i, i + 1, i + rows});
    square.triangles.push_back({i + 1, i + rows + 1, i + rows});
  }
  Scene scene;
  const MeshId mesh = scene.add_mesh(square);
  scene.add_entity({.name = "square", .mesh = mesh});
  const std::unique_ptr<Executor> alone = make_executor(1), pair = make_executor(2);
  const std::unique_ptr<Caster> one = test::caster_of({.threads = 1}, *alone),
                                two = test::caster_of({.threads = 2}, *pair),
                                embree = test::caster_of({.threads = 1, .caster = test::CasterKind::kEmbree}, *alone);
  for (const std::unique_ptr<Caster>* caster : {&one, &two, &embree}) (*caster)->update(scene, 0.0, {});
  std::vector<double> seconds[3];
  float phase = 0.0F;
  for (int round = 0; round < 31; ++round) {
    phase += 0.1F;
    for (std::array<float, 3>& v : square.vertices_m) v[2] = 0.05F * std::sin(3.0F * v[0] + phase);
    scene.replace_vertices(mesh, square.vertices_m);
    int k = 0;
    for (const std::unique_ptr<Caster>* caster : {&one, &two, &embree}) {
      const auto clock =
          caster == &two ? seconds_now : cpu_seconds_now;  // one thread: what neighbours take is left out
      const double start = clock();
      (*caster)->update(scene, 0.0, {});
      seconds[k++].push_back(clock() - start);
    }
  }
  std::printf("%u vertices, %zu triangles refitted: %.2f ms, two threads %.2f ms; Embree %.2f ms\n", rows * rows,
              square.triangles.size(), 1e3 * median(seconds[0]), 1e3 * median(seconds[1]), 1e3 * median(seconds[2]));
}

}  // namespace
}  // namespace fathom::bench

int main(int argc, char** argv) {
  using namespace fathom;
  const std::string file = argc > 1 ? argv[1] : FATHOM_SOURCE_DIR "/examples/house/house.yaml";
  const std::string wanted = argc > 2 ? argv[2] : "";
  const Scene house = bench::make_house(file), terrain = bench::make_terrain();
  if (wanted == "returns") {
    std::printf(
        "| set | million rays per second | one return / 58 frames of lines | two returns / one | five / one |\n"
        "|---|---|---|---|---|\n");
    for (const bench::Set& set : bench::make_sets(house, terrain)) bench::run_returns(set);
    return 0;
  }
  if (wanted == "glass") {
    std::printf(
        "| set | share seen through the pane | pane / opaque (aim: 2.2) | mirror / opaque |\n|---|---|---|---|\n");
    bench::run_glass(bench::make_sets(house, terrain).front());
    return 0;
  }
  if (wanted == "motion") {
    std::printf("| set | moving entities | still, ms | moving, ms | ratio |\n|---|---|---|---|---|\n");
    bench::run_motion(bench::make_sets(house, terrain).front());
    return 0;
  }
  for (const Isa isa : {Isa::kAvx512, Isa::kAvx2, Isa::kBase}) {
    if (isa > detect_isa() || (!wanted.empty() && wanted != to_string(isa))) continue;
    std::printf(
        "\n%s (million rays per second; ratios)\n\n"
        "| set | tile of packets | best raw | fathom, noise off | / best raw | caster alone | / best raw | raw 16 "
        "coherent, "
        "jittered | fathom, 3 noises | / raw 16 coherent | raw 1 | one by one | / raw 1 | 2 threads / 1 |\n"
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
        std::string(to_string(isa)).c_str());
    for (const bench::Set& set : bench::make_sets(house, terrain)) bench::run_set(set, isa);
  }
  std::printf("\n");
  for (const int entities : {100, 1000, 10000}) bench::run_moving(entities);
  bench::run_deforming(265);
}
