// SPDX-License-Identifier: MIT
#include <fathom/dataset/info.hpp>

#include "dataset/dataset_file.hpp"
#include "dataset/pack_entry.hpp"
#include "dataset/pack_tree.hpp"

namespace fathom {

namespace {

/// Counts the packs of a dataset.
class InfoCount {
 public:
  InfoCount(const std::filesystem::path& dataset, const DatasetFile& file, DatasetInfo& info)
      : dataset_(dataset), file_(file), info_(info) {}

  void add(const Found& found) {
    if (found.kind == Found::Kind::kPack) return add_pack(file_.packs.at(found.index));
    if (found.kind == Found::Kind::kUnfinished) {
      ++info_.unfinished;
      return;
    }
    ++info_.foreign;
    if (!info_.first_foreign) info_.first_foreign = dataset_ / found.place;
  }

  void end() {
    if (first_gap_ < file_.packs.size()) info_.first_missing = file_.packs.at(first_gap_).first;
  }

 private:
  void add_pack(const Pack& pack) {
    const auto entry = whole_entry(dataset_, file_.packs.places(), pack.index);
    if (!entry) return;
    if (entry->digest != file_.packs.digest(file_.inputs, pack)) {
      info_.others += pack.units;
      return;
    }
    info_.complete += pack.units;
    info_.files += entry->files;
    info_.bytes += entry->bytes;
    if (pack.index == first_gap_) ++first_gap_;
  }

  const std::filesystem::path& dataset_;
  const DatasetFile& file_;
  DatasetInfo& info_;
  std::uint64_t first_gap_ = 0;  // the first pack that is not complete, as far as packs were counted
};

}  // namespace

DatasetInfo read_dataset_info(const std::filesystem::path& dataset) {
  const DatasetFile file = read_dataset_file(dataset);
  DatasetInfo info{.version = file.version,
                   .scene = file.scene,
                   .command = file.command,
                   .seed = file.seed,
                   .format = file.packs.files(),
                   .units = file.units(),
                   .first_missing = {},
                   .first_foreign = {}};
  InfoCount count(dataset, file, info);
  for_each_found(dataset, file.packs, [&count](const Found& found) { count.add(found); });
  count.end();
  return info;
}

}  // namespace fathom
