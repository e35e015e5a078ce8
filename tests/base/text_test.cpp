#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fathom/noise/field.hpp>

#include "base/text.hpp"
#include "support/error_text.hpp"

namespace fathom::test {
namespace {

const std::vector<std::string_view> kNames = {"distance", "dropout", "uniform", "angular_ray", "angular_hit"};

TEST(Text, NearestNameHasTheFewestEdits) {
  EXPECT_EQ(nearest_name("distnce", kNames), "distance");
  EXPECT_EQ(nearest_name("angular-hit", kNames), "angular_hit");
  EXPECT_EQ(nearest_name("dropouts", kNames), "dropout");
  EXPECT_EQ(nearest_name("", std::vector<std::string_view>{"abc", "a"}), "a");
  EXPECT_EQ(nearest_name("x", {}), "");
}

TEST(Text, HintIsGivenForALikelySlipOnly) {
  EXPECT_EQ(nearest_hint("distnce", kNames), " (nearest known: 'distance')");
  EXPECT_EQ(nearest_hint("zzzzzzzzzz", kNames), "");
  EXPECT_EQ(nearest_hint("distance", {}), "");
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

TEST(Text, OneLineKeepsWordsAndDropsControlCharacters) {
  EXPECT_EQ(one_line("a\nb\r\tc\x7f"), "a b  c ");
  EXPECT_EQ(one_line("h\xc3\xa4user"), "h\xc3\xa4user");
  EXPECT_EQ(one_line(std::string(1000, 'x')).size(), 300U);
}

}  // namespace
}  // namespace fathom::test
