#include "random/goodness.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace fathom {

double ks_distance_uniform(std::span<double> u) {
  std::sort(u.begin(), u.end());
  const auto n = static_cast<double>(u.size());
  double distance = 0.0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    const auto rank = static_cast<double>(i);
    distance = std::max({distance, u[i] - rank / n, (rank + 1.0) / n - u[i]});
  }
  return distance;
}

double ks_p_value(double distance, std::size_t n) {
  // Stephens, J. R. Statist. Soc. B 32 (1970); the series is Kolmogorov's.
  const double root = std::sqrt(static_cast<double>(n));
  const double x = (root + 0.12 + 0.11 / root) * distance;
  if (x < 0.2) return 1.0;
  double sum = 0.0;
  for (int k = 1; k <= 100; ++k) sum += (k % 2 == 1 ? 2.0 : -2.0) * std::exp(-2.0 * k * k * x * x);
  return std::clamp(sum, 0.0, 1.0);
}

double chi_square_p_value(double statistic, double degrees) {
  const double a = degrees / 2, x = statistic / 2;
  if (!(x > 0.0)) return 1.0;
  const double scale = std::exp(a * std::log(x) - x - std::lgamma(a));
  if (x < a + 1.0) {  // series of the lower function
    double term = 1.0 / a, sum = term;
    for (int n = 1; n < 10000 && term > sum * 1e-16; ++n) sum += term *= x / (a + n);
    return 1.0 - scale * sum;
  }
  double fraction = 0.0;  // Legendre's continued fraction of the upper one, from its tail
  for (int n = 2000; n >= 1; --n) fraction = n * (n - a) / (x + 2 * n + 1 - a - fraction);
  return scale / (x + 1.0 - a - fraction);
}

}  // namespace fathom
