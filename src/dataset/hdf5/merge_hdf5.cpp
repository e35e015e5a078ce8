// SPDX-License-Identifier: MIT
#include <array>
#include <vector>

#include <nlohmann/json.hpp>

#include "dataset/hdf5/layout.hpp"
#include "dataset/hdf5_files.hpp"

namespace fathom {

namespace hdf5 {

namespace {

namespace fs = std::filesystem;

/// The arrays of all packs as one. They lie in the packs' files, whose names are relative to the folder of the dataset.
class VirtualFile {
 public:
  VirtualFile(const fs::path& dataset, const DatasetFile& about, const fs::path& name)
      : about_(about),
        name_(name),
        from_(dataset / about.packs.places()(0)),
        first_(H5Fopen(from_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), &H5Fclose, from_, Access::kRead),
        file_(name, memory_) {
    describe_file(file_.get(), about, about.inputs, name);
  }

  void write() {
    const std::vector<Handle> sensors = make_sensor_groups(file_.get(), about_, name_);
    const auto descriptions = nlohmann::ordered_json::parse(about_.sensors);
    for (const auto& sensor : descriptions) {
      const auto group = sensor.at("name").get<std::string>();
      for (const auto& channel : sensor.at("channels")) add(group + "/" + channel.at("name").get<std::string>());
      add(group + "/time_s");
      if (sensor.contains("timing")) add(group + "/delivered_s");
      add(group + "/pose");
    }
    const Handle units = create_group(file_.get(), kUnitGroup, name_);
    for (const char* const number : kUnitNumbers) add(std::string(kUnitGroup) + "/" + number);
    add(std::string(kUnitGroup) + "/parameters");
  }

  void save() { file_.save(name_); }

 private:
  void add(const std::string& array) {
    const Handle source(H5Dopen2(first_.get(), array.c_str(), H5P_DEFAULT), &H5Dclose, from_, Access::kRead),
        type(H5Dget_type(source.get()), &H5Tclose, from_, Access::kRead),
        space(H5Dget_space(source.get()), &H5Sclose, from_, Access::kRead);
    std::vector<hsize_t> shape(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space.get())));
    H5Sget_simple_extent_dims(space.get(), shape.data(), nullptr);
    const Handle how = array_properties(type.get(), name_);
    shape[0] = about_.units().size();
    const Handle all(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), &H5Sclose, name_);
    std::vector<hsize_t> start(shape.size(), 0), count = shape;
    for (std::uint64_t i = 0; i < about_.packs.size(); ++i) {
      const Pack pack = about_.packs.at(i);
      start[0] = pack.first, count[0] = pack.units;
      const Handle part(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr), &H5Sclose, name_);
      check(H5Sselect_hyperslab(all.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr), name_);
      check(H5Pset_virtual(how.get(), all.get(), about_.packs.places()(i).c_str(), array.c_str(), part.get()), name_);
    }
    check(H5Sselect_all(all.get()), name_);
    const Handle made(
        H5Dcreate2(file_.get(), array.c_str(), type.get(), all.get(), H5P_DEFAULT, how.get(), H5P_DEFAULT), &H5Dclose,
        name_);
    copy_attributes(source.get(), made.get());
  }

  void copy_attributes(hid_t from, hid_t to) const {
    for (const char* const key : {"unit", "description", "words"}) {
      if (H5Aexists(from, key) <= 0) continue;
      const Handle attribute(H5Aopen(from, key, H5P_DEFAULT), &H5Aclose, from_, Access::kRead);
      const Handle type(H5Aget_type(attribute.get()), &H5Tclose, from_, Access::kRead);
      char* text = nullptr;
      check(H5Aread(attribute.get(), type.get(), static_cast<void*>(&text)), from_, Access::kRead);
      const std::string kept = text == nullptr ? "" : text;
      H5free_memory(text);
      write_attribute(to, key, kept, name_);
    }
  }

  const DatasetFile& about_;
  const fs::path& name_;
  fs::path from_;  // the first pack
  Handle first_;
  FileMemory memory_;
  NewFile file_;
};

}  // namespace

}  // namespace hdf5

void merge_hdf5(const std::filesystem::path& dataset, const DatasetFile& file) {
  const hdf5::Quiet quiet;
  const std::filesystem::path name = dataset / kMergedHdf5Name;
  hdf5::VirtualFile merged(dataset, file, name);
  merged.write();
  merged.save();
}

}  // namespace fathom
