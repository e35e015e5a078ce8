// SPDX-License-Identifier: MIT
#include "simulate/outputs/frame_file.hpp"

#include <string>

namespace fathom {

OutputFile frame_file(std::string_view first_file, std::string_view variant) {
  constexpr std::string_view kFirst = "_000000.";
  const std::size_t number = first_file.find(kFirst);
  OutputFile file;
  file.stem = std::string(first_file.substr(0, number)).append(variant);
  file.extension = first_file.substr(number + kFirst.size());
  return file;
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
