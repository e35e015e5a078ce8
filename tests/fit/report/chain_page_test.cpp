// SPDX-License-Identifier: MIT
// The page of a learned chain, without a browser: correlations as a list, lengths in a fitting unit.

#include <fathom/fit/reports.hpp>
#include <fathom/noise/distance.hpp>

#include "core/text.hpp"
#include "fit/report/synthetic_report.hpp"
#include "report/report.hpp"

namespace fathom::test::chain_page_test {
namespace {

/// `count` parameters. Their errors have the correlation `c` with the error of the first, and none with each other.
ChainReport report_of(std::size_t count, double c, double error_m) {
  ChainReport report;
  report.scene = "scene.yaml", report.measured = "run", report.frames.sensor = "lidar";
  report.start = {{DistanceNoise{.stddev_m = static_cast<float>(error_m)}}};
  report.fit.chain = report.start;
  ChainReturns& returns = report.frames.returns;
  for (std::uint32_t i = 0; i < 400; ++i) {
    returns.clean_range_m.push_back(30.0F);
    returns.range_m.push_back(30.0F + static_cast<float>(error_m * (static_cast<double>(i) / 199.5 - 1.0)));
    returns.incidence_rad.push_back(0.3F);
    for (std::vector<float>* values : {&returns.energy, &returns.clean_x_m, &returns.clean_y_m, &returns.edge_rad,
                                       &returns.jump, &returns.jump_rad}) {
      values->push_back(0.0F);
    }
    returns.frame.push_back(i / 20);
  }
  report.fit.returns = 211508, report.fit.lost = 3;
  for (std::size_t j = 0; j < count; ++j) {
    Fit::Parameter p;
    p.name = "distance.some_long_parameter_" + std::to_string(j), p.value = 1.0, p.std_error = 0.1;
    report.fit.parameters.push_back(p);
    for (std::size_t k = 0; k < count; ++k) {
      report.fit.correlations.push_back(j == k ? 1.0 : j == 0 || k == 0 ? c : 0.0);
    }
  }
  return report;
}

std::string page_of(const ChainReport& report) { return report.text(ReportForm::kHtml); }

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

std::string part_of(const std::string& page, const std::string& from, const std::string& to) {
  const std::size_t begin = page.find(from);
  return begin == std::string::npos ? "" : page.substr(begin, page.find(to, begin) - begin);
}

TEST(ChainPage, CorrelationsAreListedTheStrongestFirst) {
  const std::string page = page_of(report_of(6, -0.25, 0.1)),
                    list = part_of(page, "<table class=\"pairs\">", "</table>");
  EXPECT_EQ(count_of(list, "<tr>"), 1U + 5U);
  EXPECT_EQ(count_of(list, "class=\"number\">−.25</td>"), 5U);
  EXPECT_TRUE(contains(list, "<code>distance.<wbr>some_long_parameter_5</code>"));
  EXPECT_TRUE(contains(page, "Correlations of the other pairs are below 0.1 either way."));
}

TEST(ChainPage, OfManyParametersTheStrongestCorrelationsAreListed) {
  const std::string page = page_of(report_of(60, 0.5, 0.1));
  EXPECT_EQ(count_of(part_of(page, "<table class=\"pairs\">", "</table>"), "<tr>"), 1U + 40U);
  EXPECT_TRUE(contains(page, "40 of 59 pairs; the others are weaker."));
  EXPECT_TRUE(contains(page_of(report_of(60, 0.05, 0.1)), "All are below 0.1 either way."));
}

TEST(ChainPage, ErrorsOfMetresAreShownInMetres) {
  EXPECT_TRUE(contains(page_of(report_of(2, 0.1, 0.4)), "measured less clean range (mm)"));
  const std::string wide = page_of(report_of(2, 0.1, 6.0));
  EXPECT_TRUE(contains(wide, "measured less clean range (m)"));
  EXPECT_FALSE(contains(wide, ">6000<"));
}

TEST(ChainPage, GroupsTheDigitsOfCounts) { EXPECT_TRUE(contains(page_of(report_of(2, 0.1, 0.1)), grouped(211508))); }

/// A report of each kind in this form.
std::vector<std::string> texts_in(ReportForm form) {
  DepthMeter meter;
  meter.add(std::vector<float>(12, 0.0F), 3, 4);
  const DepthReport::Folder depth{.name = "camera", .measure = meter.result(), .picture = meter.picture()};
  return {report_of(2, 0.1, 0.1).text(form), DistanceReport{}.text(form), EnergyCalibration{}.text(form),
          DepthReport{{depth}}.text(form), test::make_report().text(form)};
}

TEST(Reports, OfAllKindsHaveOneSchemaAndBeginWithTheVerdict) {
  const std::vector<std::string> keys = {"kind",           "usable", "reason",   "parameters", "findings",
                                         "log_likelihood", "blocks", "held_out", "details"};
  for (const std::string& text : texts_in(ReportForm::kJson)) {
    std::vector<std::string> found;
    const auto json = nlohmann::ordered_json::parse(text);
    for (const auto& item : json.items()) found.push_back(item.key());
    EXPECT_EQ(found, keys) << text;
  }
  for (const std::string& text : texts_in(ReportForm::kTerminal)) EXPECT_TRUE(text.starts_with("usable: ")) << text;
}

TEST(Table, OnAPhoneWhatIsAsideStandsBelowAfterItsHead) {
  constexpr auto kAside = Report::Place::kAside;
  Report::Table table{
      .columns = {{.head = "law", .is_number = false, .key = "law"},
                  {"<n>", true, kAside, "n"},
                  {"gain ±"},
                  {"", false, kAside, "is_chosen"}},
      .rows = {{{"a & b", "a"}, {"3", 3}, {"+1"}, {"chosen", true}}, {{"c", "c"}, {}, {"+2"}, {"", false}}},
      .key = "laws"};
  Report report{.kind = "toy", .title = "A <toy>"};
  report.sections = {{.head = "Laws & more", .pieces = {table}}};
  const std::string html = html_text(report);
  EXPECT_TRUE(contains(html, "<th class=\"number aside\">&lt;n></th>"));
  EXPECT_TRUE(
      contains(html,
               "<td>a &amp; b</td><td class=\"number aside\">3</td><td class=\"number\">+1</td><td "
               "class=\"aside\">chosen</td></tr>\n<tr class=\"below\"><td colspan=\"4\">&lt;n> 3; chosen</td>"));
  EXPECT_EQ(count_of(html, "class=\"below\""), 1U) << "a row with nothing aside has no line below";
  EXPECT_TRUE(contains(html, "<h1>A &lt;toy></h1>"));
  EXPECT_TRUE(contains(html, "@media print { body { padding: 0; max-width: none; font-size: 12px; background: #fff;"));
  EXPECT_EQ(terminal_text(report),
            "usable: yes\n\nLaws & more\nlaw    <n>  gain +-\na & b    3       +1  chosen\nc                +2\n");
  const auto laws = nlohmann::json::parse(json_text(report))["details"]["laws"];
  EXPECT_EQ(laws, nlohmann::json::parse(R"([{"law": "a", "n": 3, "is_chosen": true},
                                            {"law": "c", "n": null, "is_chosen": false}])"));
}

}  // namespace
}  // namespace fathom::test::chain_page_test
