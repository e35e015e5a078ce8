// SPDX-License-Identifier: MIT
#include "signals.hpp"

#include <array>
#include <csignal>
#include <fcntl.h>
#include <string_view>
#include <unistd.h>

namespace fathom_cli {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};
constexpr int kInterruptedCode = 130;

// A handler can reach nothing but a global, and may do nothing but set it and call a few functions of the system.
volatile std::sig_atomic_t stop_received = 0;

void end_now(int /*signal*/) {
  constexpr std::string_view kLine = "fathom: stopped; every file that is there is whole\n";
  static_cast<void>(!::write(STDERR_FILENO, kLine.data(), kLine.size()));
  _exit(kInterruptedCode);
}

void ask_to_stop(int /*signal*/) {
  stop_received = 1;
  alarm(1);
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

void (*handler_of(int signal))(int) {
  struct sigaction action = {};
  sigaction(signal, nullptr, &action);
  return action.sa_handler;
}

}  // namespace

void secure_streams() {
  // open() takes the lowest number that is free. Read only: a write fails as it does on a closed stream.
  int descriptor = open("/dev/null", O_RDONLY);
  while (descriptor >= 0 && descriptor <= STDERR_FILENO) descriptor = open("/dev/null", O_RDONLY);
  if (descriptor >= 0) close(descriptor);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

StopSignals::StopSignals(Patience patience) {
  handle(SIGALRM, end_now);
  for (const int signal : kSignals) {
    // nohup and background jobs ignore some.
    if (handler_of(signal) != SIG_IGN) handle(signal, patience == Patience::kNone ? end_now : ask_to_stop);
  }
}

StopSignals::~StopSignals() {
  alarm(0);
  std::signal(SIGALRM, SIG_DFL);
  for (const int signal : kSignals) {
    const auto handler = handler_of(signal);
    if (handler == ask_to_stop || handler == end_now) std::signal(signal, SIG_DFL);
  }
}

bool StopSignals::received() { return stop_received != 0; }

}  // namespace fathom_cli
