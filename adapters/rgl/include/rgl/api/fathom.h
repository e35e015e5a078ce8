// SPDX-License-Identifier: MIT
/* Functions that RGL does not have. */
#ifndef RGL_API_FATHOM_H
#define RGL_API_FATHOM_H

#include <rgl/api/core.h>

/* After this call the same calls give the same clouds. Without it, and without FATHOM_RGL_SEED in the environment, each
 * process draws different noise, as in RGL. */
RGL_API rgl_status_t fathom_rgl_set_seed(uint64_t seed);
/* The version that rgl_get_version_info reports; 0.19.0, or FATHOM_RGL_VERSION. */
RGL_API rgl_status_t fathom_rgl_set_version(int32_t major, int32_t minor, int32_t patch);
/* 1 to 1024, or 0 for one thread per core. Only while there are no nodes. Default: FATHOM_RGL_THREADS, or 0. */
RGL_API rgl_status_t fathom_rgl_set_threads(int32_t threads);
/* Whether noise keeps points without a hit instead of making them NaN. Default: FATHOM_RGL_KEEP_MISSES, or false. */
RGL_API rgl_status_t fathom_rgl_set_keep_misses(bool keep);
/* 1: INTENSITY falls off with the square of the distance, as tests of RGL 0.21 require; 0: it does not; -1: it does if
 * the reported version is 0.21.0 or later. Default: FATHOM_RGL_INTENSITY_FALLOFF, or -1. */
RGL_API rgl_status_t fathom_rgl_set_intensity_falloff(int32_t falloff);
/* Whether rgl_tape_play keeps the recorded times of calls, as RGL does. Otherwise it plays them without pauses.
 * Default: FATHOM_RGL_TAPES_IN_REAL_TIME, or false. */
RGL_API rgl_status_t fathom_rgl_set_tapes_in_real_time(bool real_time);

#endif
