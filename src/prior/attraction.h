#pragma once

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "attraction_weights.h"
#include "core/archive.h"
#include "exchangeable.h"

namespace buffet {

/// The attraction Indian buffet distribution (Warr, Dahl, Meyer & Lui 2022). Rows enter in some
/// order. The n-th row takes an existing dish with probability (n - 1) / n times a ratio: the sum
/// of exp(-temperature distance) over the earlier rows that have the dish, divided by the sum over
/// all earlier rows. It also takes Poisson(alpha / n) new dishes. Features are a Poisson process
/// because their first rows are.
class Attraction : public NothingKept {
 public:
  using Marginal = Exchangeable;

  struct Spec {
    std::shared_ptr<const Eigen::MatrixXd> distance;
    std::vector<int> order;      ///< row at each place; the initial order if sampled
    bool samples_order = false;  ///< under a uniform prior
    Hyper alpha, temperature;
    int max_features = std::numeric_limits<int>::max();  ///< matrices with more features have
                                                         ///< probability 0
  };

  explicit Attraction(Spec spec) : spec_(std::move(spec)) {
    for (std::size_t n = spec_.order.size(); n > 0; --n) harmonic_ += 1.0 / double(n);
    weigh(spec_.order);
  }

  /// The prior at temperature 0.
  Exchangeable marginal() const {
    Exchangeable::Spec spec{spec_.alpha};
    spec.max_features = spec_.max_features;
    return Exchangeable(rows(), spec);
  }
  void adopt(const Exchangeable& marginal) {
    restart();
    spec_.alpha.value = marginal.alpha();
  }

  double log_odds(const Features& z, int i, int k) const {
    return columns_[z.tag(k)].log_odds(*weights_, z.column(k), weights_->place(i));
  }

  /// Log of P(j + 1) / P(j), where j is the number of features that only row i has.
  double log_own_ratio(int i, int others, int j) const {
    const int place = weights_->place(i);
    return std::log(alpha() / (place + 1)) + weights_->log_own(place) + log_number_ratio(others, j);
  }

  static constexpr bool counts_copies() { return true; }
  double log_copies(const Bits& rows) const { return std::log(alpha()) + log_column(rows); }
  double log_held_by_all() const { return std::log(alpha() / rows()); }
  double log_number_ratio(int others, int j) const {
    return others + j < spec_.max_features ? -std::log(j + 1.0)
                                           : -std::numeric_limits<double>::infinity();
  }
  int most_features() const { return spec_.max_features; }

  double log_columns() const { return std::log(harmonic_); }
  /// Draws the first row with the feature, then the other rows one by one.
  Bits draw_column(Rng& rng) const {
    double rest = harmonic_ * rng.uniform();
    int r = 0;
    while (r + 1 < rows() && (rest -= 1.0 / (r + 1)) > 0) ++r;
    Bits column(rows());
    Eigen::ArrayXd shares = Eigen::ArrayXd::Zero(rows());
    for (bool on = true; r < rows(); ++r, on = r < rows() && draws(r, shares, rng))
      if (on) {
        column.set(weights_->row(r));
        shares.tail(rows() - r - 1) += weights_->weights(r, r + 1, rows());
      }
    return column;
  }

  double log_prob(const Features& z) const {
    double sum = log_prob_of_number(z.size());
    for (int k = 0; k < z.size(); ++k) sum += log_prob_of_column(z, k);
    return sum;
  }
  double log_prob_of_number(int size) const {
    if (size > spec_.max_features) return -std::numeric_limits<double>::infinity();
    return size * std::log(alpha()) - alpha() * harmonic_ - log_factorial(size);
  }
  double log_prob_of_column(const Features& z, int k) const { return log_column(z.column(k)); }
  double log_prob_lof(const Features& z) const {
    return log_prob(z) + log_factorial(z.size()) - z.log_repeats(log_factorial);
  }
  double log_ratio_replaced(const Features& z, int k, const Bits& column) const {
    return log_column(column) - log_column(z.column(k));
  }

  void reset(const Features& z, Rng&) { follow(z); }
  void follow(const Features& z) {
    columns_.resize(z.tags());
    for (int k = 0; k < z.size(); ++k) replaced(z, k);
  }
  void flipped(const Features& z, int i, int k) {
    columns_[z.tag(k)].flip(*weights_, z.column(k), weights_->place(i));
  }
  void replaced(const Features& z, int k) { columns_[z.tag(k)].set(*weights_, z.column(k)); }
  void left(const Features& z, int i, Rng&) {
    for (int k = 0; k < z.size(); ++k)
      if (z.at(i, k) && z.is_own(i, k)) born(z, k);
  }
  void added_to_all(const Features& z, int k, Rng&) { born(z, k); }
  void born(const Features& z, int k) {
    columns_.resize(z.tags());
    replaced(z, k);
  }
  double propose(const Features& z, int k, Rng&) {
    born(z, k);
    return 0;
  }

  /// Draws the order by swaps, the temperature by slice sampling, and alpha from its Gamma
  /// conditional.
  void update(const Features& z, Rng& rng) {
    if (spec_.samples_order) swap_rows(z, rng);
    if (spec_.temperature.learned) draw_temperature(z, rng);
    Hyper& h = spec_.alpha;
    if (h.learned) h.value = rng.gamma(h.shape + z.size(), h.rate + harmonic_);
  }

  double log_hyperprior() const { return spec_.alpha.log_prior() + spec_.temperature.log_prior(); }
  double alpha() const { return spec_.alpha.value; }
  double temperature() const { return spec_.temperature.value; }
  const std::vector<int>& order() const { return weights_->order(); }
  static constexpr std::array<const char*, 2> hyperparameter_names{"alpha", "temperature"};
  std::array<double, 2> hyperparameters() const { return {alpha(), temperature()}; }
  /// Call follow() afterwards.
  void set(const std::array<double, 2>& values) {
    spec_.alpha.value = values[0];
    if (values[1] == temperature()) return;
    spec_.temperature.value = values[1];
    weigh(order());
  }
  void restart() {
    for (Hyper* h : {&spec_.alpha, &spec_.temperature})
      if (h->learned) h->value = 1;
    weigh(spec_.order);
  }

  void archive(Archive& a) {
    a(spec_.alpha.value);
    a(spec_.temperature.value);
    std::vector<int> order = this->order();
    a.of_same_size(order, "the order of rows");
    if (!a.reads()) return;
    a.check(is_permutation(order), "the order of rows");
    weigh(std::move(order));
  }

 private:
  int rows() const { return weights_->rows(); }

  void weigh(std::vector<int> order) {
    weights_ = std::make_shared<AttractionWeights>(*spec_.distance, std::move(order),
                                                   spec_.temperature.value);
  }

  bool draws(int r, const Eigen::ArrayXd& shares, Rng& rng) const {
    return rng.bernoulli(shares(r) / weights_->scale(r));
  }

  double log_column(const Bits& rows) const {
    AttractionColumn column;
    column.set(*weights_, rows);
    return column.log_rate(*weights_);
  }

  /// Z with its rows ordered by place.
  Eigen::MatrixXd by_place(const Features& z) const {
    Eigen::MatrixXd x = Eigen::MatrixXd::Zero(rows(), z.size());
    for (int k = 0; k < z.size(); ++k)
      z.column(k).for_each([&](int i) { x(weights_->place(i), k) = 1; });
    return x;
  }

  void draw_temperature(const Features& z, Rng& rng) {
    Hyper& h = spec_.temperature;
    const Eigen::MatrixXd x = by_place(z);
    const auto log_density = [&](double log_t) {
      if (std::abs(log_t) > 200) return -std::numeric_limits<double>::infinity();
      const double t = std::exp(log_t);
      return h.log_prior_of_log(t) + log_prob_at(t, x);
    };
    h.value = std::exp(slice_within(std::log(h.value), log_density, 2, rng));
    weigh(order());
    follow(z);
  }

  /// Log probability of the columns, ordered by place, at another temperature, without the rates of
  /// first rows.
  double log_prob_at(double temperature, const Eigen::MatrixXd& x) const {
    const EarlierRows earlier{*spec_.distance, order(), temperature};
    Eigen::ArrayXd weights(rows());
    std::vector<char> begun(x.cols(), 0);
    LogProduct product;
    for (int r = 0; r < rows(); ++r) {
      const double scale = earlier.weigh(r, weights);
      const Eigen::VectorXd shares = x.topRows(r).transpose() * weights.head(r).matrix();
      for (int k = 0; k < x.cols(); ++k) {
        const bool on = x(r, k) == 1;
        if (begun[k]) product.multiply((on ? shares(k) : scale - shares(k)) / scale);
        begun[k] = begun[k] || on;
      }
    }
    return product.log();
  }

  struct Places {
    AttractionWeights weights;
    Eigen::MatrixXd x;  ///< Z with rows ordered by place
  };

  /// Proposes swaps of rows that are 1, 2, 4, ... places apart; together they change the weights of
  /// about 2 N rows.
  void swap_rows(const Features& z, Rng& rng) {
    int spans = 0;
    while (1 << spans < rows()) ++spans;
    if (spans == 0) return;
    Places places{*weights_, by_place(z)};
    for (int done = 0; done < 2 * rows();) {
      const int span = 1 << rng.below(spans), a = rng.below(rows());
      done += span + 1;
      if (a + span < rows()) swap_places({a, a + span}, z, places, rng);
    }
    places.weights.finish();
    weights_ = std::make_shared<AttractionWeights>(std::move(places.weights));
  }

  /// Proposes to swap the rows at two places; accepts or rejects.
  void swap_places(std::pair<int, int> of, const Features& z, Places& places, Rng& rng) {
    const auto [a, b] = of;
    auto& [w, x] = places;
    std::vector<int> order = w.order();
    std::swap(order[a], order[b]);
    x.row(a).swap(x.row(b));
    const int count = b - a + 1;
    Eigen::ArrayXXd weights = Eigen::ArrayXXd::Zero(b, count);
    Eigen::ArrayXd scales(count), some(b);
    const EarlierRows earlier{*spec_.distance, order, temperature()};
    for (int r = a; r <= b; ++r) {
      scales(r - a) = earlier.weigh(r, some);
      weights.col(r - a).head(r) = some.head(r);
    }
    // Subtracts the scale unless the row has the feature.
    Eigen::ArrayXXd shares = (weights.matrix().transpose() * x.topRows(b)).array() +
                             (x.middleRows(a, count).array() - 1).colwise() * scales;
    LogProduct ratio;
    std::vector<int> first(z.size());
    for (int k = 0; k < z.size(); ++k) {
      const AttractionColumn& column = columns_[z.tag(k)];
      first[k] = column.first();
      if (first[k] > b) continue;
      if (first[k] >= a)
        for (first[k] = a; x(first[k], k) == 0;) ++first[k];
      for (int r = a; r <= b; ++r) {
        if (r > first[k])
          ratio.multiply(std::abs(shares(r - a, k)) / scales(r - a));
        else if (r == first[k])
          ratio.multiply(1.0 / (r + 1));
        ratio.multiply(1 / column.factor(w, r));
      }
    }
    if (!(std::log(rng.uniform()) < ratio.log())) {
      x.row(a).swap(x.row(b));
      return;
    }
    w.swap(a, b, weights, scales);
    for (int k = 0; k < z.size(); ++k)
      for (int r = a; r <= b; ++r) columns_[z.tag(k)].put(r, shares(r - a, k), first[k]);
  }

  Spec spec_;
  double harmonic_ = 0;  ///< E[K+] / alpha
  std::shared_ptr<const AttractionWeights> weights_;
  std::vector<AttractionColumn> columns_;  ///< indexed by the tags of Features
};

}  // namespace buffet
