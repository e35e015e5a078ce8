// SPDX-License-Identifier: MIT
#pragma once
// The programs topic_judge and fathom, running.

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <list>
#include <random>
#include <span>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <type_traits>
#include <unistd.h>
#include <utility>
#include <vector>

#include "support/temporary_folder.hpp"

namespace topic_test {

/// A domain that tests of other processes hardly take at the same time.
inline std::uint32_t any_domain() { return 20 + static_cast<std::uint32_t>(getpid()) % 200; }

/// A running program; killed when it goes out of scope.
class Program {
 public:
  explicit Program(std::vector<std::string> command) {
    std::vector<char*> words;
    for (std::string& word : command) words.push_back(word.data());
    words.push_back(nullptr);
    const std::string out = file().string();
    pid_ = fork();
    if (pid_ != 0) return;
    dup2(open(out.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600), STDOUT_FILENO);
    execv(words[0], words.data());
    _exit(127);
  }
  ~Program() { kill(); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  /// Sends SIGINT; returns the exit code, or -1 if a signal killed it.
  int interrupt() {
    ::kill(pid_, SIGINT);
    int status = 0;
    waitpid(std::exchange(pid_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  /// Its output so far.
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

/// Runs topic_judge.
class Judge : public Program {
 public:
  explicit Judge(std::vector<std::string> arguments) : Program(command_of(std::move(arguments))) {}

 private:
  static std::vector<std::string> command_of(std::vector<std::string> arguments) {
#ifdef FATHOM_TOPIC_JUDGE
    arguments.insert(arguments.begin(), FATHOM_TOPIC_JUDGE);
#endif
    return arguments;
  }
};

/// Tries again until it holds. A minute is for a machine under load; nothing is said of how long it took.
inline bool wait_until(const std::function<bool()>& holds) {
  for (int i = 0; i < 3000; ++i) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

// Messages filled with anything, and as the text that topic_judge makes of them.

/// Fills every field with draws; numbers of lengths that the message checks are set by the test.
class Filler {
 public:
  explicit Filler(unsigned seed) : engine_(seed) {}
  template <class... T>
  void operator()(T&... values) {
    (fill(values), ...);
  }

 private:
  std::uint32_t draw(std::uint32_t below) { return static_cast<std::uint32_t>(engine_() % below); }
  template <class T>
  void fill(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      value = draw(2) == 1;
    } else if constexpr (std::is_arithmetic_v<T>) {
      value = static_cast<T>(draw(2000)) / static_cast<T>(std::is_floating_point_v<T> ? 7 : 17);
    } else {
      T::fields(value, *this);
    }
  }
  void fill(std::string& text) { text.assign(draw(9), static_cast<char>('a' + draw(26))); }
  template <class T, std::size_t kSize>
  void fill(std::array<T, kSize>& values) {
    for (T& value : values) fill(value);
  }
  template <class T>
  void fill(std::vector<T>& values) {
    values.resize(draw(std::is_arithmetic_v<T> ? 90 : 5));
    for (T& value : values) fill(value);
  }
  void fill(std::span<const std::byte>& values) {
    std::vector<std::byte>& bytes = bytes_.emplace_back(1 + draw(200'000));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(draw(256));
    values = bytes;
  }

  std::mt19937 engine_;
  std::list<std::vector<std::byte>> bytes_;
};

class Teller {
 public:
  template <class... T>
  void operator()(const T&... values) {
    (tell(values), ...);
  }
  std::string text;

 private:
  static constexpr std::size_t kToldOneByOne = 32;
  void number(double value) {
    std::array<char, 40> buffer = {};
    std::snprintf(buffer.data(), buffer.size(), " %.17g", value);
    text += buffer.data();
  }
  template <class T>
  void tell(const T& value) {
    if constexpr (std::is_arithmetic_v<T>) {
      number(static_cast<double>(value));
    } else {
      T::fields(value, *this);
    }
  }
  void tell(const std::string& value) { text += " '" + value + "'"; }
  template <class T, std::size_t kSize>
  void tell(const std::array<T, kSize>& values) {
    for (const T& value : values) tell(value);
  }
  template <class T>
  void tell(const std::vector<T>& values) {
    text += " #" + std::to_string(values.size());
    if constexpr (std::is_arithmetic_v<T>) {
      if (values.size() > kToldOneByOne) return sum(values);
    }
    for (const T& value : values) tell(value);
  }
  void tell(std::span<const std::byte> values) {
    std::vector<std::uint8_t> numbers;
    for (const std::byte value : values) numbers.push_back(static_cast<std::uint8_t>(value));
    tell(numbers);
  }
  template <class T>
  void sum(const std::vector<T>& values) {
    double all = 0;
    for (const T value : values) all += static_cast<double>(value);
    number(all);
  }
};

template <class Message>
std::string text_of(const Message& message) {
  Teller teller;
  Message::fields(message, teller);
  return teller.text;
}

}  // namespace topic_test
