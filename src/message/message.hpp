// SPDX-License-Identifier: MIT
#pragma once
// Messages as bytes.

#include <cstddef>
#include <span>
#include <string>

#include <fathom/base/error.hpp>

#include "message/cdr_reader.hpp"
#include "message/cdr_writer.hpp"
#include "message/message_type.hpp"

namespace fathom {

template <class Message>
std::string write_message(const Message& message) {
  CdrWriter cdr;
  cdr(message);
  return cdr.take();
}

/// Reads into a message that may have been used before, so that its memory is used again. What the message holds as
/// spans points into `bytes`. Throws InputError naming the type and the byte.
template <class Message>
void read_message(std::span<const std::byte> bytes, Message& message) {
  try {
    CdrReader cdr(bytes);
    cdr(message);
    cdr.finish();
    if constexpr (requires { message.check(); }) message.check();
  } catch (const InputError& error) {
    throw InputError(std::string(Message::kType.name) + ": " + error.what());
  }
}

}  // namespace fathom
