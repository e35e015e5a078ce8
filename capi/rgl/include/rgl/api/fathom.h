// SPDX-License-Identifier: MIT
/* What RGL cannot do. */
#ifndef RGL_API_FATHOM_H
#define RGL_API_FATHOM_H

#include <rgl/api/core.h>

/* From now on the same calls give the same clouds. Without it, or FATHOM_RGL_SEED in the environment, every process
 * draws noise of its own, as in RGL. */
RGL_API rgl_status_t fathom_rgl_set_seed(uint64_t seed);
/* The version that rgl_get_version_info reports; 0.19.0, or FATHOM_RGL_VERSION. */
RGL_API rgl_status_t fathom_rgl_set_version(int32_t major, int32_t minor, int32_t patch);
/* 0: one per core; 1 to 1024. Only while there are no nodes. Default: FATHOM_RGL_THREADS, or 0. */
RGL_API rgl_status_t fathom_rgl_set_threads(int32_t threads);
/* Whether noise leaves points without a hit alone, instead of making them NaN. Default: FATHOM_RGL_KEEP_MISSES, or
 * false. */
RGL_API rgl_status_t fathom_rgl_set_keep_misses(bool keep);
/* 1: INTENSITY falls off with the square of the distance, as the tests of RGL 0.21 ask; 0: it does not; -1: it does
 * where the version reported is 0.21.0 or later. Default: FATHOM_RGL_INTENSITY_FALLOFF, or -1. */
RGL_API rgl_status_t fathom_rgl_set_intensity_falloff(int32_t falloff);
/* Whether rgl_tape_play waits with each call until the time at which it was recorded, as RGL does, instead of playing
 * the calls one after the other. Default: FATHOM_RGL_TAPES_IN_REAL_TIME, or false. */
RGL_API rgl_status_t fathom_rgl_set_tapes_in_real_time(bool real_time);

#endif
