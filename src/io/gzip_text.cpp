#include "io/gzip_text.hpp"

#include <zlib.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include <fmt/format.h>

#include <fathom/error.hpp>

#include "io/read_file.hpp"

namespace fathom {

std::string read_gzip_text(const std::filesystem::path& file) {
  require_readable_file(file);
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> stream(gzopen(file.c_str(), "rb"), gzclose);
  if (!stream) throw InputError(fmt::format("{}: cannot be opened", file.string()));
  constexpr std::size_t kChunk = std::size_t{1} << 18U;
  std::string text;
  for (;;) {
    const std::size_t size = text.size();
    text.resize(size + kChunk);
    const int got = gzread(stream.get(), text.data() + size, kChunk);
    text.resize(size + static_cast<std::size_t>(got > 0 ? got : 0));
    if (got <= 0) break;
  }
  // A gzip file that ends in the middle hands out all that could be inflated, and only then says so.
  int code = Z_OK;
  const std::string_view message = gzerror(stream.get(), &code);
  if (code != Z_OK) {
    const auto line = std::count(text.begin(), text.end(), '\n') + 1;
    throw InputError(fmt::format("{}:{}: cut short or damaged: nothing can be read after this line ({})", file.string(),
                                 line, message));
  }
  return text;
}

}  // namespace fathom
