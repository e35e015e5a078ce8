// SPDX-License-Identifier: MIT
// What a GPU is given: an assembler's text whose every operation rounds as a processor's does.

#include <regex>

#include "render/device/gpu.hpp"
#include "render/device/layout_table.hpp"
#include "render/test_scenes.hpp"

namespace fathom::test {
namespace {

/// What the compilers of this computer made; empty in a build without one for GPUs.
std::vector<std::string> ptx_files() {
  std::istringstream list(FATHOM_PTX);
  std::vector<std::string> files;
  for (std::string file; std::getline(list, file, '|');) files.push_back(file);
  return files;
}

/// The operations of the text: the first word of each line that is one, after a guard.
std::vector<std::string> operations(const std::string& ptx) {
  static const std::regex kOperation(R"(^\s*(?:@!?%p\d+\s+)?([a-z][a-z0-9_]*(?:\.[a-z0-9_]+)+)\s)");
  std::vector<std::string> found;
  std::size_t begin = 0;
  while (begin < ptx.size()) {
    const std::size_t end = std::min(ptx.find('\n', begin), ptx.size());
    std::smatch match;
    const std::string line = ptx.substr(begin, end - begin);
    if (std::regex_search(line, match, kOperation)) found.push_back(match[1]);
    begin = end + 1;
  }
  return found;
}

bool has_part(const std::string& operation, const std::string& part) {
  return ("." + operation + ".").find("." + part + ".") != std::string::npos;
}

class Ptx : public testing::TestWithParam<std::string> {
 protected:
  static std::string read_ptx() {
    std::ifstream file(GetParam());
    return {std::istreambuf_iterator<char>(file), {}};
  }
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Ptx);
INSTANTIATE_TEST_SUITE_P(Files, Ptx, testing::ValuesIn(ptx_files()), [](const auto& file) {
  std::string name = file.param.substr(file.param.rfind('/') + 1);
  return name.substr(0, name.find('.'));
});

TEST(PtxFiles, ABuildWithoutThemSaysSoAndRendersOnTheProcessor) {
  if (!ptx_files().empty()) return;
  const auto simulate_on = [](const char* device) {
    Simulator(make_room_scene(), {.compute = {.device = device_named(device)}});
  };
  EXPECT_EQ(input_error([&] { simulate_on("cuda"); }),
            "device cuda: this build of fathom has no code for GPUs: install clang and build it again");
  EXPECT_EQ(input_error([&] { simulate_on("auto"); }), "");
}

TEST_P(Ptx, HasTheKernelsForEveryGpuSincePascal) {
  const std::string ptx = read_ptx();
  ASSERT_FALSE(ptx.empty());
  EXPECT_TRUE(contains(ptx, ".target sm_60"));
  for (const char* kernel :
       {"render_rays", "lose_edges", "sort_instances", "merge_instances", "build_nodes", "refit_nodes", "match_pixels",
        "join_pixels", "count_pixels", "lose_speckles", "finish_rays", "render_beams", "place_instances"}) {
    EXPECT_TRUE(contains(ptx, ".visible .entry fathom_" + std::string(kernel) + "(")) << kernel;
  }
  EXPECT_FALSE(contains(ptx, ".extern")) << "something is called that is not there";
}

std::size_t count_in(const std::string& ptx, const std::string& text) {
  std::size_t found = 0;
  for (std::size_t at = ptx.find(text); at != std::string::npos; at = ptx.find(text, at + 1)) ++found;
  return found;
}

/// A launch whose groups have more threads than the bound of a kernel would fail.
TEST_P(Ptx, BoundsEveryKernelByTheGroupsOfALaunch) {
  const std::string ptx = read_ptx();
  const std::size_t kernels = count_in(ptx, ".visible .entry");
  EXPECT_GE(kernels, 16U);
  EXPECT_EQ(count_in(ptx, ".maxntid " + std::to_string(device::Stream::kGroup) + ","), kernels);
  EXPECT_EQ(count_in(ptx, ".minnctapersm 4"), kernels);
}

/// Both walks, to the nearest hit and to any, read a node by 6 x 2 rows of boxes and 2 of children, and a leaf by 9
/// rows of corners and one of numbers. A child that was kept is read again by 6 numbers of its box and its own.
TEST_P(Ptx, ReadsTreesBySixteenBytesThroughTheReadOnlyCache) {
  const std::string ptx = read_ptx();
  constexpr std::size_t kWalks = 2, kWide = 12 + 2 + 9 + 1, kNarrow = 6 + 1;
  EXPECT_EQ(count_in(ptx, "ld.global.nc.v4."), kWalks * kWide);
  EXPECT_EQ(count_in(ptx, "ld.global.nc."), kWalks * (kWide + kNarrow));
}

/// The numbers of the constant array fathom_layout, whose bytes the text lists.
std::vector<std::uint32_t> layout_in(const std::string& ptx) {
  static const std::regex kTable(R"(\.b8\s+fathom_layout\[\d+\]\s*=\s*\{([^}]*)\})");
  std::smatch match;
  if (!std::regex_search(ptx, match, kTable)) return {};
  std::istringstream list(match[1]);
  std::vector<std::uint32_t> numbers;
  std::size_t at = 0;
  for (std::string byte; std::getline(list, byte, ','); ++at) {
    if (at % 4 == 0) numbers.push_back(0);
    numbers.back() |= static_cast<std::uint32_t>(std::stoul(byte)) << (8 * (at % 4));
  }
  return numbers;
}

TEST_P(Ptx, PutsEveryFieldWhereTheProcessorDoes) {
  const auto& here = device::kLayout.numbers;
  const std::vector<std::uint32_t> there = layout_in(read_ptx());
  ASSERT_EQ(there.size(), std::size(here));
  for (std::size_t i = 0; i < there.size(); ++i)
    EXPECT_EQ(there[i], here[i]) << "number " << i << " of layout_table.hpp";
}

/// min and max of a GPU take NaN and the signs of zeros otherwise than a comparison does, unless one of the two is a
/// constant; a smaller one than 0, and a larger one than -0, differ even then.
TEST_P(Ptx, TakesSmallerAndLargerNumbersAsAComparisonDoes) {
  static const std::regex kChoice(R"(\b(min|max)\.((?:[a-zA-Z]+\.)*)f32\s+%f\d+, ([^,]+), ([^;]+);)");
  // Without the source's own instructions: larger() and smaller() of one_lane.hpp.
  static const std::regex kAssembly(R"(// begin inline asm\n.*\n)");
  const std::string ptx = std::regex_replace(read_ptx(), kAssembly, "");
  std::size_t choices = 0;
  for (std::sregex_iterator it(ptx.begin(), ptx.end(), kChoice), end; it != end; ++it, ++choices) {
    const std::string word = (*it)[1], a = (*it)[3], b = (*it)[4];
    EXPECT_EQ((*it)[2], "") << it->str();
    EXPECT_TRUE(a.starts_with("0f") || b.starts_with("0f")) << it->str();
    for (const std::string& operand : {a, b}) {
      EXPECT_NE(operand, "0f80000000") << it->str();
      EXPECT_FALSE(word == "min" && operand == "0f00000000") << it->str();
    }
  }
  EXPECT_GT(choices, 10U);
}

TEST_P(Ptx, FusesAndApproximatesNothing) {
  std::size_t divisions = 0, roots = 0, sums = 0;
  for (const std::string& operation : operations(read_ptx())) {
    for (const char* part : {"fma", "mad", "ftz", "approx", "full", "sat"}) {
      const bool is_whole_number = has_part(operation, "u32") || has_part(operation, "s32") ||
                                   has_part(operation, "u64") || has_part(operation, "s64");
      EXPECT_FALSE(has_part(operation, part) && !is_whole_number) << operation;
    }
    const bool is_float = has_part(operation, "f32") || has_part(operation, "f64");
    if (!is_float) continue;
    const std::string kind = operation.substr(0, operation.find('.'));
    for (const char* rounded : {"add", "sub", "mul", "div", "sqrt", "rcp"}) {
      EXPECT_TRUE(kind != rounded || has_part(operation, "rn")) << operation << " may be fused";
    }
    for (const char* rough : {"sin", "cos", "ex2", "lg2", "rsqrt", "tanh"}) {
      EXPECT_NE(kind, rough) << operation;
    }
    divisions += kind == "div" ? 1 : 0, roots += kind == "sqrt" ? 1 : 0, sums += kind == "add" ? 1 : 0;
  }
  EXPECT_GT(divisions, 10U);
  EXPECT_GT(roots, 5U);
  EXPECT_GT(sums, 100U);
}

/// Local memory is what a walk keeps open, an OpenNode for each level of two trees, the ranges and energies of the
/// samples of a ray that widens, and small structs: anything more would be numbers that found no register.
TEST_P(Ptx, KeepsNothingButItsStacksInLocalMemory) {
  static const std::regex kDepot(R"(\.local \.align \d+ \.b8\s+__local_depot\d+\[(\d+)\])");
  const std::string ptx = read_ptx();
  constexpr int kStacks = (11 + 40) * 8, kSamples = 1024, kSlack = 512;
  int functions = 0, walks = 0;
  for (std::sregex_iterator it(ptx.begin(), ptx.end(), kDepot), end; it != end; ++it) {
    const int bytes = std::stoi((*it)[1]);
    ++functions;
    walks += bytes >= kStacks ? 1 : 0;
    EXPECT_LE(bytes, kStacks + kSamples + kSlack);
  }
  EXPECT_GT(functions, 0);
  EXPECT_EQ(walks, 5) << "to the nearest hit, to any, of the samples of a ray, and rays of both kinds";
}

}  // namespace
}  // namespace fathom::test
