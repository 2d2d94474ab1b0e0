#include "mixed/mixed.h"

#include "core/log_sum.h"
#include "family_glue.h"
#include "glue.h"
#include "mixed/mixed_runs.h"
#include "mixed/new_mixed_row.h"
#include "new_rows.h"

using namespace buffet;

namespace {

Families as_families(const Rcpp::List& x) {
  std::vector<AnyFamily> all;
  for (R_xlen_t j = 0; j < x.size(); ++j) all.push_back(as_family(x[j]));
  check_fit(!all.empty(), "families");
  return all;
}

/// Throws an error unless the entries of observations, which are the columns of x, are valid for
/// each family or NaN.
void check_entries(const Eigen::MatrixXd& x, const Families& families) {
  check_fit(x.rows() == families.size(), "columns");
  for (Eigen::Index i = 0; i < x.cols(); ++i)
    for (int j = 0; j < families.size(); ++j)
      check_fit(std::isnan(x(j, i)) || families[j]->holds(x(j, i)), "data");
}

MixedData as_mixed_data(Eigen::MatrixXd x, const Families& families) {
  check_entries(x, families);
  return MixedData(std::move(x), families);
}

LogisticScales as_mixed_scales(const Rcpp::List& model) {
  const SEXP bias = model["bias"];
  if (Rf_isNull(bias)) return {as_hyper(model["sigma_w"]), Hyper::fixed(1), false};
  return {as_hyper(model["sigma_w"]), as_hyper(bias), true};
}

}  // namespace

// Rows and columns of the saved loadings of a draw without features. families: as in the model of
// mixed_gibbs_cpp.
// [[Rcpp::export]]
Rcpp::IntegerVector mixed_loading_size_cpp(Rcpp::List families, bool bias) {
  const Families all = as_families(families);
  const MixedData none(Eigen::MatrixXd(all.size(), 0), all);
  const Eigen::MatrixXd kept =
      Mixed(none, all, {Hyper::fixed(1), Hyper::fixed(1), bias}).loadings();
  return {static_cast<int>(kept.rows()), static_cast<int>(kept.cols())};
}

// x: one observation per column, as coded by the families; model: prior, families, sigma_w, bias
// (NULL or the prior of its precision); plan and watch: as in run_chains().
// [[Rcpp::export]]
Rcpp::List mixed_gibbs_cpp(Eigen::MatrixXd x, Rcpp::List model, Rcpp::List plan, Rcpp::List watch) {
  const Families families = as_families(model["families"]);
  const MixedData data = as_mixed_data(std::move(x), families);
  const AnyPrior prior = as_prior(model["prior"], data.rows());
  return run_chains(from_start(mixed_runs(prior, data, families, as_mixed_scales(model)), watch),
                    plan, watch);
}

namespace {

/// The draws of a fit: x, model (as in mixed_gibbs_cpp), draws, loadings (of all draws, one after
/// the other, as stored by Mixed), sigma_w (one per draw).
class MixedDraws {
 public:
  explicit MixedDraws(const Rcpp::List& fit)
      : model_(Rcpp::as<Rcpp::List>(fit["model"])),
        families_(as_families(model_["families"])),
        data_(as_mixed_data(Rcpp::as<Eigen::MatrixXd>(fit["x"]), families_)),
        draws_(Rcpp::as<Rcpp::List>(fit["draws"])),
        loadings_(Rcpp::as<Rcpp::NumericVector>(fit["loadings"])),
        sigma_w_(Rcpp::as<std::vector<double>>(fit["sigma_w"])) {
    const std::size_t columns = draws_->columns() + std::size_t(size()) * extra();
    check_kept(draws_->rows() == data_.rows(), "rows");
    check_kept(static_cast<int>(sigma_w_.size()) == size() && all_positive(sigma_w_),
               "standard deviations");
    check_kept(
        std::size_t(loadings_.size()) == columns * data_.predictors() && all_finite(loadings_),
        "loadings");
  }

  const MixedData& data() const { return data_; }
  const Families& families() const { return families_; }
  int size() const { return draws_->size(); }
  Mixed likelihood() const { return Mixed(data_, families_, as_mixed_scales(model_)); }

  /// Calls f(draw, z, likelihood) for every draw, where the likelihood has the state of the draw.
  template <class F>
  void for_each(F f) const {
    Mixed given = likelihood();
    const int extra = this->extra();
    std::ptrdiff_t at = 0;
    for (int draw = 0; draw < size(); ++draw) {
      Rcpp::checkUserInterrupt();
      const Features z = (*draws_)[draw];
      const Eigen::Map<const Eigen::MatrixXd> all(loadings_.begin() + at, data_.predictors(),
                                                  z.size() + extra);
      at += all.size();
      check_kept(given.accepts(all), "loadings");
      given.set_loadings(all);
      given.set_scales(1 / (sigma_w_[draw] * sigma_w_[draw]), given.scales().b.value);
      f(draw, z, given);
    }
  }

 private:
  /// Number of columns of a draw's loadings that belong to no feature.
  int extra() const {
    const Mixed given = likelihood();
    return given.parameter_columns() + (given.scales().bias ? 1 : 0);
  }

  Rcpp::List model_;
  Families families_;
  MixedData data_;
  RDraws draws_;
  Rcpp::NumericVector loadings_;
  std::vector<double> sigma_w_;
};

}  // namespace

// Mean over draws of the expected value of every entry, one observation per column. fit: as in
// MixedDraws.
// [[Rcpp::export]]
Eigen::MatrixXd mixed_responses_cpp(Rcpp::List fit) {
  const MixedDraws draws(fit);
  Eigen::MatrixXd sum =
      Eigen::MatrixXd::Zero(draws.likelihood().families().response_count(), draws.data().rows());
  draws.for_each([&](int, const Features& z, const Mixed& given) {
    const Eigen::MatrixXd eta = given.predictors(z);
    for (int i = 0; i < z.rows(); ++i) sum.col(i) += given.families().responses(eta.col(i));
  });
  return sum / draws.size();
}

// Log of the mean over draws of the density of `values` at these (0-based) rows and columns.
// [[Rcpp::export]]
Eigen::VectorXd mixed_heldout_cpp(Rcpp::List fit, std::vector<int> rows, std::vector<int> columns,
                                  Eigen::VectorXd values) {
  const MixedDraws draws(fit);
  check_places(rows, columns, values.size(), {draws.data().rows(), draws.data().columns()});
  for (std::size_t n = 0; n < rows.size(); ++n)
    check_fit(draws.families()[columns[n]]->holds(values(n)), "data");
  std::vector<LogSum> sums(rows.size());
  draws.for_each([&](int, const Features& z, const Mixed& given) {
    const Eigen::MatrixXd eta = given.predictors(z);
    for (std::size_t n = 0; n < rows.size(); ++n) {
      const double* at = eta.col(rows[n]).data() + draws.data().first(columns[n]);
      sums[n].add(given.families()[columns[n]]->log_density(values(n), at));
    }
  });
  Eigen::VectorXd out(sums.size());
  for (std::size_t n = 0; n < sums.size(); ++n) out(n) = sums[n].log_mean(draws.size());
  return out;
}

// All entries of replicated data given the draws: one observation per column, draw after draw.
// [[Rcpp::export]]
Eigen::MatrixXd mixed_simulate_cpp(Rcpp::List fit, int seed) {
  const MixedDraws draws(fit);
  const int columns = draws.data().columns(), rows = draws.data().rows();
  Eigen::MatrixXd out(columns, draws.size() * rows);
  Rng rng(seed, 1000);
  draws.for_each([&](int draw, const Features& z, const Mixed& given) {
    const Eigen::MatrixXd eta = given.predictors(z);
    for (int i = 0; i < rows; ++i)
      out.col(draw * rows + i) = given.families().draw(eta.col(i), rng);
  });
  return out;
}

// Mean over draws of the expected entries of new rows given their observed entries, the mean
// features of the new rows given the last draw, and replicates of all entries, fit$replicates per
// draw. rows: one new observation per column; plan: as in NewRows.
// [[Rcpp::export]]
Rcpp::List mixed_new_rows_cpp(Rcpp::List fit, Eigen::MatrixXd rows, Rcpp::List plan) {
  const MixedDraws draws(fit);
  const int replicates = Rcpp::as<int>(fit["replicates"]);
  check_entries(rows, draws.families());
  const int responses = draws.likelihood().families().response_count();
  NewRows out(fit, rows, {draws.data().rows(), responses}, plan);
  Eigen::MatrixXd drawn(rows.rows(), draws.size() * replicates * rows.cols());
  draws.for_each([&](int draw, const Features& z, const Mixed& given) {
    out.add(draw, z, [&](Eigen::Index i, const auto& sampler) {
      Rng rng = out.rng_of(i, draw);
      NewMixedRow row(rows.col(i), given);
      const NewRowMeans means = sampler.sample(row, rng);
      for (int n = 0; n < replicates; ++n)
        drawn.col((draw * replicates + n) * rows.cols() + i) =
            given.families().draw(row.eta(), rng);
      return means;
    });
  });
  Rcpp::List all = out.means(draws.size());
  all["drawn"] = drawn;
  return all;
}

// Expected entries, averaged over rows, if all rows had a feature and if none had it, with the
// other features unchanged: responses x (without, with) x features x draws. known: model, and
// missing entries in place of x; z: the distinct rows of the feature matrix, and the share of rows
// equal to each of them; weights: of every draw, one after the other, as stored by Mixed; features:
// 0-based.
// [[Rcpp::export]]
Rcpp::NumericVector mixed_effects_cpp(Rcpp::List known, Rcpp::NumericVector weights,
                                      std::vector<int> features) {
  const Rcpp::List model = known["model"];
  const Families families = as_families(model["families"]);
  const MixedData data = as_mixed_data(Rcpp::as<Eigen::MatrixXd>(known["x"]), families);
  const Features z = as_features(Rcpp::as<Rcpp::IntegerMatrix>(known["z"]));
  const Eigen::VectorXd share = Rcpp::as<Eigen::VectorXd>(known["share"]);
  check_fit(share.size() == z.rows(), "features");
  check_below(features, z.size(), "features");
  Mixed given(data, families, as_mixed_scales(model));
  const Eigen::Index columns = z.size() + (given.scales().bias ? 1 : 0) + given.parameter_columns();
  const Eigen::Index size = columns * data.predictors();
  const Eigen::Index draws = size == 0 ? 0 : weights.size() / size,
                     means = 2 * Eigen::Index(features.size());
  Rcpp::NumericVector all(given.families().response_count() * means * draws);
  for (Eigen::Index n = 0; n < draws; ++n) {
    Rcpp::checkUserInterrupt();
    given.set_loadings(
        Eigen::Map<const Eigen::MatrixXd>(weights.begin() + n * size, data.predictors(), columns));
    Eigen::Map<Eigen::MatrixXd> sums(all.begin() + n * means * given.families().response_count(),
                                     given.families().response_count(), means);
    const Eigen::MatrixXd eta = given.predictors(z);
    for (int i = 0; i < z.rows(); ++i) {
      const Eigen::VectorXd there = share(i) * given.families().responses(eta.col(i));
      for (std::size_t f = 0; f < features.size(); ++f) {
        const int k = features[f], has = z.at(i, k) ? 1 : 0;
        const double sign = has ? -1 : 1;
        sums.col(2 * f + has) += there;
        sums.col(2 * f + 1 - has) +=
            share(i) * given.families().responses(eta.col(i) + sign * given.weights().col(k));
      }
    }
  }
  return all;
}
