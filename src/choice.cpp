#include "likelihood/choice.h"

#include <algorithm>
#include <map>

#include "gibbs/gibbs.h"
#include "glue.h"

using namespace buffet;

namespace {

ChoiceData as_choices(const Rcpp::NumericMatrix& wins) {
  const int rows = wins.nrow();
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

/// One feature an item; where the prior has fewer, items share them at random.
Features one_each(int rows, int most, Rng& rng) {
  const int size = std::min(rows, most);
  std::vector<Bits> columns(size, Bits(rows));
  std::vector<int> order;
  rng.permutation(rows, order);
  for (int n = 0; n < rows; ++n) columns[n % size].set(order[n]);
  Features z(rows);
  for (Bits& column : columns) z.add(std::move(column));
  return z;
}

/// Puts a chain at these features, with the hyperparameters that are given and weights for them.
template <class Chain>
void put(Chain& chain, Features features, const Rcpp::NumericVector& values) {
  chain.restart(std::move(features));
  const auto given = [&](int k, double otherwise) {
    return ISNAN(values[k]) ? otherwise : values[k];
  };
  chain.prior.set(given(0, chain.prior.alpha()), given(1, chain.prior.concentration()));
  if (!std::isfinite(chain.likelihood.log_lik(chain.z)))
    Rcpp::stop(
        "`epsilon` must be above 0 where the features of `prior` or `init` rule out a choice that "
        "was made, not 0.");
  for (int n = 0; n < 200; ++n) chain.likelihood.update(chain.z, chain.rng);
}

/// The best of short runs, 40 with nine items and fewer with more: items that must share features
/// at once often do so wrongly, for good.
template <class Chain>
void start_sharing(Chain& chain, int most, const Rcpp::NumericVector& values) {
  Chain best = chain;
  double best_log_lik = -std::numeric_limits<double>::infinity();
  for (int n = std::max(4, 360 / chain.z.rows()); n > 0; --n) {
    Rcpp::checkUserInterrupt();
    put(chain, one_each(chain.z.rows(), most, chain.rng), values);
    for (int t = 0; t < 100; ++t) chain.sweep();
    const double log_lik = chain.likelihood.log_lik(chain.z);
    if (log_lik > best_log_lik) {
      best = chain;
      best_log_lik = log_lik;
    }
    best.rng = chain.rng;
  }
  chain = std::move(best);
}

/// Starting point of a chain: its features or one each, and weights for them. From random features
/// and weights chains freeze far below the main mode.
template <class Chain>
void start(Chain& chain, const Rcpp::List& init) {
  const int rows = chain.z.rows(), most = chain.prior.most_features();
  const Rcpp::NumericVector values = init["values"];
  if (!Rf_isNull(init["features"]))
    put(chain, as_features(Rcpp::as<Rcpp::IntegerMatrix>(init["features"])), values);
  else if (most < rows)
    start_sharing(chain, most, values);
  else
    put(chain, one_each(rows, most, chain.rng), values);
}

}  // namespace

// wins: counts, row over column, NA where a pair is left out; model: prior, weights, epsilon; plan:
// as run_chains() has it; watch: as Watch has it.
// [[Rcpp::export]]
Rcpp::List choice_gibbs_cpp(Rcpp::NumericMatrix wins, Rcpp::List model, Rcpp::List plan,
                            Rcpp::List watch) {
  const ChoiceData data = as_choices(wins);
  return std::visit(
      [&](const auto& prior) {
        using Chain = Gibbs<std::decay_t<decltype(prior)>, Choice>;
        const Chain first(Features(data.rows()), prior, as_choice(data, model), Rng(0));
        return run_chains(first, start<Chain>, plan, Watch(watch));
      },
      as_prior(model["prior"], data.rows()));
}

namespace {

/// Calls f(draw, z, first) for every draw; the weights of its features begin at `first`.
template <class F>
void for_draws(const Rcpp::List& draws, F f) {
  const RDraws d(draws);
  std::size_t first = 0;
  for (int draw = 0; draw < d->size(); ++draw) {
    if (draw % 100 == 0) Rcpp::checkUserInterrupt();
    const Features z = (*d)[draw];
    f(draw, z, first);
    first += z.size();
  }
}

}  // namespace

// P(first chosen over second) in every draw, draws x pairs; first, second: rows, from 1.
// [[Rcpp::export]]
Eigen::MatrixXd choice_probabilities_cpp(Rcpp::List draws, std::vector<double> weights,
                                         double epsilon, Rcpp::IntegerMatrix pairs) {
  const EliminationByAspects rule{epsilon};
  Eigen::MatrixXd out(Rcpp::as<Rcpp::IntegerVector>(draws["sizes"]).size(), pairs.nrow());
  for_draws(draws, [&](int draw, const Features& z, std::size_t first) {
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

// The share that the features with the same rows have of the sum of the weights of all that not
// every row has, draws x sets of rows, those of the largest mean share first, at most `most`; and
// the sets, rows x sets.
// [[Rcpp::export]]
Rcpp::List choice_shares_cpp(Rcpp::List draws, std::vector<double> weights, int most) {
  std::map<Bits, std::map<int, double>> shares;
  for_draws(draws, [&](int draw, const Features& z, std::size_t first) {
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

// Draws of the weights given features, the columns of z, in known: wins, model (as
// choice_gibbs_cpp has them) and z; draws x features.
// [[Rcpp::export]]
Eigen::MatrixXd choice_weights_cpp(Rcpp::List known, int draws, int seed) {
  const ChoiceData data = as_choices(known["wins"]);
  const Rcpp::List model = known["model"];
  const Features features = as_features(known["z"]);
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
