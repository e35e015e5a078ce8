// SPDX-License-Identifier: MIT
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/live/live.hpp>

#include "commands.hpp"
#include "option_values.hpp"
#include "signals.hpp"
#include "text.hpp"

namespace fathom_cli {
namespace {

constexpr const char* kServeHelp = R"(
Examples:
  fathom serve examples/house/house.yaml
  fathom serve examples/house/house.yaml --out out/saved --paused
      --set sensors.lidar.noise.distance.stddev_m=0.05

A browser shows the page, Lichtblick and Foxglove connect to ws://127.0.0.1:8765. docs/live.md describes both.)";

constexpr const char* kViewHelp = R"(
Examples:
  fathom view drive
  fathom view drive/laser/cloud_000000.pcd

docs/live.md says what is shown of each.)";

/// `fathom serve SCENE ...` and `fathom view PATH ...`
struct ServeOptions {
  std::filesystem::path path;
  fathom::LiveOptions live;
  bool quiet = false;
};

/// Prints the address of the page, and serves it until a signal comes.
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

/// The options of every live page.
void add_live_options(CLI::App& c, ServeOptions& o) {
  constexpr WholeLimits kPorts = {0, 65535};
  add_whole(c, {"--port", "N", "port to serve at; 0: any that is free"}, kPorts, o.live.port);
  c.add_option("--listen", o.live.listen, "number address to listen on: anyone who reaches it may turn the knobs")
      ->type_name("ADDRESS")
      ->capture_default_str();
  add_repeated(c, {"--origin", "ORIGIN", "another page that may connect: https://app.example"}, o.live.origins);
  c.add_flag("--paused", o.live.paused, "begin paused");
  add_quiet(c, o.quiet);
}

}  // namespace

void add_serve(CLI::App& app) {
  const auto o = std::make_shared<ServeOptions>();
  CLI::App& c = *app.add_subcommand("serve", "Simulate a scene file as a live page, whose noise one can turn");
  add_scene_file(c, o->path);
  c.add_option("--out", o->live.out, "folder for what is saved from the page; without it nothing is")->type_name("DIR");
  add_live_options(c, *o);
  add_seed(c, o->live.seed);
  add_threads(c, o->live.compute.threads);
  add_set(c, o->live.overrides);
  c.footer(kServeHelp);
  c.final_callback([o] { serve_until_stopped(*o, &fathom::serve_scene); });
}

void add_view(CLI::App& app) {
  const auto o = std::make_shared<ServeOptions>();
  CLI::App& c = *app.add_subcommand("view", "Show a run or a cloud as a live page");
  c.add_option("PATH", o->path, "folder of a run, or a cloud (PCD, PLY, PointCloud2, NPY)")->required();
  add_live_options(c, *o);
  c.footer(kViewHelp);
  c.final_callback([o] { serve_until_stopped(*o, &fathom::serve_written); });
}

}  // namespace fathom_cli
