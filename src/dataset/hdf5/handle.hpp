// SPDX-License-Identifier: MIT
#pragma once
// HDF5's objects as RAII handles, and its errors as exceptions.

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include <hdf5.h>

#include "dataset/digest.hpp"

namespace fathom::hdf5 {

/// Keeps the library from printing errors while it lives, in the thread that makes it.
class Quiet {
 public:
  Quiet();
  ~Quiet();
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
  Handle(hid_t id, Close how, const std::filesystem::path& file);
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept;
  ~Handle() { reset(); }

  [[nodiscard]] hid_t get() const { return id_; }
  void reset() noexcept;
  /// Whether closing succeeded.
  bool close() noexcept;

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// Throws SystemError with the file and the message of HDF5 unless the status is good.
void check(herr_t status, const std::filesystem::path& file);

/// The memory of files that are made one after the other. It never shrinks: getting pages from the system takes longer
/// than writing to them.
class FileMemory {
 public:
  FileMemory() = default;
  ~FileMemory();
  FileMemory(const FileMemory&) = delete;
  FileMemory& operator=(const FileMemory&) = delete;

  /// Grows to at least this many bytes and keeps the content; null if there is no memory.
  void* resize(std::size_t bytes);

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// A file that is made in memory, without times, in a format that HDF5 1.8 and later read. Not on disk: after a failed
/// write HDF5 can never close a file, and dies when the process ends.
class NewFile {
 public:
  /// Messages name `file`. `memory` serves one file at a time, and outlives it.
  NewFile(const std::filesystem::path& file, FileMemory& memory);

  [[nodiscard]] hid_t get() const { return handle_.get(); }
  /// Writes it to disk, whole or not at all, and closes it. Returns the digest of its bytes. Throws SystemError.
  FileDigest save(const std::filesystem::path& file);

 private:
  Handle handle_;
};

/// A group without times.
Handle create_group(hid_t parent, const std::string& name, const std::filesystem::path& file);

/// The type of UTF-8 texts of any length.
Handle text_type(const std::filesystem::path& file);

/// Writes a string as an attribute.
void write_attribute(hid_t object, const char* name, const std::string& text, const std::filesystem::path& file);
void write_attribute(hid_t object, const char* name, double value, const std::filesystem::path& file);

}  // namespace fathom::hdf5
