#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "core/draws.h"
#include "core/feature_loss.h"
#include "core/normal_vector.h"
#include "glue.h"
#include "prior/tree_integral.h"
#include "row_numbers.h"

using namespace buffet;

// [[Rcpp::export]]
Rcpp::IntegerMatrix draw_features_cpp(Rcpp::List draws, int index) {
  const RDraws d(draws);
  if (index < 1 || index > d->size()) Rcpp::stop("there is no draw %d.", index);
  return from_features((*d)[index - 1]);
}

namespace {

bool has_full_column(const Features& z) {
  for (int k = 0; k < z.size(); ++k)
    if (z.count(k) == z.rows()) return true;
  return false;
}

/// True if the features are closer to the complement of the column than to the column itself: the
/// feature with the largest absolute correlation has a correlation below -1/2, or all absolute
/// correlations are at most 1/2 and more than half of the rows have the column.
bool is_complement(const Bits& column, const Features& features) {
  const double rows = features.rows(), count = column.count();
  bool flip = 2 * count > rows;
  if (count == 0 || count == rows) return flip;
  double most = 0.5;
  for (int k = 0; k < features.size(); ++k) {
    const double size = features.count(k), shared = column.count_shared(features.column(k));
    if (size == 0 || size == rows) continue;
    const double correlation =
        (rows * shared - count * size) / std::sqrt(count * (rows - count) * size * (rows - size));
    if (std::abs(correlation) <= most) continue;
    most = std::abs(correlation);
    flip = correlation < 0;
  }
  return flip;
}

}  // namespace

// The medoid of the draws. both: true if a feature and its complement are equivalent. In that case,
// features that all rows have are ignored, and draws with such a feature are used only if all draws
// have one.
// [[Rcpp::export]]
int medoid_cpp(Rcpp::List draws, bool both) {
  const RDraws d(draws);
  if (d->size() == 0) Rcpp::stop("there is no draw.");
  std::vector<int> all(d->size());
  std::iota(all.begin(), all.end(), 0);
  if (!both) return medoid(*d, all, shared_norm) + 1;
  std::vector<int> some;
  std::copy_if(all.begin(), all.end(), std::back_inserter(some),
               [&](int draw) { return !has_full_column((*d)[draw]); });
  return medoid(*d, some.empty() ? all : some, centred_norm) + 1;
}

// Mean FARO loss of z over the draws. extra: see FeatureLoss.
// [[Rcpp::export]]
double expected_loss_cpp(Rcpp::List draws, Rcpp::IntegerMatrix z, double extra, bool both) {
  const RDraws d(draws);
  check_fit(z.nrow() == d->rows(), "features");
  return expected_loss({extra, both}, as_features(z), *d, Rcpp::checkUserInterrupt);
}

// The result of search_estimate() started from z.
// [[Rcpp::export]]
Rcpp::IntegerMatrix search_estimate_cpp(Rcpp::List draws, Rcpp::IntegerMatrix z, double extra,
                                        bool both) {
  const RDraws d(draws);
  check_fit(z.nrow() == d->rows(), "features");
  std::vector<Features> all;
  for (int draw = 0; draw < d->size(); ++draw) all.push_back((*d)[draw]);
  return from_features(
      search_estimate({extra, both}, as_features(z), all, Rcpp::checkUserInterrupt));
}

// True for each column of z if its complement is closer to the columns of `like` (see
// is_complement()); always false for a feature that all rows have, whose complement is empty.
// [[Rcpp::export]]
std::vector<bool> complements_cpp(Rcpp::IntegerMatrix z, Rcpp::IntegerMatrix like) {
  check_fit(z.nrow() == like.nrow(), "features");
  const Features of = as_features(z), features = as_features(like);
  std::vector<bool> out;
  for (int k = 0; k < of.size(); ++k)
    out.push_back(of.count(k) < of.rows() && is_complement(of.column(k), features));
  return out;
}

// Mean number of features that each pair of the given rows shares. like: NULL, or features by which
// is_complement() decides which columns to complement.
// [[Rcpp::export]]
Eigen::MatrixXd coassignment_cpp(Rcpp::List draws, std::vector<int> rows, Rcpp::RObject like) {
  const RDraws d(draws);
  for (int& row : rows) --row;
  check_below(rows, d->rows(), "rows");
  const bool both = !like.isNULL();
  const Features features =
      both ? as_features(Rcpp::as<Rcpp::IntegerMatrix>(like)) : Features(d->rows());
  check_fit(features.rows() == d->rows(), "features");
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(rows.size(), rows.size());
  std::vector<int> held;
  for (int draw = 0; draw < d->size(); ++draw) {
    Rcpp::checkUserInterrupt();
    const Features z = (*d)[draw];
    for (int k = 0; k < z.size(); ++k) {
      const bool has = !(both && is_complement(z.column(k), features));
      held.clear();
      for (std::size_t n = 0; n < rows.size(); ++n)
        if (z.column(k).at(rows[n]) == has) held.push_back(static_cast<int>(n));
      for (int i : held)
        for (int j : held) sum(j, i) += 1;
    }
  }
  return sum / d->size();
}

// The n longest sticks of an Indian buffet process, drawn with R's random number generator: the
// increments of -log(nu) are exponential with rate alpha.
// [[Rcpp::export]]
Rcpp::NumericVector ibp_sticks_cpp(double n, double alpha) {
  Rcpp::NumericVector sticks(Rcpp::no_init(static_cast<R_xlen_t>(n)));
  long double sum = 0;
  for (R_xlen_t k = 0; k < sticks.size(); ++k) {
    if (k % 1000000 == 0) Rcpp::checkUserInterrupt();
    sum += ::exp_rand();
    sticks[k] = std::exp(-static_cast<double>(sum) / alpha);
  }
  return sticks;
}

// Log of the integral of P(column | pi) / pi over pi, for every column of z. tree: as in as_tree().
// [[Rcpp::export]]
std::vector<double> tree_integrals_cpp(Rcpp::List tree, Rcpp::IntegerMatrix z) {
  const Tree t = as_tree(tree, z.nrow());
  const Features features = as_features(z);
  std::vector<double> out;
  for (int k = 0; k < features.size(); ++k) {
    Rcpp::checkUserInterrupt();
    out.push_back(log_integral(t, features.column(k)));
  }
  return out;
}

// Independent N(0, 1) draws, rows x count, for the rows of x; plan: as in RowNumbers.
// [[Rcpp::export]]
Eigen::MatrixXd row_normals_cpp(Eigen::MatrixXd x, int count, Rcpp::List plan) {
  const RowNumbers numbers(x.transpose(), plan);
  Eigen::MatrixXd out(x.rows(), count);
  for (Eigen::Index i = 0; i < x.rows(); ++i) {
    Rng rng = numbers.of(i);
    out.row(i) = normal_vector(count, 1, rng).transpose();
  }
  return out;
}
