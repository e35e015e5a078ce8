// SPDX-License-Identifier: MIT
#include "topic/participant.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include <dds/dds.h>
#include <fmt/format.h>
#include <ifaddrs.h>

#include <fathom/base/error.hpp>
#include <fathom/base/names.hpp>

#include "topic/dds/own_sockets.hpp"
#include "topic/dds/raw_cdr.hpp"
#include "topic/topic_names.hpp"

namespace fathom {

namespace {

/// What a function of the library returned: an entity, a count, or less than 0 for an error.
dds_return_t checked(dds_return_t value, std::string_view what) {
  if (value < 0) throw SystemError(fmt::format("DDS: {}: {}", what, dds_strretcode(-value)));
  return value;
}

/// A setting for each thing that the library would do otherwise:
/// - A writer never waits for a reader: what it keeps is bounded by its depth, not by WhcHigh.
/// - On this computer large messages travel in large datagrams; on a network, in packets of one frame.
/// - A receiver's buffer holds most of a cloud of 128 x 2048, as far as the system allows: 208 kB are usual.
/// - No trace is written.
/// - Participants of one computer find each other without multicast, by the well-known ports of the first 32.
std::string settings_of(const TopicDomain& domain) {
  const bool loopback = domain.interface.empty();
  const bool is_address = !loopback && std::isdigit(static_cast<unsigned char>(domain.interface.front())) != 0;
  const std::string interface = loopback ? R"(address="127.0.0.1" multicast="false")"
                                         : fmt::format(R"({}="{}")", is_address ? "address" : "name", domain.interface);
  return fmt::format(
      R"(<CycloneDDS><Domain id="any"><General><Interfaces><NetworkInterface {}/></Interfaces>{}</General>)"
      R"(<Discovery><ParticipantIndex>auto</ParticipantIndex><MaxAutoParticipantIndex>32</MaxAutoParticipantIndex>{}</Discovery>)"
      R"(<Internal><Watermarks><WhcHigh>1 GB</WhcHigh></Watermarks>)"
      R"(<SocketReceiveBufferSize max="4 MB"/></Internal>)"
      R"(<Tracing><Verbosity>none</Verbosity></Tracing></Domain></CycloneDDS>)",
      interface,
      loopback ? "<AllowMulticast>false</AllowMulticast><MaxMessageSize>65500 B</MaxMessageSize>"
                 "<FragmentSize>65000 B</FragmentSize>"
               : "",
      loopback ? R"(<Peers><Peer address="127.0.0.1"/></Peers>)" : "");
}

bool has_interface(const std::string& wanted) {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) throw SystemError("the network interfaces cannot be listed");
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owned(list, &freeifaddrs);
  for (const ifaddrs* at = list; at != nullptr; at = at->ifa_next) {
    if (at->ifa_addr == nullptr || at->ifa_addr->sa_family != AF_INET) continue;
    std::array<char, INET_ADDRSTRLEN> address = {};
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(at->ifa_addr)->sin_addr, address.data(), address.size());
    if (wanted == at->ifa_name || wanted == address.data()) return true;
  }
  return false;
}

void check_domain(const TopicDomain& domain) {
  if (domain.domain > kMaxDomain) {
    throw InputError(fmt::format("domain {} is not in [0, {}]", domain.domain, kMaxDomain));
  }
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view("._:-@").find(c) != std::string::npos;
  };
  if (!std::all_of(domain.interface.begin(), domain.interface.end(), is_part)) {
    throw InputError("the interface is no name or address, as eth0 or 192.168.1.7");
  }
  if (!domain.interface.empty() && !has_interface(domain.interface)) {
    throw InputError(
        fmt::format("interface {}: there is none of this name or address that speaks IPv4", domain.interface));
  }
}

/// What the library would print. Its log is one for all of a process.
class CaughtLog {
 public:
  CaughtLog() { dds_set_log_sink(&CaughtLog::keep, this); }
  ~CaughtLog() { dds_set_log_sink(nullptr, nullptr); }
  CaughtLog(const CaughtLog&) = delete;
  CaughtLog& operator=(const CaughtLog&) = delete;

  /// The first line, after ": "; empty: there is none.
  [[nodiscard]] std::string first() const {
    const std::lock_guard lock(mutex_);
    return first_.empty() ? "" : ": " + printable(first_);
  }

 private:
  static void keep(void* log, const dds_log_data_t* line) {
    auto& my = *static_cast<CaughtLog*>(log);
    const std::lock_guard lock(my.mutex_);
    if (!my.first_.empty() || line->message == nullptr) return;
    my.first_ = std::string_view(line->message).substr(0, std::string_view(line->message).find('\n'));
  }

  mutable std::mutex mutex_;
  std::string first_;
};

class Quality {
 public:
  Quality(const TopicQuality& quality, std::string_view user_data) : qos_(dds_create_qos()) {
    dds_qset_reliability(qos_, quality.is_reliable ? DDS_RELIABILITY_RELIABLE : DDS_RELIABILITY_BEST_EFFORT, 0);
    dds_qset_durability(qos_, quality.is_latched ? DDS_DURABILITY_TRANSIENT_LOCAL : DDS_DURABILITY_VOLATILE);
    dds_qset_history(qos_, DDS_HISTORY_KEEP_LAST, quality.depth);
    if (quality.is_latched) {  // what a late reader gets: without it, the last message alone
      dds_qset_durability_service(qos_, 0, DDS_HISTORY_KEEP_LAST, quality.depth, DDS_LENGTH_UNLIMITED,
                                  DDS_LENGTH_UNLIMITED, DDS_LENGTH_UNLIMITED);
    }
    dds_qset_userdata(qos_, user_data.data(), user_data.size());
  }
  ~Quality() { dds_delete_qos(qos_); }
  Quality(const Quality&) = delete;
  Quality& operator=(const Quality&) = delete;
  [[nodiscard]] dds_qos_t* get() const { return qos_; }

 private:
  dds_qos_t* qos_;
};

}  // namespace

struct Participant::Impl {
  struct Writer {
    dds_entity_t entity;
    const ddsi_sertype* type;  ///< lives as long as the entity
  };

  ~Impl() {
    if (domain > 0) dds_delete(domain);  // and all that is in it
  }

  /// The entity, and the type as the domain knows it.
  std::pair<dds_entity_t, const ddsi_sertype*> make_topic(std::string_view topic, const MessageType& type) const {
    ddsi_sertype* raw = make_raw_type(dds_type_name(type.name));
    const dds_entity_t entity =
        dds_create_topic_sertype(participant, dds_topic_name(topic).c_str(), &raw, nullptr, nullptr, nullptr);
    if (entity < 0) ddsi_sertype_unref(raw);
    checked(entity, topic);
    return {entity, raw};
  }

  CaughtLog log;
  dds_entity_t domain = 0, participant = 0;
  std::vector<Writer> writers;
};

bool has_topics() { return true; }

Participant::Participant(const TopicDomain& domain) : impl_(std::make_unique<Impl>()) {
  check_domain(domain);
  Impl& my = *impl_;
  const std::set<int> others = udp_sockets();
  const dds_entity_t created = dds_create_domain(domain.domain, settings_of(domain).c_str());
  if (created == DDS_RETCODE_PRECONDITION_NOT_MET) {
    throw InputError(fmt::format("domain {}: this process has a participant of it already", domain.domain));
  }
  my.domain = checked(created, fmt::format("domain {}{}", domain.domain, my.log.first()));
  const Quality quality({}, "enclave=/;");  // as every participant of ROS 2 says
  const dds_entity_t participant = dds_create_participant(domain.domain, quality.get(), nullptr);
  my.participant = checked(participant, fmt::format("domain {}{}", domain.domain, my.log.first()));
  if (domain.interface.empty()) {  // also where another thread made a socket just now, which a process hardly does
    for (const int socket : udp_sockets()) {
      if (!others.contains(socket)) hear_this_computer_alone(socket);
    }
  }
}

Participant::~Participant() = default;

std::uint16_t Participant::add_writer(std::string_view topic, const MessageType& type, const TopicQuality& quality) {
  constexpr std::size_t kMostWriters = std::numeric_limits<std::uint16_t>::max();
  if (impl_->writers.size() >= kMostWriters) {
    throw InputError(fmt::format("{}: a participant has at most {} writers", printable(topic), kMostWriters));
  }
  const auto [entity, raw_type] = impl_->make_topic(topic, type);
  const Quality qos(quality, user_data_of(type));
  const dds_entity_t writer = checked(dds_create_writer(impl_->participant, entity, qos.get(), nullptr), topic);
  impl_->writers.push_back({writer, raw_type});
  return static_cast<std::uint16_t>(impl_->writers.size() - 1);
}

void Participant::write(std::uint16_t writer, std::string cdr) {
  const Impl::Writer& to = impl_->writers.at(writer);
  checked(dds_writecdr(to.entity, make_raw_sample(to.type, std::move(cdr))), "write");
}

std::size_t Participant::readers(std::uint16_t writer) const {
  dds_publication_matched_status_t status = {};
  checked(dds_get_publication_matched_status(impl_->writers.at(writer).entity, &status), "readers");
  return status.current_count;
}

bool Participant::flush(double seconds) {
  bool all = true;
  for (const Impl::Writer& writer : impl_->writers) {
    all = dds_wait_for_acks(writer.entity, static_cast<dds_duration_t>(std::llround(seconds * 1e9))) == 0 && all;
  }
  return all;
}

}  // namespace fathom
