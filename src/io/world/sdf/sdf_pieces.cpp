// SPDX-License-Identifier: MIT
#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/text/text_lines.hpp"
#include "io/world/robot_files.hpp"
#include "io/world/sdf/sdf_preparation.hpp"

namespace fathom {

namespace {

bool is(pugi::xml_node element, std::string_view word) { return element.name() == word; }

/// The first part of a name such as model::link.
std::string outermost(std::string_view name) { return std::string(name.substr(0, name.find("::"))); }

std::size_t count_models(pugi::xml_node model, const SdfPreparation& preparation) {
  std::size_t count = 1;
  for (const pugi::xml_node child : model.children("model")) count += count_models(child, preparation);
  for (const pugi::xml_node child : model.children("include")) count += preparation.copies_of(child);
  return count;
}

/// The models of a world, grouped by the names in their poses.
class WorldCut {
 public:
  /// `first`: the place of the world's first model.
  WorldCut(const XmlDocument& document, pugi::xml_node world, const SdfPreparation& preparation, std::size_t first)
      : document_(document), world_(world), preparation_(preparation), first_(first) {
    for (const pugi::xml_node child : world.children()) {
      if (is(child, "frame")) frames_.emplace(child.attribute("name").value(), child);
      if (is(child, "model")) add(child, child.attribute("name").value());
      if (is(child, "include")) add(child, preparation.name_of(child));
    }
    leader_.resize(models_.size());
    std::iota(leader_.begin(), leader_.end(), std::size_t{0});
    for (std::size_t i = 0; i < models_.size(); ++i) {
      for (const std::string& name : named_by(models_[i])) reach(i, name);
    }
  }

  [[nodiscard]] std::size_t models() const { return models_.size(); }

  void append_pieces(const std::string& scope, std::vector<SdfPiece>& pieces) {
    std::map<std::size_t, std::vector<std::size_t>> together;  // by the first model of each group
    for (std::size_t i = 0; i < models_.size(); ++i) together[leader_of(i)].push_back(i);
    std::vector<std::size_t> places;  // of the next piece
    std::size_t count = 0;            // of models in it
    for (const auto& [first, group] : together) {
      const std::size_t more = count_together(group);
      if (!places.empty() && count + more > kUsualModelsTogether) {
        pieces.push_back(piece(places, scope));
        places.clear(), count = 0;
      }
      places.insert(places.end(), group.begin(), group.end()), count += more;
    }
    pieces.push_back(piece(places, scope));  // even without models: libsdformat then reports errors of the world
  }

 private:
  void add(pugi::xml_node model, const std::string& name) {
    if (!index_.emplace(name, models_.size()).second) {
      document_.fail(model, fmt::format("the world has two models called '{}'", name));
    }
    models_.push_back(model);
    frames_of_.emplace_back();
  }

  /// The names that an element's pose is relative to or a frame is attached to.
  static std::vector<std::string> named_by(pugi::xml_node element) {
    std::vector<std::string> names;
    for (const char* const name :
         {element.child("pose").attribute("relative_to").value(), element.attribute("attached_to").value()}) {
      if (*name != '\0') names.push_back(outermost(name));
    }
    return names;
  }

  /// Records that model i needs the model or frame of this name, and the names that the frame needs in turn.
  void reach(std::size_t i, const std::string& name) {
    std::vector<std::string> open = {name};
    while (!open.empty()) {
      const std::string next = std::move(open.back());
      open.pop_back();
      if (const auto model = index_.find(next); model != index_.end()) join(i, model->second);
      const auto frame = frames_.find(next);
      if (frame == frames_.end() || !frames_of_[i].insert(next).second) continue;
      for (std::string& further : named_by(frame->second)) open.push_back(std::move(further));
    }
  }

  std::size_t leader_of(std::size_t i) {
    while (leader_[i] != i) i = leader_[i] = leader_[leader_[i]];
    return i;
  }

  void join(std::size_t i, std::size_t j) {
    const std::size_t a = leader_of(i), b = leader_of(j);
    leader_[std::max(a, b)] = std::min(a, b);
  }

  /// The number of models in a group, with nested and included ones.
  [[nodiscard]] std::size_t count_together(const std::vector<std::size_t>& group) const {
    std::size_t count = 0;
    for (const std::size_t i : group) {
      count += is(models_[i], "include") ? preparation_.copies_of(models_[i]) : count_models(models_[i], preparation_);
    }
    if (count <= kMostModelsTogether) return count;
    document_.fail(models_[group.front()],
                   fmt::format("{} models belong together, by nesting or as their poses name each other; more than {} "
                               "are not read",
                               count, kMostModelsTogether));
  }

  SdfPiece piece(const std::vector<std::size_t>& places, const std::string& scope) const {
    std::set<std::string> frames;
    pugi::xml_document made;
    pugi::xml_node sdf = made.append_child("sdf"), world = sdf.append_child("world");
    for (const pugi::xml_attribute of_sdf : document_.root().attributes()) sdf.append_copy(of_sdf);
    for (const pugi::xml_attribute of_world : world_.attributes()) world.append_copy(of_world);
    for (const std::size_t i : places) {
      frames.insert(frames_of_[i].begin(), frames_of_[i].end());
      world.append_copy(models_[i]);
    }
    for (const std::string& name : frames) world.append_copy(frames_.at(name));
    SdfPiece made_piece{xml_text(sdf), scope, places};
    for (std::size_t& place : made_piece.places) place += first_;
    return made_piece;
  }

  const XmlDocument& document_;
  pugi::xml_node world_;
  const SdfPreparation& preparation_;
  std::size_t first_;
  std::map<std::string, pugi::xml_node> frames_;
  std::map<std::string, std::size_t> index_;
  std::vector<pugi::xml_node> models_;            // with includes
  std::vector<std::set<std::string>> frames_of_;  // [models]: the frames that they need
  std::vector<std::size_t> leader_;               // [models]: an earlier model of the same group, or itself
};

/// The file without its worlds.
SdfPiece piece_of_models(const XmlDocument& document, const SdfPreparation& preparation) {
  pugi::xml_document made;
  pugi::xml_node sdf = made.append_copy(document.root());
  while (sdf.remove_child("world")) continue;
  for (const pugi::xml_node model : document.root().children("model")) {
    const std::size_t count = count_models(model, preparation);
    if (count <= kMostModelsTogether) continue;
    document.fail(model, fmt::format("{} models are nested; more than {} are not read", count, kMostModelsTogether));
  }
  return {xml_text(sdf), "", {}};
}

}  // namespace

std::vector<SdfPiece> cut_sdf(const XmlDocument& document, const SdfPreparation& preparation) {
  std::vector<SdfPiece> pieces;
  std::size_t first = 0;
  const auto worlds = document.root().children("world");
  const auto count = std::distance(worlds.begin(), worlds.end());
  for (const pugi::xml_node world : worlds) {
    const std::string name = world.attribute("name").value();
    WorldCut cut(document, world, preparation, first);
    cut.append_pieces(count > 1 ? name + "::" : "", pieces);
    first += cut.models();
  }
  if (count == 0 || !document.root().child("model").empty()) pieces.push_back(piece_of_models(document, preparation));
  return pieces;
}

}  // namespace fathom
