// SPDX-License-Identifier: MIT
#include "simulate/run_chain.hpp"

#include <algorithm>
#include <fstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fathom/base/error.hpp>
#include <fathom/noise/distance.hpp>
#include <fathom/sensor/model.hpp>

namespace fathom {

namespace {

using Json = nlohmann::ordered_json;

/// The entry of a sensor in summary.json.
class RunChain {
 public:
  RunChain(const std::filesystem::path& run, std::string sensor, std::string_view law)
      : file_(run / "summary.json"), sensor_(std::move(sensor)), law_(law) {
    std::ifstream stream(file_);
    const Json summary = Json::parse(stream, nullptr, false);
    const Json sensors = summary.is_object() ? summary.value("sensors", Json::array()) : Json::array();
    for (const Json& entry : sensors) {
      if (entry.is_object() && entry.value("name", Json()) == sensor_) description_ = entry;
    }
    const auto is_model = [](const Json& model) {
      return model.is_object() && model.value("model", Json()).is_string() &&
             model.value("stage", Json()).is_string() && model.value("parameters", Json::object()).is_object();
    };
    models_ = description_.is_object() ? description_.value("noise", Json()) : Json();
    if (!models_.is_array() || !std::all_of(models_.begin(), models_.end(), is_model)) {
      throw InputError(fmt::format("{}: does not say what noise '{}' has; simulate it again with this fathom",
                                   file_.string(), sensor_));
    }
  }

  [[nodiscard]] const Json& models() const { return models_; }
  [[nodiscard]] bool has_range_policy(std::string_view policy) const {
    return description_.value("range_policy", Json()) == policy;
  }

  [[noreturn]] void refuse(const std::string& what) const {
    throw InputError(
        fmt::format("{}: the noise of '{}' is not the law of {} alone: {}", file_.string(), sensor_, law_, what));
  }

  /// The one model of this law. Throws when it is there twice or differs by entity or ring.
  [[nodiscard]] const Json* only(std::string_view slug) const {
    const Json* found = nullptr;
    for (const Json& model : models_) {
      if (model["model"] != slug) continue;
      if (found != nullptr) refuse(fmt::format("{} is there twice", slug));
      for (const char* table : {"entities", "rings"}) {
        if (model.contains(table)) refuse(fmt::format("{} has parameters of its own for some {}", slug, table));
      }
      found = &model;
    }
    return found;
  }

 private:
  std::filesystem::path file_;
  std::string sensor_;
  std::string_view law_;
  Json description_, models_;
};

}  // namespace

void check_distance_chain(const std::filesystem::path& run, const std::string& sensor) {
  const RunChain chain(run, sensor, DistanceNoise::kSlug);
  static_cast<void>(chain.only(DistanceNoise::kSlug));
  for (const Json& model : chain.models()) {
    const Json& stage = model["stage"];
    const bool moves = stage == to_string(Stage::kRay) || stage == to_string(Stage::kImage) ||
                       stage == to_string(Stage::kRange) || stage == to_string(Stage::kReading);
    if (moves && model["model"] != DistanceNoise::kSlug) {
      chain.refuse(fmt::format("{} changes the ranges too", model["model"].get<std::string>()));
    }
    if (moves && model.contains("correlation")) {
      chain.refuse("its draws are correlated, and what is learned takes pixels and frames as independent");
    }
  }
  constexpr std::string_view kClamp = to_string(RangePolicy::kClamp);
  if (chain.has_range_policy(kClamp)) chain.refuse(fmt::format("the range policy {} changes the ranges too", kClamp));
}

void check_energy_chain(const std::filesystem::path& run, const std::string& sensor,
                        std::optional<EnergyNormalization> law) {
  const RunChain chain(run, sensor, StereoEnergy::kSlug);
  const Json* energy = chain.only(StereoEnergy::kSlug);
  if (energy == nullptr) chain.refuse(fmt::format("there is no {}", StereoEnergy::kSlug));
  for (const Json& model : chain.models()) {
    if (model["stage"] != to_string(Stage::kReading)) continue;
    chain.refuse(fmt::format("{} makes returns that no energy was asked about", model["model"].get<std::string>()));
  }
  const Json form = energy->value("parameters", Json::object()).value(StereoEnergy::kNormalization, Json());
  const std::string_view wanted = law ? kChoiceWords<EnergyNormalization>[static_cast<std::size_t>(*law)] : "";
  if (!law || form == wanted) return;
  chain.refuse(fmt::format("its {} is {}, not {}", StereoEnergy::kNormalization,
                           form.is_string() ? form.get<std::string>() : "unknown", wanted));
}

}  // namespace fathom
