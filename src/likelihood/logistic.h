#pragma once

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "binary_data.h"
#include "core/archive.h"
#include "core/features.h"
#include "core/likelihood.h"
#include "core/log_sum.h"
#include "core/logistic_normal.h"
#include "core/normal_vector.h"
#include "core/number_law.h"
#include "core/polya_gamma.h"
#include "core/resize.h"
#include "core/rng.h"
#include "logistic_scales.h"
#include "logistic_weights.h"
#include "regression/regressions.h"

namespace buffet {

/// y_ij ~ Bernoulli(sigmoid(bias_j + z_i w_j)), with weights N(0, sigma_a^2) and a bias N(0,
/// sigma_b^2) in the state. During a visit to row i, e = exp(log odds), or 0 if an entry is
/// missing. The factors 1 + e of missing entries are then 1 and contribute nothing.
class Logistic {
 public:
  using Searcher = Logistic;
  static constexpr bool keeps_loadings = true, searches = true, updates_weights = true;
  static constexpr SearchShape search_shape{6, 120, 50, 0.2};

  Logistic(const BinaryData& data, LogisticScales scales)
      : scales_(scales), data_(&data), bias_(Eigen::VectorXd::Zero(data.columns())) {}

  const BinaryData& data() const { return *data_; }
  const LogisticScales& scales() const { return scales_; }
  void set_scales(double a, double b) { scales_.set(a, b); }
  void start_at(const std::array<double, 2>& sigmas) { scales_.start_at(sigmas); }
  const Eigen::MatrixXd& weights() const { return w_; }  ///< D x K
  const Eigen::VectorXd& bias() const { return bias_; }
  void set_weights(Eigen::MatrixXd w, Eigen::VectorXd bias) {
    w_ = std::move(w);
    bias_ = std::move(bias);
    factors_ = w_.array().exp();
  }
  /// In the format of saved draws: the bias, if there is one, before the weights.
  Eigen::MatrixXd loadings() const {
    if (!scales_.bias) return w_;
    Eigen::MatrixXd all(bias_.size(), w_.cols() + 1);
    all << bias_, w_;
    return all;
  }

  /// Starts from Z alone, with the weights at their mode.
  void reset(const Features& z) {
    LogisticMode mode(z, *data_, scales_);
    set_weights(mode.weights(), mode.bias());
  }
  void restart() { scales_.restart(); }
  void refresh(const Features&) {}

  const Logistic& searcher() const { return *this; }
  void adopt(const Logistic& searcher, const Features&) {
    set_scales(searcher.scales_.a.value, searcher.scales_.b.value);
    set_weights(searcher.w_, searcher.bias_);
    sweeps_ = searcher.sweeps_;
  }

  void anneal(double u) { searching_ = u < 1; }
  /// Whole features are moved in every second sweep of a search, and in every tenth or every
  /// `sweeps`-th sweep afterwards.
  void move_features_every(int sweeps) { every_ = sweeps; }
  bool moves_are_due() const { return sweeps_ % (searching_ ? 2 : every_) == 0; }
  /// About fifty rows per sweep are visited with the weights integrated out.
  bool row_visits_are_due() const { return !searching_ && sweeps_ % (1 + data_->rows() / 50) == 0; }

  /// Draws Polya-Gamma variables, given which the columns are normal regressions on Z. A search
  /// uses the means of these variables instead.
  RegressionData augment(const Features& z, Rng& rng) const {
    RegressionData data{Eigen::MatrixXd(bias_.size(), z.rows()),
                        Eigen::MatrixXd(bias_.size(), z.rows())};
    for (int i = 0; i < z.rows(); ++i) {
      Eigen::ArrayXd psi = bias_;
      for (int k = 0; k < z.size(); ++k)
        if (z.at(i, k)) psi += w_.col(k).array();
      if (searching_)
        data.omega.col(i) = PolyaGamma::means(psi);
      else
        data.omega.col(i) = psi.unaryExpr([&](double x) { return PolyaGamma(x).draw(rng); });
      for (int j : data_->hidden(i)) data.omega(j, i) = 0;
      data.kappa.col(i) = data_->kappa(i);
    }
    return data;
  }
  Regressions regressions(const Features& z, const RegressionData& data) const {
    return Regressions(z, data, {scales_.a.value, scales_.b.value, scales_.bias});
  }
  /// Draws bias and weights in these regressions.
  void draw_weights(const Regressions& given, Rng& rng) {
    const Eigen::MatrixXd all = given.factor().draw(rng);
    const int first = scales_.bias ? 1 : 0;
    set_weights(all.rightCols(all.cols() - first),
                first > 0 ? Eigen::VectorXd(all.col(0)) : Eigen::VectorXd::Zero(bias_.size()));
  }

  void enter(const Features& z, int i) {
    row_ = i;
    list_held(z, i, on_, own_);
    psi_ = bias_;
    for (int k = 0; k < z.size(); ++k)
      if (on_[k]) psi_ += w_.col(k).array();
    ones_ = data_->ones(i);
    e_ = psi_.exp();
    for (int j : data_->hidden(i)) e_(j) = 0;
    log_odds_ = sum_of_logs(1 + e_);
  }

  /// Log likelihood with z_ik = 1 minus that with z_ik = 0.
  double log_ratio(int k) const {
    const double gain = ones_.matrix().dot(w_.col(k));
    return on_[k] ? gain - log_odds_ + sum_of_logs(1 + e_ / factor(k))
                  : gain + log_odds_ - sum_of_logs(1 + e_ * factor(k));
  }
  void flip(int k) {
    if (on_[k]) {
      e_ /= factor(k);
      psi_ -= w_.col(k).array();
    } else {
      e_ *= factor(k);
      psi_ += w_.col(k).array();
    }
    log_odds_ = sum_of_logs(1 + e_);
    on_[k] = !on_[k];
  }

  /// Draws the number of the row's singletons with their weights integrated out, then the weights.
  template <class LogPriorRatio>
  int draw_own(LogPriorRatio log_prior_ratio, Rng& rng) {
    take_off_own();
    own_weights_.set_precision(scales_.a.value);
    const auto signs = data_->signs(row_);
    std::vector<double> evidence{ones_.matrix().dot(psi_.matrix()) - log_odds_};
    const auto log_evidence = [&](int own) {
      while (static_cast<int>(evidence.size()) <= own)
        evidence.push_back(
            own_weights_.log_evidence(static_cast<int>(evidence.size()), psi_, signs));
      return evidence[own];
    };
    int own = static_cast<int>(own_.size());
    for (int n = 0; n < tries; ++n) {
      const int next = own == 0 || rng.bernoulli(0.5) ? own + 1 : own - 1;
      double log_accept = next > own ? log_prior_ratio(own) : -log_prior_ratio(next);
      if (own == 0) log_accept -= std::log(2.0);
      if (next == 0) log_accept += std::log(2.0);
      if (log_accept > -infinity()) log_accept += log_evidence(next) - log_evidence(own);
      if (std::log(rng.uniform()) < log_accept) own = next;
    }
    drawn_ = own_weights_.draw(own, psi_, signs, rng);
    return own;
  }

  /// Ends the visit: the row's singletons are replaced by the new ones.
  void leave(Features& z, int own) {
    drop_own(z, own_, [this](int k) { drop(k); });
    for (int n = 0; n < own; ++n) {
      z.add_own(row_);
      append(drawn_.col(n));
    }
  }

  /// Draws the weights and the bias one by one, then the learned scales.
  void update(const Features& z, Rng& rng) {
    const Holders holders(z);
    std::vector<int> order;
    for (int j = 0; j < data_->columns(); ++j) {
      LogisticColumn column(*data_, j);
      column.set(holders, bias_(j), w_.row(j));
      if (scales_.bias) column.draw(bias_(j), scales_.b.value, holders.all, rng);
      rng.permutation(z.size(), order);
      for (int k : order) column.draw(w_(j, k), scales_.a.value, holders.of[k], rng);
    }
    draw_scales(z, rng);
    ++sweeps_;
  }

  /// log p(observed entries | Z, weights).
  double log_lik(const Features& z) const {
    const Holders holders(z);
    double sum = 0;
    for (int j = 0; j < data_->columns(); ++j) {
      LogisticColumn column(*data_, j);
      sum += column.log_lik(holders, bias_(j), w_.row(j));
    }
    return sum;
  }
  /// log p(observed entries | Z), with the weights integrated out by Laplace's method.
  double log_evidence(const Features& z) const {
    return LogisticMode(z, *data_, scales_).log_evidence();
  }

  static constexpr const char* hyperparameter_names[] = {"sigma_a", "sigma_b"};
  std::array<double, 2> hyperparameters() const { return {scales_.sigma_a(), scales_.sigma_b()}; }
  /// Includes the log densities of weights and bias.
  double log_hyperprior() const {
    return scales_.log_hyperprior() + scales_.log_density(w_, bias_);
  }
  double log_hyperprior_of_logs() const { return scales_.log_hyperprior_of_logs(); }

  void archive(Archive& a) {
    a(w_);
    a.check(w_.rows() == data_->columns(), "weights");
    a.of_same_size(bias_, "biases");
    a(scales_);
    a(sweeps_);
    a(searching_);
    if (a.reads()) factors_ = w_.array().exp();
  }
  bool fits(const Features& z) const { return w_.cols() == z.size(); }

 protected:
  static double infinity() { return std::numeric_limits<double>::infinity(); }

  /// Removes the row's singletons from its log odds.
  void take_off_own() {
    if (own_.empty()) return;
    for (int k : own_) {
      psi_ -= w_.col(k).array();
      e_ /= factor(k);
    }
    log_odds_ = sum_of_logs(1 + e_);
  }

  int row_ = 0;
  Eigen::ArrayXd psi_;     ///< log odds of the current row
  Eigen::MatrixXd drawn_;  ///< weights drawn for singletons
  std::vector<int> own_;
  LogisticScales scales_;

 private:
  static constexpr int tries = 4;

  Eigen::ArrayXXd::ConstColXpr factor(int k) const { return factors_.col(k); }

  void append(const Eigen::VectorXd& weight) {
    append_column(w_, weight);
    append_column(factors_, weight.array().exp());
  }
  void drop(int k) {
    drop_column(w_, k);
    drop_column(factors_, k);
  }

  void draw_scales(const Features& z, Rng& rng) {
    scales_.update({double(w_.size()), w_.squaredNorm()},
                   {double(bias_.size()), bias_.squaredNorm()}, rng);
    if (scales_.a.learned && z.size() > 0)
      w_ *= CommonScale(z, *data_, {bias_, w_}).draw(scales_, rng);
    factors_ = w_.array().exp();
  }

  const BinaryData* data_;
  Eigen::MatrixXd w_;
  Eigen::VectorXd bias_;
  Eigen::ArrayXXd factors_;  ///< exp(w)
  int sweeps_ = 0, every_ = 10;
  bool searching_ = false;
  std::vector<char> on_;
  Eigen::ArrayXd ones_, e_;
  double log_odds_ = 0;  ///< log prod_j (1 + e_j)
  LogisticOwn own_weights_;
};

/// The likelihood with the sampler from Neal's lecture: number and weights of singletons are
/// proposed from the prior, so acceptance depends only on the likelihoods; weights are drawn one by
/// one, and no whole features are moved.
class LogisticNeal : public Logistic {
 public:
  using Logistic::Logistic;

  template <class LogPriorRatio>
  int draw_own(LogPriorRatio log_prior_ratio, Rng& rng) {
    const double before = row_log_lik();
    drawn_.resize(psi_.size(), own_.size());
    for (std::size_t n = 0; n < own_.size(); ++n) drawn_.col(n) = weights().col(own_[n]);
    take_off_own();
    NumberLaw law;
    law.set(log_prior_ratio);
    const int own = law.draw(rng);
    const Eigen::MatrixXd proposed = normal_matrix(psi_.size(), own, scales().sigma_a(), rng);
    for (int n = 0; n < own; ++n) psi_ += proposed.col(n).array();
    if (std::log(rng.uniform()) < row_log_lik() - before) drawn_ = proposed;
    return static_cast<int>(drawn_.cols());
  }

 private:
  /// Log likelihood of the current row.
  double row_log_lik() const {
    double sum = 0;
    for (int j = 0; j < psi_.size(); ++j)
      if (const int sign = data().sign(row_, j); sign != 0) sum += log_sigmoid(sign * psi_(j));
    return sum;
  }
};

}  // namespace buffet
