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

/// Whose weights are sparse decides which side of the data the features are of.
GaussianData as_factor_data(const Rcpp::RObject& x, bool of_columns) {
  const auto values = Rcpp::as<Eigen::Map<Eigen::MatrixXd>>(x);
  return of_columns ? GaussianData(values, false) : GaussianData::from_rows(values, false);
}

/// sigma_x: the prior of the precisions, or what fixes them, one value for all columns of the data
/// or one each.
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

// x: one observation a row; model: of_columns (are the features those of the columns of x?), prior,
// weights, common_noise, sigma_x, sigma_a, scales_by_feature, families (row, values and family, as
// as_family() reads it, of each column that has one); plan and watch: as run_chains() has them.
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

// Of sparse loadings: mean and variance of every entry of rows given what is observed of its row
// and one draw. loadings: D x K; rows: one observation a column, NA if an entry is missing.
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

// Of sparse loadings: the factors of new rows drawn given one draw, one row a column. rows: one
// new observation a column, NA where an entry is missing; known: loadings (D x K), sigma_x, and
// families (row, family, parameters and levels of each column that has one); plan: as RowNumbers
// has it.
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

// Of a column of categories given the linear predictors, a column for each entry: the probabilities
// of the categories and the log probability of x, the category, NA if it is missing.
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

// Sparse factors: mean over draws of E[(z o v) A | x_new, Z, X], the mean features of the new
// rows given the last draw, and draws of the rows. fit: draws, weights, rows (of the data),
// loadings (D x K), sigma_x and sigma_a of every draw, scales_by_feature, prior and hyper as
// NewRows has them; rows: one new observation a column; plan: as NewRows and DrawnRows have it.
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
