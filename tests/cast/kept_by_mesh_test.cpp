// SPDX-License-Identifier: MIT
// What is kept of the meshes of a list: made once, made anew for another version, and forgotten when it is not used.

#include <memory>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "cast/kept_by_mesh.hpp"

namespace fathom::test {
namespace {

/// Keeps how often something was made of a mesh.
struct KeptCounts {
  KeptByMesh<int> kept;
  int builds = 0;

  void update(const std::vector<std::shared_ptr<CastMesh>>& meshes) {
    std::vector<CastInstance> instances;
    instances.reserve(meshes.size());
    for (const auto& mesh : meshes) instances.push_back({mesh});
    kept.update(
        instances, [&](const Mesh&) { return ++builds, 1; }, [](const Mesh&, int& count) { ++count; });
  }
};

TEST(KeptByMesh, MakesOnceAndAnewForAnotherVersion) {
  const auto a = std::make_shared<CastMesh>(), b = std::make_shared<CastMesh>();
  KeptCounts counts;
  counts.update({a, b, a});
  EXPECT_EQ(counts.builds, 2);
  EXPECT_TRUE(counts.kept.at(*a).changed && counts.kept.at(*b).changed);
  counts.kept.finish();
  a->version = 7;
  counts.update({a, b, a});
  EXPECT_EQ(counts.builds, 2);
  EXPECT_EQ(counts.kept.at(*a).of, 2);
  EXPECT_EQ(counts.kept.at(*b).of, 1);
  EXPECT_TRUE(counts.kept.at(*a).changed);
  EXPECT_FALSE(counts.kept.at(*b).changed);
}

TEST(KeptByMesh, ForgetsWhatIsNotUsedWhenTheListIsFinished) {
  const auto a = std::make_shared<CastMesh>(), b = std::make_shared<CastMesh>();
  KeptCounts counts;
  counts.update({a, b});
  counts.kept.finish();
  counts.update({b});
  EXPECT_EQ(counts.kept.at(*a).of, 1);
  counts.kept.finish();
  EXPECT_THROW((void)counts.kept.at(*a), std::out_of_range);
  counts.update({a, b});
  EXPECT_EQ(counts.builds, 3);
}

TEST(KeptByMesh, KeepsNothingOfAMeshThatCouldNotBeBuilt) {
  const auto a = std::make_shared<CastMesh>();
  KeptCounts counts;
  const auto refuse = [](const Mesh&) -> int { throw std::runtime_error("no memory"); };
  EXPECT_THROW(counts.kept.update({{a}}, refuse, [](const Mesh&, int&) {}), std::runtime_error);
  counts.update({a});
  EXPECT_EQ(counts.builds, 1);
}

}  // namespace
}  // namespace fathom::test
