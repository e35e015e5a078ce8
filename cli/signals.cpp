#include "signals.hpp"

#include <array>
#include <csignal>

namespace fathom_cli {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

// A handler can reach nothing but a global, and may do nothing but set it.
volatile std::sig_atomic_t stop_received = 0;

void ask_to_stop(int /*signal*/) { stop_received = 1; }

}  // namespace

StopSignals::StopSignals() {
  struct sigaction action = {};
  action.sa_handler = ask_to_stop;
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int signal : kSignals) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);  // nohup and background jobs ignore some
  }
}

StopSignals::~StopSignals() {
  for (const int signal : kSignals) {
    struct sigaction now = {};
    sigaction(signal, nullptr, &now);
    if (now.sa_handler == ask_to_stop) std::signal(signal, SIG_DFL);
  }
}

bool StopSignals::received() { return stop_received != 0; }

}  // namespace fathom_cli
