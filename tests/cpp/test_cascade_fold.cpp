#include <functional>
#include <numeric>
#include <vector>

#include "cascade/cascade_fold.h"
#include "cascade/cascade_record.h"
#include "cascade/cascade_start.h"
#include "cascade_exact.h"
#include "core/byte_code.h"

using buffet::ByteReader;
using buffet::CascadeFold;
using buffet::mean_response;
using buffet::read_cascade;
using buffet::start_from;
using namespace test;

namespace {

const double none = std::nan("");

/// Visible units, each with at most one parent, and a hidden unit, which may itself have one
/// parent.
std::vector<CascadeLayer> small_network(bool deep) {
  std::vector<CascadeLayer> layers(deep ? 3 : 2);
  layers[0].bias = Eigen::Vector4d(0.4, -0.3, 0.9, 0.2);
  layers[0].precision = Eigen::Vector4d(6, 9, 4, 7);
  layers[0].weights.resize(1, 4);
  layers[0].weights << 2.1, -1.6, 0, 1.2;
  layers[0].edges.resize(1, 4);
  layers[0].edges << 1, 1, 0, 1;
  layers[0].children = {3};
  layers[1].bias = Eigen::VectorXd::Constant(1, 0.3);
  layers[1].precision = Eigen::VectorXd::Constant(1, 0.5);
  layers[1].edges.resize(0, 1);
  layers[1].weights.resize(0, 1);
  if (!deep) return layers;
  layers[1].weights = Eigen::MatrixXd::Constant(1, 1, -2.5);
  layers[1].edges = CascadeLayer::Edges::Ones(1, 1);
  layers[1].children = {1};
  layers[2] = layers[1];
  layers[2].bias(0) = -0.8;
  layers[2].precision(0) = 0.4;
  layers[2].edges.resize(0, 1);
  layers[2].weights.resize(0, 1);
  layers[2].children.clear();
  return layers;
}

double response_of(double y, double precision) {
  return mean_response(Eigen::MatrixXd::Constant(1, 1, y), Eigen::VectorXd::Constant(1, precision))(
      0, 0);
}

/// Log density of a hidden activation, with the activations above integrated out.
double log_hidden(const std::vector<CascadeLayer>& layers, double x) {
  const CascadeLayer& layer = layers[1];
  if (layers.size() == 2) return log_normal(x, layer.bias(0), layer.precision(0));
  double sum = 0;
  for (double above = -14; above < 14; above += 0.1) {
    const double y = layer.bias(0) + layer.weights(0, 0) * std::tanh(above / 2);
    sum += 0.1 * std::exp(log_normal(above, layers[2].bias(0), layers[2].precision(0)) +
                          log_normal(x, y, layer.precision(0)));
  }
  return std::log(sum);
}

Eigen::RowVectorXd exact_response(const std::vector<CascadeLayer>& layers,
                                  const Eigen::RowVectorXd& x) {
  const CascadeLayer& visible = layers[0];
  Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(x.size());
  double total = 0;
  for (double at = -14; at < 14; at += 0.02) {
    double log_p = log_hidden(layers, at);
    Eigen::RowVectorXd y = visible.bias.transpose() + visible.weights.row(0) * std::tanh(at / 2);
    for (int k = 0; k < x.size(); ++k)
      if (!std::isnan(x(k))) log_p += log_normal(x(k), y(k), visible.precision(k));
    const double p = std::exp(log_p);
    total += p;
    for (int k = 0; k < x.size(); ++k) sum(k) += p * response_of(y(k), visible.precision(k));
  }
  return sum / total;
}

/// Rows with different missing entries, each of them repeated this many times.
Eigen::MatrixXd patterns(int copies) {
  Eigen::MatrixXd each(5, 4);
  each << 1.9, -1.2, 1.1, 0.8,  //
      none, none, none, none,   //
      none, -0.1, none, none,   //
      -1.5, none, 1.4, none,    //
      none, none, 0.2, 3.1;
  return each.replicate(copies, 1);
}

/// A different key for each row.
CascadeFold::Keys keys_of(const Eigen::MatrixXd& x) {
  CascadeFold::Keys keys(x.rows());
  std::iota(keys.begin(), keys.end(), 0);
  return keys;
}

void check_responses(bool deep, ActivationSampler sampler) {
  const int copies = scaled(3000);
  const Eigen::MatrixXd x = patterns(copies);
  CascadeFold fold(small_network(deep), x, {20, 12, sampler});
  Rng rng(741);
  const Eigen::MatrixXd response = fold.response(rng, keys_of(x), [] {});
  for (int row = 0; row < 5; ++row) {
    const Eigen::RowVectorXd exact = exact_response(small_network(deep), x.row(row));
    for (int k = 0; k < 4; ++k) {
      Mean mean;
      for (int n = row; n < x.rows(); n += 5) mean.add(response(n, k));
      INFO("row " << row << ", column " << k << " is " << exact(k) << ", sampled " << mean.value());
      if (k == 2)
        CHECK(std::abs(mean.value() - exact(k)) < 1e-12);
      else
        CHECK(std::abs(z_score(mean.value() - exact(k), mean.variance())) < 4.5);
    }
  }
}

/// Compares values in single precision.
void check_near(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  REQUIRE(a.rows() == b.rows());
  REQUIRE(a.cols() == b.cols());
  for (int n = 0; n < a.size(); ++n) CHECK(std::abs(a(n) - b(n)) <= 1e-7 * std::abs(a(n)));
}

void check_network(const NaiveCascade& drawn, const std::vector<CascadeLayer>& layers) {
  REQUIRE(static_cast<int>(layers.size()) >= drawn.depth() + 1);
  for (int m = 0; m <= drawn.depth(); ++m) {
    const NaiveLayer& layer = drawn.layers[m];
    const NaiveLayer read = naive(layers[m], layers[m].parents());
    check_near(layer.bias, read.bias);
    check_near(layer.precision, read.precision);
    CHECK((layer.z == read.z));
    check_near(layer.w, read.w);
    if (m > 0) check_near(layer.x, read.x);
    if (m > 0) CHECK(layers[m].u.isApprox((0.5 * read.x.array()).tanh().matrix(), 1e-12));
  }
}

}  // namespace

TEST_CASE("a cascade read from its bytes is the same in single precision", "[cascade]") {
  Rng rng(742);
  for (int t = 0; t < 60; ++t) {
    const RandomCascade random(rng, t % 4, t % 3 == 0);
    const auto layers = read_cascade(ByteReader(random.cascade->bytes_kept()), 7);
    REQUIRE(static_cast<int>(layers.size()) == random.drawn.depth() + 1);
    check_network(random.drawn, layers);
    for (std::size_t m = 0; m < layers.size(); ++m)
      for (int j = 0; j < layers[m].parents(); ++j)
        CHECK(layers[m].children[j] == random.drawn.layers[m].z.col(j).sum());
  }
}

TEST_CASE("numbers of any size are read from bytes as written", "[cascade]") {
  buffet::ByteWriter writer;
  const std::vector<unsigned> numbers = {0, 1, 127, 128, 129, 300, 16383, 16384, 2147483647u};
  for (unsigned n : numbers) {
    writer.number(n);
    writer.real(-0.5 * n);
  }
  const auto bytes = writer.take();
  ByteReader reader(bytes);
  for (unsigned n : numbers) {
    CHECK(static_cast<unsigned>(reader.number()) == n);
    CHECK(reader.real() == static_cast<float>(-0.5 * n));
  }
}

TEST_CASE("a chain continues from a draw", "[cascade]") {
  Rng rng(743);
  for (int t = 0; t < 20; ++t) {
    const RandomCascade random(rng, t % 3, t % 2 == 0);
    CascadeModel model = random.problem.model;
    model.alpha = Hyper::fixed(1.9);
    model.noise_rate = Hyper::fixed(0.4);
    CascadeChain chain(*random.data, model, Rng(744, t));
    start_from(read_cascade(ByteReader(random.cascade->bytes_kept()), 7), chain.likelihood,
               chain.rng);
    const NaiveCascade begun = naive(chain.likelihood);
    check_network(random.drawn, chain.likelihood.layers);
    CHECK(begun.depth() == random.drawn.depth());
    CHECK(begun.layers[0].alpha == 1.9);
    for (const NaiveLayer& layer : begun.layers) CHECK(layer.noise_rate == 0.4);
    for (int n = 0; n < 7; ++n)
      for (int k = 0; k < 6; ++k)
        if (!random.problem.is_hidden(n, k))
          CHECK(begun.layers[0].x(n, k) == random.drawn.layers[0].x(n, k));
    for (int s = 0; s < 5; ++s) chain.sweep([] {});
    demand_consistent(chain.likelihood);
  }
}

TEST_CASE("responses of new rows to one hidden unit agree with an integral over it", "[cascade]") {
  for (const auto sampler :
       {ActivationSampler::slice, ActivationSampler::multiple_try, ActivationSampler::elliptical})
    check_responses(false, sampler);
}

TEST_CASE("responses of new rows to two layers agree with an integral over both", "[cascade]") {
  check_responses(true, ActivationSampler::slice);
}

TEST_CASE("responses without a hidden layer depend only on the biases", "[cascade]") {
  std::vector<CascadeLayer> layers(1, small_network(false)[0]);
  layers[0].weights.resize(0, 4);
  layers[0].edges.resize(0, 4);
  layers[0].children.clear();
  const Eigen::MatrixXd x = patterns(2);
  CascadeFold fold(layers, x, {1, 1, ActivationSampler::slice});
  Rng rng(745);
  const Eigen::MatrixXd response = fold.response(rng, keys_of(x), [] {});
  for (int n = 0; n < x.rows(); ++n)
    for (int k = 0; k < 4; ++k)
      CHECK(response(n, k) == Approx(response_of(layers[0].bias(k), layers[0].precision(k))));
}

TEST_CASE("a row's response depends on its key and on no other row", "[cascade]") {
  const Eigen::MatrixXd x = patterns(2);
  const auto respond = [](const Eigen::MatrixXd& rows, const CascadeFold::Keys& keys) {
    CascadeFold fold(small_network(true), rows, {3, 3, ActivationSampler::slice});
    return fold.response(Rng(747), keys, [] {});
  };
  const CascadeFold::Keys keys = {7, 8, 9, 10, 11, 12, 8, 9, 10, 11};
  const Eigen::MatrixXd all = respond(x, keys);
  for (int n = 0; n < 10; ++n) {
    const Eigen::MatrixXd alone = respond(x.row(n), {keys[n]});
    CHECK(alone.isApprox(all.row(n), 1e-12));
  }
  CHECK(all.row(1).isApprox(all.row(6), 1e-12));
  CHECK(!all.row(0).isApprox(all.row(5), 1e-6));
}

TEST_CASE("any number of sweeps gives responses, and checks are called", "[cascade]") {
  const Eigen::MatrixXd x = patterns(1);
  for (int sweeps : {1, 2, 3, 4}) {
    CascadeFold fold(small_network(true), x, {0, sweeps, ActivationSampler::slice});
    Rng rng(746);
    int checks = 0;
    const Eigen::MatrixXd response = fold.response(rng, keys_of(x), [&] { ++checks; });
    CHECK(response.allFinite());
    CHECK(response.cwiseAbs().maxCoeff() < 1);
    CHECK(checks >= sweeps);
  }
}
