// SPDX-License-Identifier: MIT
#include <fathom/base/compute.hpp>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

namespace fathom {

namespace {

#ifdef FATHOM_EMBREE
constexpr bool kHasEmbree = true;
#else
constexpr bool kHasEmbree = false;
#endif

}  // namespace

std::string_view to_string(CasterKind caster) {
  const auto position = static_cast<std::size_t>(caster);
  return position < kCasterWords.size() ? kCasterWords[position] : "unknown";
}

void validate(const Compute& compute) {
  if (compute.isa > detect_isa()) {
    throw InputError(fmt::format("isa = {} is not supported by this computer (up to {})", to_string(compute.isa),
                                 to_string(detect_isa())));
  }
  if (compute.caster == CasterKind::kEmbree && !kHasEmbree) {
    throw InputError("caster = embree is not in this build: configure it with FATHOM_EMBREE=ON");
  }
  if (compute.threads < 0 || compute.threads > Compute::kMostThreads) {
    throw InputError(fmt::format("threads = {} is not in [0, {}]", compute.threads, Compute::kMostThreads));
  }
}

}  // namespace fathom
