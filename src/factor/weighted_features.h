#pragma once

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "core/archive.h"
#include "core/check.h"
#include "core/features.h"
#include "core/resize.h"
#include "core/rng.h"
#include "core/tally.h"
#include "factor_noise.h"
#include "few_rows.h"
#include "gaussian/gaussian_data.h"
#include "gibbs/move_list.h"
#include "known_factors.h"
#include "loading_scales.h"
#include "loadings_given_weights.h"
#include "noise_or_feature.h"
#include "own_loadings.h"
#include "own_weights.h"
#include "rank_one.h"
#include "scales.h"

namespace buffet {

/// X | Z, V, A ~ N((Z o V) A, noise), Griffiths & Ghahramani (2011) figure 1(b) and (c): weights V
/// from a given law and loadings A ~ N(0, sigma_a^2), both in the state. Derived classes draw the
/// entries of rows.
template <class Law>
class WeightedFeatures {
 public:
  static constexpr bool keeps_loadings = true, searches = false;

  WeightedFeatures(const GaussianData& data, FactorNoise noise, LoadingScales scales)
      : data_(std::shared_ptr<void>(), &data),
        hidden_(hidden_rows(data)),
        noise_(std::move(noise)),
        scales_(std::move(scales)),
        a_(data.width(), 0),
        v_(data.rows(), 0) {}

  /// One or more rows given known loadings and scales.
  WeightedFeatures(const GaussianData& data, const KnownFactors& known)
      : WeightedFeatures(data, known.noise(data.rows()), known.scales()) {}

  const GaussianData& data() const { return *data_; }
  const Eigen::MatrixXd& factors() const { return a_; }  ///< A', D x K
  const Eigen::MatrixXd& weights() const { return v_; }  ///< Z o V, N x K
  const FactorNoise& noise() const { return noise_; }
  const LoadingScales& scales() const { return scales_; }
  double sigma_a() const { return 1 / std::sqrt(scales_.common.value); }
  double sigma_x() const { return noise_.sigma_x(); }
  void set(Eigen::MatrixXd a, Eigen::MatrixXd v) {
    a_ = std::move(a);
    v_ = std::move(v);
    scales_.set_local(Eigen::VectorXd::Ones(v_.cols()));
    set_products();
  }
  void set_precisions(const Eigen::ArrayXd& noise, double a) {
    noise_.set(noise);
    scales_.common.value = a;
    set_products();
  }
  void set_local_precisions(Eigen::VectorXd local) { scales_.set_local(std::move(local)); }

  /// Starts from Z alone: weights are set feature by feature from the residuals of the data.
  void reset(const Features& z) { start_at_weights(weights_of_rank_one<Law>(z, *data_)); }

  /// Counterparts of Features::add and Features::drop.
  void drop(int k) {
    drop_column(a_, k);
    drop_column(v_, k);
    drop_both(products_, k);
    scales_.drop(k);
  }
  void refresh(const Features&) {}

  /// Draws the loadings, the scales of features, and the learned precisions.
  void update(const Features& z, Rng& rng) {
    draw_loadings(rng);
    for (int k = 0; k < z.size(); ++k) rescale(k, rng);
    noise_.update(residual_squares(*data_, a_, v_, noise_.by_column()), rng);
    if (scales_.common.learned) {
      scales_.draw_common(a_, rng);
      rescale_all(rng);
    }
    set_products();
  }

  /// Updates the entries of features that few rows have, together with their loadings.
  template <class Prior>
  Tally revisit(Features& z, Prior& prior, Rng& rng) {
    if (!FewRows<Law>::any(z)) return {};
    FewRows<Law> rows(*data_, noise_.precisions(), scales_.precisions(), {a_, v_});
    const Tally tally = rows.visit(z, prior, rng);
    set_products();
    return tally;
  }

  /// log p(observed entries | Z, V), with the loadings integrated out.
  double log_lik(const Features&) const { return regressions().log_lik(); }

  static constexpr std::array<const char*, 4> hyperparameter_names{"sigma_x", "sigma_a", "n_common",
                                                                   "variance"};
  std::array<double, 4> hyperparameters() const {
    return {sigma_x(), sigma_a(), double(common()), variance()};
  }
  /// Includes log p(V | Z).
  double log_hyperprior() const {
    const auto of = [](double v) { return v == 0 ? 0 : Law::log_density(v); };
    return noise_.log_prior() + scales_.log_prior() + v_.unaryExpr(of).sum();
  }
  /// The smallest number of features that two rows share.
  int common() const {
    return static_cast<int>(((v_.array() != 0).cast<int>().colwise().sum() > 1).count());
  }
  /// Mean variance of an entry, from loadings and noise.
  double variance() const {
    const double of_loadings = v_.colwise().squaredNorm().dot(scales_.sds().square().matrix());
    return of_loadings / double(v_.rows()) + noise_.own().inverse().mean();
  }
  /// Only the standard deviations can be given, not the other hyperparameters.
  void start_at(const std::array<double, 4>& sigmas) {
    if (!std::isnan(sigmas[0]) && noise_.learned()) noise_.scale_to(sigmas[0]);
    if (!std::isnan(sigmas[1]) && scales_.common.learned)
      scales_.common.value = 1 / (sigmas[1] * sigmas[1]);
  }
  /// Learned values start at half of the data's mean square.
  void restart() {
    const double rms = data_->root_mean_square(), precision = rms > 0 ? 2 / (rms * rms) : 1;
    if (noise_.learned()) noise_.set(Eigen::ArrayXd::Constant(1, precision));
    if (scales_.common.learned) scales_.common.value = precision;
  }

  /// In the format of saved draws: D rows of loadings, N rows of weights, and a row with the
  /// standard deviations of the loadings. The first column has the standard deviations of the noise
  /// of each column and row (one of the two sets is 1), and sigma_a.
  Eigen::MatrixXd loadings() const {
    Eigen::MatrixXd all(a_.rows() + v_.rows() + 1, v_.cols() + 1);
    all.col(0) << noise_.precisions().columns.rsqrt(), noise_.precisions().rows.rsqrt(), sigma_a();
    all.rightCols(v_.cols()) << a_, v_, scales_.sds().matrix().transpose();
    return all;
  }

  void archive(Archive& a) {
    for (Eigen::MatrixXd* m : {&a_, &v_}) a(*m);
    a(noise_);
    a(scales_);
    const bool sound = a_.rows() == data_->width() && v_.rows() == data_->rows();
    a.check(sound && a_.cols() == v_.cols() && scales_.local().size() == v_.cols(), "loadings");
    if (a.reads()) set_products();
  }
  bool fits(const Features& z) const { return v_.cols() == z.size(); }

 protected:
  void draw_loadings(Rng& rng) { draw_loadings(*data_, hidden_, rng); }
  void draw_loadings(const GaussianData& data, const HiddenRows& hidden, Rng& rng) {
    a_ = regressions(data, hidden).draw(rng) * scales_.sds().matrix().asDiagonal();
    set_products();
  }

  void start_at_weights(Eigen::MatrixXd v) {
    v_ = std::move(v);
    scales_.set_local(Eigen::VectorXd::Ones(v_.cols()));
    a_ = regressions().mean() * scales_.sds().matrix().asDiagonal();
    set_products();
  }

  void enter_row(const Features& z, int i) {
    row_ = i;
    list_held(z, i, on_, own_);
    x_.setZero(data_->width());
    data_->add(i, 1, x_);
    set_row_products(i);
    const auto& noise = noise_.precisions();
    if (noise.has_weights(i))
      with_x_ = times_weighted(i);
    else
      with_x_ = noise.rows(i) * (a_.transpose() * (noise.columns * x_.array()).matrix());
  }

  /// A' T x_i, where T has the precisions of the entries of a row with weights.
  Eigen::VectorXd times_weighted(int i) const {
    Eigen::VectorXd x = Eigen::VectorXd::Zero(data_->width());
    data_->add(i, 1, x);
    return a_.transpose() * (noise_.precisions().of_row(*data_, i) * x.array()).matrix();
  }

  void set_row_products(int i) {
    const auto& precisions = noise_.precisions();
    if (precisions.has_weights(i)) {
      row_products_.noalias() =
          a_.transpose() * precisions.of_row(*data_, i).matrix().asDiagonal() * a_;
      return;
    }
    row_products_ = products_;
    data_->for_hidden(i, [&](int d) {
      loadings_of_column_ = a_.row(d);
      row_products_.noalias() -=
          precisions.columns(d) * loadings_of_column_ * loadings_of_column_.transpose();
    });
    row_products_ *= precisions.rows(i);
  }

  /// Draws the number of the row's singletons and their weights, given the weights of its other
  /// features.
  template <class LogPriorRatio>
  int draw_own_given_weights(LogPriorRatio log_prior_ratio, Rng& rng) {
    std::vector<OwnWeight> own;
    Eigen::VectorXd shared = v_.row(row_);
    for (int k : own_) {
      own.push_back({shared(k), scales_.local()(k)});
      shared(k) = 0;
    }
    if constexpr (Law::scales)
      if (noise_.learned_of_row(row_))
        NoiseOrFeature<Law>(noise_, row_, scales_).move(own, log_prior_ratio, rng);
    const Eigen::VectorXd rest = x_ - a_ * shared;
    set_own_density(rest.array());
    own_weights_.set(std::move(own));
    own_weights_.move(own_density_, scales_, log_prior_ratio, rng);
    drawn_ =
        OwnLoadings{rest, noise_.precisions().of_row(*data_, row_), 1 / scales_.common.value}.draw(
            own_weights_.weights(), rng);
    return static_cast<int>(own_weights_.weights().size());
  }

  /// Ends the visit: the row's singletons are replaced by the new ones.
  void leave_row(Features& z) {
    replace_own(z, own_weights_.weights(), drawn_, [](int) {});
  }
  template <class F>
  void replace_own(Features& z, const std::vector<OwnWeight>& own, const Eigen::MatrixXd& loadings,
                   F dropped) {
    drop_own(z, own_, [&](int k) {
      drop(k);
      dropped(k);
    });
    for (std::size_t n = 0; n < own.size(); ++n) {
      z.add_own(row_);
      append_column(a_, loadings.col(n));
      append_column(v_, Eigen::VectorXd::Zero(v_.rows()));
      v_(row_, v_.cols() - 1) = own[n].v;
      scales_.append(own[n].local);
      append_both(products_, 0);
      set_products_of(static_cast<int>(a_.cols()) - 1);
    }
  }

  void set_loading(int k, const Eigen::VectorXd& loading) {
    a_.col(k) = loading;
    set_products_of(k);
  }

  std::shared_ptr<const GaussianData> data_;  ///< owned only by likelihoods that redraw it
  HiddenRows hidden_;
  FactorNoise noise_;
  LoadingScales scales_;
  Eigen::MatrixXd a_, v_;
  int row_ = 0;
  std::vector<char> on_;
  std::vector<int> own_;
  Eigen::MatrixXd products_;      ///< A' A, columns weighted by the precisions of their noise
  Eigen::MatrixXd row_products_;  ///< of loadings over observed entries, in units of noise
  Eigen::VectorXd with_x_;        ///< products of the loadings with the row

 private:
  LoadingsGivenWeights regressions() const { return regressions(*data_, hidden_); }
  LoadingsGivenWeights regressions(const GaussianData& data, const HiddenRows& hidden) const {
    return {data, v_ * scales_.sds().matrix().asDiagonal(), noise_.precisions(), hidden};
  }

  void set_products() {
    products_.noalias() = a_.transpose() * noise_.precisions().columns.matrix().asDiagonal() * a_;
  }

  void set_products_of(int k) {
    products_.col(k) = a_.transpose() * (noise_.precisions().columns * a_.col(k).array()).matrix();
    products_.row(k) = products_.col(k).transpose().eval();
  }

  /// Missing entries contribute nothing, like entries with ratio 0.
  void set_own_density(const Eigen::ArrayXd& rest) {
    const Eigen::ArrayXd precision = noise_.precisions().of_row(*data_, row_);
    const Eigen::ArrayXd squares = precision * rest.square();
    if (noise_.by_column() || noise_.precisions().has_weights(row_))
      own_density_.set(squares, precision / scales_.common.value);
    else
      own_density_.set(data_->observed(row_), squares.sum(),
                       noise_.precisions().rows(row_) / scales_.common.value);
  }

  void rescale(int k, Rng& rng) {
    if (Law::scales) {
      const double c = draw_scale<Law>(WeightSums(v_.col(k)), scales_, a_.col(k), rng);
      v_.col(k) *= c;
      a_.col(k) /= c;
    }
    scales_.draw_local(k, a_.col(k), rng);
  }

  void rescale_all(Rng& rng) {
    if (!Law::scales || v_.cols() == 0) return;
    const double c = draw_common_scale<Law>(WeightSums(v_), scales_.common, rng);
    a_ *= c;
    v_ /= c;
    scales_.common.value /= c * c;
  }

  Eigen::VectorXd x_, loadings_of_column_;
  OwnWeightsDensity own_density_;
  OwnWeights<Law> own_weights_;
  Eigen::MatrixXd drawn_;
};

/// Redraws entries of Z with the loadings integrated out.
struct RedrawEntries {
  static constexpr const char* name = "entries";

  template <class Chain>
  static Tally run(Chain& chain, const Check& check) {
    check();
    return chain.likelihood.revisit(chain.z, chain.prior, chain.rng);
  }
};

template <class Law>
MoveList<RedrawEntries> moves_of(const WeightedFeatures<Law>&);

}  // namespace buffet
