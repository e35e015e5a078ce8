// SPDX-License-Identifier: MIT
// The noise of a sensor in a run's summary, also after edits of the file.

#include "fit/frames/chain_frames.hpp"
#include "support/expect.hpp"

namespace fathom::test {
namespace {

/// The refusals of both laws, one after the other.
std::string refusals(const std::string& summary) {
  const TemporaryFolder folder;
  folder.write("summary.json", summary);
  return input_error([&] { check_energy_chain(folder.path(), "camera", EnergyNormalization::kThreshold); }) + "\n" +
         input_error([&] { check_distance_chain(folder.path(), "camera"); });
}

std::string with_noise(const std::string& noise) {
  return R"({"sensors": [{"name": "camera", "range_policy": "lose", "noise": )" + noise + "}]}";
}

std::string energy_with(const std::string& more) {
  return with_noise(R"([{"model": "stereo_energy", "stage": "channel")" + more + "}]");
}

TEST(RunChain, TakesTheLawItNames) {
  const std::string word(kChoiceWords<EnergyNormalization>[static_cast<std::size_t>(EnergyNormalization::kThreshold)]);
  EXPECT_EQ(refusals(energy_with(R"(, "parameters": {"normalization": ")" + word + "\"}")), "\n");
}

TEST(RunChain, NamesTheFileOfADamagedSummary) {
  for (const std::string& summary :
       {std::string(), std::string("5"), std::string("[]"), std::string("{"), std::string("{\"sensors\": 5}"),
        std::string(R"({"sensors": {"camera": 5}})"), std::string(R"({"sensors": [5, {"name": 5}]})"),
        std::string(R"({"sensors": [{"name": "camera"}]})"), with_noise("5"), with_noise("{}"), with_noise("[5]"),
        with_noise(R"([{"model": 5, "stage": "range"}])"), with_noise(R"([{"model": "distance", "stage": []}])"),
        with_noise(R"([{"model": "distance"}])"), energy_with(R"(, "parameters": 5)"),
        energy_with(R"(, "parameters": null)"), energy_with(R"(, "parameters": [])")}) {
    const std::string said = refusals(summary);
    const std::string reason = "summary.json: does not say what noise 'camera' has; simulate it again";
    EXPECT_TRUE(contains(said.substr(0, said.find('\n')), reason)) << summary << said;
    EXPECT_TRUE(contains(said.substr(said.find('\n')), reason)) << summary << said;
  }
}

TEST(RunChain, TakesAnUnknownFormForAnotherOne) {
  for (const char* parameters : {"", R"(, "parameters": {})", R"(, "parameters": {"normalization": 5})",
                                 R"(, "parameters": {"normalization": ["threshold"]})"}) {
    EXPECT_TRUE(contains(refusals(energy_with(parameters)), "its normalization is unknown, not ")) << parameters;
  }
}

}  // namespace
}  // namespace fathom::test
