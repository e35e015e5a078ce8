// SPDX-License-Identifier: MIT

#include "io/mesh/by_assimp.hpp"
#include "io/mesh/read_mesh.hpp"
#include "io/mesh/xml_document.hpp"

namespace fathom::test::xml_document_test {
namespace {

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
}  // namespace fathom::test::xml_document_test

namespace fathom::test::dae_mesh_test {
namespace {

Mesh parse(const std::string& text) {
  MeshReading reading;
  return parse_dae_mesh(text, "a.dae", reading).mesh;
}

std::string refusal(const std::string& text) {
  return test::message_of<InputError>([&] { parse(text); });
}

const char* const kTriangles =
    R"(<triangles count="2"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2 0 2 3</p></triangles>)";

/// The square with other primitives over its four vertices.
std::string with_primitives(const std::string& primitives) { return replaced(test::dae(""), kTriangles, primitives); }

/// ... of that kind, with a normal and a texture coordinate at every corner that nothing here reads.
std::string of_kind(const std::string& kind, int count, const std::string& body) {
  return with_primitives("<" + kind + " count=\"" + std::to_string(count) +
                         R"("><input semantic="NORMAL" source="#none" offset="0"/>)"
                         R"(<input semantic="VERTEX" source="#v" offset="1"/>)"
                         R"(<input semantic="TEXCOORD" source="#none" offset="2" set="0"/>)" +
                         body + "</" + kind + ">");
}

TEST(DaeMeshTest, ReadsEveryKindOfPrimitive) {
  const Corners square = corners(test::square());
  const std::string quad = "9 0 7  9 1 7  9 2 7  9 3 7";
  EXPECT_EQ(corners(parse(of_kind("triangles", 2, "<p>9 0 7 9 1 7 9 2 7 9 0 7 9 2 7 9 3 7</p>"))), square);
  EXPECT_EQ(corners(parse(of_kind("polylist", 1, "<vcount>4</vcount><p>" + quad + "</p>"))), square);
  EXPECT_EQ(corners(parse(of_kind("polygons", 1, "<p>" + quad + "</p>"))), square);
  EXPECT_EQ(corners(parse(of_kind("trifans", 1, "<p>" + quad + "</p>"))), square);
  const Corners strip = corners(parse(of_kind("tristrips", 1, "<p>9 1 7  9 2 7  9 0 7  9 3 7</p>")));
  EXPECT_EQ(strip, (Corners{{1, 0, 0}, {1, 1, 0.5F}, {0, 0, 0}, {0, 0, 0}, {1, 1, 0.5F}, {0, 1, 0}}))
      << "both wound as the square is";
}

TEST(DaeMeshTest, TakesSeveralPolygonsAndLeavesLinesOut) {
  const Mesh mesh = parse(
      with_primitives(R"(<lines count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1</p></lines>)"
                      R"(<polylist count="4"><input semantic="VERTEX" source="#v" offset="0"/><vcount>3 2 0 3</vcount>)"
                      R"(<p>0 1 2  0 1  0 2 3</p></polylist><triangles count="0"/>)"));
  EXPECT_EQ(corners(mesh), corners(test::square()));
}

TEST(DaeMeshTest, ReadsWhatAnAccessorPicks) {
  // Offset 2, five numbers a vertex in the order z x - y -, the last vertex cut off after its y.
  std::string text = replaced(test::dae(""), R"(count="12">0 0 0 1 0 0 1 1 0.5 0 1 0<)",
                              "count=\"21\">\n8 8  0 0 9 0 9\t0 1 9 0 9\r\n0.5 +1 9 1e0 9 0 0 9 1<");
  text = replaced(text, R"(count="4" stride="3">)", R"(offset="2" count="4" stride="5"><param name="Z"/>)");
  text = replaced(text, R"(<param name="Y" type="float"/><param name="Z" type="float"/>)",
                  R"(<param/><param name="Y" type="float"/>)");
  EXPECT_EQ(corners(parse(text)), corners(test::square()));
}

TEST(DaeMeshTest, ComposesTransformationsInTheirOrder) {
  const auto one = [](const std::string& transformations) {
    return parse(test::dae("", transformations)).vertices_m.at(1);  // (1, 0, 0) in its own frame
  };
  const auto expect_near = [](const std::array<float, 3>& a, const std::array<float, 3>& b) {
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(a[k], b[k], 1e-6);
  };
  expect_near(one("<translate>1 2 3</translate><scale>4 5 6</scale>"), {5, 2, 3});
  expect_near(one("<scale>4 5 6</scale><translate>1 2 3</translate>"), {8, 10, 18});
  expect_near(one("<rotate>0 0 2 90</rotate>"), {0, 1, 0});
  expect_near(one("<rotate>0 0 0 0</rotate>"), {1, 0, 0});
  expect_near(one("<rotate>1 1 1 120</rotate><translate>1 0 0</translate>"), {0, 2, 0});
  expect_near(one("<lookat>1 2 3  1 2 -7  0 2 0</lookat>"), {2, 2, 3});  // along -z, so nothing turns
  expect_near(one("<lookat>0 0 0  1 0 0  0 0 1</lookat>"), {0, -1, 0});  // along +x, right is -y
}

/// Nested nodes with a mirroring one, a node used twice, two geometries.
std::string busy() {
  std::string text = test::dae("<asset><unit meter=\"0.01\"/></asset>",
                               "<translate>10 20 30</translate><rotate>0.6 0 0.8 40</rotate>"
                               "<node><scale>1 2 -3</scale><instance_geometry url=\"#h\"/><instance_node url=\"#n\"/>"
                               "</node><instance_node url=\"#n\"/>");
  return replaced(
      text, "</library_geometries>",
      R"(<geometry id="h"><mesh><source id="q"><float_array id="qa" count="15">)"
      R"(0 0 0 5 0 0 0 5 1 5 5 0 0 9 2</float_array><technique_common>)"
      R"(<accessor source="#qa" count="5" stride="3"><param name="X" type="float"/>)"
      R"(<param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common>)"
      R"(</source><vertices id="w"><input semantic="POSITION" source="#q"/></vertices>)"
      R"(<tristrips count="1"><input semantic="VERTEX" source="#w" offset="0"/><p>0 1 2 3 4</p></tristrips>)"
      R"(</mesh></geometry></library_geometries><library_nodes><node id="n">)"
      R"(<matrix>0 -1 0 4  1 0 0 5  0 0 1 6  0 0 0 1</matrix><instance_geometry url="#g"/></node>)"
      R"(</library_nodes>)");
}

bool are_near(const Corners& a, std::size_t i, const Corners& b, std::size_t j) {
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (!(std::abs(a[i + k][axis] - b[j + k][axis]) <= 1e-5F)) return false;
    }
  }
  return true;
}

TEST(DaeMeshTest, AgreesWithAssimpWherePlacesAreNested) {
  const Corners ours = corners(parse(busy())), theirs = read_by_assimp(busy(), "dae");
  ASSERT_EQ(ours.size(), 3U * (3 * 2 + 3)) << "the square three times, the strip once";
  ASSERT_EQ(theirs.size(), ours.size());
  std::vector<bool> is_taken(theirs.size(), false);
  for (std::size_t i = 0; i < ours.size(); i += 3) {
    bool found = false;
    for (std::size_t j = 0; j < theirs.size() && !found; j += 3) {
      found = !is_taken[j] && are_near(ours, i, theirs, j);
      if (found) is_taken[j] = true;
    }
    EXPECT_TRUE(found) << "triangle " << i / 3;
  }
}

TEST(DaeMeshTest, ReadsASkinAsItWasModelled) {
  std::string text = replaced(test::dae(""), R"(<instance_geometry url="#g"/>)", R"(<instance_controller url="#d"/>)");
  text =
      replaced(text, "<library_visual_scenes>",
               R"(<library_controllers><controller id="c"><skin source="#g"/></controller>)"
               R"(<controller id="d"><morph source="#c"/></controller></library_controllers><library_visual_scenes>)");
  EXPECT_EQ(corners(parse(text)), corners(test::square()));
  EXPECT_TRUE(contains(refusal(replaced(text, "skin source=\"#g\"", "skin source=\"#d\"")), "controllers nested"));
  EXPECT_TRUE(contains(refusal(replaced(text, "skin source=\"#g\"", "skin source=\"#h\"")),
                       "<skin>: source = '#h' names no <geometry> of this file"));
}

TEST(DaeMeshTest, NamesWhatIsWrong) {
  const std::string array = "<float_array id='pa'>: ", accessor = "<accessor>: ", primitive = "<triangles>: ";
  const std::vector<std::array<std::string, 3>> cases = {
      // Each of these made Assimp 5.2 follow a null pointer or read outside of an array.
      {"count=\"12\"", "count=\"0\"", array + "count = 0, but there are 12 numbers"},
      {"0 0 0 1 0 0 1 1 0.5 0 1 0", "", array + "count = 12, but there are 0 numbers"},
      {"count=\"12\">0 0 0 1 0 0 1 1 0.5 0 1 0", "count=\"0\">",
       "offset = 0, count = 4, stride = 3 take 12 numbers, <float_array id='pa'> has 0"},
      {"count=\"4\"", "count=\"5\"", accessor + "offset = 0, count = 5, stride = 3 take 15 numbers, <float_array id="},
      {"stride=\"3\"", "stride=\"4294967295\"", "take 12884901888 numbers"},
      {"stride=\"3\"", "stride=\"2\"", accessor + "stride = 2 is less than 3, its X, Y and Z"},
      {"stride=\"3\"", "stride=\".\"", accessor + "stride = '.' is not a whole number in [0, 4294967295]"},
      {"stride=\"3\"", "stride=\"3\" offset=\"1\"", "offset = 1, count = 4, stride = 3 take 13 numbers"},
      {"stride=\"3\"", "stride=\"3\" offset=\"-1\"", "offset = '-1' is not a whole number"},
      {"accessor source=\"#pa\"", "accessor source=\"#pb\"", "source = '#pb' names no <float_array> of this file"},
      {"accessor source=\"#pa\"", "accessor", accessor + "has no attribute 'source'"},
      {"source=\"#p\"", "source=\"#q\"", "<input>: source = '#q' names no <source> of this file"},
      {"source=\"#v\"", "source=\"#p\"", "<input>: source = '#p' names no <vertices> of this file"},
      {"url=\"#g\"", "url=\"other.dae#g\"", "url = 'other.dae#g' is not '#' and an id of this file"},
      {"url=\"#g\"", "url=\"#\"", "url = '#' is not '#' and an id"},
      {"url=\"#s\"", "url=\"#g\"", "<instance_visual_scene>: url = '#g' names no <visual_scene>"},
      {"<p>0", "<p>4", "<p>: vertex index 4 is not in [0, 4)"},
      {"<p>0", "<p>-1", "<p>: number 1: '-1' is not a whole number in [0, 4294967295]"},
      {"<p>0", "<p>", "<p>: 5 corners are no whole triangles"},
      {"offset=\"0\"", "offset=\"3\"", "<p>: 6 indices are not a multiple of 4, the inputs of a corner"},
      {"offset=\"0\"", "offset=\"4294967295\"", "not a multiple of 4294967296"},
      {"triangles count=\"2\"", "triangles count=\"3\"", primitive + "count = 3, but there are 2"},
      {"<p>0 1 2 0 2 3</p>", "", primitive + "count = 2, but there are 0"},
      {"<p>0 1 2 0 2 3</p>", "<ph><p>0 1 2</p></ph>", "<ph>: polygons with holes are not understood"},
      // What else a file may get wrong.
      {"COLLADA xmlns", "KML xmlns", "a.dae:1:"},
      {"1 1 0.5", "1 1 zebra", array + "number 9: 'zebra' is not a number"},
      {"1 1 0.5", "1 1 0,5", array + "number 9: '0,5' is not a number"},
      {" count=\"12\"", "", array + "has no attribute 'count'"},
      {"param name=\"Y\"", "param name=\"B\"", accessor + "its params do not name each of X, Y and Z"},
      {"semantic=\"POSITION\"", "semantic=\"NORMAL\"", "<vertices id='v'>: has no <input semantic=\"POSITION\">"},
      {"semantic=\"VERTEX\"", "semantic=\"NORMAL\"", primitive + "has no <input semantic=\"VERTEX\">"},
      {"<node>", "<node><matrix>1 2 3</matrix>", "<matrix>: has 3 numbers, not 16"},
      {"<node>", "<node><matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 1 1</matrix>", "its last row is not 0 0 0 1"},
      {"<node>", "<node><rotate>0 0 0 9</rotate>", "<rotate>: its axis has no length"},
      {"<node>", "<node><rotate>0 0 nan 9</rotate>", "<rotate>: its axis has no length"},
      {"<node>", "<node><lookat>0 0 0 0 0 5 0 0 1</lookat>", "<lookat>: looks nowhere, or along its up"},
      {"<node>", "<node><skew>45 0 1 0 1 0 0</skew>", "<skew>: is not understood"},
      {"<node>", "<node id=\"s\"><instance_node url=\"#s\"/>", "<node id='s'>: contains itself"},
      {"<scene>", "<scenes/><scene>", ""},
      {"<scene><instance_visual_scene url=\"#s\"/></scene>", "", "<COLLADA>: has no <scene>"},
      {"<library_geometries>", "<asset><unit meter=\"-1\"/></asset><library_geometries>",
       "<unit>: meter = '-1' is not a number above 0"},
      {"<library_geometries>", "<library_geometries><geometry id=\"g\"/>",
       "<instance_geometry>: url = '#g' names more than one <geometry>"}};
  for (const auto& [from, to, message] : cases) {
    const std::string text = replaced(test::dae(""), from, to);
    if (message.empty()) {
      EXPECT_NO_THROW(parse(text)) << to;
    } else {
      EXPECT_TRUE(contains(refusal(text), message)) << from << " -> " << to;
    }
  }
}

TEST(DaeMeshTest, NamesWhatIsWrongWithPolygons) {
  EXPECT_TRUE(contains(refusal(of_kind("polylist", 2, "<vcount>3 3</vcount><p>9 0 7 9 1 7 9 2 7</p>")),
                       "<p>: has 3 corners, its <vcount> says 6"));
  EXPECT_TRUE(contains(refusal(of_kind("polylist", 3, "<vcount>4294967295 4294967295 3</vcount><p>9 0 7</p>")),
                       "<p>: has 1 corners, its <vcount> says 8589934593"));
  EXPECT_TRUE(contains(refusal(of_kind("polylist", 1, "<p>9 0 7</p>")), "<polylist>: has no <vcount>"));
  EXPECT_TRUE(contains(refusal(of_kind("polygons", 1, "<ph><p>9 0 7</p><h>9 1 7</h></ph><p>9 0 7</p>")),
                       "<ph>: polygons with holes are not understood"));
  std::string zigzag;
  for (int i = 0; i < 1025; ++i) zigzag += i % 4 == 3 ? "9 1 7 " : "9 " + std::to_string(i % 4) + " 7 ";
  EXPECT_TRUE(contains(refusal(of_kind("polygons", 1, "<p>" + zigzag + "</p>")), "<p>: a polygon of 1025 corners"));
}

/// Nodes n0, n1, ...: each holds the next one `copies` times, and the last holds the square.
std::string chain(int length, int copies) {
  std::string nodes = "<library_nodes>";
  for (int i = 0; i < length; ++i) {
    nodes += "<node id=\"n" + std::to_string(i) + "\">";
    const std::string inside = i + 1 < length ? "<instance_node url=\"#n" + std::to_string(i + 1) + "\"/>"
                                              : std::string(R"(<instance_geometry url="#g"/>)");
    for (int k = 0; k < copies; ++k) nodes += inside;
    nodes += "</node>";
  }
  const std::string text =
      replaced(test::dae(""), "<library_visual_scenes>", nodes + "</library_nodes><library_visual_scenes>");
  return replaced(text, R"(<node><instance_geometry url="#g"/>)", R"(<node><instance_node url="#n0"/>)");
}

TEST(DaeMeshTest, RefusesNodesThatRepeatWithoutEnd) {
  EXPECT_EQ(parse(chain(10, 2)).triangles.size(), 2048U);
  EXPECT_TRUE(contains(refusal(chain(40, 2)), "the file repeats more than 1000000 elements, the limit"));
  EXPECT_EQ(parse(chain(254, 1)).triangles.size(), 2U);
  EXPECT_TRUE(contains(refusal(chain(255, 1)), "<node id='n254'>: nested 257 deep, the limit is 256"));
  EXPECT_TRUE(
      contains(refusal(replaced(chain(9, 1), "url=\"#n8\"", "url=\"#n3\"")), "<node id='n3'>: contains itself"));
}

}  // namespace
}  // namespace fathom::test::dae_mesh_test
