// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include <fathom/math/random.hpp>

namespace fathom::test {

/// What the scalar generator gives for the first `count` rays (a multiple of 4) of a key: the order of lanes is that of
/// noise/drive.hpp, four rays a block.
inline std::vector<double> normals_of(const NoiseKey& key, std::size_t count, std::uint32_t draw = 0) {
  std::vector<double> out;
  for (std::uint32_t quad = 0; quad < count / 4; ++quad) {
    const PhiloxBlock block = keyed_block(key, quad, draw);
    const NormalPair a = normals_from_words(block.word[0], block.word[1]);
    const NormalPair b = normals_from_words(block.word[2], block.word[3]);
    out.insert(out.end(), {a.first, a.second, b.first, b.second});
  }
  return out;
}

inline std::vector<double> uniforms_of(const NoiseKey& key, std::size_t count, std::uint32_t draw = 0) {
  std::vector<double> out;
  for (std::uint32_t quad = 0; quad < count / 4; ++quad) {
    const PhiloxBlock block = keyed_block(key, quad, draw);
    for (const std::uint32_t word : block.word) out.push_back(uniform_from_word(word));
  }
  return out;
}

}  // namespace fathom::test
