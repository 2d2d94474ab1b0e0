#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "core/archive.h"
#include "exchangeable.h"
#include "tree_column.h"
#include "tree_integral.h"

namespace buffet {

/// The quantities of the phylogenetic prior that depend only on its tree.
struct TreeTables {
  /// How the probabilities of features are treated.
  enum class Rates {
    automatic,   ///< integrated out if the tree has at most `most_rows` rows
    integrated,  ///< integrated out: one number for each of the 2^N - 1 columns
    sampled
  };
  static constexpr int most_rows = 12;

  Tree tree;
  double features = 0;              ///< E[K+] / alpha
  std::vector<double> log_own;      ///< for each row, log of the rate of its singletons / alpha
  double log_held_by_all = 0;       ///< log of the rate of features that all rows have / alpha
  std::vector<double> log_columns;  ///< for each column, log of its rate / alpha; empty if sampled

  TreeTables(Tree tree_, Rates rates) : tree(std::move(tree_)) {
    const double total = tree.total_length();
    features = digamma(total + 1) - digamma(1);
    for (int i = 0; i < tree.rows(); ++i)
      log_own.push_back(std::log(digamma(total + 1) - digamma(total - tree.length(i) + 1)));
    log_held_by_all = log_integral(tree, complement(Bits(tree.rows()), tree.rows()));
    if (rates == Rates::sampled || (rates == Rates::automatic && tree.rows() > most_rows)) return;
    log_columns.assign(std::size_t{1} << tree.rows(), 0);
    for (std::size_t h = 1; h < log_columns.size(); ++h) {
      Bits column(tree.rows());
      column.words()[0] = h;
      log_columns[h] = log_integral(tree, column);
    }
  }
};

/// The phylogenetic IBP (Miller, Griffiths & Jordan 2008). A feature with probability pi = 1 -
/// exp(-gamma) begins at the root as 0 and changes to 1, permanently, on an edge of length t with
/// probability 1 - exp(-gamma t); the leaves, at distance 1 from the root, are the rows. The
/// features are a Poisson process with intensity alpha / pi.
///
/// With few rows pi is integrated out. Otherwise it is in the state, stored with its column.
class Phylogenetic : public NothingKept {
 public:
  using Marginal = Exchangeable;

  /// Matrices with more than max_features columns have probability 0.
  Phylogenetic(std::shared_ptr<const TreeTables> tables, Hyper alpha,
               int max_features = std::numeric_limits<int>::max())
      : tables_(std::move(tables)), alpha_(alpha), max_features_(max_features) {}

  /// The prior without the tree, for the search for an initial state.
  Exchangeable marginal() const {
    Exchangeable::Spec spec{alpha_};
    spec.max_features = max_features_;
    return Exchangeable(tree().rows(), spec);
  }

  double log_odds(const Features& z, int i, int k) const {
    if (sampled()) return columns_[z.tag(k)].log_odds(tree(), i);
    const std::size_t bit = std::size_t{1} << i, h = z.column(k).words()[0] & ~bit;
    return tables_->log_columns[h | bit] - tables_->log_columns[h];
  }

  /// Log of P(j + 1) / P(j), where j is the number of features that only row i has: eq. 6.
  double log_own_ratio(int i, int others, int j) const {
    return std::log(alpha_.value) + tables_->log_own[i] + log_number_ratio(others, j);
  }

  /// Log of P(j + 1) / P(j), where j is the number of features that exactly these rows have, if pi
  /// is integrated out: `log_copies` + `log_number_ratio`.
  bool counts_copies() const { return !sampled(); }
  double log_copies(const Bits& rows) const {
    return std::log(alpha_.value) + tables_->log_columns[rows.words()[0]];
  }
  double log_held_by_all() const { return std::log(alpha_.value) + tables_->log_held_by_all; }
  double log_number_ratio(int others, int j) const {
    return others + j < max_features_ ? -std::log(j + 1.0)
                                      : -std::numeric_limits<double>::infinity();
  }
  int most_features() const { return max_features_; }

  /// Log of the sum over all columns of exp(log_prob_of_column()), integrated over pi, and a column
  /// drawn with probability proportional to it.
  double log_columns() const { return std::log(tables_->features); }
  Bits draw_column(Rng& rng) {
    if (sampled()) {
      const double gamma = draw_rate_of_any(tree(), rng);
      drawn_log_rate_ = std::log(gamma);
      return draw_history(tree(), gamma, rng);
    }
    double rest = rng.uniform() * tables_->features;
    std::size_t h = 1;
    const auto& log_columns = tables_->log_columns;
    while (h + 1 < log_columns.size() && (rest -= std::exp(log_columns[h])) > 0) ++h;
    Bits column(tree().rows());
    column.words()[0] = h;
    return column;
  }

  /// Log probability of the matrix with its columns in uniformly random order; if pi is in the
  /// state, the joint density of the matrix and pi.
  double log_prob(const Features& z) const {
    double sum = log_prob_of_number(z.size());
    for (int k = 0; k < z.size(); ++k) sum += log_prob_of_column(z, k);
    return sum;
  }
  /// The factors of log_prob().
  double log_prob_of_number(int size) const {
    if (size > max_features_) return -std::numeric_limits<double>::infinity();
    return size * std::log(alpha_.value) - alpha_.value * tables_->features - log_factorial(size);
  }
  double log_prob_of_column(const Features& z, int k) const {
    return log_column(z.column(k), z.tag(k));
  }
  double log_prob_lof(const Features& z) const {
    const double orders = log_prob(z) + log_factorial(z.size());
    return sampled() ? orders : orders - z.log_repeats(log_factorial);
  }
  double log_ratio_replaced(const Features& z, int k, const Bits& column) const {
    return log_column(column, z.tag(k)) - log_column(z.column(k), z.tag(k));
  }

  /// Notifications that update the state: all features are new; bit i of k was flipped; k was
  /// replaced; row i was visited, and may have new singletons.
  void reset(const Features& z, Rng& rng) {
    if (!sampled()) return;
    columns_.clear();
    follow(z);
    for (int k = 0; k < z.size(); ++k) {
      const double share = z.count(k) / (z.rows() + 1.0);
      columns_[z.tag(k)].set_rate(tree(), std::log(-std::log1p(-share)));
      for (int n = 0; n < 5; ++n) draw_rate(z, k, rng);
    }
  }
  void flipped(const Features& z, int i, int k) {
    if (sampled()) columns_[z.tag(k)].flip(tree(), i);
  }
  void replaced(const Features& z, int k) {
    if (sampled()) columns_[z.tag(k)].set(tree(), z.column(k));
  }
  void left(const Features& z, int i, Rng& rng) {
    if (!sampled()) return;
    for (int k = 0; k < z.size(); ++k)
      if (z.at(i, k) && z.is_own(i, k)) keep(z, k, std::log(draw_own_rate(tree().length(i), rng)));
  }

  /// Feature k has the last column that was drawn.
  void born(const Features& z, int k) {
    if (sampled()) keep(z, k, drawn_log_rate_);
  }

  /// Draws pi given that all rows have the feature. Its density is proportional to P(all | pi) /
  /// pi, which is at most 1 because each row has it with probability pi; it is drawn by rejection
  /// from the uniform.
  void added_to_all(const Features& z, int k, Rng& rng) {
    if (!sampled()) return;
    const TreeHistory history(tree(), z.column(k));
    for (;;) {
      const double gamma = -std::log(rng.uniform()), pi = -std::expm1(-gamma);
      if (std::log(rng.uniform() * pi) < history.log_prob(gamma))
        return keep(z, k, std::log(gamma));
    }
  }

  /// Draws what the state stores for a column that a move proposes, and returns the log density of
  /// the draw with respect to pi: Beta(m, N - m + 1), as if the rows were exchangeable.
  double propose(const Features& z, int k, Rng& rng) {
    if (!sampled()) return 0;
    const double on = rng.gamma(z.count(k), 1), off = rng.gamma(z.rows() - z.count(k) + 1, 1);
    keep(z, k, std::log(std::log1p(on / off)));
    return log_proposed(z, k);
  }
  double log_proposed(const Features& z, int k) const {
    if (!sampled()) return 0;
    const double gamma = std::exp(columns_[z.tag(k)].log_rate()), m = z.count(k);
    const double off = z.rows() - m + 1;
    return (m - 1) * std::log(-std::expm1(-gamma)) - (off - 1) * gamma - log_beta(m, off);
  }

  /// Draws pi given each column, and alpha from its Gamma conditional.
  void update(const Features& z, Rng& rng) {
    if (sampled())
      for (int k = 0; k < z.size(); ++k) draw_rate(z, k, rng);
    if (alpha_.learned)
      alpha_.value = rng.gamma(alpha_.shape + z.size(), alpha_.rate + tables_->features);
  }

  double log_hyperprior() const { return alpha_.log_prior(); }
  double alpha() const { return alpha_.value; }
  static constexpr std::array<const char*, 1> hyperparameter_names{"alpha"};
  std::array<double, 1> hyperparameters() const { return {alpha()}; }
  void set(const std::array<double, 1>& values) { alpha_.value = values[0]; }
  void restart() {
    if (alpha_.learned) alpha_.value = 1;
  }
  void adopt(const Exchangeable& marginal) { alpha_.value = marginal.alpha(); }

  void archive(Archive& a) {
    a(alpha_.value);
    if (!sampled()) return;
    std::vector<double> log_rates;
    for (const TreeColumn& column : columns_) log_rates.push_back(column.log_rate());
    a(log_rates);
    if (!a.reads()) return;
    columns_.assign(log_rates.size(), {});
    for (std::size_t tag = 0; tag < columns_.size(); ++tag)
      columns_[tag].set_rate(tree(), log_rates[tag]);
  }
  /// Called after reading an archive.
  void follow(const Features& z) {
    if (!sampled()) return;
    columns_.resize(z.tags());
    for (int k = 0; k < z.size(); ++k) columns_[z.tag(k)].set(tree(), z.column(k));
  }

 private:
  const Tree& tree() const { return tables_->tree; }
  bool sampled() const { return tables_->log_columns.empty(); }

  /// Stores feature k in the state, with this rate.
  void keep(const Features& z, int k, double log_rate) {
    columns_.resize(z.tags());
    columns_[z.tag(k)].set(tree(), z.column(k));
    columns_[z.tag(k)].set_rate(tree(), log_rate);
  }

  /// Log rate of a column / alpha; if its pi is in the state, a density with respect to pi.
  double log_column(const Bits& column, int tag) const {
    if (!sampled()) return tables_->log_columns[column.words()[0]];
    const double gamma = std::exp(columns_[tag].log_rate());
    return TreeHistory(tree(), column).log_prob(gamma) - std::log(-std::expm1(-gamma));
  }

  void draw_rate(const Features& z, int k, Rng& rng) {
    TreeColumn& column = columns_[z.tag(k)];
    const TreeHistory history = column.history(tree());
    const auto log_density = [&](double y) {
      return std::abs(y) < 300 ? history.log_density(y) : -std::numeric_limits<double>::infinity();
    };
    if (log_density(column.log_rate()) == -std::numeric_limits<double>::infinity()) return;
    const double width = 3 / std::sqrt(double(history.origins()));
    column.set_rate(tree(), slice_sample(column.log_rate(), log_density, width, rng));
  }

  /// Draws gamma for a feature that only the row at the end of an edge of length t has: the density
  /// of pi is proportional to (1 - q^t) q^(T-t) / pi, q = 1 - pi; pi is drawn by rejection from
  /// Beta(1, T) (eq. 8).
  double draw_own_rate(double t, Rng& rng) const {
    for (;;) {
      const double gamma = -std::log(rng.uniform()) / tree().total_length();
      const double log_accept =
          std::log(-std::expm1(-gamma * t) / (-t * std::expm1(-gamma))) - gamma * (1 - t);
      if (std::log(rng.uniform()) < log_accept) return gamma;
    }
  }

  std::shared_ptr<const TreeTables> tables_;
  Hyper alpha_;
  int max_features_;
  std::vector<TreeColumn> columns_;  ///< indexed by the tags of Features
  double drawn_log_rate_ = 0;
};

}  // namespace buffet
