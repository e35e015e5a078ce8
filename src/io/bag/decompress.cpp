// SPDX-License-Identifier: MIT
#include <algorithm>
#include <memory>
#include <new>

#include <fmt/format.h>
#include <lz4frame.h>
#include <zstd.h>

#include <fathom/core/error.hpp>

#include "core/text.hpp"
#include "io/bag/mcap_format.hpp"

namespace fathom {

namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;  // of a chunk; recorders write some megabytes
constexpr std::uint64_t kAnyBytes = std::uint64_t{1} << 28, kMostTimes = 200;
constexpr std::size_t kStepBytes = std::size_t{1} << 20;

/// Calls step(in, out, written) until `size` bytes are `filled` or no more come. A step removes used bytes from `in`
/// and returns whether a frame is done. A frame may be empty, or of a kind that readers skip. Returns whether the last
/// frame is done.
template <class Step>
bool inflate(std::string_view packed, std::uint64_t size, std::string& room, std::size_t& filled, Step step) {
  for (;;) {
    if (filled == room.size() && filled < size) room.resize(std::min<std::uint64_t>(size, filled + kStepBytes));
    const std::size_t before = packed.size();
    std::size_t written = std::min<std::uint64_t>(room.size(), size) - filled;
    const bool done = step(packed, room.data() + filled, written);
    filled += written;
    if (done && (filled == size || packed.empty())) return true;
    if (written == 0 && packed.size() == before) return false;  // cut short, or longer than it claims
  }
}

bool inflate_zstd(std::string_view packed, std::uint64_t size, std::string& room, std::size_t& filled) {
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), &ZSTD_freeDCtx);
  if (!context) throw std::bad_alloc();
  return inflate(packed, size, room, filled, [&context](std::string_view& in, char* out, std::size_t& written) {
    ZSTD_inBuffer from = {in.data(), in.size(), 0};
    ZSTD_outBuffer to = {out, written, 0};
    const std::size_t left = ZSTD_decompressStream(context.get(), &to, &from);
    if (ZSTD_isError(left) != 0) throw InputError(fmt::format("a chunk is damaged: zstd: {}", ZSTD_getErrorName(left)));
    in.remove_prefix(from.pos);
    written = to.pos;
    return left == 0;
  });
}

bool inflate_lz4(std::string_view packed, std::uint64_t size, std::string& room, std::size_t& filled) {
  LZ4F_dctx* raw = nullptr;
  if (LZ4F_isError(LZ4F_createDecompressionContext(&raw, LZ4F_VERSION)) != 0) throw std::bad_alloc();
  const std::unique_ptr<LZ4F_dctx, decltype(&LZ4F_freeDecompressionContext)> context(raw,
                                                                                     &LZ4F_freeDecompressionContext);
  return inflate(packed, size, room, filled, [&context](std::string_view& in, char* out, std::size_t& written) {
    std::size_t used = in.size();
    const std::size_t left = LZ4F_decompress(context.get(), out, &written, in.data(), &used, nullptr);
    if (LZ4F_isError(left) != 0) throw InputError(fmt::format("a chunk is damaged: lz4: {}", LZ4F_getErrorName(left)));
    in.remove_prefix(used);
    return left == 0;
  });
}

bool inflate(std::string_view compression, std::string_view packed, std::uint64_t size, std::string& room,
             std::size_t& filled) {
  if (packed.empty()) return true;
  return compression == "zstd" ? inflate_zstd(packed, size, room, filled) : inflate_lz4(packed, size, room, filled);
}

}  // namespace

std::uint64_t most_chunk_bytes(std::uint64_t packed) {
  return std::min(kMostBytes, std::max(kAnyBytes, kMostTimes * std::min(packed, kMostBytes)));
}

void check_chunk(std::string_view compression, std::uint64_t packed, std::uint64_t size) {
  if (!compression.empty() && compression != "zstd" && compression != "lz4") {
    throw InputError(fmt::format("compression '{}' is not zstd, lz4 or empty", one_line(compression)));
  }
  if (size > most_chunk_bytes(packed)) {
    throw InputError(
        fmt::format("a chunk of {} bytes packed into {}, the limit is {}", size, packed, most_chunk_bytes(packed)));
  }
}

std::string_view decompress(std::string_view compression, std::string_view packed, std::uint64_t size,
                            std::string& room) {
  if (compression.empty()) {
    if (packed.size() != size)
      throw InputError(fmt::format("a chunk of {} bytes says that it has {}", packed.size(), size));
    return packed;
  }
  std::size_t filled = 0;
  if (!inflate(compression, packed, size, room, filled) || filled != size) {
    throw InputError(fmt::format("a chunk does not have the {} bytes that it says", size));
  }
  return std::string_view(room).substr(0, size);
}

std::string_view decompress_begin(std::string_view compression, std::string_view packed, std::uint64_t size,
                                  std::string& room) {
  if (compression.empty()) return packed.substr(0, size);
  std::size_t filled = 0;
  try {
    inflate(compression, packed, size, room, filled);
  } catch (const InputError&) {  // behind the cut
  }
  return std::string_view(room).substr(0, filled);
}

}  // namespace fathom
