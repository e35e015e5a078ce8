// SPDX-License-Identifier: MIT
#include "report/open_logs.hpp"

#include "base/with_prefix.hpp"

namespace fathom {

const ScanLog& OpenLogs::at(std::size_t log) {
  if (log == which_) return *log_;
  log_.reset();  // two large logs would not fit
  which_ = std::numeric_limits<std::size_t>::max();
  log_ = open_(log);
  if (log_->scans() > 0) with_prefix(log_->name, [&] { validate(*log_); });
  which_ = log;
  return *log_;
}

}  // namespace fathom
