#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/resize.h"
#include "gaussian/gaussian_loadings.h"
#include "gaussian/gaussian_row.h"
#include "row_chain.h"

namespace buffet {

/// Exchanges a singleton of a row for a feature that the row shares with others, or vice versa. A
/// singleton with nonnegative loadings can mimic a shared feature that the row lacks, and then
/// neither of the two can change on its own. The loadings of the singleton are integrated out.
class OwnExchange {
 public:
  /// a: loadings of the shared features (D x K), of which the bits of `free` may change; left: the
  /// row's statistics for one more feature.
  OwnExchange(const NonnegativeLoadings& law, const Eigen::MatrixXd& a,
              const std::vector<int>& free, LoadingSums left)
      : law_(law), a_(a), free_(free), left_(std::move(left)) {}

  /// own: loadings of the row's singletons, which are updated along with row i of chain.z.
  template <class LogPriorRatio>
  void move(int i, Eigen::MatrixXd& own, LogPriorRatio log_prior_ratio, RowChain& chain) {
    const auto size = static_cast<int>(own.cols());
    if (chain.rng.bernoulli(0.5)) {
      if (size > 0) try_death(i, own, log_prior_ratio(size - 1), chain);
    } else {
      try_birth(i, own, log_prior_ratio(size), chain);
    }
  }

 private:
  /// Replaces a singleton by a shared feature, which is drawn according to how well it fits.
  void try_death(int i, Eigen::MatrixXd& own, double log_ratio, RowChain& chain) {
    const int n = chain.rng.below(static_cast<int>(own.cols()));
    left_.rest += left_.observed * own.col(n).array();
    weigh(i, chain);
    if (off_.empty()) return;
    std::vector<double> weights = gains_;
    const int at = draw_index(weights, chain.rng);
    const double log_accept = log_total_ - log_ratio - law_.log_evidence(left_) -
                              std::log(double(free_.size() - off_.size() + 1));
    if (!(std::log(chain.rng.uniform()) < log_accept)) return;
    flip(i, off_[at], chain);
    drop_column(own, n);
  }

  /// The reverse move: replaces a shared feature by a singleton.
  void try_birth(int i, Eigen::MatrixXd& own, double log_ratio, RowChain& chain) {
    std::vector<int> on;
    for (int k : free_)
      if (chain.likelihood.is_on(k)) on.push_back(k);
    if (on.empty()) return;
    const int k = on[chain.rng.below(static_cast<int>(on.size()))];
    left_.rest += left_.observed * a_.col(k).array();
    const double log_uniform = std::log(chain.rng.uniform());
    const double log_birth = log_ratio + law_.log_evidence(left_) + std::log(double(on.size()));
    // The total is at least the gain from feature k.
    if (!(log_uniform < log_birth - gain(i, k, chain))) return;
    flip(i, k, chain);
    weigh(i, chain);
    if (log_uniform < log_birth - log_total_)
      append_column(own, law_.draw(left_, chain.rng));
    else
      flip(i, k, chain);
  }

  /// The log posterior ratio of adding feature k to the features of the row.
  double gain(int i, int k, const RowChain& chain) const {
    const Eigen::ArrayXd loading = left_.observed * a_.col(k).array();
    return chain.prior.log_odds(chain.z, i, k) +
           (loading * (left_.rest - 0.5 * loading)).sum() / law_.variance;
  }
  /// Lists the features that are off, and their gains.
  void weigh(int i, const RowChain& chain) {
    off_.clear();
    gains_.clear();
    for (int k : free_) {
      if (chain.likelihood.is_on(k)) continue;
      off_.push_back(k);
      gains_.push_back(gain(i, k, chain));
    }
    if (off_.empty()) return;
    const double largest = *std::max_element(gains_.begin(), gains_.end());
    double total = 0;
    for (double g : gains_) total += std::exp(g - largest);
    log_total_ = largest + std::log(total);
  }

  NonnegativeLoadings law_;
  const Eigen::MatrixXd& a_;
  const std::vector<int>& free_;
  LoadingSums left_;
  std::vector<int> off_;
  std::vector<double> gains_;
  double log_total_ = 0;
};

}  // namespace buffet
