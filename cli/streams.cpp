// SPDX-License-Identifier: MIT
#include "streams.hpp"

#include <csignal>
#include <fcntl.h>
#include <unistd.h>

namespace fathom_cli {

void secure_streams() {
  // open() takes the lowest number that is free. Read only: a write fails as it does on a closed stream.
  int descriptor = open("/dev/null", O_RDONLY);
  while (descriptor >= 0 && descriptor <= STDERR_FILENO) descriptor = open("/dev/null", O_RDONLY);
  if (descriptor >= 0) close(descriptor);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace fathom_cli
