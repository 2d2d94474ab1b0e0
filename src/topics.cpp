#include "topics/topics.h"

#include "gibbs/run.h"
#include "glue.h"
#include "topics/topic_fold.h"
#include "topics/topic_record.h"

using namespace buffet;

namespace {

/// A dgCMatrix of documents x words.
TopicData as_topic_data(const Rcpp::RObject& x) {
  const auto counts = Rcpp::as<Eigen::Map<Eigen::SparseMatrix<double>>>(x);
  TopicData::Counts documents(counts.rows());
  for (int word = 0; word < counts.outerSize(); ++word)
    for (Eigen::Map<Eigen::SparseMatrix<double>>::InnerIterator it(counts, word); it; ++it)
      documents[it.row()].push_back({word, static_cast<int>(it.value())});
  return TopicData(static_cast<int>(counts.cols()), documents);
}

TopicModel as_topic_model(const Rcpp::List& x) {
  const auto lengths =
      as_named<Lengths>(x["lengths"], {{"given", Lengths::given}, {"model", Lengths::model}});
  return {lengths, as_hyper(x["alpha"]), as_hyper(x["gamma"]), as_hyper(x["eta"]),
          x["max_features"]};
}

KnownTopics as_known_topics(const Rcpp::List& x) {
  const Rcpp::RawVector counts = x["counts"];
  return {as_topic_model(x), Rcpp::as<Eigen::MatrixXd>(x["atoms"]), as_reader(counts)};
}

}  // namespace

// x: dgCMatrix, documents x words; model: lengths, alpha, gamma, eta, max_features, moves; plan: as
// run_chains() has it, init a chain's number of topics, or a draw as topic_fold_cpp() has it, or
// nothing where there is a state; watch: as Watch has it.
// [[Rcpp::export]]
Rcpp::List topics_cpp(Rcpp::RObject x, Rcpp::List model, Rcpp::List plan, Rcpp::List watch) {
  const TopicData data = as_topic_data(x);
  const TopicModel topics = as_topic_model(model);
  const int moves = model["moves"];
  const auto make = [&](const Rcpp::List& init, Rng rng, const Plan& of) {
    TopicChain chain(data, topics, moves, std::move(rng));
    if (init.containsElementNamed("topics"))
      chain.likelihood.start(init["topics"], chain.rng);
    else if (init.containsElementNamed("counts"))
      start_from(as_known_topics(init), chain.likelihood, chain.rng);
    return std::make_unique<Run<TopicChain>>(std::move(chain), of);
  };
  return run_chains(make, plan, watch);
}

namespace {

/// Numbers of topic, entry (from 1) and count, three columns.
Rcpp::IntegerMatrix from_entries(const std::vector<CountsWriter::Entries>& topics) {
  int rows = 0;
  for (const auto& entries : topics) rows += static_cast<int>(entries.size());
  Rcpp::IntegerMatrix out(rows, 3);
  int row = 0;
  for (std::size_t k = 0; k < topics.size(); ++k)
    for (const auto& [index, count] : topics[k]) {
      out(row, 0) = static_cast<int>(k) + 1;
      out(row, 1) = index + 1;
      out(row++, 2) = count;
    }
  return out;
}

}  // namespace

// Counts of a draw's topics: words and documents, three columns each. draw: as topic_fold_cpp() has
// it.
// [[Rcpp::export]]
Rcpp::List topic_counts_cpp(Rcpp::List draw) {
  const KnownTopics known = as_known_topics(draw);
  return Rcpp::List::create(Rcpp::Named("words") = from_entries(known.words),
                            Rcpp::Named("documents") = from_entries(known.documents));
}

// New documents given a draw's topics: shares (documents x (topics + 1), the last column of fresh
// ones) and chosen (documents x topics). x: dgCMatrix, documents x words; draw: counts, atoms
// (2 x (topics + 1)) and of a model all but moves, its hyperparameters at the draw's values; plan:
// ell (exposure; negative where it is unknown), sweeps, moves.
// [[Rcpp::export]]
Rcpp::List topic_fold_cpp(Rcpp::RObject x, Rcpp::List draw, Rcpp::List plan, int seed) {
  const TopicData data = as_topic_data(x);
  const KnownTopics known = as_known_topics(draw);
  const int topics = known.size();
  TopicFold fold(data, known, {plan["ell"], plan["sweeps"], plan["moves"]});
  Rng rng(seed, 1000);
  Eigen::MatrixXd shares(topics + 1, data.documents()), chosen(topics, data.documents());
  for (int m = 0; m < data.documents(); ++m) {
    Rcpp::checkUserInterrupt();
    rng.begin(m);
    const auto means = fold.document(m, rng, [] {});
    shares.col(m) = means.shares;
    chosen.col(m) = means.chosen;
  }
  return Rcpp::List::create(Rcpp::Named("shares") = Eigen::MatrixXd(shares.transpose()),
                            Rcpp::Named("chosen") = Eigen::MatrixXd(chosen.transpose()));
}
