// SPDX-License-Identifier: MIT
#pragma once
// What fit.json says of a parameter whose truth is known.

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace cli_test {

/// The value is within 3.5 errors of the truth, and the error below `most` of it.
inline void expect_learned(const nlohmann::json& fit, const std::string& name, double truth, double most) {
  ASSERT_TRUE(fit["parameters"].contains(name)) << fit["parameters"].dump();
  const nlohmann::json& found = fit["parameters"][name];
  const double error = found["std_error"];
  EXPECT_NEAR(found["value"].get<double>(), truth, 3.5 * error) << name;
  EXPECT_LT(error, most * truth) << name;
}

}  // namespace cli_test
