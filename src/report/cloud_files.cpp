// SPDX-License-Identifier: MIT
#include "report/cloud_files.hpp"

#include <algorithm>
#include <system_error>

#include "report/left_out.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;

bool is_cloud(const fs::path& file) { return file.extension() == ".pcd" || file.extension() == ".ply"; }

}  // namespace

std::vector<fs::path> cloud_files(const fs::path& folder, const std::string& pattern) {
  std::vector<fs::path> clouds;
  std::error_code error;
  if (pattern.empty()) {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
      if (!entry.is_regular_file(error)) continue;
      if (entry.path().extension() == ".png" || entry.path().extension() == ".npy") return {};
      if (is_cloud(entry.path())) clouds.push_back(entry.path());
    }
    return clouds;
  }
  clouds = images_named(folder, pattern);
  const bool are_clouds = std::all_of(clouds.begin(), clouds.end(), is_cloud);
  return are_clouds ? clouds : std::vector<fs::path>();
}

}  // namespace fathom
