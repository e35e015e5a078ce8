#include "io/xml_tree.hpp"

#include <gtest/gtest.h>

#include <string>

#include <fathom/error.hpp>

#include "support/error_text.hpp"

namespace fathom {
namespace {

using test::contains;
using test::message_of;

std::string refusal(const std::string& text) {
  return message_of<InputError>([&] { XmlTree(text, "a.xml"); });
}

TEST(XmlTreeTest, ReadsElementsAttributesAndText) {
  const std::string text =
      "\xef\xbb\xbf<?xml version='1.0'?>\n<!DOCTYPE a>\n<!-- <b> -->\n"
      "<a x='/>' y=\"it's &lt;&#65;&#x42;\" >\n 1 <b/><b z = '2'>in</b > 2<!-- </a> -->3<![CDATA[ <4> &lt;]]></a\n>\n";
  const XmlTree tree(text, "a.xml");
  const XmlElement& a = tree.root();
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(*a.attribute("x"), "/>");
  EXPECT_EQ(*a.attribute("y"), "it's <AB");
  EXPECT_EQ(a.attribute("z"), nullptr);
  EXPECT_EQ(a.text, "\n 1  23 <4> &lt;");
  ASSERT_EQ(a.children.size(), 2U);
  EXPECT_EQ(a.child("b"), a.children.data()) << "the first of that name";
  EXPECT_EQ(a.child("c"), nullptr);
  EXPECT_EQ(a.children[1].text, "in");
  EXPECT_EQ(*a.children[1].attribute("z"), "2");
}

TEST(XmlTreeTest, WritesCodePointsInUtf8) {
  const std::string text = "<a>&#x7f;&#x80;&#xe9;&#x20ac;&#x1f600;</a>";
  EXPECT_EQ(XmlTree(text, "a.xml").root().text, "\x7f\xc2\x80\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
}

TEST(XmlTreeTest, FailsAtTheElement) {
  const std::string text = "<a>\n  <b id='x\ny'/></a>";
  const XmlTree tree(text, "a.xml");
  const auto message = [&](const XmlElement& e) { return message_of<InputError>([&] { tree.fail(e, "is odd"); }); };
  EXPECT_EQ(message(tree.root()), "a.xml:1:1: <a>: is odd");
  EXPECT_TRUE(contains(message(tree.root().children[0]), "a.xml:2:3: <b id='x"));
}

TEST(XmlTreeTest, NamesWhatIsNotWellFormed) {
  const std::vector<std::pair<std::string, const char*>> cases = {
      {"", "a.xml:1:1: not XML: an element should begin here"},
      {"<!-- only -->\n text", "a.xml:2:2: not XML"},
      {"<!-- no end", "a.xml:1:1: a comment has no end '-->'"},
      {"<!DOCTYPE a [<!ENTITY b 'c'>]><a/>", "a.xml:1:1: a document type with declarations is not understood"},
      {"<", "a.xml:1:2: the name of an element should stand here"},
      {"</a>", "the name of an element should stand here"},
      {"<a", "a.xml:1:3: the name of an attribute, '/>' or '>' should stand here"},
      {"<a/", "should stand here"},
      {"<a x>", "attribute 'x' has no '='"},
      {"<a x=1>", "a.xml:1:6: attribute 'x' is not in quotes"},
      {"<a x='1>", "an attribute has no end"},
      {"<a x='<b>'/>", "attribute 'x' has a '<' in it"},
      {"<a x='1' x='2'/>", "a.xml:1:10: attribute 'x' is there twice"},
      {"<a x='&#0;'/>", "'&#0;' is not understood"},
      {"<a>&#x110000;</a>", "is not understood"},
      {"<a>&nbsp;</a>", "a.xml:1:4: '&nbsp;' is not understood"},
      {"<a>&</a>", "is not understood"},
      {"<a><b></a>", "a.xml:1:7: </a> ends an element <b>"},
      {"<a>\n<b>", "a.xml:2:4: the file ends here, inside of <b>"},
      {"<a></a", "</a has no '>'"},
      {"<a></", "the name of an element should stand here"},
      {"<a><![CDATA[ </a>", "CDATA has no end"},
      {"<a><!ELEMENT b></a>", "should stand here"},
      {"<a/><b/>", "a.xml:1:5: the file goes on after its last element"},
      {std::string("<a>\n\0</a>", 9), "a.xml:2:1: a zero byte: not a text in UTF-8"}};
  for (const auto& [text, message] : cases) EXPECT_TRUE(contains(refusal(text), message)) << text;
}

TEST(XmlTreeTest, RefusesNestingThatWouldOverflowTheStack) {
  const auto nested = [](int depth) {
    std::string text;
    for (int i = 0; i < depth; ++i) text += "<n>";
    for (int i = 0; i < depth; ++i) text += "</n>";
    return text;
  };
  const std::string deepest = nested(256);
  EXPECT_EQ(XmlTree(deepest, "a.xml").root().children.size(), 1U);
  EXPECT_TRUE(contains(refusal(nested(257)), "a.xml:1:769: nested 257 deep, the limit is 256"));
  EXPECT_TRUE(contains(refusal(nested(100000)), "nested 257 deep"));
}

}  // namespace
}  // namespace fathom
