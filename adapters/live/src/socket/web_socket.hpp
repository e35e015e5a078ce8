// SPDX-License-Identifier: MIT
#pragma once
// WebSocket (RFC 6455): its handshake and its frames as bytes, without extensions and sockets.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <fathom/core/error.hpp>

namespace fathom {

enum class Opcode : std::uint8_t { kContinuation = 0, kText = 1, kBinary = 2, kClose = 8, kPing = 9, kPong = 10 };

/// RFC 6455, section 7.4.1.
enum class CloseCode : std::uint16_t {
  kNormal = 1000,
  kGoingAway = 1001,
  kProtocolError = 1002,
  kInvalidText = 1007,
  kTooLarge = 1009
};

/// A client broke the protocol: the connection must end with this code.
class WebSocketError final : public InputError {
 public:
  WebSocketError(CloseCode code, const std::string& why) : InputError(why), code_(code) {}
  [[nodiscard]] CloseCode code() const { return code_; }

 private:
  CloseCode code_;
};

/// A whole message, or the content of a control frame. A text is UTF-8.
struct WebSocketMessage {
  Opcode opcode = Opcode::kText;
  std::string payload;
};

/// Reads the bytes of a client, in pieces of any size. Allocates no memory for the announced length of a frame before
/// its bytes come.
class WebSocketReader {
 public:
  /// `most_bytes`: of a message.
  explicit WebSocketReader(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  /// Takes bytes from the front of `bytes` until a message or control frame is whole. Nothing: all bytes are taken,
  /// and more are needed. Throws WebSocketError; do not read on after it.
  std::optional<WebSocketMessage> take(std::string_view& bytes);

 private:
  [[nodiscard]] unsigned head_byte(std::size_t i) const { return static_cast<unsigned char>(head_[i]); }
  [[nodiscard]] Opcode opcode() const { return static_cast<Opcode>(head_byte(0) & 0x0fU); }
  [[nodiscard]] bool is_control() const { return (head_byte(0) & 0x08U) != 0; }
  [[nodiscard]] bool is_final() const { return (head_byte(0) & 0x80U) != 0; }
  [[nodiscard]] std::size_t length_bytes() const;
  [[nodiscard]] bool has_head() const;
  void check_start() const;
  void begin_payload();
  void take_payload(std::string_view& bytes);
  [[nodiscard]] std::optional<WebSocketMessage> end_frame();

  std::size_t most_bytes_;
  std::string head_;                 ///< of the frame: 2 bytes, more of its length, the mask
  std::uint64_t length_ = 0;         ///< of the frame's payload
  std::uint64_t taken_ = 0;          ///< bytes of the payload
  std::optional<Opcode> open_ = {};  ///< of the message that is not whole
  std::string message_, control_;
};

/// The bytes before the payload of a frame of a server.
std::string frame_head(Opcode opcode, bool is_final, std::uint64_t payload_bytes);
/// A control frame of a server.
std::string control_frame(Opcode opcode, std::string_view payload);
std::string close_frame(CloseCode code, std::string_view why = {});

/// Sec-WebSocket-Accept for a Sec-WebSocket-Key, by RFC 6455, section 4.2.2.
std::string accept_key(std::string_view key);

}  // namespace fathom
