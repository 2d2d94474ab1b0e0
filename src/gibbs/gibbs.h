#pragma once

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/archive.h"
#include "core/check.h"
#include "core/features.h"
#include "core/rng.h"
#include "core/tally.h"
#include "moves.h"
#include "prior/fixed.h"
#include "prior/sticks.h"
#include "regression/regression_rows.h"
#include "regression/regressions.h"
#include "repair.h"
#include "sweep.h"

/// Traits of likelihoods.
namespace buffet {

/// True if a likelihood can suggest features from its data.
template <class Likelihood, class = void>
struct Suggests : std::false_type {};
template <class Likelihood>
struct Suggests<Likelihood,
                std::void_t<decltype(std::declval<Likelihood&>().suggest(std::declval<Rng&>()))>>
    : std::true_type {};

/// True if the visits of rows given the loadings come first in a sweep; otherwise these visits are
/// among the moves of the likelihood.
template <class Likelihood, class = void>
struct VisitsRows : std::true_type {};
template <class Likelihood>
struct VisitsRows<Likelihood, std::enable_if_t<!Likelihood::visits_rows>> : std::false_type {};

/// A chain whose likelihood is replaced, by value or reference, by one that integrates the loadings
/// out.
template <class Prior, class Likelihood>
struct ColumnView {
  Features& z;
  Prior& prior;
  Likelihood likelihood;
  Rng& rng;
};

/// The state of a chain and its sweep.
template <class Prior, class Likelihood>
struct Gibbs {
  static_assert(IsPrior<Prior>::value, "prior/contract.h says what a prior must answer");

  Features z;
  Prior prior;
  Likelihood likelihood;
  Rng rng;

  Gibbs(Features features, Prior prior_, Likelihood likelihood_, Rng rng_)
      : z(std::move(features)),
        prior(std::move(prior_)),
        likelihood(std::move(likelihood_)),
        rng(std::move(rng_)) {
    reset();
  }

  void sweep() { sweep(no_check); }

  /// `check` is called repeatedly and may throw. Returns a tally for each of move_names(), or no
  /// tallies if no moves were due.
  Tallies sweep(const Check& check) { return sweep(check, Moves::all); }
  static std::vector<std::string> move_names() {
    return known_features ? std::vector<std::string>{} : MovesOf::names();
  }

  /// The sweep as published: each part of the state is drawn given all others.
  void sweep_bare(const Check& check) { sweep(check, Moves::none); }

  /// Restarts from other features, with the hyperparameters at their starting values.
  void restart(Features features) {
    z = std::move(features);
    prior.restart();
    likelihood.restart();
    reset();
  }

  /// Restarts from features suggested by the data, if there are any, with hyperparameters drawn
  /// given these features. Returns true if there were any.
  bool restart_as_suggested() {
    if constexpr (Suggests<Likelihood>::value) {
      Features features = likelihood.suggest(rng);
      while (features.size() > prior.most_features()) features.drop(features.size() - 1);
      if (features.size() == 0) return false;
      restart(std::move(features));
      follow_features();
      return true;
    }
    return false;
  }

  /// Draws the other unknowns a few times, so that they fit the features.
  void follow_features() {
    for (int n = 0; n < 3; ++n) {
      prior.update(z, rng);
      likelihood.update(z, rng);
    }
  }

  /// Starts from the current features and hyperparameters.
  void reset() {
    prior.reset(z, rng);
    likelihood.reset(z);
  }

  /// The chain that searches for an initial state for this one, if any, and the function that
  /// copies its state.
  static constexpr bool searches =
      Likelihood::searches && !std::is_void_v<typename Prior::Marginal>;
  using Searcher = Gibbs<typename Prior::Marginal, typename Likelihood::Searcher>;
  Searcher searcher() const { return Searcher(z, prior.marginal(), likelihood.searcher(), rng); }
  void adopt(Searcher searcher, const Check& = no_check) {
    z = std::move(searcher.z);
    rng = std::move(searcher.rng);
    prior.adopt(searcher.prior);
    prior.reset(z, rng);
    likelihood.adopt(std::move(searcher.likelihood), z);
  }

  /// Repairs a wrong basis by moves that are not reversible and therefore used in the warm-up only.
  void repair(const Check& check) {
    if constexpr (std::is_base_of_v<GaussianCollapsed, Likelihood>) {
      dissolve_all(*this, check);
      for (int n = 0; n < 3; ++n) grow(*this, check);
    }
  }

  /// Everything a sweep depends on, except the random number generator, which restarts at every
  /// sweep.
  void archive(Archive& a) {
    a(z);
    a(prior);
    if (a.reads()) prior.follow(z);
    a(likelihood);
    if (a.reads()) a.check(likelihood.fits(z), "what goes with its features");
    a(rng);
  }

  /// Score by which starts are compared: the log joint of the labelled columns, with alpha
  /// integrated out and the priors of the other hyperparameters on the log scale.
  double score() const {
    return likelihood.log_evidence(z) + prior.log_evidence(z) + likelihood.log_hyperprior_of_logs();
  }

  /// The values recorded in the trace, in the order of scalar_names().
  std::vector<double> scalars() const {
    std::vector<double> values{double(z.size()), double(z.total())};
    for (double v : prior.hyperparameters()) values.push_back(v);
    for (double v : likelihood.hyperparameters()) values.push_back(v);
    const double log_lik = likelihood.log_lik(z);
    values.push_back(log_lik);
    values.push_back(log_lik + log_prior());
    return values;
  }
  static std::vector<std::string> scalar_names() {
    std::vector<std::string> names{"n_features", "n_ones"};
    for (const char* name : Prior::hyperparameter_names) names.push_back(name);
    for (const char* name : Likelihood::hyperparameter_names) names.push_back(name);
    names.push_back("log_lik");
    names.push_back("log_joint");
    return names;
  }

  /// log p(X | Z) + log P([Z]) + log densities of the learned parameters.
  double log_joint() const { return likelihood.log_lik(z) + log_prior(); }

 private:
  /// Joint updates of several entries, and moves of whole features.
  enum class Moves { all, none };
  using MovesOf = decltype(moves_of(std::declval<const Likelihood&>()));
  static constexpr bool known_features = std::is_same_v<Prior, Fixed>;

  Tallies sweep(const Check& check, Moves moves) {
    if constexpr (VisitsRows<Likelihood>::value) visit_rows(prior, check, moves);
    likelihood.refresh(z);
    Tallies tallies = move_columns(MovesOf{}, check, moves);
    prior.update(z, rng);
    likelihood.update(z, rng);
    return tallies;
  }

  double log_prior() const {
    return prior.log_prob_lof(z) + prior.log_hyperprior() + likelihood.log_hyperprior();
  }

  template <class AnyPrior>
  void visit_rows(AnyPrior&, const Check& check, Moves moves) {
    for (int i = 0; i < z.rows(); ++i) {
      check();
      visit_row(i, *this, moves);
    }
  }
  template <class Chain>
  static void visit_row(int i, Chain& chain, Moves moves) {
    if (moves == Moves::all)
      sweep_row(i, chain);
    else
      sweep_row_singly(i, chain);
  }

  void visit_rows(Fixed&, const Check&, Moves) {}

  /// Redraws the features that the prior represents, used or not, every few rows: if their
  /// probabilities were fixed for a whole sweep, the sizes of features would change slowly.
  void visit_rows(Sticks&, const Check& check, Moves) {
    const int block = std::max(1, z.rows() / 20);
    for (int i = 0; i < z.rows(); ++i) {
      check();
      if (i % block == 0) represent();
      sweep_represented_row(i, *this);
      if ((i + 1) % block == 0 || i + 1 == z.rows()) drop_unused();
    }
  }
  void represent() {
    for (int unused = prior.represent(z, rng); unused > 0; --unused) likelihood.append_unused();
  }
  void drop_unused() {
    for (int k = z.size() - 1; k >= 0; --k)
      if (z.count(k) == 0) {
        z.drop(k);
        likelihood.drop(k);
      }
  }

  template <class... Move>
  Tallies move_columns(MoveList<Move...>, const Check& check, Moves moves) {
    return moves == Moves::all ? run_moves(*this, check) : Tallies{};
  }

  template <class... Move>
  Tallies move_columns(IntegratedOut<Move...>, const Check& check, Moves moves) {
    likelihood.integrate_out(z, rng);
    auto& collapsed = likelihood.collapsed();
    ColumnView<Prior, decltype(collapsed)> view{z, prior, collapsed, rng};
    return moves == Moves::all ? run_moves(view, check) : Tallies{};
  }

  /// Updates given the variables that turn the columns into normal regressions: rows, then whole
  /// features, both with the weights integrated out and only if they are due; then a draw of the
  /// weights; then rows given the weights, if they have not been visited. The plain Gibbs sampler
  /// only draws the weights, and visits the rows if the likelihood does not.
  template <class... Move>
  Tallies move_columns(GivenRegressions<Move...>, const Check& check, Moves moves) {
    constexpr bool visits = VisitsRows<Likelihood>::value;
    const bool columns = moves == Moves::all && likelihood.moves_are_due();
    const bool rows = moves == Moves::all ? likelihood.row_visits_are_due() : !visits;
    if (Likelihood::updates_weights && !rows && !columns) return {};
    const RegressionData data = likelihood.augment(z, rng);
    if (rows) revisit_rows(data, prior, check, moves);
    ColumnView<Prior, Regressions> view{z, prior, likelihood.regressions(z, data), rng};
    const Tallies tallies = columns ? run_moves(view, check) : Tallies{};
    likelihood.draw_weights(view.likelihood, rng);
    if constexpr (!visits) {
      likelihood.visit_given(data);
      visit_rows(prior, check, moves);
    }
    return tallies;
  }

  template <class AnyPrior>
  void revisit_rows(const RegressionData& data, AnyPrior&, const Check& check, Moves moves) {
    ColumnView<Prior, RegressionRows> view{z, prior,
                                           RegressionRows(likelihood.regressions(z, data)), rng};
    for (int i = 0; i < z.rows(); ++i) {
      check();
      visit_row(i, view, moves);
    }
  }
  void revisit_rows(const RegressionData&, Fixed&, const Check&, Moves) {}

  template <class View>
  static Tallies run_moves(View& view, const Check& check) {
    if constexpr (known_features)
      return {};
    else
      return MovesOf::run(view, check);
  }
};

}  // namespace buffet
