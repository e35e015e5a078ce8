// SPDX-License-Identifier: MIT
#include "serve.hpp"

#include <cstdio>
#include <string>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "signals.hpp"
#include "streams.hpp"
#include "text.hpp"

namespace fathom_cli {
namespace {

template <class Serve>
void serve_until_stopped(const ServeOptions& options, Serve serve_path) {
  const StopSignals signals(Patience::kASecond);
  fathom::LiveOptions live = options.live;
  live.should_stop = &StopSignals::received;
  live.on_ready = [&options](const std::string& address) {
    print(fmt::format("{}\n", address));
    std::fflush(stdout);
    if (!options.quiet) std::fputs("fathom: serving; end with Ctrl-C\n", stderr);
  };
  serve_path(options.path, live);
  throw fathom::Interrupted("stopped");
}

}  // namespace

void serve(const ServeOptions& options) { serve_until_stopped(options, &fathom::serve_scene); }

void view(const ServeOptions& options) { serve_until_stopped(options, &fathom::serve_written); }

}  // namespace fathom_cli
