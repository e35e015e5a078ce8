// SPDX-License-Identifier: MIT
// The functions of {fmt}, which a shared library would give otherwise: the rooms and this library call them.
#include <fmt/format-inl.h>
