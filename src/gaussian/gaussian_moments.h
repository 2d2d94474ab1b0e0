#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <map>
#include <vector>

#include "core/archive.h"
#include "core/features.h"
#include "core/normal_vector.h"
#include "core/resize.h"
#include "core/rng.h"
#include "gaussian_data.h"

namespace buffet {

/// Z'Z.
inline Eigen::MatrixXd shared_counts(const Features& z) {
  const int size = z.size();
  Eigen::MatrixXd c(size, size);
  for (int k = 0; k < size; ++k) {
    c(k, k) = z.count(k);
    for (int l = 0; l < k; ++l) c(k, l) = c(l, k) = z.count_shared(k, l);
  }
  return c;
}

/// Z'Z over the rows in `hidden`.
inline Eigen::MatrixXd hidden_counts(const Features& z, const Bits& hidden) {
  Eigen::MatrixXd c(z.size(), z.size());
  for (int k = 0; k < z.size(); ++k) {
    Bits both = z.column(k);
    both &= hidden;
    for (int l = 0; l <= k; ++l) c(k, l) = c(l, k) = both.count_shared(z.column(l));
  }
  return c;
}

/// The statistics of Z and X for the collapsed likelihood: C = Z'Z, P = X'Z and the sum of squares
/// of X.
struct GaussianStatistics {
  Eigen::MatrixXd c;  ///< K x K
  Eigen::MatrixXd p;  ///< D x K, one feature per column
  double total = 0;

  void set(const Features& z, const Completed& x) {
    p.resize(x.data().width(), z.size());
    for (int k = 0; k < z.size(); ++k) p.col(k) = x.sum(z.column(k));
    set_counts(z);
    total = x.total();
  }

  /// Computes C from Z.
  void set_counts(const Features& z) { c = shared_counts(z); }

  /// Recomputes everything that depends on column k of z.
  void set_column(int k, const Features& z, const Completed& x) {
    p.col(k) = x.sum(z.column(k));
    for (int l = 0; l < z.size(); ++l) c(k, l) = c(l, k) = z.count_shared(k, l);
  }

  /// Counterpart of Features::add for a new last column.
  void add_column(const Features& z, const Completed& x) {
    const int size = z.size();
    p.conservativeResize(x.data().width(), size);
    c.conservativeResize(size, size);
    set_column(size - 1, z, x);
  }

  /// |X - Z A|^2, for loadings D x K.
  double left_squares(const Eigen::MatrixXd& a) const {
    return total - 2 * a.cwiseProduct(p).sum() + (a.transpose() * a).cwiseProduct(c).sum();
  }

  void archive(Archive& a) {
    a(c);
    a(p);
    a(total);
    a.check(c.rows() == c.cols() && p.cols() == c.cols(), "sums of the data");
  }
  /// True if the sizes match this number of columns and z.
  bool fits(Eigen::Index columns, const Features& z) const {
    return p.rows() == columns && p.cols() == z.size();
  }

  void drop(int k) {
    drop_column(p, k);
    drop_both(c, k);
  }
};

/// (C + rho I)^-1.
inline Eigen::MatrixXd ridge_inverse(const Eigen::MatrixXd& c, double rho) {
  Eigen::MatrixXd a = c;
  a.diagonal().array() += rho;
  return a.llt().solve(Eigen::MatrixXd::Identity(c.rows(), c.cols()));
}

/// A draw of normal loadings (D x K) given Z: A ~ N(M P, variance M), M = (C + rho I)^-1 = L'^-1
/// L^-1.
inline Eigen::MatrixXd draw_normal_loadings(const GaussianStatistics& s, double variance,
                                            double rho, Rng& rng) {
  Eigen::MatrixXd shared = s.c;
  shared.diagonal().array() += rho;
  const Eigen::LLT<Eigen::MatrixXd> llt(shared);
  Eigen::MatrixXd draw = normal_matrix(s.c.rows(), s.p.rows(), std::sqrt(variance), rng);
  if (draw.size() == 0) return draw.transpose();
  draw += llt.matrixL().solve(s.p.transpose());
  llt.matrixU().solveInPlace(draw);
  return draw.transpose();
}

/// Posterior moments of the loadings, in the form that visits to rows need: M = (Z'Z + rho I)^-1
/// and G = mu mu', where mu = M Z'X is the posterior mean, which is not stored.
struct LoadingsMoments {
  Eigen::MatrixXd m, g;

  void set(const GaussianStatistics& s, double rho) {
    const auto size = s.c.rows();
    m.resize(size, size);
    g.resize(size, size);
    if (size == 0) return;
    m = ridge_inverse(s.c, rho);
    const Eigen::MatrixXd mu = s.p * m;
    g.noalias() = mu.transpose() * mu;
  }

  void drop(int k) {
    drop_both(m, k);
    drop_both(g, k);
  }

  /// Appends a feature that no row has yet.
  void append(double variance) {
    append_both(m, variance);
    append_both(g, 0);
  }
};

/// The posterior of the loadings given only the observed entries, column by column, if entries are
/// missing: in column d they are N(mu_d, sigma_x^2 (C_d + rho I)^-1), mu_d = (C_d + rho I)^-1 p_d,
/// with C_d = Z'Z and p_d = Z'x_d over the rows in which column d is observed.
class GaussianColumns {
 public:
  using Cholesky = Eigen::LLT<Eigen::MatrixXd>;

  GaussianColumns(const Features& z, const Completed& x, const GaussianStatistics& statistics)
      : data_(x.data()), c_(statistics.c), p_(statistics.p), held_(z.rows()) {
    for (int k = 0; k < z.size(); ++k) z.column(k).for_each([&](int i) { held_[i].push_back(k); });
    hiding_.resize(data_.complete() ? 0 : data_.columns());
    x.for_all_hidden([&](int i, int d, double value) {
      hiding_[d].push_back(i);
      for (int k : held_[i]) p_(d, k) -= value;
    });
  }

  /// Pattern number of each column, from 0; columns with the same missing rows have the same
  /// number.
  std::vector<int> patterns() const {
    std::vector<int> numbers(p_.rows(), 0);
    std::map<std::vector<int>, int> known;
    for (std::size_t d = 0; d < hiding_.size(); ++d)
      numbers[d] = known.emplace(hiding_[d], static_cast<int>(known.size())).first->second;
    return numbers;
  }

  /// Calls f(d, Cholesky decomposition of C_d + rho I, p_d) for every column.
  template <class F>
  void for_each(double rho, F f) const {
    Eigen::MatrixXd shared = c_;
    shared.diagonal().array() += rho;
    const Cholesky of_complete(shared);
    for (int d = 0; d < p_.rows(); ++d) {
      if (hiding_.empty() || hiding_[d].empty()) {
        f(d, of_complete, p_.row(d).transpose());
        continue;
      }
      Eigen::MatrixXd own = shared;
      for (int i : hiding_[d])
        for (int k : held_[i])
          for (int l : held_[i]) own(k, l) -= 1;
      f(d, Cholesky(own), p_.row(d).transpose());
    }
  }

  /// log p(observed entries | Z).
  double log_lik(double variance, double rho) const {
    const double size = static_cast<double>(c_.rows());
    double sum =
        -0.5 * data_.observed() * std::log(2 * M_PI * variance) - 0.5 * data_.total() / variance;
    if (size == 0) return sum;
    for_each(rho, [&](int, const Cholesky& llt, const Eigen::VectorXd& p) {
      sum += 0.5 * size * std::log(rho) - llt.matrixLLT().diagonal().array().log().sum() +
             0.5 * llt.matrixL().solve(p).squaredNorm() / variance;
    });
    return sum;
  }

 private:
  const GaussianData& data_;
  Eigen::MatrixXd c_, p_;
  std::vector<std::vector<int>> held_;    ///< features of each row
  std::vector<std::vector<int>> hiding_;  ///< rows of each column that are missing
};

}  // namespace buffet
