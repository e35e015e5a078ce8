// SPDX-License-Identifier: MIT
#pragma once
// What is made of each mesh of a list of instances, and kept from list to list.

#include <cstdint>
#include <unordered_map>
#include <vector>

#include <fathom/parts/placed_mesh.hpp>

namespace fathom {

/// Meshes are known by their address, which the caller's list keeps alive.
template <class T>
class KeptByMesh {
 public:
  struct Entry {
    T of;
    std::uint32_t version;
    bool changed = true;  ///< since the last finish()
    bool used = true;     ///< by this list
  };

  /// Takes over a list: calls build(mesh), which returns a T, for each mesh that is new, and renew(mesh, T&) for each
  /// whose version is another. What was made for the list before stays until finish().
  template <class Build, class Renew>
  void update(const std::vector<CastInstance>& instances, Build build, Renew renew) {
    for (auto& [mesh, entry] : entries_) entry.used = false;
    for (const CastInstance& instance : instances) {
      const CastMesh& mesh = *instance.mesh;
      const auto found = entries_.find(&mesh);
      if (found == entries_.end()) {
        entries_.emplace(&mesh, Entry{build(mesh.mesh), mesh.version});
        continue;
      }
      Entry& entry = found->second;
      entry.used = true;
      if (entry.version == mesh.version) continue;
      renew(mesh.mesh, entry.of);
      entry.version = mesh.version, entry.changed = true;
    }
  }

  /// Of a mesh of the list.
  [[nodiscard]] const Entry& at(const CastMesh& mesh) const { return entries_.at(&mesh); }

  /// Forgets meshes that the list does not use; the others no longer count as changed.
  void finish() {
    std::erase_if(entries_, [](const auto& entry) { return !entry.second.used; });
    for (auto& [mesh, entry] : entries_) entry.changed = false;
  }

 private:
  std::unordered_map<const CastMesh*, Entry> entries_;
};

}  // namespace fathom
