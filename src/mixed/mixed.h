#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "core/archive.h"
#include "core/features.h"
#include "core/fitted.h"
#include "core/likelihood.h"
#include "core/rng.h"
#include "families.h"
#include "gibbs/moves.h"
#include "least_squares.h"
#include "likelihood/logistic_scales.h"
#include "mixed_data.h"
#include "regression/regressions.h"
#include "row_given_weights.h"

namespace buffet {

/// Columns from any families, with linear predictors bias_p + z_i w_p, weights N(0, sigma_a^2) and
/// biases N(0, sigma_b^2) in the state. Given the families' auxiliary variables, the columns are
/// normal regressions; rows are then visited, and features moved, with all weights integrated out,
/// and rows are visited once more given the weights.
class Mixed {
 public:
  using Searcher = Mixed;
  static constexpr bool keeps_loadings = true, searches = true, visits_rows = false,
                        updates_weights = false;
  static constexpr SearchShape search_shape{4, 100, 50, 0.4};

  Mixed(const MixedData& data, Families families, LogisticScales scales)
      : data_(&data),
        families_(std::move(families)),
        scales_(scales),
        w_(data.predictors(), 0),
        bias_(Eigen::VectorXd::Zero(data.predictors())) {}

  const MixedData& data() const { return *data_; }
  const LogisticScales& scales() const { return scales_; }
  const Families& families() const { return families_; }
  Families& families() { return families_; }
  const Eigen::MatrixXd& weights() const { return w_; }  ///< predictors x K
  const Eigen::VectorXd& bias() const { return bias_; }
  void set_weights(Eigen::MatrixXd w, Eigen::VectorXd bias) {
    w_ = std::move(w);
    bias_ = std::move(bias);
  }
  void set_scales(double a, double b) { scales_.set(a, b); }
  void start_at(const std::array<double, 2>& sigmas) { scales_.start_at(sigmas); }

  /// Linear predictors, one observation per column.
  Eigen::MatrixXd predictors(const Features& z) const {
    Eigen::MatrixXd eta = bias_.replicate(1, z.rows());
    add_fitted(z, w_, eta);
    return eta;
  }

  /// In the format of saved draws: the bias, if there is one, the weights, and the parameters of
  /// the families, padded with zeros.
  Eigen::MatrixXd loadings() const {
    const Eigen::MatrixXd all_weights = with_bias();
    const auto size = all_weights.cols();
    Eigen::MatrixXd all = Eigen::MatrixXd::Zero(w_.rows(), size + parameter_columns());
    all.leftCols(size) = all_weights;
    families_.get_parameters(all.data() + all.rows() * size);
    return all;
  }
  void set_loadings(const Eigen::MatrixXd& all) {
    const auto size = all.cols() - parameter_columns();
    put_weights(all.leftCols(size));
    families_.set_parameters(all.data() + all.rows() * size);
  }
  /// True if all updates terminate with these weights and parameters.
  bool accepts(const Eigen::MatrixXd& all) const {
    const auto size = all.cols() - parameter_columns();
    return are_weights(all.leftCols(size)) && families_.accept(all.data() + all.rows() * size);
  }
  /// Number of columns that the families' parameters take in this format.
  int parameter_columns() const {
    return (families_.parameter_count() + data_->predictors() - 1) / data_->predictors();
  }

  /// Starts from Z alone, with the weights near their mode.
  void reset(const Features& z) {
    set_weights(Eigen::MatrixXd::Zero(data_->predictors(), z.size()),
                Eigen::VectorXd::Zero(data_->predictors()));
    move_weights(z, [](const LeastSquares& by, Eigen::MatrixXd& all) { by.guess(all); });
    for (int n = 0; n < 5; ++n) climb(z);
  }
  void restart() { scales_.restart(); }
  void refresh(const Features&) {}
  const Mixed& searcher() const { return *this; }
  void adopt(Mixed searcher, const Features&) { *this = std::move(searcher); }

  void anneal(double u) {
    searching_ = u < 1;
    families_.anneal(u);
  }
  bool moves_are_due() const { return sweeps_ % (searching_ ? 1 : 2) == 0; }
  /// Visits rows with the weights integrated out. Doing so in every sweep would double its duration
  /// without increasing the effective sample size.
  bool row_visits_are_due() const { return searching_ || sweeps_ % 4 == 0; }

  RegressionData augment(const Features& z, Rng& rng) const {
    return pseudo_data(z, [&](const Family& family, double x, const double* eta,
                              PseudoResponse to) { family.augment(x, eta, to, rng); });
  }
  Regressions regressions(const Features& z, const RegressionData& data) const {
    return Regressions(z, data, weight_prior());
  }
  void draw_weights(const Regressions& given, Rng& rng) { put_weights(given.factor().draw(rng)); }

  /// Prepares one more visit of the rows, given the weights just drawn and `data`.
  void visit_given(const RegressionData& data) { row_ = RowGivenWeights(*data_, families_, data); }
  void enter(const Features& z, int i) {
    list_held(z, i, on_, own_);
    Eigen::VectorXd eta = bias_;
    for (int k = 0; k < z.size(); ++k)
      if (on_[k]) eta += w_.col(k);
    row_.enter(i, eta);
  }
  /// Log likelihood with z_ik = 1 minus that with z_ik = 0.
  double log_ratio(int k) {
    return on_[k] ? -row_.log_ratio(-w_.col(k)) : row_.log_ratio(w_.col(k));
  }
  void flip(int k) {
    row_.go();
    on_[k] = !on_[k];
  }
  /// Log likelihood with two bits flipped minus the log likelihood with neither flipped.
  double log_ratio_of_pair(int k, int l) {
    const Eigen::VectorXd w = (on_[k] ? -1 : 1) * w_.col(k) + (on_[l] ? -1 : 1) * w_.col(l);
    return row_.log_ratio(w);
  }
  void flip_pair(int k, int l) {
    flip(k);
    on_[l] = !on_[l];
  }
  /// The row's singletons do not change.
  template <class LogPriorRatio>
  int draw_own(LogPriorRatio, Rng&) {
    return static_cast<int>(own_.size());
  }
  void leave(Features&, int) {}

  /// Draws the families' parameters and the scales given the weights.
  void update(const Features& z, Rng& rng) {
    move_weights(z, [&](const LeastSquares& by, Eigen::MatrixXd& all) { by.move(all, rng); });
    draw_levels(rng);
    if (!searching_) stretch_one(z, rng);
    const Eigen::MatrixXd eta = predictors(z);
    for (int j = 0; j < data_->columns(); ++j)
      if (families_[j]->parameters() > 0) families_[j]->update(data_->column(j, eta), rng);
    scales_.update({double(w_.size()), w_.squaredNorm()},
                   {double(bias_.size()), bias_.squaredNorm()}, rng);
    ++sweeps_;
  }

  /// log p(observed entries | Z, weights).
  double log_lik(const Features& z) const {
    const Eigen::MatrixXd eta = predictors(z);
    double sum = 0;
    for (int j = 0; j < data_->columns(); ++j)
      for (int i : data_->seen(j))
        sum += families_[j]->log_density(data_->at(i, j), eta.data() + at(i, j));
    return sum;
  }
  /// log p(observed entries | Z), with the weights integrated out by Laplace's method near their
  /// mode.
  double log_evidence(const Features& z) const {
    Mixed there(*this);
    for (int n = 0; n < 5; ++n) there.climb(z);
    const RegressionData data = there.information(z);
    const Regressions given = regressions(z, data);
    const Eigen::ArrayXXd mean = given.factor().mean();
    there.put_weights(mean);
    double half = 0, prior = 0;
    for (int k = 0; k < mean.cols(); ++k) {
      const bool is_bias = k == 0 && scales_.bias;
      half += (given.statistics().h(k) * mean.col(k)).sum();
      prior += (is_bias ? scales_.b.value : scales_.a.value) * mean.col(k).square().sum();
    }
    return there.log_lik(z) - 0.5 * prior + given.factor().log_evidence() - 0.5 * half;
  }

  static constexpr const char* hyperparameter_names[] = {"sigma_w", "sigma_b"};
  std::array<double, 2> hyperparameters() const { return {scales_.sigma_a(), scales_.sigma_b()}; }
  /// Includes the log densities of weights, biases and families' parameters.
  double log_hyperprior() const {
    return scales_.log_hyperprior() + scales_.log_density(w_, bias_) + families_.log_prior();
  }
  double log_hyperprior_of_logs() const { return scales_.log_hyperprior_of_logs(); }

  void archive(Archive& a) {
    a(w_);
    a.check(w_.rows() == data_->predictors(), "weights");
    a.of_same_size(bias_, "biases");
    a(scales_);
    a(sweeps_);
    a(searching_);
    std::vector<double> parameters(families_.parameter_count());
    families_.get_parameters(parameters.data());
    a.of_same_size(parameters, "parameters of families");
    if (!a.reads()) return;
    families_.set_parameters(parameters.data());
  }
  bool fits(const Features& z) const { return w_.cols() == z.size(); }

 private:
  /// Offset of an entry's linear predictors in the vector of all linear predictors.
  Eigen::Index at(int i, int j) const {
    return Eigen::Index{i} * data_->predictors() + data_->first(j);
  }

  template <class Of>
  RegressionData pseudo_data(const Features& z, Of of) const {
    const Eigen::MatrixXd eta = predictors(z);
    RegressionData data{Eigen::MatrixXd::Zero(eta.rows(), eta.cols()),
                        Eigen::MatrixXd::Zero(eta.rows(), eta.cols())};
    for (int j = 0; j < data_->columns(); ++j)
      for (int i : data_->seen(j)) {
        const auto n = at(i, j);
        of(*families_[j].operator->(), data_->at(i, j), eta.data() + n,
           PseudoResponse{data.omega.data() + n, data.kappa.data() + n});
      }
    return data;
  }
  /// Pseudo-responses with the information in the data near the current weights.
  RegressionData information(const Features& z) const {
    return pseudo_data(z, [](const Family& family, double x, const double* eta, PseudoResponse to) {
      family.has_working_response() ? family.work(x, *eta, to) : family.expect(x, eta, to);
    });
  }
  RegressionData expected(const Features& z) const {
    return pseudo_data(z, [](const Family& family, double x, const double* eta, PseudoResponse to) {
      family.expect(x, eta, to);
    });
  }
  /// Makes a step of expectation maximisation, then a Newton step.
  void climb(const Features& z) {
    const RegressionData data = expected(z);
    put_weights(regressions(z, data).factor().mean());
    move_weights(z, [](const LeastSquares& by, Eigen::MatrixXd& all) { by.climb(all); });
  }
  RegressionPrior weight_prior() const { return {scales_.a.value, scales_.b.value, scales_.bias}; }
  template <class Move>
  void move_weights(const Features& z, Move move) {
    const LeastSquares by(*data_, families_, z, weight_prior());
    if (!by.has_columns()) return;
    Eigen::MatrixXd all = with_bias();
    move(by, all);
    put_weights(all);
  }
  /// If the distribution of an entry does not change when all its linear predictors are shifted,
  /// the means of the corresponding weights have their prior distribution.
  void draw_levels(Rng& rng) {
    for (int j = 0; j < data_->columns(); ++j) {
      if (data_->width(j) == 1) continue;
      auto of_weights = w_.middleRows(data_->first(j), data_->width(j));
      for (int k = 0; k < w_.cols(); ++k) draw_level(of_weights.col(k), scales_.sigma_a(), rng);
      if (scales_.bias)
        draw_level(bias_.segment(data_->first(j), data_->width(j)), scales_.sigma_b(), rng);
    }
  }
  /// Multiplies the linear predictors of a column by a factor. If categories are nearly certain,
  /// the scale changes slowly given auxiliary variables; here, proposals are accepted by the
  /// density of the entries.
  void stretch_one(const Features& z, Rng& rng) {
    const int j = rng.below(data_->columns()), first = data_->first(j), width = data_->width(j);
    if (!families_[j]->stretches()) return;
    AnyFamily family = families_[j];
    const double u = 0.3 * rng.normal(), by = std::exp(u), excess = 0.5 * (by * by - 1);
    auto w = w_.middleRows(first, width);
    auto bias = bias_.segment(first, width);
    ColumnSeen seen = data_->column(j, predictors(z));
    double log_ratio = family->stretch(by) - families_[j]->log_lik(seen) + double(w.size()) * u -
                       excess * scales_.a.value * w.squaredNorm();
    if (scales_.bias) log_ratio += width * u - excess * scales_.b.value * bias.squaredNorm();
    seen.eta *= by;
    log_ratio += family->log_lik(seen);
    if (!(std::log(rng.uniform()) < log_ratio)) return;
    families_[j] = std::move(family);
    w *= by;
    bias *= by;
  }
  template <class Weights>
  static void draw_level(Weights&& weights, double sigma, Rng& rng) {
    const double drawn = sigma / std::sqrt(double(weights.size())) * rng.normal();
    weights.array() += drawn - weights.mean();
  }
  /// The bias, if there is one, followed by the weights.
  Eigen::MatrixXd with_bias() const {
    const int first = scales_.bias ? 1 : 0;
    Eigen::MatrixXd all(w_.rows(), first + w_.cols());
    if (first > 0) all.col(0) = bias_;
    all.rightCols(w_.cols()) = w_;
    return all;
  }
  void put_weights(const Eigen::MatrixXd& all) {
    const int first = scales_.bias ? 1 : 0;
    w_ = all.rightCols(all.cols() - first);
    if (first > 0) bias_ = all.col(0);
  }

  const MixedData* data_;
  Families families_;
  LogisticScales scales_;
  Eigen::MatrixXd w_;
  Eigen::VectorXd bias_;
  long sweeps_ = 0;
  bool searching_ = false;

  RowGivenWeights row_;
  std::vector<char> on_;
  std::vector<int> own_;
};

GivenRegressions<Complement, ExclusiveOr, SplitMerge, BirthDeath<4>> moves_of(const Mixed&);

}  // namespace buffet
