#pragma once

#include <Eigen/Dense>
#include <cmath>

#include "core/archive.h"
#include "core/check.h"
#include "core/hyper.h"
#include "core/rng.h"
#include "nmf_side.h"

namespace buffet {

/// X, N x D, both by rows and by columns.
struct NmfData {
  NmfSide rows, columns;

  double observed() const { return rows.x.observed(); }
  /// Root mean square of the observed entries, or 1 if all are 0.
  double size() const;
};

struct NmfModel {
  int rank;
  Hyper precision;  ///< precision of the noise
  double rate_w, rate_a;
};

/// Initial values, which are empty or NaN if not given.
struct NmfStart {
  Eigen::MatrixXd w, a;  ///< R x N, R x D
  double sigma_x = std::nan("");
};

/// Bayesian nonnegative matrix factorisation (Schmidt, Winther & Hansen 2009): X = W'A + E with
/// exponential priors of the entries of W (R x N) and A (R x D) and normal noise.
class Nmf {
 public:
  static constexpr bool keeps_loadings = true;

  Nmf(const NmfData& data, const NmfModel& model);

  const NmfData& data() const { return *data_; }
  const Eigen::MatrixXd& w() const { return w_; }
  const Eigen::MatrixXd& a() const { return a_; }
  double precision() const { return precision_; }
  double sigma_x() const { return 1 / std::sqrt(precision_); }
  /// Sum of squares of the observed entries of X - W'A.
  double squares() const { return squares_; }
  /// (D + N) x R, A above W, in the format of saved draws.
  Eigen::MatrixXd loadings() const;

  /// Starts from random factors on the scale of the data unless others are given. The noise starts
  /// small: with more noise, the priors would set entries to 0 that no iteration could raise again.
  void start(const NmfStart& given, Rng& rng);

  /// Moves every entry and the noise to its mode given everything else. Repeated visits to the
  /// entries of a factor cost little compared with the products of matrices (Gillis & Glineur
  /// 2012).
  void climb(int threads, const Check& check);

  /// Draws every entry and the noise given everything else.
  void sweep(Rng& rng, const Check& check);

  double log_lik() const;
  /// log p(X, W, A, sigma^2), where sigma^2 has an inverse gamma density.
  double log_joint() const;

  void archive(Archive& a) {
    a.of_same_size(w_, "weights");
    a.of_same_size(a_, "loadings");
    a(precision_);
    a(squares_);
  }

 private:
  NmfGiven of_rows() const { return {data_->rows, a_, precision_, model_.rate_w}; }
  NmfGiven of_columns() const { return {data_->columns, w_, precision_, model_.rate_a}; }

  void update_a(ToMode rule, const Check& check);

  void maximise_precision();

  /// Only the priors determine how the size of a component is divided between its weights and its
  /// loadings; sets the division to its mode. If one side is zero, the entries of the other become
  /// 0.
  void balance();

  /// Draws this division: the log density of u, the log of the factor, is (N - D) u - rate_w sum_i
  /// w_ki e^u - rate_a sum_d a_kd e^-u. The width of the slice is computed at the mode, which does
  /// not depend on u.
  void draw_balance(Rng& rng);

  void multiply(int k, double by);

  const NmfData* data_;
  NmfModel model_;
  Eigen::MatrixXd w_, a_;
  double precision_, squares_ = 0;
};

/// The weights of rows given one draw, R x rows: their mode, or the mean of `averaged` draws after
/// ten that are discarded.
Eigen::MatrixXd weights_given(const NmfGiven& given, int averaged, Rng& rng, const Check& check);

}  // namespace buffet
