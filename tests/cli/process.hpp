// SPDX-License-Identifier: MIT
#pragma once
// Runs the fathom binary and looks at what it leaves; what refusals look like; what was learned; and a room.

#include <sys/types.h>

#include <nlohmann/json.hpp>

#include "support/expect.hpp"

namespace cli_test {

using nlohmann::json;

using Words = std::vector<std::string>;
inline Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// How a process ended.
struct Ended {
  int exit_code = -1;  ///< -1: killed by `signal`
  int signal = 0;
  std::string out, err;
};

/// Runs `fathom arguments...` to its end.
Ended run_fathom(const Words& arguments);

/// The same, and it must be a success.
inline Ended succeed(const Words& arguments) {
  Ended ended = run_fathom(arguments);
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  return ended;
}

/// What a command says that refuses its input, in one line.
std::string refusal_of(const Ended& ended);

/// The exit code of a shell command, in which $FATHOM is the program; it runs in `folder`. 128 + signal: it was killed.
int run_shell(const std::string& command, const std::filesystem::path& folder);

/// A running fathom whose output goes to files in `folder`; stderr elsewhere when `stderr_device` names a device.
class Process {
 public:
  Process(const Words& arguments, const std::filesystem::path& folder, const std::string& stderr_device = {});
  /// Waits until `condition` holds or the process ended; whether the condition held first.
  bool wait_until(const std::function<bool()>& condition);
  void send(int signal) const;
  /// Whether the program has a handler for `signal`.
  [[nodiscard]] bool handles(int signal) const;
  Ended wait();

 private:
  bool reap(bool block);

  pid_t pid_ = -1;
  std::filesystem::path folder_;
  int status_ = 0;
  bool ended_ = false;
};

using fathom::test::bytes_of;
using fathom::test::contains;
using fathom::test::TemporaryFolder;

std::string write_text(const std::filesystem::path& file, const std::string& text);
/// Number of '\n', so that "one line" can be asserted.
std::size_t count_lines(const std::string& text);
/// The regular files below a folder.
std::vector<std::filesystem::path> files_below(const std::filesystem::path& folder);

/// The bytes of each of them, by its path from `folder`.
std::map<std::string, std::string> contents_of(const std::filesystem::path& folder);

/// The text with the first `find` replaced; empty if the text has no `find`.
inline std::string replaced(std::string text, const std::string& find, const std::string& replace) {
  const std::size_t at = text.find(find);
  return at == std::string::npos ? "" : text.replace(at, find.size(), replace);
}

/// `fathom arguments...` ends with exit code 2, nothing on stdout, one line on stderr that holds every one of
/// `expected`, and without `unwritten`.
inline void expect_refused(const std::string& name, const Words& arguments, const Words& expected,
                           const std::filesystem::path& unwritten) {
  const Ended ended = run_fathom(arguments);
  EXPECT_EQ(ended.exit_code, 2) << name << ": " << ended.err << ended.signal;
  EXPECT_EQ(ended.out, "") << name;
  EXPECT_EQ(count_lines(ended.err), 1U) << name << ": " << ended.err;
  EXPECT_EQ(ended.err.rfind("fathom: error: ", 0), 0U) << name << ": " << ended.err;
  for (const std::string& part : expected) {
    EXPECT_TRUE(contains(ended.err, part)) << name << ": '" << part << "' is not in " << ended.err;
  }
  EXPECT_FALSE(std::filesystem::exists(unwritten)) << name;
}

/// The value is within 3.5 errors of the truth, and the error below `most` of it.
inline void expect_learned(const json& fit, const std::string& name, double truth, double most) {
  ASSERT_TRUE(fit["parameters"].contains(name)) << fit["parameters"].dump();
  const json& found = fit["parameters"][name];
  const double error = found["std_error"];
  EXPECT_NEAR(found["value"].get<double>(), truth, 3.5 * error) << name;
  EXPECT_LT(error, most * truth) << name;
}

/// A closed room seen by a VLP-16: every ray hits.
inline std::string room_scene(
    const std::string& outputs = "[{npy: {channels: [range, clean_range]}}, pcd, range_image]") {
  return "scene:\n"
         "  meshes:\n"
         "    room: {box: {size_m: [8, 6, 3]}}\n"
         "  entities:\n"
         "    - {name: room, mesh: room, position_m: [0, 0, 1.5]}\n"
         "sensors:\n"
         "  - name: lidar\n"
         "    preset: VLP-16\n"
         "    position_m: [0, 0, 1]\n"
         "    noise: [{distance: {stddev_m: 0.02}}]\n"
         "    outputs: " +
         outputs +
         "\n"
         "frames: 2\n"
         "seed: 1\n";
}

}  // namespace cli_test
