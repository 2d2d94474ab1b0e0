#include "inference/topics.h"

#include "glue.h"
#include "inference/topic_fold.h"
#include "likelihood/topic_record.h"

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
  const std::string lengths = x["lengths"];
  return {lengths == "given" ? Lengths::given : Lengths::model, as_hyper(x["alpha"]),
          as_hyper(x["gamma"]), as_hyper(x["eta"])};
}

/// Counts of one draw by topic: the first half are words, the second documents.
std::vector<CountsWriter::Entries> as_counts(const Rcpp::RawVector& bytes, int topics) {
  std::vector<CountsWriter::Entries> counts(topics);
  CountsReader reader(bytes.begin());
  for (auto& entries : counts) entries = reader.topic();
  return counts;
}

}  // namespace

// x: dgCMatrix, documents x words; model: lengths, alpha, gamma, eta, moves; plan: as run_chains()
// has it, init one list(topics) a chain; watch: as Watch has it.
// [[Rcpp::export]]
Rcpp::List topics_cpp(Rcpp::RObject x, Rcpp::List model, Rcpp::List plan, Rcpp::List watch) {
  const TopicData data = as_topic_data(x);
  const TopicChain first(data, as_topic_model(model), model["moves"], Rng(0));
  const auto start = [](TopicChain& chain, const Rcpp::List& init) {
    chain.likelihood.start(init["topics"], chain.rng);
  };
  return run_chains(first, start, plan, Watch(watch));
}

// Numbers of topic, word or document (from 1) and count, three columns: of the words of a draw's
// topics, and of their documents. counts: the draw's bytes.
// [[Rcpp::export]]
Rcpp::List topic_counts_cpp(Rcpp::RawVector counts, int topics) {
  const auto all = as_counts(counts, 2 * topics);
  const auto table = [&](int from) {
    int rows = 0;
    for (int k = 0; k < topics; ++k) rows += static_cast<int>(all[from + k].size());
    Rcpp::IntegerMatrix out(rows, 3);
    int row = 0;
    for (int k = 0; k < topics; ++k)
      for (const auto& [index, count] : all[from + k]) {
        out(row, 0) = k + 1;
        out(row, 1) = index + 1;
        out(row++, 2) = count;
      }
    return out;
  };
  return Rcpp::List::create(Rcpp::Named("words") = table(0),
                            Rcpp::Named("documents") = table(topics));
}

// New documents given a draw's topics: shares (documents x (topics + 1), the last column of fresh
// ones) and chosen (documents x topics). x: dgCMatrix, documents x words; draw: counts, atoms
// (2 x (topics + 1)), lengths, alpha, gamma, eta; plan: ell, sweeps, moves.
// [[Rcpp::export]]
Rcpp::List topic_fold_cpp(Rcpp::RObject x, Rcpp::List draw, Rcpp::List plan, int seed) {
  const TopicData data = as_topic_data(x);
  KnownTopics known{as_topic_model(draw), Rcpp::as<Eigen::MatrixXd>(draw["atoms"]), {}};
  const int topics = static_cast<int>(known.atoms.cols()) - 1;
  known.words = as_counts(draw["counts"], topics);
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
  return Rcpp::List::create(
      Rcpp::Named("shares") = Eigen::MatrixXd(shares.transpose()),
      Rcpp::Named("chosen") = Eigen::MatrixXd(chosen.transpose()));
}
