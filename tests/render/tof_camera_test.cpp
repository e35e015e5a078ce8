// SPDX-License-Identifier: MIT
// Time-of-flight cameras: ranges mixed at edges, errors by the light that comes back, and the weakest light.

#include <fathom/simulate/sensor_noise.hpp>

#include "render/stereo_scenes.hpp"
#include "support/statistics.hpp"

namespace fathom::test {
namespace {

template <class Camera = TofCamera>
Camera make_tof(std::uint32_t width = 64, std::uint32_t height = 48) {
  Camera camera;
  camera.width = width, camera.height = height, camera.horizontal_fov_rad = 1.0;
  camera.min_range_m = 0.2, camera.max_range_m = 50;
  return camera;
}

/// A wall at 2 m, and at 1 m before it one that covers everything from the line of sight y = `edge` x to the left.
Scene make_step(double edge, float near_reflectivity) {
  Scene scene;
  const MeshId box = scene.add_mesh(make_box({1, 1, 1}));
  scene.add_entity({.name = "far", .mesh = box, .parent_from_entity = Pose{{2.5, 0, 0}, {}}, .scale = {1, 40, 40}});
  scene.add_entity({.name = "near",
                    .mesh = box,
                    .parent_from_entity = Pose{{1.0005, edge + 5, 0}, {}},
                    .scale = {0.001, 10, 40},
                    .reflectivity = near_reflectivity});
  return scene;
}

TEST(TofCamera, APixelOnAnEdgeHasTheMeanRangeByAmplitude) {
  // 65 columns: the middle pixel looks along x, and each half of it sees one wall.
  for (const float reflectivity : {1.0F, 0.2F}) {
    const Frame frame = render_once(make_step(0, reflectivity), make_sensor(make_tof(65, 1)));
    const double near = double{reflectivity}, far = 0.25;  // by 1 / range^2
    EXPECT_NEAR(double{frame.depth_m()[32]}, (near + 2 * far) / (near + far), 0.02);
    EXPECT_NEAR(double{frame.depth_m()[31]}, 1.0, 1e-4);
    EXPECT_NEAR(double{frame.depth_m()[33]}, 2.0, 1e-4);
  }
}

TEST(TofCamera, WithoutAFootprintItIsADepthCamera) {
  TofCamera camera = make_tof();
  camera.footprint_px = 0;
  const Frame sharp = render_once(make_room_scene(), make_sensor(camera, {DistanceNoise{.stddev_m = 0.01F}}));
  Sensor other = make_sensor(make_tof<DepthCamera>(), {DistanceNoise{.stddev_m = 0.01F}});
  other.falloff = {FalloffLaw::kInverseSquare, 0.2F};
  const Frame depth = render_once(make_room_scene(), other);
  EXPECT_TRUE(same_bits(sharp.depth_m(), depth.depth_m()));
  EXPECT_TRUE(same_bits(sharp.intensity(), depth.intensity()));
}

TEST(TofCamera, ItsErrorGrowsAsLightFades) {
  // sigma = shot / sqrt(P), P = cos / d^2 of a white wall: 4 m away, head-on and seen at 60 degrees.
  TofCamera camera = make_tof(200, 200);
  camera.horizontal_fov_rad = 0.05;
  for (const double tilt_rad : {0.0, 1.0472}) {
    const Frame frame =
        render_once(make_plane_scene({4.0, tilt_rad}), make_sensor(camera, {AmplitudeNoise{.shot_m = 0.002F}}));
    std::vector<double> errors;
    for (std::size_t i = 0; i < frame.size(); ++i) {
      errors.push_back(double{frame.range_m()[i]} - double{frame.clean_range_m()[i]});
    }
    const double sigma = 0.002 * 4.0 / std::sqrt(std::cos(tilt_rad));
    EXPECT_NEAR(std::sqrt(moments_of(errors).variance), sigma, 0.03 * sigma) << tilt_rad;
  }
}

TEST(TofCamera, LosesWhatIsTooDark) {
  Sensor sensor = make_sensor(make_tof(65, 1));
  sensor.detection.reach_10_m = 2.5F;
  EXPECT_EQ(render_once(make_step(0, 0.01F), sensor).reason()[0], Reason::kLowPower);
  EXPECT_EQ(render_once(make_step(0, 0.01F), sensor).reason()[64], Reason::kHit);
}

TEST(TofCamera, AGivenFrameHasSharpEdgesAndTheSameErrors) {
  TofCamera camera = make_tof();
  camera.footprint_px = 0;
  Sensor sensor = make_sensor(camera, {AmplitudeNoise{.shot_m = 0.01F, .background_m = 0.01F}});
  sensor.detection.reach_10_m = 1.5F;
  const Scene scene = make_room_scene();
  const Frame frame = render_once(scene, sensor);
  const Frame::Points n = frame.normal_world();
  std::vector<float> reflectivity, normal;
  for (std::size_t i = 0; i < frame.size(); ++i) {
    normal.insert(normal.end(), {n.x[i], n.y[i], n.z[i]});
    reflectivity.push_back(scene.entities()[frame.entity_id()[i]].reflectivity);
  }
  std::get<TofCamera>(sensor.model).footprint_px = 1;
  SensorNoise noise(sensor, {.seed = 7, .compute = {.threads = 1}});
  Frame given({Channel::kRange, Channel::kReason});
  noise.apply(0,
              {.range_m = frame.clean_range_m(),
               .normal = normal,
               .normal_frame = NormalFrame::kWorld,
               .entity_id = frame.entity_id(),
               .reflectivity = reflectivity},
              given);
  EXPECT_TRUE(same_bits(given.range_m(), frame.range_m()));
  EXPECT_TRUE(same_bits(given.reason(), frame.reason()));
}

TEST(TofCamera, EachEnvironmentHasThePixelsOfItsOptics) {
  const Scene scene = make_step(0.1, 0.5F);
  Environments environments(scene, {.simulator = {.seed = 7, .compute = {.threads = 1}}, .count = 8});
  const SensorId id = environments.add_sensor(make_sensor(make_tof()), {{.field = "footprint_px",
                                                                         .law = ParameterRange::Law::kNormal,
                                                                         .low = 0,  // about half of the draws
                                                                         .high = 3,
                                                                         .mean = 0,
                                                                         .stddev = 1,
                                                                         .target = ParameterRange::Target::kSensor}});
  Frame frame(all_channels());
  environments.render(id, 0, frame);
  for (std::uint32_t e = 0; e < 8; ++e) {
    TofCamera camera = make_tof();
    camera.footprint_px = environments.drawn(e, id).front().value;
    const Frame alone = render_once(scene, make_sensor(camera));
    EXPECT_TRUE(same_bits(frame.depth_m().subspan(e * alone.size(), alone.size()), alone.depth_m())) << e;
  }
}

TEST(TofCamera, RefusesPixelsThatAreTooWide) {
  TofCamera camera = make_tof(4, 4);
  camera.footprint_px = 2;
  EXPECT_EQ(input_error([&] { make_pattern(camera); }),
            "tof_camera.footprint_px = 2 makes cones of 0.5 rad, above 0.2");
}

}  // namespace
}  // namespace fathom::test
