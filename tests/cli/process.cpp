// SPDX-License-Identifier: MIT
#include "process.hpp"

#include <csignal>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

namespace cli_test {

Ended run_fathom(const Words& arguments) {
  const TemporaryFolder folder;
  return Process(arguments, folder.path()).wait();
}

std::string refusal_of(const Ended& ended) {
  EXPECT_EQ(ended.exit_code, 2) << ended.out << ended.err;
  EXPECT_EQ(count_lines(ended.err), 1U) << ended.err;
  return ended.err;
}

int run_shell(const std::string& command, const std::filesystem::path& folder) {
  const std::string line = "FATHOM='" FATHOM_CLI "'; cd '" + folder.string() + "' && { " + command + "\n}";
  const int status = std::system(line.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

Process::Process(const Words& arguments, const std::filesystem::path& folder, const std::string& stderr_device)
    : folder_(folder) {
  Words words = Words{FATHOM_CLI} + arguments;
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, (folder_ / "stdout").c_str(), kFlags, 0600);
  const std::string err = stderr_device.empty() ? (folder_ / "stderr").string() : stderr_device;
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), kFlags, 0600);
  const int failure = posix_spawn(&pid_, FATHOM_CLI, &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) throw std::runtime_error("cannot start " FATHOM_CLI);
}

bool Process::reap(bool block) {
  if (!ended_) ended_ = waitpid(pid_, &status_, block ? 0 : WNOHANG) == pid_;
  return ended_;
}

bool Process::wait_until(const std::function<bool()>& condition) {
  while (!condition()) {
    if (reap(false)) return condition();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

void Process::send(int signal) const {
  if (!ended_) kill(pid_, signal);
}

bool Process::handles(int signal) const {
  const std::string status = bytes_of("/proc/" + std::to_string(pid_) + "/status");
  const std::size_t at = status.find("\nSigCgt:");
  if (at == std::string::npos) return false;
  const unsigned long long mask = std::strtoull(status.c_str() + at + 8, nullptr, 16);
  return (mask >> (signal - 1) & 1) != 0;
}

Ended Process::wait() {
  reap(true);
  Ended ended;
  if (WIFEXITED(status_)) ended.exit_code = WEXITSTATUS(status_);
  if (WIFSIGNALED(status_)) ended.signal = WTERMSIG(status_);
  ended.out = bytes_of(folder_ / "stdout");
  ended.err = bytes_of(folder_ / "stderr");
  return ended;
}

std::string write_text(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
  return file.string();
}

std::size_t count_lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

std::vector<std::filesystem::path> files_below(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  if (!std::filesystem::exists(folder)) return files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  return files;
}

std::map<std::string, std::string> contents_of(const std::filesystem::path& folder) {
  std::map<std::string, std::string> contents;
  for (const auto& file : files_below(folder)) contents[file.lexically_relative(folder).string()] = bytes_of(file);
  return contents;
}

}  // namespace cli_test
