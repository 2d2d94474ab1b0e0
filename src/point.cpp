#include <numeric>

#include "gaussian/gaussian_masks.h"
#include "point/factor/gaussian_factor_predict.h"
#include "point/variational/soft_rows.h"
#include "point_glue.h"

using namespace buffet;

namespace {

/// fit: mean and variances (D x K), or a list of covariances with the number (from 1) of the one
/// that each column has; variance of the noise. Throws an error unless the fit has this many
/// columns and features.
NormalFit as_normal_fit(const Rcpp::List& fit, Eigen::Index columns, Eigen::Index features) {
  NormalFit known;
  known.mean = Rcpp::as<Eigen::MatrixXd>(fit["mean"]);
  known.variance = fit["variance"];
  check_fit(known.mean.rows() == columns && known.mean.cols() == features, "mean");
  const Rcpp::RObject covariances = fit["covariance"];
  if (Rf_isNull(covariances)) {
    known.variances = Rcpp::as<Eigen::MatrixXd>(fit["variances"]);
    check_fit(known.variances.rows() == columns && known.variances.cols() == features, "variances");
    return known;
  }
  known.covariances = Rcpp::as<std::vector<Eigen::MatrixXd>>(covariances);
  known.covariance_of = Rcpp::as<std::vector<int>>(fit["covariance_of"]);
  for (int& g : known.covariance_of) --g;
  check_covariances(known.covariances, known.covariance_of, known.mean);
  return known;
}

/// Values of entries, and their rows and columns from 0.
struct Entries {
  Entries(const Rcpp::List& at, Eigen::Index of_rows, Eigen::Index of_columns)
      : rows(Rcpp::as<std::vector<int>>(at["rows"])),
        columns(Rcpp::as<std::vector<int>>(at["columns"])),
        values(Rcpp::as<Eigen::VectorXd>(at["values"])) {
    check_places(rows, columns, values.size(), {int(of_rows), int(of_columns)});
  }

  std::vector<int> rows, columns;
  Eigen::VectorXd values;
};

template <class Fit>
Eigen::VectorXd log_densities(const Fit& fit, const Eigen::MatrixXd& on, const Entries& at) {
  const auto& [rows, columns, values] = at;
  Eigen::VectorXd out(values.size());
  for (int n = 0; n < values.size(); ++n) {
    if (n % 1000 == 0) Rcpp::checkUserInterrupt();
    out(n) = log_density(fit, on.row(rows[n]), columns[n], values(n));
  }
  return out;
}

/// The interface to the factor of the loadings that the search of a row requires.
class KnownFactor {
 public:
  explicit KnownFactor(const NormalFit& fit) : fit_(fit) {}

  const Eigen::MatrixXd& mean() const { return fit_.mean; }
  Eigen::MatrixXd moments() const {
    std::vector<int> all(fit_.mean.rows());
    std::iota(all.begin(), all.end(), 0);
    return moments(all);
  }
  Eigen::MatrixXd moments(const std::vector<int>& columns) const {
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(fit_.mean.cols(), fit_.mean.cols());
    for (int d : columns) {
      sum.noalias() += fit_.mean.row(d).transpose() * fit_.mean.row(d);
      if (fit_.covariances.empty())
        sum.diagonal() += fit_.variances.row(d).transpose();
      else
        sum += fit_.covariances[fit_.covariance_of[d]];
    }
    return sum;
  }

 private:
  const NormalFit& fit_;
};

}  // namespace

// Log density of `values` at these (0-based) rows and columns. fit: probabilities (rows x K);
// location and scale (D x K) of nonnegative loadings, or the elements that as_normal_fit() reads;
// variance of the noise.
// [[Rcpp::export]]
Eigen::VectorXd point_heldout_cpp(Rcpp::List fit, Rcpp::List at) {
  const auto on = Rcpp::as<Eigen::MatrixXd>(fit["probabilities"]);
  const auto columns = Rcpp::as<Eigen::MatrixXd>(fit["mean"]).rows();
  const Entries entries(at, on.rows(), columns);
  if (!Rcpp::as<bool>(fit["truncated"]))
    return log_densities(as_normal_fit(fit, columns, on.cols()), on, entries);
  const NonnegativeFit known{fit["location"], fit["scale"], fit["variance"]};
  check_fit(known.location.rows() == columns && known.location.cols() == on.cols(), "location");
  check_fit(known.scale.rows() == columns && known.scale.cols() == on.cols(), "scale");
  return log_densities(known, on, entries);
}

// Probabilities (rows x K) that new rows, which are the rows of x, have each feature, given the
// prior log odds and a fit as in as_normal_fit(), for any loadings.
// [[Rcpp::export]]
Eigen::MatrixXd variational_new_rows_cpp(Eigen::MatrixXd x, Eigen::VectorXd log_odds,
                                         Rcpp::List fit) {
  const GaussianData rows = GaussianData::from_rows(x, false);
  const NormalFit known = as_normal_fit(fit, x.cols(), log_odds.size());
  const KnownFactor factor(known);
  Masks masks(rows.rows(), rows.columns());
  masks.add(rows);
  masks.finish();
  SoftRow row(RowMoments(factor, masks), log_odds, 1 / known.variance);
  Eigen::MatrixXd on = Eigen::MatrixXd::Constant(log_odds.size(), rows.rows(), 0.5);
  for (int i = 0; i < rows.rows(); ++i) {
    Rcpp::checkUserInterrupt();
    row.enter(masks.pattern_of(i), rows.times(known.mean, i));
    row.ascend(on.col(i), 500);
    row.search(on.col(i));
    row.ascend(on.col(i), 500);
  }
  return on.transpose();
}

// Mean and variance of normals truncated to [0, inf).
// [[Rcpp::export]]
Rcpp::List nonnegative_moments_cpp(Eigen::MatrixXd location, Eigen::MatrixXd scale) {
  check_fit(location.rows() == scale.rows() && location.cols() == scale.cols(), "scale");
  Eigen::MatrixXd mean = location, variance = location;
  for (Eigen::Index n = 0; n < location.size(); ++n) {
    const NonnegativeNormal a(location(n), scale(n));
    mean(n) = a.mean();
    variance(n) = a.variance();
  }
  return Rcpp::List::create(Rcpp::Named("mean") = mean, Rcpp::Named("variance") = variance);
}

// Draws of normals truncated to [0, inf).
// [[Rcpp::export]]
Eigen::MatrixXd nonnegative_draw_cpp(Eigen::MatrixXd location, Eigen::MatrixXd scale, int seed) {
  check_fit(location.rows() == scale.rows() && location.cols() == scale.cols(), "scale");
  Rng rng(seed, 1000);
  Eigen::MatrixXd draw = location;
  for (Eigen::Index n = 0; n < draw.size(); ++n)
    draw(n) = draw_nonnegative_normal(location(n), scale(n), rng);
  return draw;
}
