#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/archive.h"
#include "core/check.h"
#include "core/features.h"
#include "first_holders.h"
#include "gaussian/gaussian_rows.h"
#include "gibbs/gibbs.h"
#include "gibbs/start.h"
#include "own_features.h"
#include "row_chain.h"
#include "row_pass.h"
#include "shared_loadings.h"
#include "statistics_sum.h"

namespace buffet {

/// The rows that are used to search for an initial state.
struct SomeRows {
  std::vector<int> rows;
  GaussianData x;

  /// At most `most` rows, evenly spaced.
  static std::shared_ptr<const SomeRows> of(const GaussianRows& data, int most) {
    const int count = std::min(most, data.rows());
    std::vector<int> rows;
    for (int n = 0; n < count; ++n)
      rows.push_back(static_cast<int>((2 * long{n} + 1) * data.rows() / (2 * long{count})));
    return std::make_shared<const SomeRows>(SomeRows{rows, some_rows(data, rows)});
  }
};

/// A Gibbs sampler whose rows are independent of each other, so they can be divided among the
/// workers of a cluster. Each worker has its own part of Z; everything else is the same for all
/// workers. Loadings and the probabilities of features are in the state while rows are visited. A
/// sweep draws hyperparameters, loadings and probabilities from sums over all rows, then all rows.
/// The ways to draw a row are
///
/// - all its bits except those that keep features in use (FirstHolders), or
/// - its bits of features that several rows have, which stay shared, then the number of its
///   singletons, with their loadings and probabilities integrated out: these numbers are
///   independent.
///
/// The choice between them is random. Random numbers belong to rows, or are the same for all
/// workers.
template <class Loadings>
class SharedGibbs {
 public:
  using Searcher = Gibbs<Exchangeable, GaussianCollapsed>;
  static constexpr bool searches = true;

  Features z;  ///< the worker's own part, with counts over all rows
  KnownProbabilities prior;
  Loadings likelihood;
  Rng rng;

  /// some: the rows used to search for an initial state; null for no search.
  SharedGibbs(const GaussianRows& data, std::shared_ptr<const SomeRows> some,
              const KnownProbabilities& prior_, const Loadings& likelihood_)
      : z(data.own_rows()),
        prior(prior_),
        likelihood(likelihood_),
        rng(0),
        data_(&data),
        some_(std::move(some)) {}

  void sweep() { sweep(no_check); }
  void sweep(const Check& check) { sweep(Way{check}); }
  /// A sweep without joint updates of several bits.
  void sweep_bare(const Check& check) { sweep(Way{check, true}); }

  /// Starts from given features, or a random one, and from the given hyperparameters.
  void start(const Start& from) {
    constexpr double density = GaussianMarginal::search_shape.density;
    prior.restart();
    likelihood.restart();
    z = data_->own_part(from.features ? *from.features : one_feature(data_->rows(), density, rng));
    put_given(prior, from);
    put_sigmas(likelihood, given_to(likelihood, from));
    reset();
  }
  /// Sets the loadings from Z alone.
  void reset() {
    statistics_ = observed_statistics();
    likelihood.reset(statistics_);
    if (!data_->complete()) complete();
    squares_ = left_squares(no_check);
  }

  /// Draws values for all missing entries.
  void complete() {
    const FirstHolders holders(*data_, z, 0, 1);
    const auto draw = [&](auto&&...) { return Eigen::MatrixXd(data_->columns, 0); };
    set_statistics(pass(holders, draw, [](auto&&...) {}, {no_check}));
  }

  Searcher searcher() const {
    const GaussianData& x = some_->x;
    const Exchangeable of_some(x.rows(), prior.spec());
    return Searcher(Features(x.rows()), of_some, {x, likelihood.precisions()}, rng);
  }
  /// Continues from the result found for some of the rows: the other rows draw their bits of these
  /// features, starting without any, with annealed noise; then all rows do the same with updated
  /// loadings.
  void adopt(Searcher searcher, const Check& check = no_check) {
    rng = std::move(searcher.rng);
    prior.set(searcher.prior.hyperparameters());
    const Precisions& found = searcher.likelihood.precisions();
    likelihood.set_precisions(found.x.value, found.a.value);
    spread(searcher.z);
    likelihood.adopt(searcher.likelihood.loadings());
    prior.estimate(z, some_->x.rows());
    cool(check);
    likelihood.update(
        statistics_, [&] { return left_squares(check); }, rng);
    cool(check);
    squares_ = left_squares(check);
  }

  std::vector<double> scalars() const {
    std::vector<double> values{double(z.size()), double(z.total())};
    for (double v : prior.hyperparameters()) values.push_back(v);
    for (double v : likelihood.hyperparameters()) values.push_back(v);
    values.push_back(log_lik());
    values.push_back(log_joint());
    return values;
  }
  static std::vector<std::string> scalar_names() { return Searcher::scalar_names(); }

  /// log p(observed entries | Z, A), and the log joint density, which includes the priors of [Z], A
  /// and the hyperparameters.
  double log_lik() const { return likelihood.log_lik(squares_); }
  double log_joint() const {
    return log_lik() + prior.log_prob(z) + log_orders() + prior.log_hyperprior() +
           likelihood.log_hyperprior();
  }

  void archive(Archive& a) {
    data_->archive(a, z);
    a(prior);
    a(likelihood);
    a(statistics_);
    a.check(likelihood.fits(z) && statistics_.fits(data_->columns, z),
            "what goes with its features");
    a(rng);
  }

 private:
  static constexpr int coolings = 40;

  struct Way {
    const Check& check;
    bool bare = false;  ///< bit by bit
    double heat = 1;    ///< factor by which the noise variance is multiplied
  };

  void sweep(const Way& way) {
    prior.update(z, rng);
    likelihood.update(
        statistics_, [&] { return left_squares(way.check); }, rng);
    if (rng.bernoulli(0.5)) {
      prior.draw(z, rng);
      draw_bits(way);
    } else {
      draw_own(way);
    }
    squares_ = left_squares(way.check);
  }

  template <class DrawRow, class Keep>
  GaussianStatistics pass(const FirstHolders& holders, DrawRow draw, Keep keep, const Way& way) {
    const double variance = way.heat * likelihood.variance();
    RowByScores fit(likelihood.loadings(), variance);
    Rng rows = row_numbers();
    RowPass pass({*data_, likelihood.loadings(), way.check}, variance,
                 {z, prior, fit, rows, way.bare});
    return pass.run(holders, draw, keep);
  }

  /// Draws all bits under a variance that falls from the variance of the data to the noise
  /// variance.
  void cool(const Check& check) {
    const double rms = data_->root_mean_square();
    const double hottest = std::max(1.0, rms * rms / likelihood.variance());
    for (int n = 0; n <= coolings; ++n) {
      draw_bits({check, false, std::pow(hottest, 1 - double(n) / coolings)});
      prior.estimate(z, data_->rows());
    }
  }

  /// A source of random numbers for the rows.
  Rng row_numbers() {
    const std::uint64_t high = rng(), low = rng();
    return Rng(high << 32 | low);
  }

  /// Draws all bits of all rows.
  void draw_bits(const Way& way) {
    const FirstHolders holders(*data_, z, rng.below(data_->rows()), 1);
    const auto draw = [&](const VisitedRow& row, const std::vector<int>& free, RowChain& chain) {
      draw_free_bits(row.own, free, chain);
      return Eigen::MatrixXd(data_->columns, 0);
    };
    set_statistics(pass(
        holders, draw, [](auto&&...) {}, way));
  }

  /// Draws the bits of features that several rows have, and the rows' singletons.
  void draw_own(const Way& way) {
    const Ownership ownership(z, data_->own_rows());
    const auto shared = static_cast<int>(ownership.shared.size());
    const auto log_ratio = prior.own_log_ratio(
        shared, [&] { return ownership.counts(*data_); }, rng);
    const Features z_before = z;
    const Eigen::MatrixXd a = likelihood.loadings();
    z = z.some(ownership.shared);
    likelihood.set_loadings(some_columns(a, ownership.shared));
    prior.draw(z, rng);
    const FirstHolders holders(*data_, z, rng.below(data_->rows()), 2);
    const auto draw = [&](const VisitedRow& row, const std::vector<int>& free, RowChain& chain) {
      Eigen::MatrixXd own = some_columns(a, ownership.of_rows[row.own]);
      const auto log_ratio_of_row = [&](int j) { return log_ratio(row.number, j); };
      likelihood.draw_with_own({row, free, own}, log_ratio_of_row, chain);
      return own;
    };
    NewFeatures drawn(data_->columns, shared);
    const auto keep = [&](int row, const Eigen::MatrixXd& own, const Eigen::VectorXd& entries,
                          const std::vector<int>& on) { drawn.add(row, own, entries, on); };
    GaussianStatistics statistics = pass(holders, draw, keep, way);
    drawn.gather(data_->team);
    if (shared + drawn.size() > prior.most_features()) {
      // Rejecting every result with more than max_features features preserves the law restricted to
      // at most max_features.
      z = z_before;
      likelihood.set_loadings(a);
      return;
    }
    add(drawn);
    drawn.extend(statistics);
    set_statistics(std::move(statistics));
  }

  void set_statistics(GaussianStatistics statistics) {
    statistics_ = std::move(statistics);
    for (int k = 0; k < z.size(); ++k) z.set_count(k, static_cast<int>(statistics_.c(k, k)));
  }

  void add(const NewFeatures& drawn) {
    Eigen::MatrixXd a = likelihood.loadings();
    a.conservativeResize(data_->columns, z.size() + drawn.size());
    a.rightCols(drawn.size()) = drawn.loadings();
    likelihood.set_loadings(std::move(a));
    for (int n = 0; n < drawn.size(); ++n) {
      Bits column(z.rows());
      const int own = drawn.row(n) - data_->first_row();
      if (own >= 0 && own < z.rows()) column.set(own);
      z.add(std::move(column));
    }
  }

  /// The sum of squares of the observed entries of X - Z A.
  double left_squares(const Check& check) const {
    const Eigen::MatrixXd& a = likelihood.loadings();
    if (data_->complete()) return statistics_.left_squares(a);
    return buffet::left_squares({*data_, a, check}, z);
  }

  /// Statistics with missing entries left out.
  GaussianStatistics observed_statistics() const {
    StatisticsSum sums(data_->columns, z.size());
    std::vector<int> on;
    data_->source.for_each([&](const RowBlock& b) {
      sums.begin(b.number);
      for (int n = 0; n < b.count; ++n) {
        list_on(z, b.first + n, on);
        const int i = b.from + n;
        sums.add(b.x, i, Eigen::VectorXd::Zero(b.x.hidden_count(i)), on);
      }
    });
    return sums.total(z, data_->team);
  }

  /// Extends features of the selected rows to all rows; the other rows have none of them.
  void spread(const Features& of_some) {
    Features all(data_->rows());
    for (int k = 0; k < of_some.size(); ++k) {
      Bits column(data_->rows());
      of_some.column(k).for_each([&](int n) { column.set(some_->rows[n]); });
      all.add(std::move(column));
    }
    z = data_->own_part(all);
  }

  /// Log of the number of distinct matrices obtained by reordering the columns.
  double log_orders() const {
    const Eigen::MatrixXd& c = statistics_.c;
    double sum = 0;
    for (int k = 0; k < z.size(); ++k) {
      int equal = 1;
      for (int l = 0; l < k; ++l) equal += c(k, l) == c(k, k) && c(k, l) == c(l, l);
      sum += std::log((k + 1.0) / equal);
    }
    return sum;
  }

  const GaussianRows* data_;
  std::shared_ptr<const SomeRows> some_;
  GaussianStatistics statistics_;
  double squares_ = 0;  ///< sum of squares of X - Z A over the observed entries
};

}  // namespace buffet
