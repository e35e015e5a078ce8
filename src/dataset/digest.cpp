// SPDX-License-Identifier: MIT
#include "dataset/digest.hpp"

#include <fmt/format.h>

#include <fathom/base/names.hpp>
#include <fathom/dataset/dataset.hpp>
#include <fathom/simulate/simulator.hpp>

#include "text/read_file.hpp"

namespace fathom {

std::string digest_of(std::string_view bytes) {
  FrameDigest digest;
  digest.add(bytes);
  return digest.text();
}

std::string inputs_digest(const SceneSetup& setup, const RunOptions& options) {
  FrameDigest digest;
  digest.add(fmt::format("fathom {}\nseed {}\ncaster {}\n", versions().fathom, options.seed.value_or(setup.seed),
                         to_string(options.compute.caster)));
  for (const std::string& entry : setup.overrides) digest.add("set " + entry + "\n");
  // Another computer may have the same files elsewhere: their folders do not count.
  for (const std::filesystem::path& file : setup.inputs) {
    digest.add(fmt::format("{} {}\n", file.filename().string(), digest_of(read_file(file))));
  }
  return digest.text();
}

std::string unit_digest(const std::string& inputs, const Unit& unit) {
  return digest_of(fmt::format("{} {} {} {} {} {}", inputs, unit.index, unit.environment, unit.episode,
                               unit.first_frame, unit.frames));
}

std::string unit_digest(const SceneSetup& setup, const RunOptions& options, const Unit& unit) {
  return unit_digest(inputs_digest(setup, options), unit);
}

}  // namespace fathom
