// SPDX-License-Identifier: MIT
#pragma once
// Trigonometric functions in double precision, built from + - * / sqrt and bit moves only: the same bits on every
// computer, which libm's are not (see f32.hpp). They are compiled into the library, so that the flags of a user's
// program do not change them. tests/math/trigonometry_test.cpp keeps the errors stated here.

#include <fathom/base/export.hpp>

namespace fathom::math {

struct SinCos64 {
  double sin, cos;
};

/// Sine and cosine of any finite x, in radians; NaN for others. Error below 2e-16 up to |x| = 1e6, and below 1e-15 of
/// the value itself, also near its zeros. Farther out the error of 2 pi as a double counts too: 4e-17 |x|, which is
/// less than the rounding of x.
FATHOM_API SinCos64 sincos(double x);
FATHOM_API double sin(double x);
FATHOM_API double cos(double x);

/// Tangent; error below 1e-15 of the value up to |x| = 1e6, farther out as sincos().
FATHOM_API double tan(double x);

/// Angle of (x, y) from +x in [-pi, pi]; error below 5e-16 of the value. Zeros and infinities as in C: it has the sign
/// of y, and atan2(0, -0) is pi.
FATHOM_API double atan2(double y, double x);

/// Error below 1e-15 of the value; NaN outside [-1, 1].
FATHOM_API double asin(double x);
FATHOM_API double acos(double x);

}  // namespace fathom::math
