// SPDX-License-Identifier: MIT
#pragma once
// Symmetric matrices of a few rows, and their inverses.

#include <cmath>
#include <cstddef>
#include <optional>
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

/// The inverse of a positive definite matrix, by Cholesky's factors of the matrix scaled to a unit diagonal; nothing
/// where a pivot of those is below `least`: one row is then a sum of others but for that share.
inline std::optional<SmallMatrix> inverse_of(const SmallMatrix& a, double least = 1e-9) {
  const std::size_t n = a.n;
  std::vector<double> scale(n);
  for (std::size_t i = 0; i < n; ++i) {
    if (!(a(i, i) > 0.0) || !std::isfinite(a(i, i))) return std::nullopt;
    scale[i] = 1.0 / std::sqrt(a(i, i));
  }
  SmallMatrix l(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = a(i, j) * scale[i] * scale[j];
      for (std::size_t k = 0; k < j; ++k) sum -= l(i, k) * l(j, k);
      if (i == j) {
        if (!(sum > least)) return std::nullopt;
        l(i, i) = std::sqrt(sum);
      } else {
        l(i, j) = sum / l(j, j);
      }
    }
  }
  SmallMatrix inverse(n);
  std::vector<double> x(n);
  for (std::size_t c = 0; c < n; ++c) {
    for (std::size_t i = 0; i < n; ++i) {
      double sum = i == c ? 1.0 : 0.0;
      for (std::size_t k = 0; k < i; ++k) sum -= l(i, k) * x[k];
      x[i] = sum / l(i, i);
    }
    for (std::size_t i = n; i-- > 0;) {
      double sum = x[i];
      for (std::size_t k = i + 1; k < n; ++k) sum -= l(k, i) * x[k];
      x[i] = sum / l(i, i);
    }
    for (std::size_t i = 0; i < n; ++i) inverse(i, c) = x[i] * scale[i] * scale[c];
  }
  return inverse;
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
