// examples/beam: parameters that a laser was simulated with are found again from the files and the map.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <regex>
#include <string>

#include <fathom/beam/model.hpp>
#include <nlohmann/json.hpp>

#include "process.hpp"

namespace cli_test {
namespace {

const std::filesystem::path kExample = std::filesystem::path(FATHOM_SOURCE_DIR) / "examples/beam";

/// The value of a key in the scene file, as text is all that this test should need of it.
double written(const std::string& scene, const std::string& key) {
  std::smatch match;
  if (!std::regex_search(scene, match, std::regex(key + ": ([0-9.]+)"))) return NAN;
  return std::stod(match[1]);
}

TEST(BeamLoop, FindsTheParametersAgain) {
  const TempFolder folder;
  const std::string out = folder / "out";
  const std::string command = "FATHOM='" FATHOM_CLI "' '" + (kExample / "run.sh").string() + "' '" + out +
                              "' --spacing 0.3 --headings 60 > '" + (folder / "told") + "' 2> '" + (folder / "err") +
                              "'";
  ASSERT_EQ(std::system(command.c_str()), 0) << read_text(folder / "err");
  const std::string scene = read_text(kExample / "beam.yaml");
  const auto found = nlohmann::json::parse(read_text(out + "/fit/fit.json"));
  for (const fathom::BeamField& field : fathom::kBeamFields) {
    if (field.name == "hit_offset_m") continue;
    const std::string name(field.name);
    const double truth = written(scene, name), error = found[name]["std_error"];
    // Six parameters: one in a hundred runs would be off by more than 3.2 errors; the seed is fixed.
    EXPECT_NEAR(found[name]["value"].get<double>(), truth, 3.2 * error) << name;
    EXPECT_LT(error, .05 * truth) << name;
  }
  EXPECT_EQ(read_text(out + "/heatmap.png").substr(1, 3), "PNG");
  const std::string told = read_text(folder / "told");
  const std::size_t at = told.find(" m apart");
  ASSERT_NE(at, std::string::npos) << told;
  EXPECT_LT(std::stod(told.substr(told.rfind('\n', at) + 1)), .5) << told;
}

}  // namespace
}  // namespace cli_test
