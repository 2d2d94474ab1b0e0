#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "contract.h"
#include "core/archive.h"
#include "core/features.h"
#include "core/hyper.h"
#include "core/rng.h"
#include "core/slice.h"
#include "core/special.h"

namespace buffet {

/// The exchangeable priors on binary matrices. A feature that m of the other n - 1 rows have is on
/// with odds (m + a) : (n - 1 - m + b):
/// finite beta-Bernoulli  a = alpha c / K, b = c      (K = n_features columns)
/// IBP, 1-3 parameters    a = -discount,   b = c + discount
/// Griffiths & Ghahramani (2011) sections 2 and 7.1; Teh & Gorur (2009).
class Exchangeable : public NothingKept {
 public:
  using Marginal = Exchangeable;  ///< the prior for the search for initial states

  struct Spec {
    Hyper alpha;
    Hyper concentration = Hyper::fixed(1);
    double discount = 0;
    int n_features = 0;                                  ///< 0: unbounded
    int max_features = std::numeric_limits<int>::max();  ///< matrices with more features have
                                                         ///< probability 0
  };

  Exchangeable(int rows, Spec spec) : rows_(rows), spec_(spec) { tabulate(); }

  /// Log odds of z_ik = 1 given the other rows, at least one of which has feature k.
  double log_odds(const Features& z, int i, int k) const {
    return log_odds_of(z.count_without(i, k));
  }
  /// Log odds for a feature that `others` of the other rows have.
  double log_odds_of(int others) const { return log_odds_[others]; }

  /// Log of P(j + 1) / P(j), where j is the number of features that only row i has, and there are
  /// `others` other features: Poisson, or binomial in the finite model.
  double log_own_ratio(int, int others, int j) const {
    return log_own_ + log_number_ratio(others, j);
  }

  /// Log of P(j + 1) / P(j), where j is the number of features that exactly these rows have:
  /// `log_copies` + `log_number_ratio`. The second term is the log of 1 / (j + 1) or, in the finite
  /// model, of the number of unused features / (j + 1).
  static constexpr bool counts_copies() { return true; }
  double log_copies(const Bits& rows) const {
    const double alpha = spec_.alpha.value, c = spec_.concentration.value;
    return log_column(rows.count(), alpha, c) - (finite() ? log_column(0, alpha, c) : 0);
  }
  double log_held_by_all() const { return log_copies(complement(Bits(rows_), rows_)); }
  double log_number_ratio(int others, int j) const {
    if (others + j >= most_features()) return -infinity();
    return finite() ? std::log((spec_.n_features - others - j) / (j + 1.0)) : -std::log(j + 1.0);
  }

  /// Log of P(the features and one more, which a single row has) / P(the features), for matrices in
  /// the same form as in log_prob.
  double log_new_ratio(int size) const { return log_own_ratio(0, size, 0) - std::log(size + 1.0); }

  /// Log probability of the matrix with its columns in uniformly random order ("shifted" class); up
  /// to a constant if max_features excludes some matrices.
  double log_prob(const Features& z) const {
    return log_prob_at(z, spec_.alpha.value, spec_.concentration.value);
  }

  /// The factors of log_prob().
  double log_prob_of_number(int size) const {
    return log_prob_of_number(size, spec_.alpha.value, spec_.concentration.value);
  }
  double log_prob_of_column(const Features& z, int k) const {
    return log_column(z.count(k), spec_.alpha.value, spec_.concentration.value);
  }

  /// Log of the sum over all columns of the factor of a column, and a column drawn with probability
  /// proportional to its factor: the first row that has it, then the other rows one by one. If m of
  /// n earlier rows have it, the next row has it with odds (m + a) : (n - m + b).
  double log_columns() const {
    double sum = 0;
    for (double p : first_owner()) sum += p;
    return std::log(sum) + (finite() ? 0 : std::log(spec_.alpha.value));
  }
  Bits draw_column(Rng& rng) const {
    const std::vector<double> first = first_owner();
    double rest = 0;
    for (double p : first) rest += p;
    rest *= rng.uniform();
    int i = 0;
    while (i + 1 < rows_ && (rest -= first[i]) > 0) ++i;
    Bits column(rows_);
    column.set(i);
    int m = 1;
    while (++i < rows_)
      if (rng.bernoulli((m + shape_on()) / (i + shape_on() + shape_off()))) {
        column.set(i);
        ++m;
      }
    return column;
  }

  /// Log probability of the left-ordered class of z.
  double log_prob_lof(const Features& z) const {
    return log_prob(z) + log_factorial(z.size()) - z.log_repeats(log_factorial);
  }

  /// log_prob(), with alpha integrated out if its prior is conjugate.
  double log_evidence(const Features& z) const {
    const Hyper& h = spec_.alpha;
    if (!h.learned || finite()) return log_prob(z);
    const double shape = h.shape + z.size();
    const double rate = h.rate + expected_features(spec_.concentration.value);
    return log_prob_at(z, 1, spec_.concentration.value) + rate - h.rate +
           h.shape * std::log(h.rate) - log_gamma(h.shape) + log_gamma(shape) -
           shape * std::log(rate);
  }

  /// Change in log_prob when a nonempty column replaces column k.
  double log_ratio_replaced(const Features& z, int k, const Bits& column) const {
    const double alpha = spec_.alpha.value, c = spec_.concentration.value;
    return log_column(column.count(), alpha, c) - log_column(z.count(k), alpha, c);
  }

  const Exchangeable& marginal() const { return *this; }
  void adopt(const Exchangeable& marginal) { set(marginal.hyperparameters()); }

  /// Draws alpha (Gamma full conditional; slice in the finite model) and the concentration
  /// (slice on the log scale).
  void update(const Features& z, Rng& rng) {
    if (spec_.alpha.learned) update_alpha(z, rng);
    if (spec_.concentration.learned) update_concentration(z, rng);
    if (spec_.alpha.learned || spec_.concentration.learned) tabulate();
  }

  double log_hyperprior() const {
    return spec_.alpha.log_prior() + spec_.concentration.log_prior();
  }

  bool finite() const { return spec_.n_features > 0; }
  const Spec& spec() const { return spec_; }
  double alpha() const { return spec_.alpha.value; }
  /// E[K+] / alpha for the infinite priors.
  double expected_features() const { return expected_features(spec_.concentration.value); }
  double concentration() const { return spec_.concentration.value; }
  /// Matrices with more columns have probability 0.
  int most_features() const {
    return finite() ? std::min(spec_.n_features, spec_.max_features) : spec_.max_features;
  }

  static constexpr std::array<const char*, 2> hyperparameter_names{"alpha", "concentration"};
  std::array<double, 2> hyperparameters() const { return {alpha(), concentration()}; }
  void set(const std::array<double, 2>& values) {
    spec_.alpha.value = values[0];
    spec_.concentration.value = values[1];
    tabulate();
  }

  /// Resets the learned hyperparameters to 1, the value at which chains start.
  void restart() {
    set({spec_.alpha.learned ? 1 : spec_.alpha.value,
         spec_.concentration.learned ? 1 : spec_.concentration.value});
  }

  void archive(Archive& a) {
    a(spec_.alpha.value);
    a(spec_.concentration.value);
    if (a.reads()) tabulate();
  }

 protected:
  int rows() const { return rows_; }
  /// a and b as above.
  double shape_on() const { return a(spec_.alpha.value, spec_.concentration.value); }
  double shape_off() const { return b(spec_.concentration.value); }

  /// Log of the constant in alpha constant pi^(-1-d) (1 - pi)^(c+d-1), the intensity of the
  /// infinite priors.
  double log_levy_constant() const { return log_levy_constant(spec_.concentration.value); }

 private:
  static double infinity() { return std::numeric_limits<double>::infinity(); }

  double a(double alpha, double c) const {
    return finite() ? alpha * c / spec_.n_features : -spec_.discount;
  }
  double b(double c) const { return finite() ? c : c + spec_.discount; }

  /// E[K+]/alpha for the infinite priors: sum over rows n of G(1 + c) G(n - 1 + c + d) / (G(n + c)
  /// G(c + d)).
  double expected_features(double c) const {
    double term = 1, sum = 0;
    for (int n = 1; n <= rows_; ++n) {
      sum += term;
      term *= (n - 1 + c + spec_.discount) / (n + c);
    }
    return sum;
  }

  /// For every row, the share of columns whose first row it is in the total weight of all columns:
  /// the terms of expected_features() or, in the finite model, probabilities.
  std::vector<double> first_owner() const {
    std::vector<double> share(rows_);
    double left = finite() ? shape_on() / (shape_on() + shape_off()) : 1;
    for (int i = 0; i < rows_; ++i) {
      share[i] = left;
      left *= finite() ? (i + shape_off()) / (i + 1 + shape_on() + shape_off())
                       : (i + shape_off()) / (i + 1 + spec_.concentration.value);
    }
    return share;
  }

  /// Log weight of a column with m rows.
  double log_column(int m, double alpha, double c) const {
    const double d = spec_.discount;
    if (finite()) return log_beta(m + a(alpha, c), rows_ - m + c) - log_beta(a(alpha, c), c);
    return std::log(alpha) + log_levy_constant(c) + log_gamma(m - d) +
           log_gamma(rows_ - m + c + d) - log_gamma(rows_ + c);
  }

  double log_levy_constant(double c) const {
    const double d = spec_.discount;
    return log_gamma(1 + c) - log_gamma(1 - d) - log_gamma(c + d);
  }

  double log_prob_at(const Features& z, double alpha, double c) const {
    double sum = log_prob_of_number(z.size(), alpha, c);
    for (int k = 0; k < z.size(); ++k) sum += log_column(z.count(k), alpha, c);
    return sum;
  }
  double log_prob_of_number(int size, double alpha, double c) const {
    if (size > most_features()) return -infinity();
    if (!finite()) return -log_factorial(size) - alpha * expected_features(c);
    const int empty = spec_.n_features - size;
    return -log_factorial(size) + log_factorial(spec_.n_features) - log_factorial(empty) +
           empty * log_column(0, alpha, c);
  }

  void update_alpha(const Features& z, Rng& rng) {
    Hyper& h = spec_.alpha;
    const double c = spec_.concentration.value;
    if (!finite()) {
      h.value = rng.gamma(h.shape + z.size(), h.rate + expected_features(c));
      return;
    }
    auto log_density = [&](double log_alpha) {
      const double alpha = std::exp(log_alpha);
      return in_range(log_alpha) ? h.log_prior_of_log(alpha) + log_prob_at(z, alpha, c)
                                 : -infinity();
    };
    h.value = std::exp(slice_sample(std::log(h.value), log_density, 1.0, rng));
  }

  void update_concentration(const Features& z, Rng& rng) {
    Hyper& h = spec_.concentration;
    auto log_density = [&](double log_c) {
      const double c = std::exp(log_c);
      return in_range(log_c) ? h.log_prior_of_log(c) + log_prob_at(z, spec_.alpha.value, c)
                             : -infinity();
    };
    h.value = std::exp(slice_sample(std::log(h.value), log_density, 1.0, rng));
  }

  /// Limits slices on the log scale to the range of doubles.
  static bool in_range(double log_value) { return std::abs(log_value) < 200; }

  void tabulate() {
    log_odds_.resize(rows_);
    for (int m = 1; m < rows_; ++m)
      log_odds_[m] = std::log((m + shape_on()) / (rows_ - 1 - m + shape_off()));
    log_own_ = finite() ? std::log(shape_on() / (rows_ - 1 + shape_off())) : log_rate();
  }

  /// Log Poisson rate of features that only one given row has.
  double log_rate() const {
    const double c = spec_.concentration.value, cd = c + spec_.discount;
    return std::log(spec_.alpha.value) + log_gamma(1 + c) + log_gamma(rows_ - 1 + cd) -
           log_gamma(rows_ + c) - log_gamma(cd);
  }

  int rows_;
  Spec spec_;
  std::vector<double> log_odds_;
  double log_own_ = 0;
};

}  // namespace buffet
