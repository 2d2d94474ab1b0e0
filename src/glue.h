#pragma once

#include <RcppEigen.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/byte_code.h"
#include "core/draws.h"
#include "core/features.h"
#include "core/hyper.h"
#include "gibbs/any_run.h"
#include "gibbs/chains.h"
#include "prior/any.h"

/// Conversions between R and the core, one pair per type, and functions that run chains.

namespace buffet {

Hyper as_hyper(const Rcpp::List& x);
/// Specification of an IBP or beta-Bernoulli prior; any other prior is an error.
Exchangeable::Spec as_spec(const Rcpp::List& x);
/// parents (numbered from 0; -1 for the root) and lengths of the edges, with the rows first.
Tree as_tree(const Rcpp::List& x, int rows);
AnyPrior as_prior(const Rcpp::List& x, int rows);

/// Empty columns are omitted, because the core has none.
Features as_features(const Rcpp::IntegerMatrix& x);
Rcpp::IntegerMatrix from_features(const Features& z);

/// Draws as stored in R: list(rows, sizes, bits). The words are copied out of the raw vector, which
/// need not be aligned to them.
class RDraws {
 public:
  explicit RDraws(const Rcpp::List& x);
  RDraws(const RDraws&) = delete;  // draws_ points into words_

  const Draws& operator*() const { return draws_; }
  const Draws* operator->() const { return &draws_; }

 private:
  std::vector<std::uint64_t> words_;
  Draws draws_;
};

/// A sparse matrix. Its slots are checked against each other, so nothing is read beyond their ends.
Eigen::Map<Eigen::SparseMatrix<double>> as_sparse(const Rcpp::RObject& x);

/// Throws an error if a part saved with the draws does not have the size that the draws require.
void check_kept(bool sound, const char* part);

/// For R and standard library vectors; Eigen has its own function.
template <class Numbers>
bool all_finite(const Numbers& x) {
  return std::all_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); });
}

/// True if all values are positive and finite. For R and standard library vectors, and for Eigen
/// expressions.
template <class Numbers>
bool all_positive(const Numbers& x) {
  if constexpr (std::is_base_of_v<Eigen::DenseBase<Numbers>, Numbers>)
    return x.allFinite() && (x.array() > 0).all();
  else
    return std::all_of(x.begin(), x.end(), [](double v) { return v > 0 && std::isfinite(v); });
}

/// Throws an error if a part of a fit does not match the other parts.
void check_fit(bool sound, const char* part);

/// Throws an error unless all numbers, which count from 0, are below `size`.
void check_below(const std::vector<int>& numbers, int size, const char* part);

/// Throws an error unless there are as many rows and columns (numbered from 0) as values, all
/// within a matrix of this size.
void check_places(const std::vector<int>& rows, const std::vector<int>& columns,
                  Eigen::Index values, std::pair<int, int> size);

/// Reads the bytes of a raw vector, which must outlive the reader.
inline ByteReader as_reader(const Rcpp::RawVector& x) {
  return {x.begin(), static_cast<std::size_t>(x.size())};
}

/// Bytes of a raw vector; none for NULL.
std::vector<unsigned char> as_bytes(SEXP x);

/// The value with this name; an unknown name is an error.
template <class T>
T as_named(const std::string& name, std::initializer_list<std::pair<const char*, T>> known) {
  for (const auto& [text, value] : known)
    if (name == text) return value;
  Rcpp::stop("unknown name: %s", name);
}

/// Settings for all chains, and the start of one chain: features (or NULL) and named values (NA:
/// the default).
Plan as_plan(const Rcpp::List& x);
Start as_start(const Rcpp::List& init);

/// The names of scalars and moves, and the chain's number.
struct SnapshotNames {
  std::vector<std::string> scalars, moves;
  int number;
};

/// A chain's snapshot, in the format used in R.
Rcpp::List from_snapshot(const Snapshot& snapshot, const SnapshotNames& names);

/// Makes the run of one chain from R's description of its start.
using RRunMaker =
    std::function<std::unique_ptr<AnyRun>(const Rcpp::List& init, Rng rng, const Plan& plan)>;

/// The function that makes the runs of a latent feature model.
RRunMaker from_start(RunMaker make, const Rcpp::List& watch);

/// Runs chains, each with its own stream of random numbers, from the starts given by `make` or from
/// a saved state.
///
/// plan: iter, warmup, keep_after, thin, search, cores, seed; one per chain: numbers (in the whole
/// run), init and states (raw or NULL); until: "end", "seconds" (with the number of seconds), or,
/// to run no sweep, "meeting" for chains that wait for the restart of stuck chains, or "start".
///
/// watch: functions stop, which says whether R is interrupted; report, which is given the number of
/// sweeps done by each chain; save, which is given the chains every `seconds` seconds, or NULL.
///
/// Returns one list per chain.
Rcpp::List run_chains(const RRunMaker& make, const Rcpp::List& plan, const Rcpp::List& watch);

}  // namespace buffet
