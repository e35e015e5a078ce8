// SPDX-License-Identifier: MIT
#include "dataset/manifest_file.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace fathom {

void Manifest::add(const PackEntry& entry, std::uint64_t units) {
  const std::string folder = fmt::format("{:03}", entry.index / 1'000'000);
  if (parts_.empty() || parts_.back().folder != folder) parts_.push_back({.folder = folder});
  ManifestPart& part = parts_.back();
  part.units += units;
  part.files += entry.files;
  part.bytes += entry.bytes;
  part.digest.add(entry_line(entry));
}

std::string Manifest::text(const DatasetFile& file, const std::optional<FileDigest>& merged) const {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  ManifestPart sum;
  for (const ManifestPart& part : parts_) {
    list.push_back({{"folder", part.folder},
                    {"units", part.units},
                    {"files", part.files},
                    {"bytes", part.bytes},
                    {"digest", part.digest.text()}});
    sum.units += part.units;
    sum.files += part.files;
    sum.bytes += part.bytes;
    sum.digest.add(part.digest.text());
  }
  Json json = {{"fathom", file.version},      {"dataset", 1},       {"description", digest_of(dataset_text(file))},
               {"units", sum.units},          {"files", sum.files}, {"bytes", sum.bytes},
               {"digest", sum.digest.text()}, {"parts", list}};
  if (merged) json["merged"] = {{"bytes", merged->bytes}, {"digest", merged->digest}};
  return json.dump(2) + "\n";
}

}  // namespace fathom
