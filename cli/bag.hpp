// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

namespace fathom_cli {

/// `fathom bag info BAG ...`
struct BagInfoOptions {
  std::filesystem::path bag;
  bool json = false;
};

/// Prints what is in a bag. Throws fathom::Error.
void print_bag_info(const BagInfoOptions& options);

}  // namespace fathom_cli
