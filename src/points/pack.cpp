#include <algorithm>
#include <cstring>

#include <fathom/points.hpp>

namespace fathom {

namespace {

/// A part of the cloud at a time, so that its packed points stay in the cache from property to property.
constexpr std::size_t kPerPart = 512;

/// Whether points that follow each other do not do so in the cloud that they come from.
bool has_gaps(const std::uint32_t* indices, std::size_t begin, std::size_t end) {
  std::uint32_t gaps = 0;
  for (std::size_t i = begin; i < end; ++i)
    gaps |= indices[i] ^ (indices[begin] + static_cast<std::uint32_t>(i - begin));
  return gaps != 0;
}

/// Size known when compiling: a copy is then one instruction or two.
template <std::size_t Size>
void pack_fixed(const PackedProperty& p, std::size_t begin, std::size_t end, std::size_t step, std::byte* out) {
  if (p.indices != nullptr && has_gaps(p.indices, begin, end)) {
    for (std::size_t i = begin; i < end; ++i)
      std::memcpy(out + i * step + p.offset, p.data + p.indices[i] * Size, Size);
    return;
  }
  const std::byte* from = p.data + (p.indices != nullptr ? p.indices[begin] : begin) * Size;
  for (std::size_t i = begin; i < end; ++i) std::memcpy(out + i * step + p.offset, from + (i - begin) * Size, Size);
}

void pack_property(const PackedProperty& p, std::size_t begin, std::size_t end, std::size_t step, std::byte* out) {
  if (p.size == 12) return pack_fixed<12>(p, begin, end, step, out);
  if (p.size == 8) return pack_fixed<8>(p, begin, end, step, out);
  if (p.size == 4) return pack_fixed<4>(p, begin, end, step, out);
  for (std::size_t i = begin; i < end; ++i) {
    const std::size_t from = p.indices != nullptr ? p.indices[i] : i;
    std::memcpy(out + i * step + p.offset, p.data + from * p.size, p.size);
  }
}

}  // namespace

void pack_points(std::span<const PackedProperty> properties, std::size_t begin, std::size_t end, std::size_t step,
                 std::byte* out) {
  for (std::size_t part = begin; part < end; part += kPerPart) {
    for (const PackedProperty& p : properties) pack_property(p, part, std::min(end, part + kPerPart), step, out);
  }
}

}  // namespace fathom
