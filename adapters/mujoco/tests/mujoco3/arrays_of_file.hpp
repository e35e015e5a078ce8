// SPDX-License-Identifier: MIT
#pragma once
// Models of MuJoCo 3.3.8 as arrays, and what that MuJoCo said of them: answers.json, which make_answers.mjs writes.

#include <deque>

#include <mujoco/mujoco.h>
#include <nlohmann/json.hpp>

#include "support/expect.hpp"

namespace fathom::test {

using Json = nlohmann::json;

inline const Json& answers() {
  static const Json json = Json::parse(std::ifstream(FATHOM_SOURCE_DIR "/adapters/mujoco/tests/mujoco3/answers.json"));
  return json;
}

/// A model and its data over arrays of a file.
class ArraysOfFile {
 public:
  explicit ArraysOfFile(const Json& json) {
    for (const auto& [name, count] : {std::pair{"nbody", &model.nbody},
                                      {"ngeom", &model.ngeom},
                                      {"nsite", &model.nsite},
                                      {"ncam", &model.ncam},
                                      {"nmesh", &model.nmesh},
                                      {"nhfield", &model.nhfield},
                                      {"nmat", &model.nmat}}) {
      *count = json.at(name).get<int>();
    }
    for (const auto& [name, array] : {std::pair{"body_weldid", &model.body_weldid},
                                      {"geom_type", &model.geom_type},
                                      {"geom_bodyid", &model.geom_bodyid},
                                      {"geom_dataid", &model.geom_dataid},
                                      {"geom_matid", &model.geom_matid},
                                      {"geom_group", &model.geom_group},
                                      {"site_bodyid", &model.site_bodyid},
                                      {"cam_bodyid", &model.cam_bodyid},
                                      {"cam_resolution", &model.cam_resolution},
                                      {"mesh_vertadr", &model.mesh_vertadr},
                                      {"mesh_vertnum", &model.mesh_vertnum},
                                      {"mesh_faceadr", &model.mesh_faceadr},
                                      {"mesh_facenum", &model.mesh_facenum},
                                      {"mesh_face", &model.mesh_face},
                                      {"hfield_nrow", &model.hfield_nrow},
                                      {"hfield_ncol", &model.hfield_ncol},
                                      {"hfield_adr", &model.hfield_adr},
                                      {"name_bodyadr", &model.name_bodyadr},
                                      {"name_geomadr", &model.name_geomadr},
                                      {"name_siteadr", &model.name_siteadr},
                                      {"name_camadr", &model.name_camadr}}) {
      *array = ints_.emplace_back(json.at(name).get<std::vector<int>>()).data();
    }
    model.cam_orthographic = ints_.emplace_back(static_cast<std::size_t>(model.ncam), 0).data();
    for (const auto& [name, array] : {std::pair{"geom_rgba", &model.geom_rgba},
                                      {"cam_sensorsize", &model.cam_sensorsize},
                                      {"cam_intrinsic", &model.cam_intrinsic},
                                      {"mesh_vert", &model.mesh_vert},
                                      {"hfield_data", &model.hfield_data},
                                      {"mat_rgba", &model.mat_rgba}}) {
      *array = floats_.emplace_back(json.at(name).get<std::vector<float>>()).data();
    }
    for (const auto& [name, array] : {std::pair{"geom_size", &model.geom_size},
                                      {"cam_fovy", &model.cam_fovy},
                                      {"hfield_size", &model.hfield_size},
                                      {"geom_xpos", &data.geom_xpos},
                                      {"geom_xmat", &data.geom_xmat},
                                      {"site_xpos", &data.site_xpos},
                                      {"site_xmat", &data.site_xmat},
                                      {"cam_xpos", &data.cam_xpos},
                                      {"cam_xmat", &data.cam_xmat}}) {
      *array = doubles_.emplace_back(json.at(name).get<std::vector<double>>()).data();
    }
    const auto codes = json.at("names").get<std::vector<int>>();
    for (const int code : codes) names_.push_back(static_cast<char>(code));
    model.names = names_.data();
  }

  mjModel model = {};
  mjData data = {};

 private:
  std::deque<std::vector<int>> ints_;
  std::deque<std::vector<float>> floats_;
  std::deque<std::vector<double>> doubles_;
  std::vector<char> names_;
};

}  // namespace fathom::test
