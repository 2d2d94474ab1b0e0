#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/archive.h"
#include "core/features.h"
#include "core/hyper.h"
#include "core/rng.h"
#include "core/slice.h"
#include "gaussian_data.h"
#include "gaussian_moments.h"

namespace buffet {

/// The precisions 1/sigma_x^2 and 1/sigma_a^2.
struct Precisions {
  Hyper x, a;

  double sigma_x() const { return 1 / std::sqrt(x.value); }
  double sigma_a() const { return 1 / std::sqrt(a.value); }

  void archive(Archive& archive) {
    archive(x.value);
    archive(a.value);
  }
};

/// C = V diag(values) V' and squares_k = |(V'P')_k|^2, with which the collapsed likelihood costs
/// O(K) for any precisions. With more features than rows, the N eigenvalues of ZZ' are used
/// instead.
struct Spectrum {
  Eigen::VectorXd values, squares;
  double total;

  explicit Spectrum(const GaussianStatistics& s) : total(s.total) {
    if (s.c.size() == 0) return;
    const auto v = decompose(s.c);
    squares = (s.p * v).colwise().squaredNorm();
  }
  Spectrum(const Features& z, const GaussianStatistics& s, const Completed& x) : total(s.total) {
    if (z.size() <= z.rows()) {
      *this = Spectrum(s);
      return;
    }
    const auto v = decompose(shared_features(z));
    squares = x.product(v).colwise().squaredNorm().transpose().cwiseProduct(values);
  }

 private:
  /// Sets the values; returns the vectors.
  Eigen::MatrixXd decompose(const Eigen::MatrixXd& m) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(m);
    values = eigen.eigenvalues().cwiseMax(0.0);
    return eigen.eigenvectors();
  }

  /// ZZ'.
  static Eigen::MatrixXd shared_features(const Features& z) {
    Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(z.rows(), z.size());
    for (int k = 0; k < z.size(); ++k) z.column(k).for_each([&](int i) { dense(i, k) = 1; });
    return dense * dense.transpose();
  }
};

/// A sum of squares of `count` normal variables.
struct SumOfSquares {
  double sum, count;
};

/// The size of the data, which does not depend on Z.
struct DataSize {
  double rows, columns, root_mean_square;

  template <class Data>
  static DataSize of(const Data& data, double columns) {
    return {double(data.rows()), columns, data.root_mean_square()};
  }
};

/// The two standard deviations of the collapsed model, and the log likelihood as a function of
/// them.
class GaussianScales {
 public:
  GaussianScales(const DataSize& size, Precisions precisions) : size_(size), tau_(precisions) {
    set();
  }

  double variance() const { return variance_; }  ///< noise variance, which is not below the floor
  double rho() const { return rho_; }            ///< variance / sigma_a^2
  double sigma_x() const { return tau_.sigma_x(); }
  double sigma_a() const { return tau_.sigma_a(); }
  const Precisions& precisions() const { return tau_; }

  void set_precisions(double x, double a) {
    tau_.x.value = x;
    tau_.a.value = a;
    set();
  }

  /// Draws the learned precisions given the noise of the entries and N(0, sigma_a^2) loadings.
  /// Values out of range are rejected.
  void draw_given(const SumOfSquares& noise, const SumOfSquares& loadings, Rng& rng) {
    draw_given(tau_.x, noise, rng);
    draw_given(tau_.a, loadings, rng);
  }

  void archive(Archive& a) {
    a(tau_);
    a(floor_);
    set();
  }

  /// Learned precisions start at the data's root mean square, or as near to it as the other
  /// precision permits.
  void restart() {
    const double rms = size_.root_mean_square, tau = rms > 0 ? 1 / (rms * rms) : 1;
    const double x = tau_.x.learned ? tau : tau_.x.value;
    const double a = tau_.a.learned ? std::max(tau, 2 * least_rho * x) : tau_.a.value;
    set_precisions(tau_.x.learned ? std::min(x, a / (2 * least_rho)) : x, a);
  }

  /// At progress u in [0, 1] of a warm-up, the noise sd is at least rms F^(-u/.75); from u = .75 on
  /// there is no such floor. F is 10 or, if sigma_x is fixed, the value with which the floor ends
  /// at sigma_x.
  void anneal(double u) {
    const double rms = size_.root_mean_square;
    const double factor = tau_.x.learned ? 10 : std::max(1.0, rms / sigma_x());
    floor_ = u < 0.75 ? rms * std::pow(factor, -u / 0.75) : 0;
    set();
  }

  /// log p(X | Z) of complete data, Griffiths & Ghahramani (2011) eq. 21, with D before rotation.
  double log_lik(const GaussianStatistics& s) const {
    const int size = static_cast<int>(s.c.rows());
    if (size == 0) return constant(s.total);
    Eigen::MatrixXd a = s.c;
    a.diagonal().array() += rho_;
    const Eigen::LLT<Eigen::MatrixXd> llt(a);
    const double log_det = 2 * llt.matrixLLT().diagonal().array().log().sum();
    const Eigen::MatrixXd half = llt.matrixL().solve(s.p.transpose());
    return constant(s.total) + 0.5 * size_.columns * (size * std::log(rho_) - log_det) +
           0.5 * half.squaredNorm() / variance_;
  }
  double log_lik(const Spectrum& s) const {
    const auto shifted = s.values.array() + rho_;
    return constant(s.total) + 0.5 * size_.columns * (std::log(rho_) - shifted.log()).sum() +
           0.5 * (s.squares.array() / shifted).sum() / variance_;
  }

  /// Slice sampling of the learned precisions on the log scale, in two rounds. Returns true if any
  /// precision is learned.
  bool update(const Features& z, const GaussianStatistics& statistics, const Completed& x,
              Rng& rng) {
    if (!tau_.x.learned && !tau_.a.learned) return false;
    // Without features sigma_a would drift from the scale of the data to the scale of its prior.
    if (floor_ > 0 && z.size() == 0) return false;
    draw(Spectrum(z, statistics, x), rng);
    return true;
  }
  /// The two rounds of draws, given a spectrum.
  void draw(const Spectrum& spectrum, Rng& rng) {
    for (int round = 0; round < 2; ++round) {
      draw(tau_.x, 0.1, spectrum, rng);
      draw(tau_.a, 0.5, spectrum, rng);
    }
  }

 private:
  /// With a smaller rho, that is, with sigma_x below a thousandth of sigma_a, rounding errors of M
  /// = (Z'Z + rho I)^-1 become noticeable when columns of Z are linearly dependent.
  static constexpr double least_rho = 1e-6;

  void set() {
    variance_ = std::max(1 / tau_.x.value, floor_ * floor_);
    rho_ = variance_ * tau_.a.value;
  }

  /// The terms of the log likelihood that do not depend on Z.
  double constant(double total) const {
    const double cells = size_.rows * size_.columns;
    return -0.5 * cells * std::log(2 * M_PI * variance_) - 0.5 * total / variance_;
  }

  /// Below the floor the likelihood does not depend on sigma_x, so sigma_x is kept above it.
  bool in_range() const {
    return rho_ > least_rho && rho_ < 1e12 && 1 / tau_.x.value >= 0.99 * floor_ * floor_;
  }

  void draw_given(Hyper& tau, const SumOfSquares& of, Rng& rng) {
    if (!tau.learned) return;
    const double before = tau.value;
    tau.value = rng.gamma(tau.shape + 0.5 * of.count, tau.rate + 0.5 * of.sum);
    set();
    if (in_range()) return;
    tau.value = before;
    set();
  }

  void draw(Hyper& tau, double width, const Spectrum& spectrum, Rng& rng) {
    if (!tau.learned) return;
    auto log_density = [&](double log_tau) {
      tau.value = std::exp(log_tau);
      set();
      if (!in_range()) return -std::numeric_limits<double>::infinity();
      return tau.log_prior_of_log(tau.value) + log_lik(spectrum);
    };
    tau.value = std::exp(slice_sample(std::log(tau.value), log_density, width, rng));
    set();
  }

  DataSize size_;
  Precisions tau_;
  double floor_ = 0, variance_ = 1, rho_ = 1;
};

/// Sets the standard deviations of the noise and of the loadings of a likelihood; NaN leaves one
/// unchanged.
template <class Likelihood>
void put_sigmas(Likelihood& likelihood, const std::array<double, 2>& sigmas) {
  const double x = std::isnan(sigmas[0]) ? likelihood.sigma_x() : sigmas[0];
  const double a = std::isnan(sigmas[1]) ? likelihood.sigma_a() : sigmas[1];
  likelihood.set_precisions(1 / (x * x), 1 / (a * a));
}

}  // namespace buffet
