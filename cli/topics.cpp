// SPDX-License-Identifier: MIT
#include "topics.hpp"

#include <limits>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/base/names.hpp>
#include <fathom/simulate/publish.hpp>

#include "option_values.hpp"
#include "progress.hpp"
#include "signals.hpp"
#include "text.hpp"

namespace fathom_cli {
namespace {

constexpr double kMegabyte = 1e6;
constexpr NumberLimits kRateLimits = {0.001, 1000, "x"};

/// "2x" or "2" as 2, "max" as infinity.
double speed_of(std::string rate) {
  if (rate == "max") return std::numeric_limits<double>::infinity();
  if (rate.size() > 1 && rate.back() == 'x') rate.pop_back();
  return parse_number("--rate", rate, kRateLimits);
}

std::string sent_text(const fathom::PublishResult& result) {
  return fmt::format("{}, {}, {:.1f} MB in {:.1f} s", counted(result.frames, "frame"),
                     counted(result.messages, "message"), static_cast<double>(result.bytes) / kMegabyte,
                     result.seconds);
}

}  // namespace

void publish(const PublishArguments& arguments) {
  const StopSignals signals(Patience::kASecond);
  fathom::PublishOptions options;
  options.domain = arguments.domain;
  options.speed = speed_of(arguments.rate);
  options.sensor_data = arguments.sensor_data;
  options.wait = arguments.wait;
  options.run = run_options(arguments.run);
  options.run.should_stop = &StopSignals::received;
  fathom::PublishResult result;
  {
    TaskDisplay display("publishing", arguments.run.quiet);
    options.on_progress = [&display](const fathom::PublishResult& now) { display.show_text(sent_text(now)); };
    result = fathom::publish_scene(fathom::read_scene_file(arguments.run.scene, arguments.run.set), options);
  }
  if (arguments.run.quiet) return;
  print(fmt::format("{}: cast {:.1f} s, sent {:.1f} s\n", sent_text(result), result.cast_seconds, result.send_seconds));
  if (result.late > 0) {
    print_warnings(std::vector{fmt::format("{} came too late, as casting takes longer than their time; lower --rate",
                                           counted(result.late, "frame"))});
  }
}

}  // namespace fathom_cli
