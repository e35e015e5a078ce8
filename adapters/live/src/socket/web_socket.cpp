// SPDX-License-Identifier: MIT
#include "live/socket/web_socket.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "core/text.hpp"

namespace fathom {

namespace {

constexpr std::string_view kWebSocketId = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";  // of the protocol
constexpr std::size_t kBlockBytes = 64;

using Digest = std::array<std::uint32_t, 5>;

// Whole numbers as bytes, the highest first.

void append_big_endian(std::string& bytes, std::uint64_t value, std::size_t count) {
  for (std::size_t i = count; i > 0; --i) bytes += static_cast<char>(value >> 8 * (i - 1));
}

/// Reads at most 8 bytes.
std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char c : bytes) value = value << 8U | static_cast<unsigned char>(c);
  return value;
}

/// FIPS 180-4, section 6.1.2, steps 2 and 3: how a round mixes b, c and d, and its constant.
std::uint32_t mixed(std::size_t round, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  if (round < 20) return (d ^ (b & (c ^ d))) + 0x5a827999U;
  if (round < 40) return (b ^ c ^ d) + 0x6ed9eba1U;
  if (round < 60) return ((b & c) | (d & (b | c))) + 0x8f1bbcdcU;
  return (b ^ c ^ d) + 0xca62c1d6U;
}

void add_block(Digest& digest, std::string_view block) {
  std::array<std::uint32_t, 80> words = {};
  for (std::size_t i = 0; i < 16; ++i) words[i] = static_cast<std::uint32_t>(big_endian(block.substr(4 * i, 4)));
  for (std::size_t i = 16; i < words.size(); ++i) {
    words[i] = std::rotl(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
  }
  auto [a, b, c, d, e] = digest;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint32_t next = std::rotl(a, 5) + mixed(i, b, c, d) + e + words[i];
    e = d, d = c, c = std::rotl(b, 30), b = a, a = next;
  }
  digest = {digest[0] + a, digest[1] + b, digest[2] + c, digest[3] + d, digest[4] + e};
}

std::string sha1(std::string message) {
  const std::uint64_t bits = std::uint64_t{8} * message.size();
  message += '\x80';
  while (message.size() % kBlockBytes != kBlockBytes - 8) message += '\0';
  append_big_endian(message, bits, 8);
  Digest digest = {0x67452301U, 0xefcdab89U, 0x98badcfeU, 0x10325476U, 0xc3d2e1f0U};
  const std::string_view blocks = message;
  for (std::size_t i = 0; i < blocks.size(); i += kBlockBytes) add_block(digest, blocks.substr(i, kBlockBytes));
  std::string bytes;
  for (const std::uint32_t word : digest) append_big_endian(bytes, word, 4);
  return bytes;
}

}  // namespace

std::string accept_key(std::string_view key) { return base64(sha1(std::string(key).append(kWebSocketId))); }

namespace {

constexpr std::size_t kStartBytes = 2, kMaskBytes = 4;
constexpr std::uint64_t kMostControlBytes = 125;
constexpr unsigned kLengthOf2 = 126, kLengthOf8 = 127;  // the length follows in 2 or 8 bytes
constexpr std::uint64_t kLeastOf8 = 65536;

[[noreturn]] void refuse(const std::string& why) { throw WebSocketError(CloseCode::kProtocolError, why); }

void check_utf8(std::string_view text) {
  char32_t code = 0;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text, code);
    if (length == 0) throw WebSocketError(CloseCode::kInvalidText, "a text is not UTF-8");
    text.remove_prefix(length);
  }
}

/// The codes that RFC 6455 and its registry allow in a frame, without 1004 to 1006 and 1015.
bool is_close_code(std::uint64_t code) {
  return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) || (code >= 3000 && code <= 4999);
}

void check_close(std::string_view payload) {
  if (payload.empty()) return;
  const std::uint64_t code = big_endian(payload.substr(0, 2));
  if (payload.size() < 2 || !is_close_code(code)) refuse("a close frame without a valid code");
  check_utf8(payload.substr(2));
}

}  // namespace

std::size_t WebSocketReader::length_bytes() const {
  const unsigned length = head_byte(1) & 0x7fU;
  return length == kLengthOf8 ? 8 : length == kLengthOf2 ? 2 : 0;
}

bool WebSocketReader::has_head() const {
  return head_.size() >= kStartBytes && head_.size() == kStartBytes + length_bytes() + kMaskBytes;
}

void WebSocketReader::check_start() const {
  const unsigned code = head_byte(0) & 0x0fU;
  if ((head_byte(0) & 0x70U) != 0) refuse("a frame with reserved bits");
  if ((code > 2 && code < 8) || code > 10) refuse(fmt::format("a frame with opcode {}", code));
  if ((head_byte(1) & 0x80U) == 0) refuse("a frame without a mask");
  if (is_control() && !is_final()) refuse("a control frame in fragments");
  if (is_control() && (head_byte(1) & 0x7fU) > kMostControlBytes) refuse("a control frame of more than 125 bytes");
  if (!is_control() && (opcode() == Opcode::kContinuation) != open_.has_value()) {
    refuse(open_ ? "a message within another" : "a continuation of no message");
  }
}

void WebSocketReader::begin_payload() {
  taken_ = 0;
  length_ = head_byte(1) & 0x7fU;
  if (const std::size_t count = length_bytes(); count > 0) {
    length_ = big_endian(std::string_view(head_).substr(kStartBytes, count));
    if (length_ < (count == 2 ? kLengthOf2 : kLeastOf8)) refuse("a length in more bytes than it needs");
    if (length_ >> 63U != 0) refuse("a length of more than 63 bits");
  }
  if (!is_control() && length_ > most_bytes_ - message_.size()) {
    throw WebSocketError(CloseCode::kTooLarge, fmt::format("a message of more than {} bytes", most_bytes_));
  }
}

void WebSocketReader::take_payload(std::string_view& bytes) {
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(length_ - taken_, bytes.size()));
  const std::string_view mask = std::string_view(head_).substr(head_.size() - kMaskBytes);
  std::string& payload = is_control() ? control_ : message_;
  for (const char c : bytes.substr(0, count)) payload += static_cast<char>(c ^ mask[taken_++ % kMaskBytes]);
  bytes.remove_prefix(count);
}

std::optional<WebSocketMessage> WebSocketReader::end_frame() {
  const Opcode opcode = this->opcode();
  const bool is_control = this->is_control(), is_final = this->is_final();
  head_.clear();
  if (is_control) {
    if (opcode == Opcode::kClose) check_close(control_);
    return WebSocketMessage{opcode, std::exchange(control_, {})};
  }
  if (opcode != Opcode::kContinuation) open_ = opcode;
  if (!is_final) return std::nullopt;
  WebSocketMessage whole{*std::exchange(open_, std::nullopt), std::exchange(message_, {})};
  if (whole.opcode == Opcode::kText) check_utf8(whole.payload);
  return whole;
}

std::optional<WebSocketMessage> WebSocketReader::take(std::string_view& bytes) {
  while (true) {
    while (!has_head()) {
      if (bytes.empty()) return std::nullopt;
      head_ += bytes.front();
      bytes.remove_prefix(1);
      if (head_.size() == kStartBytes) check_start();
      if (has_head()) begin_payload();
    }
    take_payload(bytes);
    if (taken_ < length_) return std::nullopt;
    if (auto whole = end_frame()) return whole;
  }
}

std::string frame_head(Opcode opcode, bool is_final, std::uint64_t payload_bytes) {
  std::string head(1, static_cast<char>((is_final ? 0x80U : 0U) | static_cast<unsigned>(opcode)));
  const std::size_t count = payload_bytes < kLengthOf2 ? 0 : payload_bytes < kLeastOf8 ? 2 : 8;
  head += static_cast<char>(count == 0 ? payload_bytes : count == 2 ? kLengthOf2 : kLengthOf8);
  append_big_endian(head, payload_bytes, count);
  return head;
}

std::string control_frame(Opcode opcode, std::string_view payload) {
  return frame_head(opcode, true, payload.size()).append(payload);
}

std::string close_frame(CloseCode code, std::string_view why) {
  std::string payload;
  append_big_endian(payload, static_cast<std::uint64_t>(code), 2);
  return control_frame(Opcode::kClose, payload.append(why.substr(0, kMostControlBytes - 2)));
}

}  // namespace fathom
