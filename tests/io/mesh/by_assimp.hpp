// SPDX-License-Identifier: MIT
#pragma once
// Another reader of meshes.

#include <assimp/Importer.hpp>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include "io/mesh/mesh_files.hpp"

namespace fathom::test {

/// What Assimp makes of the text: the corners of its triangles.
inline Corners read_by_assimp(const std::string& text, const char* extension) {
  Assimp::Importer importer;
  importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, true);
  const aiScene* scene = importer.ReadFileFromMemory(text.data(), text.size(),
                                                     aiProcess_Triangulate | aiProcess_PreTransformVertices, extension);
  Corners all;
  if (scene == nullptr) return all;
  for (unsigned m = 0; m < scene->mNumMeshes; ++m) {
    const aiMesh& mesh = *scene->mMeshes[m];
    for (unsigned f = 0; f < mesh.mNumFaces; ++f) {
      for (unsigned k = 0; k < 3; ++k) {
        const aiVector3D v = mesh.mVertices[mesh.mFaces[f].mIndices[k]];
        all.push_back({v.x, v.y, v.z});
      }
    }
  }
  return all;
}

}  // namespace fathom::test
