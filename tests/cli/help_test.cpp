// SPDX-License-Identifier: MIT
// Help, version and wrong usage.

#include <fathom/simulate/simulator.hpp>

#include "process.hpp"

namespace cli_test {
namespace {

/// The names below "Subcommands:" of a help page.
Words subcommands(const std::string& help) {
  Words names;
  std::istringstream rest(help.substr(std::min(help.size(), help.find("Subcommands:\n"))));
  std::string line;
  std::getline(rest, line);
  while (std::getline(rest, line) && line.rfind("  ", 0) == 0) {
    if (line[2] != ' ') names.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  return names;
}

TEST(Help, EveryCommandHasAnExample) {
  std::vector<Words> commands = {{}};
  for (std::size_t k = 0; k < commands.size(); ++k) {
    Words command = commands[k];
    command.push_back("--help");
    const Ended ended = succeed(command);
    EXPECT_EQ(ended.err, "");
    EXPECT_TRUE(contains(ended.out, "\nExample"));
    EXPECT_TRUE(contains(ended.out, "\n  fathom "));
    EXPECT_FALSE(contains(ended.out, "\n\n\n")) << "two blank lines: " << ended.out;
    for (const std::string& name : subcommands(ended.out)) {
      command.back() = name;
      commands.push_back(command);
    }
  }
  EXPECT_GE(commands.size(), 15U);
}

/// Lines between the title of a section and the next blank line.
std::string section(const std::string& page, const std::string& title) {
  const std::size_t at = page.find("\n" + title + ":\n");
  return at == std::string::npos ? "" : page.substr(at, page.find("\n\n", at) - at);
}

// Required options come first, rare ones are shown by --help-all alone.
TEST(Help, OfFitsIsAScreenAndBeginsWithWhatIsRequired) {
  for (const char* model : {"beam", "field", "chain", "wall", "pairs"}) {
    const std::string page = run_fathom({"fit", model, "--help"}).out;
    const std::size_t required = page.find("\nRequired:\n");
    EXPECT_EQ(std::count(page.begin(), page.begin() + static_cast<std::ptrdiff_t>(required), '\n'), 2) << page;
    EXPECT_LT(required, page.find("\nInput:\n")) << page;
    EXPECT_LT(page.find("\nInput:\n"), page.find("\nModel:\n")) << page;
    EXPECT_LT(page.find("\nModel:\n"), page.find("\nOutput:\n")) << page;
    std::istringstream lines(page);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 120U) << line;
  }
  const std::string page = run_fathom({"fit", "beam", "--help"}).out,
                    all = run_fathom({"fit", "beam", "--help-all"}).out;
  EXPECT_LE(std::count(page.begin(), page.end(), '\n'), 45) << page;
  for (const char* option : {"--map", "--scene", "--log", "--bag", "--out"}) {
    EXPECT_TRUE(contains(section(page, "Required"), option)) << page;
  }
  for (const char* option : {"--hit-offset", "--topic", "--variant", "--stretches"}) {
    EXPECT_FALSE(contains(page, std::string("  ") + option));
    EXPECT_TRUE(contains(all, std::string("  ") + option));
  }
  EXPECT_EQ(page.substr(0, page.find("\nInput")), all.substr(0, all.find("\nInput")));
}

TEST(Help, ListsEveryOptionOfSimulate) {
  const std::string text = run_fathom({"simulate", "--help"}).out;
  for (const char* option : {"--out", "--frames", "--seed", "--environment", "--environments", "--episode",
                             "--episodes", "--threads", "--set", "--force", "--isa", "--device", "--digest"}) {
    EXPECT_TRUE(contains(text, option)) << option;
  }
}

TEST(Version, IsTheLibrarysAndSaysWhatIsBuiltIn) {
  const Ended ended = succeed({"--version"});
  const std::string first = "fathom " + std::string(fathom::versions().fathom) + "\n";
  EXPECT_EQ(ended.out.substr(0, first.size()), first);
#ifdef FATHOM_URDF
  EXPECT_TRUE(contains(ended.out, "\nbuilt in: URDF"));
#else
  EXPECT_TRUE(contains(ended.out, "URDF (liburdfdom-dev)"));
#endif
  EXPECT_LE(std::count(ended.out.begin(), ended.out.end(), '\n'), 3);
}

TEST(Help, IsACommandToo) {
  EXPECT_EQ(run_fathom({"help"}).out, run_fathom({"--help"}).out);
  EXPECT_EQ(run_fathom({"help", "simulate"}).out, run_fathom({"simulate", "--help"}).out);
  EXPECT_EQ(run_fathom({"help", "fit", "beam"}).out, run_fathom({"fit", "beam", "-h"}).out);
  EXPECT_EQ(run_fathom({"fit", "help", "beam"}).out, run_fathom({"fit", "beam", "--help"}).out);
  EXPECT_TRUE(contains(run_fathom({"help", "simulat"}).err, "nearest: simulate"));
}

TEST(Usage, ASlipIsAnsweredWithWhatWasMeant) {
  const auto expect = [](const Words& arguments, const std::string& message) {
    const Ended ended = run_fathom(arguments);
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_EQ(ended.err, "fathom: error: " + message + "\n");
  };
  expect({"simulte", "x"}, "'simulte' is no command of fathom; nearest: simulate (see fathom --help)");
  expect({"SIMULATE", "x"}, "'SIMULATE' is no command of fathom; nearest: simulate (see fathom --help)");
  expect({"sim", "x"}, "'sim' is no command of fathom; nearest: simulate (see fathom --help)");
  expect({"frobnicate"}, "'frobnicate' is no command of fathom (see fathom --help)");
  expect({"fit", "baem"}, "'baem' is no command of fathom fit; nearest: beam (see fathom fit --help)");
  expect({"beam"}, "fathom beam needs a command: sample or heatmap (see fathom beam --help)");
  expect({"simulate", "x", "-o", "out"},
         "'-o' is no option of fathom simulate; nearest: --out (see fathom simulate --help)");
  expect({"simulate", "x", "--ou", "out"},
         "'--ou' is no option of fathom simulate; nearest: --out (see fathom simulate --help)");
  expect({"simulate", "x", "--OUT=out"},
         "'--OUT=out' is no option of fathom simulate; nearest: --out (see fathom simulate --help)");
  expect({"fit", "beam", "--mpa", "x"},
         "'--mpa' is no option of fathom fit beam; nearest: --map (see fathom fit beam --help)");
  expect({"simulate", "x"}, "--out is required (see fathom simulate --help)");
  expect({"fit", "beam", "--variant", "Exact"},
         "--variant = Exact is not one of exact, closed_form, book; nearest: exact");
}

TEST(Usage, MistakesAreOneLineAndCode2) {
  const std::vector<Words> mistakes = {
      {},
      {"simulat"},
      {"simulate"},
      {"simulate", "scene.yaml"},
      {"simulate", "--out", "x"},
      {"simulate", "scene.yaml", "--out"},
      {"simulate", "scene.yaml", "--out", "x", "--frame", "3"},
      {"simulate", "scene.yaml", "--out", "x", "--frames", "0"},
      {"simulate", "scene.yaml", "--out", "x", "--frames", "-1"},
      {"simulate", "scene.yaml", "--out", "x", "--frames", "2.5"},
      {"simulate", "scene.yaml", "--out", "x", "--frames", "4294967296"},
      {"simulate", "scene.yaml", "--out", "x", "--seed", "-1"},
      {"simulate", "scene.yaml", "--out", "x", "--seed", "18446744073709551616"},
      {"simulate", "scene.yaml", "--out", "x", "--episode", "-1"},
      {"simulate", "scene.yaml", "--out", "x", "--environment", "4294967296"},
      {"simulate", "scene.yaml", "--out", "x", "--environment", "3", "--environments", "0:4"},
      {"simulate", "scene.yaml", "--out", "x", "--episodes", "0:4", "--episode", "3"},
      {"simulate", "scene.yaml", "--out", "x", "--threads", "-1"},
      {"simulate", "scene.yaml", "--out", "x", "--threads", "many"},
      {"simulate", "scene.yaml", "--out", "x", "--isa", "altivec"},
      {"simulate", "scene.yaml", "--out", "x", "--caster", "tree"},
      {"simulate", "scene.yaml", "other.yaml", "--out", "x"},
      {"noise", "--json", "--markdown"},
      {"noise", "distance", "uniform"},
      {"sensors", "--json", "--markdown"},
      {"beam"},
      {"fit", "beamm"},
      {"fit", "beam"},
      {"score", "beam", "--map", "m.yaml"},
      {"fit"},
      {"score"},
      {"compare"},
      {"fit", "pairs", "--model", "distance"},
      {"fit", "wall"},
      {"measure"},
      {"measure", "depth"},
  };
  for (const auto& arguments : mistakes) {
    const Ended ended = run_fathom(arguments);
    std::string shown;
    for (const std::string& argument : arguments) shown += argument + " ";
    EXPECT_EQ(ended.exit_code, 2) << shown << ended.err;
    EXPECT_EQ(ended.out, "") << shown;
    EXPECT_EQ(count_lines(ended.err), 1U) << shown << ended.err;
    EXPECT_EQ(ended.err.rfind("fathom: error: ", 0), 0U) << shown << ended.err;
  }
}

}  // namespace
}  // namespace cli_test
