// SPDX-License-Identifier: MIT
#include "dataset/hdf5/handle.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "text/files.hpp"

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

}  // namespace

Quiet::Quiet() {
  H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Quiet::~Quiet() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }

Handle::Handle(hid_t id, Close how, const std::filesystem::path& file) : id_(id), close_(how) {
  if (id < 0) fail(file);
}

Handle& Handle::operator=(Handle&& other) noexcept {
  if (this == &other) return *this;
  reset();
  id_ = std::exchange(other.id_, -1);
  close_ = other.close_;
  return *this;
}

void Handle::reset() noexcept { static_cast<void>(close()); }

bool Handle::close() noexcept { return id_ < 0 || close_(std::exchange(id_, -1)) >= 0; }

void check(herr_t status, const std::filesystem::path& file) {
  if (status < 0) fail(file);
}

FileMemory::~FileMemory() { std::free(data_); }  // NOLINT(*-no-malloc): realloc moves no pages

void* FileMemory::resize(std::size_t bytes) {
  if (bytes <= bytes_) return data_;
  void* const grown = std::realloc(data_, bytes);  // NOLINT(*-no-malloc)
  if (grown == nullptr) return nullptr;
  data_ = grown, bytes_ = bytes;
  return data_;
}

NewFile::NewFile(const std::filesystem::path& file, FileMemory& memory) {
  const Handle how(H5Pcreate(H5P_FILE_ACCESS), &H5Pclose, file);
  constexpr std::size_t kGrowth = std::size_t{4} << 20U;
  check(H5Pset_fapl_core(how.get(), kGrowth, false), file);
  H5FD_file_image_callbacks_t calls = {.image_malloc = &make_image,
                                       .image_memcpy = nullptr,
                                       .image_realloc = &resize_image,
                                       .image_free = &keep_image,
                                       .udata_copy = &share_memory,
                                       .udata_free = &keep_memory,
                                       .udata = &memory};
  check(H5Pset_file_image_callbacks(how.get(), &calls), file);
  // HDF5 1.10 marks a file as open for writing until it is closed, when its memory is gone. H5Fget_file_image() of
  // 1.10.8 removes the mark and leaves a wrong checksum.
  check(H5Pset_libver_bounds(how.get(), H5F_LIBVER_V18, H5F_LIBVER_V110), file);
  const Handle what(H5Pcreate(H5P_FILE_CREATE), &H5Pclose, file);
  check(H5Pset_obj_track_times(what.get(), false), file);
  handle_ = Handle(H5Fcreate(file.c_str(), H5F_ACC_TRUNC, what.get(), how.get()), &H5Fclose, file);
}

FileDigest NewFile::save(const std::filesystem::path& file) {
  check(H5Fflush(handle_.get(), H5F_SCOPE_LOCAL), file);
  void* image = nullptr;  // points to the pointer of the driver for memory
  hsize_t size = 0;
  check(H5Fget_vfd_handle(handle_.get(), H5P_DEFAULT, &image), file);
  check(H5Fget_filesize(handle_.get(), &size), file);
  const std::span all(*static_cast<const std::byte* const*>(image), static_cast<std::size_t>(size));
  constexpr std::size_t kBlock = std::size_t{1} << 18U;  // stays in a cache between the two reads
  WholeFile out(file);
  Digester digester;
  for (auto bytes = all.first(used_bytes(all)); !bytes.empty(); bytes = bytes.subspan(std::min(kBlock, bytes.size()))) {
    const auto block = bytes.first(std::min(kBlock, bytes.size()));
    digester.add(block);
    out.write(block);
  }
  out.commit();
  check(handle_.close() ? 0 : -1, file);
  return digester.result();
}

Handle create_group(hid_t parent, const std::string& name, const std::filesystem::path& file) {
  const Handle what(H5Pcreate(H5P_GROUP_CREATE), &H5Pclose, file);
  check(H5Pset_obj_track_times(what.get(), false), file);
  return {H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, what.get(), H5P_DEFAULT), &H5Gclose, file};
}

Handle text_type(const std::filesystem::path& file) {
  Handle type(H5Tcopy(H5T_C_S1), &H5Tclose, file);
  check(H5Tset_size(type.get(), H5T_VARIABLE), file);
  check(H5Tset_cset(type.get(), H5T_CSET_UTF8), file);
  return type;
}

void write_attribute(hid_t object, const char* name, const std::string& text, const std::filesystem::path& file) {
  const Handle type = text_type(file), space(H5Screate(H5S_SCALAR), &H5Sclose, file);
  const Handle attribute(H5Acreate2(object, name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), &H5Aclose, file);
  const char* const value = text.c_str();
  check(H5Awrite(attribute.get(), type.get(), static_cast<const void*>(&value)), file);
}

void write_attribute(hid_t object, const char* name, double value, const std::filesystem::path& file) {
  const Handle space(H5Screate(H5S_SCALAR), &H5Sclose, file);
  const Handle attribute(H5Acreate2(object, name, H5T_IEEE_F64LE, space.get(), H5P_DEFAULT, H5P_DEFAULT), &H5Aclose,
                         file);
  check(H5Awrite(attribute.get(), H5T_NATIVE_DOUBLE, &value), file);
}

}  // namespace fathom::hdf5
