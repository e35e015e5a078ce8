// Tapes: everything recorded plays again, and no bytes whatever do worse than a status.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include <unistd.h>

#include "rgl/scene.hpp"

namespace fathom::test {
namespace {

class RglTapes : public Rgl {
 protected:
  void SetUp() override {
    Rgl::SetUp();
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override {
    std::filesystem::remove_all(folder_);
    Rgl::TearDown();
  }
  static std::string read(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  static void write(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("fathom-rgl-tapes-" + std::to_string(getpid()));
  std::string path_ = (folder_ / "tape").string();
};

/// A bit of everything that a tape can hold; no files but `pcd`, if it has a name.
void use_everything(const std::string& pcd) {
  // An empty text among the arguments, which a reader might take for the end.
  RGL_OK(rgl_configure_logging(RGL_LOG_LEVEL_OFF, "", false));
  const rgl_mesh_t cube = make_cube();
  const std::vector<rgl_vec2f> uv(8, rgl_vec2f{{0.3F, 0.6F}});
  RGL_OK(rgl_mesh_set_texture_coords(cube, uv.data(), 8));
  const rgl_entity_t entity = place(cube, {{{40, 0, 0, 0}, {0, 40, 0, 0}, {0, 0, 1, 11}}});
  RGL_OK(rgl_entity_set_id(entity, 12));
  RGL_OK(rgl_entity_set_laser_retro(entity, std::numeric_limits<float>::infinity()));
  rgl_texture_t texture = nullptr;
  const unsigned char texels[6] = {1, 2, 3, 4, 5, 6};
  RGL_OK(rgl_texture_create(&texture, texels, 3, 2));
  RGL_OK(rgl_entity_set_intensity_texture(entity, texture));
  RGL_OK(rgl_scene_set_time(nullptr, 1'000'000'000));
  RGL_OK(rgl_scene_set_time(nullptr, ~std::uint64_t{0}));
  const int32_t rings[2] = {3, 4};
  const rgl_vec2f range = {{0, 1e30F}};
  const std::vector<float> offsets(6, 0.1F);
  rgl_node_t ring = nullptr, limits = nullptr, times = nullptr, pose = nullptr, noise = nullptr, hit = nullptr,
             distance = nullptr, compact = nullptr, format = nullptr;
  RGL_OK(rgl_node_rays_set_ring_ids(&ring, rings, 2));
  RGL_OK(rgl_node_rays_set_range(&limits, &range, 1));
  RGL_OK(rgl_node_rays_set_time_offsets(&times, offsets.data(), 6));
  RGL_OK(rgl_node_rays_transform(&pose, &kIdentity));
  RGL_OK(rgl_node_gaussian_noise_angular_ray(&noise, -0.01F, 0.02F, RGL_AXIS_Y));
  RGL_OK(rgl_node_gaussian_noise_angular_hitpoint(&hit, 0, 0.01F, RGL_AXIS_Z));
  RGL_OK(rgl_node_gaussian_noise_distance(&distance, 0.25F, 0.1F, 1e-3F));
  RGL_OK(rgl_node_points_compact_by_field(&compact, RGL_FIELD_IS_HIT_I32));
  const rgl_field_t fields[] = {RGL_FIELD_XYZ_VEC3_F32, RGL_FIELD_PADDING_32, RGL_FIELD_INTENSITY_F32,
                                RGL_FIELD_RING_ID_U16};
  RGL_OK(rgl_node_points_format(&format, fields, 4));
  const rgl_node_t trace = make_raytrace();
  std::vector<rgl_mat3x4f> rays;
  for (int i = 0; i < 6; ++i) rays.push_back(turned(0.1 * i, 0.05 * i));
  chain({make_rays(rays), ring, limits, times, pose, noise, trace, hit, distance, compact, format});
  const rgl_vec3f v = {{0, 0, 1}};
  RGL_OK(rgl_node_raytrace_configure_velocity(trace, &v, &v));
  RGL_OK(rgl_node_raytrace_configure_distortion(trace, true));
  RGL_OK(rgl_node_raytrace_configure_non_hits(trace, -1, std::numeric_limits<float>::quiet_NaN()));
  RGL_OK(rgl_node_raytrace_configure_return_mode(trace, RGL_RETURN_FIRST_LAST));
  RGL_OK(rgl_node_raytrace_configure_beam_divergence(trace, 0.01F, 0.02F));
  RGL_OK(rgl_graph_node_set_priority(compact, -0));
  for (int run = 0; run < 2; ++run) {
    RGL_OK(rgl_graph_run(trace));
    EXPECT_EQ(result<char>(format, RGL_FIELD_DYNAMIC_FORMAT).size(), 12U * 22U);
  }
  if (pcd.empty()) return;
  RGL_OK(rgl_graph_write_pcd_file(compact, pcd.c_str()));
}

TEST_F(RglTapes, GiveTheSameCloudsAgain) {
  const std::string pcd = (folder_ / "a cloud, \"quoted\" [x]: y.pcd").string();
  RGL_OK(fathom_rgl_set_seed(11));
  RGL_OK(rgl_tape_record_begin(path_.c_str()));
  use_everything(pcd);
  RGL_OK(rgl_tape_record_end());
  const std::string first = read(pcd);
  ASSERT_NE(first.find("POINTS 12\n"), std::string::npos) << first;
  std::filesystem::remove(pcd);
  RGL_OK(rgl_cleanup());
  RGL_OK(fathom_rgl_set_seed(11));
  RGL_OK(rgl_tape_play(path_.c_str()));
  EXPECT_EQ(read(pcd), first);
}

/// Both forms of YAML that tapes come in, quotes and comments; what was recorded by other versions.
TEST_F(RglTapes, AreReadInBlocksToo) {
  write(path_ + ".bin", std::string(48, '\0'));
  write(path_ + ".yaml",
        "# a comment\n---\n- rgl_get_version_info:\n    t: 1\n    a:\n      - 0\n      - 16\n      - 3\n- "
        "rgl_configure_logging:\n    t: 2\n    a:\n"
        "      - 6\n      - \"\"\n      - false\n- rgl_node_rays_from_mat3x4f:\n    t: 3\n    a:\n      - 1\n      - "
        "0\n      - 1\n- rgl_fly:\n    t: 4\n    a: []\n");
  RGL_STATUS(rgl_tape_play(path_.c_str()), RGL_TAPE_ERROR, "rgl_fly cannot be played");
  for (const char* version : {"2147483647, 2147483647, 2147483647", "1, 0, 0", "0, 17, 0"}) {
    write(path_ + ".yaml", std::string("- rgl_get_version_info: {t: 1, a: [") + version + "]}\n");
    RGL_OK(rgl_tape_play(path_.c_str()));
  }
  for (const char* version : {"0, 16, 2", "0, 15, 99", "-1, 99999, 99999"}) {
    write(path_ + ".yaml", std::string("- rgl_get_version_info: {t: 1, a: [") + version + "]}\n");
    RGL_STATUS(rgl_tape_play(path_.c_str()), RGL_TAPE_ERROR, "too old");
  }
  // An array that cannot lie where the tape says.
  write(path_ + ".yaml",
        "- rgl_get_version_info: {t: 1, a: [0, 19, 0]}\n- rgl_node_rays_from_mat3x4f: {t: 1, a: [1, 3, 0]}\n");
  RGL_STATUS(rgl_tape_play(path_.c_str()), RGL_TAPE_ERROR, "argument 1");
}

/// Mutated, cut and shuffled bytes of a good tape. A status comes back, and the library goes on.
TEST_F(RglTapes, OfAnyBytesEndInAStatus) {
  RGL_OK(rgl_tape_record_begin(path_.c_str()));
  use_everything("");
  RGL_OK(rgl_tape_record_end());
  const std::string yaml = read(path_ + ".yaml"), binary = read(path_ + ".bin");
  ASSERT_GT(yaml.size(), 1000U);
  ASSERT_GT(binary.size(), 1000U);
  std::mt19937 random(20);
  const auto below = [&](std::size_t n) { return std::size_t(random()) % n; };
  const std::string marks = "0123456789-.,:[]{}\"' \nnaie#t\\";
  int refused = 0;
  for (int i = 0; i < 300; ++i) {
    std::string text = yaml, bytes = binary;
    for (std::size_t n = 1 + below(4); n > 0; --n) text[below(text.size())] = marks[below(marks.size())];
    if (i % 3 == 0) bytes[below(bytes.size())] = char(below(256));
    if (i % 7 == 0) text.resize(below(text.size()));
    if (i % 11 == 0) bytes.resize(below(bytes.size()));
    if (i % 13 == 0) std::rotate(text.begin(), text.begin() + std::ptrdiff_t(below(text.size())), text.end());
    write(path_ + ".yaml", text);
    write(path_ + ".bin", bytes);
    const rgl_status_t status = rgl_tape_play(path_.c_str());
    ASSERT_TRUE(status == RGL_SUCCESS || status == RGL_TAPE_ERROR || status == RGL_INVALID_ARGUMENT)
        << i << ": " << status << ' ' << last_error();
    refused += status != RGL_SUCCESS ? 1 : 0;
    RGL_OK(rgl_cleanup());
  }
  EXPECT_GT(refused, 30);
  EXPECT_LT(refused, 300);
}

}  // namespace
}  // namespace fathom::test
