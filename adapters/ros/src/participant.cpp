// SPDX-License-Identifier: MIT
#include "ros/participant.hpp"

#include <fathom/core/error.hpp>

#include "core/errors.hpp"
#include "core/text/module.hpp"

namespace fathom {

#ifdef FATHOM_DDS

bool has_topics() { return true; }

std::unique_ptr<Participant> open_participant(const TopicDomain& domain) {
  static auto* const open = reinterpret_cast<OpenParticipant*>(
      with_prefix("topics", [] { return load_module_function("dds", kOpenParticipant, "cyclonedds-dev"); }));
  std::unique_ptr<Participant> opened;
  open(domain, opened);
  return opened;
}

#else

bool has_topics() { return false; }

std::unique_ptr<Participant> open_participant(const TopicDomain& /*domain*/) {
  throw InputError("topics: " + missing_feature("DDS", "cyclonedds-dev"));
}

#endif

}  // namespace fathom
