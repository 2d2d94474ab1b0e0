#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/parallel.h"
#include "gibbs/new_row.h"
#include "glue.h"
#include "row_numbers.h"

namespace buffet {

/// Calls f(i) for new rows 0, ..., count - 1 on plan["threads"] threads; f must not call R.
template <class F>
void for_new_rows(Eigen::Index count, const Rcpp::List& plan, F f) {
  const auto caller = std::this_thread::get_id();
  const auto row = [&](int i) {
    if (std::this_thread::get_id() == caller) Rcpp::checkUserInterrupt();
    f(i);
  };
  parallel_for(static_cast<int>(count), plan["threads"], row, [] { Rcpp::checkUserInterrupt(); });
}

/// Rows that are not in the data: the means of their response over the draws of a fit, their mean
/// features given the last draw, and draws of the rows.
class NewRows {
 public:
  struct Sizes {
    int data;               ///< number of rows of the data
    Eigen::Index response;  ///< length of the response of a row
  };

  /// fit: prior and hyper (hyperparameters of the prior, in named rows, one draw per column); x:
  /// one new row per column; plan: sweeps, threads, and the arguments of RowNumbers.
  NewRows(const Rcpp::List& fit, const Eigen::MatrixXd& x, Sizes sizes, const Rcpp::List& plan)
      : prior_(as_prior(fit["prior"], sizes.data + 1)),
        hyper_(Rcpp::as<Rcpp::NumericMatrix>(fit["hyper"])),
        names_(Rcpp::as<std::vector<std::string>>(Rcpp::rownames(hyper_))),
        plan_(plan),
        sweeps_(plan["sweeps"]),
        numbers_(x, plan),
        response_(Eigen::MatrixXd::Zero(sizes.response, x.cols())) {}

  Rng rng_of(Eigen::Index row, int draw) const { return numbers_.of(row, draw); }

  /// Adds the results for one draw of the fit; sample(i, sampler) samples row i and may be called
  /// in any thread.
  template <class Sample>
  void add(int draw, const Features& z, Sample sample) {
    std::visit(
        [&](auto& prior) {
          using Prior = std::decay_t<decltype(prior)>;
          if constexpr (TakesNewRows<Prior>::value) {
            set(prior, draw);
            add(NewRowSampler<Prior>{z, prior, sweeps_}, sample);
          } else {
            throw std::invalid_argument("the prior says nothing of new rows");
          }
        },
        prior_);
  }

  Rcpp::List means(int draws) const {
    return Rcpp::List::create(Rcpp::Named("response") = response_ / draws,
                              Rcpp::Named("features") = features_);
  }

 private:
  template <class Prior>
  void set(Prior& prior, int draw) const {
    check_kept(draw < hyper_.ncol(), "hyperparameters");
    auto values = prior.hyperparameters();
    for (std::size_t n = 0; n < values.size(); ++n)
      values[n] = hyper_(row_of(Prior::hyperparameter_names[n]), draw);
    prior.set(values);
  }
  int row_of(const std::string& name) const {
    for (std::size_t n = 0; n < names_.size(); ++n)
      if (names_[n] == name) return static_cast<int>(n);
    Rcpp::stop("no draws of %s", name);
  }

  template <class Sampler, class Sample>
  void add(const Sampler& sampler, Sample sample) {
    features_ = Eigen::MatrixXd::Zero(sampler.z.size(), response_.cols());
    for_new_rows(response_.cols(), plan_, [&](Eigen::Index i) {
      const NewRowMeans means = sample(i, sampler);
      response_.col(i) += means.response;
      features_.col(i) = means.features;
    });
  }

  AnyPrior prior_;
  Rcpp::NumericMatrix hyper_;
  std::vector<std::string> names_;
  Rcpp::List plan_;
  int sweeps_;
  RowNumbers numbers_;
  Eigen::MatrixXd response_, features_;
};

/// Draws of new rows, one per column, draw after draw; empty unless the plan requests them.
class DrawnRows {
 public:
  DrawnRows(const Rcpp::List& plan, const Eigen::MatrixXd& x, int draws)
      : rows_(plan["drawn"] ? x.cols() : 0), mean_(x.rows(), rows_ * draws), data_(mean_) {}

  template <class Row>
  void add(Eigen::Index i, int draw, const Row& row, Rng& rng) {
    if (rows_ == 0) return;
    const DrawnRow drawn = row.draw(rng);
    mean_.col(draw * rows_ + i) = drawn.mean;
    data_.col(draw * rows_ + i) = drawn.data;
  }

  /// Adds the draws to the means of these rows.
  Rcpp::List beside(Rcpp::List means) const {
    means["mean"] = mean_;
    means["data"] = data_;
    return means;
  }

 private:
  Eigen::Index rows_;
  Eigen::MatrixXd mean_, data_;
};

}  // namespace buffet
