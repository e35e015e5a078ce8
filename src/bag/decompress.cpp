// SPDX-License-Identifier: MIT
#include "bag/decompress.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <lz4frame.h>
#include <zstd.h>

#include <fathom/base/error.hpp>

#include "base/text.hpp"

namespace fathom {

namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;  // of a chunk; recorders write some megabytes
constexpr std::size_t kStepBytes = std::size_t{1} << 20;

/// Calls step(in, out) -> whether the frame is done until then; both views lose what was used.
template <class Step>
void inflate(std::string_view packed, std::uint64_t size, std::string& room, Step step) {
  std::size_t filled = 0;
  for (bool done = false; !done;) {
    if (filled == room.size() && filled < size) room.resize(std::min<std::uint64_t>(size, filled + kStepBytes));
    const std::size_t space = std::min<std::uint64_t>(room.size(), size) - filled;
    const std::size_t before = packed.size();
    std::size_t written = space;
    done = step(packed, room.data() + filled, written);
    filled += written;
    if (!done && written == 0 && packed.size() == before) break;  // cut short, or longer than it says
    if (done && filled != size) break;
    if (done && packed.empty()) return;
    if (done) break;
  }
  throw InputError(fmt::format("a chunk does not have the {} bytes that it says", size));
}

void inflate_zstd(std::string_view packed, std::uint64_t size, std::string& room) {
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), &ZSTD_freeDCtx);
  if (!context) throw SystemError("zstd: there is not enough memory");
  inflate(packed, size, room, [&context](std::string_view& in, char* out, std::size_t& written) {
    ZSTD_inBuffer from = {in.data(), in.size(), 0};
    ZSTD_outBuffer to = {out, written, 0};
    const std::size_t left = ZSTD_decompressStream(context.get(), &to, &from);
    if (ZSTD_isError(left) != 0) throw InputError(fmt::format("a chunk is damaged: zstd: {}", ZSTD_getErrorName(left)));
    in.remove_prefix(from.pos);
    written = to.pos;
    return left == 0;
  });
}

void inflate_lz4(std::string_view packed, std::uint64_t size, std::string& room) {
  LZ4F_dctx* raw = nullptr;
  if (LZ4F_isError(LZ4F_createDecompressionContext(&raw, LZ4F_VERSION)) != 0) {
    throw SystemError("lz4: there is not enough memory");
  }
  const std::unique_ptr<LZ4F_dctx, decltype(&LZ4F_freeDecompressionContext)> context(raw,
                                                                                     &LZ4F_freeDecompressionContext);
  inflate(packed, size, room, [&context](std::string_view& in, char* out, std::size_t& written) {
    std::size_t used = in.size();
    const std::size_t left = LZ4F_decompress(context.get(), out, &written, in.data(), &used, nullptr);
    if (LZ4F_isError(left) != 0) throw InputError(fmt::format("a chunk is damaged: lz4: {}", LZ4F_getErrorName(left)));
    in.remove_prefix(used);
    return left == 0;
  });
}

}  // namespace

std::string_view decompress(std::string_view compression, std::string_view packed, std::uint64_t size,
                            std::string& room) {
  if (size > kMostBytes) throw InputError(fmt::format("a chunk of {} bytes, the limit is {}", size, kMostBytes));
  if (compression.empty()) {
    if (packed.size() != size)
      throw InputError(fmt::format("a chunk of {} bytes says that it has {}", packed.size(), size));
    return packed;
  }
  if (compression == "zstd") {
    inflate_zstd(packed, size, room);
  } else if (compression == "lz4") {
    inflate_lz4(packed, size, room);
  } else {
    throw InputError(fmt::format("compression '{}' is none of zstd, lz4 and none", one_line(compression)));
  }
  return std::string_view(room).substr(0, size);
}

}  // namespace fathom
