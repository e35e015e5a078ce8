// SPDX-License-Identifier: MIT
// A stereo frame of 160 x 120 with every loss in a world of MuJoCo, whose 125 meshes of 5 000 triangles all move:
// update of the mirror and frame, what the frame is made of, and mj_ray for the same rays. Contenders interleaved in
// one process, medians, and the least times, when nothing else used the cores; timed by the core time that the process
// had, and with all threads by the clock, too.
//
//   bench_mujoco [radius of the balls, m] [file of MJCF to write the world into, for mujoco3_rays.mjs, and no more]
//
// How hard a world is, depends on how much of it is seen: rtcIntersect1, single rays of Embree without any loss, tells.
//
// mj_ray casts a share of the primary rays of the frame and, to the points that they meet, of the rays from both
// cameras; the time is that share's, times the whole. It finds no normals, losses or arrays.

#include <mujoco/mujoco.h>

#include <fathom/fathom.hpp>
#include <fathom/mujoco.hpp>

#include "interleave.hpp"
#include "raw_embree.hpp"
#include "scenes.hpp"

namespace fathom::bench {
namespace {

constexpr int kMeshes = 125, kRows = 50, kCols = 50;  // of a mesh: kRows x kCols quads, 5 000 triangles
constexpr int kRounds = 51;
constexpr std::uint32_t kWidth = 160, kHeight = 120;
constexpr std::size_t kRayStep = 97;  // of the frame's rays, every so manieth is one of mj_ray's

struct Free {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
  void operator()(mjData* data) const { mj_deleteData(data); }
};

/// A ball with bumps: rings of vertices between two poles.
std::string bumpy_ball(int number, double radius_m) {
  std::string vertices, faces;
  const auto add = [&](double r, double polar, double turn) {
    vertices += std::to_string(r * std::sin(polar) * std::cos(turn)) + ' ' +
                std::to_string(r * std::sin(polar) * std::sin(turn)) + ' ' + std::to_string(r * std::cos(polar)) + ' ';
  };
  for (int i = 0; i <= kRows; ++i) {
    for (int k = 0; k < kCols; ++k) {
      const double polar = std::numbers::pi * (0.002 + 0.996 * i / kRows), turn = 2 * std::numbers::pi * k / kCols;
      add(radius_m * (1 + 0.1 * std::sin((3 + number) * polar) * std::cos(5 * turn)), polar, turn);
    }
  }
  for (int i = 0; i < kRows; ++i) {
    for (int k = 0; k < kCols; ++k) {
      const int a = i * kCols + k, b = i * kCols + (k + 1) % kCols, c = a + kCols, d = b + kCols;
      for (const int corner : {a, c, b, b, c, d}) faces += std::to_string(corner) + ' ';
    }
  }
  return "<mesh name='ball" + std::to_string(number) + "' vertex='" + vertices + "' face='" + faces + "'/>";
}

std::string world_text(double radius_m) {
  std::string assets, bodies;
  for (int i = 0; i < 5; ++i) assets += bumpy_ball(i, radius_m);
  for (int i = 0; i < kMeshes; ++i) {
    const auto at = [](int n) { return std::to_string(0.9 * n); };
    bodies += "<body pos='" + at(i % 5 + 2) + ' ' + at(i / 5 % 5 - 2) + ' ' + at(i / 25) +
              "'><freejoint/><geom type='mesh' contype='0' conaffinity='0' mesh='ball" + std::to_string(i % 5) +
              "'/></body>";
  }
  return "<mujoco><option gravity='0 0 -0.02'/><asset>" + assets +
         "</asset><worldbody><geom type='plane' size='0 0 1' pos='0 0 -1'/>"
         "<camera name='eyes' pos='-0.5 0 2' xyaxes='0 -1 0 0.1 0 1' fovy='70'/>" +
         bodies + "</worldbody></mujoco>";
}

std::unique_ptr<mjModel, Free> load(const std::string& text) {
  mjVFS files;
  mj_defaultVFS(&files);
  mj_makeEmptyFileVFS(&files, "world.xml", static_cast<int>(text.size()));
  std::copy(text.begin(), text.end(), static_cast<char*>(files.filedata[0]));
  char error[500] = "";
  std::unique_ptr<mjModel, Free> model(mj_loadXML("world.xml", &files, error, sizeof error));
  mj_deleteVFS(&files);
  if (model == nullptr) throw InputError(error);
  return model;
}

Sensor camera_of(const MujocoMirror& mirror, NoiseChain noise, MirrorImage image) {
  StereoCamera camera = mirror.camera("eyes", image);
  camera.baseline_m = 0.05, camera.max_range_m = 100;
  Sensor sensor = mirror.on_camera("eyes", camera);
  sensor.noise = std::move(noise);
  return sensor;
}

/// Renders frames of fathom, on a given number of threads.
class Renderer {
 public:
  Renderer(const mjModel* model, const mjData* data, int threads, NoiseChain noise = every_loss_and_edges(),
           MirrorImage image = {.width = kWidth, .height = kHeight})
      : mirror_(model), simulator_(mirror_.scene(data), {.seed = 1, .compute = {.threads = threads}}) {
    sensor_ = simulator_.add_sensor(camera_of(mirror_, std::move(noise), image));
  }
  void update(const mjData* data) { mirror_.update(data, simulator_.scene()); }
  void render() { simulator_.render(sensor_, index_++, frame_); }
  [[nodiscard]] Simulator& simulator() { return simulator_; }
  [[nodiscard]] SensorId sensor() const { return sensor_; }

 private:
  MujocoMirror mirror_;
  Simulator simulator_;
  SensorId sensor_ = {};
  std::uint32_t index_ = 0;
  Frame frame_{{Channel::kDepth, Channel::kReason}};
};

/// The rays of a frame by mj_ray; returns how many primary rays it cast.
std::size_t cast_by_mujoco(const mjModel* model, const mjData* data, const RayPattern& rays, const Pose& eye) {
  constexpr double kHalfBaselineM = 0.025;
  const auto cast = [&](const Vec3& from, const Vec3& way) {
    const mjtNum point[3] = {from.x, from.y, from.z}, direction[3] = {way.x, way.y, way.z};
    int geom = -1;
    return mj_ray(model, data, point, direction, nullptr, 1, -1, &geom);
  };
  std::size_t count = 0;
  for (std::size_t i = 0; i < rays.direction_x.size(); i += kRayStep, ++count) {
    const Vec3 way = rotate(eye.rotation, {rays.direction_x[i], rays.direction_y[i], rays.direction_z[i]});
    const double range_m = cast(eye.translation_m, way);
    if (range_m < 0) continue;
    for (const double side : {kHalfBaselineM, -kHalfBaselineM}) {
      const Vec3 camera = eye * Vec3{0, side, 0};
      cast(camera, eye.translation_m + range_m * way - camera);
    }
  }
  return count;
}

/// The rays of a sensor at a pose, for Embree alone.
RawRays raw_rays(const RayPattern& rays, const Pose& eye) {
  RawRays raw;
  const Vec3& at = eye.translation_m;
  raw.origin[0] = static_cast<float>(at.x), raw.origin[1] = static_cast<float>(at.y);
  raw.origin[2] = static_cast<float>(at.z);
  for (std::size_t i = 0; i < rays.direction_x.size(); ++i) {
    const Vec3 way = rotate(eye.rotation, {rays.direction_x[i], rays.direction_y[i], rays.direction_z[i]});
    raw.dx.push_back(static_cast<float>(way.x)), raw.dy.push_back(static_cast<float>(way.y));
    raw.dz.push_back(static_cast<float>(way.z));
  }
  return raw;
}

void run(double radius_m) {
  const auto model = load(world_text(radius_m));
  const std::unique_ptr<mjData, Free> data(mj_makeData(model.get()));
  mj_forward(model.get(), data.get());
  Renderer one(model.get(), data.get(), 1), all(model.get(), data.get(), 0);
  Renderer bare(model.get(), data.get(), 1, {}), shadows(model.get(), data.get(), 1, {StereoShadow{}});
  Renderer pixel(model.get(), data.get(), 1, {}, {.width = 1, .height = 1});
  const RayPattern rays = one.simulator().pattern(one.sensor(), 0);
  const Pose eye = one.simulator().world_from_sensor(one.sensor(), 0.0);
  const RawEmbree embree(one.simulator().scene(), detect_isa());
  const RawRays raw = raw_rays(rays, eye);
  std::vector<float> range_m(raw.dx.size());
  std::vector<std::uint32_t> entity(raw.dx.size());
  std::size_t cast = 1;
  const auto step = [&] { mj_step(model.get(), data.get()); };
  const auto follow_all = [&] { all.update(data.get()), all.render(); };
  const auto times = interleaved_times(
      kRounds,
      {step, [&] { one.update(data.get()); }, [&] { one.render(); }, [&] { bare.update(data.get()), bare.render(); },
       [&] { shadows.update(data.get()), shadows.render(); }, [&] { pixel.update(data.get()), pixel.render(); },
       follow_all, [&] { cast = cast_by_mujoco(model.get(), data.get(), rays, eye); },
       [&] { embree.intersect(raw, RawMode::k1, range_m.data(), entity.data()); }},
      cpu_seconds_now);
  const auto by_clock = interleaved_times(kRounds, {step, follow_all});
  const double share = static_cast<double>(rays.direction_x.size()) / static_cast<double>(cast);
  const auto print = [](const char* what, const std::vector<double>& t, double times_share) {
    std::printf("%-42s %10.3f %10.3f\n", what, 1e3 * times_share * median(t), 1e3 * times_share * least(t));
  };
  std::printf("%d meshes of %d triangles, radius %g m, %u x %u stereo, MuJoCo %s; ms: median, least\n", kMeshes,
              2 * kRows * kCols, radius_m, kWidth, kHeight, mj_versionString());
  print("rtcIntersect1, 19 200 rays, nothing moves", times[8], 1.0);
  print("update of the mirror, all 125 moved", times[1], 1.0);
  print("frame, one thread, trees placed anew", times[2], 1.0);
  print("the same without losses, 19 200 rays", times[3], 1.0);
  print("the same with shadows alone, 57 600 rays", times[4], 1.0);
  print("the same with one pixel: trees placed anew", times[5], 1.0);
  print("update and frame, all threads, core time", times[6], 1.0);
  print("update and frame, all threads, by the clock", by_clock[1], 1.0);
  print("mj_ray for the same rays, one thread", times[7], share);
  std::vector<double> both = times[1];
  for (std::size_t i = 0; i < both.size(); ++i) both[i] += times[2][i];
  std::printf("mj_ray / (update and frame, one thread): %.0f\n", share * median_ratio(times[7], both));
}

}  // namespace
}  // namespace fathom::bench

int main(int argc, char** argv) {
  try {
    const double radius_m = argc > 1 ? std::stod(argv[1]) : 0.3;
    if (argc > 2) {
      std::ofstream(argv[2]) << fathom::bench::world_text(radius_m);
      return 0;
    }
    fathom::bench::run(radius_m);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_mujoco: %s\n", error.what());
    return 1;
  }
}
