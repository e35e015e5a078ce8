// The command line: parses, calls, and turns exceptions into exit codes. Only this file and *_commands.cpp include
// CLI11, which takes seconds to compile.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <new>
#include <string>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <fathom/error.hpp>
#include <fathom/run.hpp>
#include <fathom/simulator.hpp>

#include "beam_commands.hpp"
#include "calibrate_commands.hpp"
#include "noise.hpp"
#include "sensors.hpp"
#include "simulate.hpp"
#include "text.hpp"

namespace fathom_cli {
namespace {

enum ExitCode { kOk = 0, kSystemFailed = 1, kBadInput = 2, kInterrupted = 130 };

constexpr const char* kAbout =
    R"(fathom: honest noise for range sensors: simulate them, score their readings, learn their parameters)";

constexpr const char* kMainHelp = R"(
Example:
  fathom simulate examples/house/house.yaml --out out/house

`fathom COMMAND --help` tells more. Exit codes: 0 done, 1 the system failed (disk, memory), 2 bad input or usage,
130 interrupted.)";

constexpr const char* kSimulateHelp = R"(
Examples:
  fathom simulate house.yaml --out out/house
  fathom simulate house.yaml --out out/noisy --frames 10 --seed 7 --set sensors.lidar.noise.distance.stddev_m=0.05

Files appear whole or not at all. docs/scene-format.md describes SCENE, docs/output-formats.md what is written.)";

constexpr const char* kNoiseHelp = R"(
Examples:
  fathom noise
  fathom noise distance
  fathom noise --json)";

constexpr const char* kSensorsHelp = R"(
Examples:
  fathom sensors
  fathom sensors OS1-64
  fathom sensors spinning_lidar
  fathom sensors --json)";

void add_simulate(CLI::App& app, SimulateOptions& o) {
  CLI::App& c = *app.add_subcommand("simulate", "Cast the sensors of a scene file and write what they measure");
  c.add_option("SCENE", o.scene, "scene file (YAML)")->required();
  c.add_option("--out", o.out, "folder to make for the results")->required()->type_name("DIR");
  c.add_option("--frames", o.frames, "number of frames, instead of the scene's")
      ->type_name("N")
      ->check(CLI::Range(std::uint32_t{1}, fathom::kMaxFrames));
  c.add_option("--seed", o.seed, "seed of all noise, instead of the scene's")->type_name("S");
  c.add_option("--environment", o.environment, "number of the environment whose parameters are drawn")->type_name("E");
  c.add_option("--episode", o.episode, "number of the episode whose parameters are drawn")->type_name("K");
  c.add_option("--threads", o.threads, "number of threads, 0: one per core; the results do not depend on it")
      ->type_name("T")
      ->check(CLI::Range(0, 1024))
      ->default_val(0);
  c.add_option("--set", o.set, "replace one value of the scene; may be given again")
      ->type_name("PATH=VALUE")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  c.add_flag("--force", o.force, "replace the folder of an earlier run");
  c.add_option("--isa", o.isa, "use at most this instruction set; the noise is the same bits with any")
      ->type_name("ISA")
      ->check(CLI::IsMember({"sse2", "avx2", "avx512"}));
  c.footer(kSimulateHelp);
  c.final_callback([&o] { simulate(o); });
}

void add_noise(CLI::App& app, NoiseOptions& o) {
  CLI::App& c = *app.add_subcommand("noise", "List the noise models and their parameters");
  c.add_option("SLUG", o.slug, "show this model only");
  CLI::Option* json = c.add_flag("--json", o.json, "as JSON");
  c.add_flag("--markdown", o.markdown, "as the page docs/noise.md")->excludes(json);
  c.footer(kNoiseHelp);
  c.final_callback([&o] { list_noise(o); });
}

void add_sensors(CLI::App& app, SensorsOptions& o) {
  CLI::App& c = *app.add_subcommand("sensors", "List the sensor presets and kinds and their parameters");
  c.add_option("NAME", o.name, "show this preset or kind only");
  c.add_flag("--json", o.json, "as JSON");
  c.footer(kSensorsHelp);
  c.final_callback([&o] { list_sensors(o); });
}

/// Runs `command`; tells what was thrown in one line on stderr.
int translate_errors(const std::function<int()>& command) {
  const auto tell = [](ExitCode code, std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    std::fputs(fmt::format("fathom: {}{}\n", code == kInterrupted ? "" : "error: ", text).c_str(), stderr);
    return static_cast<int>(code);
  };
  try {
    return command();
  } catch (const fathom::Interrupted& e) {
    return tell(kInterrupted, e.what());
  } catch (const fathom::InputError& e) {
    return tell(kBadInput, e.what());
  } catch (const std::bad_alloc&) {
    return tell(kSystemFailed, "this does not fit into memory");
  } catch (const std::exception& e) {
    return tell(kSystemFailed, e.what());
  }
}

int parse_and_run(int argc, char** argv) {
  CLI::App app(kAbout, "fathom");
  app.footer(kMainHelp);
  app.set_version_flag("--version", [] { return fmt::format("fathom {}", fathom::versions().fathom); });
  app.require_subcommand(1);
  SimulateOptions simulate_options;
  NoiseOptions noise_options;
  SensorsOptions sensors_options;
  add_simulate(app, simulate_options);
  add_noise(app, noise_options);
  add_sensors(app, sensors_options);
  add_beam_commands(app);
  add_calibrate_commands(app);
  try {
    app.parse(argc, argv);
    return kOk;
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) {  // --help and --version are thrown too
      app.exit(e);
      print("");
      return kOk;
    }
    throw fathom::InputError(std::string(e.what()) + " (see fathom --help)");
  }
}

}  // namespace
}  // namespace fathom_cli

int main(int argc, char** argv) {
  return fathom_cli::translate_errors([&] { return fathom_cli::parse_and_run(argc, argv); });
}
