// SPDX-License-Identifier: MIT
#include "dataset/digest.hpp"

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <fathom/base/names.hpp>
#include <fathom/dataset/dataset.hpp>
#include <fathom/simulate/simulator.hpp>

#include "dataset/read_bytes.hpp"
#include "text/read_file.hpp"

namespace fathom {

std::string digest_of(std::string_view bytes) {
  return fmt::format("{:016x}", XXH3_64bits(bytes.data(), bytes.size()));
}

std::optional<FileDigest> digest_file(const std::filesystem::path& file) {
  constexpr std::size_t kBlock = std::size_t{1} << 20U;
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  FileDigest found;
  const bool whole = read_blocks(file, kBlock, [&](std::string_view block) {
    XXH3_64bits_update(&state, block.data(), block.size());
    found.bytes += block.size();
  });
  if (!whole) return {};
  found.digest = fmt::format("{:016x}", XXH3_64bits_digest(&state));
  return found;
}

std::string inputs_digest(const SceneSetup& setup, const RunOptions& options) {
  std::string text = fmt::format("fathom {}\nseed {}\ncaster {}\n", versions().fathom,
                                 options.seed.value_or(setup.seed), to_string(options.compute.caster));
  for (const std::string& entry : setup.overrides) text += "set " + entry + "\n";
  // Another computer may have the same files elsewhere: their folders do not count.
  for (const std::filesystem::path& file : setup.inputs) {
    text += fmt::format("{} {}\n", file.filename().string(), digest_of(read_file(file)));
  }
  return digest_of(text);
}

std::string unit_digest(const std::string& inputs, const Unit& unit) {
  return digest_of(fmt::format("{} {} {} {} {} {}", inputs, unit.index, unit.environment, unit.episode,
                               unit.first_frame, unit.frames));
}

std::string unit_digest(const SceneSetup& setup, const RunOptions& options, const Unit& unit) {
  return unit_digest(inputs_digest(setup, options), unit);
}

}  // namespace fathom
