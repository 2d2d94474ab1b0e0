#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/features.h"
#include "core/parallel.h"
#include "core/rng.h"
#include "point/factor/ascent_data.h"
#include "point/factor/gaussian_factor.h"
#include "point/factor/row_moments.h"
#include "point/factor/row_search.h"

namespace buffet {

/// How it is done.
struct MeibpPlan {
  int max_features = 20;
  double tol = 1e-7;
  RowRule rule = RowRule::climb;
  int threads = 1;
};

/// Maximisation-expectation for nonnegative loadings (Reed & Ghahramani 2013): Z is a point, A and
/// the hyperparameters have variational factors, and every step raises a lower bound of the log
/// evidence. Z counts as ordered ("shifted" class).
template <class Prior>
class Meibp {
 public:
  using Factor = GaussianFactor<NonnegativeNormal>;

  Meibp(const AscentData& data, const MeibpPlan& plan, const Prior& prior, Precisions precisions)
      : z(data.rows()),
        prior_(prior),
        alpha_(prior.spec().alpha),
        factor_(data.masks, data.columns, precisions),
        data_(&data),
        plan_(plan) {
    const double rms = data.root_mean_square(), tau = rms > 0 ? 1 / (rms * rms) : 1;
    factor_.start_precisions(tau, tau);
    update_alpha();
  }

  Features z;

  /// Where the precisions that are learned start; the root mean square of the data otherwise.
  void start_precisions(double x, double a) { factor_.start_precisions(x, a); }

  const AscentData& data() const { return *data_; }
  const MeibpPlan& plan() const { return plan_; }
  MeibpPlan& plan() { return plan_; }
  const Factor& factor() const { return factor_; }
  const Prior& prior() const { return prior_; }
  const GammaFactor& alpha() const { return alpha_; }
  double bound() const { return bound_; }

  /// A column of Z with a guess of its loadings; settle() afterwards.
  void add(Bits column, const Eigen::VectorXd& loading) {
    factor_.append(sum(column), loading);
    z.add(std::move(column));
  }
  void drop(int k) {
    z.drop(k);
    factor_.drop(k);
  }

  void drop_empty() {
    for (int k = z.size() - 1; k >= 0; --k)
      if (z.count(k) == 0) drop(k);
  }

  /// The factors given Z, and the bound.
  void settle(const Passes& passes) {
    factor_.update(z, data_->total, passes, plan_.threads);
    update_alpha();
    bound_ = factor_.bound(data_->observed()) + prior_.log_evidence(z);
  }

  /// One iteration: every row's features, then the factors.
  void iterate(Rng& rng, const Check& check) {
    search_rows(rng, check);
    drop_empty();
    settle(passes());
  }

  /// Passes of an iteration: where rows are many a little change of loadings is worth much.
  Passes passes() const {
    return data_->rows() < 20000 ? Passes{20, 0.05, 0.01} : Passes{100, 0.001, 0.01};
  }

  /// Searches the features of some rows only.
  void search_some(const std::vector<int>& rows, Rng& rng, const Check& check) {
    RowTerms terms(*this);
    data_->source.for_each([&](int from, const GaussianData& block) {
      std::vector<Change> changes;
      for (int i : rows) {
        if (i < from || i >= from + block.rows()) continue;
        check();
        terms.search(i, block.times(factor_.mean(), i - from), rng, changes);
      }
      add_changes(block, from, changes);
    });
  }

  /// What is known of features before any of the rows has been seen.
  struct Known {
    const Eigen::MatrixXd &mean, &variance;  ///< of the loadings, D x K
    double tau_x, tau_a;
    std::vector<int> counts;  ///< how many other rows hold each, none 0
  };

  /// Searches all rows given known features; settle() afterwards.
  void place(const Known& known, Rng& rng, const Check& check) {
    factor_.adopt(known.mean, known.variance);
    factor_.start_precisions(known.tau_x, known.tau_a);
    z = Features(z.rows());
    for (std::size_t k = 0; k < known.counts.size(); ++k) z.add(Bits(z.rows()));
    known_counts_ = known.counts;
    search_rows(rng, check);
    known_counts_.clear();
  }

  template <class Archive>
  void archive(Archive& a) {
    a(z);
    a(prior_);
    a(alpha_);
    a(factor_);
    a(bound_);
  }

 private:
  /// An entry of Z that has changed: z_ik by +-1.
  struct Change {
    int i, k, by;
  };

  /// The problem of a row, from what rows with the same missing entries share.
  class RowTerms {
   public:
    explicit RowTerms(Meibp& state)
        : state_(state),
          search_(problem_, state.plan_.rule),
          moments_(state.factor_, state.data_->masks) {
      problem_.fresh.resize(state_.z.size());
      enter_pattern(0);
    }

    /// x_mean = E[A] x_i.
    void search(int i, const Eigen::VectorXd& x_mean, Rng& rng, std::vector<Change>& changes) {
      enter_pattern(state_.data_->masks.pattern_of(i));
      pose(i, x_mean);
      auto& z = state_.z;
      if (!search_.improve([&](int k) { return z.at(i, k); }, rng)) return;
      for (int k = 0; k < z.size(); ++k) {
        if (search_.best.on(k) == z.at(i, k)) continue;
        changes.push_back({i, k, z.at(i, k) ? -1 : 1});
        z.flip(i, k);
      }
    }

   private:
    void enter_pattern(int pattern) {
      if (!moments_.enter(pattern)) return;
      problem_.weights = state_.factor_.tau_x().mean() * moments_.observed();
      own_ = -0.5 * problem_.weights.diagonal();
      problem_.weights.diagonal().setZero();
    }

    void pose(int i, const Eigen::VectorXd& x_mean) {
      const auto& z = state_.z;
      problem_.linear = state_.factor_.tau_x().mean() * x_mean + own_;
      int fresh = 0, shared = 0;
      for (int k = 0; k < z.size(); ++k) {
        const int others = state_.others(i, k);
        problem_.fresh[k] = others == 0;
        if (others == 0) {
          ++fresh;
          problem_.linear(k) += state_.factor_.log_own(k);
        } else {
          ++shared;
          problem_.linear(k) += state_.prior_.log_odds_of(others);
        }
      }
      problem_.log_new.clear();
      for (int j = 0; j < fresh; ++j)
        problem_.log_new.push_back(state_.prior_.log_new_ratio(shared + j));
    }

    Meibp& state_;
    RowProblem problem_;
    RowSearch search_;
    RowMoments<Factor> moments_;
    Eigen::VectorXd own_;
  };

  int others(int i, int k) const {
    return known_counts_.empty() ? z.count_without(i, k) : known_counts_[k];
  }

  void search_rows(Rng& rng, const Check& check) {
    RowTerms terms(*this);
    data_->source.for_each([&](int from, const GaussianData& block) {
      const Eigen::MatrixXd x_mean = scores(block, check);
      std::vector<Change> changes;
      for (int i = 0; i < block.rows(); ++i) {
        if (i % chunk == 0) check();
        terms.search(from + i, x_mean.col(i), rng, changes);
      }
      add_changes(block, from, changes);
    });
  }

  static constexpr int chunk = 256;

  /// E[A] X, K x rows of the block.
  Eigen::MatrixXd scores(const GaussianData& block, const Check& check) const {
    Eigen::MatrixXd scores(z.size(), block.rows());
    const int tasks = (block.rows() + chunk - 1) / chunk;
    parallel_for(tasks, plan_.threads, [&](int t) {
      check();
      const int from = t * chunk, count = std::min(chunk, block.rows() - from);
      scores.middleCols(from, count) = block.times_rows(factor_.mean(), from, count);
    });
    return scores;
  }

  /// Brings X Z up to date: by a product where many entries have changed, else one by one.
  void add_changes(const GaussianData& block, int from, const std::vector<Change>& changes) {
    if (changes.empty()) return;
    auto& sums = factor_.sums();
    if (block.is_sparse()) {
      for (const Change& c : changes) block.add(c.i - from, c.by, sums.col(c.k));
      return;
    }
    const bool many = changes.size() > 0.1 * block.rows() * double(z.size());
    Eigen::MatrixXd by;
    if (many) {
      by.setZero(block.rows(), z.size());
      for (const Change& c : changes) by(c.i - from, c.k) = c.by;
    }
    const int tasks = (data_->columns + chunk - 1) / chunk;
    parallel_for(tasks, plan_.threads, [&](int t) {
      const int first = t * chunk, count = std::min(chunk, data_->columns - first);
      const auto x = block.dense().middleRows(first, count);
      auto s = sums.middleRows(first, count);
      if (many)
        s.noalias() += x * by;
      else
        for (const Change& c : changes) s.col(c.k) += c.by * x.col(c.i - from);
    });
  }

  /// X times a column of Z.
  Eigen::VectorXd sum(const Bits& rows) const {
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(data_->columns);
    data_->source.for_each([&](int from, const GaussianData& block) {
      for (int i = 0; i < block.rows(); ++i)
        if (rows.at(from + i)) block.add(i, 1, sum);
    });
    return sum;
  }

  void update_alpha() {
    if (!alpha_.learned()) return;
    alpha_.update(z.size(), prior_.expected_features());
    prior_.set({std::exp(alpha_.mean_log()), prior_.concentration()});
  }

  Prior prior_;  ///< at exp E log alpha
  GammaFactor alpha_;
  Factor factor_;
  const AscentData* data_;
  MeibpPlan plan_;
  double bound_ = 0;
  std::vector<int> known_counts_;  ///< in the place of those of z during place()
};

}  // namespace buffet
