// SPDX-License-Identifier: MIT
#pragma once

namespace fathom::test {

/// While it lives, operator new of this process fails: at the n-th call from now, and with `for_good` at every later
/// one.
class FailingNew {
 public:
  FailingNew(int n, bool for_good);
  ~FailingNew();
  FailingNew(const FailingNew&) = delete;
  FailingNew& operator=(const FailingNew&) = delete;

  [[nodiscard]] bool has_failed() const;
};

}  // namespace fathom::test
