// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <fathom/base/export.hpp>
#include <fathom/frame/frame.hpp>

namespace fathom {

/// Sixteen digits for any number of frames, so that two people can compare runs over the phone: equal digests mean
/// equal frames, to the bit.
///
///   FrameDigest digest;
///   for (std::uint32_t k = 0; k < 10; ++k) simulator.render(lidar, k, frame), digest.add(frame);
///   digest.text();  // "4c2ad0f1e87b3659"
///
/// It is FNV-1a in 64 bits over the bytes of each frame: its number, rows and columns (32 bits each), where a ray has
/// several returns their number (32 bits), its stamp (double), that of its delivery where it is another one, and then,
/// for every channel that it holds, in the order of `Channel`, the name and the values. Numbers are little-endian.
/// FNV-1a is four lines in any language, so that anybody can check a digest. It takes some four cycles a byte: a run of
/// the shipped house with its files takes 8 % longer. It finds differences; it does not stop somebody who forges a
/// frame.
class FATHOM_API FrameDigest {
 public:
  void add(const Frame& frame);
  /// Adds what text() of another digest is, as the bytes of its 16 digits: digests that were made side by side become
  /// one, in an order of the caller's.
  void add(std::string_view digest);

  /// Hexadecimal, 16 digits. Of no frame: "cbf29ce484222325".
  [[nodiscard]] std::string text() const;

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325;  // where FNV-1a begins
};

}  // namespace fathom
