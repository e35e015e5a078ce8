// SPDX-License-Identifier: MIT
// Bags (MCAP): messages, or an InputError of one line.

#include <cstdint>

#include "in_memory.hpp"
#include "io/bag/read_bag.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = fathom::fuzz::write_input("bag", {reinterpret_cast<const char*>(data), size});
  fathom::fuzz::expect_answer([&] { fathom::read_mcap(file, [](const fathom::BagMessage&) {}); });
  return 0;
}
