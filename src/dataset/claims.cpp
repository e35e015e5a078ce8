// SPDX-License-Identifier: MIT
#include "dataset/claims.hpp"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "dataset/pack.hpp"
#include "dataset/shelf.hpp"

namespace fathom {

namespace {

double seconds_of(const struct timespec& time) {
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// The present by the clock of the file system, which all computers that share it see: that of a file made now.
double file_system_now(const std::filesystem::path& probe) {
  const int descriptor = open(probe.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  struct stat state = {};
  const bool known = descriptor >= 0 && futimens(descriptor, nullptr) == 0 && fstat(descriptor, &state) == 0;
  const int reason = errno;
  if (descriptor >= 0) close(descriptor);
  unlink(probe.c_str());
  if (known) return seconds_of(state.st_mtim);
  throw SystemError(fmt::format("{}: cannot be made: {}", probe.string(), std::generic_category().message(reason)));
}

}  // namespace

std::filesystem::path Claims::folder_of(std::uint64_t pack) const { return dataset_ / kClaimsName / numbered(pack); }

bool Claims::is_stale(const std::filesystem::path& claim) const {
  struct stat state = {};
  if (stat(claim.c_str(), &state) != 0) return false;  // released meanwhile; the next round takes it
  const double now = file_system_now(dataset_ / kClaimsName / unfinished_name(0, this));
  // A claim of the future, from before somebody set the clock back, is none that anybody renews.
  return std::abs(now - seconds_of(state.st_mtim)) > stale_s_;
}

bool Claims::take(std::uint64_t pack) {
  const std::filesystem::path claim = folder_of(pack);
  std::error_code error;
  std::filesystem::create_directories(claim.parent_path(), error);
  if (mkdir(claim.c_str(), 0777) == 0) return true;
  if (errno != EEXIST) {
    throw SystemError(fmt::format("{}: cannot be made: {}", claim.string(), std::generic_category().message(errno)));
  }
  if (!is_stale(claim)) return false;
  // Of several who find it stale, one can rename it. A slow one may take the new claim of a quick one away; then both
  // render the pack.
  const std::filesystem::path away = claim.parent_path() / unfinished_name(pack, this);
  if (std::rename(claim.c_str(), away.c_str()) != 0) return false;
  rmdir(away.c_str());
  return mkdir(claim.c_str(), 0777) == 0;
}

void Claims::renew(std::uint64_t pack) const { utimensat(AT_FDCWD, folder_of(pack).c_str(), nullptr, 0); }

void Claims::release(std::uint64_t pack) const { rmdir(folder_of(pack).c_str()); }

}  // namespace fathom
