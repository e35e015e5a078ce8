// SPDX-License-Identifier: MIT
#include "simulate/outputs/frame_file.hpp"

#include <string>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

namespace fathom {

OutputFile frame_file(std::string_view first_file, std::string_view variant) {
  constexpr std::string_view kFirst = "_000000.";
  const std::size_t number = first_file.find(kFirst);
  OutputFile file;
  file.stem = std::string(first_file.substr(0, number)).append(variant);
  file.extension = first_file.substr(number + kFirst.size());
  return file;
}

std::string return_variant(const Sensor& sensor, std::uint32_t number) {
  if (number >= sensor.returns.size()) {
    const std::size_t returns = sensor.returns.size();
    throw InputError(fmt::format("return_number = {} is not in [0, {}]: the sensor has {} of each ray", number,
                                 returns - 1, returns == 1 ? "one return" : fmt::format("{} returns", returns)));
  }
  return number == 0 ? std::string() : fmt::format("_return{}", number);
}

std::string_view color_variant(ColorBy color) {
  switch (color) {
    case ColorBy::kEntity:
      return "_entity";
    case ColorBy::kReason:
      return "_reason";
    case ColorBy::kRange:
      break;
  }
  return "";
}

}  // namespace fathom
