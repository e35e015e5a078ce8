// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <fathom/core/error.hpp>

#include "core/text.hpp"
#include "core/text/files.hpp"
#include "io/mesh/gltf_document.hpp"

namespace fathom {

namespace {

constexpr std::size_t kGlbHeaderBytes = 12, kChunkHeaderBytes = 8;

std::uint32_t word_at(std::string_view bytes, std::size_t at) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes.data() + at, sizeof(word));
  return word;
}

/// 0 to 63; 64 if `c` is not a letter of base64.
std::uint32_t base64_value(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<std::uint32_t>(c - 'A');
  if (c >= 'a' && c <= 'z') return static_cast<std::uint32_t>(c - 'a') + 26;
  if (c >= '0' && c <= '9') return static_cast<std::uint32_t>(c - '0') + 52;
  if (c == '+') return 62;
  return c == '/' ? 63 : 64;
}

std::optional<std::string> from_base64(std::string_view text) {
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 3);
  std::uint32_t bits = 0, held = 0;
  for (const char c : text) {
    const std::uint32_t value = base64_value(c);
    if (value > 63) return std::nullopt;
    bits = (bits << 6U | value) & 0xffffU, held += 6;
    if (held >= 8) held -= 8, bytes += static_cast<char>(bits >> held & 0xffU);
  }
  return bytes;
}

std::optional<unsigned> hex_value(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return std::nullopt;
}

/// The text with percent codes (%20) decoded; empty if a % lacks its two digits or a zero byte results.
std::optional<std::string> from_percent(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      const auto high = i + 2 < text.size() ? hex_value(text[i + 1]) : std::nullopt;
      const auto low = i + 2 < text.size() ? hex_value(text[i + 2]) : std::nullopt;
      if (!high || !low) return std::nullopt;
      c = static_cast<char>(*high * 16 + *low), i += 2;
    }
    if (c == '\0') return std::nullopt;
    decoded += c;
  }
  return decoded;
}

/// Whether the URI begins with http:, file:, C: or the like.
bool has_scheme(std::string_view uri) {
  const std::size_t colon = uri.find(':');
  return colon != std::string_view::npos && uri.substr(0, colon).find('/') == std::string_view::npos;
}

/// The path of `name` in the folder; empty if it leads out.
std::optional<std::filesystem::path> inside(const std::filesystem::path& folder, const std::filesystem::path& name) {
  if (name.is_absolute()) return std::nullopt;
  return confined(folder / name, std::span(&folder, 1));
}

}  // namespace

bool is_glb(std::string_view bytes) { return bytes.starts_with("glTF"); }

GlbChunks split_glb(std::string_view bytes, const std::string& file) {
  if (bytes.size() < kGlbHeaderBytes + kChunkHeaderBytes) {
    throw InputError(fmt::format("{}: the GLB file is cut short: {} bytes", file, bytes.size()));
  }
  const std::uint32_t version = word_at(bytes, 4), length = word_at(bytes, 8);
  if (version == 1) throw InputError(fmt::format("{}: is glTF 1; only 2.0 is read", file));
  if (version != 2) throw InputError(fmt::format("{}: byte 4: version {} of GLB; only 2 is read", file, version));
  GlbChunks chunks;
  std::size_t at = kGlbHeaderBytes;
  for (std::size_t number = 0; bytes.size() - at >= kChunkHeaderBytes; ++number) {
    const std::uint32_t size = word_at(bytes, at);
    const std::string_view type = bytes.substr(at + 4, 4);
    const std::size_t left = bytes.size() - at - kChunkHeaderBytes;
    if (size > left) {
      throw InputError(
          fmt::format("{}: byte {}: a chunk of {} bytes is not in [0, {}], the bytes left", file, at, size, left));
    }
    const std::string_view body = bytes.substr(at + kChunkHeaderBytes, size);
    if ((number == 0) != (type == "JSON")) {
      throw InputError(fmt::format("{}: byte {}: the first chunk of a GLB, and no other, is JSON", file, at));
    }
    if (number == 0) chunks.json = body;
    if (number == 1 && type == std::string_view("BIN\0", 4)) chunks.binary = body;
    at += kChunkHeaderBytes + size;
  }
  if (length != bytes.size() || at != bytes.size()) {
    throw InputError(
        fmt::format("{}: byte 8: the GLB has {} bytes by its header, the file has {}, its chunks end at {}", file,
                    length, bytes.size(), at));
  }
  return chunks;
}

GltfBuffers::GltfBuffers(const GltfDocument& document, const std::filesystem::path& file,
                         std::optional<std::string_view> binary)
    : document_(document),
      folder_(file.has_parent_path() ? file.parent_path() : std::filesystem::path(".")),
      binary_(binary),
      buffers_(document.buffers.size()) {}

std::string_view GltfBuffers::view(std::size_t view) {
  const GltfView& wanted = document_.views[view];
  return buffer(wanted.buffer).substr(wanted.offset, wanted.length);
}

std::string_view GltfBuffers::buffer(std::size_t buffer) {
  std::optional<std::string_view>& bytes = buffers_[buffer];
  if (bytes) return *bytes;
  const GltfBuffer& wanted = document_.buffers[buffer];
  const std::string place = fmt::format("buffers[{}]", buffer);
  std::string_view found;
  if (wanted.uri) {
    found = read(place + ".uri", *wanted.uri);
  } else {
    if (buffer != 0 || !binary_) document_.fail(place, "has no 'uri', and is not the binary chunk of a GLB");
    found = *binary_;
    bytes_read_ += found.size();
  }
  if (found.size() < wanted.byte_length) {
    document_.fail(place, fmt::format("byteLength = {}, but there are {} bytes", wanted.byte_length, found.size()));
  }
  bytes = found.substr(0, wanted.byte_length);
  return *bytes;
}

void GltfBuffers::list_files(std::vector<std::filesystem::path>& opened) const {
  for (const auto& entry : files_) opened.emplace_back(entry.first);
}

std::string_view GltfBuffers::read(const std::string& place, const std::string& uri) {
  const std::string shown = one_line(uri.substr(0, 60));
  if (uri.starts_with("data:")) {
    const std::size_t comma = uri.find(',');
    const std::string_view head = std::string_view(uri).substr(0, comma);
    auto bytes = comma == std::string::npos || !head.ends_with(";base64")
                     ? std::nullopt
                     : from_base64(std::string_view(uri).substr(comma + 1));
    if (!bytes) document_.fail(place, fmt::format("= '{}' is not base64 data", shown));
    bytes_read_ += bytes->size();
    return decoded_.emplace_back(*std::move(bytes));
  }
  const auto name = from_percent(uri);
  if (has_scheme(uri) || !name || name->empty()) {
    document_.fail(place, fmt::format("= '{}' is neither the name of a file nor base64 data", shown));
  }
  const auto path = inside(folder_, *name);
  if (!path) document_.fail(place, fmt::format("= '{}' leads out of the folder of the mesh", shown));
  const auto [entry, is_new] = files_.try_emplace(path->string());
  try {
    if (is_new) {
      entry->second = read_file(*path);
      bytes_read_ += entry->second.size();
    }
  } catch (const InputError& error) {
    document_.fail(place, fmt::format("= '{}': {}", shown, error.what()));
  }
  return entry->second;
}

namespace {

// Accessors may share sparse elements, and each reads all of them.
constexpr std::size_t kMaxSparse = std::size_t{1} << 24U;

constexpr std::size_t kUint8 = 5121, kUint16 = 5123, kUint32 = 5125, kFloat32 = 5126;

/// 0 if the type is unknown.
std::size_t bytes_of(std::size_t component_type) {
  constexpr std::array<std::size_t, 7> kBytes = {1, 1, 2, 2, 0, 4, 4};
  return component_type >= 5120 && component_type <= kFloat32 ? kBytes[component_type - 5120] : 0;
}

bool is_unsigned(std::size_t component_type) {
  return component_type == kUint8 || component_type == kUint16 || component_type == kUint32;
}

std::size_t components_of(std::string_view type) {
  constexpr std::array<std::pair<std::string_view, std::size_t>, 4> kTypes = {
      {{"SCALAR", 1}, {"VEC3", 3}, {"VEC4", 4}, {"MAT4", 16}}};
  for (const auto& [name, count] : kTypes) {
    if (name == type) return count;
  }
  return 0;
}

template <class T>
double load(const char* bytes, bool is_normalized) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  const auto number = static_cast<double>(value);
  if (!is_normalized || !std::numeric_limits<T>::is_integer) return number;
  return std::max(number / static_cast<double>(std::numeric_limits<T>::max()), -1.0);
}

}  // namespace

double GltfComponents::operator[](std::size_t i) const {
  switch (type) {
    case 5120:
      return load<std::int8_t>(bytes + i, is_normalized);
    case kUint8:
      return load<std::uint8_t>(bytes + i, is_normalized);
    case 5122:
      return load<std::int16_t>(bytes + 2 * i, is_normalized);
    case kUint16:
      return load<std::uint16_t>(bytes + 2 * i, is_normalized);
    case kUint32:
      return load<std::uint32_t>(bytes + 4 * i, is_normalized);
    default:
      return load<float>(bytes + 4 * i, is_normalized);
  }
}

double GltfNumbers::operator()(std::size_t element, std::size_t component) const {
  std::size_t low = 0, high = sparse_count_;
  const auto wanted = static_cast<double>(element);
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    (sparse_indices_[middle] < wanted ? low : high) = sparse_indices_[middle] < wanted ? middle + 1 : middle;
  }
  if (low < sparse_count_ && sparse_indices_[low] == wanted) return sparse_values_[low * components_ + component];
  if (dense_.bytes == nullptr) return 0.0;
  return GltfComponents{dense_.bytes + element * stride_, dense_.type, dense_.is_normalized}[component];
}

void GltfAccessors::fail(std::size_t i, std::string_view what) const {
  document_.fail(fmt::format("accessors[{}]", i), what);
}

const GltfNumbers& GltfAccessors::get(std::size_t i, std::string_view type) {
  const std::string& found = document_.accessors[i].type;
  if (found != type) fail(i, fmt::format("type = '{:.20}' is not {}, as is needed here", found, type));
  if (!made_[i]) made_[i] = make(i);
  return *made_[i];
}

const GltfNumbers& GltfAccessors::get_indices(std::size_t i, std::string_view type) {
  const GltfAccessor& accessor = document_.accessors[i];
  if (!is_unsigned(accessor.component_type) || accessor.is_normalized) {
    fail(i, fmt::format("componentType = {}{} is not 5121, 5123 or 5125: whole numbers are needed here",
                        accessor.component_type, accessor.is_normalized ? " (normalized)" : ""));
  }
  return get(i, type);
}

const char* GltfAccessors::elements(std::size_t i, std::string_view part, std::size_t view, std::size_t offset,
                                    std::size_t count, std::size_t bytes, std::size_t stride) {
  const std::string_view found = buffers_.view(view);
  const std::size_t needed = count == 0 ? offset : offset + (count - 1) * stride + bytes;
  if (needed > found.size()) {
    fail(i, fmt::format("{}needs {} bytes, bufferViews[{}] has {}", part, needed, view, found.size()));
  }
  return found.data() + offset;
}

GltfNumbers GltfAccessors::make(std::size_t i) {
  const GltfAccessor& accessor = document_.accessors[i];
  const std::size_t component_bytes = bytes_of(accessor.component_type);
  if (component_bytes == 0) {
    fail(i,
         fmt::format("componentType = {} is not one of 5120, 5121, 5122, 5123, 5125, 5126", accessor.component_type));
  }
  GltfNumbers made;
  made.count = accessor.count;
  made.components_ = components_of(accessor.type);
  made.dense_ = {nullptr, accessor.component_type, accessor.is_normalized};
  const std::size_t bytes = made.components_ * component_bytes;
  if (accessor.view) {
    const std::size_t stride = document_.views[*accessor.view].stride;
    made.stride_ = stride == 0 ? bytes : stride;
    if (made.stride_ < bytes) {
      fail(i, fmt::format("has elements of {} bytes, bufferViews[{}].byteStride = {}", bytes, *accessor.view,
                          made.stride_));
    }
    made.dense_.bytes = elements(i, "", *accessor.view, accessor.offset, accessor.count, bytes, made.stride_);
  }
  if (accessor.sparse) add_sparse(i, made);
  return made;
}

void GltfAccessors::add_sparse(std::size_t i, GltfNumbers& numbers) {
  const GltfSparse& sparse = *document_.accessors[i].sparse;
  if (!is_unsigned(sparse.index_type)) {
    fail(i, fmt::format("sparse.indices.componentType = {} is not 5121, 5123 or 5125", sparse.index_type));
  }
  if (sparse.count > kMaxSparse - sparse_) {
    fail(i, fmt::format("brings the file above {} sparse elements, the limit", kMaxSparse));
  }
  sparse_ += sparse.count;
  const std::size_t index_bytes = bytes_of(sparse.index_type);
  const std::size_t value_bytes = numbers.components_ * bytes_of(numbers.dense_.type);
  numbers.sparse_indices_ = {
      elements(i, "sparse.indices ", sparse.index_view, sparse.index_offset, sparse.count, index_bytes, index_bytes),
      sparse.index_type, false};
  numbers.sparse_values_ = {
      elements(i, "sparse.values ", sparse.value_view, sparse.value_offset, sparse.count, value_bytes, value_bytes),
      numbers.dense_.type, numbers.dense_.is_normalized};
  for (std::size_t k = 0; k < sparse.count; ++k) {
    const double index = numbers.sparse_indices_[k];
    if (!(index < static_cast<double>(numbers.count))) {
      fail(i, fmt::format("sparse.indices: number {} = {} is not in [0, {})", k, index, numbers.count));
    }
    if (k > 0 && !(index > numbers.sparse_indices_[k - 1])) {
      fail(i, fmt::format("sparse.indices: number {} = {} is not above the one before", k, index));
    }
  }
  numbers.sparse_count_ = sparse.count;
}

}  // namespace fathom
