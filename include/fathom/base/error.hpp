// SPDX-License-Identifier: MIT
#pragma once
// The exceptions that fathom throws. Nothing in the library prints or exits; a face (the command line, a binding)
// translates.

#include <stdexcept>
#include <string_view>

#include <fathom/base/export.hpp>

namespace fathom {

/// Base of everything thrown on purpose. `what()` is one line that names what is wrong, where, and the limit.
class FATHOM_API Error : public std::runtime_error {
 public:
  /// A message may quote a file or an argument and be shown by a terminal. So line ends and tabs become blanks, control
  /// characters and bytes that are not UTF-8 become "\x1b", invisible and bidirectional ones "\u202e", and the middle
  /// of a message of more than 900 bytes is left out.
  explicit Error(std::string_view message);
  ~Error() override;
};

/// A value, key or file that the caller can mend: out of range, wrong type, missing, truncated, not understood.
class FATHOM_API InputError : public Error {
 public:
  using Error::Error;
  ~InputError() override;
};

/// The operating system refused to read or write: disk full, permission, memory.
class FATHOM_API SystemError : public Error {
 public:
  using Error::Error;
  ~SystemError() override;
};

/// The caller asked to stop (see RunOptions::should_stop); what was already written is whole.
class FATHOM_API Interrupted : public Error {
 public:
  using Error::Error;
  ~Interrupted() override;
};

}  // namespace fathom
