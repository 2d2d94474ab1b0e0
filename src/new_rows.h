#pragma once

#include "gibbs/new_row.h"
#include "glue.h"

namespace buffet {

/// Rows that were not among the data: means over the draws of a fit of their response, and their
/// mean features given the last draw.
class NewRows {
 public:
  /// fit: prior and hyper (the prior's hyperparameters, one draw a column); x: one new row a
  /// column; rows: how many the data have.
  NewRows(const Rcpp::List& fit, const Eigen::MatrixXd& x, int rows, int sweeps)
      : prior_(rows + 1, as_spec(fit["prior"])),
        hyper_(Rcpp::as<Eigen::MatrixXd>(fit["hyper"])),
        sweeps_(sweeps),
        response_(Eigen::MatrixXd::Zero(x.rows(), x.cols())) {}

  /// Adds those given a draw; sample(i, sampler) samples row i.
  template <class Sample>
  void add(int draw, const Features& z, Sample sample) {
    prior_.set({hyper_(0, draw), hyper_(1, draw)});
    features_ = Eigen::MatrixXd::Zero(z.size(), response_.cols());
    const NewRowSampler<Exchangeable> sampler{z, prior_, sweeps_};
    for (Eigen::Index i = 0; i < response_.cols(); ++i) {
      const NewRowMeans means = sample(i, sampler);
      response_.col(i) += means.response;
      features_.col(i) = means.features;
    }
  }

  Rcpp::List means(int draws) const {
    return Rcpp::List::create(Rcpp::Named("response") = response_ / draws,
                              Rcpp::Named("features") = features_);
  }

 private:
  Exchangeable prior_;
  Eigen::MatrixXd hyper_;
  int sweeps_;
  Eigen::MatrixXd response_, features_;
};

}  // namespace buffet
