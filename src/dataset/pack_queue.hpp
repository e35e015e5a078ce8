// SPDX-License-Identifier: MIT
#pragma once
// Which packs a process renders, one after the other.

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include <fathom/dataset/dataset.hpp>

#include "dataset/claims.hpp"
#include "dataset/shelf.hpp"

namespace fathom {

class PackQueue {
 public:
  /// `inputs`: digest of them. Throws InputError for units that the list has not, and where units
  /// are listed that stand in files with others.
  PackQueue(const PackList& packs, const DatasetOptions& options, std::string inputs);

  /// Throws InputError when a pack of the queue is there, unless the options resume, claim or force.
  void check();
  /// Whether there is a pack that is not complete. Those before it are not looked at again.
  bool skip_complete();
  /// The next pack to render; nothing when there is none left. With claims it waits for packs that others have claimed,
  /// until these are complete or stale, or should_stop says yes. For any thread.
  std::optional<Pack> take();
  /// Says that the pack, which take() gave, is being rendered, or is rendered. Without claims nothing happens.
  void renew(const Pack& pack) const;
  void release(const Pack& pack) const;

  [[nodiscard]] std::uint64_t size() const;    ///< with those that are complete
  [[nodiscard]] std::uint64_t units() const;   ///< of all these packs
  [[nodiscard]] std::uint64_t frames() const;  ///< of all these units
  [[nodiscard]] std::uint64_t given() const { return given_; }

 private:
  [[nodiscard]] std::uint64_t own_size() const;
  [[nodiscard]] std::uint64_t index_of(std::uint64_t position) const;
  [[nodiscard]] bool keeps_complete() const { return (options_.resume || options_.claim) && !options_.run.force; }
  [[nodiscard]] bool keeps(const Pack& pack);
  [[nodiscard]] bool is_same(const std::optional<PackEntry>& entry, const Pack& pack) const;
  std::optional<Pack> next();
  bool is_mine(const Pack& pack);
  void make_room(const Pack& pack);

  PackList packs_;
  const DatasetOptions& options_;
  std::string inputs_;
  std::mutex mutex_;  // of all below
  PackShelf shelf_;
  Claims claims_;
  std::uint64_t next_ = 0;     // position in the queue
  std::uint64_t claimed_ = 0;  // packs of this round that are others'
  std::uint64_t given_ = 0;    // by take()
};

}  // namespace fathom
