// SPDX-License-Identifier: MIT
// The folder of a learned chain: noise.yaml, report.html and fit.json.

#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fathom/base/error.hpp>
#include <fathom/calibrate/chain_report.hpp>

#include "report/chain_page.hpp"
#include "report/number_json.hpp"
#include "report/parameter_json.hpp"
#include "report/result_folder.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::array<const char*, 3> kChainNames = {"noise.yaml", "report.html", "fit.json"};
constexpr std::array<std::string_view, 2> kChainKeys = {"parameters", "held_out_nats"};
constexpr ResultKind kChain = {.noun = "fit", .names = kChainNames, .of_ours = kChainKeys};

}  // namespace

nlohmann::ordered_json parameter_json(const LearnedParameter& p) {
  return {{"value", p.value},
          {"std_error", number_or_null(p.std_error)},
          {"naive_std_error", number_or_null(p.naive_error)},
          {"low_95", number_or_null(p.low)},
          {"high_95", number_or_null(p.high)},
          {"start", p.start},
          {"unit", p.unit},
          {"is_unidentified", p.is_unidentified},
          {"is_at_limit", p.is_at_limit}};
}

namespace {

Json correlations_json(const ChainFit& fit) {
  const std::size_t n = fit.parameters.size();
  Json rows = Json::array();
  for (std::size_t j = 0; j < n; ++j) {
    Json row = Json::array();
    for (std::size_t k = 0; k < n; ++k) row.push_back(number_or_null(fit.correlations[j * n + k]));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string yaml_file(const ChainReport& report) {
  const std::string name = report.frames.sensor;
  return fmt::format(
      "# The noise of sensor {0}, learned by fathom {1}. In a scene file it stands under `noise:`; from outside:\n"
      "#   fathom simulate SCENE --set sensors.{0}.noise=@noise.yaml --out DIR\n{2}",
      name, FATHOM_VERSION, chain_yaml(report.fit.chain, 0));
}

}  // namespace

std::vector<std::string> ChainReport::flags() const {
  std::vector<std::string> all = fit.flags, of_frames = frames.flags();
  all.insert(all.end(), of_frames.begin(), of_frames.end());
  return all;
}

std::string chain_json(const ChainReport& report) {
  const ChainFit& fit = report.fit;
  Json json = {{"scene", report.scene}, {"measured", report.measured}, {"sensor", report.frames.sensor}};
  json["parameters"] = Json::object();
  for (const LearnedParameter& p : fit.parameters) json["parameters"][p.name] = parameter_json(p);
  json["correlations"] = correlations_json(fit);
  json["log_likelihood"] = {{"start", fit.start_log_likelihood}, {"learned", fit.log_likelihood}};
  json["returns"] = fit.returns, json["lost"] = fit.lost, json["frames"] = fit.frames;
  if (report.frames.returns.turned.is_known()) json["at_edges"] = fit.at_edges;
  json["clusters"] = fit.clusters, json["clustered_by"] = fit.stretches > 0 ? "stretch" : "frame";
  json["judged_returns"] = fit.judged;
  json["held_out_nats"] = {{"learned", number_or_null(fit.held_out_nats)},
                           {"start", number_or_null(fit.start_nats)},
                           {"gain", number_or_null(fit.gain_nats)},
                           {"gain_std_error", number_or_null(fit.gain_error)}};
  json["left_out"] = {{"hidden", report.frames.hidden}, {"unexpected", report.frames.unexpected}};
  json["flags"] = report.flags();
  return json_file_text(json);
}

std::vector<fs::path> chain_report_files(const fs::path& folder) { return result_files(kChain, folder); }

void check_chain_report_folder(const fs::path& folder, bool force) { check_result_folder(kChain, folder, force); }

void write_chain_report(const fs::path& folder, const ChainReport& report, bool force) {
  check_chain_report_folder(folder, force);  // before the work
  const std::array<std::string, 3> contents = {yaml_file(report), chain_page(report), chain_json(report)};
  write_results(kChain, folder, contents, force);
}

}  // namespace fathom
