// SPDX-License-Identifier: MIT
#pragma once
// The program topic_judge, running.

#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "support/temporary_folder.hpp"

namespace topic_test {

/// A domain that tests of other processes hardly take at the same time.
inline std::uint32_t any_domain() { return 20 + static_cast<std::uint32_t>(getpid()) % 200; }

/// Runs topic_judge; killed when it goes out of scope.
class Judge {
 public:
  explicit Judge(std::vector<std::string> arguments) {
#ifdef FATHOM_TOPIC_JUDGE
    arguments.insert(arguments.begin(), FATHOM_TOPIC_JUDGE);
#endif
    std::vector<char*> words;
    for (std::string& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    const std::string out = file().string();
    pid_ = fork();
    if (pid_ != 0) return;
    dup2(open(out.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600), STDOUT_FILENO);
    execv(words[0], words.data());
    _exit(127);
  }
  ~Judge() { kill(); }
  Judge(const Judge&) = delete;
  Judge& operator=(const Judge&) = delete;

  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  /// What it has said.
  [[nodiscard]] std::vector<std::string> lines() const {
    std::ifstream in(file());
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }
  /// Whether it said a line that begins so.
  [[nodiscard]] std::string line_of(const std::string& begin) const {
    for (const std::string& line : lines()) {
      if (line.starts_with(begin)) return line;
    }
    return {};
  }
  [[nodiscard]] std::size_t count(const std::string& begin) const {
    std::size_t count = 0;
    for (const std::string& line : lines()) count += line.starts_with(begin) ? 1 : 0;
    return count;
  }

 private:
  [[nodiscard]] std::filesystem::path file() const { return folder_.path() / "said"; }

  fathom::test::TemporaryFolder folder_;
  pid_t pid_ = -1;
};

/// Tries again until it holds. A minute is for a machine under load; nothing is said of how long it took.
inline bool wait_until(const std::function<bool()>& holds) {
  for (int i = 0; i < 3000; ++i) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

}  // namespace topic_test
