// SPDX-License-Identifier: MIT
#include <algorithm>
#include <mutex>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fathom/core/compute.hpp>
#include <fathom/core/error.hpp>
#include <fathom/simulate/dataset.hpp>

#include "run/dataset/dataset_file.hpp"
#include "run/dataset/digest.hpp"
#include "run/dataset/own_files.hpp"
#include "run/dataset/pack.hpp"
#include "run/dataset/pack_tree.hpp"

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
  std::uint64_t first_gap_ = 0;  // the first incomplete pack among those counted so far
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

namespace {

namespace fs = std::filesystem;

constexpr const char* kOther = "is made of something else: other inputs, seed, numbers or version";
constexpr const char* kBytes = "has other bytes than were written";
constexpr const char* kSize = "has {} bytes instead of {}";
constexpr const char* kLink = "is a link; a dataset has no links";

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

const char* missing_or(const fs::path& path, const char* otherwise) {
  return is_there(path) ? otherwise : "is missing";
}

/// Whether the name of a file stays below its unit.
bool is_below(const fs::path& name) {
  return name.is_relative() && std::ranges::find(name, fs::path("..")) == name.end();
}

class Verifier {
 public:
  Verifier(const fs::path& dataset, const VerifyOptions& options)
      : dataset_(dataset),
        options_(options),
        file_(read_dataset_file(dataset)),
        places_(file_.packs.places()),
        executor_(make_executor(options.threads)) {}

  VerifyResult run() {
    check_description();
    for_each_found(dataset_, file_.packs, [this](const Found& found) { add(found); });
    verify_packs();
    add_missing(file_.packs.size());
    if (options_.remove_faulty) remove_faulty();
    for (const auto& [pack, text] : faults_) result_.faults.push_back(text);
    return result_;
  }

 private:
  void check_description() {
    if (read_bytes(dataset_ / kDatasetName) == dataset_text(file_)) return;
    if (!options_.remove_faulty) return fault(0, kDatasetName, "is not as it was written");
    throw InputError(  // a pack that contradicts it may be right
        fmt::format("{}: is not as it was written, so nothing is removed; `fathom simulate --resume` writes it again",
                    (dataset_ / kDatasetName).string()));
  }

  void add(const Found& found) {
    if (found.kind == Found::Kind::kForeign) {
      return foreign(found.index, found.place, is_link(dataset_ / found.place) ? kLink : "is not part of the dataset");
    }
    if (found.kind == Found::Kind::kUnfinished) {
      if (const auto link = link_below(dataset_ / found.place)) {
        return foreign(found.index, link->lexically_relative(dataset_), kLink);
      }
      fault(found.index, found.place.string(), "is unfinished");
      unfinished_.push_back(found.place);
      return;
    }
    add_missing(found.index);
    next_ = found.index + 1;
    packs_.push_back(found.index);
    if (packs_.size() == kPacksPerFolder) verify_packs();
  }

  /// Reports the packs from next_ to before `end`.
  void add_missing(std::uint64_t end) {
    if (next_ >= end || options_.remove_faulty) return;
    const std::uint64_t more = end - next_ - 1;
    fault(next_, places_(next_).string(),
          more == 0 ? "is missing" : fmt::format("is missing, and {} more after it", more), more + 1);
  }

  void verify_packs() {
    if (packs_.empty()) return;
    executor_->parallel_for(packs_.size(), 1, [&](std::size_t a, std::size_t b) {
      for (std::size_t i = a; i < b; ++i) {
        if (options_.should_stop && options_.should_stop()) throw Interrupted("stopped; nothing was changed");
        verify_pack(packs_[i]);
      }
    });
    packs_.clear();
  }

  void verify_pack(std::uint64_t index) {
    const std::string name = places_(index).string(), about = places_.description(index).string();
    if (!places_.is_folder() && (is_link(dataset_ / name) || is_link(dataset_ / about))) return;  // add() reported it
    if (const auto link = link_below(dataset_ / name)) {
      return foreign(index, link->lexically_relative(dataset_), kLink);
    }
    const auto entry = read_entry(dataset_, places_, index);
    if (!entry) {
      return is_there(dataset_ / name)
                 ? pack_fault(index, about, missing_or(dataset_ / about, "is not as it was written"))
                 : pack_fault(index, name, "is missing");
    }
    if (entry->digest != file_.packs.digest(file_.inputs, file_.packs.at(index)))
      return pack_fault(index, name, kOther);
    return places_.is_folder() ? verify_unit(index, name) : verify_file(name, *entry);
  }

  void verify_file(const std::string& name, const PackEntry& entry) {
    const auto found = digest_file(dataset_ / name);
    if (!found) return pack_fault(entry.index, name, missing_or(dataset_ / name, "is no file that can be read"));
    if (found->bytes != entry.bytes)
      return pack_fault(entry.index, name, fmt::format(kSize, found->bytes, entry.bytes));
    if (found->digest != entry.content) return pack_fault(entry.index, name, kBytes);
    const std::lock_guard lock(mutex_);
    result_.units += file_.packs.at(entry.index).units;
    ++result_.files;
    result_.bytes += found->bytes;
  }

  void verify_unit(std::uint64_t index, const std::string& name) {
    const auto text = read_bytes(dataset_ / name / kUnitJson);
    try {
      verify_files(index, name, nlohmann::json::parse(text.value_or("")));
    } catch (const nlohmann::json::exception&) {
      pack_fault(index, name + "/" + kUnitJson, "was not written by fathom");
    }
  }

  void verify_files(std::uint64_t unit, const std::string& folder, const nlohmann::json& json) {
    std::set<std::string> listed = {kUnitJson};
    std::uint64_t bytes = 0;
    for (const auto& file : json.at("files")) {
      const auto name = file.at("name").get<std::string>();
      const std::string label = fmt::format("{}/{}", folder, name);
      listed.insert(name);
      const fs::path path = dataset_ / folder / name;
      const auto found = is_below(name) ? digest_file(path) : std::nullopt;
      if (!found) {
        pack_fault(unit, label, missing_or(path, "is no file that can be read"));
        continue;
      }
      bytes += found->bytes;
      const auto size = file.at("bytes").get<std::uint64_t>();
      if (found->bytes != size) {
        pack_fault(unit, label, fmt::format(kSize, found->bytes, size));
      } else if (found->digest != file.at("digest").get<std::string>()) {
        pack_fault(unit, label, kBytes);
      }
    }
    find_unlisted(unit, folder, listed);
    const std::lock_guard lock(mutex_);
    ++result_.units;
    result_.files += listed.size() - 1;
    result_.bytes += bytes;
  }

  /// Reports everything in the folder of a unit except its files and the folders above them.
  void find_unlisted(std::uint64_t unit, const std::string& folder, const std::set<std::string>& listed) {
    std::set<std::string> folders;
    for (const std::string& name : listed) {
      for (fs::path above = fs::path(name).parent_path(); above.has_relative_path(); above = above.parent_path()) {
        folders.insert(above.string());
      }
    }
    std::error_code error;
    for (fs::recursive_directory_iterator entry(dataset_ / folder, error), end; !error && entry != end;
         entry.increment(error)) {
      const std::string name = entry->path().lexically_relative(dataset_ / folder).string();
      const bool is_folder = entry->symlink_status(error).type() == fs::file_type::directory;
      if (is_folder ? folders.contains(name) : listed.contains(name)) continue;
      pack_fault(unit, fmt::format("{}/{}", folder, name),
                 is_folder ? "is a folder that the unit does not have" : "is a file that the unit does not have");
    }
  }

  /// Reports a fault of a pack that can be removed.
  void pack_fault(std::uint64_t pack, const std::string& name, std::string_view what) {
    fault(pack, name, what);
    const std::lock_guard lock(mutex_);
    faulty_.insert(pack);
  }

  /// Reports something that is never removed.
  void foreign(std::uint64_t pack, const fs::path& place, std::string_view what) {
    fault(pack, place.string(), what);
    const std::lock_guard lock(mutex_);
    ++result_.left;
  }

  void fault(std::uint64_t pack, const std::string& name, std::string_view what, std::uint64_t count = 1) {
    const std::lock_guard lock(mutex_);
    result_.fault_count += count;
    faults_.emplace(pack, fmt::format("{}: {}", name, what));
    if (faults_.size() > kMostFaults) faults_.erase(std::prev(faults_.end()));
  }

  void remove_faulty() {
    for (const std::uint64_t pack : faulty_) {
      const std::string hidden = unfinished_name(pack, this);
      remove_own(dataset_, places_(pack), hidden);
      if (!places_.is_folder()) remove_own(dataset_, places_.description(pack), hidden);
      ++result_.removed;
    }
    for (const fs::path& place : unfinished_) {
      if (is_of_living_process(place.filename().string())) {
        ++result_.left;
        continue;
      }
      remove_own(dataset_, place, place.filename());
      ++result_.removed;
    }
  }

  const fs::path& dataset_;
  const VerifyOptions& options_;
  DatasetFile file_;
  PackPlaces places_;
  std::unique_ptr<Executor> executor_;
  std::uint64_t next_ = 0;            // the pack after the last one found
  std::vector<std::uint64_t> packs_;  // found, to be verified
  std::vector<fs::path> unfinished_;
  std::mutex mutex_;  // of all below
  std::set<std::pair<std::uint64_t, std::string>> faults_;
  std::set<std::uint64_t> faulty_;  // packs
  VerifyResult result_;
};

}  // namespace

VerifyResult verify_dataset(const fs::path& dataset, const VerifyOptions& options) {
  return Verifier(dataset, options).run();
}

}  // namespace fathom
