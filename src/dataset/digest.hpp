// SPDX-License-Identifier: MIT
#pragma once
// The digests of datasets: FNV-1a in 64 bits, as FrameDigest, of bytes.

#include <string>
#include <string_view>

#include <fathom/dataset/unit.hpp>
#include <fathom/frame/digest.hpp>
#include <fathom/simulate/run.hpp>

namespace fathom {

/// Of the bytes of a file: 16 digits.
std::string digest_of(std::string_view bytes);

/// Of everything that the files of all units depend on but their numbers.
std::string inputs_digest(const SceneSetup& setup, const RunOptions& options);
/// The digest of a unit, from that of its inputs.
std::string unit_digest(const std::string& inputs, const Unit& unit);

}  // namespace fathom
