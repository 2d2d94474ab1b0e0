#include "cascade/cascade_chain.h"
#include "cascade/cascade_data_start.h"
#include "cascade/cascade_fold.h"
#include "cascade/cascade_record.h"
#include "cascade/cascade_start.h"
#include "core/parallel.h"
#include "gibbs/run.h"
#include "glue.h"
#include "row_numbers.h"

using namespace buffet;

namespace {

ActivationSampler as_activation_sampler(const std::string& name) {
  return as_named<ActivationSampler>(name, {{"slice", ActivationSampler::slice},
                                            {"multiple_try", ActivationSampler::multiple_try},
                                            {"elliptical", ActivationSampler::elliptical}});
}

CascadeModel as_cascade_model(const Rcpp::List& x) {
  CascadeModel model;
  model.alpha = as_hyper(x["alpha"]);
  model.alpha_deep = as_hyper(x["alpha_deep"]);
  model.concentration = as_hyper(x["concentration"]);
  model.max_layers = x["max_layers"];
  model.max_units = x["max_units"];
  model.max_features = x["max_features"];
  model.visible_births = x["births"];
  model.sampler = as_activation_sampler(x["sampler"]);
  return model;
}

/// A network for R: bias, precision and edges (child, parent, weight) of every layer, and the
/// activations of hidden layers.
Rcpp::List from_layer(const CascadeLayer& layer) {
  const int edges = layer.count_edges();
  Rcpp::IntegerVector child(edges), parent(edges);
  Rcpp::NumericVector weight(edges);
  int n = 0;
  for (int k = 0; k < layer.units(); ++k)
    for (int j = 0; j < layer.parents(); ++j)
      if (layer.has(j, k)) {
        child[n] = k + 1;
        parent[n] = j + 1;
        weight[n++] = layer.weights(j, k);
      }
  return Rcpp::List::create(Rcpp::Named("bias") = layer.bias,
                            Rcpp::Named("precision") = layer.precision,
                            Rcpp::Named("child") = child, Rcpp::Named("parent") = parent,
                            Rcpp::Named("weight") = weight, Rcpp::Named("activations") = layer.u);
}

/// Means of the visible units given the activations of layer 1.
Eigen::MatrixXd visible_means(const std::vector<CascadeLayer>& layers, int rows) {
  Eigen::MatrixXd y = layers[0].bias.transpose().replicate(rows, 1);
  if (layers.size() > 1) y.noalias() += layers[1].u * layers[0].weights;
  return y;
}

}  // namespace

// data: x, pre-activations, rows x D, NaN if missing; log_slopes, the sum of the logs of their
// derivatives with respect to the data; model: alpha, alpha_deep, concentration, max_layers,
// max_units, max_features, births, sampler; plan: as in run_chains(), with init either a chain's
// widths and density, `from_data`, the bytes of a draw, or empty if there is a state; watch: as in
// Watch.
// [[Rcpp::export]]
Rcpp::List cascade_cpp(Rcpp::List data, Rcpp::List model, Rcpp::List plan, Rcpp::List watch) {
  const CascadeData known(Rcpp::as<Eigen::MatrixXd>(data["x"]), data["log_slopes"]);
  const CascadeModel cascade = as_cascade_model(model);
  const auto make = [&](const Rcpp::List& init, Rng rng, const Plan& of) {
    CascadeChain chain(known, cascade, std::move(rng));
    if (init.containsElementNamed("widths")) {
      const auto widths = Rcpp::as<std::vector<int>>(init["widths"]);
      CascadeStart(chain.likelihood, widths, init["density"], chain.rng)();
    } else if (init.containsElementNamed("from_data")) {
      CascadeDataStart(chain.likelihood, chain.rng)(Rcpp::checkUserInterrupt);
    } else if (init.containsElementNamed("bytes")) {
      const Rcpp::RawVector bytes = init["bytes"];
      start_from(read_cascade(as_reader(bytes), static_cast<int>(known.x.rows())), chain.likelihood,
                 chain.rng);
    }
    return std::make_unique<Run<CascadeChain>>(std::move(chain), of);
  };
  return run_chains(make, plan, watch);
}

// Layers of a saved draw, from the visible one up. bytes: the draw; rows: number of rows of the
// data.
// [[Rcpp::export]]
Rcpp::List cascade_network_cpp(Rcpp::RawVector bytes, int rows) {
  Rcpp::List out;
  for (const CascadeLayer& layer : read_cascade(as_reader(bytes), rows))
    out.push_back(from_layer(layer));
  return out;
}

// The visible units of a saved draw in the rows of the data: mean (of pre-activations) and response
// (mean activations), rows x D, and precision.
// [[Rcpp::export]]
Rcpp::List cascade_visible_cpp(Rcpp::RawVector bytes, int rows, bool respond) {
  const auto layers = read_cascade(as_reader(bytes), rows);
  const Eigen::MatrixXd y = visible_means(layers, rows);
  Rcpp::List out =
      Rcpp::List::create(Rcpp::Named("mean") = y, Rcpp::Named("precision") = layers[0].precision);
  if (respond) out["response"] = mean_response(y, layers[0].precision);
  return out;
}

// Mean activations of the visible units in new rows, rows x D, averaged over draws. bytes: a raw
// vector per draw; x: pre-activations, NaN if missing; plan: warmup, sweeps, sampler, draws (their
// numbers), threads, and the arguments of RowNumbers.
// [[Rcpp::export]]
Eigen::MatrixXd cascade_fold_cpp(Rcpp::List bytes, Eigen::MatrixXd x, Rcpp::List plan) {
  const CascadeFold::Plan sweeps{plan["warmup"], plan["sweeps"],
                                 as_activation_sampler(plan["sampler"])};
  const RowNumbers numbers(x.transpose(), plan);
  const auto draws = Rcpp::as<std::vector<int>>(plan["draws"]);
  const int seed = plan["seed"], threads = plan["threads"], count = bytes.size();
  check_fit(static_cast<int>(draws.size()) == count, "draws");
  const auto caller = std::this_thread::get_id();
  const auto check = [&] {
    if (std::this_thread::get_id() == caller) Rcpp::checkUserInterrupt();
  };
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(x.rows(), x.cols());
  for (int first = 0; first < count; first += threads) {
    std::vector<CascadeFold> folds;
    for (int n = first; n < std::min(count, first + threads); ++n) {
      const Rcpp::RawVector draw = bytes[n];
      std::vector<CascadeLayer> layers = read_cascade(as_reader(draw), 0);
      check_kept(layers[0].units() == x.cols(), "visible units");
      folds.emplace_back(std::move(layers), x, sweeps);
    }
    std::vector<Eigen::MatrixXd> responses(folds.size());
    const auto fold = [&](int n) {
      const int draw = draws[first + n];
      Rng order(seed, 1000);
      order.begin(draw);
      responses[n] = folds[n].response(order, numbers.keys(draw), check);
    };
    parallel_for(static_cast<int>(folds.size()), threads, fold, check);
    for (const Eigen::MatrixXd& response : responses) sum += response;
  }
  return sum / count;
}
