/* SPDX-License-Identifier: MIT */
#pragma once
/* The arrays of MuJoCo 3 that the mirror reads, by its names; the tests fill them from answers.json. */

#define mjVERSION_HEADER 338

typedef double mjtNum;
enum {
  mjGEOM_PLANE,
  mjGEOM_HFIELD,
  mjGEOM_SPHERE,
  mjGEOM_CAPSULE,
  mjGEOM_ELLIPSOID,
  mjGEOM_CYLINDER,
  mjGEOM_BOX,
  mjGEOM_MESH
};

struct mjModel {
  int nbody, ngeom, nsite, ncam, nmesh, nhfield, nmat;
  int *body_weldid, *geom_type, *geom_bodyid, *geom_dataid, *geom_matid, *geom_group;
  mjtNum* geom_size;
  float* geom_rgba;
  int *site_bodyid, *cam_bodyid;
  mjtNum* cam_fovy;
  int* cam_resolution;
  float *cam_sensorsize, *cam_intrinsic;
  int *mesh_vertadr, *mesh_vertnum, *mesh_faceadr, *mesh_facenum;
  float* mesh_vert;
  int* mesh_face;
  mjtNum* hfield_size;
  int *hfield_nrow, *hfield_ncol, *hfield_adr;
  float *hfield_data, *mat_rgba;
  int *name_bodyadr, *name_geomadr, *name_siteadr, *name_camadr;
  char* names;
};

struct mjData {
  mjtNum *geom_xpos, *geom_xmat, *site_xpos, *site_xmat, *cam_xpos, *cam_xmat;
};
