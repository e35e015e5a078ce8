// SPDX-License-Identifier: MIT
#include "ros/participant.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <limits>
#include <linux/filter.h>
#include <memory>
#include <mutex>
#include <netinet/in.h>
#include <set>
#include <string>
#include <sys/socket.h>
#include <utility>
#include <vector>

#include <dds/dds.h>
#include <dds/ddsi/ddsi_serdata.h>
#include <dds/ddsi/ddsi_sertype.h>
#include <dds/ddsi/q_radmin.h>
#include <fmt/format.h>
#include <ifaddrs.h>

#include <fathom/core/error.hpp>
#include <fathom/core/names.hpp>

namespace fathom {

namespace {

// A type of Cyclone DDS for messages of any type without a key, as bytes: the library does not interpret received
// bytes.

struct RawSample : ddsi_serdata {
  RawSample(const ddsi_sertype* of, ddsi_serdata_kind as) : ddsi_serdata{} {
    ddsi_serdata_init(this, of, as);
    hash = of->serdata_basehash;
  }
  std::size_t size = 0;  ///< of the message
  std::string bytes;     ///< padded to a multiple of 4, which the library may read
};

RawSample* raw(ddsi_serdata* sample) { return static_cast<RawSample*>(sample); }
const RawSample* raw(const ddsi_serdata* sample) { return static_cast<const RawSample*>(sample); }

constexpr std::size_t padded(std::size_t size) { return (size + 3) / 4 * 4; }

/// All messages belong to one instance.
bool same_key(const ddsi_serdata* /*a*/, const ddsi_serdata* /*b*/) { return true; }

std::uint32_t sample_size(const ddsi_serdata* sample) { return static_cast<std::uint32_t>(raw(sample)->size); }

/// From the network. Fragments may overlap; missing bytes stay zero.
ddsi_serdata* from_fragments(const ddsi_sertype* type, ddsi_serdata_kind kind, const nn_rdata* fragment,
                             std::size_t size) {
  auto sample = std::make_unique<RawSample>(type, kind);
  sample->size = size;
  sample->bytes.resize(padded(size));
  std::size_t have = 0;
  for (; fragment != nullptr; fragment = fragment->nextfrag) {
    const std::size_t end = std::min<std::size_t>(fragment->maxp1, size);
    if (end <= have || fragment->min > have) continue;
    const unsigned char* const payload = NN_RMSG_PAYLOADOFF(fragment->rmsg, NN_RDATA_PAYLOAD_OFF(fragment));
    std::memcpy(sample->bytes.data() + have, payload + (have - fragment->min), end - have);
    have = end;
  }
  return sample.release();
}

ddsi_serdata* from_pieces(const ddsi_sertype* type, ddsi_serdata_kind kind, ddsrt_msg_iovlen_t count,
                          const ddsrt_iovec_t* pieces, std::size_t size) {
  auto sample = std::make_unique<RawSample>(type, kind);
  for (ddsrt_msg_iovlen_t i = 0; i < count; ++i) {
    sample->bytes.append(static_cast<const char*>(pieces[i].iov_base), pieces[i].iov_len);
  }
  sample->size = std::min(size, sample->bytes.size());
  sample->bytes.resize(padded(sample->size));
  return sample.release();
}

ddsi_serdata* from_key(const ddsi_sertype* type, const ddsi_keyhash* /*key*/) { return new RawSample(type, SDK_KEY); }

/// Only serialised samples exist.
ddsi_serdata* from_struct(const ddsi_sertype* /*type*/, ddsi_serdata_kind /*kind*/, const void* /*data*/) {
  return nullptr;
}
bool to_struct(const ddsi_serdata* /*sample*/, void* /*data*/, void** /*buffer*/, void* /*end*/) { return false; }
bool key_to_struct(const ddsi_sertype* /*type*/, const ddsi_serdata* /*sample*/, void* /*data*/, void** /*buffer*/,
                   void* /*end*/) {
  return true;
}

ddsi_serdata* to_key(const ddsi_serdata* sample) {
  auto* const key = new RawSample(sample->type, SDK_KEY);
  key->type = nullptr;  // it serves all topics
  return key;
}

void copy_bytes(const ddsi_serdata* sample, std::size_t offset, std::size_t size, void* to) {
  std::memcpy(to, raw(sample)->bytes.data() + offset, size);
}

ddsi_serdata* lend_bytes(const ddsi_serdata* sample, std::size_t offset, std::size_t size, ddsrt_iovec_t* to) {
  to->iov_base = const_cast<char*>(raw(sample)->bytes.data()) + offset;
  to->iov_len = size;
  return ddsi_serdata_ref(sample);
}

void return_bytes(ddsi_serdata* sample, const ddsrt_iovec_t* /*lent*/) { ddsi_serdata_unref(sample); }

void free_sample(ddsi_serdata* sample) { delete raw(sample); }

std::size_t print_sample(const ddsi_sertype* /*type*/, const ddsi_serdata* /*sample*/, char* text, std::size_t size) {
  if (size > 0) text[0] = '\0';
  return 0;
}

void key_hash(const ddsi_serdata* /*sample*/, ddsi_keyhash* hash, bool /*md5*/) { std::memset(hash, 0, sizeof(*hash)); }

ddsi_serdata_ops sample_ops() {
  ddsi_serdata_ops ops = {};
  ops.eqkey = &same_key;
  ops.get_size = &sample_size;
  ops.from_ser = &from_fragments;
  ops.from_ser_iov = &from_pieces;
  ops.from_keyhash = &from_key;
  ops.from_sample = &from_struct;
  ops.to_ser = &copy_bytes;
  ops.to_ser_ref = &lend_bytes;
  ops.to_ser_unref = &return_bytes;
  ops.to_sample = &to_struct;
  ops.to_untyped = &to_key;
  ops.untyped_to_sample = &key_to_struct;
  ops.free = &free_sample;
  ops.print = &print_sample;
  ops.get_keyhash = &key_hash;
  return ops;
}

void free_type(ddsi_sertype* type) {
  ddsi_sertype_fini(type);
  delete type;
}

ddsi_sertype_ops type_ops() {
  ddsi_sertype_ops ops = {};
  ops.version = &ddsi_sertype_v0;
  ops.free = &free_type;
  ops.zero_samples = [](const ddsi_sertype*, void*, std::size_t) {};
  ops.realloc_samples = [](void** samples, const ddsi_sertype*, void*, std::size_t, std::size_t) {
    *samples = nullptr;
  };
  ops.free_samples = [](const ddsi_sertype*, void**, std::size_t, dds_free_op_t) {};
  ops.equal = [](const ddsi_sertype*, const ddsi_sertype*) { return true; };  // the library compares names first
  ops.hash = [](const ddsi_sertype*) { return std::uint32_t{0}; };
  return ops;
}

const ddsi_serdata_ops sample_operations = sample_ops();
const ddsi_sertype_ops type_operations = type_ops();

/// A type of this name for dds_create_topic_sertype(), which takes it over.
ddsi_sertype* make_raw_type(const std::string& dds_name) {
  auto* const type = new ddsi_sertype{};
  ddsi_sertype_init_flags(type, dds_name.c_str(), &type_operations, &sample_operations,
                          DDSI_SERTYPE_FLAG_TOPICKIND_NO_KEY);
  type->allowed_data_representation = DDS_DATA_REPRESENTATION_FLAG_XCDR1;
  return type;
}

/// A sample of such a type for dds_writecdr(), which takes it over: CDR with its header of 4 bytes.
ddsi_serdata* make_raw_sample(const ddsi_sertype* type, std::string cdr) {
  auto* const sample = new RawSample(type, SDK_DATA);
  sample->size = cdr.size();
  sample->bytes = std::move(cdr);
  sample->bytes.resize(padded(sample->size));
  return sample;
}

int option_of(int socket, int name) {
  int value = -1;
  socklen_t size = sizeof value;
  return getsockopt(socket, SOL_SOCKET, name, &value, &size) == 0 ? value : -1;
}

/// This process's sockets of UDP over IPv4.
std::set<int> udp_sockets() {
  std::set<int> sockets;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    const std::string name = entry.path().filename();
    int number = -1;
    std::from_chars(name.data(), name.data() + name.size(), number);
    if (option_of(number, SO_DOMAIN) == AF_INET && option_of(number, SO_TYPE) == SOCK_DGRAM) sockets.insert(number);
  }
  return sockets;
}

/// Makes the kernel drop packets from addresses outside 127.0.0.0/8. Throws SystemError. The library has no setting for
/// it: it binds its sockets to every address of a computer.
void hear_this_computer_alone(int socket) {
  constexpr std::uint32_t kSource = static_cast<std::uint32_t>(SKF_NET_OFF) + 12;  // of the header of IPv4
  constexpr std::uint32_t kLoopbackNet = 127;
  std::array<sock_filter, 4> code = {{BPF_STMT(BPF_LD | BPF_B | BPF_ABS, kSource),
                                      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kLoopbackNet, 0, 1),
                                      BPF_STMT(BPF_RET | BPF_K, UINT32_MAX), BPF_STMT(BPF_RET | BPF_K, 0)}};
  const sock_fprog filter = {code.size(), code.data()};
  if (setsockopt(socket, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) == 0) return;
  throw SystemError(fmt::format("DDS: a socket cannot be kept to this computer: {}", std::strerror(errno)));
}

/// Checks a result of the library: an entity, a count, or an error below 0.
dds_return_t checked(dds_return_t value, std::string_view what) {
  if (value < 0) throw SystemError(fmt::format("DDS: {}: {}", what, dds_strretcode(-value)));
  return value;
}

/// Settings that differ from the library's:
/// - A writer never waits for a reader: its depth bounds its messages, not WhcHigh.
/// - On this computer large messages travel in large datagrams; on a network, in packets of one frame.
/// - A receiver's buffer holds most of a cloud of 128 x 2048 if the system allows it: usual are 208 kB.
/// - The library writes no trace.
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
    throw InputError(fmt::format("interface {}: no interface with IPv4 has this name or address", domain.interface));
  }
}

/// Catches messages of the library, whose log belongs to the whole process.
class CaughtLog {
 public:
  CaughtLog() { dds_set_log_sink(&CaughtLog::keep, this); }
  ~CaughtLog() { dds_set_log_sink(nullptr, nullptr); }
  CaughtLog(const CaughtLog&) = delete;
  CaughtLog& operator=(const CaughtLog&) = delete;

  /// ": " and the first line, or an empty text.
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
    if (quality.is_latched) {  // a late reader gets more than the last message
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

dds_duration_t duration_of(double seconds) { return static_cast<dds_duration_t>(std::llround(seconds * 1e9)); }

/// Ends with its entities.
struct OwnedDomain {
  OwnedDomain() = default;
  ~OwnedDomain() {
    if (entity > 0) dds_delete(entity);
  }
  OwnedDomain(const OwnedDomain&) = delete;
  OwnedDomain& operator=(const OwnedDomain&) = delete;
  dds_entity_t entity = 0;
};

class DdsParticipant final : public Participant {
 public:
  explicit DdsParticipant(const TopicDomain& domain) {
    check_domain(domain);
    const std::set<int> others = udp_sockets();
    const dds_entity_t created = dds_create_domain(domain.domain, settings_of(domain).c_str());
    if (created == DDS_RETCODE_PRECONDITION_NOT_MET) {
      throw InputError(fmt::format("domain {}: this process has a participant of it already", domain.domain));
    }
    domain_.entity = checked(created, fmt::format("domain {}{}", domain.domain, log_.first()));
    const Quality quality({}, "enclave=/;");  // as in every participant of ROS 2
    const dds_entity_t participant = dds_create_participant(domain.domain, quality.get(), nullptr);
    participant_ = checked(participant, fmt::format("domain {}{}", domain.domain, log_.first()));
    if (domain.interface.empty()) {  // includes a socket that another thread made meanwhile, which is rare
      for (const int socket : udp_sockets()) {
        if (!others.contains(socket)) hear_this_computer_alone(socket);
      }
    }
  }

  std::uint16_t add_writer(std::string_view topic, const MessageType& type, const TopicQuality& quality) override {
    constexpr std::size_t kMostWriters = std::numeric_limits<std::uint16_t>::max();
    if (writers_.size() >= kMostWriters) {
      throw InputError(fmt::format("{}: a participant has at most {} writers", printable(topic), kMostWriters));
    }
    const auto [entity, raw_type] = make_topic(topic, type);
    const Quality qos(quality, user_data_of(type));
    const dds_entity_t writer = checked(dds_create_writer(participant_, entity, qos.get(), nullptr), topic);
    writers_.push_back({writer, raw_type});
    return static_cast<std::uint16_t>(writers_.size() - 1);
  }

  void write(std::uint16_t writer, std::string cdr) override {
    const Writer& to = writers_.at(writer);
    checked(dds_writecdr(to.entity, make_raw_sample(to.type, std::move(cdr))), "write");
  }

  [[nodiscard]] std::size_t readers(std::uint16_t writer) const override {
    dds_publication_matched_status_t status = {};
    checked(dds_get_publication_matched_status(writers_.at(writer).entity, &status), "readers");
    return status.current_count;
  }

  bool flush(double seconds) override {
    bool all = true;
    for (const Writer& writer : writers_) all = dds_wait_for_acks(writer.entity, duration_of(seconds)) == 0 && all;
    return all;
  }

  std::uint16_t add_reader(std::string_view topic, const MessageType& type) override {
    if (waitset_ == 0) waitset_ = checked(dds_create_waitset(participant_), "reader");
    Reader& reader = readers_.emplace_back();
    reader.topic = make_topic(topic, type).first;
    reader.user_data = user_data_of(type);
    open(reader, true);
    return static_cast<std::uint16_t>(readers_.size() - 1);
  }

  std::optional<std::string> take(std::uint16_t reader) override {
    for (;;) {  // samples without data say that a writer has gone
      ddsi_serdata* sample = nullptr;
      dds_sample_info_t info = {};
      const dds_entity_t from = readers_.at(reader).entity;
      if (checked(dds_takecdr(from, &sample, 1, &info, DDS_ANY_STATE), "take") == 0) return std::nullopt;
      std::string bytes = raw(sample)->bytes.substr(0, raw(sample)->size);
      ddsi_serdata_unref(sample);
      if (info.valid_data) return bytes;
    }
  }

  void wait(double seconds) override {
    for (Reader& reader : readers_) reopen(reader);
    checked(dds_waitset_wait(waitset_, nullptr, 0, duration_of(seconds)), "wait");
  }

 private:
  struct Writer {
    dds_entity_t entity;
    const ddsi_sertype* type;  ///< lives as long as the entity
  };

  struct Reader {
    dds_entity_t topic, entity;
    bool is_reliable;
    std::string user_data;
  };

  void open(Reader& reader, bool is_reliable) const {
    const Quality quality({.is_reliable = is_reliable}, reader.user_data);
    reader.entity = checked(dds_create_reader(participant_, reader.topic, quality.get(), nullptr), "reader");
    reader.is_reliable = is_reliable;
    checked(dds_set_status_mask(reader.entity, DDS_DATA_AVAILABLE_STATUS), "reader");
    checked(dds_waitset_attach(waitset_, reader.entity, 0), "reader");
  }

  /// Replaces a reliable reader if a best-effort writer appears: DDS does not connect them.
  void reopen(Reader& reader) const {
    dds_requested_incompatible_qos_status_t status = {};
    checked(dds_get_requested_incompatible_qos_status(reader.entity, &status), "reader");
    if (!reader.is_reliable || status.total_count == 0) return;
    checked(dds_waitset_detach(waitset_, reader.entity), "reader");
    dds_delete(reader.entity);
    open(reader, false);
  }

  /// The entity, and its type in the domain.
  [[nodiscard]] std::pair<dds_entity_t, const ddsi_sertype*> make_topic(std::string_view topic,
                                                                        const MessageType& type) const {
    ddsi_sertype* raw = make_raw_type(dds_type_name(type.name));
    const dds_entity_t entity =
        dds_create_topic_sertype(participant_, dds_topic_name(topic).c_str(), &raw, nullptr, nullptr, nullptr);
    if (entity < 0) ddsi_sertype_unref(raw);
    checked(entity, topic);
    return {entity, raw};
  }

  CaughtLog log_;
  OwnedDomain domain_;
  dds_entity_t participant_ = 0, waitset_ = 0;
  std::vector<Writer> writers_;
  std::vector<Reader> readers_;
};

}  // namespace

}  // namespace fathom

extern "C" [[gnu::visibility("default")]] void fathom_open_participant(const fathom::TopicDomain& domain,
                                                                       std::unique_ptr<fathom::Participant>& opened) {
  opened = std::make_unique<fathom::DdsParticipant>(domain);
}
