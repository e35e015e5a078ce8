// SPDX-License-Identifier: MIT
#pragma once
// Which packs a process renders, one after the other.

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>

#include <fathom/dataset/dataset.hpp>

#include "dataset/pack.hpp"

namespace fathom {

class PackQueue {
 public:
  /// `inputs`: digest of them. Throws InputError for units that the list has not, and where units
  /// are listed that stand in files with others.
  PackQueue(const PackList& packs, const DatasetOptions& options, std::string inputs);

  /// Throws InputError when a pack of the queue is there, unless the options resume or force.
  void check() const;
  /// Whether there is a pack that is not complete. Those before it are not looked at again.
  bool skip_complete();
  /// Removes packs of the queue that stopped processes have begun. No other process of this run renders these packs.
  void remove_begun() const;
  /// The next pack to render, whose place is free of links; nothing after the last. For any thread.
  std::optional<Pack> take();

  [[nodiscard]] std::uint64_t size() const;    ///< with those that are complete
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
