// SPDX-License-Identifier: MIT
// The functions of {fmt}, which a shared library would give otherwise: the rooms and this library call them.
#include <fmt/format-inl.h>

// {fmt} declares these as compiled elsewhere.
template auto fmt::detail::thousands_sep_impl<char>(fmt::detail::locale_ref) -> fmt::detail::thousands_sep_result<char>;
template auto fmt::detail::decimal_point_impl(fmt::detail::locale_ref) -> char;
