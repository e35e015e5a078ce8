// SPDX-License-Identifier: MIT
#include "text/nesting.hpp"

#include <string>

#include <gtest/gtest.h>

namespace fathom {
namespace {

TEST(NestingTest, CountsJsonOutsideStrings) {
  EXPECT_EQ(json_nesting(""), 0U);
  EXPECT_EQ(json_nesting("1"), 0U);
  EXPECT_EQ(json_nesting(R"({"a":[1,[2]],"b":[]})"), 3U);
  EXPECT_EQ(json_nesting(R"(["[[[\"[[[", "]]]"])"), 1U);
  EXPECT_EQ(json_nesting("]]]][[["), 3U);
  EXPECT_EQ(json_nesting(std::string(100000, '[')), 100000U);
  EXPECT_EQ(json_nesting("[\""), 1U);
}

}  // namespace
}  // namespace fathom
