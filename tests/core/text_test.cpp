// SPDX-License-Identifier: MIT

#include <fathom/core/field.hpp>
#include <fathom/core/names.hpp>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "support/expect.hpp"

namespace fathom::test {
namespace {

const std::vector<std::string_view> kNames = {"distance", "dropout", "uniform", "angular_ray", "angular_hit"};

TEST(Text, EndsOfAnIntervalAreToldApart) {
  EXPECT_EQ(interval_text(0.17943, 0.18018), "0.1794 to 0.1802");
  EXPECT_EQ(interval_text(1.1999012, 1.1999894), "1.1999 to 1.19999");
  EXPECT_EQ(interval_text(-0.02, 0.03), "-0.02 to 0.03");
  EXPECT_EQ(interval_text(2.0, 2.0), "2 to 2");
  EXPECT_EQ(interval_text(1.0, 1.0 + 1e-15), "1 to 1");
  EXPECT_EQ(interval_text(0.0, 1e-300), "0 to 1e-300");
}

TEST(Text, NearestNameHasTheFewestEdits) {
  EXPECT_EQ(likely_name("distnce", kNames), "distance");
  EXPECT_EQ(likely_name("angular-hit", kNames), "angular_hit");
  EXPECT_EQ(likely_name("dropouts", kNames), "dropout");
  EXPECT_EQ(likely_name("", std::vector<std::string_view>{"abc", "a"}), "a");
  EXPECT_EQ(likely_name("x", {}), "");
  const std::vector<std::string_view> sensors = {"UTM-30LX", "OS1-64"};
  EXPECT_EQ(likely_name("os1", sensors), "OS1-64") << "the beginning of a name";
  EXPECT_EQ(likely_name("o", sensors), "");
}

TEST(Text, LettersOfTheAlphabetAloneBecomeSmall) {
  EXPECT_EQ(lower_case("VLP-16 \xc3\x84[@Z"), "vlp-16 \xc3\x84[@z");
  EXPECT_EQ(lower_case(""), "");
}

TEST(Text, AWordNamesAFile) {
  for (const char* word : {"a", "Z_9-", "cloud_world"}) EXPECT_TRUE(is_word(word)) << word;
  for (const char* other : {"", ".", "a b", "a/b", "..", "\xc3\xa4"}) EXPECT_FALSE(is_word(other)) << other;
}

TEST(Text, HintIsGivenForALikelySlipOnly) {
  EXPECT_EQ(nearest_hint("distnce", kNames), " (nearest known: 'distance')");
  EXPECT_EQ(nearest_hint("zzzzzzzzzz", kNames), "");
  EXPECT_EQ(nearest_hint("distance", {}), "");
  EXPECT_EQ(nearest_hint("rotation_deg", std::vector<std::string_view>{"position_m", "mesh"}), "");
  EXPECT_EQ(nearest_hint("rotatoin_dge", std::vector<std::string_view>{"rotation_deg"}),
            " (nearest known: 'rotation_deg')");
}

TEST(LimitText, HasNoSignAndNoZerosInItsExponent) {
  EXPECT_EQ(limit_text(1e9), "1e9");
  EXPECT_EQ(limit_text(1e6), "1e6");
  EXPECT_EQ(limit_text(1e10), "1e10");
  EXPECT_EQ(limit_text(-1e9), "-1e9");
  EXPECT_EQ(limit_text(1e-3), "1e-3");
  EXPECT_EQ(limit_text(1), "1e0");
}

TEST(Text, NumbersAreShort) {
  EXPECT_EQ(number_text(0.1), "0.1");
  EXPECT_EQ(number_text(double{0.1F}), "0.1");
  EXPECT_EQ(number_text(1e-6), "1e-06");
  EXPECT_EQ(number_text(-1), "-1");
  EXPECT_EQ(number_text(std::nan("")), "nan");
  EXPECT_EQ(number_text(-INFINITY), "-inf");
  EXPECT_EQ(number_text(1e300), "1e+300");
}

RC_GTEST_PROP(Text, NumbersReadBack, (double value)) {
  // A number that is exactly a float reads back as that float, any other as itself.
  const double back = std::strtod(number_text(value).c_str(), nullptr);
  const bool is_float = static_cast<double>(static_cast<float>(value)) == value;
  const bool same = is_float ? static_cast<float>(back) == static_cast<float>(value) : back == value;
  RC_ASSERT(same);
}

TEST(CheckInRange, PassesTheClosedIntervalAndNamesWhatIsOutside) {
  check_in_range("distance", "stddev_m", 0, 0, 10, "m");
  check_in_range("distance", "stddev_m", 10, 0, 10, "m");
  const auto text = [](double value, std::string_view unit) {
    return input_error([&] { check_in_range("distance", "stddev_m", value, 0, 10, unit); });
  };
  EXPECT_EQ(text(-1, "m"), "distance.stddev_m = -1 is not in [0, 10] m");
  EXPECT_EQ(text(-1, "1"), "distance.stddev_m = -1 is not in [0, 10]");
  EXPECT_EQ(text(std::nan(""), ""), "distance.stddev_m = nan is not in [0, 10]");
  EXPECT_EQ(text(INFINITY, "m"), "distance.stddev_m = inf is not in [0, 10] m");
  EXPECT_EQ(text(std::nextafter(10.0, 11.0), "m"), "distance.stddev_m = 10.000000000000002 is not in [0, 10] m");
}

TEST(Text, NamesAreComparedUpToALengthThatNoWordHas) {
  EXPECT_EQ(likely_name(std::string(65, 'a'), std::vector<std::string_view>{std::string_view("a")}), "");
  const std::string longest(64, 'a'), known(63, 'a'), far(1'000'000, 'a');
  EXPECT_EQ(likely_name(longest, std::vector<std::string_view>{far, known}), known);
  EXPECT_EQ(likely_name("dist", std::vector<std::string_view>{far}), "");
}

TEST(Text, OneLineKeepsWordsAndEscapesControlCharacters) {
  EXPECT_EQ(one_line("a\nb\r\tc\x7f"), "a b  c\\x7f");
  EXPECT_EQ(one_line("h\xc3\xa4user"), "h\xc3\xa4user");
  EXPECT_EQ(one_line(std::string(300, 'x')).size(), 300U);
  EXPECT_LT(one_line(std::string(1000, 'x')).size(), 300U);
}

std::string message_of(std::string_view text) { return InputError(text).what(); }

TEST(Error, SaysWhatATerminalMayShow) {
  EXPECT_EQ(message_of("a\x1b[31mred\x07"), "a\\x1b[31mred\\x07");
  EXPECT_EQ(message_of(std::string("a\0b is no name", 14)), "a\\x00b is no name");
  EXPECT_EQ(message_of("two\nlines"), "two lines");
  EXPECT_EQ(message_of("not UTF-8: \xff\xc3"), "not UTF-8: \\xff\\xc3");
  EXPECT_EQ(message_of("overlong \xc0\x80, surrogate \xed\xa0\x80"), "overlong \\xc0\\x80, surrogate \\xed\\xa0\\x80");
  EXPECT_EQ(message_of("C1 \xc2\x9b, bidi \xe2\x80\xae, BOM \xef\xbb\xbf"), "C1 \\u009b, bidi \\u202e, BOM \\ufeff");
  EXPECT_EQ(message_of("\xc3\xa4 \xe4\xb8\xad \xf0\x9f\x98\x80"), "\xc3\xa4 \xe4\xb8\xad \xf0\x9f\x98\x80");
  // Escaped characters stay unchanged when the message goes into another one.
  EXPECT_EQ(message_of("file: " + message_of("\x1b")), "file: \\x1b");
  EXPECT_STREQ(SystemError("\x1b").what(), "\\x1b");
  EXPECT_STREQ(Interrupted("\x1b").what(), "\\x1b");
}

TEST(Error, OfALongValueKeepsWhereItIsAndWhatWouldBeRight) {
  const std::string text = message_of("a.yaml:3:7: name = " + std::string(1'000'000, 'x') + " is not a number");
  EXPECT_LE(text.size(), 900U);
  EXPECT_TRUE(contains(text, "a.yaml:3:7: name = xxx"));
  EXPECT_TRUE(contains(text, "x... (1000035 bytes) ...x"));
  EXPECT_TRUE(contains(text, "xxx is not a number"));
  EXPECT_EQ(message_of("scene.yaml: " + text), "scene.yaml: " + text);
}

constexpr SettingName kTyped[] = {{"max_range_m", "--max-range"}, {"hit", "--hit"}};

TEST(MissingFeature, NamesThePackagesOfDebian) {
  EXPECT_EQ(missing_feature("HDF5", "libhdf5-dev libisal-dev"),
            "this build of fathom has no HDF5: install libhdf5-dev libisal-dev and build it again");
}

TEST(Message, ShowsSettingsUnderTheNamesOfAFace) {
  const Message message("give ", Setting{"max_range_m"}, std::string(" 8, learn with "), Setting{"hit", "student_t"},
                        " or ", Setting{"step_m"});
  EXPECT_EQ(message.text(), "give max_range_m 8, learn with hit: student_t or step_m");
  EXPECT_EQ(message.text(kTyped), "give --max-range 8, learn with --hit student_t or step_m");
  EXPECT_EQ(message.text({}), message.text());
  EXPECT_TRUE(message.names("hit"));
  EXPECT_FALSE(message.names("give"));
  // Hints are for faces.
  const Message hinted("of another model", Hint{"hit", "grows"}, Hint{"model", "field"}, ".");
  EXPECT_EQ(hinted.text(), "of another model.");
  EXPECT_EQ(hinted.text(kTyped), "of another model; see --hit grows.");
  const Message aside("wider tails", Hint{"hit", "grows", true}, Hint{"model", "field", true}, ".");
  EXPECT_EQ(aside.text(), "wider tails.");
  EXPECT_EQ(aside.text(kTyped), "wider tails (--hit grows).");
  constexpr SettingName kArguments[] = {{"hit", "hit="}, {"step_m", "step_m="}};
  EXPECT_EQ(message.text(kArguments), "give max_range_m 8, learn with hit=\"student_t\" or step_m");
  // A word alone is no setting.
  EXPECT_EQ(Message("max_range_m of 'hit'").text(kTyped), "max_range_m of 'hit'");
}

TEST(Message, KeepsItsSettingsInsideOthers) {
  Message message("max_range_m.csv: ", Message(Setting{"max_range_m"}, " = 0"));
  message += Message("; give ", Setting{"hit"});
  EXPECT_EQ(message.text(kTyped), "max_range_m.csv: --max-range = 0; give --hit");
  try {
    with_prefix("a.csv", [&] { throw InputError(message); });
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "a.csv: max_range_m.csv: max_range_m = 0; give hit");
    EXPECT_EQ(error.message().text(kTyped), "a.csv: max_range_m.csv: --max-range = 0; give --hit");
  }
  EXPECT_EQ(InputError("max_range_m\n").message().text(kTyped), "max_range_m ");
}

RC_GTEST_PROP(Error, IsPrintableWhateverTheBytes, (const std::string& bytes, bool wide)) {
  std::string text = bytes;
  if (wide) text += std::string(400, '\xc3') + bytes + std::string(1500, '\xa4');
  const std::string shown = message_of(text);
  RC_ASSERT(shown.size() <= 900U);
  RC_ASSERT(std::none_of(shown.begin(), shown.end(), [](char c) { return (c >= 0 && c < 0x20) || c == 0x7f; }));
  RC_ASSERT(message_of(shown) == shown);  // so it is UTF-8
}

}  // namespace
}  // namespace fathom::test
