#include "glue.h"

// [[Rcpp::export]]
Rcpp::IntegerMatrix draw_features_cpp(Rcpp::List draws, int index) {
  return buffet::from_features((*buffet::RDraws(draws))[index - 1]);
}

// [[Rcpp::export]]
int medoid_cpp(Rcpp::List draws, std::vector<int> candidates) {
  for (int& c : candidates) --c;
  return buffet::medoid(*buffet::RDraws(draws), candidates) + 1;
}

// Mean number of features that each pair of the given rows shares.
// [[Rcpp::export]]
Eigen::MatrixXd coassignment_cpp(Rcpp::List draws, std::vector<int> rows) {
  const buffet::RDraws d(draws);
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(rows.size(), rows.size());
  std::vector<int> held;
  for (int draw = 0; draw < d->size(); ++draw) {
    Rcpp::checkUserInterrupt();
    const buffet::Features z = (*d)[draw];
    for (int k = 0; k < z.size(); ++k) {
      held.clear();
      for (std::size_t n = 0; n < rows.size(); ++n)
        if (z.column(k).at(rows[n] - 1)) held.push_back(static_cast<int>(n));
      for (int i : held)
        for (int j : held) sum(j, i) += 1;
    }
  }
  return sum / d->size();
}
