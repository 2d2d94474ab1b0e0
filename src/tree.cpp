#include "glue.h"
#include "prior/tree_integral.h"

// Log of the integral of P(column | pi) / pi over pi, for every column of z. tree: as as_tree() has
// it.
// [[Rcpp::export]]
std::vector<double> tree_integrals_cpp(Rcpp::List tree, Rcpp::IntegerMatrix z) {
  const buffet::Tree t = buffet::as_tree(tree, z.nrow());
  const buffet::Features features = buffet::as_features(z);
  std::vector<double> out;
  for (int k = 0; k < features.size(); ++k) {
    Rcpp::checkUserInterrupt();
    out.push_back(log_integral(t, features.column(k)));
  }
  return out;
}
