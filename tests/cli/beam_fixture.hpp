// SPDX-License-Identifier: MIT
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "beam_files.hpp"
#include "process.hpp"

namespace cli_test {

inline std::vector<std::vector<std::string>> read_csv(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    rows.emplace_back();
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
  }
  return rows;
}

/// The commands in the room of BeamFiles.
class Beam : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(files_.sampled().exit_code, 0) << files_.sampled().err; }

  Ended fit(const std::string& out, const std::vector<std::string>& options = {}, const char* model = "beam") {
    std::vector<std::string> arguments = {"fit",   model,        "--map", files_.map(),
                                          "--log", files_.log(), "--out", files_ / out};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return run_fathom(arguments);
  }
  Ended score(const std::vector<std::string>& options = {}) {
    std::vector<std::string> arguments = {"score", "beam",       "--map",        files_.map(),
                                          "--log", files_.log(), "--parameters", files_.parameters()};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return run_fathom(arguments);
  }
  nlohmann::json fit_json(const std::string& out) {
    return nlohmann::json::parse(bytes_of(files_ / (out + "/fit.json")));
  }

  BeamFiles files_;
};

}  // namespace cli_test
