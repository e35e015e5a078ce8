// SPDX-License-Identifier: MIT
// The tables of outputs and channels are what the reader of scene files knows, and what the pages say.

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <fathom/base/error.hpp>
#include <fathom/frame/channel_list.hpp>
#include <fathom/outputs/output.hpp>
#include <fathom/simulate/run.hpp>

#include "scene_fixture.hpp"

namespace fathom::test {
namespace {

std::string page(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(std::string(FATHOM_SOURCE_DIR) + "/docs/" + name).rdbuf();
  return text.str();
}

std::string scene_with(const std::string& output) {
  return "scene: {meshes: {b: {box: {size_m: [8, 6, 3]}}}, entities: [{name: b, mesh: b}]}\n"
         "sensors: [{name: s, type: laser_2d, rays: 4, min_azimuth_deg: -90, max_azimuth_deg: 90, max_range_m: 9, "
         "outputs: [" +
         output + "]}]\n";
}

/// What reading a scene with this output throws; empty: nothing.
std::string refusal(const TemporaryFolder& folder, const std::string& output) {
  try {
    static_cast<void>(read_scene_file(folder.write("scene.yaml", scene_with(output))));
    return {};
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(OutputList, HoldsTheWordsAndKeysThatScenesKnow) {
  const TemporaryFolder folder;
  std::vector<std::string> words;
  for (const OutputInfo& output : output_list()) {
    words.emplace_back(output.slug);
    const std::string word(output.slug);
    EXPECT_EQ(refusal(folder, word), "");
    std::vector<std::string> keys;
    for (const FieldInfo& option : output.options) {
      keys.emplace_back(option.name);
      if (option.default_value.empty() || option.name == "destagger") continue;
      const std::string value(option.default_value);
      EXPECT_EQ(refusal(folder, word + ": {" + keys.back() + ": " + value + "}"), "") << word << "." << keys.back();
    }
    if (keys.empty()) continue;
    std::sort(keys.begin(), keys.end());
    std::string known;
    for (const std::string& key : keys) known += (known.empty() ? "" : ", ") + key;
    const std::string complaint = refusal(folder, word + ": {zzzzzzzzzzzzzzzzzzzz: 1}");
    EXPECT_NE(complaint.find("(known here: " + known + ")"), std::string::npos) << complaint;
  }
  std::string known;
  for (const std::string& word : words) known += (known.empty() ? "" : ", ") + word;
  const std::string complaint = refusal(folder, "zzzzzzzzzzzzzzzzzzzz");
  EXPECT_NE(complaint.find("is not one of " + known), std::string::npos) << complaint;
}

TEST(OutputList, IsWhatTheSceneFormatSays) {
  const std::string text = page("scene-format.md");
  for (const OutputInfo& output : output_list()) {
    const std::size_t row = text.find("\n| `" + std::string(output.slug) + "` |");
    ASSERT_NE(row, std::string::npos) << output.slug;
    const std::string line = text.substr(row + 1, text.find('\n', row + 1) - row);
    EXPECT_NE(line.find(std::string(output.file)), std::string::npos) << output.slug;
    if (line.find("the same") != std::string::npos) continue;
    for (const FieldInfo& option : output.options) {
      EXPECT_NE(line.find("`" + std::string(option.name) + "`"), std::string::npos) << output.slug << option.name;
    }
  }
}

TEST(ChannelList, IsWhatTheOutputFormatsSay) {
  const std::string text = page("output-formats.md");
  const std::string table = text.substr(text.find("\n## NPY"));
  for (const ChannelInfo& channel : channel_list()) {
    const std::size_t at = table.find("`" + std::string(channel.name()) + "`");
    ASSERT_NE(at, std::string::npos) << channel.name();
    const std::string line = table.substr(at, table.find('\n', at) - at);
    const std::string type = channel.type == ElementType::kFloat32  ? "<f4"
                             : channel.type == ElementType::kUint32 ? "<u4"
                             : channel.type == ElementType::kUint16 ? "<u2"
                                                                    : "u1";
    EXPECT_NE(line.find(type), std::string::npos) << line;
    EXPECT_EQ(line.find("cols, 3]") != std::string::npos, channel.planes == 3) << line;
    // The unit stands in the table of the fields of points.
    const std::size_t row = text.find("| `" + std::string(channel.name()) + "` | ");
    if (row == std::string::npos) continue;
    const std::string field = text.substr(row, text.find('\n', row) - row);
    if (channel.unit.empty()) continue;
    EXPECT_NE(field.find("| " + std::string(channel.unit) + " |"), std::string::npos) << field;
  }
}

}  // namespace
}  // namespace fathom::test
