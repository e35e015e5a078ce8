/* SPDX-License-Identifier: MIT */
#pragma once
/* The arrays of MuJoCo 3 that the mirror reads, by its names, which the tests fill from answers.json; and what a plugin
   for sensors needs: fields of mjpPlugin as MuJoCo documents them, and functions that plugin_test.cpp defines. */

#include <stdint.h>

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

enum { mjOBJ_SITE = 6, mjOBJ_CAMERA = 7 };
enum { mjSENS_PLUGIN = 44 };
enum { mjSTAGE_NONE, mjSTAGE_POS };
enum { mjPLUGIN_ACTUATOR = 1, mjPLUGIN_SENSOR = 2 };

struct mjModel {
  int nbody, ngeom, nsite, ncam, nmesh, nhfield, nmat;
  int *body_weldid, *geom_type, *geom_bodyid, *geom_dataid, *geom_matid, *geom_group;
  mjtNum* geom_size;
  float* geom_rgba;
  int *site_bodyid, *cam_bodyid;
  mjtNum* cam_fovy;
  int *cam_resolution, *cam_orthographic;
  float *cam_sensorsize, *cam_intrinsic;
  int *mesh_vertadr, *mesh_vertnum, *mesh_faceadr, *mesh_facenum;
  float* mesh_vert;
  int* mesh_face;
  mjtNum* hfield_size;
  int *hfield_nrow, *hfield_ncol, *hfield_adr;
  float *hfield_data, *mat_rgba;
  int *name_bodyadr, *name_geomadr, *name_siteadr, *name_camadr;
  char* names;
  int nsensor;
  int *sensor_type, *sensor_plugin, *sensor_objtype, *sensor_objid, *sensor_adr;
};

struct mjData {
  mjtNum *geom_xpos, *geom_xmat, *site_xpos, *site_xmat, *cam_xpos, *cam_xmat;
  mjtNum time, *sensordata;
  uintptr_t* plugin_data;
};

struct mjpPlugin {
  const char* name;
  int nattribute;
  const char* const* attributes;
  int capabilityflags, needstage;
  int (*nstate)(const mjModel* m, int instance);
  int (*nsensordata)(const mjModel* m, int instance, int sensor_id);
  int (*init)(const mjModel* m, mjData* d, int instance);
  void (*destroy)(mjData* d, int instance);
  void (*reset)(const mjModel* m, mjtNum* plugin_state, void* plugin_data, int instance);
  void (*compute)(const mjModel* m, mjData* d, int instance, int capability_bit);
};

#ifdef __cplusplus
extern "C" {
#endif
void mjp_defaultPlugin(mjpPlugin* plugin);
int mjp_registerPlugin(const mjpPlugin* plugin);
const char* mj_getPluginConfig(const mjModel* m, int instance, const char* attribute);
void mju_error(const char* format, ...);
void mju_warning(const char* format, ...);
#ifdef __cplusplus
}
#endif
