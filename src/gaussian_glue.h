#pragma once

#include <RcppEigen.h>

#include "gaussian/gaussian_data.h"
#include "glue.h"

namespace buffet {

/// Rows of a matrix or dgCMatrix.
inline GaussianData as_data(const Rcpp::RObject& x, bool rotate) {
  if (!x.isS4()) return GaussianData::from_rows(Rcpp::as<Eigen::Map<Eigen::MatrixXd>>(x), rotate);
  const auto rows = as_sparse(x);
  return GaussianData(GaussianData::Sparse(rows.transpose()), rotate);
}

}  // namespace buffet
