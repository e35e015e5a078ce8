// SPDX-License-Identifier: MIT
#pragma once
// The rooms pass executors on; the interface itself is public.

#include <fathom/base/executor.hpp>
