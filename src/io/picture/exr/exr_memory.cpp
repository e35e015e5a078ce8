// SPDX-License-Identifier: MIT
// Files of OpenEXR in memory, by the library of OpenEXR.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <OpenEXR/Iex.h>
#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfInputFile.h>
#include <OpenEXR/ImfOutputFile.h>
#include <OpenEXR/ImfStdIO.h>
#include <OpenEXR/ImfVersion.h>
#include <fmt/format.h>

#include <fathom/core/error.hpp>

#include "core/text.hpp"
#include "io/log/grey_image.hpp"
#include "io/picture/float_image.hpp"

namespace fathom::exr {

namespace {

/// Calls f(). The library puts 'Cannot read image file "(string)". ' in front of its reasons.
template <class F>
void with_reasons(const char* failure, F f) {
  try {
    f();
  } catch (const Iex::BaseExc& error) {
    const std::string text = error.what();
    const std::size_t name = text.rfind("(string)\". ");
    throw InputError(fmt::format("{}: {}", failure, one_line(name == text.npos ? text : text.substr(name + 11))));
  }
}

std::string depth_channel(const Imf::ChannelList& channels) {
  for (const char* name : {"Z", "Y", "R"}) {
    const Imf::Channel* const channel = channels.findChannel(name);
    if (channel == nullptr) continue;
    if (channel->type != Imf::FLOAT && channel->type != Imf::HALF) {
      throw InputError(fmt::format("its channel {} has whole numbers; depths are float or half", name));
    }
    if (channels.findChannel("RY") != nullptr) throw InputError("has colours; depths are a channel Z or Y alone");
    if (channel->xSampling == 1 && channel->ySampling == 1) return name;
    throw InputError(fmt::format("its channel {} leaves out pixels", name));
  }
  throw InputError("has no channel Z, Y or R; depths are one of these");
}

/// Constant images have some hundreds.
constexpr std::int64_t kMostPixelsPerByte = 2000;

/// The library takes memory by the sides, so they are checked before it opens the file.
void take_sides(Imf::StdISStream& stream, std::size_t file_bytes, FloatImage& image) {
  constexpr std::uint64_t kMagicAndVersion = 8;
  int version = Imf::EXR_VERSION;
  Imf::Header header;
  stream.seekg(kMagicAndVersion);
  header.readFrom(stream, version);
  stream.seekg(0);
  const Imath::Box2i& window = header.dataWindow();
  if (window != header.displayWindow()) throw InputError("is cropped: its data window is not its display window");
  const std::int64_t cols = std::int64_t{window.max.x} - window.min.x + 1;
  const std::int64_t rows = std::int64_t{window.max.y} - window.min.y + 1;
  if (cols > kMostMapSide || rows > kMostMapSide) {
    throw InputError(fmt::format("{} x {} pixels: a side is not in [1, {}]", cols, rows, kMostMapSide));
  }
  if (cols * rows / kMostPixelsPerByte > static_cast<std::int64_t>(file_bytes)) {
    throw InputError(
        fmt::format("{} x {} pixels in {} bytes: more than {} a byte", cols, rows, file_bytes, kMostPixelsPerByte));
  }
  image.cols = static_cast<std::uint32_t>(cols), image.rows = static_cast<std::uint32_t>(rows);
}

std::vector<float> read_channel(Imf::InputFile& in, const FloatImage& sides, const std::string& name) {
  const Imath::Box2i window = in.header().dataWindow();
  std::vector<float> values(std::size_t{sides.rows} * sides.cols);
  Imf::FrameBuffer buffer;
  buffer.insert(name, Imf::Slice::Make(Imf::FLOAT, values.data(), window));
  in.setFrameBuffer(buffer);
  in.readPixels(window.min.y, window.max.y);
  return values;
}

/// Renderers write depths into all three colours.
void check_grey(Imf::InputFile& in, const FloatImage& image) {
  for (const char* name : {"G", "B"}) {
    if (in.header().channels().findChannel(name) == nullptr) continue;
    const std::vector<float> other = read_channel(in, image, name);
    if (std::memcmp(other.data(), image.value.data(), other.size() * sizeof(float)) == 0) continue;
    throw InputError("has colours; depths are a channel Z or Y, or the same in R, G and B");
  }
}

void read(const std::string& bytes, FloatImage& image) {
  with_reasons("is no EXR image that can be read", [&] {
    Imf::StdISStream stream;
    stream.str(bytes);
    if (bytes.size() < 8 || !Imf::isImfMagic(bytes.data())) throw Iex::InputExc("File is not an image file.");
    take_sides(stream, bytes.size(), image);
    Imf::InputFile in(stream);
    if (Imf::isNonImage(in.version())) throw InputError("has deep pixels; depths are one value per pixel");
    image.channel = depth_channel(in.header().channels());
    if (!in.isComplete()) throw InputError("is incomplete: lines of pixels are missing");
    image.value = read_channel(in, image, image.channel);
    if (image.channel == "R") check_grey(in, image);
  });
}

void write(const FloatImage& image, std::string& bytes) {
  with_reasons("cannot be written", [&] {
    Imf::Header header(static_cast<int>(image.cols), static_cast<int>(image.rows));
    header.compression() = Imf::ZIP_COMPRESSION;
    header.channels().insert(image.channel, Imf::Channel(Imf::FLOAT));
    Imf::FrameBuffer buffer;
    buffer.insert(image.channel, Imf::Slice::Make(Imf::FLOAT, image.value.data(), header.dataWindow()));
    Imf::StdOSStream stream;
    {
      Imf::OutputFile out(stream, header);  // its destructor writes the places of the lines
      out.setFrameBuffer(buffer);
      out.writePixels(static_cast<int>(image.rows));
    }
    bytes = stream.str();
  });
}

}  // namespace

}  // namespace fathom::exr

/// The function of the module.
extern "C" [[gnu::visibility("default")]] void fathom_exr_functions(fathom::ExrFunctions& functions) {
  functions = {fathom::exr::read, fathom::exr::write};
}
