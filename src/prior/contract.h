#pragma once

#include <array>
#include <type_traits>
#include <utility>

#include "core/archive.h"
#include "core/features.h"
#include "core/rng.h"

namespace buffet {

/// The interface of priors on feature matrices. A prior is derived from this class, whose functions
/// suit priors that store nothing for the features, and provides
///
/// Marginal, marginal()       the exchangeable prior for the search for starts, or void
/// adopt(marginal)            copies the final hyperparameters of that search
/// log_odds(z, i, k)          log odds of z_ik = 1 given the other rows, one of which has k
/// log_own_ratio(i, others, j), log_number_ratio(others, j)
/// log ratio of j + 1 to j features that only row i has
/// log_prob(z), log_prob_of_number(size), log_prob_of_column(z, k)
/// of the matrix with columns in random order, and its factors
/// log_prob_lof(z)            of the left-ordered class
/// log_ratio_replaced(z, k, column), most_features()
/// log_columns(), draw_column(rng)
/// log of the total weight of all columns, and a column drawn
/// with probability proportional to its weight, for births and
/// deaths
/// counts_copies(), log_copies(rows), log_held_by_all()
/// true if the law of the number of features with exactly the
/// same rows is known, and the logs of these rates
/// log_evidence(z)            log_prob() with learned hyperparameters integrated out, by
/// which starts are compared
/// update(z, rng)             draws the learned hyperparameters
/// hyperparameter_names, hyperparameters(), set(values), restart(), log_hyperprior()
/// archive(a)                 the whole state
///
/// and, if rows are exchangeable, so that new ones can be added,
///
/// log_odds_of(others)        log_odds() of a feature that this many of the other rows have
struct NothingKept {
  /// Notifications of changes in the features: all features are new, or were read from an archive;
  /// bit i of k was flipped; k was replaced; row i was visited and may have new singletons; k is
  /// new and all rows have it; k is new and has the last column drawn or, if counts_copies(), the
  /// same column as another feature.
  void reset(const Features&, Rng&) {}
  void follow(const Features&) {}
  void flipped(const Features&, int, int) {}
  void replaced(const Features&, int) {}
  void left(const Features&, int, Rng&) {}
  void added_to_all(const Features&, int, Rng&) {}
  void born(const Features&, int) {}

  /// Draw what is stored for a column that a move proposes; both return the log density of the
  /// draw.
  double propose(const Features&, int, Rng&) { return 0; }
  double log_proposed(const Features&, int) const { return 0; }
};

/// True if a class has the part of the interface that all chains require.
template <class Prior, class = void>
struct IsPrior : std::false_type {};
template <class Prior>
struct IsPrior<
    Prior, std::void_t<
               typename Prior::Marginal,
               decltype(std::declval<const Prior&>().log_prob_lof(std::declval<const Features&>())),
               decltype(std::declval<Prior&>().update(std::declval<const Features&>(),
                                                      std::declval<Rng&>())),
               decltype(std::declval<Prior&>().set(std::declval<const Prior&>().hyperparameters())),
               decltype(Prior::hyperparameter_names),
               decltype(std::declval<const Prior&>().log_hyperprior()),
               decltype(std::declval<const Prior&>().most_features()),
               decltype(std::declval<Prior&>().restart()),
               decltype(std::declval<Prior&>().archive(std::declval<Archive&>()))>>
    : std::true_type {};

/// True if rows can be added under a prior.
template <class Prior, class = void>
struct TakesNewRows : std::false_type {};
template <class Prior>
struct TakesNewRows<Prior, std::void_t<decltype(std::declval<const Prior&>().log_odds_of(0))>>
    : std::true_type {};

}  // namespace buffet
