// SPDX-License-Identifier: MIT
// Bags of rosbag2 as SQLite has them: messages, or an InputError of one line. The seeds have pages of 512 bytes, so
// that they are short.

#include <cstdint>

#include "in_memory.hpp"
#include "io/bag/read_bag.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = fathom::fuzz::write_input("db3", {reinterpret_cast<const char*>(data), size});
  fathom::fuzz::expect_answer([&] { fathom::read_sqlite_bag(file, [](const fathom::BagMessage&) {}); });
  return 0;
}
