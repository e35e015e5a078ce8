// SPDX-License-Identifier: MIT
#include <fathom/sensor/returns.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

namespace fathom {

void validate(const Divergence& divergence, const ReturnChoices& returns) {
  validate(divergence);
  if (returns.empty()) throw InputError("returns names no return; a sensor reports at least one");
  for (std::size_t k = 0; k < returns.size(); ++k) {
    const auto place = static_cast<std::size_t>(returns[k]);
    if (place >= kMostReturns) throw InputError(fmt::format("returns: {} is not in [0, {})", place, kMostReturns));
    const auto end = returns.begin() + static_cast<std::ptrdiff_t>(k);
    if (std::find(returns.begin(), end, returns[k]) != end) {
      throw InputError(fmt::format("returns names '{}' twice", kChoiceWords<ReturnChoice>[place]));
    }
  }
  const bool is_second = returns[0] == ReturnChoice::kSecond || returns[0] == ReturnChoice::kSecondStrongest;
  if (returns.size() == 1 && is_second && !divergence.diverges()) {
    throw InputError(fmt::format("returns: '{}' needs a divergence: a ray that does not widen has one return",
                                 kChoiceWords<ReturnChoice>[static_cast<std::size_t>(returns[0])]));
  }
  if (returns.size() > 1 && !divergence.diverges()) {
    throw InputError(
        fmt::format("{} returns of each ray need a divergence: a ray that does not widen has one", returns.size()));
  }
}

}  // namespace fathom
