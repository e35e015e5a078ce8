// SPDX-License-Identifier: MIT
// A C library whose functions have a relative error of 1e-7: LD_PRELOAD puts it before the real one. The libraries of
// two computers differ by 1e-16. Results with the same bits do not depend on the library.

#include <dlfcn.h>

namespace {

template <class Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

#define OTHER_OF_ONE(name)                                          \
  double name(double x) {                                           \
    static const auto function = real<double (*)(double)>(#name);   \
    return function(x) * (1.0 + 1e-7);                              \
  }                                                                 \
  float name##f(float x) {                                          \
    static const auto function = real<float (*)(float)>(#name "f"); \
    return function(x) * (1.0F + 1e-6F);                            \
  }
#define OTHER_OF_TWO(name)                                                 \
  double name(double x, double y) {                                        \
    static const auto function = real<double (*)(double, double)>(#name);  \
    return function(x, y) * (1.0 + 1e-7);                                  \
  }                                                                        \
  float name##f(float x, float y) {                                        \
    static const auto function = real<float (*)(float, float)>(#name "f"); \
    return function(x, y) * (1.0F + 1e-6F);                                \
  }
OTHER_OF_ONE(sin)
OTHER_OF_ONE(cos)
OTHER_OF_ONE(tan)
OTHER_OF_ONE(asin)
OTHER_OF_ONE(acos)
OTHER_OF_ONE(atan)
OTHER_OF_ONE(exp)
OTHER_OF_ONE(exp2)
OTHER_OF_ONE(expm1)
OTHER_OF_ONE(log)
OTHER_OF_ONE(log2)
OTHER_OF_ONE(log10)
OTHER_OF_ONE(log1p)
OTHER_OF_ONE(cbrt)
OTHER_OF_ONE(erf)
OTHER_OF_ONE(erfc)
OTHER_OF_TWO(atan2)
OTHER_OF_TWO(pow)
OTHER_OF_TWO(hypot)

void sincos(double x, double* s, double* c) { *s = sin(x), *c = cos(x); }
void sincosf(float x, float* s, float* c) { *s = sinf(x), *c = cosf(x); }

}  // extern "C"
