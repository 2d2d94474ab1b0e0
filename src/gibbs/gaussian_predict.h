#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <utility>
#include <vector>

#include "core/draws.h"
#include "core/features.h"
#include "core/fitted.h"
#include "core/normal_vector.h"
#include "core/rng.h"
#include "gaussian/gaussian_collapsed.h"
#include "gaussian/gaussian_nonnegative.h"
#include "loadings_posterior.h"
#include "new_row.h"
#include "regression/gaussian_column_noise.h"

namespace buffet {

/// The observed entries of a new row in columns whose loadings have the same m: x | z ~ N(z mu,
/// sigma_x^2 (1 + t)), t = z m z', with squared distance r from the mean.
class NewRowPart {
 public:
  NewRowPart(const LoadingsPosterior& loadings, int pattern, std::vector<int> columns,
             const Eigen::VectorXd& x)
      : columns_(std::move(columns)), m_(loadings.of_pattern(pattern)) {
    Eigen::MatrixXd mu(columns_.size(), loadings.mu.cols());
    Eigen::VectorXd seen(columns_.size());
    for (std::size_t n = 0; n < columns_.size(); ++n) {
      mu.row(n) = loadings.mu.row(columns_[n]);
      seen(n) = x(columns_[n]);
    }
    g_.noalias() = mu.transpose() * mu;
    c_.noalias() = mu.transpose() * seen;
    square_ = seen.squaredNorm();
    density_ = {double(columns_.size()), loadings.variance, loadings.rho};
  }

  /// Recomputes everything for the current features.
  void settle(const Eigen::VectorXd& z) {
    u_ = m_ * z;
    h_ = g_ * z;
    at_ = {std::max(0.0, z.dot(u_)), std::max(0.0, square_ - 2 * z.dot(c_) + z.dot(h_))};
  }

  /// The gain in log density from adding feature k (by = 1) or dropping it (by = -1), given the
  /// number of singletons; flip() applies it.
  double gain(int k, double by, int own) const {
    return density(flipped(k, by), own) - density(at_, own);
  }
  void flip(int k, double by) {
    at_ = flipped(k, by);
    u_ += by * m_.col(k);
    h_ += by * g_.col(k);
  }

  double density(int own) const { return density(at_, own); }
  double most_gain(int j) const { return density_.most_gain(at_, j); }
  const std::vector<int>& columns() const { return columns_; }

 private:
  double density(RowPosition at, int own) const {
    return density_({at.t + own / density_.rho, at.r});
  }
  RowPosition flipped(int k, double by) const {
    return {std::max(0.0, at_.t + 2 * by * u_(k) + m_(k, k)),
            std::max(0.0, at_.r + 2 * by * (h_(k) - c_(k)) + g_(k, k))};
  }

  std::vector<int> columns_;
  const Eigen::MatrixXd& m_;
  Eigen::MatrixXd g_;
  Eigen::VectorXd c_, u_, h_;
  double square_;
  RowDensity density_{0, 1, 1};
  RowPosition at_{0, 0};
};

/// The features of a row that is not in the data, given one draw of a fit, by Gibbs sampling with
/// all loadings integrated out. NaN marks missing entries.
class NewRow {
 public:
  NewRow(const LoadingsPosterior& loadings, const Eigen::VectorXd& x)
      : loadings_(loadings), x_(x), z_(Eigen::VectorXd::Zero(loadings.mu.cols())) {
    std::vector<std::vector<int>> seen(loadings.patterns());
    for (int d = 0; d < x.size(); ++d)
      if (!std::isnan(x(d))) seen[loadings.pattern_of(d)].push_back(d);
    for (int pattern = 0; pattern < loadings.patterns(); ++pattern)
      if (!seen[pattern].empty())
        parts_.emplace_back(loadings, pattern, std::move(seen[pattern]), x);
  }

  /// One pass over the bits, each drawn by a rule; log_odds(k) are the prior log odds.
  template <class LogOdds, class Rule>
  void sweep(LogOdds log_odds, Rule rule, Rng& rng) {
    enter();  // removes accumulated rounding errors
    rng.permutation(static_cast<int>(z_.size()), order_);
    for (int k : order_) set(k, rule(log_odds(k) + log_ratio(k)), rng);
  }

  static constexpr bool ratios_add_up = true;
  void enter() {
    for (NewRowPart& part : parts_) part.settle(z_);
  }
  double log_ratio(int k) const {
    const double by = step(k);
    double sum = 0;
    for (const NewRowPart& part : parts_) sum += part.gain(k, by, own_);
    return by * sum;
  }
  void set(int k, bool on, Rng&) {
    if ((z_(k) > 0) == on) return;
    const double by = step(k);
    for (NewRowPart& part : parts_) part.flip(k, by);
    z_(k) += by;
  }

  /// Draws the number of the row's singletons.
  template <class LogPriorRatio>
  void draw_own(LogPriorRatio log_prior_ratio, Rng& rng) {
    own_ = draw_own_count(log_prior_ratio, OwnOfParts{parts_}, rng);
  }

  /// E[z A | x, z]: an observed entry is also informative about the loadings.
  Eigen::VectorXd mean() const {
    Eigen::VectorXd mean = loadings_.mu * z_;
    const Eigen::VectorXd spreads = this->spreads();
    for (const NewRowPart& part : parts_)
      for (int d : part.columns()) mean(d) += weight(spreads, d) * (x_(d) - mean(d));
    return mean;
  }

  /// A draw of z A given x and z, and of the row's entries.
  DrawnRow draw(Rng& rng) const {
    const double sd = std::sqrt(loadings_.variance);
    const Eigen::VectorXd spreads = this->spreads();
    DrawnRow drawn{mean(), {}};
    for (int d = 0; d < x_.size(); ++d) {
      const double left = std::isnan(x_(d)) ? 1 : 1 - weight(spreads, d);
      drawn.mean(d) += sd * std::sqrt(spreads(loadings_.pattern_of(d)) * left) * rng.normal();
    }
    drawn.data = drawn.mean + normal_vector(x_.size(), sd, rng);
    return drawn;
  }

  Eigen::VectorXd bits(int) const { return z_; }

 private:
  struct OwnOfParts {
    const std::vector<NewRowPart>& parts;

    double operator()(int own) const {
      double sum = 0;
      for (const NewRowPart& part : parts) sum += part.density(own);
      return sum;
    }
    double most_gain(int j) const {
      double sum = 0;
      for (const NewRowPart& part : parts) sum += part.most_gain(j);
      return sum;
    }
    int most_own() const { return RowDensity::too_many; }
  };

  double step(int k) const { return z_(k) > 0 ? -1.0 : 1.0; }
  /// Variances of z A in units of the noise, for every pattern of missing entries.
  Eigen::VectorXd spreads() const {
    Eigen::VectorXd spreads(loadings_.patterns());
    for (int pattern = 0; pattern < spreads.size(); ++pattern)
      spreads(pattern) =
          std::max(0.0, z_.dot(loadings_.of_pattern(pattern) * z_)) + own_ / loadings_.rho;
    return spreads;
  }
  double weight(const Eigen::VectorXd& spreads, int d) const {
    const double t = spreads(loadings_.pattern_of(d));
    return t / (1 + t);
  }

  const LoadingsPosterior& loadings_;
  const Eigen::VectorXd& x_;
  Eigen::VectorXd z_;
  std::vector<NewRowPart> parts_;
  int own_ = 0;
  std::vector<int> order_;
};

/// Sets the loadings and standard deviations of a likelihood to a draw's.
inline void take_over(const LoadingsPosterior& given, GaussianNonnegative& likelihood) {
  likelihood.set_precisions(1 / given.variance, given.rho / given.variance);
  likelihood.set_loadings(given.mu);
}
inline void take_over(const LoadingsPosterior& given, GaussianColumnNoise& likelihood) {
  likelihood.set_precisions(given.variances.inverse().eval(), given.rho / given.variance);
  likelihood.set_weights(given.mu);
}

/// D x K.
inline const Eigen::MatrixXd& loadings_in(const GaussianNonnegative& likelihood) {
  return likelihood.loadings();
}
inline Eigen::MatrixXd loadings_in(const GaussianColumnNoise& likelihood) {
  return likelihood.weights();
}

/// A row that is not in the data, given known loadings.
template <class Likelihood>
class NewGaussianRow : public KnownNewRow<GaussianData, Likelihood> {
  using Base = KnownNewRow<GaussianData, Likelihood>;

 public:
  NewGaussianRow(const LoadingsPosterior& loadings, const Eigen::VectorXd& x)
      : Base(GaussianData(Base::both(x), false), Precisions{},
             static_cast<int>(loadings.mu.cols())),
        loadings_of_data_(loadings) {
    take_over(loadings, this->likelihood_);
  }

  /// z A in the current state.
  Eigen::VectorXd mean() const {
    const Features& z = this->z_;
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(this->data_.width());
    const auto& a = loadings_in(this->likelihood_);
    for (int k = 0; k < z.size(); ++k)
      if (z.at(1, k)) sum += a.col(k);
    return sum;
  }

  /// z A in the current state, and a draw of the row's entries.
  DrawnRow draw(Rng& rng) const {
    DrawnRow drawn{mean(), {}};
    drawn.data = drawn.mean;
    for (int d = 0; d < drawn.data.size(); ++d)
      drawn.data(d) += std::sqrt(loadings_of_data_.variance_of(d)) * rng.normal();
    return drawn;
  }

 private:
  const LoadingsPosterior& loadings_of_data_;
};

}  // namespace buffet
