// SPDX-License-Identifier: MIT
#include "io/picture/lettering.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <freetype/freetype.h>
#include <freetype/ftmodapi.h>
#include <freetype/ftoutln.h>

#include <fathom/core/error.hpp>

#include "core/text.hpp"

namespace fathom {

namespace {

constexpr char32_t kUnreadable = 0xFFFD;
constexpr std::string_view kEllipsis = "\xE2\x80\xA6";
constexpr FT_Pos kPixel = 64;     // FreeType's unit is a 64th of a pixel
constexpr FT_Pos kFraction = 16;  // glyphs stand at quarters of a pixel

/// The character at `at`; moves `at` behind it.
char32_t next_character(std::string_view text, std::size_t& at) {
  char32_t code = 0;
  const std::size_t length = utf8_length(text.substr(at), code);
  at += std::max<std::size_t>(1, length);
  const bool is_control = code < 0x20 || (code >= 0x7F && code < 0xA0);
  return length == 0 || is_control ? kUnreadable : code;
}

struct Glyph {
  std::int64_t left = 0, top = 0;  ///< of its dots, from the pen and up from the base line
  std::uint32_t width = 0;
  FT_Pos advance = 0;
  std::vector<std::uint8_t> coverage;  ///< [height, width]
};

void* get_memory(FT_Memory, long size) { return std::malloc(static_cast<std::size_t>(size)); }
void free_memory(FT_Memory, void* block) { std::free(block); }
void* resize_memory(FT_Memory, long, long size, void* block) {
  return std::realloc(block, static_cast<std::size_t>(size));
}

void check_font(FT_Error error, const char* step) {
  if (error != 0) throw SystemError(fmt::format("the font of pictures: FreeType fails to {} ({})", step, error));
}

}  // namespace

/// Avoids FT_Init_FreeType, which reads FREETYPE_PROPERTIES from the environment.
struct Lettering::Font {
  FT_MemoryRec_ memory = {nullptr, get_memory, free_memory, resize_memory};
  FT_Library library = nullptr;
  FT_Face face = nullptr;
  std::map<std::pair<char32_t, FT_Pos>, Glyph> glyphs;

  explicit Font(std::uint32_t size_px) {
    check_font(FT_New_Library(&memory, &library), "start");
    FT_Add_Default_Modules(library);
    const std::span<const std::byte> file = font_file();
    FT_Error error = FT_New_Memory_Face(library, reinterpret_cast<const FT_Byte*>(file.data()),
                                        static_cast<FT_Long>(file.size()), 0, &face);
    if (error == 0) error = FT_Set_Pixel_Sizes(face, 0, size_px);
    if (error != 0) FT_Done_Library(library);
    check_font(error, "open");
  }
  ~Font() { FT_Done_Library(library); }
  Font(const Font&) = delete;
  Font& operator=(const Font&) = delete;

  const Glyph& glyph(char32_t character, FT_Pos pen) {
    const std::pair key(character, pen % kPixel / kFraction * kFraction);
    const auto found = glyphs.find(key);
    if (found != glyphs.end()) return found->second;
    check_font(FT_Load_Char(face, character, FT_LOAD_NO_HINTING | FT_LOAD_NO_BITMAP), "load a letter");
    FT_Outline_Translate(&face->glyph->outline, key.second, 0);
    check_font(FT_Render_Glyph(face->glyph, FT_RENDER_MODE_NORMAL), "draw a letter");
    const FT_Bitmap& dots = face->glyph->bitmap;
    Glyph glyph = {
        face->glyph->bitmap_left, face->glyph->bitmap_top, dots.width, face->glyph->linearHoriAdvance >> 10, {}};
    for (unsigned row = 0; row < dots.rows; ++row) {
      const std::uint8_t* const line = dots.buffer + static_cast<std::ptrdiff_t>(row) * dots.pitch;
      glyph.coverage.insert(glyph.coverage.end(), line, line + dots.width);
    }
    return glyphs.emplace(key, std::move(glyph)).first->second;
  }
};

Lettering::Lettering(std::uint32_t size_px) : size_(size_px), font_(std::make_unique<Font>(size_px)) {}
Lettering::~Lettering() = default;

std::uint32_t Lettering::width(std::string_view text, std::uint32_t enough) {
  FT_Pos pen = 0;
  for (std::size_t at = 0; at < text.size() && pen < FT_Pos{enough} * kPixel;) {
    pen += font_->glyph(next_character(text, at), pen).advance;
  }
  return static_cast<std::uint32_t>((pen + kPixel - 1) / kPixel);
}

std::string Lettering::cut(std::string_view text, std::uint32_t width) {
  if (this->width(text, width + 1) <= width) return std::string(text);
  const FT_Pos room = FT_Pos{width} * kPixel - font_->glyph(U'\u2026', 0).advance;
  FT_Pos pen = 0;
  std::size_t end = 0;
  for (std::size_t at = 0; at < text.size(); end = at) {
    pen += font_->glyph(next_character(text, at), pen).advance;
    if (pen > room) break;
  }
  return std::string(text.substr(0, end)) + std::string(kEllipsis);
}

void Lettering::draw(Image& image, std::int64_t x, std::int64_t top, std::string_view text, Rgb color) {
  const std::int64_t capital = (size_ * 73 + 50) / 100, base = top + (line_height() + capital) / 2;
  FT_Pos pen = 0;
  for (std::size_t at = 0; at < text.size() && x + pen / kPixel < image.width;) {
    const Glyph& glyph = font_->glyph(next_character(text, at), pen);
    const std::int64_t left = x + pen / kPixel + glyph.left;
    for (std::size_t i = 0; i < glyph.coverage.size(); ++i) {
      image.blend(left + static_cast<std::int64_t>(i % glyph.width),
                  base - glyph.top + static_cast<std::int64_t>(i / glyph.width), color, glyph.coverage[i]);
    }
    pen += glyph.advance;
  }
}

std::uint32_t letter_size(std::uint32_t width, std::uint32_t height) {
  return std::clamp(std::min(width / 60, height / 9), 13U, 300U);
}

}  // namespace fathom
