// SPDX-License-Identifier: MIT
#include "message/message_type.hpp"

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "message/compressed_image.hpp"
#include "message/sha256.hpp"

namespace fathom {
namespace {

/// The definitions of a schema by the short names of their types, "std_msgs/Header": fields without constants and
/// defaults.
std::map<std::string, std::vector<std::string>> definitions_of(const MessageType& type) {
  std::map<std::string, std::vector<std::string>> found;
  std::string name(type.name);
  name.erase(name.find("/msg/"), 4);
  std::istringstream lines(schema_text(type));
  for (std::string line; std::getline(lines, line);) {
    if (line == std::string(80, '=')) continue;
    if (line.rfind("MSG: ", 0) == 0) {
      name = line.substr(5);
    } else if (line.find('=') == std::string::npos) {
      std::istringstream words(line);
      std::string kind, field;
      words >> kind >> field;
      found[name].push_back(kind + ' ' + field);
    }
  }
  return found;
}

std::string full_name(std::string name) { return name.insert(name.find('/'), "/msg"); }

/// A field as REP 2016 describes it, in JSON.
std::string field_json(const std::string& line) {
  const std::map<std::string, int> ids = {{"int8", 2},     {"uint8", 3},    {"int32", 6}, {"uint32", 7},
                                          {"float32", 10}, {"float64", 11}, {"bool", 15}, {"string", 17}};
  std::string kind = line.substr(0, line.find(' '));
  int capacity = 0, id = 0;
  if (const std::size_t bracket = kind.find('['); bracket != std::string::npos) {
    const std::string length = kind.substr(bracket + 1, kind.size() - bracket - 2);
    capacity = length.empty() ? 0 : std::stoi(length);
    id = length.empty() ? 144 : 48;
    kind.resize(bracket);
  }
  const bool nested = kind.find('/') != std::string::npos;
  id += nested ? 1 : ids.at(kind);
  return R"({"name": ")" + line.substr(line.find(' ') + 1) + R"(", "type": {"type_id": )" + std::to_string(id) +
         R"(, "capacity": )" + std::to_string(capacity) + R"(, "string_capacity": 0, "nested_type_name": ")" +
         (nested ? full_name(kind) : "") + "\"}}";
}

std::string type_json(const std::string& name, const std::vector<std::string>& fields) {
  std::string text = R"({"type_name": ")" + full_name(name) + R"(", "fields": [)";
  for (std::size_t i = 0; i < fields.size(); ++i) text += (i == 0 ? "" : ", ") + field_json(fields[i]);
  return text + "]}";
}

std::string type_hash(const MessageType& type) {
  std::string own, others;
  for (const auto& [name, fields] : definitions_of(type)) {
    const std::string json = type_json(name, fields);
    if (full_name(name) == type.name) {
      own = json;
    } else {
      others += (others.empty() ? "" : ", ") + json;
    }
  }
  return "RIHS01_" +
         test::sha256(R"({"type_description": )" + own + R"(, "referenced_type_descriptions": [)" + others + "]}");
}

TEST(Sha256Test, HasTheAnswersOfTheStandard) {
  EXPECT_EQ(test::sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(test::sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(MessageTypeTest, HashesFollowFromTheDefinitions) {
  ASSERT_EQ(message_types().size(), 9U);
  for (const MessageType* type : message_types()) EXPECT_EQ(type_hash(*type), type->hash) << type->name;
}

TEST(MessageTypeTest, TheTypeThatIsOnlyReadHasItsHash) {
  EXPECT_EQ(type_hash(msg::CompressedImage::kType), msg::CompressedImage::kType.hash);
}

TEST(MessageTypeTest, HashesAreThoseThatRosPublishes) {
  std::map<std::string_view, std::string_view> hashes;
  for (const MessageType* type : message_types()) hashes[type->name] = type->hash;
  // As independent implementations of ROS 2 list them.
  EXPECT_EQ(hashes["sensor_msgs/msg/LaserScan"],
            "RIHS01_64c191398013af96509d518dac71d5164f9382553fce5c1f8cca5be7924bd828");
  EXPECT_EQ(hashes["sensor_msgs/msg/Image"], "RIHS01_d31d41a9a4c4bc8eae9be757b0beed306564f7526c88ea6a4588fb9582527d47");
}

TEST(MessageTypeTest, DefinitionsHaveTheFieldsOfThePublishedOnes) {
  std::ifstream in(FATHOM_SOURCE_DIR "/tests/message/answers.json");
  const nlohmann::json answers = nlohmann::json::parse(in);
  std::set<std::string> seen;
  for (const MessageType* type : message_types()) {
    for (const auto& [name, fields] : definitions_of(*type)) {
      if (name == "builtin_interfaces/Time") continue;  // a type of its own there
      EXPECT_EQ(fields, answers["types"][name].get<std::vector<std::string>>()) << name;
      seen.insert(name);
    }
  }
  EXPECT_EQ(seen.size(), answers["types"].size());
}

}  // namespace
}  // namespace fathom
