// SPDX-License-Identifier: MIT
#pragma once

namespace fathom_cli {

/// To be called first. Makes sure that no file opened later becomes stdin, stdout or stderr where one of them is closed
/// (writing to it still fails), and that writing to a pipe without a reader, or a file at the limit of its size, fails
/// with an error in place of a signal.
void secure_streams();

}  // namespace fathom_cli
