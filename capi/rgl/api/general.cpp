// SPDX-License-Identifier: MIT
#include <rgl/api/fathom.h>

#include <fathom/base/error.hpp>

#include "library.hpp"
#include "topics/topic_module.hpp"

using namespace rgl;

rgl_status_t rgl_get_version_info(int32_t* out_major, int32_t* out_minor, int32_t* out_patch) {
  return guarded([&](Library& lib) {
    RGL_CHECK(out_major != nullptr);
    RGL_CHECK(out_minor != nullptr);
    RGL_CHECK(out_patch != nullptr);
    *out_major = lib.settings.version[0], *out_minor = lib.settings.version[1], *out_patch = lib.settings.version[2];
    lib.tape.record("rgl_get_version_info", *out_major, *out_minor, *out_patch);
  });
}

rgl_status_t rgl_get_extension_info(rgl_extension_t extension, int32_t* out_available) {
  return guarded([&](Library& lib) {
    RGL_CHECK(extension >= 0);
    RGL_CHECK(extension < RGL_EXTENSION_COUNT);
    RGL_CHECK(out_available != nullptr);
    // Of PCL, two functions are there (pcl.h). Clouds go to topics of ROS 2 where the module lies beside the library.
    *out_available = extension == RGL_EXTENSION_ROS2 && has_topic_module() ? 1 : 0;
    lib.tape.record("rgl_get_extension_info", extension, *out_available);
  });
}

rgl_status_t rgl_configure_logging(rgl_log_level_t log_level, const char* log_file_path, bool use_stdout) {
  return guarded([&](Library& lib) {
    RGL_CHECK(log_level >= RGL_LOG_LEVEL_ALL);
    RGL_CHECK(log_level <= RGL_LOG_LEVEL_OFF);
    const std::string file = log_file_path == nullptr ? "" : log_file_path;
    RGL_CHECK(log_level == RGL_LOG_LEVEL_OFF || !file.empty() || use_stdout);
    lib.log.configure(log_level, file, use_stdout);
    lib.tape.record("rgl_configure_logging", log_level, file, use_stdout);
  });
}

void rgl_get_last_error_string(const char** out_error_string) {
  if (out_error_string != nullptr) *out_error_string = last_error_text();
}

rgl_status_t rgl_cleanup() {
  return guarded([](Library& lib) {
    lib.clean_up();
    lib.tape.record("rgl_cleanup");
  });
}

rgl_status_t fathom_rgl_set_seed(uint64_t seed) {
  return guarded([&](Library& lib) { lib.set_seed(seed); });
}

rgl_status_t fathom_rgl_set_version(int32_t major, int32_t minor, int32_t patch) {
  return guarded([&](Library& lib) {
    RGL_CHECK(major >= 0);
    RGL_CHECK(minor >= 0);
    RGL_CHECK(patch >= 0);
    lib.settings.version = {major, minor, patch};
  });
}

rgl_status_t fathom_rgl_set_threads(int32_t threads) {
  return guarded([&](Library& lib) {
    RGL_CHECK(threads >= 0);
    RGL_CHECK(threads <= 1024);
    lib.set_threads(threads);
  });
}

rgl_status_t fathom_rgl_set_keep_misses(bool keep) {
  return guarded([&](Library& lib) { lib.settings.keep_misses = keep; });
}

rgl_status_t fathom_rgl_set_intensity_falloff(int32_t falloff) {
  return guarded([&](Library& lib) {
    RGL_CHECK(falloff >= -1);
    RGL_CHECK(falloff <= 1);
    lib.settings.intensity_falloff = falloff < 0 ? std::nullopt : std::optional(falloff == 1);
  });
}

rgl_status_t fathom_rgl_set_tapes_in_real_time(bool real_time) {
  return guarded([&](Library& lib) { lib.settings.tapes_in_real_time = real_time; });
}
