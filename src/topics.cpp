#include "topics/topics.h"

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "gibbs/run.h"
#include "glue.h"
#include "topics/topic_fold.h"
#include "topics/topic_record.h"

using namespace buffet;

namespace {

/// A dgCMatrix of documents x words.
TopicData as_topic_data(const Rcpp::RObject& x) {
  const auto counts = as_sparse(x);
  TopicData::Counts documents(counts.rows());
  for (int word = 0; word < counts.outerSize(); ++word)
    for (Eigen::Map<Eigen::SparseMatrix<double>>::InnerIterator it(counts, word); it; ++it) {
      check_fit(it.value() >= 0 && it.value() <= std::numeric_limits<int>::max(), "counts");
      documents[it.row()].push_back({word, static_cast<int>(it.value())});
    }
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
// in run_chains(), with init either a chain's number of topics, a draw as in topic_fold_cpp(), or
// empty if there is a state; watch: as in Watch.
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

/// Counts of `size` words or documents by topic, one topic per column.
Eigen::MatrixXd from_entries(const std::vector<CountsWriter::Entries>& topics, int size) {
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(size, topics.size());
  for (std::size_t k = 0; k < topics.size(); ++k)
    for (const auto& [index, count] : topics[k]) out(index, k) = count;
  return out;
}

}  // namespace

// Topics of a draw: counts of words (words x topics) and documents (documents x topics); for topics
// without a token, which documents have chosen them (silent, documents x topics) and their weights
// (silent_phi). draw: as in topic_fold_cpp(); size: numbers of documents and words.
// [[Rcpp::export]]
Rcpp::List topic_counts_cpp(Rcpp::List draw, Rcpp::IntegerVector size) {
  const KnownTopics known = as_known_topics(draw);
  check_fit(size.size() == 2 && size[0] >= 0 && size[1] >= 0, "size");
  known.check(size[1], size[0]);
  return Rcpp::List::create(Rcpp::Named("words") = from_entries(known.words, size[1]),
                            Rcpp::Named("documents") = from_entries(known.documents, size[0]),
                            Rcpp::Named("silent") = from_entries(known.silent_documents, size[0]),
                            Rcpp::Named("silent_phi") = known.silent_weights);
}

namespace {

/// For each entry of a dgCMatrix of documents x words, the sum of its tokens' values.
Rcpp::NumericVector at_entries(const Rcpp::RObject& x,
                               const std::vector<std::vector<double>>& of_tokens) {
  const auto counts = as_sparse(x);
  std::vector<std::size_t> next(of_tokens.size(), 0);
  std::vector<double> out;
  for (int word = 0; word < counts.outerSize(); ++word)
    for (Eigen::Map<Eigen::SparseMatrix<double>>::InnerIterator it(counts, word); it; ++it) {
      const auto m = it.row();
      out.push_back(0);
      for (int n = 0; n < it.value(); ++n) out.back() += of_tokens[m][next[m]++];
    }
  return Rcpp::wrap(out);
}

}  // namespace

// New documents given the topics of a draw: shares (documents x (topics + 1), the last column for
// fresh topics), chosen and per_word (documents x topics), flat (one per document) and own (one per
// entry of x) as in TopicFold::Means; weights (the final weights of each document's topics, fresh
// ones last), topics (the final topic of each of its tokens, from 1) and seeds (one per document,
// for quantities drawn elsewhere). x: dgCMatrix, documents x words; draw: counts, atoms (2 x
// (topics + 1)) and all elements of a model except moves, with hyperparameters at the draw's
// values; plan: ell (exposure; negative if unknown), sweeps, moves, apart (true if equal documents
// are independent draws); stream: seed and number of the draw.
// [[Rcpp::export]]
Rcpp::List topic_fold_cpp(Rcpp::RObject x, Rcpp::List draw, Rcpp::List plan,
                          Rcpp::IntegerVector stream) {
  const TopicData data = as_topic_data(x);
  const KnownTopics known = as_known_topics(draw);
  const int topics = known.size(), documents = data.documents();
  TopicFold fold(data, known, {plan["ell"], plan["sweeps"], plan["moves"]});
  Rng rng(stream[0], 1000);
  Eigen::MatrixXd shares(documents, topics + 1), chosen(documents, topics), per_word(chosen);
  Eigen::VectorXd flat(documents);
  std::vector<std::vector<double>> own(documents);
  Rcpp::List weights(documents), of_tokens(documents);
  Rcpp::IntegerVector seeds(documents);
  const bool apart = plan["apart"];
  for (int m = 0; m < documents; ++m) {
    // Independent of the other documents.
    rng.begin((apart ? static_cast<std::uint64_t>(m) << 32 : fold.key(m)) + stream[1]);
    auto means = fold.document(m, rng, [] { Rcpp::checkUserInterrupt(); });
    shares.row(m) = means.shares;
    chosen.row(m) = means.chosen;
    per_word.row(m) = means.per_word;
    flat(m) = means.flat;
    own[m] = std::move(means.own);
    weights[m] = Rcpp::wrap(means.weights);
    for (int& k : means.topics) ++k;
    of_tokens[m] = Rcpp::wrap(means.topics);
    seeds[m] = rng.below(std::numeric_limits<int>::max());
  }
  return Rcpp::List::create(Rcpp::Named("shares") = shares, Rcpp::Named("chosen") = chosen,
                            Rcpp::Named("per_word") = per_word, Rcpp::Named("flat") = flat,
                            Rcpp::Named("own") = at_entries(x, own),
                            Rcpp::Named("weights") = weights, Rcpp::Named("topics") = of_tokens,
                            Rcpp::Named("seeds") = seeds);
}
