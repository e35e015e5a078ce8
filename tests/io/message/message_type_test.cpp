// SPDX-License-Identifier: MIT
// SHA-256 as FIPS 180-4 describes it.

#include <nlohmann/json.hpp>

#include "io/message/message_type.hpp"
#include "io/message/sensors.hpp"
#include "support/expect.hpp"

namespace fathom::test {

__extension__ typedef unsigned __int128 Wide;  // no part of C++20

inline std::uint32_t prime(std::size_t n) {
  std::uint32_t candidate = 1;
  for (std::size_t found = 0; found <= n;) {
    ++candidate;
    bool divides = false;
    for (std::uint32_t d = 2; d * d <= candidate && !divides; ++d) divides = candidate % d == 0;
    if (!divides) ++found;
  }
  return candidate;
}

/// The first 32 bits of the fraction of the square (power 2) or cube root (power 3) of a prime, by whole numbers.
inline std::uint32_t root_bits(std::uint32_t number, int power) {
  Wide root = 0;
  const Wide target = static_cast<Wide>(number) << (32 * power);
  for (int bit = 36; bit >= 0; --bit) {
    const Wide trial = root | (static_cast<Wide>(1) << bit);
    if (trial * trial * (power == 3 ? trial : 1) <= target) root = trial;
  }
  return static_cast<std::uint32_t>(root);
}

inline void hash_block(const std::uint8_t* block, std::array<std::uint32_t, 8>& hash) {
  std::array<std::uint32_t, 64> w{};
  for (std::size_t t = 0; t < 64; ++t) {
    if (t < 16) {
      for (std::size_t i = 0; i < 4; ++i) w[t] = (w[t] << 8) | block[4 * t + i];
      continue;
    }
    const std::uint32_t s0 = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ (w[t - 15] >> 3);
    const std::uint32_t s1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ (w[t - 2] >> 10);
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = hash;
  for (std::size_t t = 0; t < 64; ++t) {
    const std::uint32_t t1 = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) +
                             root_bits(prime(t), 3) + w[t];
    const std::uint32_t t2 = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  const std::array<std::uint32_t, 8> added = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) hash[i] += added[i];
}

/// 64 hex digits.
inline std::string sha256(std::string bytes) {
  const std::uint64_t bits = bytes.size() * 8;
  bytes.push_back('\x80');
  while (bytes.size() % 64 != 56) bytes.push_back('\0');
  for (int shift = 56; shift >= 0; shift -= 8) bytes.push_back(static_cast<char>(bits >> shift));
  std::array<std::uint32_t, 8> hash{};
  for (std::size_t i = 0; i < 8; ++i) hash[i] = root_bits(prime(i), 2);
  for (std::size_t at = 0; at < bytes.size(); at += 64) {
    hash_block(reinterpret_cast<const std::uint8_t*>(bytes.data()) + at, hash);
  }
  std::string text;
  for (const std::uint32_t word : hash) {
    std::array<char, 9> digits{};
    std::snprintf(digits.data(), digits.size(), "%08x", word);
    text += digits.data();
  }
  return text;
}

}  // namespace fathom::test

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
  std::ifstream in(FATHOM_SOURCE_DIR "/tests/io/message/answers.json");
  const nlohmann::json answers = nlohmann::json::parse(in);
  std::set<std::string> seen;
  for (const MessageType* type : message_types()) {
    for (const auto& [name, fields] : definitions_of(*type)) {
      if (name == "builtin_interfaces/Time") continue;  // a basic type there
      EXPECT_EQ(fields, answers["types"][name].get<std::vector<std::string>>()) << name;
      seen.insert(name);
    }
  }
  EXPECT_EQ(seen.size(), answers["types"].size());
}

}  // namespace
}  // namespace fathom
