// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mesh/gltf_document.hpp"

namespace fathom {

/// The two chunks of a .glb. `binary` may be absent.
struct GlbChunks {
  std::string_view json;
  std::optional<std::string_view> binary;
};

/// Whether these are the bytes of a GLB rather than JSON, whatever the file is called.
bool is_glb(std::string_view bytes);
/// Throws InputError unless the file is whole; `file` is its name for messages.
GlbChunks split_glb(std::string_view bytes, const std::string& file);

/// The bytes of a document's buffers, each read when it is first asked for: the binary chunk, base64 in the document,
/// or a file in the folder of the mesh. Nothing outside this folder is opened, by no name and through no link.
class GltfBuffers {
 public:
  /// `document`, and the bytes that `binary` shows, outlive it. `file`: the mesh.
  GltfBuffers(const GltfDocument& document, const std::filesystem::path& file, std::optional<std::string_view> binary);

  /// Of bufferViews[view]. Throws InputError.
  std::string_view view(std::size_t view);
  /// Bytes read until now, those of a file once however many buffers it is.
  [[nodiscard]] std::size_t bytes_read() const { return bytes_read_; }
  /// Adds the files read so far.
  void list_files(std::vector<std::filesystem::path>& opened) const;

 private:
  std::string_view buffer(std::size_t buffer);
  std::string_view read(const std::string& place, const std::string& uri);

  const GltfDocument& document_;
  std::filesystem::path folder_;
  std::optional<std::string_view> binary_;
  std::vector<std::optional<std::string_view>> buffers_;
  std::list<std::string> decoded_;
  std::unordered_map<std::string, std::string> files_;
  std::size_t bytes_read_ = 0;
};

}  // namespace fathom
