#pragma once

#include <string>
#include <vector>

#include "draws.h"
#include "moves.h"

namespace test {

/// Everything: hyperparameters, Z and X.
struct Joint {
  Parameters parameters;
  Scales sigma;
  Features z;
  Eigen::MatrixXd x;  ///< N x D
};

/// A model whose hyperparameters are all learned.
struct Model {
  PriorCase prior;
  int rows, columns;

  Exchangeable::Spec spec() const {
    const auto& p = prior.parameters;
    return {Hyper::gamma(3.5, 2.2), prior.learns_c ? Hyper::gamma(2.7, 1.6) : Hyper::fixed(p.c),
            p.discount, p.n_features};
  }
  static buffet::GaussianCollapsed::Precisions precisions() {
    return {Hyper::gamma(4.2, 1.7), Hyper::gamma(5.1, 3.3)};
  }

  Joint draw(Rng& rng) const {
    Parameters p = prior.parameters;
    p.alpha = rng.gamma(3.5, 2.2);
    if (prior.learns_c) p.c = rng.gamma(2.7, 1.6);
    const double tau_x = rng.gamma(4.2, 1.7), tau_a = rng.gamma(5.1, 3.3);
    const Scales sigma{1 / std::sqrt(tau_x), 1 / std::sqrt(tau_a)};
    Features z = draw_features(rows, p, rng);
    Eigen::MatrixXd x = draw_data(z, columns, sigma, rng);
    return {p, sigma, std::move(z), std::move(x)};
  }
};

/// A chain and the data it refers to, set to any state.
class Simulation {
 public:
  Simulation(const Model& model, const Joint& start, Rng rng)
      : data_(Eigen::MatrixXd(start.x.transpose())),
        chain_(start.z, Exchangeable(model.rows, model.spec()),
               buffet::GaussianCollapsed(data_, Model::precisions()), rng) {
    set(start);
  }
  Simulation(const Simulation&) = delete;

  void set(const Joint& state) {
    x_ = state.x;
    discount_ = state.parameters.discount;
    n_features_ = state.parameters.n_features;
    data_ = buffet::GaussianData(Eigen::MatrixXd(x_.transpose()));
    chain_.z = state.z;
    chain_.prior.set(state.parameters.alpha, state.parameters.c);
    chain_.likelihood.set_precisions(1 / std::pow(state.sigma.x, 2),
                                     1 / std::pow(state.sigma.a, 2));
    chain_.likelihood.reset(chain_.z);
  }

  void sweep() { test::sweep(chain_); }
  int features() const { return chain_.z.size(); }

  Joint state() const {
    return {{chain_.prior.alpha(), chain_.prior.concentration(), discount_, n_features_},
            {chain_.likelihood.sigma_x(), chain_.likelihood.sigma_a()},
            chain_.z,
            x_};
  }

 private:
  Eigen::MatrixXd x_;
  double discount_ = 0;
  int n_features_ = 0;
  buffet::GaussianData data_;
  Chain chain_;
};

inline const std::vector<std::string>& statistic_names() {
  static const std::vector<std::string> names{"K+",
                                              "sum Z",
                                              "singletons",
                                              "ones of the first row",
                                              "ones of the last row",
                                              "z1.z2",
                                              "log alpha",
                                              "log c",
                                              "log sigma_x",
                                              "log sigma_a",
                                              "log lik",
                                              "log mean x^2",
                                              "alignment",
                                              "sigma_x",
                                              "alpha",
                                              "full columns"};
  return names;
}

/// Alignment is the bounded tr(XX' ZZ') / (tr XX' (1 + sum Z)).
inline std::vector<double> statistics(const Joint& s) {
  const Features& z = s.z;
  int singletons = 0, full = 0, first = 0, last = 0, together = 0;
  for (int k = 0; k < z.size(); ++k) {
    singletons += z.count(k) == 1;
    full += z.count(k) == z.rows();
    first += z.at(0, k);
    last += z.at(z.rows() - 1, k);
    together += z.at(0, k) && z.at(1, k);
  }
  const double ones = z.total(), squares = s.x.squaredNorm();
  const double fit = z.size() > 0 ? (s.x.transpose() * dense(z)).squaredNorm() : 0;
  return {double(z.size()),
          ones,
          double(singletons),
          double(first),
          double(last),
          double(together),
          std::log(s.parameters.alpha),
          std::log(s.parameters.c),
          std::log(s.sigma.x),
          std::log(s.sigma.a),
          log_lik(dense(z), s.x, s.sigma),
          std::log(squares / s.x.size()),
          fit / (squares * (1 + ones)),
          s.sigma.x,
          s.parameters.alpha,
          double(full)};
}

}  // namespace test
