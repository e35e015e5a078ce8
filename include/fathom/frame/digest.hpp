// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <fathom/core/export.hpp>
#include <fathom/frame/frame.hpp>

namespace fathom {

/// A checksum of 16 hexadecimal digits over any number of frames: equal digests mean equal frames, to the bit.
///
///   FrameDigest digest;
///   for (std::uint32_t k = 0; k < 10; ++k) simulator.render(lidar, k, frame), digest.add(frame);
///   digest.text();  // "4c2ad0f1e87b3659"
///
/// It is FNV-1a in 64 bits over the bytes of each frame: its number, rows and columns (32 bits each), the number of
/// returns if a ray has several (32 bits), its stamp (double), the time of its delivery if that differs from the stamp,
/// and then, for every channel that it holds, in the order of `Channel`, the name and the values. Numbers are
/// little-endian. FNV-1a is four lines in any language, and takes some four cycles a byte: a run of the shipped house
/// with its files takes 8 % longer. It finds differences; it does not protect against forged frames.
class FATHOM_API FrameDigest {
 public:
  void add(const Frame& frame);
  /// Adds text() of another digest, as the bytes of its 16 digits: so digests that were made in parallel become one, in
  /// the caller's order.
  void add(std::string_view digest);

  /// Hexadecimal, 16 digits. Of no frame: "cbf29ce484222325".
  [[nodiscard]] std::string text() const;

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325;  // where FNV-1a begins
};

}  // namespace fathom
