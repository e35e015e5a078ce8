// SPDX-License-Identifier: MIT
// Messages of ROS 2: a value or an InputError of one line, and what was read is written and read again as the same
// bytes.

#include <cstdint>
#include <cstdlib>

#include "in_memory.hpp"
#include "io/message/cdr.hpp"
#include "io/message/geometry.hpp"
#include "io/message/sensors.hpp"

namespace {

template <class Message>
void read_twice(std::span<const std::byte> bytes) {
  fathom::fuzz::expect_answer([&] {
    Message message, again;
    fathom::read_message(bytes, message);
    const std::string written = fathom::write_message(message);
    fathom::read_message(std::as_bytes(std::span(written)), again);
    if (fathom::write_message(again) != written) std::abort();
  });
}

template <class... Message>
void read_one(std::size_t choice, std::span<const std::byte> bytes) {
  std::size_t i = 0;
  ((i++ == choice ? read_twice<Message>(bytes) : void()), ...);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  using namespace fathom::msg;
  read_one<PointCloud2, LaserScan, Image, CameraInfo, TFMessage, Odometry, OccupancyGrid, PoseWithCovarianceStamped,
           Clock, CompressedImage>(data[0] % 10, std::as_bytes(std::span(data + 1, size - 1)));
  return 0;
}
