// SPDX-License-Identifier: MIT
#include "text/gzip_text.hpp"

#include <algorithm>
#include <new>
#include <string_view>

#include <fmt/format.h>
#include <zlib.h>

#include <fathom/base/error.hpp>

#include "text/read_file.hpp"

namespace fathom {

namespace {

/// A stream of zlib's over several members of gzip.
class Inflater {
 public:
  explicit Inflater(std::string_view packed) : packed_(packed) {
    if (inflateInit2(&stream_, 16 + MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream_); }

  /// Appends what comes next; zlib's code.
  int append_to(std::string& text) {
    constexpr std::size_t kMostIn = std::size_t{1} << 30U;
    const std::size_t given = std::min(packed_.size(), kMostIn);
    // zlib takes its input without const and does not change it.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed_.data()));
    stream_.avail_in = static_cast<uInt>(given);
    stream_.next_out = reinterpret_cast<Bytef*>(chunk_.data());
    stream_.avail_out = static_cast<uInt>(chunk_.size());
    const int code = inflate(&stream_, Z_NO_FLUSH);
    packed_.remove_prefix(given - stream_.avail_in);
    text.append(chunk_.data(), chunk_.size() - stream_.avail_out);
    return code;
  }
  void begin_member() { inflateReset(&stream_); }
  [[nodiscard]] std::string_view rest() const { return packed_; }
  [[nodiscard]] std::string_view message() const { return stream_.msg != nullptr ? stream_.msg : "it ends too early"; }

 private:
  std::string_view packed_;  ///< what is not inflated yet
  std::string chunk_ = std::string(std::size_t{1} << 18U, '\0');
  z_stream stream_ = {};
};

[[noreturn]] void fail_at_end(const std::filesystem::path& file, std::string_view text, std::string_view what) {
  const auto line = std::count(text.begin(), text.end(), '\n') + 1;
  throw InputError(fmt::format("{}:{}: {}", file.string(), line, what));
}

/// Checks the lines of a text that grows.
class LineCheck {
 public:
  /// No byte is looked at twice, in however small pieces the text comes.
  void go_on(const std::filesystem::path& file, std::string_view text) {
    while (true) {
      const std::size_t end = std::min(text.find('\n', seen_), text.size());
      if (end - begin_ > kMaxLineBytes) {
        fail_at_end(file, text.substr(0, begin_), fmt::format("a line of more than {} MiB", kMaxLineBytes >> 20U));
      }
      seen_ = end;
      if (end == text.size()) return;
      begin_ = seen_ = end + 1;
    }
  }

 private:
  std::size_t begin_ = 0;  ///< of the last line, which may not have its end yet
  std::size_t seen_ = 0;
};

void check_inflated(const std::filesystem::path& file, std::size_t packed, std::size_t size) {
  if (size > kMaxInflatedBytes) {
    throw InputError(
        fmt::format("{}: inflates to more than {} GiB, the limit", file.string(), kMaxInflatedBytes >> 30U));
  }
  if (size > kFreeInflatedBytes && size / kMaxInflation > packed) {
    throw InputError(fmt::format("{}: {} bytes inflate to more than {} MiB, above {} times their size, the limit",
                                 file.string(), packed, size >> 20U, kMaxInflation));
  }
}

std::string inflate_all(const std::filesystem::path& file, std::string_view packed) {
  Inflater inflater(packed);
  std::string text;
  LineCheck lines;
  while (true) {
    const int code = inflater.append_to(text);
    check_inflated(file, packed.size(), text.size());
    lines.go_on(file, text);
    if (code == Z_OK) continue;
    if (code == Z_MEM_ERROR) throw std::bad_alloc();
    // zlib inflates as much as it can, and only then reports that the file ends in the middle.
    if (code != Z_STREAM_END) {
      fail_at_end(file, text,
                  fmt::format("cut short or damaged: nothing can be read after this line ({})", inflater.message()));
    }
    const std::string_view rest = inflater.rest();
    if (rest.find_first_not_of('\0') == std::string_view::npos) return text;
    if (!rest.starts_with(kGzipMagic)) {
      fail_at_end(file, text, fmt::format("{} bytes that are not gzip follow the compressed text", rest.size()));
    }
    inflater.begin_member();
  }
}

}  // namespace

std::string read_gzip_text(const std::filesystem::path& file) {
  std::string text = read_file(file);
  if (text.starts_with(kGzipMagic)) {
    text = inflate_all(file, text);
  } else {
    LineCheck().go_on(file, text);
  }
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    throw InputError(fmt::format("{}: is in UTF-16; save it as UTF-8", file.string()));
  }
  if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
  if (text.find('\n') == std::string::npos && text.find('\r') < text.size() - 1) {
    throw InputError(fmt::format("{}: its lines end in CR alone; save it with LF or CR LF", file.string()));
  }
  return text;
}

}  // namespace fathom
