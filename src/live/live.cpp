// SPDX-License-Identifier: MIT
#include <fathom/live/live.hpp>

#include <memory>
#include <random>

#include <fmt/format.h>

#include <fathom/simulate/simulator.hpp>

#include "live/layout.hpp"
#include "live/live_services.hpp"
#include "live/live_session.hpp"
#include "live/scene_source.hpp"
#include "live/socket/live_server.hpp"
#include "live/written/open_written.hpp"
#include "text/read_file.hpp"

namespace fathom {

namespace {

/// So that a client that comes back knows whether this is the server that it knew.
std::string new_session_id() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

std::string address_of(const LiveOptions& options, std::uint16_t port) {
  const bool is_v6 = options.listen.find(':') != std::string::npos;
  return is_v6 ? fmt::format("http://[{}]:{}/", options.listen, port)
               : fmt::format("http://{}:{}/", options.listen, port);
}

void serve_source(LiveSource& source, const LiveOptions& options) {
  std::unique_ptr<Exchange> exchange;
  LiveServer server(
      {.address = options.listen, .port = options.port, .origins = options.origins, .layout = [&exchange] {
         return layout_text(exchange->topics());
       }});
  exchange = std::make_unique<Exchange>(new_session_id(), std::string(versions().fathom), kLiveServices,
                                        [&server] { server.wake(); });
  LiveSession session(source, *exchange, options.paused);
  server.start(*exchange);
  if (options.on_ready) options.on_ready(address_of(options, server.port()));
  session.run(options.should_stop ? options.should_stop : [] { return false; });
  server.stop();
}

}  // namespace

void serve_scene(const std::filesystem::path& file, const LiveOptions& options) {
  within_memory(
      file,
      [&] {
        SceneSource source(file, options);
        serve_source(source, options);
      },
      "the scene does not fit into memory");
}

void serve_written(const std::filesystem::path& path, const LiveOptions& options) {
  within_memory(path, [&] {
    const std::unique_ptr<LiveSource> source = open_written(path);
    serve_source(*source, options);
  });
}

}  // namespace fathom
