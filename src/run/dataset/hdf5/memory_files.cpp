// SPDX-License-Identifier: MIT
// Files of HDF5 in memory, by the HDF5 library. Not on disk: after a failed write HDF5 can never close a file, and dies
// when the process ends.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <hdf5.h>

#include <fathom/core/error.hpp>

#include "run/dataset/hdf5/compress.hpp"
#include "run/dataset/hdf5_files.hpp"

namespace fathom::hdf5 {

namespace {

/// Keeps the innermost error of the library, which quotes the system.
herr_t keep_first(unsigned /*n*/, const H5E_error2_t* error, void* text) {
  auto& kept = *static_cast<std::string*>(text);
  if (kept.empty() && error->desc != nullptr) kept = error->desc;
  return 0;
}

/// The part in quotes of "file write failed: time = ..., error message = 'No space left on device', ...".
std::string in_short(const std::string& reason) {
  constexpr std::string_view kMark = "error message = '";
  if (reason.empty()) return "HDF5 failed";
  const std::size_t begin = reason.find(kMark);
  if (begin == std::string::npos) return "HDF5: " + reason;
  const std::size_t from = begin + kMark.size();
  return reason.substr(from, reason.find('\'', from) - from);
}

/// The memory of a file grows in steps. The superblock (version 2, "HDF5 File Format Specification", II.A) holds the
/// size of the file: eight bytes, little endian.
std::size_t used_bytes(std::span<const std::byte> image) {
  constexpr std::size_t kVersionAt = 8, kAddressSizeAt = 9, kEndAt = 28;
  if (image.size() < kEndAt + 8 || image[kVersionAt] != std::byte{2} || image[kAddressSizeAt] != std::byte{8}) {
    return image.size();
  }
  std::uint64_t end = 0;
  std::memcpy(&end, image.data() + kEndAt, sizeof end);
  return std::min(image.size(), static_cast<std::size_t>(end));
}

[[noreturn]] void fail(const std::filesystem::path& file) {
  std::string reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, &keep_first, &reason);
  throw SystemError(fmt::format("{}: cannot be written: {}", file.string(), in_short(reason)));
}

/// Keeps the library from printing errors while it lives, in the thread that makes it.
class Quiet {
 public:
  Quiet() {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Quiet() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// An object of any kind. The destructor ignores errors; close() reports them.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Handle() = default;
  /// Throws SystemError naming the file when `id` is negative.
  Handle(hid_t id, Close how, const std::filesystem::path& file) : id_(id), close_(how) {
    if (id < 0) fail(file);
  }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  ~Handle() { static_cast<void>(close()); }

  [[nodiscard]] hid_t get() const { return id_; }
  /// Whether closing succeeded.
  bool close() noexcept { return id_ < 0 || close_(std::exchange(id_, -1)) >= 0; }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// The memory of files that are made one after the other. It never shrinks: getting pages from the system takes longer
/// than writing to them.
class FileMemory {
 public:
  FileMemory() = default;
  ~FileMemory() { std::free(data_); }  // NOLINT(*-no-malloc): realloc moves no pages
  FileMemory(const FileMemory&) = delete;
  FileMemory& operator=(const FileMemory&) = delete;

  /// Grows to at least this many bytes and keeps the content; null if there is no memory.
  void* resize(std::size_t bytes) {
    if (bytes <= bytes_) return data_;
    void* const grown = std::realloc(data_, bytes);  // NOLINT(*-no-malloc)
    if (grown == nullptr) return nullptr;
    data_ = grown, bytes_ = bytes;
    return data_;
  }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

// The library calls these instead of malloc and so on for the bytes of a file; `memory` is a FileMemory.

void* resize_image(void* /*old*/, std::size_t bytes, H5FD_file_image_op_t /*why*/, void* memory) {
  return static_cast<FileMemory*>(memory)->resize(bytes);
}

void* make_image(std::size_t bytes, H5FD_file_image_op_t /*why*/, void* memory) {
  return static_cast<FileMemory*>(memory)->resize(bytes);
}

herr_t keep_image(void* /*image*/, H5FD_file_image_op_t /*why*/, void* /*memory*/) { return 0; }
void* share_memory(void* memory) { return memory; }
herr_t keep_memory(void* /*memory*/) { return 0; }

/// How the library knows a type in files and in memory.
struct TypeIds {
  hid_t file, memory;
  std::size_t bytes;
};

TypeIds ids_of(Hdf5Type type) {
  switch (type) {
    case Hdf5Type::kUint8:
      return {H5T_STD_U8LE, H5T_NATIVE_UINT8, 1};
    case Hdf5Type::kUint16:
      return {H5T_STD_U16LE, H5T_NATIVE_UINT16, 2};
    case Hdf5Type::kUint32:
      return {H5T_STD_U32LE, H5T_NATIVE_UINT32, 4};
    case Hdf5Type::kUint64:
      return {H5T_STD_U64LE, H5T_NATIVE_UINT64, 8};
    case Hdf5Type::kFloat64:
      return {H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 8};
    case Hdf5Type::kFloat32:
    case Hdf5Type::kText:
      break;
  }
  return {H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 4};
}

class MemoryFiles final : public Hdf5Files {
 public:
  explicit MemoryFiles(int compression) : compression_(compression) {
    if (compression > 0) filter_.emplace(compression);
  }
  ~MemoryFiles() override {
    const Quiet quiet;
    close_objects(0);
  }

  void begin(const std::filesystem::path& file) override;
  Object add_group(const std::string& name) override;
  void set(Object object, const char* name, const std::string& text) override;
  void set(Object object, const char* name, double value) override;
  Object add_array(Object group, const std::string& name, Hdf5Type type, Numbers shape, Numbers chunk) override;
  void write_chunk(Object array, Numbers at, std::span<const std::byte> elements) override;
  void write_array(Object group, const char* name, Hdf5Type type, Numbers shape, const void* elements) override;
  void finish(const std::function<void(std::span<const std::byte>)>& write) override;
  [[nodiscard]] bool takes_threads() const override {
    hbool_t safe = false;
    return H5is_library_threadsafe(&safe) >= 0 && safe;
  }

 private:
  struct Made {
    Handle handle;
    std::size_t element_bytes = 0;  // of an array
  };

  void check(herr_t status) const {
    if (status < 0) fail(file_);
  }
  Handle owned(hid_t id, Handle::Close close) const { return {id, close, file_}; }
  Object keep(Handle handle, std::size_t element_bytes = 0) {
    objects_.push_back({std::move(handle), element_bytes});
    return objects_.size() - 1;
  }
  /// Closes all but the first `kept` objects, the last one first.
  void close_objects(std::size_t kept) {
    while (objects_.size() > kept) objects_.pop_back();
  }
  [[nodiscard]] hid_t id(Object object) const { return objects_.at(object).handle.get(); }
  [[nodiscard]] Handle space_of(Numbers shape) const;
  [[nodiscard]] Handle text_type() const;
  [[nodiscard]] Handle array_properties(Hdf5Type type) const;

  std::filesystem::path file_;
  int compression_;
  std::optional<ChunkFilter> filter_;  // empty without compression
  FileMemory memory_;
  std::vector<Made> objects_;  // the file first
};

void MemoryFiles::begin(const std::filesystem::path& file) {
  const Quiet quiet;
  close_objects(0);
  file_ = file;
  const Handle how = owned(H5Pcreate(H5P_FILE_ACCESS), &H5Pclose);
  constexpr std::size_t kGrowth = std::size_t{4} << 20U;
  check(H5Pset_fapl_core(how.get(), kGrowth, false));
  H5FD_file_image_callbacks_t calls = {.image_malloc = &make_image,
                                       .image_memcpy = nullptr,
                                       .image_realloc = &resize_image,
                                       .image_free = &keep_image,
                                       .udata_copy = &share_memory,
                                       .udata_free = &keep_memory,
                                       .udata = &memory_};
  check(H5Pset_file_image_callbacks(how.get(), &calls));
  // HDF5 1.10 marks a file as open for writing until it is closed, when its memory is gone. H5Fget_file_image() of
  // 1.10.8 removes the mark and leaves a wrong checksum.
  check(H5Pset_libver_bounds(how.get(), H5F_LIBVER_V18, H5F_LIBVER_V110));
  const Handle what = owned(H5Pcreate(H5P_FILE_CREATE), &H5Pclose);
  check(H5Pset_obj_track_times(what.get(), false));
  keep(owned(H5Fcreate(file.c_str(), H5F_ACC_TRUNC, what.get(), how.get()), &H5Fclose));
}

Hdf5Files::Object MemoryFiles::add_group(const std::string& name) {
  const Quiet quiet;
  const Handle what = owned(H5Pcreate(H5P_GROUP_CREATE), &H5Pclose);
  check(H5Pset_obj_track_times(what.get(), false));
  return keep(owned(H5Gcreate2(id(kRoot), name.c_str(), H5P_DEFAULT, what.get(), H5P_DEFAULT), &H5Gclose));
}

Handle MemoryFiles::space_of(Numbers shape) const {
  const std::vector<hsize_t> sizes(shape.begin(), shape.end());
  return owned(H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr), &H5Sclose);
}

/// UTF-8 of any length.
Handle MemoryFiles::text_type() const {
  Handle type = owned(H5Tcopy(H5T_C_S1), &H5Tclose);
  check(H5Tset_size(type.get(), H5T_VARIABLE));
  check(H5Tset_cset(type.get(), H5T_CSET_UTF8));
  return type;
}

void MemoryFiles::set(Object object, const char* name, const std::string& text) {
  const Quiet quiet;
  const Handle type = text_type(), space = owned(H5Screate(H5S_SCALAR), &H5Sclose);
  const Handle attribute =
      owned(H5Acreate2(id(object), name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), &H5Aclose);
  const char* const value = text.c_str();
  check(H5Awrite(attribute.get(), type.get(), static_cast<const void*>(&value)));
}

void MemoryFiles::set(Object object, const char* name, double value) {
  const Quiet quiet;
  const Handle space = owned(H5Screate(H5S_SCALAR), &H5Sclose);
  const Handle attribute =
      owned(H5Acreate2(id(object), name, H5T_IEEE_F64LE, space.get(), H5P_DEFAULT, H5P_DEFAULT), &H5Aclose);
  check(H5Awrite(attribute.get(), H5T_NATIVE_DOUBLE, &value));
}

Handle MemoryFiles::array_properties(Hdf5Type type) const {
  Handle properties = owned(H5Pcreate(H5P_DATASET_CREATE), &H5Pclose);
  check(H5Pset_obj_track_times(properties.get(), false));
  const double missing = std::numeric_limits<double>::quiet_NaN();
  if (type == Hdf5Type::kFloat32 || type == Hdf5Type::kFloat64) {
    check(H5Pset_fill_value(properties.get(), H5T_NATIVE_DOUBLE, &missing));
  }
  return properties;
}

Hdf5Files::Object MemoryFiles::add_array(Object group, const std::string& name, Hdf5Type type, Numbers shape,
                                         Numbers chunk) {
  const Quiet quiet;
  const TypeIds ids = ids_of(type);
  const Handle space = space_of(shape), how = array_properties(type);
  const std::vector<hsize_t> sizes(chunk.begin(), chunk.end());
  check(H5Pset_chunk(how.get(), static_cast<int>(sizes.size()), sizes.data()));
  if (filter_) {
    check(H5Pset_shuffle(how.get()));
    check(H5Pset_deflate(how.get(), static_cast<unsigned>(compression_)));
  }
  return keep(
      owned(H5Dcreate2(id(group), name.c_str(), ids.file, space.get(), H5P_DEFAULT, how.get(), H5P_DEFAULT), &H5Dclose),
      ids.bytes);
}

void MemoryFiles::write_chunk(Object array, Numbers at, std::span<const std::byte> elements) {
  constexpr std::uint32_t kWithoutDeflate = 2;  // the second of the two filters
  const Quiet quiet;
  const Made& made = objects_.at(array);
  const StoredChunk chunk = filter_ ? filter_->store(elements, made.element_bytes) : StoredChunk{elements, true};
  const std::vector<hsize_t> place(at.begin(), at.end());
  check(H5Dwrite_chunk(made.handle.get(), H5P_DEFAULT, chunk.deflated ? 0 : kWithoutDeflate, place.data(),
                       chunk.bytes.size(), chunk.bytes.data()));
}

void MemoryFiles::write_array(Object group, const char* name, Hdf5Type type, Numbers shape, const void* elements) {
  const Quiet quiet;
  const Handle text = type == Hdf5Type::kText ? text_type() : Handle();
  const TypeIds ids = type == Hdf5Type::kText ? TypeIds{text.get(), text.get(), 0} : ids_of(type);
  const Handle space = space_of(shape), how = array_properties(type);
  const Handle array =
      owned(H5Dcreate2(id(group), name, ids.file, space.get(), H5P_DEFAULT, how.get(), H5P_DEFAULT), &H5Dclose);
  check(H5Dwrite(array.get(), ids.memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, elements));
}

void MemoryFiles::finish(const std::function<void(std::span<const std::byte>)>& write) {
  const Quiet quiet;
  close_objects(1);
  check(H5Fflush(id(kRoot), H5F_SCOPE_LOCAL));
  void* image = nullptr;  // points to the pointer of the driver for memory
  hsize_t size = 0;
  check(H5Fget_vfd_handle(id(kRoot), H5P_DEFAULT, &image));
  check(H5Fget_filesize(id(kRoot), &size));
  const std::span all(*static_cast<const std::byte* const*>(image), static_cast<std::size_t>(size));
  write(all.first(used_bytes(all)));
  check(objects_[kRoot].handle.close() ? 0 : -1);
  close_objects(0);
}

}  // namespace

}  // namespace fathom::hdf5

extern "C" [[gnu::visibility("default")]] void fathom_make_hdf5_files(int compression,
                                                                      std::unique_ptr<fathom::Hdf5Files>& made) {
  made = std::make_unique<fathom::hdf5::MemoryFiles>(compression);
}
