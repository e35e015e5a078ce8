// SPDX-License-Identifier: MIT
// A build without DDS has no topics.

#include "ros/participant.hpp"

#include <utility>

#include <fathom/core/error.hpp>

#include "core/errors.hpp"

namespace fathom {

struct Participant::Impl {};

bool has_topics() { return false; }

Participant::Participant(const TopicDomain& /*domain*/) {
  throw InputError("topics: " + missing_feature("DDS", "cyclonedds-dev"));
}
Participant::~Participant() = default;

std::uint16_t Participant::add_writer(std::string_view, const MessageType&, const TopicQuality&) { return 0; }
void Participant::write(std::uint16_t, std::string) {}
std::size_t Participant::readers(std::uint16_t) const { return 0; }
bool Participant::flush(double) { return true; }
std::uint16_t Participant::add_reader(std::string_view, const MessageType&) { return 0; }
std::optional<std::string> Participant::take(std::uint16_t) { return {}; }
void Participant::wait(double) {}

}  // namespace fathom
