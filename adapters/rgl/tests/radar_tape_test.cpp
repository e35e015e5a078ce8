// SPDX-License-Identifier: MIT
// Radar nodes against formulas written here once more; tapes; files.

#include <complex>

#include "rgl/tests/scene.hpp"

namespace fathom::test {
namespace {

class RglRadar : public Rgl {};
class RglTape : public Rgl {
 protected:
  TemporaryFolder folder_;
  std::string path_ = (folder_ / "tape").string();
};

struct V {
  double x, y, z;
};
V operator+(V a, V b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
V operator*(double s, V v) { return {s * v.x, s * v.y, s * v.z}; }
double dot(V a, V b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
V cross(V a, V b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
V unit(V v) { return (1 / std::sqrt(dot(v, v))) * v; }

/// The field of one point with its phases, as the interface's facts state it (section 8.11).
std::pair<std::complex<double>, std::complex<double>> field_of(V d, V pol, V n, double r, double az, double el,
                                                               double k) {
  const std::complex<double> i(0, 1), phase = std::exp(i * k * r);
  const double phi = std::atan2(d.y, d.z), theta = std::acos(d.x / std::sqrt(dot(d, d)));
  const V dir_p = {0, std::cos(phi), -std::sin(phi)};
  const V dir_t = {-std::sin(theta), std::sin(phi) * std::cos(theta), std::cos(phi) * std::cos(theta)};
  const V ref = unit(d + (-2 * dot(d, n)) * n);
  V ref_pol = -1 * pol;
  if (std::abs(dot(d, n)) < 1) {
    const V u = unit(cross(d, n)), rr = unit(cross(d, u)), u2 = -1 * u, r2 = cross(ref, u2);
    ref_pol = (-dot(pol, rr)) * r2 + dot(pol, u) * u2;
  }
  const auto component = [&](V with_e, V with_h) {
    const V h = -1 * cross(ref_pol, ref);
    return -phase * dot(cross(ref_pol, with_e) + cross(h, with_h), ref);
  };
  const std::complex<double> f =
      i * k * (r * r * std::sin(el) * az) * dot(ref, n) / (4 * std::numbers::pi) * std::exp(-i * k * r);
  return {component(-1 * dir_p, dir_t) * f, component(dir_t, dir_p) * f};
}

TEST_F(RglRadar, DetectionsFollowTheRadarEquation) {
  const rgl_mat3x4f wall = {{{3, 0, 0, 0}, {0, 3, 0, 0}, {0, 0, 1, 11}}};
  place(make_cube(), wall);
  const float az = 0.01F, el = 0.012F, frequency = 79e9F, power = 31, gain = 27;
  std::vector<rgl_mat3x4f> rays;
  for (int i = -3; i <= 3; ++i) rays.push_back(turned(0.01 * i, 0.002 * i));
  rays.push_back(turned(3, 0));  // hits nothing
  rgl_node_t compact = nullptr, radar = nullptr;
  const rgl_radar_scope_t scope = {0, 100, 1, 1, 0.02F};
  RGL_OK(rgl_node_points_compact_by_field(&compact, RGL_FIELD_IS_HIT_I32));
  RGL_OK(rgl_node_points_radar_postprocess(&radar, &scope, 1, az, el, frequency, power, gain, 60, 1));
  const rgl_node_t yield = make_yield({RGL_FIELD_RAY_IDX_U32, RGL_FIELD_POWER_F32, RGL_FIELD_RCS_F32,
                                       RGL_FIELD_NOISE_F32, RGL_FIELD_SNR_F32, RGL_FIELD_DISTANCE_F32});
  chain({make_rays(rays), make_raytrace(), compact, radar, yield});
  RGL_OK(rgl_graph_run(radar));
  ASSERT_EQ(result<unsigned>(radar, RGL_FIELD_RAY_IDX_U32), std::vector<unsigned>{3});  // the middle one
  std::complex<double> bu = 0, br = 0;
  const double k = 2 * std::numbers::pi * double{frequency} / 299792458;
  for (int i = 0; i < 7; ++i) {
    const auto& m = rays[std::size_t(i)].value;
    const V d = {m[0][2], m[1][2], m[2][2]}, pol = {m[0][0], m[1][0], m[2][0]};
    const auto [u, r] = field_of(d, pol, {0, 0, -1}, 10 / d.z, az, el, k);
    bu += u, br += r;
  }
  const double rcs = 10 * std::log10(4 * std::numbers::pi * (std::norm(bu) + std::norm(br)));
  const double noise = result<float>(radar, RGL_FIELD_NOISE_F32)[0],
               d = result<float>(radar, RGL_FIELD_DISTANCE_F32)[0];
  const double lambda = 299792458 / double{frequency};
  EXPECT_NEAR(result<float>(radar, RGL_FIELD_RCS_F32)[0], rcs, 1e-3);
  const double clean = power + 2 * gain + rcs + 10 * std::log10(lambda * lambda) -
                       10 * std::log10(std::pow(4 * std::numbers::pi, 3)) - 10 * std::log10(std::pow(d, 4));
  EXPECT_NEAR(result<float>(radar, RGL_FIELD_POWER_F32)[0], clean + noise, 2e-3);
  EXPECT_NEAR(result<float>(radar, RGL_FIELD_SNR_F32)[0], clean, 2e-3);
  EXPECT_NEAR(noise, 60, 6);
  RGL_OK(rgl_graph_run(radar));
  EXPECT_NE(result<float>(radar, RGL_FIELD_NOISE_F32)[0], float(noise));
}

TEST_F(RglRadar, SeparateObjectsAreSeparateDetectionsAndTracks) {
  const rgl_mesh_t cube = make_cube();
  const rgl_entity_t left = place(cube, translation(-4, 0, 12)), right = place(cube, translation(4, 0, 12));
  RGL_OK(rgl_entity_set_id(left, 1));
  RGL_OK(rgl_entity_set_id(right, 2));
  std::vector<rgl_mat3x4f> rays;
  for (int i = -60; i <= 60; ++i) rays.push_back(turned(0.01 * i, 0));
  rgl_node_t compact = nullptr, radar = nullptr, track = nullptr;
  const rgl_radar_scope_t scope = {0, 100, 1, 1, 0.05F};
  RGL_OK(rgl_node_points_compact_by_field(&compact, RGL_FIELD_IS_HIT_I32));
  RGL_OK(rgl_node_points_radar_postprocess(&radar, &scope, 1, 0.01F, 0.01F, 79e9F, 31, 27, 60, 1));
  RGL_OK(rgl_node_points_radar_track_objects(&track, 2, 0.2F, 0.2F, 1, 2, 500, 0.1F));
  chain({make_rays(rays), make_raytrace(), compact, radar, track});
  RGL_OK(rgl_scene_set_time(nullptr, 1'000'000'000));
  RGL_OK(rgl_graph_run(track));
  EXPECT_EQ(result<float>(radar, RGL_FIELD_DISTANCE_F32).size(), 2U);
  EXPECT_EQ(result<int>(track, RGL_FIELD_ENTITY_ID_I32), (std::vector<int>{0, 1}));
  RGL_OK(rgl_entity_destroy(left));
  RGL_OK(rgl_scene_set_time(nullptr, 1'300'000'000));
  RGL_OK(rgl_graph_run(track));
  EXPECT_EQ(result<int>(track, RGL_FIELD_ENTITY_ID_I32), (std::vector<int>{0, 1}));  // the left one is predicted
  RGL_OK(rgl_scene_set_time(nullptr, 1'600'000'000));
  RGL_OK(rgl_graph_run(track));
  EXPECT_EQ(result<int>(track, RGL_FIELD_ENTITY_ID_I32), std::vector<int>{1});
  place(cube, translation(-4, 0, 12));
  RGL_OK(rgl_scene_set_time(nullptr, 1'700'000'000));
  RGL_OK(rgl_graph_run(track));
  EXPECT_EQ(result<int>(track, RGL_FIELD_ENTITY_ID_I32), (std::vector<int>{1, 0}));  // the freed number comes back
  RGL_OK(rgl_entity_destroy(right));
  RGL_OK(rgl_graph_run(track));
}

TEST_F(RglTape, PlaysWhatItRecorded) {
  RGL_OK(rgl_tape_record_begin(path_.c_str()));
  RGL_STATUS(rgl_tape_record_begin(path_.c_str()), RGL_TAPE_ERROR, "in progress");
  RGL_STATUS(rgl_tape_play(path_.c_str()), RGL_TAPE_ERROR, "while");
  place(make_cube(), translation(0, 0, 5));
  const rgl_node_t trace = make_raytrace();
  rgl_node_t noise = nullptr, compact = nullptr;
  RGL_OK(rgl_node_gaussian_noise_distance(&noise, 0.25F, 0, 0));
  RGL_OK(rgl_node_points_compact_by_field(&compact, RGL_FIELD_IS_HIT_I32));
  chain({make_rays({kIdentity, turned(3, 0)}), trace, noise, compact});
  RGL_OK(rgl_node_raytrace_configure_non_hits(trace, std::numeric_limits<float>::infinity(), 50));
  RGL_OK(rgl_graph_run(trace));
  EXPECT_EQ(result<float>(compact, RGL_FIELD_DISTANCE_F32), std::vector<float>{4.25F});
  RGL_OK(rgl_graph_write_pcd_file(compact, (path_ + ".pcd").c_str()));
  RGL_OK(rgl_tape_record_end());
  std::stringstream first;
  first << std::ifstream(path_ + ".pcd").rdbuf();
  EXPECT_TRUE(contains(first.str(), "FIELDS x y z is_hit distance\nSIZE 4 4 4 4 4\nTYPE F F F I F\n"));
  EXPECT_TRUE(contains(first.str(), "POINTS 1\nDATA binary\n"));
  float point[5];
  std::memcpy(point, first.str().data() + first.str().size() - 20, 20);
  EXPECT_EQ(point[2], 4.25F);
  EXPECT_EQ(point[4], 4.25F);
  std::filesystem::remove(path_ + ".pcd");
  RGL_OK(rgl_cleanup());
  RGL_OK(rgl_tape_play(path_.c_str()));
  std::stringstream again;
  again << std::ifstream(path_ + ".pcd").rdbuf();
  EXPECT_EQ(again.str(), first.str());
}

TEST_F(RglTape, RefusesWhatIsNoTape) {
  const auto write = [&](const std::string& yaml) {
    std::ofstream(path_ + ".yaml") << yaml;
    std::ofstream(path_ + ".bin") << "";
  };
  write("");
  RGL_STATUS(rgl_tape_play(path_.c_str()), RGL_TAPE_ERROR, "Invalid Tape: Empty YAML file detected");
  write("- rgl_mesh_create: {t: 0, a: [0]}\n");
  RGL_STATUS(rgl_tape_play(path_.c_str()), RGL_TAPE_ERROR,
             "Unsupported Tape format: Missing version record in the Tape");
  write("- rgl_get_version_info:\n    t: 0\n    a: [0, 16, 2]\n");
  RGL_STATUS(rgl_tape_play(path_.c_str()), RGL_TAPE_ERROR,
             "Unsupported Tape Format: Tape version is too old. Required version: 0.16.3.");
  write("- rgl_get_version_info: {t: 0, a: [0, 16, 3]}\n- rgl_mesh_create: {t: 1, a: [7, 0, 3, 0, 1]}\n");
  RGL_STATUS(rgl_tape_play(path_.c_str()), RGL_TAPE_ERROR, "beyond the binary file");
  write("- rgl_get_version_info: {t: 0, a: [0, 16, 3]}\n- rgl_fly: {t: 1, a: []}\n");
  RGL_STATUS(rgl_tape_play(path_.c_str()), RGL_TAPE_ERROR, "rgl_fly cannot be played");
  write("- rgl_get_version_info:\n  - 5\n");
  RGL_STATUS(rgl_tape_play(path_.c_str()), RGL_TAPE_ERROR, "line 2: a list belongs to no call");
  write(
      "- rgl_get_version_info:\n    t: 12\n    a:\n      - 0\n      - 19\n      - 0\n- rgl_scene_set_time:\n    t: "
      "13\n    a:\n      - 0\n      - 77\n");
  RGL_OK(rgl_tape_play(path_.c_str()));
}

/// The lidars of 0.6 to 0.10.
TEST_F(RglTape, OldLidarsSeeAndErrAsTheyDid) {
  const rgl_mat3x4f wall = {{{100, 0, 0, 0}, {0, 100, 0, 0}, {0, 0, 1, 11}}};
  const rgl_entity_t entity = place(make_cube(), wall);
  RGL_OK(rgl_entity_set_pose(entity, &wall));
  const std::vector<rgl_mat3x4f> rays = {kIdentity, kIdentity, turned(3, 0)};
  rgl_lidar_t lidar = nullptr;
  RGL_STATUS(rgl_lidar_create(&lidar, nullptr, 3), RGL_INVALID_ARGUMENT, "ray_transforms != nullptr");
  RGL_OK(rgl_lidar_create(&lidar, rays.data(), 3));
  const int32_t rings[] = {7, 8, 9};
  const rgl_mat3x4f pose = translation(0, 0, 1), back = translation(0, 0, -1);
  RGL_OK(rgl_lidar_set_ring_indices(lidar, rings, 3));
  RGL_OK(rgl_lidar_set_pose(lidar, &pose));
  RGL_OK(rgl_lidar_set_post_raycast_transform(lidar, &back));
  RGL_STATUS(rgl_lidar_set_range(lidar, 0), RGL_INVALID_ARGUMENT, "range > 0");
  RGL_OK(rgl_lidar_set_range(lidar, 100));
  RGL_STATUS(rgl_lidar_set_gaussian_noise_params(lidar, static_cast<rgl_angular_noise_type_t>(2), 0, 0, 0, 0, 0),
             RGL_INVALID_ARGUMENT, "angular_noise_type");
  RGL_STATUS(rgl_lidar_set_gaussian_noise_params(lidar, RGL_ANGULAR_NOISE_TYPE_RAY_BASED, -1, 0, 0, 0, 0),
             RGL_INVALID_ARGUMENT, "angular_noise_stddev >= 0");
  int32_t size = -1;
  RGL_OK(rgl_lidar_get_output_size(lidar, &size));  // a client of 0.10 asks before the first run
  EXPECT_EQ(size, 0);
  const float untouched = -7;
  float none[3] = {untouched, untouched, untouched};
  RGL_OK(rgl_lidar_get_output_data(lidar, RGL_FORMAT_XYZ, none));
  EXPECT_EQ(none[0], untouched);
  for (int run = 0; run < 3; ++run) {
    // A constant turn must not pile up from run to run; x' = c x - s z.
    RGL_OK(rgl_lidar_set_gaussian_noise_params(lidar, RGL_ANGULAR_NOISE_TYPE_RAY_BASED, 0, 0.1F, 0, 0, 0));
    RGL_OK(rgl_lidar_raytrace_async(nullptr, lidar));
    RGL_OK(rgl_lidar_get_output_size(lidar, &size));
    ASSERT_EQ(size, 2);
    float xyz[6];
    RGL_OK(rgl_lidar_get_output_data(lidar, RGL_FORMAT_XYZ, xyz));
    EXPECT_NEAR(xyz[0], -9 * std::tan(0.1), 1e-5);
    EXPECT_NEAR(xyz[2], 10, 1e-5);
  }
  RGL_OK(rgl_lidar_set_gaussian_noise_params(lidar, RGL_ANGULAR_NOISE_TYPE_HITPOINT_BASED, 0, 0.1F, 0, 0, 0.5F));
  RGL_OK(rgl_lidar_raytrace_async(nullptr, lidar));
  RGL_OK(rgl_lidar_get_output_size(lidar, &size));
  struct Point {
    float x, y, z, gap, intensity;
    unsigned short ring, gap2;
    float azimuth, distance;
    unsigned char type, gap3[7];
    double stamp;
  };
  static_assert(sizeof(Point) == 48);
  Point points[2];
  RGL_OK(rgl_lidar_get_output_data(lidar, RGL_FORMAT_E2E_PCL48, points));
  EXPECT_NEAR(points[1].x, -9.5 * std::sin(0.1), 1e-5);
  EXPECT_NEAR(points[1].z, 9.5 * std::cos(0.1), 1e-5);
  EXPECT_EQ(points[1].intensity, 100);
  EXPECT_EQ(points[1].ring, 8);
  EXPECT_NEAR(points[1].distance, 9.5, 1e-5);
  RGL_STATUS(rgl_lidar_get_output_data(lidar, RGL_FORMAT_INVALID, points), RGL_INVALID_ARGUMENT, "format");
  RGL_OK(rgl_lidar_destroy(lidar));
  RGL_STATUS(rgl_lidar_destroy(lidar), RGL_INVALID_API_OBJECT, "Lidar");
}

}  // namespace
}  // namespace fathom::test
