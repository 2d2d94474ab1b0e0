#pragma once

#include <Eigen/Dense>
#include <vector>

#include "core/archive.h"
#include "core/special.h"
#include "point/factor/loadings_factor.h"

namespace buffet {

/// A Beta(on, off) factor.
struct BetaFactor {
  double on = 1, off = 1;

  double mean_log() const { return digamma(on) - digamma(on + off); }
  double mean_log_complement() const { return digamma(off) - digamma(on + off); }
  double entropy() const;

  void archive(Archive& a) {
    a(on);
    a(off);
  }
};

/// q(pi) of the finite model, pi_k ~ Beta(alpha c / K, c), as independent Betas (Doshi-Velez et al.
/// 2009 section 3.2), and q(alpha). No row has the features beyond the given counts.
class FiniteProbabilities {
 public:
  struct Spec {
    Hyper alpha;
    double concentration = 1;  ///< 1 if alpha is learned
    int features = 1;          ///< K
  };

  FiniteProbabilities(int rows, const Spec& spec);

  int most_features() const { return spec_.features; }
  const GammaFactor& alpha() const { return alpha_; }
  const std::vector<BetaFactor>& factors() const { return pi_; }
  /// E log pi_k, and E log (1 - pi_k) or a bound on it.
  double log_on(int k) const { return mean_log_(k); }
  double log_off(int k) const { return mean_log_complement_(k); }

  /// Sets the optimal factors given the expected number of rows with each feature.
  void update(const Eigen::VectorXd& counts);

  /// E log p(Z, pi, alpha) plus the entropies of pi and alpha.
  double bound(const Eigen::VectorXd& counts) const;

  void archive(Archive& a) {
    a(alpha_);
    for (BetaFactor& pi : pi_) a(pi);
    if (a.reads()) tabulate();
  }

 private:
  double share() const { return alpha_.mean() * spec_.concentration / spec_.features; }

  /// Expected log density of pi_k.
  double log_prior(int k) const;

  void tabulate();

  int rows_;
  Spec spec_;
  GammaFactor alpha_;
  std::vector<BetaFactor> pi_;
  Eigen::VectorXd mean_log_, mean_log_complement_;
};

/// q(v) of the first K sticks, pi_k = v_1 ... v_k, v_k ~ Beta(alpha, 1), as independent Betas, and
/// q(alpha). E log (1 - pi_k) is replaced by the multinomial bound with optimal weights q_k(y)
/// (Doshi-Velez et al. 2009 section 3.3).
class StickProbabilities {
 public:
  struct Spec {
    Hyper alpha;
    int features = 1;  ///< K
  };

  StickProbabilities(int rows, const Spec& spec);

  int most_features() const { return size(); }
  const GammaFactor& alpha() const { return alpha_; }
  const std::vector<BetaFactor>& factors() const { return v_; }
  double log_on(int k) const { return log_on_(k); }
  double log_off(int k) const { return log_off_(k); }

  /// Improves the factors given the expected number of rows with each feature.
  void update(const Eigen::VectorXd& of_features);

  /// E log p(Z, v, alpha), with the multinomial bound, plus the entropies of v and alpha.
  double bound(const Eigen::VectorXd& of_features) const;

  void archive(Archive& a) {
    a(alpha_);
    for (BetaFactor& v : v_) a(v);
    if (a.reads()) tabulate();
  }

 private:
  int size() const { return static_cast<int>(v_.size()); }

  /// Pads the counts with zeros for features that no row has.
  Eigen::VectorXd of_all(Eigen::VectorXd counts) const;

  /// E log pi_k, the weights, and the log of their normalising sum: if v_y is the first stick that
  /// breaks, E log (1 - v_y) + sum_{m < y} E log v_m.
  void tabulate();

  int rows_;
  GammaFactor alpha_;
  std::vector<BetaFactor> v_;
  Eigen::VectorXd log_on_, log_off_;
  Eigen::MatrixXd weights_;  ///< q_k(y): row k, column y
};

}  // namespace buffet
