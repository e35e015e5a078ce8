// SPDX-License-Identifier: MIT
#include "io/world/sdf/sdf_preparation.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>
#include <sdf/sdf_config.h>

#include <fathom/core/error.hpp>

#include "core/text.hpp"
#include "core/text/files.hpp"
#include "core/text/text_lines.hpp"
#include "io/mesh/read_mesh.hpp"

namespace fathom {

namespace {

[[noreturn]] void fail_memory_file() {
  throw SystemError(fmt::format("cannot keep an included file in memory: {}", std::generic_category().message(errno)));
}

}  // namespace

MemoryFile::MemoryFile(std::string_view text) : descriptor_(memfd_create("fathom-sdf", MFD_CLOEXEC)) {
  if (descriptor_ < 0) fail_memory_file();
  while (!text.empty()) {
    const ssize_t written = write(descriptor_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      close(descriptor_);
      fail_memory_file();
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

MemoryFile::~MemoryFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

namespace {

constexpr std::size_t kMostIncludeDepth = 64;
constexpr std::size_t kMostIncludedFiles = 512;  // all are open while libsdformat reads
constexpr std::size_t kMostModelCopies = 10000;

constexpr std::array<std::string_view, 2> kSdfOfRoot = {"world", "model"};
constexpr std::array<std::string_view, 3> kSdfOfWorld = {"model", "include", "frame"};
constexpr std::array<std::string_view, 10> kSdfSilentOfWorld = {
    "physics", "gravity", "magnetic_field", "atmosphere", "gui",
    "scene",   "light",   "audio",          "wind",       "spherical_coordinates"};
constexpr std::array<std::string_view, 8> kSdfOfModel = {"link",  "joint",   "frame",  "pose",
                                                         "model", "include", "static", "origin"};
constexpr std::array<std::string_view, 4> kSdfSilentOfModel = {"self_collide", "allow_auto_disable", "enable_wind",
                                                               "light"};
constexpr std::array<std::string_view, 3> kSdfOfVisibleLink = {"pose", "origin", "visual"},
                                          kSdfOfSolidLink = {"pose", "origin", "collision"};
constexpr std::array<std::string_view, 10> kSdfSilentOfLink = {
    "inertial",       "gravity",           "kinematic", "self_collide", "enable_wind",
    "velocity_decay", "must_be_base_link", "light",     "collision",    "visual"};
constexpr std::array<std::string_view, 10> kSdfOfJoint = {
    "parent",       "child", "pose", "origin", "axis", "axis2", "frame", "thread_pitch", "gearbox_reference_body",
    "gearbox_ratio"};
constexpr std::array<std::string_view, 2> kSdfSilentOfJoint = {"physics", "screw_thread_pitch"};
constexpr std::array<std::string_view, 3> kSdfOfAxis = {"xyz", "limit", "use_parent_model_frame"};
constexpr std::array<std::string_view, 1> kSdfSilentOfAxis = {"dynamics"};
constexpr std::array<std::string_view, 3> kSdfOfShape = {"pose", "origin", "geometry"};
constexpr std::array<std::string_view, 8> kSdfSilentOfShape = {
    "material", "surface", "cast_shadows", "max_contacts", "meta", "visibility_flags", "lod", "contact"};
constexpr std::array<std::string_view, 5> kSdfOfInclude = {"uri", "name", "pose", "static", "placement_frame"};
constexpr std::array<std::string_view, 3> kSdfOfHeights = {"uri", "size", "pos"};
constexpr std::array<std::string_view, 4> kSdfSilentOfHeights = {"texture", "blend", "sampling", "use_terrain_paging"};
constexpr std::array<std::string_view, 8> kSdfShapes = {"box",       "sphere", "cylinder", "capsule",
                                                        "ellipsoid", "plane",  "mesh",     "heightmap"};

std::string trimmed_text(pugi::xml_node element) { return std::string(trim(text_of(element))); }

/// "1.10" as {1, 10}.
std::pair<int, int> version_of(std::string_view text) {
  const std::size_t dot = text.find('.');
  const auto number = [](std::string_view part) { return parse_number<int>(part).value_or(0); };
  return {number(text.substr(0, dot)), dot == std::string_view::npos ? 0 : number(text.substr(dot + 1))};
}

std::pair<int, int> version_of(pugi::xml_node element) { return version_of(element.attribute("version").value()); }

}  // namespace

void SdfPreparation::prepare(XmlDocument& document, const std::filesystem::path& file) {
  static_cast<void>(prepare_file(document, file));
}

const SdfPreparation::Included* SdfPreparation::find_included(pugi::xml_node include) const {
  const std::string path = trimmed_text(include.child("uri"));
  const auto found = std::find_if(included_.begin(), included_.end(),
                                  [&](const auto& entry) { return entry.second.text.path() == path; });
  return found == included_.end() ? nullptr : &found->second;
}

std::size_t SdfPreparation::copies_of(pugi::xml_node include) const {
  const Included* const file = find_included(include);
  return file == nullptr ? 1 : file->copies;
}

std::string SdfPreparation::name_of(pugi::xml_node include) const {
  if (const pugi::xml_node name = include.child("name")) return trimmed_text(name);
  const Included* const file = find_included(include);
  return file == nullptr ? std::string() : file->name;
}

std::size_t SdfPreparation::prepare_file(XmlDocument& document, const std::filesystem::path& file) {
  chain_.push_back(std::filesystem::weakly_canonical(file));
  Place place{document, file};
  prune(document.root(), {kSdfOfRoot, {}}, place.not_read);
  const std::string_view version = document.root().attribute("version").value();
  if (version_of(version) > version_of(SDF_PROTOCOL_VERSION)) {
    place.not_read.add(fmt::format("what is new in SDF {} since {}", version, SDF_PROTOCOL_VERSION));
  }
  for (const pugi::xml_node world : document.root().children("world")) prepare_world(place, world);
  for (const pugi::xml_node model : document.root().children("model")) prepare_model(place, model);
  if (auto note = place.not_read.note(file)) notes_.push_back(std::move(*note));
  chain_.pop_back();
  return place.copies;
}

void SdfPreparation::prepare_world(Place& place, pugi::xml_node world) {
  prune(world, {kSdfOfWorld, kSdfSilentOfWorld}, place.not_read);
  for (const pugi::xml_node model : world.children("model")) prepare_model(place, model);
  for (const pugi::xml_node include : world.children("include")) prepare_include(place, include);
}

/// Models hold models. XmlDocument has limited the depth.
void SdfPreparation::prepare_model(Place& place, pugi::xml_node model) {
  add_copies(place, model, 1);
  prune(model, {kSdfOfModel, kSdfSilentOfModel}, place.not_read);
  for (const pugi::xml_node link : model.children("link")) prepare_link(place, link);
  for (const pugi::xml_node joint : model.children("joint")) {
    prune(joint, {kSdfOfJoint, kSdfSilentOfJoint}, place.not_read);
    for (const pugi::xml_node axis : joint.children("axis"))
      prune(axis, {kSdfOfAxis, kSdfSilentOfAxis}, place.not_read);
  }
  for (const pugi::xml_node include : model.children("include")) prepare_include(place, include);
  for (const pugi::xml_node nested : model.children("model")) prepare_model(place, nested);
}

void SdfPreparation::prepare_link(Place& place, pugi::xml_node link) {
  const bool visual = files_.geometry() == RobotFileOptions::Geometry::kVisual;
  files_.count_other(!link.child(visual ? "collision" : "visual").child("geometry").empty());
  prune(link, {visual ? kSdfOfVisibleLink : kSdfOfSolidLink, kSdfSilentOfLink}, place.not_read);
  for (pugi::xml_node shape = link.first_child(); !shape.empty();) {
    const pugi::xml_node next = shape.next_sibling();
    const std::string_view name = shape.name();
    if ((name == "visual" || name == "collision") && !prepare_shape(place, link, shape)) link.remove_child(shape);
    shape = next;
  }
}

/// Whether fathom can make the shape.
bool SdfPreparation::prepare_shape(Place& place, pugi::xml_node link, pugi::xml_node shape) {
  prune(shape, {kSdfOfShape, kSdfSilentOfShape}, place.not_read);
  for (const pugi::xml_node element : shape.child("geometry").children()) {
    if (element.type() != pugi::node_element) continue;
    const std::string_view word = element.name();
    if (word == "empty") return false;
    if (std::find(kSdfShapes.begin(), kSdfShapes.end(), word) == kSdfShapes.end()) {
      place.not_read.add(fmt::format("shape <{}> of {}", word, described(link)));
      return false;
    }
    if (word == "mesh") return prepare_mesh(place, link, element);
    if (word == "heightmap") return prepare_heights(place, link, element);
  }
  return true;
}

bool SdfPreparation::prepare_mesh(Place& place, pugi::xml_node link, pugi::xml_node mesh) {
  const pugi::xml_node uri = mesh.child("uri");
  const std::string name = trimmed_text(uri);
  if (!mesh.child("submesh").empty() || !is_mesh_name(name)) {
    place.not_read.add(
        fmt::format("{}mesh {} of {}", mesh.child("submesh").empty() ? "" : "a part of ", name, described(link)));
    return false;
  }
  const auto found = find_shape(place.document, uri, name, files_, place.file);
  if (found) mesh.child("uri").text().set(found->c_str());
  return found.has_value();
}

bool SdfPreparation::prepare_heights(Place& place, pugi::xml_node link, pugi::xml_node heights) {
  prune(heights, {kSdfOfHeights, kSdfSilentOfHeights}, place.not_read);
  const std::string name = trimmed_text(heights.child("uri"));
  const std::string extension = lower_case(std::filesystem::path(name).extension().string());
  if (extension != ".png" && extension != ".pgm") {
    place.not_read.add(fmt::format("height map {} of {}", name, described(link)));
    return false;
  }
  const auto found = find_shape(place.document, heights.child("uri"), name, files_, place.file);
  if (found) heights.child("uri").text().set(found->c_str());
  return found.has_value();
}

void SdfPreparation::prepare_include(Place& place, pugi::xml_node include) {
  prune(include, {kSdfOfInclude, {}}, place.not_read);
  const pugi::xml_node uri = include.child("uri");
  if (uri.empty()) place.document.fail(include, "has no <uri>");
  const Included& file = included(place, uri);
  include.child("uri").text().set(file.text.path().c_str());
  add_copies(place, include, file.copies);
}

void SdfPreparation::add_copies(Place& place, pugi::xml_node element, std::size_t copies) {
  place.copies += copies;
  if (place.copies <= kMostModelCopies) return;
  place.document.fail(element, fmt::format("with its includes the file makes more than {} models", kMostModelCopies));
}

const SdfPreparation::Included& SdfPreparation::included(const Place& place, pugi::xml_node uri) {
  std::filesystem::path file = find_named(place.document, uri, trimmed_text(uri), files_, place.file);
  if (std::filesystem::is_directory(file)) {
    std::filesystem::path& model = models_[file];
    if (model.empty()) model = model_file(file);
    const std::array<std::filesystem::path, 1> folders = {file};
    if (!confined(model, folders)) {
      place.document.fail(uri, fmt::format("its model.config leads out of {}", file.string()));
    }
    file = model;
  }
  const std::filesystem::path key = std::filesystem::weakly_canonical(file);
  if (const auto known = included_.find(key); known != included_.end()) return known->second;
  if (std::find(chain_.begin(), chain_.end(), key) != chain_.end()) {
    place.document.fail(uri, fmt::format("the file includes itself, through {}", place.file.string()));
  }
  if (chain_.size() >= kMostIncludeDepth || included_.size() >= kMostIncludedFiles) {
    place.document.fail(uri, fmt::format("files include each other more than {} deep, or there are more than {}",
                                         kMostIncludeDepth, kMostIncludedFiles));
  }
  const std::string bytes = files_.read(file);
  XmlDocument document(bytes, file.string());
  if (std::string_view(document.root().name()) != "sdf") {
    document.fail(document.root(), fmt::format("is no SDF, which {} includes", place.file.string()));
  }
  const std::size_t copies = prepare_file(document, file);
  Included entry{MemoryFile(xml_text(document.root())), file, copies,
                 document.root().child("model").attribute("name").value()};
  return included_.emplace(key, std::move(entry)).first->second;
}

/// The newest SDF that model.config offers.
std::filesystem::path SdfPreparation::model_file(const std::filesystem::path& folder) {
  const std::filesystem::path config = folder / "model.config";
  if (!std::filesystem::exists(config)) return folder / "model.sdf";
  const std::string bytes = files_.read(config);
  const XmlDocument document(bytes, config.string());
  pugi::xml_node newest;
  for (const pugi::xml_node sdf : document.root().children("sdf")) {
    if (newest.empty() || version_of(sdf) > version_of(newest)) newest = sdf;
  }
  if (newest.empty()) document.fail(document.root(), "names no <sdf>");
  return folder / trimmed_text(newest);
}

std::string SdfPreparation::with_names(std::string text) const {
  for (const auto& [key, entry] : included_) {
    const std::string path = entry.text.path();
    for (std::size_t at = text.find(path); at != std::string::npos; at = text.find(path, at)) {
      const std::size_t end = at + path.size();
      if (end < text.size() && text[end] >= '0' && text[end] <= '9') {  // a longer number
        at = end;
        continue;
      }
      text.replace(at, path.size(), entry.file.string());
      at += entry.file.string().size();
    }
  }
  return text;
}

}  // namespace fathom
