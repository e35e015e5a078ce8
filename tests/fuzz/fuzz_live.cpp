// SPDX-License-Identifier: MIT
// Bytes of clients of the live page make a message or an InputError of one line. The first byte chooses text or binary.

#include <cstdint>
#include <string_view>

#include "in_memory.hpp"
#include "live/messages.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto bytes = std::as_bytes(std::span(data + 1, size - 1));
  fathom::fuzz::expect_answer([&] {
    if (data[0] % 2 == 0) {
      static_cast<void>(fathom::parse_client_bytes(bytes));
    } else {
      static_cast<void>(fathom::parse_client_text({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
    }
  });
  return 0;
}
