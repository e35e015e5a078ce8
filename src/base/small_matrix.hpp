// SPDX-License-Identifier: MIT
#pragma once
// Symmetric matrices of a few rows, and their inverses: of a number of rows known when they are made, or when compiled.

#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace fathom {

/// [n, n], row by row.
struct SmallMatrix {
  std::size_t n = 0;
  std::vector<double> values;

  explicit SmallMatrix(std::size_t rows) : n(rows), values(rows * rows, 0.0) {}
  double& operator()(std::size_t i, std::size_t j) { return values[i * n + j]; }
  double operator()(std::size_t i, std::size_t j) const { return values[i * n + j]; }
};

/// [N, N], without an allocation.
template <std::size_t N>
using FixedMatrix = std::array<std::array<double, N>, N>;

/// The inverse of a positive definite matrix, by the factors of Cholesky of the matrix scaled to a unit diagonal. False
/// where a pivot of those is not above `least`: one row is then a sum of others but for that share, the matrix is not
/// positive definite, or not all of it is finite. Reads a(i, j) for j <= i, and calls put(i, j, value). Room to work
/// in: l [n * n], scale [n], x [n].
template <class Get, class Put>
bool invert_positive(std::size_t n, double least, Get a, std::span<double> l, std::span<double> scale,
                     std::span<double> x, Put put) {
  for (std::size_t i = 0; i < n; ++i) {
    if (!(a(i, i) > 0.0) || !std::isfinite(a(i, i))) return false;
    scale[i] = 1.0 / std::sqrt(a(i, i));
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = a(i, j) * scale[i] * scale[j];
      for (std::size_t k = 0; k < j; ++k) sum -= l[i * n + k] * l[j * n + k];
      if (i == j) {
        if (!(sum > least)) return false;
        l[i * n + i] = std::sqrt(sum);
      } else {
        l[i * n + j] = sum / l[j * n + j];
      }
    }
  }
  for (std::size_t c = 0; c < n; ++c) {
    for (std::size_t i = 0; i < n; ++i) {
      double sum = i == c ? 1.0 : 0.0;
      for (std::size_t k = 0; k < i; ++k) sum -= l[i * n + k] * x[k];
      x[i] = sum / l[i * n + i];
    }
    for (std::size_t i = n; i-- > 0;) {
      double sum = x[i];
      for (std::size_t k = i + 1; k < n; ++k) sum -= l[k * n + i] * x[k];
      x[i] = sum / l[i * n + i];
    }
    for (std::size_t i = 0; i < n; ++i) put(i, c, x[i] * scale[i] * scale[c]);
  }
  return true;
}

/// Nothing where invert_positive() refuses.
inline std::optional<SmallMatrix> inverse_of(const SmallMatrix& a, double least = 1e-9) {
  SmallMatrix l(a.n), inverse(a.n);
  std::vector<double> scale(a.n), x(a.n);
  const bool is_there = invert_positive(a.n, least, a, l.values, scale, x,
                                        [&](std::size_t i, std::size_t j, double value) { inverse(i, j) = value; });
  if (!is_there) return std::nullopt;
  return inverse;
}

/// Of the matrix of these rows and columns alone, with 0 in all others; nothing where invert_positive() refuses.
template <std::size_t N>
std::optional<FixedMatrix<N>> inverse_of(const FixedMatrix<N>& a, std::span<const std::size_t> rows,
                                         double least = 0.0) {
  std::array<double, N * N> l;
  std::array<double, N> scale, x;
  FixedMatrix<N> inverse = {};
  const bool is_there = invert_positive(
      rows.size(), least, [&](std::size_t i, std::size_t j) { return a[rows[i]][rows[j]]; }, l, scale, x,
      [&](std::size_t i, std::size_t j, double value) { inverse[rows[i]][rows[j]] = value; });
  if (!is_there) return std::nullopt;
  return inverse;
}

template <std::size_t N>
std::optional<FixedMatrix<N>> inverse_of(const FixedMatrix<N>& a) {
  std::array<std::size_t, N> rows;
  for (std::size_t i = 0; i < N; ++i) rows[i] = i;
  return inverse_of(a, rows);
}

/// The rows of a positive matrix that are no sums of rows before them, but for a share `least` of the square of their
/// pivots, as inverse_of() has them.
inline std::vector<std::size_t> independent_rows(const SmallMatrix& a, double least) {
  std::vector<std::size_t> kept;
  std::vector<std::vector<double>> l;
  std::vector<double> scale;
  for (std::size_t row = 0; row < a.n; ++row) {
    if (!(a(row, row) > 0.0) || !std::isfinite(a(row, row))) continue;
    const double here = 1.0 / std::sqrt(a(row, row));
    std::vector<double> next;
    double pivot = 1.0;
    for (std::size_t j = 0; j < kept.size(); ++j) {
      double sum = a(row, kept[j]) * here * scale[j];
      for (std::size_t k = 0; k < j; ++k) sum -= next[k] * l[j][k];
      next.push_back(sum / l[j][j]);
      pivot -= next[j] * next[j];
    }
    if (!(pivot > least)) continue;
    next.push_back(std::sqrt(pivot));
    kept.push_back(row), l.push_back(std::move(next)), scale.push_back(here);
  }
  return kept;
}

}  // namespace fathom
