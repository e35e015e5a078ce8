#include "simulate/read_outputs.hpp"

#include <array>
#include <string_view>

#include <fathom/output_list.hpp>

#include "base/text.hpp"
#include "simulate/file_plan.hpp"

namespace fathom {

namespace {

constexpr std::array<std::string_view, 2> kFrameWords = {"sensor", "world"};
constexpr std::array<std::string_view, 3> kColorWords = {"range", "entity", "reason"};

/// In the order of OutputKind.
std::vector<std::string_view> kind_words() {
  std::vector<std::string_view> words;
  for (const OutputInfo& output : output_list()) words.push_back(output.word);
  return words;
}

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

void read_legend(YamlReader& options, SensorOutput& output) {
  if (const auto legend = options.find("legend")) output.legend = legend->boolean();
}

void read_picture(YamlReader& options, SensorOutput& output) {
  read_legend(options, output);
  if (const auto color = options.find("color")) output.color = static_cast<ColorBy>(color->one_of(kColorWords));
  if (const auto range = options.find("max_range_m")) output.max_range_m = range->number({1e-3, 1e6, "m"});
  if (output.kind == OutputKind::kRangeImage) {
    if (const auto destagger = options.find("destagger")) output.destagger = destagger->boolean();
    return;
  }
  if (const auto pixels = options.find("pixels")) {
    output.pixels = static_cast<std::uint32_t>(pixels->whole(64, 16384));
  }
}

void read_npy(YamlReader& options, SensorOutput& output) {
  const auto list = options.find("channels");
  const auto lost = options.find("lost");
  if (list) output.channels = read_channels(*list);
  if (output.channels == ChannelSet{}) list->fail("names no channel");
  if (!lost) return;
  output.lost = static_cast<LostValue>(lost->one_of(kLostValueNames));
  bool lengths = false;
  for (const Channel channel : kLengthChannels) lengths |= output.channels.contains(channel);
  if (!lengths) lost->fail("stands for lost ranges and depths, and the channels hold none");
}

/// Only what 16 bits can hold may stand for a lost pixel.
LostValue read_level(const YamlReader& word) {
  constexpr std::array<LostValue, 3> kLevels = {LostValue::kZero, LostValue::kInf, LostValue::kMax};
  std::array<std::string_view, 3> words;
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = kLostValueNames[static_cast<std::size_t>(kLevels[i])];
  return kLevels[word.one_of(words)];
}

void read_depth_png(YamlReader& options, SensorOutput& output) {
  std::array<std::string_view, kLengthChannels.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = to_string(kLengthChannels[i]);
  if (const auto channel = options.find("channel")) output.depth = kLengthChannels[channel->one_of(names)];
  if (const auto per_m = options.find("per_m")) output.per_m = per_m->number({1e-3, 1e6, "1/m"});
  if (const auto lost = options.find("lost")) output.lost = read_level(*lost);
}

void read_sheet(YamlReader& options, SensorOutput& output) {
  if (const auto range = options.find("max_range_m")) output.max_range_m = range->number({1e-3, 1e6, "m"});
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
    case OutputKind::kDepthPng:
      read_depth_png(options, output);
      break;
    case OutputKind::kCameraSheet:
      read_sheet(options, output);
      break;
    case OutputKind::kReasonPicture:
      read_legend(options, output);
      break;
    case OutputKind::kScanLog:
      break;
  }
  options.finish();
  return output;
}

SensorOutput read_output(const YamlReader& item) {
  if (item.is(YamlValue::Kind::kScalar)) {
    SensorOutput output;
    output.kind = static_cast<OutputKind>(item.one_of(kind_words()));
    return output;
  }
  const YamlReader options = item.only();
  const std::vector<std::string_view> words = kind_words();
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (options.key() == words[i]) return read_options(options, static_cast<OutputKind>(i));
  }
  options.fail_key("is not a known kind of file" + nearest_hint(options.key(), words));
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
