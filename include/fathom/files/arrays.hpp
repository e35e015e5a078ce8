// SPDX-License-Identifier: MIT
#pragma once
// Channels of a frame as arrays of NumPy.
//
// Every file is written without a name or under a temporary one, and appears whole or not at all. Layouts:
// docs/output-formats.md. All functions throw SystemError when the system refuses, and then leave nothing.

#include <filesystem>

#include <fathom/base/export.hpp>
#include <fathom/frame/frame.hpp>
#include <fathom/frame/lost_value.hpp>

namespace fathom {

/// One channel as an array [rows, cols] or [rows, cols, 3].
FATHOM_API void write_npy(const std::filesystem::path& file, const Frame& frame, Channel channel);
/// A float channel of one value per ray with its lost pixels (NaN or +inf) replaced, [rows, cols]. Throws InputError
/// for kMax without a maximum above 0, or a channel of points or of no floats.
FATHOM_API void write_npy(const std::filesystem::path& file, const Frame& frame, Channel channel,
                          const LostPolicy& policy);

}  // namespace fathom
