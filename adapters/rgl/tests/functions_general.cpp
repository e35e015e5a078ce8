// SPDX-License-Identifier: MIT
// General functions (section 6.1), tapes (section 12), and what only fathom has.

#include "rgl/tests/functions.hpp"

namespace fathom::test {
namespace {

std::vector<Function> general() {
  return {
      Function("rgl_get_version_info", CALL(rgl_get_version_info(&o.number, &o.other, &o.third)))
          .refuses("out_major != nullptr", CALL(rgl_get_version_info(nullptr, &o.number, &o.other)))
          .refuses("out_minor != nullptr", CALL(rgl_get_version_info(&o.number, nullptr, &o.other)))
          .refuses("out_patch != nullptr", CALL(rgl_get_version_info(&o.number, &o.other, nullptr))),
      Function("rgl_get_extension_info",
               [](Objects& o) {
                 for (int e = 0; e < RGL_EXTENSION_COUNT; ++e) {
                   EXPECT_EQ(rgl_get_extension_info(static_cast<rgl_extension_t>(e), &o.number), RGL_SUCCESS);
                   EXPECT_EQ(o.number, 0);  // of none is everything there
                 }
                 return rgl_get_extension_info(RGL_EXTENSION_PCL, &o.number);
               })
          .refuses("extension < RGL_EXTENSION_COUNT", CALL(rgl_get_extension_info(RGL_EXTENSION_COUNT, &o.number)))
          .refuses("extension >= 0", CALL(rgl_get_extension_info(static_cast<rgl_extension_t>(-1), &o.number)))
          .refuses("out_available != nullptr", CALL(rgl_get_extension_info(RGL_EXTENSION_PCL, nullptr))),
      Function("rgl_configure_logging",
               [](Objects& o) {
                 EXPECT_EQ(rgl_configure_logging(RGL_LOG_LEVEL_ALL, (o.tape + ".log").c_str(), false), RGL_SUCCESS);
                 return rgl_configure_logging(RGL_LOG_LEVEL_OFF, nullptr, false);
               })
          .refuses("log_level <=", CALL(rgl_configure_logging(RGL_LOG_LEVEL_COUNT, nullptr, true)))
          .refuses("log_level >=", CALL(rgl_configure_logging(static_cast<rgl_log_level_t>(-1), nullptr, true)))
          .refuses("use_stdout", CALL(rgl_configure_logging(RGL_LOG_LEVEL_INFO, nullptr, false)))
          .refuses("use_stdout", CALL(rgl_configure_logging(RGL_LOG_LEVEL_INFO, "", false))),
      Function("rgl_get_last_error_string",
               [](Objects& o) {
                 EXPECT_EQ(rgl_graph_run(nullptr), RGL_INVALID_ARGUMENT);
                 rgl_get_last_error_string(nullptr);
                 const char *first = nullptr, *second = nullptr;
                 rgl_get_last_error_string(&first);
                 rgl_get_last_error_string(&second);  // asking is no call
                 EXPECT_STREQ(first, second);
                 EXPECT_TRUE(contains(std::string(first), "node != nullptr"));
                 return rgl_graph_run(o.rays);
               }),
      Function("rgl_cleanup",
               [](Objects& o) {
                 const rgl_status_t status = rgl_cleanup();
                 o.flag = true;
                 EXPECT_EQ(rgl_mesh_is_alive(o.mesh, &o.flag), RGL_SUCCESS);
                 EXPECT_FALSE(o.flag);
                 EXPECT_EQ(rgl_entity_is_alive(o.entity, &o.flag), RGL_SUCCESS);
                 EXPECT_FALSE(o.flag);
                 EXPECT_EQ(rgl_texture_is_alive(o.texture, &o.flag), RGL_SUCCESS);
                 EXPECT_FALSE(o.flag);
                 EXPECT_EQ(rgl_node_is_alive(o.lone, &o.flag), RGL_SUCCESS);
                 EXPECT_FALSE(o.flag);
                 return status;
               }),
  };
}

std::vector<Function> tapes() {
  return {
      Function("rgl_tape_record_begin",
               [](Objects& o) {
                 const rgl_status_t status = rgl_tape_record_begin((o.tape + "-2").c_str());
                 EXPECT_EQ(rgl_tape_record_begin((o.tape + "-3").c_str()), RGL_TAPE_ERROR);
                 EXPECT_EQ(rgl_tape_play(o.tape.c_str()), RGL_TAPE_ERROR);
                 EXPECT_EQ(rgl_tape_record_is_active(&o.flag), RGL_SUCCESS);
                 EXPECT_TRUE(o.flag);
                 EXPECT_EQ(rgl_tape_record_end(), RGL_SUCCESS);
                 return status;
               })
          .refuses("path != nullptr", CALL(rgl_tape_record_begin(nullptr)))
          .refuses("path[0]", CALL(rgl_tape_record_begin("")))
          .refuses(RGL_INVALID_FILE_PATH, "/nowhere/at/all", CALL(rgl_tape_record_begin("/nowhere/at/all"))),
      Function("rgl_tape_record_end",
               [](Objects& o) {
                 EXPECT_EQ(rgl_tape_record_begin((o.tape + "-2").c_str()), RGL_SUCCESS);
                 return rgl_tape_record_end();
               })
          .refuses(RGL_TAPE_ERROR, "no recording", CALL(rgl_tape_record_end())),
      Function("rgl_tape_record_is_active",
               [](Objects& o) {
                 o.flag = true;
                 const rgl_status_t status = rgl_tape_record_is_active(&o.flag);
                 EXPECT_FALSE(o.flag);
                 return status;
               })
          .refuses("is_active != nullptr", CALL(rgl_tape_record_is_active(nullptr))),
      Function("rgl_tape_play", CALL(rgl_tape_play(o.tape.c_str())))
          .refuses("path != nullptr", CALL(rgl_tape_play(nullptr)))
          .refuses("path[0]", CALL(rgl_tape_play("")))
          .refuses(RGL_INVALID_FILE_PATH, ".bin", CALL(rgl_tape_play("/nowhere/at/all"))),
  };
}

std::vector<Function> of_fathom() {
  return {
      Function("fathom_rgl_set_seed", CALL(fathom_rgl_set_seed(5))),
      Function("fathom_rgl_set_threads",
               [](Objects&) {
                 EXPECT_EQ(rgl_cleanup(), RGL_SUCCESS);
                 EXPECT_EQ(fathom_rgl_set_threads(2), RGL_SUCCESS);
                 return fathom_rgl_set_threads(0);
               })
          .refuses("threads >= 0", CALL(fathom_rgl_set_threads(-1)))
          .refuses("threads <= 1024", CALL(fathom_rgl_set_threads(1025)))
          .refuses("no nodes", CALL(fathom_rgl_set_threads(1))),
      Function("fathom_rgl_set_keep_misses",
               [](Objects&) {
                 EXPECT_EQ(fathom_rgl_set_keep_misses(true), RGL_SUCCESS);
                 return fathom_rgl_set_keep_misses(false);
               }),
      Function("fathom_rgl_set_intensity_falloff",
               [](Objects&) {
                 EXPECT_EQ(fathom_rgl_set_intensity_falloff(1), RGL_SUCCESS);
                 return fathom_rgl_set_intensity_falloff(-1);
               })
          .refuses("falloff >= -1", CALL(fathom_rgl_set_intensity_falloff(-2)))
          .refuses("falloff <= 1", CALL(fathom_rgl_set_intensity_falloff(2))),
      Function("fathom_rgl_set_tapes_in_real_time",
               [](Objects&) {
                 EXPECT_EQ(fathom_rgl_set_tapes_in_real_time(true), RGL_SUCCESS);
                 return fathom_rgl_set_tapes_in_real_time(false);
               }),
      Function("fathom_rgl_set_version", CALL(fathom_rgl_set_version(0, 19, 0)))
          .refuses("major >= 0", CALL(fathom_rgl_set_version(-1, 0, 0)))
          .refuses("minor >= 0", CALL(fathom_rgl_set_version(0, -1, 0)))
          .refuses("patch >= 0", CALL(fathom_rgl_set_version(0, 0, -1))),
  };
}

}  // namespace

std::vector<Function> general_functions() { return joined({general, tapes, of_fathom}); }

}  // namespace fathom::test
