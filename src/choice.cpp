#include "likelihood/choice.h"

#include <algorithm>
#include <map>

#include "gibbs/choice_runs.h"
#include "glue.h"

using namespace buffet;

namespace {

ChoiceData as_choices(const Rcpp::NumericMatrix& wins) {
  const int rows = wins.nrow();
  check_fit(wins.ncol() == rows, "wins");
  std::vector<double> by_row(static_cast<std::size_t>(rows) * rows);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < rows; ++j)
      by_row[static_cast<std::size_t>(i) * rows + j] = ISNAN(wins(i, j)) ? 0 : wins(i, j);
  return ChoiceData(rows, by_row);
}

Choice as_choice(const ChoiceData& data, const Rcpp::List& model) {
  const Hyper weights = as_hyper(model["weights"]);
  return Choice(data, {model["epsilon"]}, WeightPrior(weights.shape, weights.rate));
}

}  // namespace

// wins: counts of row over column, NA for omitted pairs; model: prior, weights, epsilon; plan and
// watch: as in run_chains().
// [[Rcpp::export]]
Rcpp::List choice_gibbs_cpp(Rcpp::NumericMatrix wins, Rcpp::List model, Rcpp::List plan,
                            Rcpp::List watch) {
  const ChoiceData data = as_choices(wins);
  const AnyPrior prior = as_prior(model["prior"], data.rows());
  return run_chains(from_start(choice_runs(prior, as_choice(data, model)), watch), plan, watch);
}

namespace {

/// Calls f(draw, z, first) for every draw; the weights of its features begin at `first`.
template <class F>
void for_draws(const Rcpp::List& draws, const std::vector<double>& weights, F f) {
  const RDraws d(draws);
  check_kept(weights.size() == d->columns() && all_finite(weights), "weights");
  std::size_t first = 0;
  for (int draw = 0; draw < d->size(); ++draw) {
    if (draw % 100 == 0) Rcpp::checkUserInterrupt();
    const Features z = (*d)[draw];
    f(draw, z, first);
    first += z.size();
  }
}

}  // namespace

// P(first is chosen over second) in every draw, draws x pairs; first, second: row numbers, from 1.
// [[Rcpp::export]]
Eigen::MatrixXd choice_probabilities_cpp(Rcpp::List draws, std::vector<double> weights,
                                         double epsilon, Rcpp::IntegerMatrix pairs) {
  const EliminationByAspects rule{epsilon};
  const int rows = draws["rows"];
  check_fit(pairs.ncol() == 2 &&
                std::all_of(pairs.begin(), pairs.end(), [=](int i) { return i >= 1 && i <= rows; }),
            "pairs");
  Eigen::MatrixXd out(Rcpp::as<Rcpp::IntegerVector>(draws["sizes"]).size(), pairs.nrow());
  for_draws(draws, weights, [&](int draw, const Features& z, std::size_t first) {
    for (int n = 0; n < pairs.nrow(); ++n) {
      const int i = pairs(n, 0) - 1, j = pairs(n, 1) - 1;
      double a = 0, b = 0;
      for (int k = 0; k < z.size(); ++k) {
        if (z.at(i, k) && !z.at(j, k)) a += weights[first + k];
        if (z.at(j, k) && !z.at(i, k)) b += weights[first + k];
      }
      out(draw, n) = rule.probability(a, b);
    }
  });
  return out;
}

// For sets of rows: the total weight of the features that exactly these rows have, as a share of
// the total weight of all features except those that every row has (draws x sets). Returns the
// shares of at most `most` sets, by decreasing mean share, and the sets themselves (rows x sets).
// [[Rcpp::export]]
Rcpp::List choice_shares_cpp(Rcpp::List draws, std::vector<double> weights, int most) {
  std::map<Bits, std::map<int, double>> shares;
  for_draws(draws, weights, [&](int draw, const Features& z, std::size_t first) {
    const auto at = weights.begin() + first;
    double total = 0;
    for (int k = 0; k < z.size(); ++k)
      if (z.count(k) < z.rows()) total += at[k];
    for (int k = 0; k < z.size(); ++k)
      if (z.count(k) < z.rows()) shares[z.column(k)][draw] += at[k] / total;
  });
  std::vector<std::pair<double, const Bits*>> order;
  for (const auto& [rows, of_draw] : shares) {
    double sum = 0;
    for (const auto& [draw, share] : of_draw) sum -= share;
    order.emplace_back(sum, &rows);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  if (static_cast<int>(order.size()) > most) order.resize(most);
  const int rows = draws["rows"], count = Rcpp::as<Rcpp::IntegerVector>(draws["sizes"]).size();
  Features sets(rows);
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(count, order.size());
  for (std::size_t n = 0; n < order.size(); ++n) {
    sets.add(*order[n].second);
    for (const auto& [draw, share] : shares[*order[n].second]) out(draw, n) = share;
  }
  return Rcpp::List::create(Rcpp::Named("sets") = from_features(sets), Rcpp::Named("shares") = out);
}

// Draws of the weights given the features, draws x features. known: wins, model (as in
// choice_gibbs_cpp) and z, the feature matrix.
// [[Rcpp::export]]
Eigen::MatrixXd choice_weights_cpp(Rcpp::List known, int draws, int seed) {
  const ChoiceData data = as_choices(known["wins"]);
  const Rcpp::List model = known["model"];
  const Features features = as_features(known["z"]);
  check_fit(features.rows() == data.rows(), "features");
  Choice likelihood = as_choice(data, model);
  likelihood.reset(features);
  Rng rng(seed, 1000);
  Eigen::MatrixXd out(draws, features.size());
  for (int n = -200; n < 10 * draws; ++n) {
    if (n % 100 == 0) Rcpp::checkUserInterrupt();
    likelihood.update(features, rng);
    if (n >= 0 && n % 10 == 0)
      for (int k = 0; k < features.size(); ++k) out(n / 10, k) = likelihood.loadings()[k];
  }
  return out;
}
