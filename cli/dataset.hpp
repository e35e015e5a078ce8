// SPDX-License-Identifier: MIT
#pragma once
// `fathom dataset verify | info DIR`

#include <filesystem>

namespace fathom_cli {

struct DatasetArguments {
  std::filesystem::path folder;
  int threads = 0;  ///< 0: one per core
  bool json = false, quiet = false;
  bool remove_faulty = false;
};

/// Prints the faults; throws fathom::InputError where one of them is not removed.
void verify_dataset(const DatasetArguments& arguments);
void print_dataset_info(const DatasetArguments& arguments);

}  // namespace fathom_cli
