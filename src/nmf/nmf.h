#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <utility>

#include "core/hyper.h"
#include "core/rng.h"
#include "core/slice.h"
#include "core/special.h"
#include "nmf_side.h"

namespace buffet {

/// X, N x D, by its rows and by its columns.
struct NmfData {
  NmfSide rows, columns;

  double observed() const { return rows.x.observed(); }
  /// Root mean square of the observed entries, 1 where all are 0.
  double size() const {
    const double size = rows.x.root_mean_square();
    return size > 0 ? size : 1;
  }
};

struct NmfModel {
  int rank;
  Hyper precision;  ///< of the noise
  double rate_w, rate_a;
};

/// Where to start from: what is empty or NaN is not given.
struct NmfStart {
  Eigen::MatrixXd w, a;  ///< R x N, R x D
  double sigma_x = std::nan("");
};

/// Bayesian nonnegative matrix factorisation (Schmidt, Winther & Hansen 2009): X = W'A + E with
/// exponential priors of the entries of W (R x N) and A (R x D) and normal noise.
class Nmf {
 public:
  static constexpr bool keeps_loadings = true;

  Nmf(const NmfData& data, const NmfModel& model)
      : data_(&data),
        model_(model),
        w_(Eigen::MatrixXd::Zero(model.rank, data.rows.x.rows())),
        a_(Eigen::MatrixXd::Zero(model.rank, data.columns.x.rows())),
        precision_(model.precision.value) {}

  const NmfData& data() const { return *data_; }
  const Eigen::MatrixXd& w() const { return w_; }
  const Eigen::MatrixXd& a() const { return a_; }
  double precision() const { return precision_; }
  double sigma_x() const { return 1 / std::sqrt(precision_); }
  /// Sum of squares of the observed entries of X - W'A.
  double squares() const { return squares_; }
  /// (D + N) x R, A above W, as draws are kept.
  Eigen::MatrixXd loadings() const {
    Eigen::MatrixXd both(a_.cols() + w_.cols(), a_.rows());
    both << a_.transpose(), w_.transpose();
    return both;
  }

  /// From random factors of the size of the data where no others are given. Little noise to begin
  /// with: much of it would let the priors set to 0 what no iteration then brings back.
  void start(const NmfStart& given, Rng& rng) {
    const double each = std::sqrt(data_->size() / model_.rank);
    const double ratio = std::sqrt(model_.rate_a / model_.rate_w);
    const auto draw = [&](double mean) {
      return [&rng, mean] { return -mean * std::log(rng.uniform()); };
    };
    w_ = Eigen::MatrixXd::NullaryExpr(w_.rows(), w_.cols(), draw(each * ratio));
    a_ = Eigen::MatrixXd::NullaryExpr(a_.rows(), a_.cols(), draw(each / ratio));
    const bool has_w = given.w.size() > 0, has_a = given.a.size() > 0;
    if (has_w) w_ = given.w;
    if (has_a) a_ = given.a;
    if (model_.precision.learned) {
      const double sigma = std::isnan(given.sigma_x) ? 0.1 * data_->size() : given.sigma_x;
      precision_ = 1 / (sigma * sigma);
    }
    const auto check = [] {};
    if (has_w && !has_a) update_a(ToMode(), check);
    // Without a pass nothing but the sum of squares changes.
    squares_ = FactorUpdate<ToMode>(of_columns(), ToMode(), 0)(a_, 1, check);
    if (has_w && has_a && std::isnan(given.sigma_x)) maximise_precision();
  }

  /// Every entry and the noise to their modes given all else. More than one visit to the entries of
  /// a factor costs little beside the products (Gillis & Glineur 2012).
  template <class Check>
  void climb(int threads, Check check) {
    FactorUpdate<ToMode>(of_rows(), ToMode(), 4)(w_, threads, check);
    squares_ = FactorUpdate<ToMode>(of_columns(), ToMode(), 4)(a_, threads, check);
    balance();
    maximise_precision();
  }

  /// Every entry and the noise drawn given all else.
  template <class Check>
  void sweep(Rng& rng, Check check) {
    FactorUpdate<ByDraw>(of_rows(), ByDraw{rng}, 1)(w_, 1, check);
    squares_ = FactorUpdate<ByDraw>(of_columns(), ByDraw{rng}, 1)(a_, 1, check);
    draw_balance(rng);
    const Hyper& h = model_.precision;
    if (h.learned)
      precision_ = rng.gamma(h.shape + 0.5 * data_->observed(), h.rate + 0.5 * squares_);
  }

  double log_lik() const {
    return 0.5 * (data_->observed() * std::log(precision_ / (2 * M_PI)) - precision_ * squares_);
  }
  /// log p(X, W, A, sigma^2), of which the last has an inverse gamma density.
  double log_joint() const {
    const Hyper& h = model_.precision;
    double sum = log_lik() + w_.size() * std::log(model_.rate_w) - model_.rate_w * w_.sum() +
                 a_.size() * std::log(model_.rate_a) - model_.rate_a * a_.sum();
    if (h.learned)
      sum += h.shape * std::log(h.rate) - log_gamma(h.shape) +
             (h.shape + 1) * std::log(precision_) - h.rate * precision_;
    return sum;
  }

  template <class Archive>
  void archive(Archive& a) {
    a(w_);
    a(a_);
    a(precision_);
    a(squares_);
  }

 private:
  NmfGiven of_rows() const { return {data_->rows, a_, precision_, model_.rate_w}; }
  NmfGiven of_columns() const { return {data_->columns, w_, precision_, model_.rate_a}; }

  template <class Check>
  void update_a(ToMode rule, Check check) {
    FactorUpdate<ToMode>(of_columns(), rule, 100)(a_, 1, check);
  }

  void maximise_precision() {
    const Hyper& h = model_.precision;
    if (h.learned) precision_ = (h.shape + 0.5 * data_->observed() + 1) / (h.rate + 0.5 * squares_);
  }

  /// The priors alone say how a component's size is divided between its weights and loadings: the
  /// mode of that, entries beside a side of zeros being 0.
  void balance() {
    for (int k = 0; k < model_.rank; ++k) {
      const double of_w = model_.rate_w * w_.row(k).sum(), of_a = model_.rate_a * a_.row(k).sum();
      if (of_w > 0 && of_a > 0) {
        multiply(k, std::sqrt(of_a / of_w));
      } else {
        w_.row(k).setZero();
        a_.row(k).setZero();
      }
    }
  }

  /// The same drawn: the density of u = log of the factor is (N - D) u - rate_w sum_i w_ki e^u -
  /// rate_a sum_d a_kd e^-u. The width of the slice is that at its mode, which u does not move.
  void draw_balance(Rng& rng) {
    const double surplus = double(w_.cols()) - double(a_.cols());
    for (int k = 0; k < model_.rank; ++k) {
      const double of_w = model_.rate_w * w_.row(k).sum(), of_a = model_.rate_a * a_.row(k).sum();
      if (!(of_w > 0 && of_a > 0)) continue;
      const auto log_density = [&](double u) {
        return surplus * u - of_w * std::exp(u) - of_a * std::exp(-u);
      };
      const double curvature = std::sqrt(surplus * surplus + 4 * of_w * of_a);
      multiply(k, std::exp(slice_sample(0, log_density, 2 / std::sqrt(curvature), rng)));
    }
  }

  void multiply(int k, double by) {
    w_.row(k) *= by;
    a_.row(k) /= by;
  }

  const NmfData* data_;
  NmfModel model_;
  Eigen::MatrixXd w_, a_;
  double precision_, squares_ = 0;
};

}  // namespace buffet
