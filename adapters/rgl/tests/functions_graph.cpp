// SPDX-License-Identifier: MIT
// Graphs: rows of section 6.6, and the PCD writer.

#include "rgl/tests/functions.hpp"

namespace fathom::test {
namespace {

constexpr rgl_field_t kXyz = RGL_FIELD_XYZ_VEC3_F32;
constexpr auto kNoField = static_cast<rgl_field_t>(99);

std::vector<Function> running() {
  return {
      Function("rgl_node_is_alive", says_what_lives(rgl_node_is_alive, &Objects::rays, &Objects::dead_node))
          .refuses("out_alive != nullptr", CALL(rgl_node_is_alive(o.rays, nullptr))),
      Function("rgl_graph_run", CALL(rgl_graph_run(o.format)))
          .node("node", TAKING(rgl_node_t n, rgl_graph_run(n)))
          .refuses(RGL_INVALID_PIPELINE, "looked for", CALL(rgl_graph_run(o.lone))),
      Function("rgl_graph_destroy",
               [](Objects& o) {
                 const rgl_status_t status = rgl_graph_destroy(o.trace);
                 for (const rgl_node_t gone : {o.rays, o.trace, o.yield, o.format}) {
                   EXPECT_EQ(rgl_node_is_alive(gone, &o.flag), RGL_SUCCESS);
                   EXPECT_FALSE(o.flag);
                 }
                 EXPECT_EQ(rgl_node_is_alive(o.lone, &o.flag), RGL_SUCCESS);
                 EXPECT_TRUE(o.flag);
                 return status;
               })
          .node("node", TAKING(rgl_node_t n, rgl_graph_destroy(n))),
  };
}

std::vector<Function> results() {
  return {
      Function("rgl_graph_get_result_size",
               [](Objects& o) {
                 EXPECT_EQ(rgl_graph_get_result_size(o.trace, kXyz, nullptr, nullptr), RGL_SUCCESS);
                 EXPECT_EQ(rgl_graph_get_result_size(o.trace, kXyz, &o.number, nullptr), RGL_SUCCESS);
                 EXPECT_EQ(rgl_graph_get_result_size(o.trace, kXyz, nullptr, &o.other), RGL_SUCCESS);
                 EXPECT_EQ(o.number, 1);
                 EXPECT_EQ(o.other, 12);
                 // Whether the node has the field is not looked at.
                 return rgl_graph_get_result_size(o.trace, RGL_FIELD_RCS_F32, &o.number, &o.other);
               })
          .node("node", TAKING(rgl_node_t n, rgl_graph_get_result_size(n, kXyz, &o.number, &o.other)))
          .refuses(RGL_INVALID_API_OBJECT, "IPointsNode 0x",
                   CALL(rgl_graph_get_result_size(o.rays, kXyz, &o.number, &o.other)))
          .refuses(RGL_INVALID_PIPELINE, "it hasn't been run yet",
                   CALL(rgl_graph_get_result_size(o.lone, kXyz, &o.number, &o.other)))
          .refuses(RGL_INVALID_PIPELINE, "it hasn't been run yet",
                   CALL(rgl_graph_get_result_size(o.lone, kNoField, &o.number, &o.other)))
          .refuses("99", CALL(rgl_graph_get_result_size(o.trace, kNoField, &o.number, &o.other)))
          .refuses("RGL_FIELD_DYNAMIC_FORMAT",
                   CALL(rgl_graph_get_result_size(o.trace, RGL_FIELD_DYNAMIC_FORMAT, &o.number, &o.other))),
      Function("rgl_graph_get_result_data",
               [](Objects& o) {
                 const rgl_status_t status =
                     rgl_graph_get_result_data(o.format, RGL_FIELD_DYNAMIC_FORMAT, o.room.data());
                 EXPECT_EQ(reinterpret_cast<const float*>(o.room.data())[2], 4.0F);
                 return status;
               })
          .node("node", TAKING(rgl_node_t n, rgl_graph_get_result_data(n, kXyz, o.room.data())))
          .refuses(RGL_INVALID_API_OBJECT, "IPointsNode 0x",
                   CALL(rgl_graph_get_result_data(o.rays, kXyz, o.room.data())))
          .refuses("dst != nullptr", CALL(rgl_graph_get_result_data(o.trace, kXyz, nullptr)))
          .refuses(RGL_INVALID_PIPELINE, "it hasn't been run yet",
                   CALL(rgl_graph_get_result_data(o.lone, kXyz, o.room.data())))
          .refuses(RGL_INVALID_PIPELINE, "RCS_F32",
                   CALL(rgl_graph_get_result_data(o.trace, RGL_FIELD_RCS_F32, o.room.data())))
          .refuses(RGL_INVALID_PIPELINE, "PADDING_8",
                   CALL(rgl_graph_get_result_data(o.format, RGL_FIELD_PADDING_8, o.room.data())))
          .refuses(RGL_INVALID_PIPELINE, "field", CALL(rgl_graph_get_result_data(o.trace, kNoField, o.room.data())))
          // Below a format node, only its own fields are to be seen.
          .refuses(RGL_INVALID_PIPELINE, "DISTANCE_F32",
                   CALL(rgl_graph_get_result_data(o.format, RGL_FIELD_DISTANCE_F32, o.room.data()))),
      Function("rgl_graph_write_pcd_file", CALL(rgl_graph_write_pcd_file(o.format, (o.tape + ".pcd").c_str())))
          .node("node", TAKING(rgl_node_t n, rgl_graph_write_pcd_file(n, (o.tape + ".pcd").c_str())))
          .refuses("file_path != nullptr", CALL(rgl_graph_write_pcd_file(o.format, nullptr)))
          .refuses("file_path[0]", CALL(rgl_graph_write_pcd_file(o.format, "")))
          .refuses(RGL_INVALID_PIPELINE, "it hasn't been run yet", CALL(rgl_graph_write_pcd_file(o.lone, "x.pcd")))
          .refuses(RGL_INVALID_FILE_PATH, "/nowhere", CALL(rgl_graph_write_pcd_file(o.format, "/nowhere/x.pcd"))),
  };
}

std::vector<Function> links() {
  return {
      Function("rgl_graph_node_add_child", CALL(rgl_graph_node_add_child(o.yield, o.lone)))
          .node("parent", TAKING(rgl_node_t n, rgl_graph_node_add_child(n, o.lone)))
          .node("child", TAKING(rgl_node_t n, rgl_graph_node_add_child(o.yield, n)))
          .refuses("parent != child", CALL(rgl_graph_node_add_child(o.yield, o.yield)))
          .refuses(RGL_INVALID_PIPELINE, "already a child", CALL(rgl_graph_node_add_child(o.trace, o.yield))),
      Function("rgl_graph_node_remove_child", CALL(rgl_graph_node_remove_child(o.trace, o.yield)))
          .node("parent", TAKING(rgl_node_t n, rgl_graph_node_remove_child(n, o.yield)))
          .node("child", TAKING(rgl_node_t n, rgl_graph_node_remove_child(o.trace, n)))
          .refuses(RGL_INVALID_PIPELINE, "not a child", CALL(rgl_graph_node_remove_child(o.yield, o.trace))),
      Function("rgl_graph_node_set_priority", CALL(rgl_graph_node_set_priority(o.trace, 1)))
          .node("node", TAKING(rgl_node_t n, rgl_graph_node_set_priority(n, 1)))
          .refuses(RGL_INVALID_PIPELINE, "cannot set priority", CALL(rgl_graph_node_set_priority(o.trace, -1))),
      Function("rgl_graph_node_get_priority",
               [](Objects& o) {
                 const rgl_status_t status = rgl_graph_node_get_priority(o.trace, &o.number);
                 EXPECT_EQ(o.number, 0);
                 return status;
               })
          .node("node", TAKING(rgl_node_t n, rgl_graph_node_get_priority(n, &o.number)))
          .refuses("out_priority != nullptr", CALL(rgl_graph_node_get_priority(o.trace, nullptr))),
  };
}

}  // namespace

std::vector<Function> graph_functions() { return joined({running, results, links}); }

}  // namespace fathom::test
