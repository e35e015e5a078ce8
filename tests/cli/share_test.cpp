// SPDX-License-Identifier: MIT
// Manual pages and completions are made from the commands: all of them, valid, and of use.

#include "process.hpp"

namespace cli_test {
namespace {

class Share : public testing::Test {
 protected:
  void SetUp() override { succeed({"generate", folder_ / "share"}); }
  /// What bash offers for the words; the last is the one being typed.
  Words completed(const std::string& words) {
    const std::string line =
        "bash -c 'source share/bash-completion/completions/fathom; COMP_WORDS=(" + words +
        "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _fathom; printf \"%s\\n\" \"${COMPREPLY[@]}\"' > offered";
    EXPECT_EQ(run_shell(line, folder_.path()), 0) << words;
    Words offered;
    const std::string text = bytes_of(folder_ / "offered");
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      offered.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    std::sort(offered.begin(), offered.end());
    return offered;
  }

  TemporaryFolder folder_;
};

TEST_F(Share, HasAPageForEveryCommandWithEveryOption) {
  std::istringstream pages(
      "fathom fathom-simulate fathom-apply fathom-check fathom-sensors fathom-noise fathom-outputs "
      "fathom-channels fathom-beam fathom-beam-sample fathom-beam-heatmap fathom-bag fathom-bag-info "
      "fathom-publish fathom-serve fathom-view fathom-dataset fathom-dataset-verify fathom-dataset-info "
      "fathom-fit fathom-fit-beam fathom-fit-field fathom-fit-chain fathom-fit-wall fathom-fit-pairs "
      "fathom-score fathom-score-beam fathom-score-field fathom-score-chain fathom-compare "
      "fathom-compare-beam fathom-compare-field fathom-compare-chain fathom-measure fathom-measure-depth");
  for (std::string page; pages >> page;) {
    const std::string text = bytes_of(folder_ / ("share/man/man1/" + page + ".1"));
    EXPECT_TRUE(contains(text, ".SH NAME\n")) << page;
    EXPECT_TRUE(contains(text, ".SH EXAMPLES\n")) << page;
  }
  EXPECT_EQ(files_below(folder_ / "share/man/man1").size(), 35U);
  const std::string simulate = bytes_of(folder_ / "share/man/man1/fathom-simulate.1");
  EXPECT_TRUE(contains(simulate, "\\-\\-seed S"));
  EXPECT_TRUE(contains(simulate, ".SH \"EXIT STATUS\""));
}

TEST_F(Share, PagesAreValid) {
  if (run_shell("command -v man > /dev/null", folder_.path()) != 0) GTEST_SKIP() << "man is not on this machine";
  for (const auto& page : files_below(folder_ / "share/man/man1")) {
    EXPECT_EQ(run_shell("LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -l " + page.string() + " > page 2> warnings",
                        folder_.path()),
              0);
    EXPECT_EQ(bytes_of(folder_ / "warnings"), "") << page;
  }
}

TEST_F(Share, BashCompletesCommandsOptionsWordsNamesAndFiles) {
  EXPECT_EQ(completed("fathom sim"), Words{"simulate"});
  EXPECT_EQ(completed("fathom beam sa"), Words{"sample"});
  EXPECT_EQ(completed("fathom simulate --se"), (Words{"--seed", "--set"}));
  EXPECT_EQ(completed("fathom fit beam --variant e"), Words{"exact"});
  EXPECT_EQ(completed("fathom fit beam --hit-offset \"\""), Words{"fit"});
  EXPECT_EQ(completed("fathom sensors VLP-16-"), Words{"VLP-16-HiRes"});
  EXPECT_EQ(completed("fathom noise dist"), Words{"distance"});
  EXPECT_EQ(completed("fathom outputs range_i"), Words{"range_image"});
  write_text(folder_ / "my room.yaml", "");
  std::filesystem::create_directory(folder_ / "my folder");
  EXPECT_EQ(completed("fathom simulate my"), (Words{"my folder", "my room.yaml"}));
  EXPECT_EQ(completed("fathom simulate x --out my"), Words{"my folder"});
  EXPECT_EQ(completed("fathom simulate --seed 1").size(), 1U);  // nothing to offer: an empty line
  EXPECT_EQ(completed("fathom simulate --seed 1").front(), "");
}

TEST_F(Share, ZshReadsItsCompletion) {
  if (run_shell("command -v zsh > /dev/null", folder_.path()) != 0) GTEST_SKIP() << "zsh is not on this machine";
  EXPECT_EQ(run_shell("zsh -n share/zsh/site-functions/_fathom", folder_.path()), 0);
}

}  // namespace
}  // namespace cli_test
