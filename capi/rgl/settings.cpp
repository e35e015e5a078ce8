// SPDX-License-Identifier: MIT
#include "settings.hpp"

#include <charconv>
#include <cstdlib>
#include <optional>
#include <random>
#include <string_view>

#include <fmt/format.h>

#include "status.hpp"

namespace rgl {

namespace {

[[noreturn]] void refuse(const char* name, std::string_view text, const char* wanted) {
  fail(RGL_INITIALIZATION_ERROR, fmt::format("{}={} is not {}", name, text, wanted));
}

template <class T>
bool read_number(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

std::optional<std::string_view> variable(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr || *text == '\0') return std::nullopt;
  return text;
}

void read_version(std::array<std::int32_t, 3>& version) {
  constexpr const char* kName = "FATHOM_RGL_VERSION";
  const auto text = variable(kName);
  if (!text) return;
  std::string_view rest = *text;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t dot = i < 2 ? rest.find('.') : rest.size();
    if (dot == std::string_view::npos || !read_number(rest.substr(0, dot), version[i]) || version[i] < 0) {
      refuse(kName, *text, "a version like 0.19.0");
    }
    rest.remove_prefix(std::min(dot + 1, rest.size()));
  }
}

template <class Flag>
void read_flag(const char* name, Flag& flag) {
  const auto text = variable(name);
  if (!text) return;
  if (*text != "0" && *text != "1") refuse(name, *text, "0 or 1");
  flag = *text == "1";
}

}  // namespace

Settings read_environment() {
  Settings s;
  read_version(s.version);
  if (const auto text = variable("FATHOM_RGL_SEED")) {
    if (!read_number(*text, s.seed)) refuse("FATHOM_RGL_SEED", *text, "a whole number in [0, 2^64)");
  } else {
    std::random_device entropy;
    s.seed = std::uint64_t{entropy()} << 32U | entropy();
  }
  if (const auto text = variable("FATHOM_RGL_THREADS")) {
    if (!read_number(*text, s.threads) || s.threads < 0 || s.threads > 1024) {
      refuse("FATHOM_RGL_THREADS", *text, "in [0, 1024]");
    }
  }
  read_flag("FATHOM_RGL_KEEP_MISSES", s.keep_misses);
  read_flag("FATHOM_RGL_TAPES_IN_REAL_TIME", s.tapes_in_real_time);
  read_flag("FATHOM_RGL_INTENSITY_FALLOFF", s.intensity_falloff);
  return s;
}

}  // namespace rgl
