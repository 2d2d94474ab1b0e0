#include "factor/factor_runs.h"
#include "factor/family_scores.h"
#include "factor/new_factor_row.h"
#include "family_glue.h"
#include "gaussian_glue.h"
#include "glue.h"
#include "new_rows.h"
#include "row_numbers.h"

using namespace buffet;

namespace {

/// The features belong to the rows or the columns of the data, whichever have the sparse weights.
GaussianData as_factor_data(const Rcpp::RObject& x, bool of_columns) {
  const auto values = Rcpp::as<Eigen::Map<Eigen::MatrixXd>>(x);
  return of_columns ? GaussianData(values, false) : GaussianData::from_rows(values, false);
}

/// sigma_x: the prior or the fixed value of the precisions, common to all columns of the data or
/// one per column.
FactorNoise as_factor_noise(const GaussianData& data, const Rcpp::List& model) {
  const Rcpp::List x = model["sigma_x"];
  const auto values = Rcpp::as<Eigen::ArrayXd>(x["value"]);
  const auto rates = Rcpp::as<Eigen::ArrayXd>(x["rate"]);
  const bool of_columns = model["of_columns"], common = model["common_noise"];
  const NoiseOf of = common ? NoiseOf::all : of_columns ? NoiseOf::row : NoiseOf::column;
  const int noises = of == NoiseOf::row ? data.rows() : of == NoiseOf::column ? data.width() : 1;
  for (Eigen::Index size : {values.size(), rates.size()})
    check_fit(size == 1 || size == noises, "standard deviations");
  FactorNoise noise(data.rows(), data.width(), of, {values(0), x["learned"], x["shape"], rates(0)});
  if (rates.size() > 1) noise.set_rates(rates);
  if (values.size() > 1) noise.set(values);
  return noise;
}

WeightLaw as_law(const std::string& name) {
  return as_named<WeightLaw>(name, {{"normal", WeightLaw::normal},
                                    {"nonnegative", WeightLaw::nonnegative},
                                    {"laplace", WeightLaw::laplace},
                                    {"counts", WeightLaw::counts}});
}

std::vector<FamilyRows> as_family_rows(const GaussianData& data, const Rcpp::List& columns) {
  std::vector<FamilyRows> all;
  int next = 0;
  for (const Rcpp::List column : columns) {
    const int row = column["row"];
    const auto values = Rcpp::as<Eigen::VectorXd>(column["values"]);
    const AnyFamily family = as_family(column["family"]);
    check_fit(next <= row && row + family->width() <= data.rows() && values.size() == data.width(),
              "columns with families");
    for (Eigen::Index i = 0; i < values.size(); ++i)
      check_fit(std::isnan(values(i)) || family->holds(values(i)), "data");
    all.push_back({row, values, family});
    next = row + family->width();
  }
  return all;
}

}  // namespace

// x: one observation per row; model: of_columns (true if the features belong to the columns of x),
// prior, weights, common_noise, sigma_x, sigma_a, scales_by_feature, families (row, values and
// family, as in as_family(), of each column that has one); plan and watch: as in run_chains().
// [[Rcpp::export]]
Rcpp::List factor_gibbs_cpp(Rcpp::RObject x, Rcpp::List model, Rcpp::List plan, Rcpp::List watch) {
  const WeightLaw law = as_law(Rcpp::as<std::string>(model["weights"]));
  const GaussianData data = as_factor_data(x, model["of_columns"]);
  const AnyPrior prior = as_prior(model["prior"], data.rows());
  const LoadingScales scales(as_hyper(model["sigma_a"]), model["scales_by_feature"]);
  const auto families = as_family_rows(data, model["families"]);
  const RunMaker make =
      factor_runs(prior, data, {as_factor_noise(data, model), scales, law, families});
  return run_chains(from_start(make, watch), plan, watch);
}

// For sparse loadings: mean and variance of every entry of the rows given the observed entries of
// its row and one draw. loadings: D x K; rows: one observation per column, NA if missing.
// [[Rcpp::export]]
Rcpp::List factor_given_rows_cpp(Eigen::MatrixXd loadings, Eigen::ArrayXd sigma_x,
                                 Eigen::MatrixXd rows) {
  check_fit(loadings.rows() == rows.rows(), "loadings");
  check_fit(sigma_x.size() == rows.rows(), "standard deviations");
  GivenRow given(loadings, sigma_x);
  Eigen::MatrixXd mean(rows.rows(), rows.cols()), variance(rows.rows(), rows.cols());
  for (Eigen::Index i = 0; i < rows.cols(); ++i) {
    given.set(rows.col(i));
    mean.col(i) = given.mean();
    variance.col(i) = given.variance();
  }
  return Rcpp::List::create(Rcpp::Named("mean") = mean, Rcpp::Named("variance") = variance);
}

// For sparse loadings: draws the factors of new rows given one draw of a fit, with one column per
// row. rows: one new observation per column, NA if missing; known: loadings (D x K), sigma_x, and
// families (row, family, parameters and levels of each column that has one); plan: as in
// RowNumbers.
// [[Rcpp::export]]
Eigen::MatrixXd factor_scores_cpp(Eigen::MatrixXd rows, Rcpp::List known, Rcpp::List plan) {
  KnownColumns columns{
      Rcpp::as<Eigen::MatrixXd>(known["loadings"]), Rcpp::as<Eigen::ArrayXd>(known["sigma_x"]), {}};
  check_fit(columns.loadings.rows() == rows.rows() && columns.loadings.allFinite(), "loadings");
  check_fit(columns.sigma_x.size() == rows.rows(), "standard deviations");
  for (const Rcpp::List of : Rcpp::List(known["families"])) {
    columns.families.push_back(
        {of["row"], as_family(of["family"]), Rcpp::as<Eigen::VectorXd>(of["level"])});
    const auto& [row, family, level] = columns.families.back();
    const auto parameters = Rcpp::as<std::vector<double>>(of["parameters"]);
    check_fit(row >= 0 && row + family->width() <= rows.rows() && level.size() == family->width() &&
                  static_cast<int>(parameters.size()) == family->parameters() &&
                  family->accepts(parameters.data()),
              "columns with families");
    columns.families.back().family->set(parameters.data());
    for (Eigen::Index i = 0; i < rows.cols(); ++i)
      check_fit(std::isnan(rows(row, i)) || family->holds(rows(row, i)), "data");
  }
  const RowNumbers numbers(rows, plan);
  Eigen::MatrixXd scores(columns.loadings.cols(), rows.cols());
  for (Eigen::Index i = 0; i < rows.cols(); ++i) {
    Rcpp::checkUserInterrupt();
    Rng rng = numbers.of(i);
    scores.col(i) = draw_family_scores(columns, rows.col(i), rng);
  }
  return scores;
}

// For a column of unordered categories: the probabilities of the categories given the linear
// predictors, with one column per entry, and the log probability of x, the category, which is NA if
// it is missing.
// [[Rcpp::export]]
Rcpp::List factor_categories_cpp(Eigen::MatrixXd eta, Eigen::VectorXd x) {
  const CategoricalFamily family(static_cast<int>(eta.rows()));
  check_fit(eta.rows() > 1 && x.size() == eta.cols() && eta.allFinite(), "linear predictors");
  Eigen::MatrixXd probability(eta.rows(), eta.cols());
  Eigen::VectorXd log_lik(x.size());
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    check_fit(std::isnan(x(i)) || family.holds(x(i)), "data");
    family.respond(eta.col(i).data(), probability.col(i).data());
    log_lik(i) = std::isnan(x(i)) ? NA_REAL : family.log_density(x(i), eta.col(i).data());
  }
  return Rcpp::List::create(Rcpp::Named("probability") = probability,
                            Rcpp::Named("log_lik") = log_lik);
}

// For sparse factors: the mean over draws of E[(z o v) A | x_new, Z, X], the mean features of the
// new rows given the last draw, and draws of the rows. fit: draws, weights, rows (number of rows of
// the data), loadings (D x K), sigma_x and sigma_a of every draw, scales_by_feature, prior and
// hyper as in NewRows; rows: one new observation per column; plan: as in NewRows and DrawnRows.
// [[Rcpp::export]]
Rcpp::List factor_new_rows_cpp(Rcpp::List fit, Eigen::MatrixXd rows, Rcpp::List plan) {
  const RDraws given(Rcpp::as<Rcpp::List>(fit["draws"]));
  const Rcpp::List loadings = fit["loadings"], sigma_x = fit["sigma_x"];
  const Eigen::VectorXd sigma_a = Rcpp::as<Eigen::VectorXd>(fit["sigma_a"]);
  const WeightLaw law = as_law(Rcpp::as<std::string>(fit["weights"]));
  const bool by_feature = fit["scales_by_feature"];
  check_kept(loadings.size() == given->size() && sigma_x.size() == given->size() &&
                 sigma_a.size() == given->size() && all_positive(sigma_a),
             "standard deviations");
  check_kept(given->rows() == Rcpp::as<int>(fit["rows"]), "rows");
  NewRows out(fit, rows, {fit["rows"], rows.rows()}, plan);
  DrawnRows drawn(plan, rows, given->size());
  for (int draw = 0; draw < given->size(); ++draw) {
    Rcpp::checkUserInterrupt();
    const KnownFactors known{Rcpp::as<Eigen::MatrixXd>(loadings[draw]),
                             Rcpp::as<Eigen::ArrayXd>(sigma_x[draw]), sigma_a(draw), by_feature};
    const Features z = (*given)[draw];
    check_kept(known.loadings.rows() == rows.rows() && known.loadings.cols() == z.size() &&
                   known.loadings.allFinite(),
               "loadings");
    check_kept(known.sigma_x.size() == rows.rows() && all_positive(known.sigma_x),
               "standard deviations");
    out.add(draw, z, [&](Eigen::Index i, const auto& sampler) {
      const Eigen::VectorXd x = rows.col(i);
      Rng rng = out.rng_of(i, draw);
      return visit_law(law, [&](auto type) {
        using Likelihood = typename decltype(type)::Type;
        NewFactorRow<Likelihood> row(known, x);
        NewRowMeans means = sampler.sample(row, rng);
        drawn.add(i, draw, row, rng);
        return means;
      });
    });
  }
  return drawn.beside(out.means(given->size()));
}
