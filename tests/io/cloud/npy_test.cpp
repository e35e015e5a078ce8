// SPDX-License-Identifier: MIT

#include <fathom/files/clouds.hpp>

#include "core/text/formats.hpp"
#include "io/picture/frames.hpp"

namespace fathom::test {
namespace {

TEST(NpyTest, WritesTheHeaderThatNumpyWrites) {
  // The bytes of numpy.save for a float32 array of shape (2, 3), from the format's description.
  const std::array<std::size_t, 2> shape = {2, 3};
  std::string expected =
      std::string("\x93NUMPY\x01\x00\x76\x00", 10) + "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  expected.resize(127, ' ');
  EXPECT_EQ(npy::header(npy::Type::kFloat32, shape), expected + "\n");
  const std::array<std::size_t, 1> line = {7};
  EXPECT_TRUE(
      contains(npy::header(npy::Type::kUint8, line), "'descr': '|u1', 'fortran_order': False, 'shape': (7,), }"));
}

RC_GTEST_PROP(NpyTest, HeadersEndOnAMultipleOf64, ()) {
  const auto shape = *rc::gen::container<std::vector<std::size_t>>(rc::gen::arbitrary<std::size_t>());
  RC_PRE(shape.size() < 200);
  const std::string header = npy::header(npy::Type::kFloat64, shape);
  RC_ASSERT(header.size() % 64 == 0);
  const auto length = static_cast<std::uint8_t>(header[8]) + 256U * static_cast<std::uint8_t>(header[9]);
  RC_ASSERT(header.size() == length + 10);
}

RC_GTEST_PROP(NpyTest, ReadsBackEveryChannelOfAFrame, ()) {
  const Frame frame = random_frame();
  const TemporaryFolder folder;
  for (std::size_t c = 0; c < kChannelCount; ++c) {
    const auto channel = static_cast<Channel>(c);
    const auto file = folder / to_string(channel);
    write_npy(file, frame, channel);
    const npy::Array array = npy::read(file);
    const bool is_points = channel == Channel::kHitWorld || channel == Channel::kHitSensor ||
                           channel == Channel::kNormal || channel == Channel::kCleanHit;
    const std::vector<std::size_t> flat = {frame.rows(), frame.cols()}, deep = {frame.rows(), frame.cols(), 3};
    RC_ASSERT(array.shape == (is_points ? deep : flat));
    for (std::size_t i = 0; i < frame.size(); ++i) {
      for (std::size_t plane = 0; plane < (is_points ? 3U : 1U); ++plane) {
        const double found = array.at(is_points ? 3 * i + plane : i);
        const double expected = value_at(frame, channel, plane, i);
        RC_ASSERT(std::bit_cast<std::uint64_t>(found) == std::bit_cast<std::uint64_t>(expected));
      }
    }
  }
}

std::string file_with(const std::string& dictionary, const std::string& data, char version = 1) {
  std::string out = "\x93NUMPY";
  out += version;
  out += '\0';
  const auto size = static_cast<std::uint32_t>(dictionary.size());
  for (unsigned i = 0; i < (version == 1 ? 2U : 4U); ++i) out += static_cast<char>(size >> (8 * i) & 0xffU);
  return out + dictionary + data;
}

TEST(NpyTest, ReadsLaterVersionsAndOtherSpellings) {
  const TemporaryFolder folder;
  for (const char version : {'\1', '\2', '\3'}) {
    const auto file = folder.write("a.npy", file_with("{\"shape\": (2,),\"descr\":\"<u2\",  'fortran_order' : False}\n",
                                                      std::string("\5\0\0\1", 4), version));
    const npy::Array array = npy::read(file);
    EXPECT_EQ(array.shape, std::vector<std::size_t>{2});
    EXPECT_EQ(array.at(0), 5.0);
    EXPECT_EQ(array.at(1), 256.0);
  }
  EXPECT_EQ(
      npy::read(folder.write("b.npy", file_with("{'descr': '|u1', 'fortran_order': False, 'shape': ()}", "\7"))).at(0),
      7.0);
}

TEST(NpyTest, RefusesBadHeaders) {
  const TemporaryFolder folder;
  const auto header = [](const std::string& type, const std::string& order, const std::string& shape) {
    return file_with("{'descr': " + type + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }\n", "12345678");
  };
  const std::vector<std::array<std::string, 2>> cases = {
      {"", "a.npy: is empty"},
      {"NUMPY", "a.npy: not an NPY file"},
      {std::string("\x93NUMPY\1\0\xff\xff", 10), "the NPY header is cut short"},
      {file_with("{}", ""), "the NPY header is not understood"},
      {header("'<i4'", "False", "(2,)"), "a.npy: NPY type '<i4' is not one of |u1, <u2, <u4, <f4, <f8"},
      {header("'>f4'", "False", "(2,)"), "is not one of"},
      {header("[('x', '<f4')]", "False", "(2,)"), "is not one of"},
      {header("'<f4'", "True", "(2,)"), "is in Fortran order"},
      {header("'<f4'", "False", "(-2,)"), "the shape in the NPY header is not understood"},
      {header("'<f4'", "False", "(2"), "the shape in the NPY header is not understood"},
      {header("'<f4'", "False", "(3,)"), "shape (3) of 4-byte elements does not match the 8 bytes of data"},
      {header("'<f4'", "False", "(1,)"), "does not match"},
      {header("'<f4'", "False", "(4294967296, 4294967296, 4294967296)"), "does not match"},
      {header("'<f4'", "False", "(0, 18446744073709551615)"), "does not match"},
      {header("'<f4'", "False", "(99999999999999999999999,)"), "is not understood"}};
  for (const auto& [bytes, message] : cases) {
    const auto file = folder.write("a.npy", bytes);
    EXPECT_TRUE(contains(message_of<InputError>([&] { npy::read(file); }), message)) << bytes;
  }
}

TEST(NpyTest, RefusesAFileCutAnywhere) {
  const TemporaryFolder folder;
  const std::string whole = file_with("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }\n", "12345678");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto file = folder.write("a.npy", whole.substr(0, size));
    message_of<InputError>([&] { npy::read(file); });
  }
  EXPECT_NO_THROW(npy::read(folder.write("a.npy", whole)));
}

}  // namespace
}  // namespace fathom::test
