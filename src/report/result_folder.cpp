// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <fcntl.h>
#include <fstream>
#include <optional>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "report/report.hpp"
#include "text/files.hpp"
#include "text/read_fields.hpp"
#include "text/yaml.hpp"

namespace fathom {

namespace {

void add_line(std::string& text, std::string_view key, std::string_view value, std::string_view doc) {
  // A comment begins with a blank, however long the value is.
  text += fmt::format("{:<41} # {}\n", fmt::format("{}: {}", key, value), doc);
}

template <FieldModel M>
void add_field(std::string& text, const M& model, const FieldInfo& field) {
  const bool has_unit = field.choices.empty() && field.unit != "1";
  add_line(text, field.name, field_text(field, get_field(model, field.name)),
           has_unit ? fmt::format("{}: {}", field.unit, field.doc) : std::string(field.doc));
}

/// A line per parameter, with every digit.
template <FieldModel M>
void add_lines(std::string& text, const M& model) {
  for (const FieldInfo& field : describe<M>()) add_field(text, model, field);
}

/// The extended law of hits and its number. Files of the book's model have no such lines, and older versions read them.
void add_tail(std::string& text, const HitTail& tail) {
  for (const FieldInfo& field : describe<HitTail>()) {
    if (field.name == "hit" || field.name == HitTail::field_of(tail.hit).name) add_field(text, tail, field);
  }
}

}  // namespace

/// The law of hits, whose own number must be there, and no other law's.
void read_tail(YamlReader& map, HitTail& tail) {
  read_fields(map, tail);
  for (const HitLaw law : {HitLaw::kStudentT, HitLaw::kGrows}) {
    const std::string_view number = HitTail::field_of(law).name,
                           word = kChoiceWords<HitLaw>[static_cast<std::size_t>(law)];
    const std::optional<YamlReader> given = map.find(number);
    if (given && tail.hit != law) given->fail_key(fmt::format("is for hit: {}", word));
    if (!given && tail.hit == law) map.at("hit").fail_key(fmt::format("is {}, which needs {}", word, number));
  }
}

BeamModel read_beam_model_text(std::string_view text, const std::filesystem::path& file) {
  const YamlValue root = parse_yaml(text, file.string());
  refuse_other_kind(root, YamlFileKind::kBeamModel);
  if (root.find("max_distance_m") != nullptr && root.find("w_short") == nullptr) {
    throw LocatedError(to_string(root.mark), ": these are parameters of a likelihood field, not of a beam model",
                       Hint{"model", "field"});
  }
  YamlReader map(root);
  BeamModel model;
  read_fields(map, model.parameters);
  read_tail(map, model.parameters.tail);
  read_fields(map, model.sensor);
  read_fields(map, model);
  map.finish();
  // An error about several keys has no line.
  with_prefix([&] { return to_string(root.mark); },
              [&] {
                validate(model.parameters);
                validate(model.sensor);
              });
  return model;
}

std::string beam_model_text(const BeamModel& model) {
  validate(model.parameters);
  validate(model.sensor);
  std::string text = "# Beam model of a range finder. The four weights sum to 1.\n";
  add_lines(text, model.parameters);
  if (model.parameters.tail.is_extended()) add_tail(text, model.parameters.tail);
  text += "\n# The sensor, and how its readings are taken.\n";
  add_lines(text, model.sensor);
  add_lines(text, model);
  return text;
}

BeamModel read_beam_model(const std::filesystem::path& file) {
  return within_memory(file, [&] { return read_beam_model_text(read_yaml_text(file), file); });
}

void write_beam_model(const std::filesystem::path& file, const BeamModel& model) {
  write_whole_file(file, beam_model_text(model));
}

std::string field_model_text(const LikelihoodFieldModel& model) {
  validate(model);
  std::string text = "# Likelihood field of a range finder. The two weights sum to 1.\n";
  add_lines(text, model);
  return text;
}

LikelihoodFieldModel read_field_model(const std::filesystem::path& file) {
  return within_memory(file, [&] {
    const YamlValue root = parse_yaml(read_yaml_text(file), file.string());
    refuse_other_kind(root, YamlFileKind::kBeamModel);
    if (root.find("w_short") != nullptr) {
      throw LocatedError(to_string(root.mark), ": these are parameters of a beam model, not of a likelihood field",
                         Hint{"model", "beam"});
    }
    YamlReader map(root);
    LikelihoodFieldModel model;
    read_fields(map, model);
    map.finish();
    with_prefix([&] { return to_string(root.mark); }, [&] { validate(model); });
    return model;
  });
}

void write_field_model(const std::filesystem::path& file, const LikelihoodFieldModel& model) {
  write_whole_file(file, field_model_text(model));
}

namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string_view>;

struct KindOfResult {
  std::string_view noun;  ///< in messages
  Names names;            ///< of files that such a result may have, the JSON last
  Names kinds;            ///< what "kind" may be in the JSON that fathom wrote
};

/// By ResultKind.
const KindOfResult& facts_of(ResultKind kind) {
  static const std::array<KindOfResult, 4> all = {{
      {"fit",
       {"parameters.yaml", "report.html", "amcl.yaml", "nav2.yaml", "beluga.yaml", "refined.log", "fit.json"},
       {"beam", "likelihood_field"}},
      {"fit", {"noise.yaml", "report.html", "fit.json"}, {"chain"}},
      {"fit of a wall", {"noise.yaml", "sensor.yaml", "report.html", "fit.json"}, {"wall"}},
      {"measurement", {"report.html", "measure.json"}, {"depth_camera"}},
  }};
  return all.at(static_cast<std::size_t>(kind));
}

/// Null if fathom did not write the file.
nlohmann::json json_of_ours(const KindOfResult& kind, const fs::path& folder) {
  std::ifstream stream(folder / kind.names.back());
  nlohmann::json json = nlohmann::json::parse(stream, nullptr, false);
  if (!json.is_object() || !json.contains("kind") || !json["kind"].is_string()) return nullptr;
  const bool is_ours = std::ranges::find(kind.kinds, json["kind"].get<std::string>()) != kind.kinds.end();
  return is_ours ? json : nlohmann::json(nullptr);
}

/// Whether its "files" name this one.
bool names_file(const nlohmann::json& json, std::string_view name) {
  const auto files = json.find("files");
  const auto is_it = [&](const nlohmann::json& file) { return file.is_string() && file.get<std::string>() == name; };
  return files != json.end() && files->is_array() && std::any_of(files->begin(), files->end(), is_it);
}

void remove_old(const fs::path& file) {
  std::error_code error;
  fs::remove(file, error);
  if (error) throw SystemError(fmt::format("{}: cannot be removed: {}", file.string(), error.message()));
}

/// Two results into one folder are written one after the other, so that its files are of one. A file system without
/// locks does not tell them apart.
class FolderLock {
 public:
  explicit FolderLock(const fs::path& folder) : descriptor_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (descriptor_ >= 0) static_cast<void>(flock(descriptor_, LOCK_EX));
  }
  ~FolderLock() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace

std::vector<fs::path> result_files(ResultKind kind, const fs::path& folder) {
  std::vector<fs::path> files;
  for (const std::string_view name : facts_of(kind).names) files.push_back(folder / name);
  return files;
}

void check_result_folder(ResultKind kind, const fs::path& folder, bool force) {
  const KindOfResult& facts = facts_of(kind);
  if (folder.empty()) throw InputError("the output folder has no name");
  std::error_code error;
  if (!fs::exists(fs::symlink_status(folder, error))) return;
  if (!fs::is_directory(folder, error))
    throw InputError(fmt::format("{}: exists and is not a folder", folder.string()));
  if (fs::is_empty(folder, error)) return;
  if (!force) {
    throw InputError(folder.string(), ": exists already; force", Hint{"force", "", true},
                     fmt::format(" replaces what an earlier {} wrote", facts.noun));
  }
  if (!json_of_ours(facts, folder).is_null()) return;
  for (const fs::path& file : result_files(kind, folder)) {
    if (!fs::exists(fs::symlink_status(file, error))) continue;
    throw InputError(
        fmt::format("{}: no {} of fathom is beside it; nothing is replaced here", file.string(), facts.noun));
  }
}

void write_report(ResultKind kind, const fs::path& folder, const Report& report, std::vector<ResultFile> files,
                  bool force) {
  check_result_folder(kind, folder, force);  // before the work
  const KindOfResult& facts = facts_of(kind);
  files.push_back({"report.html", html_text(report)});
  std::vector<std::string> names;
  names.reserve(files.size() + 1);
  for (const ResultFile& file : files) names.push_back(file.name);
  names.emplace_back(facts.names.back());
  files.push_back({names.back(), json_text(report, names)});
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw SystemError(fmt::format("{}: cannot be made: {}", folder.string(), error.message()));
  const FolderLock lock(folder);
  check_result_folder(kind, folder, force);  // another result may have come first
  const nlohmann::json old = json_of_ours(facts, folder);
  remove_old(folder / facts.names.back());  // it promises whole files
  for (const std::string_view name : facts.names) {
    if (names_file(old, name) && std::ranges::find(names, name) == names.end()) remove_old(folder / name);
  }
  for (const ResultFile& file : files) write_whole_file(folder / file.name, file.text);
}

}  // namespace fathom
