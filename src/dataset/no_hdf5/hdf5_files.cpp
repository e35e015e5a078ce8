// SPDX-License-Identifier: MIT
#include <fathom/base/error.hpp>

#include "base/errors.hpp"
#include "dataset/pack_writer.hpp"

namespace fathom {

namespace {

[[noreturn]] void refuse() { throw InputError(missing_feature("HDF5", "libhdf5-dev libisal-dev")); }

}  // namespace

bool hdf5_takes_threads() { return false; }

void check_hdf5(const SceneSetup& /*setup*/) { refuse(); }

std::unique_ptr<PackWriter> make_hdf5_writer(const std::filesystem::path& /*dataset*/, const SceneSetup& /*setup*/,
                                             PreparedRun& /*run*/, const DatasetFile& /*file*/) {
  refuse();
}

}  // namespace fathom
