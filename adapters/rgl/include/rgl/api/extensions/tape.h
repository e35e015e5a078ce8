// SPDX-License-Identifier: MIT
/* Recording calls to a file and playing them again. A tape is two files: path.yaml names the calls, path.bin holds
 * their arrays. */
#ifndef RGL_API_EXTENSIONS_TAPE_H
#define RGL_API_EXTENSIONS_TAPE_H

#include <rgl/api/core.h>

RGL_API rgl_status_t rgl_tape_record_begin(const char* path);
RGL_API rgl_status_t rgl_tape_record_end(void);
RGL_API rgl_status_t rgl_tape_record_is_active(bool* is_active);
/* Plays a whole tape; what it makes stays until rgl_cleanup. */
RGL_API rgl_status_t rgl_tape_play(const char* path);

#endif
