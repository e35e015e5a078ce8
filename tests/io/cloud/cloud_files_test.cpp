// SPDX-License-Identifier: MIT
// Readers of the cloud formats, written from the formats' descriptions and not from the writers.

#include <fathom/files/clouds.hpp>

#include "io/picture/frames.hpp"

namespace fathom::test {

/// What every reader gives: columns of numbers in the order of the file.
struct ReadCloud {
  std::vector<std::string> names;
  std::vector<char> types;  ///< f, or u, with the size: "f4" is 'f', sizes[i] = 4
  std::vector<std::size_t> sizes;
  std::vector<std::vector<double>> columns;
  std::size_t width = 0, height = 0;

  [[nodiscard]] const std::vector<double>& column(const std::string& name) const {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == name) return columns[i];
    }
    throw std::runtime_error("no column " + name);
  }
};

inline double number(const std::string& bytes, std::size_t at, char type, std::size_t size) {
  std::uint64_t whole = 0;
  for (std::size_t i = 0; i < size; ++i) whole |= std::uint64_t{static_cast<std::uint8_t>(bytes.at(at + i))} << (8 * i);
  if (type == 'u') return static_cast<double>(whole);
  const auto bits = static_cast<std::uint32_t>(whole);
  float value = 0;
  std::memcpy(&value, &bits, 4);
  return value;
}

/// Fills the columns from packed points.
inline void read_points(const std::string& bytes, std::size_t at, std::size_t points, ReadCloud& cloud) {
  cloud.columns.assign(cloud.names.size(), std::vector<double>(points));
  for (std::size_t p = 0; p < points; ++p) {
    for (std::size_t f = 0; f < cloud.names.size(); ++f) {
      cloud.columns[f][p] = number(bytes, at, cloud.types[f], cloud.sizes[f]);
      at += cloud.sizes[f];
    }
  }
  if (at != bytes.size()) throw std::runtime_error("bytes left over");
}

inline ReadCloud read_pcd(const std::string& bytes) {
  ReadCloud cloud;
  std::map<std::string, std::vector<std::string>> header;
  std::size_t at = 0;
  while (header.count("DATA") == 0) {
    const std::size_t end = bytes.find('\n', at);
    if (end == std::string::npos) throw std::runtime_error("no DATA");
    std::istringstream line(bytes.substr(at, end - at));
    at = end + 1;
    std::string key, word;
    line >> key;
    if (key.front() == '#') continue;
    while (line >> word) header[key].push_back(word);
  }
  if (header["VERSION"].at(0) != "0.7" || header["DATA"].at(0) != "binary")
    throw std::runtime_error("not PCD 0.7 binary");
  if (header["VIEWPOINT"] != std::vector<std::string>{"0", "0", "0", "1", "0", "0", "0"})
    throw std::runtime_error("viewpoint");
  cloud.names = header["FIELDS"];
  for (std::size_t i = 0; i < cloud.names.size(); ++i) {
    cloud.sizes.push_back(std::stoul(header["SIZE"].at(i)));
    cloud.types.push_back(header["TYPE"].at(i) == "F" ? 'f' : 'u');
    if (header["COUNT"].at(i) != "1") throw std::runtime_error("count");
  }
  cloud.width = std::stoul(header["WIDTH"].at(0)), cloud.height = std::stoul(header["HEIGHT"].at(0));
  const std::size_t points = std::stoul(header["POINTS"].at(0));
  if (points != cloud.width * cloud.height) throw std::runtime_error("points");
  read_points(bytes, at, points, cloud);
  return cloud;
}

inline ReadCloud read_ply(const std::string& bytes) {
  ReadCloud cloud;
  std::istringstream in(bytes);
  std::string line;
  std::size_t points = 0;
  const std::map<std::string, std::pair<char, std::size_t>> types = {
      {"uchar", {'u', 1}}, {"ushort", {'u', 2}}, {"uint", {'u', 4}}, {"float", {'f', 4}}};
  std::getline(in, line);
  if (line != "ply") throw std::runtime_error("not PLY");
  std::getline(in, line);
  if (line != "format binary_little_endian 1.0") throw std::runtime_error("format");
  while (std::getline(in, line) && line != "end_header") {
    std::istringstream words(line);
    std::string key, a, b;
    words >> key >> a >> b;
    if (key == "obj_info" && a == "width") cloud.width = std::stoul(b);
    if (key == "obj_info" && a == "height") cloud.height = std::stoul(b);
    if (key == "element" && a == "vertex") points = std::stoul(b);
    if (key == "property") {
      cloud.names.push_back(b);
      cloud.types.push_back(types.at(a).first), cloud.sizes.push_back(types.at(a).second);
    }
  }
  read_points(bytes, static_cast<std::size_t>(in.tellg()), points, cloud);
  return cloud;
}

/// A decoded sensor_msgs/msg/PointCloud2.
struct ReadMessage {
  std::int32_t sec = 0;
  std::uint32_t nanosec = 0;
  std::string frame_id;
  ReadCloud cloud;
  std::vector<std::uint32_t> offsets;
  std::uint32_t point_step = 0, row_step = 0;
  bool is_bigendian = false, is_dense = false;
};

/// Walks CDR: every number starts at a multiple of its size, counted after the 4 bytes of encapsulation.
class CdrCursor {
 public:
  explicit CdrCursor(const std::string& bytes) : bytes_(bytes) {}
  std::uint32_t take(std::size_t size) {
    while ((at_ - 4) % size != 0) ++at_;
    const double value = number(bytes_, at_, 'u', size);
    at_ += size;
    return static_cast<std::uint32_t>(value);
  }
  std::string take_string() {
    const std::size_t size = take(4);
    const std::string text = bytes_.substr(at_, size - 1);
    if (bytes_.at(at_ + size - 1) != '\0') throw std::runtime_error("string without its zero");
    at_ += size;
    return text;
  }
  std::string take_bytes(std::size_t size) {
    at_ += size;
    if (at_ > bytes_.size()) throw std::runtime_error("cut short");
    return bytes_.substr(at_ - size, size);
  }
  [[nodiscard]] bool is_at_end() const { return at_ == bytes_.size(); }

 private:
  const std::string& bytes_;
  std::size_t at_ = 4;
};

inline ReadMessage read_pointcloud2(const std::string& bytes) {
  if (bytes.substr(0, 4) != std::string("\0\1\0\0", 4)) throw std::runtime_error("not little-endian CDR");
  ReadMessage m;
  CdrCursor in(bytes);
  m.sec = static_cast<std::int32_t>(in.take(4)), m.nanosec = in.take(4), m.frame_id = in.take_string();
  m.cloud.height = in.take(4), m.cloud.width = in.take(4);
  const std::uint32_t fields = in.take(4);
  for (std::uint32_t i = 0; i < fields; ++i) {
    m.cloud.names.push_back(in.take_string());
    m.offsets.push_back(in.take(4));
    const std::uint32_t datatype = in.take(1);  // PointField: 2 UINT8, 4 UINT16, 6 UINT32, 7 FLOAT32
    m.cloud.types.push_back(datatype == 7 ? 'f' : 'u');
    m.cloud.sizes.push_back(datatype == 2 ? 1 : datatype == 4 ? 2 : 4);
    if (in.take(4) != 1) throw std::runtime_error("count");
  }
  m.is_bigendian = in.take(1) != 0;
  m.point_step = in.take(4), m.row_step = in.take(4);
  const std::uint32_t size = in.take(4);
  read_points(in.take_bytes(size), 0, size / m.point_step, m.cloud);
  m.is_dense = in.take(1) != 0;
  if (!in.is_at_end()) throw std::runtime_error("bytes left over");
  return m;
}

}  // namespace fathom::test

namespace fathom {
namespace {

using test::bytes_of;
using test::contains;
using test::kNan;
using test::message_of;
using test::ReadCloud;
using test::TemporaryFolder;

/// Where each column comes from, as docs/output-formats.md says it.
struct Source {
  const char* name;
  Channel channel;
  std::size_t plane;
  char type;
  std::size_t size;
};
const std::vector<Source>& sources() {
  static const std::vector<Source> all = {{"intensity", Channel::kIntensity, 0, 'f', 4},
                                          {"ring", Channel::kRing, 0, 'u', 2},
                                          {"time", Channel::kTimeOffset, 0, 'f', 4},
                                          {"range", Channel::kRange, 0, 'f', 4},
                                          {"clean_range", Channel::kCleanRange, 0, 'f', 4},
                                          {"azimuth", Channel::kAzimuth, 0, 'f', 4},
                                          {"elevation", Channel::kElevation, 0, 'f', 4},
                                          {"incidence", Channel::kIncidence, 0, 'f', 4},
                                          {"normal_x", Channel::kNormal, 0, 'f', 4},
                                          {"normal_y", Channel::kNormal, 1, 'f', 4},
                                          {"normal_z", Channel::kNormal, 2, 'f', 4},
                                          {"world_x", Channel::kHitWorld, 0, 'f', 4},
                                          {"world_y", Channel::kHitWorld, 1, 'f', 4},
                                          {"world_z", Channel::kHitWorld, 2, 'f', 4},
                                          {"sensor_x", Channel::kHitSensor, 0, 'f', 4},
                                          {"sensor_y", Channel::kHitSensor, 1, 'f', 4},
                                          {"sensor_z", Channel::kHitSensor, 2, 'f', 4},
                                          {"entity_id", Channel::kEntityId, 0, 'u', 4},
                                          {"triangle_id", Channel::kTriangleId, 0, 'u', 4},
                                          {"reason", Channel::kReason, 0, 'u', 1},
                                          {"depth", Channel::kDepth, 0, 'f', 4},
                                          {"clean_depth", Channel::kCleanDepth, 0, 'f', 4},
                                          {"energy", Channel::kEnergy, 0, 'f', 4},
                                          {"clean_x", Channel::kCleanHit, 0, 'f', 4},
                                          {"clean_y", Channel::kCleanHit, 1, 'f', 4},
                                          {"clean_z", Channel::kCleanHit, 2, 'f', 4},
                                          {"label", Channel::kLabel, 0, 'u', 4},
                                          {"velocity", Channel::kVelocity, 0, 'f', 4},
                                          {"path", Channel::kPath, 0, 'u', 1}};
  return all;
}

bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

CloudOptions random_options() {
  CloudOptions options;
  options.frame = *rc::gen::element(CloudFrame::kSensor, CloudFrame::kWorld);
  options.keep_misses = *rc::gen::arbitrary<bool>();
  options.fields = {};
  for (std::size_t i = 0; i < kChannelCount; ++i) {
    if (*rc::gen::arbitrary<bool>()) options.fields.insert(static_cast<Channel>(i));
  }
  return options;
}

/// The columns that must be there, and the rays whose points are.
void check(const Frame& frame, const CloudOptions& options, const ReadCloud& cloud) {
  const Channel position = options.frame == CloudFrame::kWorld ? Channel::kHitWorld : Channel::kHitSensor;
  std::vector<Source> expected = {{"x", position, 0, 'f', 4}, {"y", position, 1, 'f', 4}, {"z", position, 2, 'f', 4}};
  for (const Source& s : sources()) {
    if (options.fields.contains(s.channel) && s.channel != position) expected.push_back(s);
  }
  std::vector<std::size_t> rays;
  for (std::size_t i = 0; i < frame.size(); ++i) {
    if (options.keep_misses || frame.reason()[i] == Reason::kHit) rays.push_back(i);
  }
  RC_ASSERT(cloud.width == (options.keep_misses ? frame.cols() : rays.size()));
  RC_ASSERT(cloud.height == (options.keep_misses ? frame.rows() : 1));
  RC_ASSERT(cloud.names.size() == expected.size());
  for (std::size_t f = 0; f < expected.size(); ++f) {
    const Source& s = expected[f];
    const std::string name = cloud.names[f];
    RC_ASSERT((name == s.name || (name.size() == 2 && "normal_" + name.substr(1) == s.name)));
    RC_ASSERT((cloud.types[f] == s.type && cloud.sizes[f] == s.size));
    RC_ASSERT(cloud.columns[f].size() == rays.size());
    for (std::size_t p = 0; p < rays.size(); ++p) {
      RC_ASSERT(same_bits(cloud.columns[f][p], test::value_at(frame, s.channel, s.plane, rays[p])));
    }
  }
}

RC_GTEST_PROP(CloudFilesTest, PcdReadsBackAsWritten, ()) {
  const Frame frame = test::random_frame();
  const CloudOptions options = random_options();
  const TemporaryFolder folder;
  write_pcd(folder / "a.pcd", frame, options);
  check(frame, options, test::read_pcd(bytes_of(folder / "a.pcd")));
}

RC_GTEST_PROP(CloudFilesTest, PlyReadsBackAsWritten, ()) {
  const Frame frame = test::random_frame();
  const CloudOptions options = random_options();
  const TemporaryFolder folder;
  write_ply(folder / "a.ply", frame, options);
  const ReadCloud cloud = test::read_ply(bytes_of(folder / "a.ply"));
  check(frame, options, cloud);
  for (const std::string& name : cloud.names) RC_ASSERT(name.rfind("normal_", 0) != 0);
}

RC_GTEST_PROP(CloudFilesTest, PointCloud2ReadsBackAsWritten, ()) {
  Frame frame = test::random_frame();
  const auto milliseconds = *rc::gen::inRange(-100000000, 100000000);
  FrameWriter(frame).set_stamp(3, milliseconds / 1000.0);
  const CloudOptions options = random_options();
  const auto frame_id = *rc::gen::container<std::string>(rc::gen::inRange('a', 'z'));
  const TemporaryFolder folder;
  write_pointcloud2(folder / "a.cdr", frame, frame_id, options);
  const test::ReadMessage message = test::read_pointcloud2(bytes_of(folder / "a.cdr"));
  check(frame, options, message.cloud);
  RC_ASSERT(message.frame_id == frame_id);
  RC_ASSERT(message.nanosec < 1000000000U);
  RC_ASSERT(message.sec * 1000LL + (message.nanosec + 500000) / 1000000 == milliseconds);
  RC_ASSERT(message.is_dense == !options.keep_misses && !message.is_bigendian);
  RC_ASSERT(message.row_step == message.point_step * message.cloud.width);
  std::uint32_t offset = 0;
  for (std::size_t f = 0; f < message.offsets.size(); ++f) {
    RC_ASSERT(message.offsets[f] == offset);
    offset += static_cast<std::uint32_t>(message.cloud.sizes[f]);
  }
  RC_ASSERT(message.point_step == offset);
}

TEST(CloudFilesTest, LeavesOutFieldsThatTheFrameDoesNotHold) {
  Frame frame({Channel::kHitSensor, Channel::kRing});
  FrameWriter(frame).resize(1, 2);
  const TemporaryFolder folder;
  write_pcd(folder / "a.pcd", frame);
  const ReadCloud cloud = test::read_pcd(bytes_of(folder / "a.pcd"));
  EXPECT_EQ(cloud.names, (std::vector<std::string>{"x", "y", "z", "ring"}));
  EXPECT_EQ(cloud.width, 2U);
}

TEST(CloudFilesTest, RefusesAFrameWithoutPoints) {
  Frame frame({Channel::kRange});
  FrameWriter(frame).resize(1, 2);
  const TemporaryFolder folder;
  EXPECT_TRUE(contains(message_of<InputError>([&] { write_pcd(folder / "a.pcd", frame); }), "'hit_sensor'"));
  EXPECT_TRUE(contains(message_of<InputError>([&] { write_npy(folder / "a.npy", frame, Channel::kRing); }), "'ring'"));
  EXPECT_EQ(folder.count(), 0);
}

/// Worked out by hand from the rules of XCDR1 (OMG DDS-XTypes 1.3, 7.4.1): numbers at multiples of their size counted
/// from the end of the encapsulation header, strings as length with the zero, sequences as length and elements.
TEST(CloudFilesTest, PointCloud2HasTheBytesOfAHandMadeMessage) {
  Frame frame({Channel::kHitSensor, Channel::kRing});
  FrameWriter(frame).resize(1, 2);
  const float points[] = {1.0F, kNan, 2.0F, kNan, -0.5F, kNan};  // planes x, y, z of two rays, the second lost
  std::copy(std::begin(points), std::end(points), FrameWriter(frame).floats(Channel::kHitSensor));
  FrameWriter(frame).ring()[0] = 0x1234, FrameWriter(frame).ring()[1] = 9;
  FrameWriter(frame).set_stamp(0, -0.25);  // sec -1, nanosec 750 000 000 = 0x2cb41780

  const std::vector<std::uint8_t> expected = {
      0x00, 0x01, 0x00, 0x00,                          // CDR, little endian
      0xff, 0xff, 0xff, 0xff, 0x80, 0x17, 0xb4, 0x2c,  // 0: stamp
      0x03, 0,    0,    0,    'o',  's',  0,    0,     // 8: frame_id, padded to 16
      1,    0,    0,    0,    1,    0,    0,    0,     // 16: height, width
      4,    0,    0,    0,                             // 24: four fields
      2,    0,    0,    0,    'x',  0,    0,    0,     // 28: "x", padded to 36
      0,    0,    0,    0,    7,    0,    0,    0,     // 36: offset 0, FLOAT32, padded to 44
      1,    0,    0,    0,                             // 44: count
      2,    0,    0,    0,    'y',  0,    0,    0,     // 48
      4,    0,    0,    0,    7,    0,    0,    0,     // 56
      1,    0,    0,    0,                             // 64
      2,    0,    0,    0,    'z',  0,    0,    0,     // 68
      8,    0,    0,    0,    7,    0,    0,    0,     // 76
      1,    0,    0,    0,                             // 84
      5,    0,    0,    0,    'r',  'i',  'n',  'g',   // 88: "ring" and its zero end at 97
      0,    0,    0,    0,                             // 96: padded to 100
      12,   0,    0,    0,    4,    0,    0,    0,     // 100: offset 12, UINT16, padded to 108
      1,    0,    0,    0,                             // 108: count
      0,    0,    0,    0,                             // 112: is_bigendian, padded to 116
      14,   0,    0,    0,    14,   0,    0,    0,     // 116: point_step, row_step
      14,   0,    0,    0,                             // 124: bytes of data
      0,    0,    0x80, 0x3f, 0,    0,    0,    0x40,  // 1.0f, 2.0f
      0,    0,    0,    0xbf, 0x34, 0x12,              // -0.5f, ring
      1};                                              // is_dense
  const TemporaryFolder folder;
  write_pointcloud2(folder / "a.cdr", frame, "os");
  const std::string found = bytes_of(folder / "a.cdr");
  EXPECT_EQ(std::vector<std::uint8_t>(found.begin(), found.end()), expected);
}

TEST(CloudFilesTest, RefusesStampsThatRosCannotSay) {
  Frame frame({Channel::kHitSensor});
  FrameWriter(frame).resize(1, 1);
  FrameWriter(frame).set_stamp(0, 3e9);
  const TemporaryFolder folder;
  EXPECT_TRUE(contains(message_of<InputError>([&] { write_pointcloud2(folder / "a.cdr", frame, "os"); }), "stamp 3"));
  FrameWriter(frame).set_stamp(0, kNan);
  EXPECT_TRUE(contains(message_of<InputError>([&] { write_pointcloud2(folder / "a.cdr", frame, "os"); }), "stamp nan"));
}

TEST(CloudFilesTest, WritesTheSameBytesEveryTime) {
  const Frame frame = test::filled_frame(16, 100, [](std::size_t i) { return i % 3 != 0; });
  const TemporaryFolder folder;
  for (const char* name : {"a", "b"}) write_pcd(folder / name, frame);
  EXPECT_EQ(bytes_of(folder / "a"), bytes_of(folder / "b"));
}

}  // namespace
}  // namespace fathom
