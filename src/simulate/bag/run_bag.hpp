// SPDX-License-Identifier: MIT
#pragma once
// The bag of a run.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bag/mcap_writer.hpp"
#include "simulate/bag/sensor_topics.hpp"

namespace fathom {

/// Writes the messages of SensorTopics as MCAP.
class RunBag final : private MessageSink {
 public:
  /// As SensorTopics; writes nothing.
  RunBag(Simulator& simulator, std::span<const SensorSetup> sensors) : topics_(simulator, sensors) {}

  /// The bag gets its name at commit(); until then there is no such file. Throws SystemError.
  void open(const std::filesystem::path& file) {
    bag_.emplace(file);
    topics_.open(*this);
  }
  void begin_frame(std::uint32_t index) { topics_.begin_frame(index); }
  void add(SensorId sensor, const Frame& frame) { topics_.add(sensor, frame); }
  void commit() { bag_->commit(); }

 private:
  std::uint16_t add_topic(std::string_view topic, const MessageType& type) override {
    return bag_->add_topic(topic, type);
  }
  void write(std::uint16_t topic, std::uint64_t time_ns, std::string bytes) override {
    bag_->write(topic, time_ns, bytes);
  }

  SensorTopics topics_;
  std::optional<McapWriter> bag_;
};

}  // namespace fathom
