// SPDX-License-Identifier: MIT
// Messages of fathom as Fast DDS in another program reads them, and the sockets of this process.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <ifaddrs.h>

#include <fathom/files/log_files.hpp>
#include <fathom/ros/publish.hpp>

#include "io/bag/read_bag.hpp"
#include "io/message/cdr.hpp"
#include "io/message/geometry.hpp"
#include "io/message/sensors.hpp"
#include "ros/participant.hpp"
#include "ros/tests/judge.hpp"
#include "support/expect.hpp"

namespace topic_test {

/// A socket of the Internet with the address that it is bound to: "0100007F" is 127.0.0.1, as /proc/net writes it.
struct BoundSocket {
  std::string protocol, address;
  std::uint16_t port = 0;
  std::uint64_t dropped = 0;  ///< packets that the kernel kept from it
};

inline std::vector<BoundSocket> bound_sockets() {
  std::set<std::string> own;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const std::string to = std::filesystem::read_symlink(entry.path(), gone).string();
    if (to.starts_with("socket:[")) own.insert(to.substr(8, to.size() - 9));
  }
  std::vector<BoundSocket> sockets;
  for (const std::string protocol : {"udp", "udp6", "tcp", "tcp6", "raw", "raw6"}) {
    std::ifstream in("/proc/self/net/" + protocol);
    std::string line;
    std::getline(in, line);  // the names of columns
    while (std::getline(in, line)) {
      std::istringstream words(line);
      std::string word, local, inode;
      for (int i = 0; words >> word; ++i) {  // the last one counts drops
        if (i == 1) local = word;
        if (i == 9) inode = word;
      }
      const std::size_t colon = local.find(':');
      if (!own.contains(inode) || colon == std::string::npos) continue;
      const auto port = static_cast<std::uint16_t>(std::stoul(local.substr(colon + 1), nullptr, 16));
      sockets.push_back({protocol, local.substr(0, colon), port, std::stoull(word)});
    }
  }
  return sockets;
}

/// An address of this computer that others can reach; empty if none exists.
inline std::string outer_address() {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return {};
  std::string found;
  for (const ifaddrs* at = list; at != nullptr && found.empty(); at = at->ifa_next) {
    if (at->ifa_addr == nullptr || at->ifa_addr->sa_family != AF_INET) continue;
    char text[INET_ADDRSTRLEN] = {};
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(at->ifa_addr)->sin_addr, text, sizeof text);
    if (!std::string(text).starts_with("127.")) found = text;
  }
  freeifaddrs(list);
  return found;
}

/// Sends a packet from the address to the same address; whether the kernel took it.
inline bool send_packet(const std::string& address, std::uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_DGRAM, 0);
  sockaddr_in at = {};
  at.sin_family = AF_INET;
  inet_pton(AF_INET, address.c_str(), &at.sin_addr);
  const bool bound = bind(socket, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0;
  at.sin_port = htons(port);
  const bool sent = bound && sendto(socket, "hello", 5, 0, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 5;
  close(socket);
  return sent;
}

/// The groups of multicast that sockets of this computer have joined, each with its interface.
inline std::multiset<std::string> joined_groups() {
  std::multiset<std::string> groups;
  std::ifstream in("/proc/self/net/igmp");
  std::string interface;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with('\t'))
      groups.insert(interface + " " + line.substr(0, line.find(' ')));
    else
      interface = line.substr(0, line.find(':'));
  }
  return groups;
}

}  // namespace topic_test

namespace fathom::test {

TEST(TopicNames, AreThoseOfRos2InDds) {
  EXPECT_EQ(dds_topic_name("/scan"), "rt/scan");
  EXPECT_EQ(dds_topic_name("robot/scan"), "rt/robot/scan");
  EXPECT_EQ(dds_type_name("sensor_msgs/msg/LaserScan"), "sensor_msgs::msg::dds_::LaserScan_");
}

TEST(TopicNames, OfEveryTypeCarryItsHash) {
  for (const MessageType* type : message_types()) {
    EXPECT_EQ(user_data_of(*type), "typehash=" + std::string(type->hash) + ";");
    EXPECT_EQ(type->hash.size(), 71U);
  }
}

using topic_test::any_domain;
using topic_test::Judge;
using topic_test::text_of;
using topic_test::wait_until;

class Topics : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_topics()) GTEST_SKIP() << "this build has no DDS";
#ifndef FATHOM_TOPIC_JUDGE
    GTEST_SKIP() << "this build has no Fast DDS to judge topics (libfastrtps-dev, libfastcdr-dev)";
#endif
  }
  const TopicDomain domain_ = {any_domain(), {}};
  const std::string number_ = std::to_string(domain_.domain);

  static std::string listened(std::string_view topic, const MessageType& type) {
    return dds_topic_name(topic) + "=" + dds_type_name(type.name);
  }
};

TEST_F(Topics, OfAllTypesAreReadByFastDds) {
  std::vector<std::string> arguments = {"listen", number_, "reliable", "volatile", "0"};
  std::map<std::string, std::pair<const MessageType*, std::string>> bytes;
  std::vector<std::string> told;
  unsigned seed = 0;
  const auto add = [&]<class Message>(const std::string& topic, Message) {
    topic_test::Filler filler(++seed);
    Message message;
    Message::fields(message, filler);
    bytes[topic] = {&Message::kType, write_message(message)};
    arguments.push_back(listened(topic, Message::kType));
    told.push_back(dds_topic_name(topic) + text_of(message));
  };
  add("/a", msg::PointCloud2()), add("/b", msg::LaserScan()), add("/c", msg::Image()), add("/d", msg::CameraInfo());
  add("/e", msg::TFMessage()), add("/f", msg::Odometry()), add("/g", msg::OccupancyGrid());
  add("/h", msg::PoseWithCovarianceStamped()), add("/i", msg::Clock());
  ASSERT_EQ(bytes.size(), message_types().size());
  const Judge judge(arguments);
  const auto participant = open_participant(domain_);
  for (const auto& entry : bytes) {
    const std::string& topic = entry.first;
    const auto& message = entry.second;
    const std::uint16_t writer = participant->add_writer(topic, *message.first, {});
    ASSERT_TRUE(wait_until([&] { return participant->readers(writer) == 1; })) << topic;
    // Fast DDS may hear of the match later, and then misses what was sent before.
    ASSERT_TRUE(wait_until([&] {
      participant->write(writer, message.second);
      return !judge.line_of(dds_topic_name(topic) + " ").empty();
    })) << topic;
    EXPECT_EQ(judge.line_of("found " + dds_topic_name(topic) + " "), "found " + dds_topic_name(topic) + " " +
                                                                         dds_type_name(message.first->name) + " " +
                                                                         user_data_of(*message.first));
  }
  for (const std::string& line : told) {
    EXPECT_EQ(judge.line_of(line.substr(0, line.find(' ') + 1)), line);
  }
}

TEST_F(Topics, ThatAreLatchedReachWhoComesLate) {
  const auto participant = open_participant(domain_);
  msg::TFMessage message;
  message.transforms.resize(1);
  message.transforms[0].child_frame_id = "last";
  const std::uint16_t latched = participant->add_writer("/tf_static", msg::TFMessage::kType, kStaticTfQuality);
  const std::uint16_t fleeting = participant->add_writer("/tf", msg::TFMessage::kType, {});
  participant->write(latched, write_message(msg::TFMessage{}));
  participant->write(latched, write_message(message));
  participant->write(fleeting, write_message(message));
  const Judge late({"listen", number_, "reliable", "latched", "0", listened("/tf_static", msg::TFMessage::kType)});
  const Judge other({"listen", number_, "reliable", "volatile", "0", listened("/tf", msg::TFMessage::kType)});
  ASSERT_TRUE(wait_until([&] { return late.count("rt/tf_static ") > 0; }));
  EXPECT_EQ(late.line_of("rt/tf_static "), "rt/tf_static" + text_of(message));
  EXPECT_EQ(late.count("rt/tf_static "), 1U);
  ASSERT_TRUE(wait_until([&] { return participant->readers(fleeting) == 1; }));
  EXPECT_EQ(other.count("rt/tf "), 0U);
}

/// The dead subscriber acknowledges no data until its lease ends, after at least ten seconds. A writer that waited for
/// it would not serve the other one until then.
TEST_F(Topics, GoOnWhenASubscriberIsKilled) {
  const auto participant = open_participant(domain_);
  const std::uint16_t writer = participant->add_writer("/scan", msg::LaserScan::kType, {});
  const std::vector<std::string> listening = {"listen",   number_, "reliable",
                                              "volatile", "0",     listened("/scan", msg::LaserScan::kType)};
  msg::LaserScan scan;
  scan.ranges.resize(200'000);
  Judge killed(listening);
  const Judge alive(listening);
  ASSERT_TRUE(wait_until([&] {
    participant->write(writer, write_message(scan));
    return killed.count("rt/scan ") > 0 && alive.count("rt/scan ") > 0;
  }));
  killed.kill();
  constexpr std::size_t kMessages = 30;  // three times the depth
  for (std::size_t i = 1; i <= kMessages; ++i) {
    scan.header.stamp.sec = static_cast<std::int32_t>(i);
    participant->write(writer, write_message(scan));
    const std::string wanted = "rt/scan" + text_of(scan);
    ASSERT_TRUE(wait_until([&] { return alive.lines().back() == wanted; })) << "message " << i;
  }
  EXPECT_EQ(participant->readers(writer), 2U) << "the lease of the dead one ended, so the test shows nothing";
}

/// bench/README.md has the same for a minute.
TEST_F(Topics, OfALargeLidarLoseNothing) {
  std::ifstream limit("/proc/sys/net/core/rmem_max");
  long bytes = 0;
  if (limit >> bytes && bytes < 4 << 20) GTEST_SKIP() << "net.core.rmem_max is below the 4 MB that topic_judge needs";
  const test::TemporaryFolder folder;
  std::ofstream(folder / "lidar.yaml") << "rate_hz: 10\n"
                                          "sensors:\n"
                                          "  - {name: lidar, preset: OS1-128, columns: 2048, noise: [], outputs: []}\n"
                                          "scene:\n"
                                          "  meshes: {room: {box: {size_m: [8, 6, 3]}}}\n"
                                          "  entities: [{name: room, mesh: room}]\n";
  const Judge judge(
      {"listen", number_, "reliable", "volatile", "0", listened("/lidar/points", msg::PointCloud2::kType)});
  PublishOptions options;
  options.domain = domain_;
  options.wait = true;
  options.run.frames = 30;
  const PublishResult result = publish_scene(read_scene_file(folder / "lidar.yaml"), options);
  EXPECT_EQ(result.frames, 30U);
  const auto tenths = [&] {
    std::vector<int> stamps;
    for (const std::string& line : judge.lines()) {
      int second = 0;
      double nanosecond = 0;
      if (std::sscanf(line.c_str(), "rt/lidar/points %d %lf", &second, &nanosecond) != 2) continue;
      stamps.push_back(10 * second + static_cast<int>(std::lround(nanosecond / 1e8)));
    }
    return stamps;
  };
  ASSERT_TRUE(wait_until([&] { return !tenths().empty() && tenths().back() == 29; }));
  const std::vector<int> stamps = tenths();
  EXPECT_GT(stamps.size(), 20U) << "Fast DDS may hear of the match later, and then misses what was sent before";
  for (std::size_t i = 1; i < stamps.size(); ++i) EXPECT_EQ(stamps[i], stamps[i - 1] + 1);
}

/// The eight steps of examples/03_pipeline publish both clouds, equal to the files of a run.
TEST_F(Topics, OfTheExampleHaveBothClouds) {
  const SceneSetup setup = read_scene_file(FATHOM_SOURCE_DIR "/examples/03_pipeline/pipeline.yaml");
  const Judge judge({"listen", number_, "reliable", "volatile", "0", listened("/lidar/points", msg::PointCloud2::kType),
                     listened("/lidar/points_world", msg::PointCloud2::kType)});
  PublishOptions options;
  options.domain = domain_;
  options.wait = true;
  std::atomic<bool> enough = false;
  options.run.should_stop = [&] { return enough.load(); };
  options.speed = 10;
  PublishResult result;
  std::thread publisher([&] { result = publish_scene(setup, options); });
  enough = wait_until([&] { return judge.count("rt/lidar/points ") > 2 && judge.count("rt/lidar/points_world ") > 2; });
  const bool heard = enough;
  enough = true;
  publisher.join();
  ASSERT_TRUE(heard);
  EXPECT_GT(result.messages, result.frames);
  RunOptions run;
  const test::TemporaryFolder folder;
  run.out = folder / "out";
  run.bag = folder / "a.mcap";
  run.frames = result.frames;
  run_scene(setup, run);
  std::map<std::string, std::vector<std::string>> wanted;
  read_bag(run.bag, [&](const BagMessage& message) {
    if (message.topic.type != msg::PointCloud2::kType.name) return;
    msg::PointCloud2 cloud;
    read_message(message.bytes, cloud);
    wanted[message.topic.name].push_back(dds_topic_name(message.topic.name) + text_of(cloud));
  });
  ASSERT_EQ(wanted.size(), 2U);
  for (const auto& [topic, all] : wanted) {
    std::size_t known = 0;
    for (const std::string& line : judge.lines()) {
      if (!line.starts_with(dds_topic_name(topic) + " ")) continue;
      EXPECT_NE(std::find(all.begin(), all.end(), line), all.end()) << line;
      ++known;
    }
    EXPECT_GT(known, 2U);
  }
}

TEST(TopicDomains, HearOfEachFrameThatArrives) {
  if (!has_topics()) GTEST_SKIP() << "this build has no DDS";
  const test::TemporaryFolder folder;
  const SceneSetup setup = read_scene_file(folder.write("a.yaml", R"(
scene: {meshes: {room: {box: {size_m: [8, 6, 3]}}}, entities: [{name: room, mesh: room}]}
sensors:
  - {name: laser, preset: RPLIDAR-A2, outputs: []}
  - name: lidar
    preset: VLP-16
    columns: 30
    timing: {rate_hz: 25, latency_s: 0.03, jitter_s: 0.004, drop_frame: 0.3, freeze: 0.3}
    outputs: []
)"));
  RunOptions run;
  run.out = folder / "out";
  run.bag = folder / "a.mcap";
  run.frames = 4;
  run_scene(setup, run);
  std::uint64_t messages = 0, clouds = 0;
  read_bag(run.bag, [&](const BagMessage& message) {
    ++messages;
    if (message.topic.name == "/lidar/points") ++clouds;
  });
  EXPECT_GT(clouds, 3U);
  EXPECT_LT(clouds, 10U);
  PublishOptions options;
  options.domain = {any_domain(), {}};
  options.speed = std::numeric_limits<double>::infinity();
  options.run.frames = 4;
  const PublishResult result = publish_scene(setup, options);
  EXPECT_EQ(result.messages, messages);
  EXPECT_EQ(result.frames, 4U);
}

/// DDS binds its sockets to every address; what keeps others out is the kernel's filter, which counts what it drops.
TEST(TopicDomains, HearThisComputerAlone) {
  if (!has_topics()) GTEST_SKIP() << "this build has no DDS";
  const auto groups = topic_test::joined_groups();
  const std::string outer = topic_test::outer_address();
  const auto participant = open_participant({any_domain(), {}});
  participant->add_writer("/scan", msg::LaserScan::kType, {});
  EXPECT_EQ(topic_test::joined_groups(), groups) << "multicast was joined";
  const auto sockets = topic_test::bound_sockets();
  EXPECT_GE(sockets.size(), 2U) << "for discovery and for data";
  for (std::size_t i = 0; i < sockets.size(); ++i) {
    EXPECT_EQ(sockets[i].protocol, "udp");
    const auto dropped_of = [&](const std::string& address) {
      EXPECT_TRUE(topic_test::send_packet(address, sockets[i].port)) << address;
      return topic_test::bound_sockets().at(i).dropped - sockets[i].dropped;
    };
    EXPECT_EQ(dropped_of("127.0.0.1"), 0U);
    const bool takes_others = sockets[i].address != "0100007F";  // of 127.0.0.1
    if (takes_others && !outer.empty()) {
      EXPECT_EQ(dropped_of(outer), 1U) << outer << ":" << sockets[i].port;
    }
  }
  if (outer.empty()) GTEST_SKIP() << "this computer has no other address to send from";
}

TEST(TopicDomains, AreRefusedInOneLine) {
  const auto refused = [](const TopicDomain& domain, std::string_view why) {
    try {
      const auto participant = open_participant(domain);
      ADD_FAILURE() << why;
    } catch (const InputError& error) {
      if (has_topics()) {
        EXPECT_EQ(std::string(error.what()), why);
      } else {
        EXPECT_TRUE(std::string(error.what()).starts_with("topics: this build of fathom has no DDS"));
      }
    }
  };
  refused({kMaxDomain + 1, {}}, "domain 232 is not in [0, 231]");
  refused({any_domain(), "\"/><x"}, "the interface is no name or address, as eth0 or 192.168.1.7");
  refused({any_domain(), "nonet9"}, "interface nonet9: no interface with IPv4 has this name or address");
  refused({any_domain(), "203.0.113.9"}, "interface 203.0.113.9: no interface with IPv4 has this name or address");
  if (!has_topics()) return;
  const auto first = open_participant({any_domain(), {}});
  refused({any_domain(), {}},
          "domain " + std::to_string(any_domain()) + ": this process has a participant of it already");
}

}  // namespace fathom::test
