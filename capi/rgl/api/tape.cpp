// SPDX-License-Identifier: MIT
#include <rgl/api/extensions/tape.h>

#include "library.hpp"
#include "tape/player.hpp"

using namespace rgl;

rgl_status_t rgl_tape_record_begin(const char* path) {
  return guarded([&](Library& lib) {
    RGL_CHECK(path != nullptr);
    RGL_CHECK(path[0] != '\0');
    const auto& v = lib.settings.version;
    lib.tape.begin(path, {v[0], v[1], v[2]});
  });
}

rgl_status_t rgl_tape_record_end() {
  return guarded([](Library& lib) { lib.tape.end(); });
}

rgl_status_t rgl_tape_record_is_active(bool* is_active) {
  return guarded([&](Library& lib) {
    RGL_CHECK(is_active != nullptr);
    *is_active = lib.tape.is_active();
  });
}

rgl_status_t rgl_tape_play(const char* path) {
  bool in_real_time = false;
  const rgl_status_t status = guarded([&](Library& lib) {
    RGL_CHECK(path != nullptr);
    RGL_CHECK(path[0] != '\0');
    if (lib.tape.is_active()) fail(RGL_TAPE_ERROR, "Tape error: a tape cannot be played while one is recorded");
    in_real_time = lib.settings.tapes_in_real_time;
  });
  if (status != RGL_SUCCESS) return status;
  try {
    play_tape(path, in_real_time);  // without the lock: it calls the functions that take it
    return succeed();
  } catch (...) {
    return remember(std::current_exception());
  }
}
