// SPDX-License-Identifier: MIT
// What the figures of the page show is what was found: read back from their SVG.

#include <regex>

#include "fit/report/figures.hpp"
#include "fit/report/synthetic_report.hpp"

namespace fathom::test::fit_figures_test {
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
    EXPECT_EQ(found.size(), 1U) << title;
    return found.empty() ? "" : found.front();
  }

  FitReport report_ = make_report();
  std::string page_ = report_.text(ReportForm::kHtml);
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
  // Readings beyond the axis have a separate bar, so the heights add up to the weights. The text keeps 0.1 pixel.
  for (const std::size_t k : {0U, 1U, 3U}) {
    const auto beyond = shapes(svg, "path", std::string(k == 0 ? "hit" : k == 1 ? "short" : "rand") + " beyond");
    ASSERT_LE(beyond.size(), 1U) << k;
    if (!beyond.empty()) shares[k] += sum(bar_heights(beyond.front()));
  }
  const double all = sum(shares);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(shares[k] / all, report_.fit.model.*member_of<double>(BeamParameters::fields()[k]), .01)
        << BeamParameters::fields()[k].name;
  }
  // The readings themselves: a line over the bars, and one around the bar of those without a return.
  const auto data = shapes(svg, "polyline", "data");
  ASSERT_EQ(data.size(), 2U);
  ASSERT_EQ(data[0].size(), 2 * 72U);
  const double floor = shapes(svg, "path", "rand").front().back().y;
  double readings = 0;
  for (std::size_t i = 0; i < data[0].size(); i += 2) readings += floor - data[0][i].y;
  const auto beyond = shapes(svg, "polyline", "data beyond");
  if (!beyond.empty()) readings += floor - beyond[0][1].y;
  ASSERT_EQ(data[1].size(), 4U);
  const double without_return = floor - data[1][1].y;
  const double max_share = static_cast<double>(report_.fit.kinds[1]) / static_cast<double>(report_.fit.readings);
  EXPECT_NEAR(without_return / (readings + without_return), max_share, .005);
  EXPECT_NEAR((readings + without_return) / all, 1, .001);
}

TEST_F(FitFigures, DensitiesAreShownAtThreeExpectedRanges) {
  const std::vector<std::string> found = figures(page_, "Density of readings where ");
  ASSERT_EQ(found.size(), 3U);
  double last_m = 0;
  for (const std::string& svg : found) {
    const double expected_m = std::stod(svg.substr(svg.find("where ") + 6));
    EXPECT_GT(expected_m, last_m + 1) << "they are spread over the data";
    last_m = expected_m;
    EXPECT_TRUE(contains(svg, ">z* = "));
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
  ASSERT_EQ(points.size(), report_.fit.log_likelihood_by_iteration.size());
  const double low = report_.fit.start_log_likelihood, high = report_.fit.log_likelihood;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double share = (report_.fit.log_likelihood_by_iteration[i] - low) / (high - low);
    EXPECT_NEAR((points[i].y - points.front().y) / (points.back().y - points.front().y), share, .001) << i;
    EXPECT_GE(points[i].x, points[i > 0 ? i - 1 : 0].x) << i;
  }
}

/// Scans drawn from the model that is reported. Each beam looks at a different place.
FitReport scans_of_model(std::size_t scans, std::size_t beams, double hit_offset_m = 0.0) {
  FitReport report;
  report.model.sensor.max_range_m = 20;  // random readings are so few that the axis ends at about 15 m
  report.fit.model = {.77, .15, .05, .03, .15, .4, hit_offset_m};
  report.model.parameters = report.fit.model;
  report.fit.log_likelihood_by_iteration = {-1.0};
  const NoiseKey key = beam_key(7, 0);
  for (std::size_t s = 0; s < scans; ++s) {
    for (std::size_t b = 0; b < beams; ++b) {
      const double turn = 6.28 * static_cast<double>(b) / static_cast<double>(beams);
      const auto expected = static_cast<float>(4 + 3 * std::sin(turn) + .5 * std::sin(.01 * static_cast<double>(s)));
      const BeamDensity density(report.fit.model, report.model.sensor, expected);
      const auto ray = static_cast<std::uint32_t>(report.shown.reading_m.size());
      report.shown.expected_m.push_back(expected);
      report.shown.reading_m.push_back(static_cast<float>(sample_reading(density, key, ray)));
      report.shown.scan.push_back(static_cast<std::uint32_t>(s));
    }
  }
  report.judgement = judge_beam_model(report.fit.model, report.model.sensor, report.shown);
  return report;
}

/// Heights of the bars of the readings and of the model, with the lone bars at the end; each sums to 1.
struct Bars {
  std::vector<double> readings, model;
};

void scale_to_one(std::vector<double>& values) {
  const double all = sum(values);
  for (double& value : values) value /= all;
}

Bars bars_by_range(const std::string& svg) {
  Bars bars;
  const auto add_layers = [&](const std::string& more) {
    const auto rand = bar_heights(shapes(svg, "path", "rand" + more).at(0)),
               shorts = bar_heights(shapes(svg, "path", "short" + more).at(0)),
               hit = bar_heights(shapes(svg, "path", "hit" + more).at(0));
    for (std::size_t i = 0; i < hit.size(); ++i) bars.model.push_back(rand[i] + shorts[i] + hit[i]);
  };
  add_layers(""), add_layers(" beyond");
  bars.model.push_back(bar_heights(shapes(svg, "path", "max").at(0)).at(0));
  const double floor = shapes(svg, "path", "rand").at(0).back().y;
  const auto data = shapes(svg, "polyline", "data");
  for (std::size_t i = 0; i < data.at(0).size(); i += 2) bars.readings.push_back(floor - data[0][i].y);
  bars.readings.push_back(floor - shapes(svg, "polyline", "data beyond").at(0)[1].y);
  bars.readings.push_back(floor - data.at(1)[1].y);
  scale_to_one(bars.readings), scale_to_one(bars.model);
  return bars;
}

// A report that shows every k-th pair shows few beams of these: bars were off by a third.
TEST(ReadingFigure, AgreesWithTheModelThatMadeTheReadings) {
  for (const auto& [scans, beams] : {std::pair<std::size_t, std::size_t>{500, 180}, {331, 181}, {64, 360}, {40, 50}}) {
    const Bars bars =
        bars_by_range(figures(scans_of_model(scans, beams).text(ReportForm::kHtml), "Histogram of the readings").at(0));
    ASSERT_EQ(bars.readings.size(), 74U);
    ASSERT_EQ(bars.model.size(), 74U);
    const double readings = static_cast<double>(scans * beams), modelled = std::min(readings, 16384.0);
    constexpr double kPixels = 3e-4;  // what the text keeps
    for (std::size_t i = 0; i < bars.model.size(); ++i) {
      const double p = bars.model[i];
      const double deviation = std::sqrt(p * (1 - p) * (1 / readings + 1 / modelled));
      EXPECT_NEAR(bars.readings[i], p, 4.5 * deviation + kPixels) << i << " of " << scans << " x " << beams;
    }
    EXPECT_GT(bars.model[72], .002) << "beyond";
  }
}

TEST(ResidualFigure, HoldsWhatLiesFartherOffInBarsAtItsEnds) {
  const FitReport report = scans_of_model(400, 90);
  const std::string svg = figures(report.text(ReportForm::kHtml), "Readings minus expected").at(0);
  // The axis is logarithmic, five decades below its end: heights are logarithms of shares.
  const double floor = shapes(svg, "path", "bars").at(0).back().y, top = 10.0;
  const auto share_of = [&](const std::string& kind, const char* more) {
    const double y = kind == "bars" ? shapes(svg, "path", kind + more).at(0).at(0).y
                                    : shapes(svg, "polyline", kind + more).at(0).at(0).y;
    return (floor - y) / (floor - top);
  };
  for (const char* end : {" nearer", " beyond"}) {
    EXPECT_GT(share_of("bars", end), .5) << end;
    EXPECT_NEAR(share_of("bars", end), share_of("model", end), .01) << end << ": 12 % of the share";
  }
}

TEST(DensityFigure, MarksTheSurfaceAndSaysWhatLiesOffTheAxis) {
  const FitReport report = scans_of_model(100, 90, .5);
  const Report::Figure shown = density_figure(report, .2);
  EXPECT_TRUE(contains(shown.picture, ", surface +0.5 m"));
  const std::string head = "class=\"mark\" x1=\"";
  const double mark_x = std::stod(shown.picture.substr(shown.picture.find(head) + head.size()));
  const auto curve = shapes(shown.picture, "polyline", "model").at(0);
  const auto peak =
      std::min_element(curve.begin(), curve.end(), [](const Point& a, const Point& b) { return a.y < b.y; });
  EXPECT_NEAR(peak->x, mark_x, 4);
  std::smatch numbers;
  ASSERT_TRUE(std::regex_match(shown.caption, numbers,
                               std::regex("Beyond the axis: (.*) % of the readings, (.*) % by the model. No return: "
                                          "(.*) %, 5.0 %.")))
      << shown.caption;
  EXPECT_NEAR(std::stod(numbers[1]), std::stod(numbers[2]), 4.0);
  EXPECT_GT(std::stod(numbers[2]), 1.0);
  EXPECT_NEAR(std::stod(numbers[3]), 5.0, 4.0);
}

TEST(Disagreements, AreNoneWhereTheModelMadeTheReadings) {
  EXPECT_EQ(disagreements(scans_of_model(500, 181)), std::vector<std::string>());
  EXPECT_TRUE(contains(scans_of_model(100, 90).text(ReportForm::kHtml), "agree with the model"));
}

TEST(Disagreements, TellOfTailsAndMasses) {
  const auto begins = [](const std::vector<std::string>& texts, const std::string& head, const std::string& tail) {
    return std::any_of(texts.begin(), texts.end(),
                       [&](const std::string& text) { return text.starts_with(head) && text.ends_with(tail); });
  };
  FitReport report = scans_of_model(500, 90);
  report.model.sensor.miss = MissPolicy::kBook;
  FitReport narrow = report;
  narrow.fit.model.sigma_hit_m = .06;
  EXPECT_TRUE(begins(disagreements(narrow), "3 to 10 sigma before the surface: ", "tails heavier than the model's"));
  EXPECT_TRUE(begins(disagreements(narrow), "3 to 10 sigma behind the surface: ", "tails heavier than the model's"));
  FitReport wide = report;
  wide.fit.model.sigma_hit_m = .6;
  EXPECT_FALSE(begins(disagreements(wide), "", "tails heavier than the model's"));
  FitReport lost = report;
  for (std::size_t i = 0; i < lost.shown.reading_m.size(); i += 7) lost.shown.reading_m[i] = 20;
  EXPECT_TRUE(begins(disagreements(lost), "no return: 18.", "miss: atom models this"));
  FitReport near = report;
  near.model.sensor.max_range_m = 80;  // by the model, random readings reach to 80 m
  EXPECT_TRUE(begins(disagreements(near), "beyond ",
                     "random readings of the model reach farther than the sensor's: try a smaller maximum range"));
  FitReport open = near;
  open.fit.model.w_hit += open.fit.model.w_rand;
  open.fit.model.w_rand = 0;
  for (std::size_t i = 0; i < open.shown.expected_m.size(); i += 5) open.shown.expected_m[i] = INFINITY;
  EXPECT_TRUE(begins(disagreements(open), "beyond ", "hits where the sensor returns nothing: try miss: atom"));
}

TEST(FitPage, PrintsAWeightAtItsBoundaryAsZero) {
  FitReport report = scans_of_model(20, 90);
  report.fit.model.w_hit += report.fit.model.w_short - 3e-9;
  report.fit.model.w_short = 3e-9;
  report.fit.parameters = {{.name = "w_short", .unit = "1", .value = 3e-9, .status = Fit::Status::kAtLimit},
                           {.name = "w_rand", .unit = "1", .value = report.fit.model.w_rand}};
  const std::string page = report.text(ReportForm::kHtml);
  EXPECT_TRUE(contains(page, "<code>w_short</code></td><td class=\"number\">0</td>"));
  EXPECT_TRUE(contains(page, "<code>w_rand</code></td><td class=\"number\">0.03</td>"));
}

}  // namespace
}  // namespace fathom::test::fit_figures_test
