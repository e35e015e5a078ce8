// SPDX-License-Identifier: MIT
#include <fathom/outputs/output.hpp>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

namespace fathom {

namespace {

template <class... Kinds>
std::vector<OutputInfo> all_kinds(const std::variant<Kinds...>* /*list*/) {
  return {detail::output_info<Kinds>()...};
}

}  // namespace

FrameLog::~FrameLog() = default;

std::string OutputFile::name(std::uint32_t frame) const {
  return is_log() ? fmt::format("{}.{}", stem, extension) : fmt::format("{}_{:06}.{}", stem, frame, extension);
}

std::string OutputFile::glob() const { return is_log() ? name(0) : stem + "_*." + extension; }

void detail::throw_mismatch(std::string_view slug, const OptionMismatch& mismatch) {
  throw InputError(fmt::format("{}.{} {}", slug, mismatch.field, mismatch.what));
}

std::span<const OutputInfo> output_list() {
  static const std::vector<OutputInfo> kinds = all_kinds(static_cast<const RegisteredOutput*>(nullptr));
  return kinds;
}

}  // namespace fathom
