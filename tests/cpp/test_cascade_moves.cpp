#include <vector>

#include "cascade_exact.h"

using buffet::CascadeParents;
using buffet::EdgePosterior;
using namespace test;

namespace {

Eigen::VectorXd column(Eigen::Index rows, double sd, Rng& rng) {
  return draw_normal(static_cast<int>(rows), 1, sd, rng);
}

void check_edge(const EdgePosterior& edge, const NaiveEdge& exact) {
  CHECK(edge.mean == Approx(exact.mean).epsilon(1e-10));
  CHECK(edge.precision == Approx(exact.precision).epsilon(1e-10));
  const double gap = std::abs(edge.log_ratio - exact.log_ratio);
  CHECK(gap < 1e-10 * (1 + std::abs(exact.log_ratio)));
}

/// Visits all pairs of a unit and a possible parent in several random cascades with two hidden
/// layers.
template <class F>
void for_all_edges(int seed, F f) {
  Rng rng(seed);
  for (int t = 0; t < 40; ++t) {
    RandomCascade random(rng, 2);
    for (int m = 0; m <= 1; ++m) {
      CascadeParents parents(*random.cascade, m, rng);
      for (int k = 0; k < random.drawn.layers[m].units(); ++k) f(random.drawn, parents, m, k);
    }
  }
}

/// Mean and covariance of the bias and the weights of the current parents.
struct NaiveWeights {
  Eigen::VectorXd mean;
  Eigen::MatrixXd covariance;

  NaiveWeights(const NaiveCascade& cascade, int m, int k) {
    const NaiveLayer& layer = cascade.layers[m];
    Eigen::MatrixXd above = Eigen::MatrixXd::Ones(cascade.rows(), 1);
    for (int j = 0; j < layer.parents(); ++j) {
      if (!layer.z(k, j)) continue;
      above.conservativeResize(Eigen::NoChange, above.cols() + 1);
      above.rightCols(1) = activations(cascade, m + 1, j);
    }
    const auto size = above.cols();
    Eigen::VectorXd prior = Eigen::VectorXd::Constant(size, layer.of_weights.precision);
    Eigen::VectorXd at = Eigen::VectorXd::Constant(size, layer.of_weights.mean);
    prior(0) = layer.of_biases.precision;
    at(0) = layer.of_biases.mean;
    Eigen::MatrixXd precision = layer.precision(k) * above.transpose() * above;
    precision += prior.asDiagonal();
    covariance = precision.inverse();
    mean = covariance *
           (prior.cwiseProduct(at) + layer.precision(k) * above.transpose() * layer.x.col(k));
  }
};

}  // namespace

TEST_CASE("the log ratio of an edge is the integral over its weight", "[cascade]") {
  Rng rng(721);
  for (int t = 0; t < 200; ++t) {
    const NormalLaw prior{rng.normal(), rng.gamma(2, 1)};
    const double nu = rng.gamma(1, 0.5);
    const Eigen::VectorXd u = column(1 + t % 7, 0.6, rng), e = column(1 + t % 7, 2, rng);
    check_edge({prior, nu, u.squaredNorm(), u.dot(e)}, integrate_edge(prior, nu, u, e));
  }
}

TEST_CASE("log ratios of edges in a cascade are integrals over their weights", "[cascade]") {
  for_all_edges(722, [](const NaiveCascade& drawn, CascadeParents& parents, int m, int k) {
    const NaiveLayer& layer = drawn.layers[m];
    for (int j = 0; j < layer.parents(); ++j)
      check_edge(parents.edge(k, j),
                 integrate_edge(layer.of_weights, layer.precision(k), activations(drawn, m + 1, j),
                                residual(drawn, m, k, j)));
  });
}

TEST_CASE("prior odds of an edge agree with the Indian buffet process", "[cascade]") {
  for_all_edges(723, [](const NaiveCascade& drawn, CascadeParents& parents, int m, int k) {
    const NaiveLayer& layer = drawn.layers[m];
    for (int j = 0; j < layer.parents(); ++j) {
      Eigen::MatrixXi with = layer.z, without = layer.z;
      with(k, j) = 1;
      without(k, j) = 0;
      const int others = without.col(j).sum();
      if (others == 0) continue;
      const double c = drawn.concentration;
      CHECK(parents.prior_log_odds(others) ==
            Approx(log_columns(with, layer.alpha, c) - log_columns(without, layer.alpha, c)));
    }
  });
}

TEST_CASE("sums of squared residuals given the parents agree with the definition", "[cascade]") {
  for_all_edges(724, [](const NaiveCascade& drawn, CascadeParents& parents, int m, int k) {
    CHECK(parents.residual_squares(k) == Approx(residual(drawn, m, k).squaredNorm()).epsilon(1e-9));
  });
}

TEST_CASE("tiny sums of squared residuals are accurate", "[cascade]") {
  Rng rng(725);
  for (double size : {1e-3, 1e-5, 1e-7, 0.0}) {
    RandomCascade random(rng, 1);
    NaiveLayer& visible = random.drawn.layers[0];
    for (int k = 0; k < visible.units(); ++k) {
      visible.bias(k) = k % 2 == 0 ? 4.6 : -4.6;
      if (k < 3) visible.w.row(k).setZero();
      for (int n = 0; n < 7; ++n)
        visible.x(n, k) = random.drawn.mean(0, n, k) + size * rng.normal();
    }
    random.set();
    CascadeParents parents(*random.cascade, 0, rng);
    for (int k = 0; k < visible.units(); ++k) {
      const double exact = residual(random.drawn, 0, k).squaredNorm();
      CHECK(std::abs(parents.residual_squares(k) - exact) < 1e-5 * exact + 1e-25);
    }
  }
}

TEST_CASE("bias and weights are normal with the posterior's mean and covariance", "[cascade]") {
  Rng rng(726);
  for (int m : {0, 1}) {
    RandomCascade random(rng, 2);
    const NaiveLayer& layer = random.drawn.layers[m];
    int k = 0;
    for (int l = 1; l < layer.units(); ++l)
      if (layer.z.row(l).sum() > layer.z.row(k).sum()) k = l;
    const NaiveWeights exact(random.drawn, m, k);
    const Eigen::LLT<Eigen::MatrixXd> root(exact.covariance);
    const auto size = exact.mean.size();
    std::vector<Moments> moments(size, Moments(0, 1));
    std::vector<Mean> products(size * size);
    CascadeParents parents(*random.cascade, m, rng);
    for (int t = 0; t < scaled(20000); ++t) {
      parents.draw_weights(k);
      const CascadeLayer& drawn = random.cascade->layers[m];
      Eigen::VectorXd all(size);
      int n = 0;
      all(n++) = drawn.bias(k);
      for (int j = 0; j < layer.parents(); ++j)
        if (layer.z(k, j)) all(n++) = drawn.weights(j, k);
      const Eigen::VectorXd white = root.matrixL().solve(all - exact.mean);
      for (int a = 0; a < size; ++a) {
        moments[a].add(white(a));
        for (int b = 0; b < a; ++b) products[a * size + b].add(white(a) * white(b));
      }
    }
    for (int a = 0; a < size; ++a) {
      CHECK(moments[a].largest_z() < 4.5);
      for (int b = 0; b < a; ++b) {
        const Mean& product = products[a * size + b];
        CHECK(std::abs(z_score(product.value(), product.variance())) < 4.5);
      }
    }
    demand_consistent(*random.cascade);
  }
}

TEST_CASE("precisions of units are gamma with the posterior's shape and rate", "[cascade]") {
  Rng rng(727);
  RandomCascade random(rng, 2);
  for (int m : {0, 1}) {
    const NaiveLayer& layer = random.drawn.layers[m];
    const double shape = random.problem.model.noise_shape + 7 / 2.0;
    const double rate = layer.noise_rate + residual(random.drawn, m, 0).squaredNorm() / 2;
    Moments moments(shape / rate, shape / (rate * rate));
    CascadeParents parents(*random.cascade, m, rng);
    for (int t = 0; t < scaled(20000); ++t) {
      parents.draw_precision(0);
      moments.add(random.cascade->layers[m].precision(0));
    }
    CHECK(moments.largest_z() < 4.5);
  }
}

TEST_CASE("a normal law given values has the posterior from integrals over both parameters",
          "[cascade]") {
  const NormalGamma prior{0.3, 1.5, 2.5, 3};
  for (const std::vector<double>& values :
       {std::vector<double>{}, std::vector<double>{1.7}, std::vector<double>{-2, 0.4, -1.1, 3}}) {
    double sum = 0, squares = 0, count = static_cast<double>(values.size());
    for (double v : values) {
      sum += v;
      squares += v * v;
    }
    Eigen::ArrayXd exact = Eigen::ArrayXd::Zero(6);
    for (double log_rho = -9; log_rho < 5; log_rho += 0.02)
      for (double mean = -15; mean < 15; mean += 0.02) {
        const NormalLaw law{mean, std::exp(log_rho)};
        double log_p = log_law(prior, law) + log_rho;
        for (double v : values) log_p += log_normal(v, law.mean, law.precision);
        Eigen::ArrayXd q(6);
        q << 1, std::tanh(mean), mean * mean, log_rho, log_rho * log_rho, std::abs(mean) * log_rho;
        exact += std::exp(log_p) * q;
      }
    Rng rng(732);
    std::vector<Mean> seen(6);
    for (int t = 0; t < scaled(shorter(100000)); ++t) {
      const NormalLaw law = prior.draw(count, sum, squares, rng);
      CHECK(prior.log_density(law) == Approx(log_law(prior, law)));
      const double mean = law.mean, log_rho = std::log(law.precision);
      const double q[] = {1,       std::tanh(mean),   mean * mean,
                          log_rho, log_rho * log_rho, std::abs(mean) * log_rho};
      for (int n = 1; n < 6; ++n) seen[n].add(q[n]);
    }
    for (int n = 1; n < 6; ++n) {
      INFO(values.size() << " values, quantity " << n << " is " << exact(n) / exact(0));
      CHECK(std::abs(z_score(seen[n].value() - exact(n) / exact(0), seen[n].variance())) < 4.5);
    }
  }
}

TEST_CASE("the log density of a normal distribution is the sum over its values", "[cascade]") {
  const NormalLaw law{0.4, 2.3};
  CHECK(law.log_density(0, 0, 0) == 0);
  const double sum = log_normal(1.3, 0.4, 2.3) + log_normal(-0.2, 0.4, 2.3);
  CHECK(law.log_density(2, 1.1, 1.73) == Approx(sum));
}
