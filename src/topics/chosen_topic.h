#pragma once

#include <Eigen/Dense>

#include "core/features.h"
#include "core/rng.h"

namespace buffet {

/// A topic as its weight's conditional sees it: Gamma(gamma + tables, 1 + exposure), where exposure
/// is the summed ell of the documents that have chosen it.
struct ChosenTopic {
  Bits documents;
  double exposure = 0, phi = 0;
  int tables = 0;

  ChosenTopic(Bits documents_, const Eigen::ArrayXd& ell);

  /// log p(tables | gamma), up to a constant, the weight integrated out.
  double log_marginal(double gamma) const;
  /// Not below the least double, so that it has a logarithm.
  void draw_weight(double gamma, Rng& rng);

  /// Log of the expected number of topics with such a weight that just these of M documents have
  /// chosen, over alpha.
  double log_density(double gamma, int documents_in_all) const;
};

}  // namespace buffet
