// SPDX-License-Identifier: MIT
#include "core/text/gzip_text.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include <fmt/format.h>
#include <zlib.h>

#include <fathom/core/error.hpp>

#include "core/text/files.hpp"
#include "core/text/text_lines.hpp"

namespace fathom {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 18U;

}  // namespace

/// A zlib stream over several members of gzip.
class TextPieces::Inflater {
 public:
  Inflater() {
    if (inflateInit2(&stream_, 16 + MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream_); }

  /// Inflates a part of `packed` into `text` and removes that part; returns the code of zlib.
  int inflate_some(std::string_view& packed, std::string_view& text) {
    // zlib takes its input without const but does not change it.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream_.avail_in = static_cast<uInt>(packed.size());
    stream_.next_out = reinterpret_cast<Bytef*>(room_.data());
    stream_.avail_out = static_cast<uInt>(room_.size());
    const int code = inflate(&stream_, Z_NO_FLUSH);
    packed.remove_prefix(packed.size() - stream_.avail_in);
    text = std::string_view(room_).substr(0, room_.size() - stream_.avail_out);
    return code;
  }
  void begin_member() { inflateReset(&stream_); }
  [[nodiscard]] std::string_view message() const { return stream_.msg != nullptr ? stream_.msg : "it ends too early"; }

 private:
  std::string room_ = std::string(kPieceBytes, '\0');
  z_stream stream_ = {};
};

TextPieces::TextPieces(std::filesystem::path file, std::size_t most_inflated_bytes)
    : file_(std::move(file)), most_inflated_bytes_(most_inflated_bytes) {
  require_readable_file(file_);
  in_.open(file_, std::ios::binary);
  file_bytes_ = left_bytes_ = std::filesystem::file_size(file_);
  refill();
  if (raw_.starts_with(kGzipMagic)) inflater_ = std::make_unique<Inflater>();
}

TextPieces::~TextPieces() = default;

void TextPieces::fail(const std::string& what) const { throw InputError(fmt::format("{}: {}", file_.string(), what)); }

void TextPieces::fail_at_line(const std::string& what) const {
  throw InputError(fmt::format("{}:{}: {}", file_.string(), lines_ + 1, what));
}

/// Reads the next bytes behind those in `raw_`; false at the end of the file.
bool TextPieces::refill() {
  if (left_bytes_ == 0) return false;
  room_.erase(0, room_.size() - raw_.size());
  const std::size_t known = room_.size(), more = std::min<std::uint64_t>(left_bytes_, kPieceBytes);
  room_.resize(known + more);
  if (!in_.read(room_.data() + known, static_cast<std::streamsize>(more))) fail("cannot read all of it");
  left_bytes_ -= more;
  raw_ = room_;
  return true;
}

void TextPieces::check_inflated() const {
  if (inflated_ > most_inflated_bytes_) {
    fail(fmt::format("inflates to more than {} GiB, the limit", most_inflated_bytes_ >> 30U));
  }
  if (inflated_ > kFreeInflatedBytes && inflated_ / kMaxInflation > file_bytes_) {
    fail(fmt::format("{} bytes inflate to more than {} MiB, above {} times their size, the limit", file_bytes_,
                     inflated_ >> 20U, kMaxInflation));
  }
}

/// Reads each byte only once, however small the pieces are.
void TextPieces::check_lines(std::string_view piece) {
  if (lines_ == 0 && !has_return_) {
    const std::size_t at = piece.substr(0, piece.find('\n')).find('\r');
    has_return_ = at != std::string_view::npos;
    first_return_ = text_ + at;
  }
  text_ += piece.size();
  const std::size_t end = piece.find('\n');
  line_bytes_ += std::min(end, piece.size());
  if (line_bytes_ > kMaxLineBytes) fail_at_line(fmt::format("a line of more than {} MiB", kMaxLineBytes >> 20U));
  if (end == std::string_view::npos) return;
  static_assert(kPieceBytes <= kMaxLineBytes);  // no line inside a piece is too long
  lines_ += static_cast<std::size_t>(std::count(piece.begin(), piece.end(), '\n'));
  line_bytes_ = piece.size() - 1 - piece.rfind('\n');
}

/// After a stream of gzip: another one, zeros, or the end of the file.
void TextPieces::begin_member() {
  while (raw_.size() < kGzipMagic.size() && refill()) {
  }
  if (raw_.starts_with(kGzipMagic)) {
    inflater_->begin_member();
    return;
  }
  const std::uint64_t rest = raw_.size() + left_bytes_;
  do {
    if (raw_.find_first_not_of('\0') != std::string_view::npos) {
      fail_at_line(fmt::format("{} bytes that are not gzip follow the compressed text", rest));
    }
    raw_ = {};
  } while (refill());
  ended_ = true;
}

bool TextPieces::inflate_some(std::string_view& piece) {
  while (!ended_) {
    if (raw_.empty()) refill();
    const int code = inflater_->inflate_some(raw_, piece);
    inflated_ += piece.size();
    check_inflated();
    check_lines(piece);
    if (code == Z_MEM_ERROR) throw std::bad_alloc();
    if (code == Z_STREAM_END) {
      begin_member();
    } else if (code != Z_OK) {
      // zlib inflates as much as it can before it reports that the file ends in the middle.
      fail_at_line(fmt::format("cut short or damaged: nothing can be read after this line ({})", inflater_->message()));
    }
    if (!piece.empty()) return true;
  }
  return false;
}

bool TextPieces::read_some(std::string_view& piece) {
  if (inflater_) return inflate_some(piece);
  if (raw_.empty() && !refill()) return false;
  piece = std::exchange(raw_, {});
  check_lines(piece);
  return true;
}

/// Detects the encoding by the first bytes.
bool TextPieces::read_begin(std::string_view& piece) {
  begun_ = true;
  std::string_view more;
  while (begin_.size() < kByteOrderMark.size() && read_some(more)) begin_ += more;
  piece = begin_;
  if (piece.starts_with("\xff\xfe") || piece.starts_with("\xfe\xff")) fail("is in UTF-16; save it as UTF-8");
  if (piece.starts_with(kGzipMagic)) fail("is compressed twice; unpack it first: gzip -d");
  piece = behind_byte_order_mark(piece);
  return !piece.empty();
}

bool TextPieces::next(std::string_view& piece) {
  if (!begun_ && read_begin(piece)) return true;
  if (read_some(piece)) return true;
  if (lines_ == 0 && has_return_ && first_return_ + 1 < text_)
    fail("its lines end in CR alone; save it with LF or CR LF");
  return false;
}

std::string read_gzip_text(const std::filesystem::path& file) {
  return within_memory(file, [&] {
    TextPieces pieces(file);
    std::string text;
    if (!pieces.is_packed()) text.reserve(pieces.file_bytes());
    for (std::string_view piece; pieces.next(piece);) text += piece;
    return text;
  });
}

bool LineSource::next(std::string_view& line) {
  carried_.clear();
  while (true) {
    const std::size_t end = piece_.find('\n');
    if (end != std::string_view::npos) {
      line = piece_.substr(0, end);
      piece_.remove_prefix(end + 1);
      if (!carried_.empty()) line = carried_ += line;
      cut_at(line);
      return true;
    }
    carried_ += piece_;
    piece_ = {};
    if (pieces_.next(piece_)) continue;
    if (carried_.empty()) return false;
    line = carried_;
    has_end_ = false;
    cut_at(line);
    return true;
  }
}

}  // namespace fathom
