// SPDX-License-Identifier: MIT
#include "mesh/gltf_buffers.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <system_error>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "base/text.hpp"
#include "text/confined.hpp"
#include "text/read_file.hpp"

namespace fathom {

namespace {

constexpr std::size_t kGlbHeaderBytes = 12, kChunkHeaderBytes = 8;

std::uint32_t word_at(std::string_view bytes, std::size_t at) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes.data() + at, sizeof(word));
  return word;
}

/// 0 to 63; 64 for what is no letter of base64.
std::uint32_t base64_value(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<std::uint32_t>(c - 'A');
  if (c >= 'a' && c <= 'z') return static_cast<std::uint32_t>(c - 'a') + 26;
  if (c >= '0' && c <= '9') return static_cast<std::uint32_t>(c - '0') + 52;
  if (c == '+') return 62;
  return c == '/' ? 63 : 64;
}

std::optional<std::string> from_base64(std::string_view text) {
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 3);
  std::uint32_t bits = 0, held = 0;
  for (const char c : text) {
    const std::uint32_t value = base64_value(c);
    if (value > 63) return std::nullopt;
    bits = (bits << 6U | value) & 0xffffU, held += 6;
    if (held >= 8) held -= 8, bytes += static_cast<char>(bits >> held & 0xffU);
  }
  return bytes;
}

std::optional<unsigned> hex_value(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return std::nullopt;
}

/// The text with every %20 replaced; nothing for a % without two digits, or for a zero byte.
std::optional<std::string> from_percent(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      const auto high = i + 2 < text.size() ? hex_value(text[i + 1]) : std::nullopt;
      const auto low = i + 2 < text.size() ? hex_value(text[i + 2]) : std::nullopt;
      if (!high || !low) return std::nullopt;
      c = static_cast<char>(*high * 16 + *low), i += 2;
    }
    if (c == '\0') return std::nullopt;
    decoded += c;
  }
  return decoded;
}

/// http:, file:, C: and the like.
bool has_scheme(std::string_view uri) {
  const std::size_t colon = uri.find(':');
  return colon != std::string_view::npos && uri.substr(0, colon).find('/') == std::string_view::npos;
}

/// Where `name` leads from the folder; nothing where that is outside.
std::optional<std::filesystem::path> inside(const std::filesystem::path& folder, const std::filesystem::path& name) {
  if (name.is_absolute()) return std::nullopt;
  return confined(folder / name, std::span(&folder, 1));
}

}  // namespace

bool is_glb(std::string_view bytes) { return bytes.starts_with("glTF"); }

GlbChunks split_glb(std::string_view bytes, const std::string& file) {
  if (bytes.size() < kGlbHeaderBytes + kChunkHeaderBytes) {
    throw InputError(fmt::format("{}: the GLB file is cut short: {} bytes", file, bytes.size()));
  }
  const std::uint32_t version = word_at(bytes, 4), length = word_at(bytes, 8);
  if (version == 1) throw InputError(fmt::format("{}: is glTF 1; only 2.0 is read", file));
  if (version != 2) throw InputError(fmt::format("{}: byte 4: version {} of GLB; only 2 is read", file, version));
  GlbChunks chunks;
  std::size_t at = kGlbHeaderBytes;
  for (std::size_t number = 0; bytes.size() - at >= kChunkHeaderBytes; ++number) {
    const std::uint32_t size = word_at(bytes, at);
    const std::string_view type = bytes.substr(at + 4, 4);
    const std::size_t left = bytes.size() - at - kChunkHeaderBytes;
    if (size > left) {
      throw InputError(fmt::format("{}: byte {}: a chunk of {} bytes is not in [0, {}], what is left of the file", file,
                                   at, size, left));
    }
    const std::string_view body = bytes.substr(at + kChunkHeaderBytes, size);
    if ((number == 0) != (type == "JSON")) {
      throw InputError(fmt::format("{}: byte {}: the first chunk of a GLB, and no other, is JSON", file, at));
    }
    if (number == 0) chunks.json = body;
    if (number == 1 && type == std::string_view("BIN\0", 4)) chunks.binary = body;
    at += kChunkHeaderBytes + size;
  }
  if (length != bytes.size() || at != bytes.size()) {
    throw InputError(
        fmt::format("{}: byte 8: the GLB has {} bytes by its header, the file has {}, its chunks end at {}", file,
                    length, bytes.size(), at));
  }
  return chunks;
}

GltfBuffers::GltfBuffers(const GltfDocument& document, const std::filesystem::path& file,
                         std::optional<std::string_view> binary)
    : document_(document),
      folder_(file.has_parent_path() ? file.parent_path() : std::filesystem::path(".")),
      binary_(binary),
      buffers_(document.buffers.size()) {}

std::string_view GltfBuffers::view(std::size_t view) {
  const GltfView& wanted = document_.views[view];
  return buffer(wanted.buffer).substr(wanted.offset, wanted.length);
}

std::string_view GltfBuffers::buffer(std::size_t buffer) {
  std::optional<std::string_view>& bytes = buffers_[buffer];
  if (bytes) return *bytes;
  const GltfBuffer& wanted = document_.buffers[buffer];
  const std::string place = fmt::format("buffers[{}]", buffer);
  std::string_view found;
  if (wanted.uri) {
    found = read(place + ".uri", *wanted.uri);
  } else {
    if (buffer != 0 || !binary_) document_.fail(place, "has no 'uri', and is not the binary chunk of a GLB");
    found = *binary_;
    bytes_read_ += found.size();
  }
  if (found.size() < wanted.byte_length) {
    document_.fail(place, fmt::format("byteLength = {}, but there are {} bytes", wanted.byte_length, found.size()));
  }
  bytes = found.substr(0, wanted.byte_length);
  return *bytes;
}

void GltfBuffers::list_files(std::vector<std::filesystem::path>& opened) const {
  for (const auto& entry : files_) opened.emplace_back(entry.first);
}

std::string_view GltfBuffers::read(const std::string& place, const std::string& uri) {
  const std::string shown = one_line(uri.substr(0, 60));
  if (uri.starts_with("data:")) {
    const std::size_t comma = uri.find(',');
    const std::string_view head = std::string_view(uri).substr(0, comma);
    auto bytes = comma == std::string::npos || !head.ends_with(";base64")
                     ? std::nullopt
                     : from_base64(std::string_view(uri).substr(comma + 1));
    if (!bytes) document_.fail(place, fmt::format("= '{}' is not base64 data", shown));
    bytes_read_ += bytes->size();
    return decoded_.emplace_back(*std::move(bytes));
  }
  const auto name = from_percent(uri);
  if (has_scheme(uri) || !name || name->empty()) {
    document_.fail(place, fmt::format("= '{}' is neither the name of a file nor base64 data", shown));
  }
  const auto path = inside(folder_, *name);
  if (!path) document_.fail(place, fmt::format("= '{}' leads out of the folder of the mesh", shown));
  const auto [entry, is_new] = files_.try_emplace(path->string());
  try {
    if (is_new) {
      entry->second = read_file(*path);
      bytes_read_ += entry->second.size();
    }
  } catch (const InputError& error) {
    document_.fail(place, fmt::format("= '{}': {}", shown, error.what()));
  }
  return entry->second;
}

}  // namespace fathom
