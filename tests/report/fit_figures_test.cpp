// SPDX-License-Identifier: MIT
// What the figures of the page show is what was found: read back from their SVG.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "report/fit_page.hpp"
#include "report/synthetic_report.hpp"

namespace fathom {
namespace {

struct Point {
  double x = 0, y = 0;  ///< y from the top
};

/// The figures of the page whose title begins so.
std::vector<std::string> figures(const std::string& page, const std::string& title) {
  std::vector<std::string> found;
  for (std::size_t at = page.find("<svg"); at != std::string::npos; at = page.find("<svg", at + 1)) {
    const std::string svg = page.substr(at, page.find("</svg>", at) - at);
    if (svg.find("aria-label=\"" + title) != std::string::npos) found.push_back(svg);
  }
  return found;
}

/// The points of every `element` (path, polyline, line) of this CSS class, in order.
std::vector<std::vector<Point>> shapes(const std::string& svg, const std::string& element,
                                       const std::string& css_class) {
  std::vector<std::vector<Point>> found;
  const std::string head = "<" + element + " class=\"" + css_class + "\"";
  for (std::size_t at = svg.find(head); at != std::string::npos; at = svg.find(head, at + 1)) {
    const std::size_t begin = svg.find("=\"", at + head.size()) + 2;
    const std::string text = svg.substr(begin, svg.find('"', begin) - begin);
    const std::regex pair("(-?[0-9.]+)[ ,](-?[0-9.]+)");
    found.emplace_back();
    for (std::sregex_iterator i(text.begin(), text.end(), pair), end; i != end; ++i) {
      found.back().push_back({std::stod((*i)[1]), std::stod((*i)[2])});
    }
  }
  return found;
}

/// Heights of the bars of filled steps: the upper border from left to right, then the lower one back.
std::vector<double> bar_heights(const std::vector<Point>& steps) {
  std::vector<double> heights;
  for (std::size_t i = 0; i < steps.size() / 2; i += 2) heights.push_back(steps[steps.size() - 1 - i].y - steps[i].y);
  return heights;
}

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

class FitFigures : public testing::Test {
 protected:
  std::string figure(const std::string& title) {
    const std::vector<std::string> found = figures(page_, title);
    EXPECT_EQ(found.size(), title == "Histogram of the readings" ? 2U : 1U) << title << ", also for phones";
    return found.empty() ? "" : found.front();
  }

  FitReport report_ = test::make_report();
  std::string page_ = fit_page(report_);
};

TEST_F(FitFigures, ReadingsAreStackedByTheirFourWeights) {
  const std::string svg = figure("Histogram of the readings");
  std::vector<double> shares;
  for (const char* component : {"hit", "short", "max", "rand"}) {
    const auto filled = shapes(svg, "path", component);
    ASSERT_EQ(filled.size(), 1U) << component;
    const std::vector<double> bars = bar_heights(filled.front());
    EXPECT_EQ(bars.size(), std::string(component) == "max" ? 1U : 72U) << component;
    shares.push_back(sum(bars));
  }
  // All readings lie below the end of the axis, so the heights add up to the weights; 0.1 pixel is what the text keeps.
  const double all = sum(shares);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(shares[k] / all, report_.fit.parameters.*member_of<double>(BeamParameters::fields()[k]), .01)
        << BeamParameters::fields()[k].name;
  }
  // The readings themselves: a line over the bars, and one around the bar of those without a return.
  const auto data = shapes(svg, "polyline", "data");
  ASSERT_EQ(data.size(), 2U);
  ASSERT_EQ(data[0].size(), 2 * 72U);
  const double floor = shapes(svg, "path", "rand").front().back().y;
  double readings = 0;
  for (std::size_t i = 0; i < data[0].size(); i += 2) readings += floor - data[0][i].y;
  ASSERT_EQ(data[1].size(), 4U);
  const double without_return = floor - data[1][1].y;
  const double max_share = static_cast<double>(report_.fit.kinds[1]) / static_cast<double>(report_.fit.pairs);
  EXPECT_NEAR(without_return / (readings + without_return), max_share, .005);
  EXPECT_NEAR((readings + without_return) / all, 1, .02);
}

TEST_F(FitFigures, DensitiesAreShownAtThreeExpectedRanges) {
  const std::vector<std::string> found = figures(page_, "Density of readings where ");
  ASSERT_EQ(found.size(), 3U);
  double last_m = 0;
  for (const std::string& svg : found) {
    const double expected_m = std::stod(svg.substr(svg.find("where ") + 6));
    EXPECT_GT(expected_m, last_m + 1) << "they are spread over the data";
    last_m = expected_m;
    EXPECT_NE(svg.find(">z* = "), std::string::npos);
    const auto bars = shapes(svg, "path", "bars");
    ASSERT_EQ(bars.size(), 1U);
    EXPECT_EQ(bar_heights(bars.front()).size(), 60U);
    const auto curve = shapes(svg, "polyline", "model");
    ASSERT_EQ(curve.size(), 1U);
    EXPECT_GT(curve.front().size(), 600U);
    // The model's density peaks at z*, where the mark stands, and so do the readings.
    const std::string head = "class=\"mark\" x1=\"";
    const std::size_t mark = svg.find(head);
    ASSERT_NE(mark, std::string::npos);
    const double mark_x = std::stod(svg.substr(mark + head.size()));
    const auto peak = std::min_element(curve.front().begin(), curve.front().end(),
                                       [](const Point& a, const Point& b) { return a.y < b.y; });
    EXPECT_NEAR(peak->x, mark_x, 2);
    const std::vector<double> heights = bar_heights(bars.front());
    const auto tallest = std::max_element(heights.begin(), heights.end()) - heights.begin();
    EXPECT_NEAR(bars.front()[2 * static_cast<std::size_t>(tallest)].x, mark_x, 12);
  }
}

TEST_F(FitFigures, TransformHasOneBarPerBin) {
  const auto pit = shapes(figure("Histogram of the probability integral transform"), "path", "pit");
  ASSERT_EQ(pit.size(), 1U);
  const std::vector<double> heights = bar_heights(pit.front());
  const std::vector<double>& bins = report_.judgement.pit_histogram;
  ASSERT_EQ(heights.size(), bins.size());
  for (std::size_t i = 0; i < bins.size(); ++i) EXPECT_NEAR(heights[i] / sum(heights), bins[i], .0005) << i;
}

TEST_F(FitFigures, ConvergenceHasOnePointPerIteration) {
  const auto curve = shapes(figure("Log-likelihood of every iteration"), "polyline", "model");
  ASSERT_EQ(curve.size(), 1U);
  const std::vector<Point>& points = curve.front();
  ASSERT_EQ(points.size(), report_.fit.log_likelihood.size());
  const double low = report_.fit.log_likelihood.front(), high = report_.fit.log_likelihood.back();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double share = (report_.fit.log_likelihood[i] - low) / (high - low);
    EXPECT_NEAR((points[i].y - points.front().y) / (points.back().y - points.front().y), share, .001) << i;
    EXPECT_GE(points[i].x, points[i > 0 ? i - 1 : 0].x) << i;
  }
}

}  // namespace
}  // namespace fathom
