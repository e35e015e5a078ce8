// SPDX-License-Identifier: MIT
#include <algorithm>
#include <mutex>
#include <set>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fathom/base/error.hpp>
#include <fathom/base/executor.hpp>
#include <fathom/dataset/manifest.hpp>

#include "dataset/dataset_file.hpp"
#include "dataset/fail_at.hpp"
#include "dataset/hdf5_files.hpp"
#include "dataset/manifest_file.hpp"
#include "dataset/read_bytes.hpp"
#include "dataset/shelf.hpp"
#include "dataset/stray.hpp"
#include "dataset/whole_pack.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;

// Faults that packs of every format can have.
constexpr const char* kOther = "is made of something else: other inputs, seed, numbers or version";
constexpr const char* kBytes = "has other bytes than were written";
constexpr const char* kSize = "has {} bytes in place of {}";

const char* missing_or(const fs::path& path, const char* otherwise) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error)) ? otherwise : "is missing";
}

class Verifier {
 public:
  Verifier(const fs::path& dataset, const VerifyOptions& options)
      : dataset_(dataset),
        options_(options),
        file_(read_dataset_file(dataset)),
        executor_(make_executor(options.threads)) {}

  VerifyResult run() {
    const auto manifest = read_bytes(dataset_ / kManifestName);
    merged_ = manifest.has_value();
    if (!merged_ && !options_.remove_faulty) {
      throw InputError(fmt::format("{}: has no {}; `fathom dataset merge` makes it of a complete dataset",
                                   dataset_.string(), kManifestName));
    }
    const bool described = read_bytes(dataset_ / kDatasetName) == dataset_text(file_);
    if (!described && options_.remove_faulty) {  // what it calls faulty may be what it should describe
      throw InputError(
          fmt::format("{}: is not as it was written, so nothing is removed; `fathom simulate --resume` "
                      "writes it anew",
                      (dataset_ / kDatasetName).string()));
    }
    Manifest found;
    for (std::uint64_t first = 0; first < file_.packs.size(); first += kPacksPerPart) verify_part(first, found);
    if (manifest) compare(found, *manifest);
    if (!described) fault(0, kDatasetName, "is not as it was written");
    for_each_stray(dataset_, file_.packs, [this](const fs::path& path) {
      fault(file_.packs.size(), relative(path), "is none of the dataset");
      strays_.push_back(path);
    });
    if (options_.remove_faulty) remove_faulty();
    return result();
  }

 private:
  [[nodiscard]] std::string relative(const fs::path& path) const { return path.lexically_relative(dataset_).string(); }

  void compare(const Manifest& found, const std::string& manifest) {
    std::optional<FileDigest> merged;
    if (file_.packs.files().format == DatasetFormat::kHdf5) {
      merged = digest_file(dataset_ / kMergedHdf5Name);
      if (!merged) fault(0, kMergedHdf5Name, "is missing");
    }
    if (found.text(file_, merged) == manifest) return;
    const auto json = nlohmann::json::parse(manifest, nullptr, false);
    if (json.is_object() && json.contains("description") && json["description"] != digest_of(dataset_text(file_))) {
      return fault(0, kDatasetName, "is not the one of which merging wrote the manifest");
    }
    fault(0, kManifestName,
          merged ? "does not agree with dataset.h5 or the lines of the manifest"
                 : "does not agree with the lines of the manifest");
  }

  /// Of a pack, unless `name` is none of it.
  void pack_fault(std::uint64_t pack, const std::string& name, std::string_view what) {
    fault(pack, name, what);
    const std::lock_guard lock(mutex_);
    faulty_.insert(pack);
  }

  void remove_faulty() {
    if (result_.fault_count == 0) return;
    std::error_code failed;
    fs::remove(dataset_ / kManifestName, failed);  // before what it speaks of
    if (failed) fail_at(dataset_ / kManifestName, "be removed", failed.value());
    for (const std::uint64_t pack : faulty_) {
      const fs::path place = dataset_ / file_.packs.places()(pack);
      std::error_code error;
      if (!fs::exists(fs::symlink_status(place, error))) continue;
      append_removal(dataset_, pack);
      remove_place(place, place.parent_path() / unfinished_name(pack, this));
      ++result_.removed;
    }
    for (const fs::path& stray : strays_) {
      std::error_code error;
      fs::remove_all(stray, error);
      if (error) fail_at(stray, "be removed", error.value());
      ++result_.removed;
    }
  }

  void fault(std::uint64_t pack, const std::string& name, std::string_view what) {
    const std::lock_guard lock(mutex_);
    ++result_.fault_count;
    faults_.emplace(pack, fmt::format("{}: {}", name, what));
    if (faults_.size() > kMostFaults) faults_.erase(std::prev(faults_.end()));
  }

  void verify_part(std::uint64_t first, Manifest& found) {
    PartEntries entries = read_part(dataset_ / part_file(first));
    // Lines of other packs, such as those of a larger dataset, are in no manifest.json.
    const auto is_other = [&](const auto& entry) {
      return entry.first / kPacksPerPart != first / kPacksPerPart || entry.first >= file_.packs.size();
    };
    if (std::erase_if(entries, is_other) > 0 && merged_) {
      fault(first, part_file(first).string(), "has lines of what is none of the dataset");
    }
    std::string lines;
    for (const auto& [index, entry] : entries) {
      found.add(entry, file_.packs.at(index).units);
      lines += entry_line(entry);
    }
    if (merged_ && read_bytes(dataset_ / part_file(first)).value_or("") != lines) {
      fault(first, part_file(first).string(), "has more than the lines that merging wrote");
    }
    const std::uint64_t end = std::min(first + kPacksPerPart, file_.packs.size());
    executor_->parallel_for(end - first, 1, [&](std::size_t a, std::size_t b) {
      for (std::uint64_t i = first + a; i < first + b; ++i) {
        if (options_.should_stop && options_.should_stop()) throw Interrupted("stopped; nothing was changed");
        const auto entry = entries.find(i);
        entry == entries.end() ? verify_unlisted(i) : verify_pack(entry->second);
      }
    });
  }

  /// A pack without a line: missing, unless it is there, where before merging units speak for themselves.
  void verify_unlisted(std::uint64_t index) {
    const PackPlaces places = file_.packs.places();
    const auto by_itself = merged_ ? std::nullopt : read_entry(dataset_, places, index);
    if (by_itself) return verify_pack(*by_itself);
    std::error_code error;
    if (!merged_ && !fs::exists(fs::symlink_status(dataset_ / places(index), error))) return;
    pack_fault(index, places(index).string(), "the manifest has no line of it");
  }

  void verify_pack(const PackEntry& entry) {
    if (entry.digest != file_.packs.digest(file_.inputs, file_.packs.at(entry.index))) {
      return pack_fault(entry.index, file_.packs.places()(entry.index).string(), kOther);
    }
    return file_.packs.places().is_folder() ? verify_unit(entry) : verify_file(entry);
  }

  void verify_file(const PackEntry& entry) {
    const std::string name = file_.packs.places()(entry.index).string();
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

  void verify_unit(const PackEntry& entry) {
    const std::string name = file_.packs.places()(entry.index).string();
    const auto text = read_bytes(dataset_ / name / kUnitJson);
    if (!text) return pack_fault(entry.index, name, missing_or(dataset_ / name, "is no unit that can be read"));
    const auto found = read_unit_json(dataset_ / name, entry.index);
    if (found && found->digest != entry.digest) return pack_fault(entry.index, name, kOther);
    if (!found || *found != entry)
      return pack_fault(entry.index, name + "/" + kUnitJson, "is not as the manifest says");
    try {
      verify_files(entry.index, name, nlohmann::json::parse(*text));
    } catch (const nlohmann::json::exception&) {
      pack_fault(entry.index, name + "/" + kUnitJson, "was not written by fathom");
    }
  }

  void verify_files(std::uint64_t unit, const std::string& folder, const nlohmann::json& json) {
    std::set<std::string> listed = {kUnitJson};
    std::uint64_t bytes = 0;
    for (const auto& file : json.at("files")) {
      const auto name = file.at("name").get<std::string>();
      listed.insert(name);
      const fs::path path = dataset_ / folder / name;
      std::error_code error;
      const bool is_file = fs::symlink_status(path, error).type() == fs::file_type::regular;
      const auto found = is_file ? digest_file(path) : std::nullopt;
      if (!found) {
        pack_fault(unit, fmt::format("{}/{}", folder, name), missing_or(path, "is no file that can be read"));
        continue;
      }
      bytes += found->bytes;
      const auto size = file.at("bytes").get<std::uint64_t>();
      if (found->bytes != size) {
        pack_fault(unit, fmt::format("{}/{}", folder, name), fmt::format(kSize, found->bytes, size));
      } else if (found->digest != file.at("digest").get<std::string>()) {
        pack_fault(unit, fmt::format("{}/{}", folder, name), kBytes);
      }
    }
    find_unlisted(unit, folder, listed);
    const std::lock_guard lock(mutex_);
    ++result_.units;
    result_.files += listed.size() - 1;
    result_.bytes += bytes;
  }

  /// Everything in the folder of a unit but its files and the folders above them. Follows no links.
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

  [[nodiscard]] VerifyResult result() {
    for (const auto& [unit, text] : faults_) result_.faults.push_back(text);
    return result_;
  }

  const fs::path& dataset_;
  const VerifyOptions& options_;
  DatasetFile file_;
  bool merged_ = true;
  std::unique_ptr<Executor> executor_;
  std::mutex mutex_;  // of all below
  std::set<std::pair<std::uint64_t, std::string>> faults_;
  std::set<std::uint64_t> faulty_;  // packs
  std::vector<fs::path> strays_;
  VerifyResult result_;
};

}  // namespace

VerifyResult verify_dataset(const fs::path& dataset, const VerifyOptions& options) {
  return Verifier(dataset, options).run();
}

}  // namespace fathom
