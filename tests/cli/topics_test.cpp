// SPDX-License-Identifier: MIT
// `fathom publish` says what it did, and refuses what cannot be. adapters/ros/tests lets another implementation of DDS
// judge what is sent.

#include <fathom/ros/publish.hpp>

#include "process.hpp"

namespace cli_test {
namespace {

/// A domain that tests of other processes hardly take at the same time.
std::string own_domain() { return std::to_string(20 + getpid() % 200); }

class TopicCommands : public testing::Test {
 protected:
  void SetUp() override { write_text(folder_ / "room.yaml", room_scene()); }
  [[nodiscard]] std::string scene() const { return folder_ / "room.yaml"; }
  [[nodiscard]] std::string bag() const { return folder_ / "a.mcap"; }
  void expect_refused(const Words& arguments, const Words& expected) {
    cli_test::expect_refused(expected.front(), arguments, expected, bag());
  }

  TemporaryFolder folder_;
};

TEST_F(TopicCommands, RefuseWhatCannotBe) {
  expect_refused({"publish", scene(), "--rate", "fast"}, {"--rate = fast is not a number"});
  expect_refused({"publish", scene(), "--rate", "0"}, {"--rate = 0 is not in [0.001, 1000] x"});
  expect_refused({"publish", scene(), "--domain", "232"}, {"--domain = 232 is not a whole number in [0, 231]"});
  expect_refused({"publish", scene(), "--frames", "0"}, {"--frames = 0 is not a whole number in [1, 1000000]"});
  expect_refused({"publish", folder_ / "none.yaml"}, {"none.yaml"});
}

TEST_F(TopicCommands, OfABuildWithoutDdsSaySo) {
  if (fathom::has_topics()) GTEST_SKIP() << "this build has DDS";
  expect_refused({"publish", scene(), "--frames", "1"},
                 {"topics: this build of fathom has no DDS: install cyclonedds-dev and build it again"});
  expect_refused({"apply", "RPLIDAR-A2", "--topic", "/scan", "--publish", "/noisy"},
                 {"topics: this build of fathom has no DDS: install cyclonedds-dev and build it again"});
}

TEST_F(TopicCommands, NameAnInterfaceThatIsNotThere) {
  if (!fathom::has_topics()) GTEST_SKIP() << "this build has no DDS";
  expect_refused({"publish", scene(), "--interface", "nonet9"},
                 {"interface nonet9: no interface with IPv4 has this name or address"});
  expect_refused({"publish", scene(), "--interface", "<a/>"}, {"the interface is no name or address, as eth0"});
}

TEST_F(TopicCommands, SayWhatTheyDid) {
  if (!fathom::has_topics()) GTEST_SKIP() << "this build has no DDS";
  const Ended published = succeed({"publish", scene(), "--frames", "3", "--rate", "max", "--domain", own_domain()});
  EXPECT_EQ(published.out.rfind("3 frames, 7 messages, ", 0), 0U) << published.out;
  const Ended quiet =
      succeed({"publish", scene(), "--frames", "1", "--rate", "2x", "--domain", own_domain(), "--quiet"});
  EXPECT_EQ(quiet.out + quiet.err, "");
}

}  // namespace
}  // namespace cli_test
