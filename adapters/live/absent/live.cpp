// SPDX-License-Identifier: MIT
// A build without the live page.

#include <fathom/live/live.hpp>

#include <fathom/core/error.hpp>

namespace fathom {

namespace {

[[noreturn]] void refuse() {
  throw InputError("the live page is not in this build of fathom: build it with -DFATHOM_LIVE=ON");
}

}  // namespace

void serve_scene(const std::filesystem::path& /*file*/, const LiveOptions& /*options*/) { refuse(); }
void serve_given(GivenFile /*given*/, const LiveOptions& /*options*/) { refuse(); }
void serve_written(const std::filesystem::path& /*path*/, const LiveOptions& /*options*/) { refuse(); }

}  // namespace fathom
