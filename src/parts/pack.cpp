// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstring>

#include <fathom/parts/clouds.hpp>

namespace fathom {

namespace {

constexpr std::size_t kWord = 4;
/// Words that are copied in one pass over the points: passes over one property each took twice as long.
constexpr std::size_t kMaxWords = 8;
/// Points packed at a time, so that they stay in the cache from pass to pass.
constexpr std::size_t kPerPart = 512;

/// A property of four bytes, or four bytes of one.
struct Word {
  const std::byte* data;
  std::size_t stride;
};

/// Points [begin, end) of what is packed.
struct Part {
  std::size_t begin, end, step;
  std::byte* out;
};

/// Copies words side by side to `offset` in each point. Their number is a constant, so that they stay in registers.
template <std::size_t Count>
void pack_words(const Word* of, const std::uint32_t* indices, std::size_t offset, const Part& part) {
  std::array<Word, Count> words;
  std::copy_n(of, Count, words.begin());
  std::byte* to = part.out + part.begin * part.step + offset;
  for (std::size_t i = part.begin; i < part.end; ++i, to += part.step) {
    const std::size_t from = indices != nullptr ? indices[i] : i;
    for (std::size_t k = 0; k < Count; ++k) std::memcpy(to + k * kWord, words[k].data + from * words[k].stride, kWord);
  }
}

using PackWords = void (*)(const Word*, const std::uint32_t*, std::size_t, const Part&);
constexpr std::array<PackWords, kMaxWords> kPackWords = {pack_words<1>, pack_words<2>, pack_words<3>, pack_words<4>,
                                                         pack_words<5>, pack_words<6>, pack_words<7>, pack_words<8>};

/// Words that the next pass copies.
class WordPass {
 public:
  explicit WordPass(const Part& part) : part_(part) {}

  void add(const PackedProperty& p) {
    if (p.indices != indices_ || p.offset != offset_ + count_ * kWord) run();
    indices_ = p.indices;
    for (std::size_t at = 0; at < p.size; at += kWord) {
      if (count_ == 0) offset_ = p.offset + at;
      words_[count_++] = {p.data + at, p.size};
      if (count_ == kMaxWords) run();
    }
  }
  void run() {
    if (count_ > 0) kPackWords[count_ - 1](words_.data(), indices_, offset_, part_);
    count_ = 0;
  }

 private:
  const Part& part_;
  std::array<Word, kMaxWords> words_;
  std::size_t count_ = 0, offset_ = 0;
  const std::uint32_t* indices_ = nullptr;
};

/// A property whose size is no multiple of four bytes.
void pack_bytes(const PackedProperty& p, const Part& part) {
  for (std::size_t i = part.begin; i < part.end; ++i) {
    const std::size_t from = p.indices != nullptr ? p.indices[i] : i;
    std::memcpy(part.out + i * part.step + p.offset, p.data + from * p.size, p.size);
  }
}

}  // namespace

void pack_points(std::span<const PackedProperty> properties, std::size_t begin, std::size_t end, std::size_t step,
                 std::byte* out) {
  for (std::size_t first = begin; first < end; first += kPerPart) {
    const Part part = {first, std::min(end, first + kPerPart), step, out};
    WordPass words(part);
    for (const PackedProperty& p : properties) {
      if (p.size % kWord == 0) {
        words.add(p);
      } else {
        pack_bytes(p, part);
      }
    }
    words.run();
  }
}

}  // namespace fathom
