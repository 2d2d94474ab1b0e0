#pragma once

#include <algorithm>
#include <vector>

#include "draws.h"

namespace buffet {

/// Inner product of Z Z' and Y Y', which count the features that two rows share.
inline double shared_norm(const Features& z, const Features& y) {
  double sum = 0;
  for (int k = 0; k < z.size(); ++k)
    for (int l = 0; l < y.size(); ++l) {
      const double n = z.column(k).count_shared(y.column(l));
      sum += n * n;
    }
  return sum;
}

/// Inner product of the centred Z Z' and Y Y', whose columns are less their means: it is the same
/// for the complement of a feature.
inline double centred_norm(const Features& z, const Features& y) {
  double sum = 0;
  for (int k = 0; k < z.size(); ++k)
    for (int l = 0; l < y.size(); ++l) {
      const double mean = double(z.count(k)) * y.count(l) / std::max(1, z.rows());
      const double n = z.column(k).count_shared(y.column(l)) - mean;
      sum += n * n;
    }
  return sum;
}

/// The draw among `candidates` with the least sum of squared distances |Z Z' - Y Y'|^2 to the
/// others, by an inner product of Z Z' and Y Y': order and labels do not matter.
template <class InnerProduct>
int medoid(const Draws& draws, const std::vector<int>& candidates, InnerProduct product) {
  const int n = static_cast<int>(candidates.size());
  std::vector<Features> z;
  for (int draw : candidates) z.push_back(draws[draw]);
  std::vector<double> sum(n, 0), norm(n);
  for (int a = 0; a < n; ++a) {
    norm[a] = product(z[a], z[a]);
    for (int b = 0; b < a; ++b) {
      const double shared = product(z[a], z[b]);
      sum[a] -= 2 * shared;
      sum[b] -= 2 * shared;
    }
  }
  int best = 0;
  const auto cost = [&](int a) { return sum[a] + (n - 2) * norm[a]; };
  for (int a = 1; a < n; ++a)
    if (cost(a) < cost(best)) best = a;
  return candidates[best];
}

}  // namespace buffet
