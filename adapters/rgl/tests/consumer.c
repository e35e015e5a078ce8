// SPDX-License-Identifier: MIT
/* A consumer in C11: it compiles, links and calls. */
#include "layout_checks.h"

int version_seen_from_c(void) {
  int32_t major = -1, minor = -1, patch = -1;
  const rgl_status_t status = rgl_get_version_info(&major, &minor, &patch);
  return status == RGL_SUCCESS ? 10000 * major + 100 * minor + patch : -1;
}
