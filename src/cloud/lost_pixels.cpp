// SPDX-License-Identifier: MIT
#include "cloud/lost_pixels.hpp"

#include <cmath>

#include <fathom/base/error.hpp>
#include <fathom/files/arrays.hpp>

#include "cloud/elements.hpp"
#include "text/npy.hpp"
#include "text/whole_file.hpp"

namespace fathom {

namespace {

float value_of(const LostPolicy& policy) {
  switch (policy.value) {
    case LostValue::kZero:
      return 0.0F;
    case LostValue::kNan:
      return __builtin_nanf("");
    case LostValue::kInf:
      return __builtin_inff();
    case LostValue::kMinusOne:
      return -1.0F;
    case LostValue::kMax:
      break;
  }
  if (!(policy.max_m > 0.0F && std::isfinite(policy.max_m))) {
    throw InputError("lost pixels shall become the maximum range, and max_m is not a number above 0");
  }
  return policy.max_m;
}

}  // namespace

std::vector<float> replace_lost(const Frame& frame, Channel channel, const LostPolicy& policy) {
  const float lost = value_of(policy);
  const std::span<const float> values = frame.floats(channel);
  if (values.size() != frame.size()) throw InputError("points have no single value for a lost pixel");
  std::vector<float> out(values.begin(), values.end());
  for (float& v : out) {
    if (!std::isfinite(v)) v = lost;
  }
  return out;
}

void write_npy(const std::filesystem::path& file, const Frame& frame, Channel channel, const LostPolicy& policy) {
  const std::vector<float> values = replace_lost(frame, channel, policy);
  WholeFile out(file);
  out.write(npy::header(npy::Type::kFloat32, shape_of(frame, channel)));
  out.write(std::as_bytes(std::span(values)));
  out.commit();
}

}  // namespace fathom
