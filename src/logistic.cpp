#include "likelihood/logistic.h"

#include "gibbs/logistic_predict.h"
#include "gibbs/logistic_runs.h"
#include "glue.h"
#include "new_rows.h"

using namespace buffet;

namespace {

signed char sign(double value) {
  return static_cast<signed char>(std::isnan(value) ? 0 : value > 0 ? 1 : -1);
}

template <class Matrix>
BinaryData::Signs as_signs(const Matrix& values) {
  BinaryData::Signs signs(values.rows(), values.cols());
  for (Eigen::Index j = 0; j < values.cols(); ++j)
    for (Eigen::Index i = 0; i < values.rows(); ++i) signs(i, j) = sign(values(i, j));
  return signs;
}

/// Rows of zeros, ones and NA: a matrix, or a dgCMatrix, whose entries are zero unless stored.
BinaryData as_binary(const Rcpp::RObject& y) {
  if (!y.isS4()) return BinaryData(as_signs(Rcpp::as<Eigen::Map<Eigen::MatrixXd>>(y).transpose()));
  const auto rows = as_sparse(y);
  BinaryData::Signs signs = BinaryData::Signs::Constant(rows.cols(), rows.rows(), -1);
  for (int j = 0; j < rows.outerSize(); ++j)
    for (Eigen::Map<Eigen::SparseMatrix<double>>::InnerIterator entry(rows, j); entry; ++entry)
      signs(j, entry.row()) = sign(entry.value());
  return BinaryData(std::move(signs));
}

/// sigma_a, and sigma_b, which is NULL if there is no bias.
LogisticScales as_scales(const Rcpp::List& model) {
  const SEXP bias = model["bias"];
  if (Rf_isNull(bias)) return {as_hyper(model["sigma_a"]), Hyper::fixed(1), false};
  return {as_hyper(model["sigma_a"]), as_hyper(bias), true};
}

}  // namespace

// y: zeros, ones and NA; model: prior, sampler, sigma_a, bias (NULL or the prior of its precision);
// plan and watch: as in run_chains().
// [[Rcpp::export]]
Rcpp::List logistic_gibbs_cpp(Rcpp::RObject y, Rcpp::List model, Rcpp::List plan,
                              Rcpp::List watch) {
  const auto sampler = as_named<LogisticSampler>(
      model["sampler"],
      {{"uncollapsed", LogisticSampler::uncollapsed}, {"neal", LogisticSampler::neal}});
  const BinaryData data = as_binary(y);
  const AnyPrior prior = as_prior(model["prior"], data.rows());
  return run_chains(from_start(logistic_runs(prior, data, as_scales(model), sampler), watch), plan,
                    watch);
}

namespace {

/// The draws of a fit: y, draws, loadings (of every draw, one after the other, with the bias first
/// if there is one), sigma_a (one per draw), bias (true if there is one).
class LogisticDraws {
 public:
  explicit LogisticDraws(const Rcpp::List& fit)
      : data_(as_binary(fit["y"])),
        draws_(Rcpp::as<Rcpp::List>(fit["draws"])),
        loadings_(Rcpp::as<Rcpp::NumericVector>(fit["loadings"])),
        sigma_a_(Rcpp::as<std::vector<double>>(fit["sigma_a"])),
        bias_(Rcpp::as<bool>(fit["bias"])) {
    const std::size_t columns = draws_->columns() + (bias_ ? size() : 0);
    check_kept(draws_->rows() == data_.rows(), "rows");
    check_kept(static_cast<int>(sigma_a_.size()) == size() &&
                   std::all_of(sigma_a_.begin(), sigma_a_.end(), &LogisticScales::is_sigma),
               "standard deviations");
    check_kept(std::size_t(loadings_.size()) == columns * data_.columns() && all_finite(loadings_),
               "loadings");
  }

  const BinaryData& data() const { return data_; }
  int size() const { return draws_->size(); }

  /// Calls f(draw, z, likelihood) for every draw, where the likelihood has the weights of the draw.
  template <class F>
  void for_each(F f) const {
    std::ptrdiff_t at = 0;
    for (int draw = 0; draw < size(); ++draw) {
      Rcpp::checkUserInterrupt();
      const Features z = (*draws_)[draw];
      const int extra = bias_ ? 1 : 0, width = data_.columns();
      const Eigen::Map<const Eigen::MatrixXd> all(loadings_.begin() + at, width, z.size() + extra);
      at += all.size();
      const double precision = 1 / (sigma_a_[draw] * sigma_a_[draw]);
      Logistic likelihood(data_, {Hyper::fixed(precision), Hyper::fixed(1), bias_});
      likelihood.set_weights(all.rightCols(z.size()),
                             bias_ ? Eigen::VectorXd(all.col(0)) : Eigen::VectorXd::Zero(width));
      f(draw, z, likelihood);
    }
  }

 private:
  BinaryData data_;
  RDraws draws_;
  Rcpp::NumericVector loadings_;
  std::vector<double> sigma_a_;
  bool bias_;
};

}  // namespace

// Mean over draws of the probability of a one, D x N. fit: as in LogisticDraws.
// [[Rcpp::export]]
Eigen::MatrixXd logistic_fitted_cpp(Rcpp::List fit) {
  const LogisticDraws draws(fit);
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(draws.data().columns(), draws.data().rows());
  draws.for_each([&](int, const Features& z, const Logistic& likelihood) {
    sum += probabilities(z, likelihood);
  });
  return sum / draws.size();
}

// Log of the mean over draws of the probability of `values` at these (0-based) rows and columns.
// [[Rcpp::export]]
Eigen::VectorXd logistic_heldout_cpp(Rcpp::List fit, std::vector<int> rows,
                                     std::vector<int> columns, Eigen::VectorXd values) {
  const LogisticDraws draws(fit);
  check_places(rows, columns, values.size(), {draws.data().rows(), draws.data().columns()});
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(values.size());
  draws.for_each([&](int, const Features& z, const Logistic& likelihood) {
    const Eigen::MatrixXd psi = log_odds(z, likelihood);
    for (int n = 0; n < values.size(); ++n) {
      const double one = psi(columns[n], rows[n]);
      sum(n) += std::isnan(values(n)) ? values(n) : sigmoid(values(n) > 0 ? one : -one);
    }
  });
  return (sum / draws.size()).array().log();
}

// Mean over draws of the probabilities of ones in new rows (D x rows) given their observed entries,
// the mean features of the new rows given the last draw, and draws of the rows. fit: as in
// LogisticDraws and NewRows; rows: one new observation per column; plan: as in NewRows and
// DrawnRows.
// [[Rcpp::export]]
Rcpp::List logistic_new_rows_cpp(Rcpp::List fit, Eigen::MatrixXd rows, Rcpp::List plan) {
  const LogisticDraws draws(fit);
  check_fit(rows.rows() == draws.data().columns(), "columns");
  NewRows out(fit, rows, {draws.data().rows(), rows.rows()}, plan);
  DrawnRows drawn(plan, rows, draws.size());
  const BinaryData::Signs signs = as_signs(rows);
  draws.for_each([&](int draw, const Features& z, const Logistic& likelihood) {
    out.add(draw, z, [&](Eigen::Index i, const auto& sampler) {
      Rng rng = out.rng_of(i, draw);
      NewBinaryRow row(signs.col(i), likelihood);
      NewRowMeans means = sampler.sample(row, rng);
      drawn.add(i, draw, row, rng);
      return means;
    });
  });
  return drawn.beside(out.means(draws.size()));
}
