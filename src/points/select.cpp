#include <algorithm>
#include <cstring>

#include <fathom/points.hpp>

namespace fathom {

namespace {

constexpr std::size_t kPerTask = 16384;

template <std::size_t Size>
void gather_fixed(const std::byte* in, const std::uint32_t* indices, std::size_t count, std::byte* out) {
  for (std::size_t i = 0; i < count; ++i) std::memcpy(out + i * Size, in + indices[i] * Size, Size);
}

}  // namespace

// Counts per part, then every part writes at its own place: the order does not depend on who is first.
void find_nonzero(std::span<const std::int32_t> values, std::vector<std::uint32_t>& indices, Executor& executor) {
  const std::size_t parts = (values.size() + kPerTask - 1) / kPerTask;
  std::vector<std::size_t> starts(parts + 1, 0);
  const auto part_of = [&](std::size_t part) {
    return values.subspan(part * kPerTask, std::min(kPerTask, values.size() - part * kPerTask));
  };
  executor.parallel_for(parts, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) {
      const auto part = part_of(p);
      starts[p + 1] = part.size() - static_cast<std::size_t>(std::count(part.begin(), part.end(), 0));
    }
  });
  for (std::size_t p = 0; p < parts; ++p) starts[p + 1] += starts[p];
  indices.resize(starts[parts]);
  executor.parallel_for(parts, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) {
      std::uint32_t* out = indices.data() + starts[p];
      const auto part = part_of(p);
      for (std::size_t i = 0; i < part.size(); ++i) {
        if (part[i] != 0) *out++ = static_cast<std::uint32_t>(p * kPerTask + i);
      }
    }
  });
}

void gather(const std::byte* in, std::size_t size, std::span<const std::uint32_t> indices, std::byte* out,
            Executor& executor) {
  executor.parallel_for(indices.size(), kPerTask, [&](std::size_t begin, std::size_t end) {
    const std::uint32_t* from = indices.data() + begin;
    const std::size_t count = end - begin;
    std::byte* to = out + begin * size;
    if (size == 12) return gather_fixed<12>(in, from, count, to);
    if (size == 4) return gather_fixed<4>(in, from, count, to);
    for (std::size_t i = 0; i < count; ++i) std::memcpy(to + i * size, in + from[i] * size, size);
  });
}

}  // namespace fathom
