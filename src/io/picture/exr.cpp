// SPDX-License-Identifier: MIT
#include <span>

#include <fathom/core/error.hpp>
#include <fathom/files/pictures.hpp>
#include <fathom/frame/frame.hpp>

#include "core/errors.hpp"
#include "core/text/files.hpp"
#include "core/text/module.hpp"
#include "io/picture/float_image.hpp"

namespace fathom {

namespace {

#ifdef FATHOM_OPENEXR

const ExrFunctions& exr_functions() {
  static const ExrFunctions found = [] {
    auto* const get = reinterpret_cast<void (*)(ExrFunctions&)>(
        with_prefix("OpenEXR", [] { return load_module_function("exr", kExrFunctions, "libopenexr-dev"); }));
    ExrFunctions functions;
    get(functions);
    return functions;
  }();
  return found;
}

#else

const ExrFunctions& exr_functions() { throw InputError(missing_feature("OpenEXR", "libopenexr-dev")); }

#endif

}  // namespace

FloatImage read_exr(const std::filesystem::path& file) {
  const std::string bytes = read_file(file);
  FloatImage image;
  with_prefix(file.string(), [&] { exr_functions().read(bytes, image); });
  return image;
}

void write_exr(const std::filesystem::path& file, const Frame& frame, Channel channel, const std::string& name) {
  const std::span<const float> values = frame.floats(channel);
  if (frame.size() == 0 || values.size() != frame.size()) throw InputError("an EXR needs one value per ray");
  const FloatImage image{.rows = frame.returns() * frame.rows(),
                         .cols = frame.cols(),
                         .channel = name,
                         .value = {values.begin(), values.end()}};
  std::string bytes;
  with_prefix(file.string(), [&] { exr_functions().write(image, bytes); });
  write_whole_file(file, bytes);
}

}  // namespace fathom
