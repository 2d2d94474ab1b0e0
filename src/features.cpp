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

// [[Rcpp::export]]
int medoid_cpp(Rcpp::List draws, std::vector<int> candidates) {
  const RDraws d(draws);
  for (int& c : candidates)
    if (--c < 0 || c >= d->size()) Rcpp::stop("there is no draw %d.", c + 1);
  if (candidates.empty()) Rcpp::stop("there is no draw.");
  return medoid(*d, candidates) + 1;
}

// Mean number of features that each pair of the given rows shares.
// [[Rcpp::export]]
Eigen::MatrixXd coassignment_cpp(Rcpp::List draws, std::vector<int> rows) {
  const RDraws d(draws);
  for (int& row : rows) --row;
  check_below(rows, d->rows(), "rows");
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(rows.size(), rows.size());
  std::vector<int> held;
  for (int draw = 0; draw < d->size(); ++draw) {
    Rcpp::checkUserInterrupt();
    const Features z = (*d)[draw];
    for (int k = 0; k < z.size(); ++k) {
      held.clear();
      for (std::size_t n = 0; n < rows.size(); ++n)
        if (z.column(k).at(rows[n])) held.push_back(static_cast<int>(n));
      for (int i : held)
        for (int j : held) sum(j, i) += 1;
    }
  }
  return sum / d->size();
}

// The n longest sticks of an Indian buffet process, with R's random numbers: -log(nu) is
// exponential with rate alpha.
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

// Log of the integral of P(column | pi) / pi over pi, for every column of z. tree: as as_tree() has
// it.
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

// Independent N(0, 1), rows x count, of each row of x; plan: as RowNumbers has it.
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
