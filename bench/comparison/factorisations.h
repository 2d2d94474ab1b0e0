#pragma once

#include "competitor.h"
#include "nmf/nmf_gibbs.h"

namespace bench {

/// Bayesian nonnegative matrix factorisation, by modes (Schmidt et al. 2009) or by draws.
class Factorisation : public Competitor {
 public:
  Factorisation(const Entry& e, const buffet::Hyper& precision, bool draws)
      : data_{buffet::NmfSide(buffet::GaussianData(e.problem.x, false)),
              buffet::NmfSide(buffet::GaussianData(e.problem.x.transpose(), false))},
        nmf_(data_, {e.features, precision, 1, 1}),
        rng_(e.seed),
        draws_(draws) {
    nmf_.start({}, rng_);
  }

  void iterate() override {
    rng_.begin(done_++);
    if (draws_)
      nmf_.sweep(rng_, [] {});
    else
      nmf_.climb(1, [] {});
  }
  double training() const override { return nmf_.log_lik(); }
  Eigen::ArrayXXd log_density(const Places& at) const override {
    return at_places(at, [&](int i, int h, double value) {
      const double mean = nmf_.w().col(i).dot(nmf_.a().col(at.problem.columns[h]));
      return log_normal(value, mean, 1 / nmf_.precision());
    });
  }
  int features() const override { return static_cast<int>(nmf_.w().rows()); }

 private:
  buffet::NmfData data_;
  buffet::Nmf nmf_;
  buffet::Rng rng_;
  bool draws_;
  int done_ = 0;
};

}  // namespace bench
