// SPDX-License-Identifier: MIT
// Tapes: everything recorded plays again, and no bytes whatever do worse than a status.

#include "rgl/tests/scene.hpp"

namespace fathom::test {
namespace {

class RglTapes : public Rgl {
 protected:
  void SetUp() override { Rgl::SetUp(); }
  void TearDown() override { Rgl::TearDown(); }
  static std::string read(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  static void write(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

  TemporaryFolder folder_;
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
  ASSERT_TRUE(contains(first, "POINTS 12\n"));
  std::filesystem::remove(pcd);
  RGL_OK(rgl_cleanup());
  RGL_OK(fathom_rgl_set_seed(11));
  RGL_OK(rgl_tape_play(path_.c_str()));
  EXPECT_EQ(read(pcd), first);
}

/// Every function that a tape can name is known to the player.
TEST_F(RglTapes, MayHoldEveryFunction) {
  write(path_ + ".bin", "");
  for (const std::string& name : exported_names()) {
    const bool is_recorded = name.starts_with("rgl_") && !name.starts_with("rgl_tape_") &&
                             !name.starts_with("rgl_lidar_") && name != "rgl_get_last_error_string";
    write(path_ + ".yaml", "- rgl_get_version_info: {t: 1, a: [0, 19, 0]}\n- " + name + ": {t: 2, a: []}\n");
    const rgl_status_t status = rgl_tape_play(path_.c_str());
    const bool is_unknown = last_error().find("cannot be played") != std::string::npos;
    EXPECT_EQ(is_unknown, !is_recorded) << name << ": " << status << ' ' << last_error();
  }
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

/// A tape of one call after the version record; the call has `arguments`, in flow style.
std::string tape_of(const std::string& function, const std::string& arguments) {
  return "- rgl_get_version_info: {t: 1, a: [0, 19, 0]}\n- " + function + ":\n    t: 2\n    a: [" + arguments + "]\n";
}

/// RGL reads them with yaml-cpp's as<bool>, which takes neither 1 nor 0; tapes of ours had these.
TEST_F(RglTapes, HoldBoolsAsWords) {
  RGL_OK(rgl_tape_record_begin(path_.c_str()));
  const rgl_node_t trace = make_raytrace();
  RGL_OK(rgl_node_raytrace_configure_distortion(trace, true));
  RGL_OK(rgl_node_raytrace_configure_distortion(trace, false));
  RGL_OK(rgl_tape_record_end());
  const std::string yaml = read(path_ + ".yaml");
  EXPECT_TRUE(contains(yaml, ", true]\n"));
  EXPECT_TRUE(contains(yaml, ", false]\n"));
  RGL_OK(rgl_tape_play(path_.c_str()));
  for (const char* word : {"1", "0", "true", "False", "\"true\""}) {
    write(path_ + ".yaml", tape_of("rgl_node_raytrace_configure_distortion", std::string("5, ") + word));
    RGL_OK(rgl_tape_play(path_.c_str()));
  }
  for (const char* word : {"2", "maybe", "", "''"}) {
    write(path_ + ".yaml", tape_of("rgl_node_raytrace_configure_distortion", std::string("5, ") + word));
    RGL_STATUS(rgl_tape_play(path_.c_str()), RGL_TAPE_ERROR, "argument 1 is missing or not understood");
  }
}

/// Names of files may stand without quotes, with what YAML leaves in a plain scalar: blanks, colons, in blocks commas.
TEST_F(RglTapes, ReadNamesWithoutQuotesAsYamlDoes) {
  const float point[3] = {1, 2, 3};
  const rgl_field_t xyz = RGL_FIELD_XYZ_VEC3_F32;
  const std::string quoted = (folder_ / "quoted\n\t\x7f.pcd").string();
  RGL_OK(rgl_tape_record_begin(path_.c_str()));
  rgl_node_t array = nullptr;
  RGL_OK(rgl_node_points_from_array(&array, point, 1, &xyz, 1));
  RGL_OK(rgl_graph_run(array));
  RGL_OK(rgl_graph_write_pcd_file(array, quoted.c_str()));
  RGL_OK(rgl_tape_record_end());
  ASSERT_TRUE(std::filesystem::remove(quoted));
  RGL_OK(rgl_tape_play(path_.c_str()));
  EXPECT_TRUE(std::filesystem::exists(quoted));
  const std::string yaml = read(path_ + ".yaml");
  const std::size_t list = yaml.rfind('['), comma = yaml.find(',', list);
  const std::string before = yaml.substr(0, list), node = yaml.substr(list + 1, comma - list - 1);
  const std::string in_flow = (folder_ / "log 12:30:05.pcd").string();
  write(path_ + ".yaml", before + '[' + node + ", " + in_flow + "]  # a comment\n");
  RGL_OK(rgl_tape_play(path_.c_str()));
  EXPECT_TRUE(std::filesystem::exists(in_flow));
  const std::string in_block = (folder_ / "a b, c [d] it's#1:2.pcd").string();
  write(path_ + ".yaml", before + "\n      - " + node + "\n      - " + in_block + "\n");
  RGL_OK(rgl_tape_play(path_.c_str()));
  EXPECT_TRUE(std::filesystem::exists(in_block));
}

TEST_F(RglTapes, OfOldFormatsAndOthersThanCallsAreNamed) {
  write(path_ + ".bin", "");
  const auto expect = [&](const std::string& yaml, const std::string& text) {
    write(path_ + ".yaml", yaml);
    RGL_STATUS(rgl_tape_play(path_.c_str()), RGL_TAPE_ERROR, text);
  };
  expect("rgl_version:\n  major: 0\n  minor: 16\n  patch: 2\n", "Unsupported Tape format: Detected outdated format");
  expect("{}", "Unsupported Tape format: Detected outdated format");
  for (const char* nothing : {"", "# a comment\n", "---\n", "~\n"}) expect(nothing, "Empty YAML file detected");
  expect("[]", "Missing version record");
  expect("a word", "'a word' belongs to no call");
  expect("- - 1", "line 1: a list belongs to no call");
  expect("- ? [a, b]\n  : 1\n", "a list belongs to no call");
  expect("- rgl_cleanup: 5\n", "'5' belongs to no call");
  expect("- rgl_cleanup: {t: now}\n", "'now' is no number");
  expect("- rgl_cleanup: {t: [1]}\n", "a list belongs to no call");
  expect("- rgl_cleanup: {x: 1}\n", "'x' is neither t nor a");
  expect("- rgl_cleanup: {a: {b: 1}}\n", "a map belongs to no call");
  expect("- &x rgl_cleanup: {t: 1, a: [*x]}\n", "an alias");
  expect("- rgl_cleanup: {t: 1, a: [\n", "Invalid Tape: line");
  expect("- rgl_cleanup: {t: 1, a: [\x04]}\n", "control character");
  expect("- rgl_get_version_info: {t: 1, a: [0, x, 0]}\n", "'x' is no number");
  expect("- ? rgl_cleanup\n", "a key after '?'");
  expect("- rgl_cleanup: {\"t\" 1}\n", "a key without a colon");
  expect("- rgl_cleanup: {t: ", "a bracket is not closed");
  expect("- rgl_cleanup: {t: 1, a: [- b]}\n", "a text cannot begin with '-'");
  expect("- rgl_cleanup:\n    t: 1\n    a:\n      - ]\n", "line 4: a text cannot begin with ']'");
  expect("- rgl_cleanup: {t: 1, a: [\"\\ud800\"]}\n", "'\\u' is no escape");
  expect("- rgl_get_version_info: {t: 1, a: [0, 19, 0]}\n- rgl_fly: {t: 2, a: []}\n",
         "Invalid Tape: line 2: rgl_fly cannot be played ('" + path_ + ".yaml')");
}

/// No text takes the stack or the day.
TEST_F(RglTapes, OfManyBracketsAreRefusedAtTheFirst) {
  write(path_ + ".bin", "");
  const auto many = [](const std::string& piece) {
    std::string text;
    for (int i = 0; i < 200'000; ++i) text += piece;
    return text;
  };
  for (const char* piece : {"[", "{", "- ", "? ", "[{", "{a: ", "- a: ", "- [", "&a [", "!!a "}) {
    write(path_ + ".yaml", many(piece));
    EXPECT_EQ(rgl_tape_play(path_.c_str()), RGL_TAPE_ERROR) << piece << last_error();
    write(path_ + ".yaml", "- rgl_cleanup:\n    t: 1\n    a: [" + many(piece));
    EXPECT_EQ(rgl_tape_play(path_.c_str()), RGL_TAPE_ERROR) << piece << last_error();
  }
}

/// A second passes only when it is asked for; a day never.
TEST_F(RglTapes, KeepTheirTimesOnRequest) {
  write(path_ + ".bin", "");
  const auto tape = [](const char* ns) {
    return std::string("- rgl_get_version_info: {t: 0, a: [0, 19, 0]}\n- rgl_scene_set_time: {t: ") + ns +
           ", a: [0, 7]}\n";
  };
  for (const char* ns : {"3600000000000", "9223372036854775807", "-9223372036854775808"}) {
    write(path_ + ".yaml", tape(ns));
    RGL_OK(rgl_tape_play(path_.c_str()));
  }
  write(path_ + ".yaml", tape("150000000"));
  RGL_OK(fathom_rgl_set_tapes_in_real_time(true));
  const auto begin = std::chrono::steady_clock::now();
  const rgl_status_t status = rgl_tape_play(path_.c_str());
  RGL_OK(fathom_rgl_set_tapes_in_real_time(false));
  RGL_OK(status);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(150));
}

/// A tape does not change the player's log. Nodes of absent extensions are left out, and the rest is played.
TEST_F(RglTapes, LeaveTheLogAloneAndPassOverExtensions) {
  write(path_ + ".bin", std::string(48, '\0'));
  const std::string log = (folder_ / "log").string();
  write(path_ + ".yaml", tape_of("rgl_configure_logging", "0, " + log + ", false") +
                             "- rgl_node_points_ros2_publish: {t: 3, a: [8, topic, frame]}\n"
                             "- rgl_node_rays_from_mat3x4f: {t: 4, a: [9, 0, 1]}\n"
                             "- rgl_graph_node_add_child: {t: 5, a: [9, 8]}\n"
                             "- rgl_graph_run: {t: 6, a: [9]}\n");
  RGL_OK(rgl_tape_play(path_.c_str()));
  EXPECT_FALSE(std::filesystem::exists(log));
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
