// SPDX-License-Identifier: MIT
#pragma once
// The packs in the folders of a dataset, and the queue of packs that a process renders. The time to find packs grows
// with the content of the folders, not with the size that dataset.json claims.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>

#include <fathom/simulate/dataset.hpp>

#include "run/dataset/pack.hpp"

namespace fathom {

/// Something in the folder of a dataset.
struct Found {
  enum class Kind : std::uint8_t {
    kPack,        ///< a name of a pack of the list, or of its description
    kUnfinished,  ///< a pack that a process began
    kForeign,     ///< a link, or not part of the dataset
  };

  Kind kind = Kind::kForeign;
  std::filesystem::path place;  ///< below the dataset
  std::uint64_t index = 0;      ///< of the pack
};

/// Calls f for everything in the folder of a dataset, for each pack once and in their order. Follows no link,
/// and does not look into packs. Other hidden files belong to file systems and desktops and are ignored.
void for_each_found(const std::filesystem::path& dataset, const PackList& packs,
                    const std::function<void(const Found&)>& f);

/// The hidden name of a pack in the making: ".000012345.HOST-PID-ADDRESS.part". `owner`: the object that
/// makes it. Several computers, processes or threads may make the same pack.
std::string unfinished_name(std::uint64_t index, const void* owner);

/// The name of this computer.
std::string host_name();
/// Whether a process of this computer lives, as far as the system knows.
bool is_alive(pid_t process);
/// Whether another living process of this computer has given this name.
bool is_of_living_process(std::string_view unfinished);

/// The packs that a process renders, one after the other.
class PackQueue {
 public:
  /// `inputs`: digest of them. Throws InputError for units that are not in the list, and for a list of units in a
  /// format with many in each file.
  PackQueue(const PackList& packs, const DatasetOptions& options, std::string inputs);

  /// Throws InputError when a pack of the queue exists, unless the options resume or force.
  void check() const;
  /// Whether a pack is not complete. The packs before it are not checked again.
  bool skip_complete();
  /// Removes packs of the queue that stopped processes have begun. No other process of this run renders these packs.
  void remove_begun() const;
  /// The next pack to render, whose place is free of links; nothing after the last. For any thread.
  std::optional<Pack> take();

  [[nodiscard]] std::uint64_t size() const;    ///< of all packs, complete ones included
  [[nodiscard]] std::uint64_t units() const;   ///< of all these packs
  [[nodiscard]] std::uint64_t frames() const;  ///< of all these units

 private:
  [[nodiscard]] std::uint64_t index_of(std::uint64_t position) const;
  [[nodiscard]] bool has(std::uint64_t index) const;
  [[nodiscard]] bool keeps(const Pack& pack) const;
  void remove_begun(const std::filesystem::path& place, std::uint64_t index) const;

  PackList packs_;
  const DatasetOptions& options_;
  std::string inputs_;
  std::mutex mutex_;        // of next_
  std::uint64_t next_ = 0;  // position in the queue
};

}  // namespace fathom
