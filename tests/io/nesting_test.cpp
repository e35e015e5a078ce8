#include "io/nesting.hpp"

#include <gtest/gtest.h>

#include <string>

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

TEST(NestingTest, CountsXmlElements) {
  EXPECT_EQ(xml_nesting("no markup"), 0U);
  EXPECT_EQ(xml_nesting("<?xml version='1.0'?><a><b/><c>text</c></a>"), 2U);
  EXPECT_EQ(xml_nesting("<a><!-- <b><c><d> --><e></e></a>"), 2U);
  EXPECT_EQ(xml_nesting("<a x='/>'><b y=\">\"><c/></b></a>"), 2U) << "marks inside attributes are text";
  EXPECT_EQ(xml_nesting("<a><![CDATA[</a></a>]]><b><c>"), 3U);
  EXPECT_EQ(xml_nesting("<a><b><c"), 3U);
  EXPECT_EQ(xml_nesting("<"), 1U);
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "<n>";
  EXPECT_EQ(xml_nesting(deep), 1000U);
}

}  // namespace
}  // namespace fathom
