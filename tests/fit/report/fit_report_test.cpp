// SPDX-License-Identifier: MIT
// The files of a fit: fit.json has the keys that were promised, the page needs nothing from outside, and the folder is
// treated with care.

#include "fit/report/figures.hpp"
#include "fit/report/synthetic_report.hpp"

namespace fathom::test::fit_report_test {
namespace {

using FitJson = InFolder;

TEST_F(FitJson, HasExactlyTheKeysPromised) {
  const FitReport report = make_report();
  report.write(folder.path() / "fit");
  const auto json = nlohmann::ordered_json::parse(bytes_of(folder.path() / "fit/fit.json"));
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  const std::vector<std::string> promised = {"kind",           "usable", "reason",   "parameters", "findings",
                                             "log_likelihood", "blocks", "held_out", "details",    "files"};
  EXPECT_EQ(keys, promised);
  EXPECT_EQ(json["kind"], "beam");
  EXPECT_EQ(json["usable"], true);
  EXPECT_TRUE(json["reason"].is_null());
  keys.clear();
  for (const auto& [key, value] : json["parameters"].items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"w_hit", "w_short", "w_max", "w_rand", "sigma_hit_m", "lambda_short_per_m",
                                            "hit_offset_m"}));
  EXPECT_EQ(json["details"]["hit"], "gaussian");
  EXPECT_EQ(json["files"], (std::vector<std::string>{"parameters.yaml", "report.html", "fit.json"}));
  EXPECT_TRUE(json["held_out"]["note"].is_null());
  EXPECT_EQ(json["parameters"]["w_hit"]["value"], report.fit.model.w_hit);
  EXPECT_EQ(json["parameters"]["w_hit"]["std_error"], report.fit["w_hit"].std_error);
  EXPECT_EQ(json["parameters"]["w_hit"]["naive_error"], report.fit["w_hit"].naive_error);
  EXPECT_EQ(json["parameters"]["w_hit"]["interval_95"],
            (std::vector{report.fit["w_hit"].low_95, report.fit["w_hit"].high_95}));
  EXPECT_EQ(json["parameters"]["w_hit"].size(), 7U);
  EXPECT_EQ(json["parameters"]["w_hit"]["status"], "learned");
  EXPECT_EQ(json["parameters"]["hit_offset_m"]["status"], "fixed");
  EXPECT_TRUE(json["parameters"]["hit_offset_m"]["interval_95"].is_null());
  EXPECT_EQ(json["blocks"]["count"], report.fit.blocks);
  EXPECT_EQ(json["blocks"]["of"], "stretch");
  EXPECT_TRUE(json["parameters"]["hit_offset_m"]["std_error"].is_null());  // it was not learned
  EXPECT_EQ(json["details"]["iterations"], report.fit.log_likelihood_by_iteration.size() - 1);
  EXPECT_EQ(json["details"]["log_likelihood_by_iteration"].size(), report.fit.log_likelihood_by_iteration.size());
  EXPECT_EQ(json["log_likelihood"]["start"], report.fit.start_log_likelihood);
  EXPECT_EQ(json["log_likelihood"]["learned"], report.fit.log_likelihood);
  EXPECT_EQ(json["held_out"]["nats"], report.judgement.nats_per_ray);
}

TEST_F(FitJson, ClaimsNothingHeldOutWhereNothingWas) {
  make_report(false).write(folder.path() / "fit");
  const auto json = nlohmann::json::parse(bytes_of(folder.path() / "fit/fit.json"));
  EXPECT_TRUE(json["held_out"].is_null());
  EXPECT_TRUE(json["details"]["ks_distance"].is_null());
}

// JSON has no infinity, and a null alone would look like nothing held out.
TEST_F(FitJson, FlagsReadingsThatAreImpossible) {
  FitReport report = make_report();
  EXPECT_EQ(report.findings(), report.fit.findings);
  report.model.parameters = report.fit.model = {.7, .2, 0, .1, .1, .4};
  report.shown = {{2.0F, 10.0F}, {2.0F, 2.0F}, {0, 0}};  // one without a return, where w_max is 0
  report.judgement = judge_beam_model(report.fit.model, report.model.sensor, report.shown);
  report.fit.held_out->nats = report.judgement.nats_per_ray;
  ASSERT_EQ(report.judgement.nats_per_ray, -INFINITY);
  report.write(folder.path() / "fit");
  const auto json = nlohmann::json::parse(bytes_of(folder.path() / "fit/fit.json"));
  EXPECT_TRUE(json["held_out"]["nats"].is_null());
  EXPECT_TRUE(json["details"]["ks_distance"].is_number());
  ASSERT_EQ(json["findings"].size(), report.fit.findings.size() + 1);
  const std::string why = "1 of 2 readings judged by is impossible under the parameters: nats per ray are -inf";
  EXPECT_EQ(json["findings"].back()["text"], why);
  EXPECT_EQ(json["findings"].back()["severity"], "unusable");
  EXPECT_EQ(json["findings"].back()["code"], "impossible");
  EXPECT_EQ(json["usable"], false);
  EXPECT_EQ(json["reason"], why);
  for (const ReportForm form : {ReportForm::kTerminal, ReportForm::kBrief}) {
    EXPECT_TRUE(report.text(form).starts_with("usable: no, because " + why + "\n"));
  }
  const std::string page = report.text(ReportForm::kHtml);
  EXPECT_TRUE(contains(page, "<td>nats per ray, held-out scans</td><td>−∞</td>"));
  EXPECT_TRUE(contains(page, "<li>1 of 2 readings judged by"));
  EXPECT_TRUE(contains(page, "<p class=\"verdict no\">usable: no, because " + why + "</p>"));
}

TEST(FitPage, NeedsNothingFromOutside) {
  const std::string page = make_report().text(ReportForm::kHtml);
  for (const char* word : {"http:", "https:", "<script", "<link", "<img", "<iframe", "@import", "url(", "src="}) {
    EXPECT_FALSE(contains(page, word)) << word;
  }
}

TEST(FitPage, ShowsEveryFigureAndParameterAndNoBrokenNumber) {
  const std::string page = make_report().text(ReportForm::kHtml);
  std::size_t figures = 0;
  for (std::size_t at = page.find("<svg"); at != std::string::npos; at = page.find("<svg", at + 1)) ++figures;
  EXPECT_EQ(figures, 7U);  // readings, residuals, transform, three densities, convergence
  EXPECT_TRUE(contains(page, "Made by fathom 0."));
  for (std::size_t at = page.find("<table"); at != std::string::npos; at = page.find("<table", at + 1)) {
    EXPECT_EQ(page.substr(at - 20, 20), "<div class=\"scroll\">") << "a wide table scrolls by itself";
  }
  for (const auto& field : BeamParameters::fields()) EXPECT_TRUE(contains(page, ">" + std::string(field.name) + "<"));
  EXPECT_TRUE(contains(page, "&lt;odd> &amp; &quot;map&quot;.yaml"));
  EXPECT_FALSE(contains(page, "nan"));
  EXPECT_FALSE(contains(page, "inf"));
}

TEST(FitPage, DrawsDegenerateFits) {
  FitReport report;
  report.model.sensor.max_range_m = 10;
  report.fit.model = report.model.parameters;
  report.fit.log_likelihood_by_iteration = {-1.0};
  report.shown = {{10.0F, 10.0F}, {10.0F, 10.0F}, {0, 0}};  // nothing but readings without a return, nothing expected
  report.judgement = judge_beam_model(report.fit.model, report.model.sensor, report.shown);
  const std::string page = report.text(ReportForm::kHtml);
  EXPECT_FALSE(contains(page, "nan"));
  EXPECT_FALSE(contains(page, "inf"));
}

// Over bins that cover [0, Z], readings and components each are all there is.
TEST(MixtureShares, SumToOne) {
  const FitReport report = make_report();
  const MixtureShares shares = shares_by_range(report, even_edges(0, 10, 37));
  double readings = shares.max_readings, model = shares.max_expected;
  for (const MixtureBin& bin : shares.bins) readings += bin.readings, model += bin.expected();
  EXPECT_NEAR(readings, 1, 1e-12);
  EXPECT_NEAR(model, 1, 1e-9);
}

// Also where the bins leave something out on either side.
TEST(MixtureShares, SumToOneWithWhatLiesOffTheAxis) {
  const FitReport report = make_report();
  for (const MixtureShares& shares :
       {shares_by_range(report, even_edges(2, 5, 7)), shares_by_residual(report, even_edges(-.2, .1, 3))}) {
    double readings = shares.max_readings + shares.below.readings + shares.beyond.readings;
    double model = shares.max_expected + shares.below.expected() + shares.beyond.expected();
    EXPECT_GT(std::min(shares.below.readings, shares.beyond.readings), .05);
    EXPECT_NEAR(shares.below.readings, shares.below.expected(), .03);
    EXPECT_NEAR(shares.beyond.readings, shares.beyond.expected(), .03);
    for (const MixtureBin& bin : shares.bins) readings += bin.readings, model += bin.expected();
    EXPECT_NEAR(readings, 1, 1e-9);
    EXPECT_NEAR(model, 1, 1e-9);
  }
}

// The model was learned from these readings, so the shares agree bin by bin within what chance allows.
TEST(MixtureShares, OfTheModelAgreeWithTheReadings) {
  const FitReport report = make_report();
  const MixtureShares shares = shares_by_range(report, even_edges(0, 10, 20));
  for (std::size_t i = 0; i < 20; ++i) {
    const double model = shares.bins[i].expected(), deviation = std::sqrt(model * (1 - model) / 8000);
    EXPECT_NEAR(shares.bins[i].readings, model, 4.5 * deviation) << i;
  }
}

TEST(Plot, TicksAreRoundAndInside) {
  EXPECT_EQ(tick_values({.low = 0, .high = 10}), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(tick_values({.low = 0, .high = 12, .label = "", .last_tick = 10}),
            (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(tick_values({.low = .011, .high = 11, .label = "", .logarithmic = true}).front(), .1);
  for (const double high : {1e-7, 3.3e-4, .07, 1.0, 17.0, 9.9e8}) {
    const std::vector<double> ticks = tick_values({.low = 0, .high = high});
    EXPECT_GE(ticks.size(), 3U) << high;
    EXPECT_LE(ticks.size(), 9U) << high;
    EXPECT_LE(ticks.back(), high * (1 + 1e-9));
  }
}

class FitFolder : public testing::Test {
 protected:
  std::string refusal(bool force) {
    return input_error([&] { check_result_folder(ResultKind::kFit, folder_.path() / "fit", force); });
  }
  TemporaryFolder folder_;
};

TEST_F(FitFolder, HoldsTheFilesThatAreNamed) {
  make_report().write(folder_.path() / "fit");
  std::vector<std::filesystem::path> found, named = fit_files(folder_.path() / "fit");
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path() / "fit")) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  std::sort(named.begin(), named.end());
  EXPECT_EQ(found, named);
}

TEST_F(FitFolder, IsReplacedOnlyWhenTold) {
  make_report().write(folder_.path() / "fit");
  const std::string before = bytes_of(folder_.path() / "fit/fit.json");
  EXPECT_TRUE(contains(refusal(false), "exists already"));
  EXPECT_NE(input_error([&] { make_report().write(folder_.path() / "fit"); }), "");
  EXPECT_EQ(bytes_of(folder_.path() / "fit/fit.json"), before);
  make_report(false).write(folder_.path() / "fit", true);
  EXPECT_NE(bytes_of(folder_.path() / "fit/fit.json"), before);
}

TEST_F(FitFolder, LeavesForeignFilesAlone) {
  std::filesystem::create_directories(folder_.path() / "fit");
  static_cast<void>(folder_.write("fit/report.html", "mine"));
  EXPECT_TRUE(contains(refusal(true), "report.html"));
  static_cast<void>(folder_.write("fit/fit.json", "{\"dear\": \"diary\"}"));
  EXPECT_NE(refusal(true), "");
}

TEST_F(FitFolder, MayHoldOtherThings) {
  std::filesystem::create_directories(folder_.path() / "fit");
  static_cast<void>(folder_.write("fit/letter.txt", "dear"));
  EXPECT_EQ(refusal(true), "");
  make_report().write(folder_.path() / "fit", true);
  EXPECT_EQ(bytes_of(folder_.path() / "fit/letter.txt"), "dear");
}

TEST_F(FitFolder, MayBeThereWhenItIsEmpty) {
  std::filesystem::create_directories(folder_.path() / "fit");
  EXPECT_EQ(refusal(false), "");
  make_report().write(folder_.path() / "fit");
}

TEST_F(FitFolder, IsOfOneOfTwoFitsAtOnce) {
  const FitReport report = make_report();
  for (std::size_t k = 0; k < repetitions(5); ++k) {
    const auto folder = folder_.path() / ("fit" + std::to_string(k));
    std::atomic<int> ready = 0, refused = 0;
    const auto fit = [&] {
      ++ready;
      while (ready < 2) std::this_thread::yield();
      if (!input_error([&] { report.write(folder); }).empty()) ++refused;
    };
    std::thread first(fit), second(fit);
    first.join();
    second.join();
    ASSERT_EQ(refused, 1);
  }
}

TEST_F(FitFolder, IsNoFile) {
  static_cast<void>(folder_.write("fit", "a file"));
  EXPECT_TRUE(contains(refusal(true), "is not a folder"));
}

// fit.json promises that the others are whole: it goes first and comes last.
TEST_F(FitFolder, HasNoJsonWhenWritingFails) {
  make_report().write(folder_.path() / "fit");
  std::filesystem::remove(folder_.path() / "fit/report.html");
  std::filesystem::create_directories(folder_.path() / "fit/report.html/in the way");
  EXPECT_THROW(make_report().write(folder_.path() / "fit", true), SystemError);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "fit/fit.json"));
}

TEST_F(FitFolder, HoldsParametersOfTheLocalizersThatAreNamed) {
  const std::filesystem::path fit = folder_.path() / "fit";
  const FitReport report = make_report();
  const std::vector<Localizer> two = {Localizer::kBeluga, Localizer::kAmcl};
  report.write(fit, false, two);
  EXPECT_EQ(bytes_of(fit / "amcl.yaml"), report.model.localizer_text(Localizer::kAmcl));
  EXPECT_EQ(bytes_of(fit / "beluga.yaml"), report.model.localizer_text(Localizer::kBeluga));
  EXPECT_EQ(fit_files(fit, two).size(), 5U);
  for (const auto& file : fit_files(fit, two)) EXPECT_TRUE(std::filesystem::exists(file)) << file;
  EXPECT_EQ(fit_files(fit, two).back(), fit / "fit.json");
  // The next fit removes the files that it does not write again, but keeps files that no fit wrote.
  static_cast<void>(folder_.write("fit/nav2.yaml", "amcl: mine"));
  report.write(fit, true, std::vector<Localizer>{Localizer::kAmcl});
  EXPECT_TRUE(std::filesystem::exists(fit / "amcl.yaml"));
  EXPECT_FALSE(std::filesystem::exists(fit / "beluga.yaml"));
  EXPECT_EQ(bytes_of(fit / "nav2.yaml"), "amcl: mine");
}

}  // namespace
}  // namespace fathom::test::fit_report_test
