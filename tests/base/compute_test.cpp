// SPDX-License-Identifier: MIT
#include <fathom/base/compute.hpp>

#include <string>

#include <gtest/gtest.h>

#include "support/casters.hpp"
#include "support/error_text.hpp"

namespace fathom::test {
namespace {

TEST(Compute, AcceptsWhatThisComputerAndThisBuildHave) {
  for (const Compute& compute : casters_and_isas()) EXPECT_NO_THROW(validate(compute)) << name_of(compute);
  for (const int threads : {0, 1, Compute::kMostThreads}) EXPECT_NO_THROW(validate({.threads = threads}));
}

TEST(Compute, RefusesInOneLineWhatTheyLack) {
  EXPECT_EQ(message_of<InputError>([] { validate({.threads = -1}); }), "threads = -1 is not in [0, 1024]");
  EXPECT_EQ(message_of<InputError>([] { validate({.threads = 1025}); }), "threads = 1025 is not in [0, 1024]");
#ifndef FATHOM_EMBREE
  EXPECT_EQ(message_of<InputError>([] { validate({.caster = CasterKind::kEmbree}); }),
            "caster = embree is not in this build: configure it with FATHOM_EMBREE=ON");
#endif
}

TEST(Compute, CastersHaveAWord) {
  EXPECT_EQ(to_string(CasterKind::kTree), "tree");
  EXPECT_EQ(to_string(CasterKind::kEmbree), "embree");
}

}  // namespace
}  // namespace fathom::test
