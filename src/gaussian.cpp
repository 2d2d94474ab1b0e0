#include "core/log_sum.h"
#include "gaussian_glue.h"
#include "gibbs/gaussian_predict.h"
#include "gibbs/gaussian_runs.h"
#include "glue.h"
#include "new_rows.h"

using namespace buffet;

namespace {

Precisions as_precisions(const Rcpp::List& x) {
  return {as_hyper(x["sigma_x"]), as_hyper(x["sigma_a"])};
}

/// sigma_x: the prior or the fixed values of the precisions of the columns, with one rate or value
/// for all columns or one per column.
GaussianColumnNoise as_column_noise(const GaussianData& data, const Rcpp::List& model) {
  const Rcpp::List x = model["sigma_x"];
  const auto values = Rcpp::as<Eigen::ArrayXd>(x["value"]);
  const auto rates = Rcpp::as<Eigen::ArrayXd>(x["rate"]);
  for (Eigen::Index size : {values.size(), rates.size()})
    check_fit(size == 1 || size == data.width(), "standard deviations");
  const Precisions precisions{{values(0), x["learned"], x["shape"], rates(0)},
                              as_hyper(model["sigma_a"])};
  GaussianColumnNoise likelihood(data, precisions);
  if (rates.size() > 1) likelihood.set_rates(rates);
  if (values.size() > 1) likelihood.set_precisions(values, precisions.a.value);
  return likelihood;
}

}  // namespace

// x: one observation per row; model: prior, loadings, sampler, sigma_x, sigma_a; plan and watch: as
// in run_chains().
// [[Rcpp::export]]
Rcpp::List gaussian_gibbs_cpp(Rcpp::RObject x, Rcpp::List model, Rcpp::List plan,
                              Rcpp::List watch) {
  const auto sampler =
      as_named<GaussianSampler>(model["sampler"], {{"collapsed", GaussianSampler::collapsed},
                                                   {"uncollapsed", GaussianSampler::uncollapsed},
                                                   {"slice", GaussianSampler::slice}});
  const auto runs_of = as_named<decltype(&normal_runs)>(
      model["loadings"], {{"normal", normal_runs}, {"nonnegative", nonnegative_runs}});
  const GaussianData data = as_data(x, sampler == GaussianSampler::collapsed);
  const AnyPrior prior = as_prior(model["prior"], data.rows());
  return run_chains(from_start(runs_of(prior, data, as_precisions(model), sampler), watch), plan,
                    watch);
}

// gaussian_gibbs_cpp() with a noise variance for each column; model: prior, sigma_x, sigma_a.
// [[Rcpp::export]]
Rcpp::List gaussian_column_noise_gibbs_cpp(Rcpp::RObject x, Rcpp::List model, Rcpp::List plan,
                                           Rcpp::List watch) {
  const GaussianData data = as_data(x, false);
  const AnyPrior prior = as_prior(model["prior"], data.rows());
  const RunMaker make = column_noise_runs(prior, as_column_noise(data, model));
  return run_chains(from_start(make, watch), plan, watch);
}

namespace {

/// The draws of a fit, for quantities computed from them: x (rows), draws, sigma (sigma_x and
/// sigma_a, one draw per column), nonnegative (true if the loadings are), column_noise (true if
/// each column has its own noise), given (true if the loadings are in the state, false if they are
/// integrated out), loadings (D x K of every draw, one after the other; with column_noise, after
/// the standard deviations).
class FitDraws {
 public:
  explicit FitDraws(const Rcpp::List& fit)
      : data_(as_data(fit["x"], false)),
        x_(data_),
        draws_(Rcpp::as<Rcpp::List>(fit["draws"])),
        sigma_(Rcpp::as<Eigen::MatrixXd>(fit["sigma"])),
        nonnegative_(fit["nonnegative"]),
        column_noise_(fit["column_noise"]),
        known_(fit["given"]),
        given_(Rcpp::as<Rcpp::NumericVector>(fit["loadings"])) {
    int at = 0;
    for (int d = 0; d < size(); ++d) {
      from_.push_back(at);
      at += (*draws_)[d].size() + (column_noise_ ? 1 : 0);
    }
    check_kept(draws_->rows() == data_.rows(), "rows");
    check_kept(sigma_.rows() == 2 && sigma_.cols() == size() && all_positive(sigma_),
               "standard deviations");
    const bool whole = given_.size() == std::ptrdiff_t{data_.width()} * at && all_finite(given_);
    check_kept(!known_ || whole, "loadings");
  }

  int size() const { return draws_->size(); }
  const GaussianData& data() const { return data_; }
  bool nonnegative() const { return nonnegative_; }
  bool column_noise() const { return column_noise_; }
  bool known() const { return known_; }
  Features z(int draw) const { return (*draws_)[draw]; }

  LoadingsPosterior loadings(int draw, const Features& z) const {
    const double sigma_x = sigma_(0, draw), sigma_a = sigma_(1, draw);
    if (!known()) return LoadingsPosterior(z, x_, sigma_x, sigma_a);
    const int width = data_.width(), extra = column_noise_ ? 1 : 0;
    const Eigen::Map<const Eigen::MatrixXd> all(
        given_.begin() + std::ptrdiff_t{width} * from_[draw], width, z.size() + extra);
    LoadingsPosterior loadings(all.rightCols(z.size()), sigma_x, sigma_a);
    if (column_noise_) loadings.variances = all.col(0).array().square();
    return loadings;
  }
  /// The mean of the loadings given Z and the standard deviations, or their draw if the fit has
  /// saved one.
  Eigen::MatrixXd mean_loadings(int draw, const Features& z) const {
    LoadingsPosterior given = loadings(draw, z);
    if (!column_noise_) return given.mu;
    GaussianColumnNoise likelihood(data_, {});
    take_over(given, likelihood);
    likelihood.reset(z);
    return likelihood.weights();
  }

 private:
  GaussianData data_;
  Completed x_;
  RDraws draws_;
  Eigen::MatrixXd sigma_;
  bool nonnegative_, column_noise_, known_;
  Rcpp::NumericVector given_;
  std::vector<int> from_;
};

}  // namespace

// Mean over draws of Z E[A | Z, X], D x N. fit: as in FitDraws.
// [[Rcpp::export]]
Eigen::MatrixXd gaussian_fitted_cpp(Rcpp::List fit) {
  const FitDraws draws(fit);
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(draws.data().width(), draws.data().rows());
  for (int draw = 0; draw < draws.size(); ++draw) {
    Rcpp::checkUserInterrupt();
    const Features z = draws.z(draw);
    add_fitted(z, draws.loadings(draw, z).mu, sum);
  }
  return sum / draws.size();
}

// Loadings of every draw, D x K: their mean, or a draw from their posterior.
// [[Rcpp::export]]
Rcpp::List gaussian_loadings_cpp(Rcpp::List fit, bool mean, int seed) {
  const FitDraws draws(fit);
  Rng rng(seed, 1000);
  Rcpp::List out;
  for (int draw = 0; draw < draws.size(); ++draw) {
    Rcpp::checkUserInterrupt();
    const Features z = draws.z(draw);
    if (mean) {
      out.push_back(Rcpp::wrap(draws.mean_loadings(draw, z)));
    } else {
      const LoadingsPosterior loadings = draws.loadings(draw, z);
      out.push_back(Rcpp::wrap(draws.known() ? loadings.mu : loadings.draw(rng)));
    }
  }
  return out;
}

// Mean of `passes` draws of nonnegative loadings, D x K, given the Z of the fit's only draw.
// [[Rcpp::export]]
Eigen::MatrixXd gaussian_nonnegative_mean_cpp(Rcpp::List fit, int passes, int seed) {
  const FitDraws draws(fit);
  const Features z = draws.z(0);
  const LoadingsPosterior start = draws.loadings(0, z);
  GaussianNonnegative likelihood(draws.data(), {});
  take_over(start, likelihood);
  Rng rng(seed, 1000);
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(start.mu.rows(), start.mu.cols());
  for (int n = 0; n < passes; ++n) {
    Rcpp::checkUserInterrupt();
    likelihood.update(z, rng);
    sum += likelihood.loadings();
  }
  return sum / passes;
}

// Log of the mean over draws of the density of `values` at these (0-based) rows and columns.
// [[Rcpp::export]]
Eigen::VectorXd gaussian_heldout_cpp(Rcpp::List fit, std::vector<int> rows,
                                     std::vector<int> columns, Eigen::VectorXd values) {
  const FitDraws draws(fit);
  check_places(rows, columns, values.size(), {draws.data().rows(), draws.data().width()});
  Eigen::VectorXd log_sum = Eigen::VectorXd::Constant(values.size(), -INFINITY);
  std::vector<std::vector<int>> held(draws.data().rows());
  for (int draw = 0; draw < draws.size(); ++draw) {
    Rcpp::checkUserInterrupt();
    const Features z = draws.z(draw);
    const LoadingsPosterior loadings = draws.loadings(draw, z);
    for (auto& features : held) features.clear();
    for (int k = 0; k < z.size(); ++k) z.column(k).for_each([&](int i) { held[i].push_back(k); });
    for (int n = 0; n < values.size(); ++n) {
      const double one = log_density(loadings, held[rows[n]], columns[n], values(n));
      log_sum(n) = log_add(one, log_sum(n));
    }
  }
  return log_sum.array() - std::log(draws.size());
}

// Mean over draws of E[z A | x_new, Z, X], the mean features of the new rows given the last draw,
// and draws of the rows. fit: as in FitDraws and NewRows; rows: one new observation per column;
// plan: as in NewRows and DrawnRows.
// [[Rcpp::export]]
Rcpp::List gaussian_new_rows_cpp(Rcpp::List fit, Eigen::MatrixXd rows, Rcpp::List plan) {
  const FitDraws draws(fit);
  check_fit(rows.rows() == draws.data().width(), "columns");
  NewRows out(fit, rows, {draws.data().rows(), rows.rows()}, plan);
  DrawnRows drawn(plan, rows, draws.size());
  for (int draw = 0; draw < draws.size(); ++draw) {
    Rcpp::checkUserInterrupt();
    const Features z = draws.z(draw);
    const LoadingsPosterior loadings = draws.loadings(draw, z);
    out.add(draw, z, [&](Eigen::Index i, const auto& sampler) {
      const Eigen::VectorXd x = rows.col(i);
      Rng rng = out.rng_of(i, draw);
      const auto sample = [&](auto&& row) {
        NewRowMeans means = sampler.sample(row, rng);
        drawn.add(i, draw, row, rng);
        return means;
      };
      if (draws.nonnegative()) return sample(NewGaussianRow<GaussianNonnegative>(loadings, x));
      if (draws.column_noise()) return sample(NewGaussianRow<GaussianColumnNoise>(loadings, x));
      return sample(NewRow(loadings, x));
    });
  }
  return drawn.beside(out.means(draws.size()));
}
