// SPDX-License-Identifier: MIT
#pragma once
// Which units a process renders, one after the other.

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include <fathom/dataset/dataset.hpp>

#include "dataset/claims.hpp"
#include "dataset/shelf.hpp"

namespace fathom {

class UnitQueue {
 public:
  /// `inputs`: digest of them. Throws InputError for units that the list has not.
  UnitQueue(const UnitList& units, const DatasetOptions& options, std::string inputs);

  /// Throws InputError when a unit of the queue is there, unless the options resume, claim or force.
  void check();
  /// The next unit to render; nothing when there is none left. With claims it waits for units that others have claimed,
  /// until these are complete or stale, or should_stop says yes. For any thread.
  std::optional<Unit> take();
  /// Says that the unit, which take() gave, is being rendered, or is rendered. Without claims nothing happens.
  void renew(const Unit& unit) const;
  void release(const Unit& unit) const;

  [[nodiscard]] std::uint64_t size() const;    ///< with those that are complete
  [[nodiscard]] std::uint64_t frames() const;  ///< of all these units, as if each had a whole block
  [[nodiscard]] std::uint64_t given() const { return given_; }

 private:
  [[nodiscard]] std::uint64_t own_size() const;
  [[nodiscard]] std::uint64_t index_of(std::uint64_t position) const;
  [[nodiscard]] bool keeps_complete() const { return (options_.resume || options_.claim) && !options_.run.force; }
  [[nodiscard]] bool is_same(const std::optional<UnitEntry>& entry, const Unit& unit) const;
  std::optional<Unit> next();
  bool is_mine(const Unit& unit);
  void make_room(const Unit& unit);

  UnitList units_;
  const DatasetOptions& options_;
  std::string inputs_;
  std::mutex mutex_;  // of all below
  UnitShelf shelf_;
  Claims claims_;
  std::uint64_t next_ = 0;     // position in the queue
  std::uint64_t claimed_ = 0;  // units of this round that are others'
  std::uint64_t given_ = 0;    // by take()
};

}  // namespace fathom
