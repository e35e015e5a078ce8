// SPDX-License-Identifier: MIT
#include "fit/estimator.hpp"

#include "fit/uncertainty.hpp"
#include "support/expect.hpp"

namespace fathom::test::estimator_test {
namespace {

/// A share of normal numbers among uniform ones on [-5, 5].
struct Share {
  double normal = 0.5, uniform = 0.5;

  static constexpr std::string_view kSlug = "share";
  static constexpr std::string_view kDoc = "A share.";
  static constexpr auto fields() {
    return std::array<Field<Share>, 2>{{{"normal", "1", &Share::normal, 0, 1, "share of normal numbers"},
                                        {"uniform", "1", &Share::uniform, 0, 1, "share of uniform numbers"}}};
  }
};

class ShareLikelihood {
 public:
  explicit ShareLikelihood(std::size_t count) {
    std::mt19937 draws(7);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform(-5, 5);
    for (std::size_t i = 0; i < count; ++i) z_.push_back(i % 10 < 7 ? normal(draws) : uniform(draws));
    for (const auto& field : Share::fields()) numbers_.add(field, share_);
  }
  ShareLikelihood(const ShareLikelihood&) = delete;

  [[nodiscard]] std::size_t size() const { return z_.size(); }
  [[nodiscard]] std::size_t parameters() const { return 2; }
  [[nodiscard]] Interval limits(std::size_t k) const { return numbers_.limits()[k]; }
  double total(std::span<const double> values) {
    numbers_.set(values);
    double sum = 0;
    for (const double z : z_) sum += std::log(normal(z) + share_.uniform / 10);
    return sum;
  }
  EmStep m_step(std::vector<double>& values, double /*before*/) {
    const double log_likelihood = total(values);
    double sum = 0;
    for (const double z : z_) sum += normal(z) / (normal(z) + share_.uniform / 10);
    share_.normal = sum / static_cast<double>(z_.size()), share_.uniform = 1 - share_.normal;
    ++steps;
    return {log_likelihood, numbers_.values()};
  }
  [[nodiscard]] bool has_settled() const { return steps >= least_steps; }
  [[nodiscard]] const ModelNumbers& numbers() const { return numbers_; }

  std::size_t steps = 0, least_steps = 0;

 private:
  [[nodiscard]] double normal(double z) const { return share_.normal * 0.3989422804014327 * std::exp(-z * z / 2); }

  std::vector<double> z_;
  Share share_;
  ModelNumbers numbers_;
};
static_assert(EmLikelihood<ShareLikelihood>);

TEST(Maximise, ClimbsToTheTop) {
  ShareLikelihood likelihood(5000);
  std::vector<double> seen;
  MaximiseOptions options = {.tolerance = 1e-14};
  options.on_iteration = [&](std::size_t i, double log_likelihood, std::span<const double> values) {
    EXPECT_EQ(i, seen.size());
    EXPECT_NEAR(values[0] + values[1], 1, 1e-15);
    seen.push_back(log_likelihood);
  };
  const Maximum maximum = maximise(likelihood, likelihood.numbers().values(), options);
  EXPECT_TRUE(maximum.converged);
  EXPECT_TRUE(std::is_sorted(maximum.by_iteration.begin(), maximum.by_iteration.end() - 1));
  seen.push_back(maximum.log_likelihood);
  EXPECT_EQ(seen, maximum.by_iteration);
  EXPECT_NEAR(maximum.values[0], 0.7, 0.03);
  for (const double by : {-1e-3, 1e-3}) {
    EXPECT_LT(likelihood.total(std::array{maximum.values[0] + by, maximum.values[1] - by}), maximum.log_likelihood);
  }
}

TEST(Maximise, StopsAtTheLimitOnIterations) {
  ShareLikelihood likelihood(500);
  const Maximum maximum = maximise(likelihood, likelihood.numbers().values(), {.tolerance = 0, .max_iterations = 3});
  EXPECT_FALSE(maximum.converged);
  EXPECT_EQ(maximum.by_iteration.size(), 4U);
  IteratedFit fit;
  take_maximum(maximum, fit);
  EXPECT_EQ(fit.start_log_likelihood, maximum.by_iteration.front());
  EXPECT_EQ(texts_of(fit.findings), std::vector<std::string>{"stopped by the limit on iterations"});
}

TEST(Maximise, WaitsForTheSearchesOfALikelihood) {
  ShareLikelihood likelihood(500);
  likelihood.least_steps = 400;
  EXPECT_TRUE(maximise(likelihood, likelihood.numbers().values(), {}).converged);
  EXPECT_EQ(likelihood.steps, 400U);
}

/// A fit of shares to counts: 30 of 100 in each of 25 blocks, except two blocks that differ by 5 to either side.
Fit counted(std::size_t stretches, Fit::Status of_first = Fit::Status::kUnidentified) {
  constexpr double kShare = 0.3, kCount = 2500, kSlope = kShare * (1 - kShare);
  Share share = {kShare, 1 - kShare};
  ModelNumbers numbers;
  for (const auto& field : Share::fields()) numbers.add(field, share);
  Fit fit = {.parameters = numbers.parameters()};
  fit.parameters[0].status = of_first;
  const TrajectoryBlocks blocks(25, stretches);
  Curvature at = {.information = Eigen::MatrixXd{{kCount * kSlope}},  // by the logarithm of the odds
                  .scores = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(blocks.count), 1),
                  .slope = Eigen::MatrixXd{{kSlope}, {-kSlope}},
                  .free = {0}};
  if (blocks.count > 1) at.scores(0, 0) = 5, at.scores(blocks.count - 1, 0) = -5;
  EXPECT_TRUE(add_std_errors(at, blocks, numbers.limits(), fit));
  return fit;
}

TEST(StdErrors, OfSharesAreThoseOfCounting) {
  const Fit fit = counted(0);
  const double naive = std::sqrt(0.3 * 0.7 / 2500);
  for (const Fit::Parameter& p : fit.parameters) {
    EXPECT_NEAR(p.naive_error, naive, 1e-15);
    EXPECT_EQ(p.std_error, p.naive_error) << "blocks agree by chance";
    EXPECT_NEAR(p.high_95 - p.value, 2.0639 * naive, 1e-5) << "Student's t of 24 degrees";
    EXPECT_EQ(p.status, Fit::Status::kLearned);
  }
  EXPECT_EQ(fit.block, "scan");
  EXPECT_TRUE(fit.findings.empty());
}

TEST(StdErrors, AreMissingWhereNothingTellsThem) {
  const Fit limited = counted(0, Fit::Status::kAtLimit);
  EXPECT_TRUE(std::isnan(limited["normal"].naive_error) && std::isnan(limited["normal"].std_error));
  EXPECT_EQ(limited["normal"].status, Fit::Status::kAtLimit);
  EXPECT_FALSE(std::isnan(limited["uniform"].std_error));
  const Fit one = counted(1);
  EXPECT_TRUE(std::isnan(one["normal"].std_error) && std::isnan(one["normal"].low_95));
  EXPECT_FALSE(std::isnan(one["normal"].naive_error));
  EXPECT_EQ(one.findings.front().code, "one_block");
  EXPECT_EQ(counted(5).findings.front().code, "few_blocks");
}

TEST(StdErrors, NeedAMaximum) {
  Fit fit;
  fit.parameters.emplace_back();
  const Curvature at = {Eigen::MatrixXd{{-1}}, Eigen::MatrixXd::Zero(30, 1), Eigen::MatrixXd{{1}}, {0}};
  EXPECT_FALSE(add_std_errors(at, TrajectoryBlocks(30, 0), std::vector<Interval>{{0, 1}}, fit));
  EXPECT_EQ(fit.findings.front().code, "no_maximum");
}

}  // namespace
}  // namespace fathom::test::estimator_test
