// SPDX-License-Identifier: MIT
#include "mesh/xml_document.hpp"

#include <string>

#include <gtest/gtest.h>

#include <fathom/base/error.hpp>

#include "support/error_text.hpp"

namespace fathom::xml_document_test {
namespace {

using test::contains;
using test::message_of;

std::string refusal(const std::string& text) {
  return message_of<InputError>([&] { XmlDocument(text, "a.xml"); });
}

TEST(XmlDocumentTest, ReadsElementsAttributesAndText) {
  const std::string text =
      "\xef\xbb\xbf<?xml version='1.0'?>\n<!DOCTYPE a>\n<!-- <b> -->\n"
      "<a x='/>' y=\"it's &lt;&#65;&#x42;\" >\n 1 <b/><b z = '2'>in</b > 2<!-- </a> -->3<![CDATA[ <4> &lt;]]></a\n>\n";
  const XmlDocument document(text, "a.xml");
  const pugi::xml_node a = document.root();
  EXPECT_STREQ(a.name(), "a");
  EXPECT_STREQ(a.attribute("x").value(), "/>");
  EXPECT_STREQ(a.attribute("y").value(), "it's <AB");
  EXPECT_TRUE(a.attribute("z").empty());
  EXPECT_EQ(text_of(a), "\n 1  23 <4> &lt;");
  EXPECT_EQ(a.child("b"), a.first_element_by_path("b")) << "the first of that name";
  EXPECT_TRUE(a.child("c").empty());
  EXPECT_EQ(text_of(a.child("b").next_sibling("b")), "in");
}

TEST(XmlDocumentTest, WritesCodePointsInUtf8) {
  const std::string text = "<a>&#x7f;&#x80;&#xe9;&#x20ac;&#x1f600;</a>";
  EXPECT_EQ(text_of(XmlDocument(text, "a.xml").root()), "\x7f\xc2\x80\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
}

TEST(XmlDocumentTest, FailsAtTheElement) {
  const std::string text = "<a>\n  <b id='x\ny'/></a>";
  const XmlDocument document(text, "a.xml");
  const auto message = [&](pugi::xml_node e) { return message_of<InputError>([&] { document.fail(e, "is odd"); }); };
  EXPECT_EQ(message(document.root()), "a.xml:1:1: <a>: is odd");
  EXPECT_TRUE(contains(message(document.root().child("b")), "a.xml:2:3: <b id='x"));
}

TEST(XmlDocumentTest, NamesWhatIsNotXml) {
  const std::vector<std::pair<std::string, const char*>> cases = {
      {"", "a.xml:1:1: not XML: there is no element"},
      {"<!-- only -->\n text", "a.xml:1:1: not XML: there is no element"},
      {"<!-- no end", "not XML: Error parsing comment"},
      {"<!DOCTYPE a [<!ENTITY b 'c'>]><a/>", "a.xml:1:11: a document type with declarations is not understood"},
      {"\n<!DOCTYPE a SYSTEM 'b' [ ]><a/>", "a.xml:2:11: a document type with declarations is not understood"},
      {"<", "not XML"},
      {"</a>", "not XML"},
      {"<a", "not XML"},
      {"<a/", "not XML"},
      {"<a x>", "a.xml:1:5: not XML: Error parsing element attribute"},
      {"<a x=1>", "not XML: Error parsing element attribute"},
      {"<a x='1>", "not XML: Error parsing element attribute"},
      {"<a><b></a>", "a.xml:1:9: not XML: Start-end tags mismatch"},
      {"<a>\n<b>", "a.xml:2:3: not XML: Start-end tags mismatch"},
      {"<a></a", "not XML"},
      {"<a></", "not XML"},
      {"<a><![CDATA[ </a>", "not XML: Error parsing CDATA section"},
      {"<a/><b/>", "a.xml:1:5: the file goes on after its last element"},
      {"<a/>\n text", "a.xml:2:2: a text outside of the elements"},
      {"<!-- b -->text<a/>", "a.xml:1:11: a text outside of the elements"},
      {"<a/><![CDATA[b]]>", "a text outside of the elements"},
      {"<a>\n<b x='1' y='2' x='3'/></a>", "a.xml:2:1: <b>: gives the attribute x twice"},
      {std::string("<a>\n\0</a>", 9), "a.xml:2:1: a zero byte: not a text in UTF-8"},
      {std::string("\xef\xbb\xbf<a>\0</a>", 11), "a.xml:1:4: a zero byte: not a text in UTF-8"}};
  for (const auto& [text, message] : cases) EXPECT_TRUE(contains(refusal(text), message)) << text;
}

TEST(XmlDocumentTest, RefusesNestingThatWouldOverflowTheStack) {
  const auto nested = [](int depth) {
    std::string text;
    for (int i = 0; i < depth; ++i) text += "<n>";
    for (int i = 0; i < depth; ++i) text += "</n>";
    return text;
  };
  const std::string deepest = nested(256);
  EXPECT_STREQ(XmlDocument(deepest, "a.xml").root().first_child().name(), "n");
  EXPECT_TRUE(contains(refusal(nested(257)), "a.xml:1:769: nested 257 deep, the limit is 256"));
  EXPECT_TRUE(contains(refusal(nested(100000)), "nested 257 deep"));
}

}  // namespace
}  // namespace fathom::xml_document_test
