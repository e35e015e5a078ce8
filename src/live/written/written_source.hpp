// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include <fathom/base/error.hpp>

#include "live/live_source.hpp"

namespace fathom {

/// What was written before: it can be played, and nothing of it can be turned or saved.
class WrittenSource : public LiveSource {
 public:
  [[nodiscard]] nlohmann::ordered_json knobs() const override { return {{"knobs", nlohmann::ordered_json::array()}}; }
  [[nodiscard]] std::vector<Parameter> parameters() const override { return {}; }
  void set(const Parameter& parameter) override {
    throw InputError("what was written has no parameters: there is no '" + parameter.name + "'");
  }
  bool reload_if_saved() override { return false; }
  std::vector<std::filesystem::path> save_frame(std::string_view /*sensor*/) override { refuse_to_save(); }
  std::filesystem::path save_scene() override { refuse_to_save(); }

 private:
  [[noreturn]] static void refuse_to_save() { throw InputError("what is shown was written before: nothing is saved"); }
};

}  // namespace fathom
