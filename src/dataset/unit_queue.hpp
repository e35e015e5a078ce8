// SPDX-License-Identifier: MIT
#pragma once
// Which units a process renders, one after the other.

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include <fathom/dataset/dataset.hpp>

#include "dataset/shelf.hpp"

namespace fathom {

class UnitQueue {
 public:
  /// `inputs`: digest of them. Throws InputError for units that the list has not.
  UnitQueue(const UnitList& units, const DatasetOptions& options, std::string inputs);

  /// Throws InputError when a unit of the queue is there, unless the options resume or force.
  void check();
  /// The next unit to render; nothing when there is none left. For any thread.
  std::optional<Unit> take();

  [[nodiscard]] std::uint64_t size() const;    ///< with those that are complete
  [[nodiscard]] std::uint64_t frames() const;  ///< of all these units, as if each had a whole block
  [[nodiscard]] std::uint64_t skipped() const { return skipped_; }

 private:
  [[nodiscard]] std::uint64_t index_of(std::uint64_t position) const;
  bool is_done(const Unit& unit);

  UnitList units_;
  const DatasetOptions& options_;
  std::string inputs_;
  std::mutex mutex_;  // of all below
  UnitShelf shelf_;
  std::uint64_t next_ = 0;  // position in the queue
  std::uint64_t skipped_ = 0;
};

}  // namespace fathom
