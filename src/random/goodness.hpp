#pragma once
// How far a sample is from a law.

#include <span>

namespace fathom {

/// Kolmogorov-Smirnov distance of a sample from the uniform distribution on [0, 1]. Sorts `u` in place. 0 when empty.
double ks_distance_uniform(std::span<double> u);

/// P(D > distance) for n draws of the right law (asymptotic, with Stephens' correction for small n).
double ks_p_value(double distance, std::size_t n);

/// P(X > statistic) for a chi-square law (regularised upper incomplete gamma function).
double chi_square_p_value(double statistic, double degrees);

}  // namespace fathom
