// SPDX-License-Identifier: MIT
#include "simulate/channel_files.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "text/text_lines.hpp"

namespace fathom {

namespace fs = std::filesystem;

fs::path channel_file(const fs::path& folder, std::string_view channel, std::uint32_t frame) {
  return folder / fmt::format("{}_{:06}.npy", channel, frame);
}

std::vector<std::uint32_t> frames_with(const fs::path& folder, std::string_view channel) {
  constexpr std::string_view kNumber = "000000", kEnd = ".npy";
  const std::string before = fmt::format("{}_", channel);
  std::vector<std::uint32_t> frames;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(before) || name.size() != before.size() + kNumber.size() + kEnd.size()) continue;
    const auto frame = parse_number<std::uint32_t>(std::string_view(name).substr(before.size(), kNumber.size()));
    if (frame && entry.path() == channel_file(folder, channel, *frame)) frames.push_back(*frame);
  }
  std::sort(frames.begin(), frames.end());
  return frames;
}

}  // namespace fathom
