// SPDX-License-Identifier: MIT
// Clouds of any format, as the live page gets them: a cloud that fits its bytes, or an InputError of one line.

#include <cstdint>

#include "in_memory.hpp"
#include "io/cloud/read_cloud.hpp"
#include "io/message/cdr.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = fathom::fuzz::write_input("cloud", std::string_view(reinterpret_cast<const char*>(data), size));
  fathom::fuzz::expect_answer([&] {
    const fathom::CloudMessage cloud = fathom::read_cloud(file);
    cloud.message.check();
    static_cast<void>(fathom::write_message(cloud.message));
  });
  return 0;
}
