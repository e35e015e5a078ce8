// SPDX-License-Identifier: MIT
// The module that the C interface of Robotec GPU Lidar loads to publish clouds (adapters/rgl/topics). A process has one
// participant per domain. Writers live until the process ends.

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <unistd.h>
#include <utility>

#include <rgl_topics.h>

#include "io/message/cdr.hpp"
#include "io/message/sensors.hpp"
#include "ros/participant.hpp"

extern "C" fathom::OpenParticipant fathom_open_participant;

namespace {

using fathom::Participant;

/// Domain and interface.
using DomainKey = std::pair<std::uint32_t, std::string>;
/// Topic in DDS, and its quality of service.
using WriterKey = std::tuple<std::string, bool, bool, std::int32_t>;

struct CloudWriter {
  Participant* participant;
  std::uint16_t number;
};

struct DomainWriters {
  std::unique_ptr<Participant> participant;
  std::map<WriterKey, std::unique_ptr<CloudWriter>> writers;
};

std::mutex& module_mutex() {
  static std::mutex mutex;
  return mutex;
}

/// The process that made the participants; 0 if no process did.
std::atomic<pid_t>& topics_process() {
  static std::atomic<pid_t> process = 0;
  return process;
}

/// The threads of DDS stay with the parent.
void refuse_forked_process() {
  const pid_t process = topics_process();
  if (process != 0 && process != getpid()) throw std::runtime_error("topics do not survive a fork of the process");
}

DomainWriters& writers_of(const DomainKey& key) {
  // Never destroyed, because threads of the library may publish while the process ends.
  static auto& domains = *new std::map<DomainKey, DomainWriters>;
  const auto found = domains.find(key);
  if (found != domains.end()) return found->second;
  DomainWriters made;
  fathom_open_participant({key.first, key.second}, made.participant);
  topics_process() = getpid();
  return domains.emplace(key, std::move(made)).first->second;
}

int refused(const std::exception& why, char* error, std::size_t size) noexcept {
  const std::string_view text = why.what();
  if (size == 0) return 1;
  const std::size_t length = std::min(text.size(), size - 1);
  std::memcpy(error, text.data(), length);
  error[length] = '\0';
  return 1;
}

/// Calls f() under the lock; an exception becomes the text.
template <class F>
int answered(char* error, std::size_t size, F f) noexcept {
  try {
    refuse_forked_process();  // before the lock, which a thread of the parent may have
    const std::lock_guard lock(module_mutex());
    f();
    return 0;
  } catch (const std::exception& why) {
    return refused(why, error, size);
  }
}

std::string bytes_of(const fathom_topic_cloud& cloud) {
  fathom::msg::PointCloud2 message;
  message.header.stamp = {cloud.sec, cloud.nanosec};
  message.header.frame_id = cloud.frame_id;
  message.width = cloud.points;
  for (std::size_t i = 0; i < cloud.field_count; ++i) {
    const fathom_topic_field& field = cloud.fields[i];
    message.point_fields.push_back({field.name, field.offset, field.datatype, 1});
  }
  message.point_step = cloud.point_step;
  message.row_step = cloud.points * cloud.point_step;
  message.data = {static_cast<const std::byte*>(cloud.data), std::size_t{cloud.points} * cloud.point_step};
  message.is_dense = cloud.is_dense != 0;
  return fathom::write_message(message);
}

}  // namespace

#define FATHOM_TOPICS_EXPORT extern "C" __attribute__((visibility("default")))

FATHOM_TOPICS_EXPORT fathom_topic_open_t fathom_topic_open;
FATHOM_TOPICS_EXPORT fathom_topic_publish_t fathom_topic_publish;

int fathom_topic_open(std::uint32_t domain, const char* interface, const char* topic, fathom_topic_quality quality,
                      void** writer, char* error, std::size_t size) {
  return answered(error, size, [&] {
    DomainWriters& of = writers_of({domain, interface});
    const bool is_reliable = quality.is_reliable != 0, is_latched = quality.is_latched != 0;
    std::unique_ptr<CloudWriter>& found =
        of.writers[{fathom::dds_topic_name(topic), is_reliable, is_latched, quality.depth}];
    if (found == nullptr) {
      const fathom::TopicQuality how = {is_reliable, is_latched, quality.depth};
      const std::uint16_t number = of.participant->add_writer(topic, fathom::msg::PointCloud2::kType, how);
      found = std::make_unique<CloudWriter>(CloudWriter{of.participant.get(), number});
    }
    *writer = found.get();
  });
}

int fathom_topic_publish(void* writer, const fathom_topic_cloud* cloud, char* error, std::size_t size) {
  return answered(error, size, [&] {
    const auto& to = *static_cast<const CloudWriter*>(writer);
    to.participant->write(to.number, bytes_of(*cloud));
  });
}
