// SPDX-License-Identifier: MIT
// The library exports exactly the names that docs/rgl.md promises.

#include <dlfcn.h>

#include "rgl/tests/scene.hpp"

extern "C" int version_seen_from_c(void);

namespace fathom::test {
namespace {

/// One file that can be copied to another computer: besides the compiler's libraries it needs none.
TEST(RglExports, TheLibraryNeedsNoOtherThanTheCompilers) {
#if FATHOM_SANITIZED
  GTEST_SKIP() << "sanitizers bring libraries along";
#endif
  const std::set<std::string> allowed = {
      "libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"};
  const std::set<std::string> needed =
      words_of("readelf -dW '" RGL_LIBRARY "'", " %*x (NEEDED) Shared library: [%511[^]]");
  EXPECT_TRUE(needed.contains("libc.so.6"));
  for (const std::string& library : needed) EXPECT_TRUE(allowed.contains(library)) << library;
}

TEST(RglExports, AreThePromisedNamesAndNoOthers) {
  std::set<std::string> wanted;
  std::ifstream lines(FATHOM_SOURCE_DIR "/adapters/rgl/tests/exports.txt");
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line[0] != '#') wanted.insert(line);
  }
  EXPECT_EQ(exported_names(), wanted);
}

/// As O3DE loads its gem for ROS 2: every name is looked up at once.
TEST_F(Rgl, LoadsAClientThatNamesAllExtensionsAtOnce) {
  void* client = dlopen(RGL_CLIENT, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(client, nullptr) << dlerror();
  const auto call_extensions = reinterpret_cast<int (*)()>(dlsym(client, "call_extensions"));
  ASSERT_NE(call_extensions, nullptr) << dlerror();
  EXPECT_EQ(call_extensions(), 14);
  EXPECT_TRUE(contains(last_error(), "Not implemented: rgl_node_points_remove_ground"));
  dlclose(client);
  const rgl_node_t rays = make_rays({kIdentity});  // nothing is broken
  RGL_OK(rgl_graph_run(rays));
}

TEST_F(Rgl, ReportsItsVersionToC) {
  EXPECT_EQ(version_seen_from_c(), 1900);
  RGL_OK(fathom_rgl_set_version(0, 21, 0));
  EXPECT_EQ(version_seen_from_c(), 2100);
  RGL_STATUS(fathom_rgl_set_version(0, -1, 0), RGL_INVALID_ARGUMENT, "minor >= 0");
  RGL_OK(fathom_rgl_set_version(0, 19, 0));
}

}  // namespace
}  // namespace fathom::test
