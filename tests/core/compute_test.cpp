// SPDX-License-Identifier: MIT
#include <mutex>

#include <fathom/core/compute.hpp>

#include "core/compute.hpp"
#include "support/casters.hpp"
#include "support/expect.hpp"

namespace fathom::test {
namespace {

TEST(Compute, AcceptsWhatThisComputerHas) {
  for (const Compute& compute : every_isa()) EXPECT_NO_THROW(validate(compute)) << to_string(compute.isa);
  for (const int threads : {0, 1, Compute::kMostThreads}) EXPECT_NO_THROW(validate({.threads = threads}));
}

TEST(Compute, RefusesOtherThreadsInOneLine) {
  EXPECT_EQ(message_of<InputError>([] { validate({.threads = -1}); }), "threads = -1 is not in [0, 1024]");
  EXPECT_EQ(message_of<InputError>([] { validate({.threads = 1025}); }), "threads = 1025 is not in [0, 1024]");
}

class Executors : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Threads, Executors, testing::Values(1, 2, 7));

TEST_P(Executors, VisitEveryIndexOnceInRangesOfAtMostTheGrain) {
  const auto executor = make_executor(GetParam());
  for (const std::size_t count : {0U, 1U, 5U, 64U, 1000U, 12'345U}) {
    for (const std::size_t grain : {1U, 7U, 64U, 100'000U}) {
      std::vector<std::atomic<int>> visits(count);
      std::atomic<bool> in_order = true;
      executor->parallel_for(count, grain, [&](std::size_t begin, std::size_t end) {
        if (begin >= end || end > count || end - begin > grain) in_order = false;
        for (std::size_t i = begin; i < end; ++i) ++visits[i];
      });
      EXPECT_TRUE(in_order) << count << " by " << grain;
      for (const auto& v : visits) ASSERT_EQ(v, 1) << count << " by " << grain;
    }
  }
}

TEST_P(Executors, ReportTheirThreads) { EXPECT_EQ(make_executor(GetParam())->threads(), GetParam()); }

TEST_P(Executors, NeverUseMoreThreadsThanAllowed) {
  const auto executor = make_executor(GetParam());
  std::atomic<int> running = 0, most = 0;
  executor->parallel_for(200, 1, [&](std::size_t, std::size_t) {
    const int now = ++running;
    for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
    }
    std::this_thread::yield();
    --running;
  });
  EXPECT_LE(most, GetParam());
}

TEST_P(Executors, PassAnExceptionOnAndCanBeUsedAgain) {
  const auto executor = make_executor(GetParam());
  const auto failing = [&](std::size_t bad) {
    executor->parallel_for(1000, 3, [&](std::size_t begin, std::size_t end) {
      if (begin <= bad && bad < end) throw std::runtime_error("at " + std::to_string(bad));
    });
  };
  for (const std::size_t bad : {0U, 500U, 999U}) {
    try {
      failing(bad);
      ADD_FAILURE() << "nothing thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(error.what(), "at " + std::to_string(bad));
    }
  }
  std::atomic<std::size_t> sum = 0;
  executor->parallel_for(100, 1, [&](std::size_t begin, std::size_t) { sum += begin; });
  EXPECT_EQ(sum, 4950U);
}

TEST_P(Executors, LoopsOfDifferentExecutorsNest) {
  const auto outer = make_executor(GetParam()), inner = make_executor(1);
  std::vector<std::atomic<int>> visits(20 * 30);
  outer->parallel_for(20, 1, [&](std::size_t a, std::size_t) {
    inner->parallel_for(30, 4, [&](std::size_t begin, std::size_t end) {
      for (std::size_t b = begin; b < end; ++b) ++visits[30 * a + b];
    });
  });
  for (const auto& v : visits) ASSERT_EQ(v, 1);
}

TEST_P(Executors, LoopsNestInTheSameExecutor) {
  const auto executor = make_executor(GetParam());
  std::vector<std::atomic<int>> visits(20 * 30);
  executor->parallel_for(20, 1, [&](std::size_t a, std::size_t) {
    executor->parallel_for(30, 4, [&](std::size_t begin, std::size_t end) {
      for (std::size_t b = begin; b < end; ++b) ++visits[30 * a + b];
    });
  });
  for (const auto& v : visits) ASSERT_EQ(v, 1);
}

TEST(Executors, ZeroMeansEveryCore) { EXPECT_GE(make_executor(0)->threads(), 1); }

TEST(Isas, HaveTheNamesOfTheProcessor) {
  const std::vector<std::string_view> names = {to_string(Isa::kBase), to_string(Isa::kAvx2), to_string(Isa::kAvx512)};
#if defined(__aarch64__)
  EXPECT_EQ(names, (std::vector<std::string_view>{"neon", "unknown", "unknown"}));
#else
  EXPECT_EQ(names, (std::vector<std::string_view>{"sse2", "avx2", "avx512"}));
#endif
}

TEST(Isas, TheDetectedOneIsWhatTheProcessorSays) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  EXPECT_EQ(detect_isa() >= Isa::kAvx2, __builtin_cpu_supports("avx2") != 0);
  if (detect_isa() == Isa::kAvx512) {
    EXPECT_TRUE(__builtin_cpu_supports("avx512f"));
  }
#else
  EXPECT_EQ(detect_isa(), Isa::kBase);
#endif
}

TEST(Computes, ThatNoComputerHasAreRefused) {
  const auto message = [](const Compute& compute) -> std::string {
    try {
      validate(compute);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message({}), "");
  EXPECT_EQ(message({.threads = 1024, .isa = Isa::kBase}), "");
  EXPECT_EQ(message({.threads = -1}), "threads = -1 is not in [0, 1024]");
  EXPECT_EQ(message({.threads = 1025}), "threads = 1025 is not in [0, 1024]");
  if (detect_isa() < Isa::kAvx512) {
    EXPECT_EQ(message({.isa = Isa::kAvx512}), "isa = " + std::string(to_string(Isa::kAvx512)) +
                                                  " is not supported by this computer (up to " +
                                                  std::string(to_string(detect_isa())) + ")");
  }
}

}  // namespace
}  // namespace fathom::test
