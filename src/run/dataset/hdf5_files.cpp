// SPDX-License-Identifier: MIT
#include "run/dataset/hdf5_files.hpp"

#include <fathom/core/error.hpp>

#include "core/errors.hpp"
#include "core/text/module.hpp"

namespace fathom {

#ifdef FATHOM_HDF5

std::unique_ptr<Hdf5Files> make_hdf5_files(int compression) {
  static auto* const make = reinterpret_cast<MakeHdf5Files*>(
      with_prefix("HDF5", [] { return load_module_function("hdf5", kMakeHdf5Files, "libhdf5-dev libisal-dev"); }));
  std::unique_ptr<Hdf5Files> made;
  make(compression, made);
  return made;
}

#else

std::unique_ptr<Hdf5Files> make_hdf5_files(int /*compression*/) {
  throw InputError(missing_feature("HDF5", "libhdf5-dev libisal-dev"));
}

#endif

}  // namespace fathom
