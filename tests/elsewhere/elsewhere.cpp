// SPDX-License-Identifier: MIT
// Embree as another processor would run it: a library that LD_PRELOAD puts before Embree. By environment:
//
//   ELSEWHERE_ISA=avx2   Embree gets at most this instruction set (sse2, sse4.2, avx, avx2, avx512), whatever the
//                        program asks for. (Debian's Embree reads neither EMBREE_CONFIG nor a file .embree3.)
//   ELSEWHERE_SHAKE=n    Embree divides by an estimate of 12 bits and one step of Newton's. The result is up to 2^-23
//                        of the truth too short, and each maker of processors has different estimates. So every range
//                        is shortened by a part of 2^-23, which depends on n, the ray and the range. Every component
//                        of a normal is moved by a rounding. The same ray always meets the same surface at the same
//                        range.
//
//   ELSEWHERE_WITNESS=f  the file f is made when Embree is first asked for a device: it was this library that answered.
//
// A test that still passes compares no range of Embree's with anything but itself.

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <initializer_list>
#include <string>

#include <embree3/rtcore.h>

namespace {

template <class Function>
Function embrees(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

std::uint32_t shake_seed() {
  static const std::uint32_t seed = [] {
    const char* text = std::getenv("ELSEWHERE_SHAKE");
    return text == nullptr ? 0U : static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
  }();
  return seed;
}

/// A number in [0, 1) that depends on the seed and the bits of `values`.
float part(std::initializer_list<float> values) {
  std::uint32_t hash = 2166136261U + shake_seed();
  for (const float value : values) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof(bits));
    hash = (hash ^ bits) * 0x9E3779B1U;
    hash ^= hash >> 15;
  }
  return static_cast<float>(hash >> 8) * 0x1p-24F;
}

/// Shortens the ranges of a packet that Embree has filled. A hit whose range falls below its ray's tnear does not
/// count: the ray must search again from behind it. `valid` marks these rays; the result is true if there are any.
bool shake(const RTCRayHit16& asked, RTCRayHit16& packet, int (&valid)[16]) {
  bool any = false;
  auto& ray = packet.ray;
  auto& hit = packet.hit;
  for (unsigned k = 0; k < 16; ++k) {
    const bool met = valid[k] != 0 && hit.geomID[k] != RTC_INVALID_GEOMETRY_ID;
    valid[k] = 0;
    if (!met) continue;
    const float t = ray.tfar[k];
    const float shorter =
        t -
        0x1p-23F * t * part({ray.org_x[k], ray.org_y[k], ray.org_z[k], ray.dir_x[k], ray.dir_y[k], ray.dir_z[k], t});
    if (shorter < asked.ray.tnear[k]) {
      valid[k] = -1;
      any = true;
      ray.tnear[k] = std::nextafter(t, __builtin_inff());
      ray.tfar[k] = asked.ray.tfar[k];
      hit.geomID[k] = RTC_INVALID_GEOMETRY_ID;
      continue;
    }
    ray.tfar[k] = shorter;
    ray.tnear[k] = asked.ray.tnear[k];
    for (float* n : {&hit.Ng_x[k], &hit.Ng_y[k], &hit.Ng_z[k]}) *n -= 0x1p-23F * *n * part({*n, hit.u[k], hit.v[k]});
  }
  return any;
}

}  // namespace

extern "C" {

RTCDevice rtcNewDevice(const char* config) {
  if (const char* witness = std::getenv("ELSEWHERE_WITNESS")) std::ofstream(witness).put('\n');
  const char* isa = std::getenv("ELSEWHERE_ISA");
  const std::string other = isa == nullptr ? config : std::string("isa=") + isa;
  return embrees<decltype(&rtcNewDevice)>("rtcNewDevice")(other.c_str());
}

void rtcIntersect16(const int* valid, RTCScene scene, RTCIntersectContext* context, RTCRayHit16* packet) {
  static const auto intersect = embrees<decltype(&rtcIntersect16)>("rtcIntersect16");
  if (shake_seed() == 0) return intersect(valid, scene, context, packet);
  const RTCRayHit16 asked = *packet;
  alignas(64) int rest[16];
  std::memcpy(rest, valid, sizeof(rest));
  do intersect(rest, scene, context, packet);
  while (shake(asked, *packet, rest));
}

}  // extern "C"
