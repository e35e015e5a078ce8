// SPDX-License-Identifier: MIT
// examples/07_beam_loop: parameters that a laser was simulated with are found again from the files and the map, as its
// README says.

#include <regex>

#include <fathom/noise/beam_density.hpp>

#include "process.hpp"

namespace cli_test {
namespace {

const std::filesystem::path kExample = std::filesystem::path(FATHOM_SOURCE_DIR) / "examples/07_beam_loop";

/// The value of a key in the scene file, as text is all that this test should need of it.
double written(const std::string& scene, const std::string& key) {
  std::smatch match;
  if (!std::regex_search(scene, match, std::regex(key + ": ([0-9.]+)"))) return NAN;
  return std::stod(match[1]);
}

/// A printed number, and half a unit of its last digit.
struct Printed {
  std::string text;
  [[nodiscard]] double value() const { return std::stod(text); }
  [[nodiscard]] double rounding() const {
    return .5 * std::pow(10.0, -static_cast<double>(text.size() - 1 - text.find('.')));
  }
};

/// A row of the table "What went in and what came out".
struct Row {
  Printed truth, value, error;
};

Row row_of(const std::string& readme, const std::string& name) {
  std::smatch m;
  const std::regex row("\\| `" + name + "` \\| ([0-9.]+)[^|]*\\| ([0-9.]+) ± ([0-9.]+)[^|]*\\|");
  if (!std::regex_search(readme, m, row)) {
    ADD_FAILURE() << "no row for " << name;
    return {{"0.0"}, {"0.0"}, {"0.0"}};
  }
  return {{m[1]}, {m[2]}, {m[3]}};
}

/// The page of the example shows the fit.
void expect_shown(const json& found, const std::string& name, double truth) {
  const Row row = row_of(bytes_of(kExample / "README.md"), name);
  EXPECT_EQ(row.truth.value(), truth) << name;
  // Ranges differ in the sixth digit between processors, which may tip a rounding.
  EXPECT_NEAR(found["value"].get<double>(), row.value.value(), 1.1 * row.value.rounding()) << name;
  EXPECT_NEAR(found["std_error"].get<double>(), row.error.value(), 1.1 * row.error.rounding()) << name;
}

TEST(BeamLoop, FindsTheParametersAgain) {
  const TemporaryFolder folder;
  const std::string out = folder / "out";
  const std::string command = "FATHOM='" FATHOM_CLI "' '" + (kExample / "run.sh").string() + "' '" + out +
                              "' --spacing 0.3 --headings 60 > '" + (folder / "told").string() + "' 2> '" +
                              (folder / "err").string() + "'";
  ASSERT_EQ(std::system(command.c_str()), 0) << bytes_of(folder / "err");
  const std::string scene = bytes_of(kExample / "beam.yaml");
  const auto found = json::parse(bytes_of(out + "/fit/fit.json"));
  for (const auto& field : fathom::BeamParameters::fields()) {
    if (field.name == "hit_offset_m") continue;
    const std::string name(field.name);
    const double truth = written(scene, name), error = found["parameters"][name]["std_error"];
    // Six parameters: one in a hundred runs would be off by more than 3.2 errors; the seed is fixed.
    EXPECT_NEAR(found["parameters"][name]["value"].get<double>(), truth, 3.2 * error) << name;
    EXPECT_LT(error, .05 * truth) << name;
    expect_shown(found["parameters"][name], name, truth);
  }
  EXPECT_EQ(bytes_of(out + "/heatmap.png").substr(1, 3), "PNG");
  const std::string told = bytes_of(folder / "told");
  const std::size_t at = told.find(" m apart");
  ASSERT_NE(at, std::string::npos) << told;
  EXPECT_LT(std::stod(told.substr(told.rfind('\n', at) + 1)), .5) << told;
}

}  // namespace
}  // namespace cli_test
