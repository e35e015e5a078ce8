// SPDX-License-Identifier: MIT
#pragma once
// Files of HDF5. src/run/dataset/hdf5 includes the HDF5 library. It is a module (core/text/module.hpp), loaded for the
// first file: programs linked to HDF5 itself would start 37 ms later.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace fathom {

/// Types of elements, in files and in memory.
enum class Hdf5Type : std::uint8_t { kUint8, kUint16, kUint32, kUint64, kFloat32, kFloat64, kText };

/// Makes files, one after the other, in memory and in a format that HDF5 1.8 and later read. Files hold no times.
/// Missing real numbers are NaN. Functions throw SystemError naming the file. For one thread at a time.
class Hdf5Files {
 public:
  using Numbers = std::span<const std::uint64_t>;
  /// A group or an array of the file.
  using Object = std::size_t;
  static constexpr Object kRoot = 0;

  virtual ~Hdf5Files() = default;

  /// Starts a file; messages name `file`. Drops a file that was not finished.
  virtual void begin(const std::filesystem::path& file) = 0;
  /// A group in the root.
  virtual Object add_group(const std::string& name) = 0;
  virtual void set(Object object, const char* name, const std::string& text) = 0;
  virtual void set(Object object, const char* name, double value) = 0;
  /// An array that write_chunk() fills.
  virtual Object add_array(Object group, const std::string& name, Hdf5Type type, Numbers shape, Numbers chunk) = 0;
  virtual void write_chunk(Object array, Numbers at, std::span<const std::byte> elements) = 0;
  /// A whole array; texts are `const char*`.
  virtual void write_array(Object group, const char* name, Hdf5Type type, Numbers shape, const void* elements) = 0;
  /// Passes all bytes of the file to `write`, and closes it.
  virtual void finish(const std::function<void(std::span<const std::byte>)>& write) = 0;

  /// Whether several threads may write files at once: the library must have been built for it.
  [[nodiscard]] virtual bool takes_threads() const = 0;
};

/// `compression`: level of deflate for chunks, in [0, 9]; 0: none. Throws InputError in a build without HDF5, and if
/// the module cannot be loaded.
std::unique_ptr<Hdf5Files> make_hdf5_files(int compression);

/// The function of the module, as make_hdf5_files().
using MakeHdf5Files = void(int compression, std::unique_ptr<Hdf5Files>& made);
inline constexpr const char* kMakeHdf5Files = "fathom_make_hdf5_files";

}  // namespace fathom
