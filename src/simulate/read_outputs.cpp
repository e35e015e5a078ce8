#include "simulate/read_outputs.hpp"

#include <array>
#include <string_view>

#include "base/text.hpp"

namespace fathom {

namespace {

constexpr std::array<std::string_view, 6> kKindWords = {"pcd", "ply", "pointcloud2", "npy", "range_image", "birds_eye"};
constexpr std::array<std::string_view, 2> kFrameWords = {"sensor", "world"};
constexpr std::array<std::string_view, 3> kColorWords = {"range", "entity", "reason"};

ChannelSet read_channels(const YamlReader& list) {
  ChannelSet channels;
  for (const YamlReader& item : list.items()) channels.insert(static_cast<Channel>(item.one_of(kChannelNames)));
  return channels;
}

void read_cloud(YamlReader& options, CloudOptions& cloud) {
  if (const auto frame = options.find("frame")) cloud.frame = static_cast<CloudFrame>(frame->one_of(kFrameWords));
  if (const auto keep = options.find("keep_misses")) cloud.keep_misses = keep->boolean();
  if (const auto fields = options.find("fields")) cloud.fields = read_channels(*fields);
}

void read_picture(YamlReader& options, SensorOutput& output) {
  if (const auto color = options.find("color")) output.color = static_cast<ColorBy>(color->one_of(kColorWords));
  if (const auto range = options.find("max_range_m")) output.max_range_m = range->number({1e-3, 1e6, "m"});
  if (output.kind != OutputKind::kBirdsEyeView) return;
  if (const auto pixels = options.find("pixels")) {
    output.pixels = static_cast<std::uint32_t>(pixels->whole(64, 16384));
  }
}

void read_npy(YamlReader& options, SensorOutput& output) {
  const auto list = options.find("channels");
  if (!list) return;
  output.channels = read_channels(*list);
  if (output.channels == ChannelSet{}) list->fail("names no channel");
}

SensorOutput read_options(YamlReader options, OutputKind kind) {
  SensorOutput output;
  output.kind = kind;
  switch (kind) {
    case OutputKind::kPcd:
    case OutputKind::kPly:
    case OutputKind::kPointCloud2:
      read_cloud(options, output.cloud);
      break;
    case OutputKind::kRangeImage:
    case OutputKind::kBirdsEyeView:
      read_picture(options, output);
      break;
    case OutputKind::kNpy:
      read_npy(options, output);
      break;
  }
  options.finish();
  return output;
}

SensorOutput read_output(const YamlReader& item) {
  if (item.is(YamlValue::Kind::kScalar)) {
    SensorOutput output;
    output.kind = static_cast<OutputKind>(item.one_of(kKindWords));
    return output;
  }
  const YamlReader options = item.only();
  for (std::size_t i = 0; i < kKindWords.size(); ++i) {
    if (options.key() == kKindWords[i]) return read_options(options, static_cast<OutputKind>(i));
  }
  options.fail("is not for a known kind of file" + nearest_hint(options.key(), kKindWords));
}

}  // namespace

std::vector<SensorOutput> default_outputs() {
  SensorOutput cloud, image;
  cloud.kind = OutputKind::kPcd;
  image.kind = OutputKind::kRangeImage;
  return {cloud, image};
}

std::vector<SensorOutput> read_outputs(const YamlReader& list) {
  std::vector<SensorOutput> outputs;
  for (const YamlReader& item : list.items()) outputs.push_back(read_output(item));
  return outputs;
}

}  // namespace fathom
