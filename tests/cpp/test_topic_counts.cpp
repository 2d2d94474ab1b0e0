#include <testthat/vendor/catch.h>

#include <algorithm>
#include <vector>

#include "gibbs/trace.h"
#include "statistics.h"
#include "topic_case.h"
#include "topics/topic_record.h"
#include "topics/topics.h"

using buffet::ByteReader;
using buffet::CountsReader;
using buffet::TopicChain;
using buffet::TopicCounts;
using namespace test;

namespace {

using Dense = Eigen::MatrixXi;  ///< words x topics

Dense dense_counts(const TopicCounts& counts) {
  Dense dense = Dense::Zero(counts.words(), counts.slots());
  for (int w = 0; w < counts.words(); ++w)
    for (const auto& entry : counts.list(w)) {
      CHECK(entry.count > 0);
      CHECK(dense(w, entry.topic) == 0);
      dense(w, entry.topic) = entry.count;
    }
  return dense;
}

void check_counts(const TopicCounts& counts, const Dense& truth) {
  const bool same = dense_counts(counts) == truth;
  CHECK(same);
  for (int k = 0; k < truth.cols(); ++k) CHECK(counts.total(k) == truth.col(k).sum());
  std::vector<int> pairs(truth.maxCoeff() + 1, 0);
  for (int n = 0; n < truth.size(); ++n) ++pairs[truth(n)];
  pairs[0] = 0;
  CHECK(counts.counts_of_counts() == pairs);
}

Dense random_counts(int words, int topics, Rng& rng) {
  return Dense::NullaryExpr(words, topics, [&] { return std::max(0, rng.below(9) - 4); });
}

/// Tokens of a word are drawn one after the other, each with probability proportional to earlier
/// counts.
double log_urn(const Dense& counts, double eta) {
  double sum = 0;
  for (int k = 0; k < counts.cols(); ++k) {
    int before = 0;
    for (int w = 0; w < counts.rows(); ++w)
      for (int n = 0; n < counts(w, k); ++n)
        sum += std::log((n + eta) / (before++ + counts.rows() * eta));
  }
  return sum;
}

/// A state with many tokens, some topics without tokens, and empty documents.
struct Large {
  Documents documents = Documents(6);
  TopicData data;
  TopicState state;

  Large()
      : data((fill(), topic_data(3, documents))),
        state(data, {Lengths::model, Hyper::fixed(1), Hyper::fixed(1), Hyper::fixed(1)}) {
    assign(documents, std::vector<TopicAtom>(7, {0.5, 1}), state);
  }

 private:
  void fill() {
    put(1, {0, 2}, 127);
    put(1, {0, 5}, 128);
    put(1, {2, 5}, 1);
    put(3, {0, 0}, 16383);
    put(3, {0, 2}, 1);
    put(3, {1, 5}, 16384);
    put(5, {2, 0}, 300);
  }
  void put(int m, const Token& token, int count) {
    documents[m].insert(documents[m].end(), count, token);
  }
};

using Entries = CountsReader::Entries;

std::vector<Entries> read(const std::vector<unsigned char>& from, int topics) {
  CountsReader reader{ByteReader(from)};
  std::vector<Entries> all(topics);
  for (Entries& entries : all) entries = reader.topic();
  return all;
}

}  // namespace

TEST_CASE("counts of topics agree with a table", "[topics]") {
  Rng rng(621);
  TopicCounts counts(5);
  counts.resize(4);
  Dense truth = Dense::Zero(5, 4);
  for (int t = 0; t < 3000; ++t) {
    const int w = rng.below(5), k = rng.below(4), n = 1 + rng.below(3);
    const auto& list = counts.list(w);
    const int at = list.empty() ? 0 : rng.below(static_cast<int>(list.size()));
    const int there = list.empty() ? k : list[at].topic;
    const double which = rng.uniform();
    if (which < 0.2) {
      counts.add(w, k, n);
      truth(w, k) += n;
    } else if (which < 0.6 && !list.empty()) {
      counts.remove_at(w, at);
      --truth(w, there);
    } else if (truth(w, k) > 0) {
      counts.remove(w, k);
      --truth(w, k);
    }
    check_counts(counts, truth);
    for (std::size_t n = 1; n < list.size(); ++n) CHECK(list[n - 1].count >= list[n].count);
  }
  counts.resize(6);
  CHECK(counts.slots() == 6);
  CHECK(counts.total(5) == 0);
}

TEST_CASE("the evidence of words agrees with tokens drawn one after the other", "[topics]") {
  Rng rng(622);
  for (int n = 0; n < 20; ++n) {
    const Dense truth = random_counts(1 + n, 1 + n % 4, rng);
    TopicCounts counts(static_cast<int>(truth.rows()));
    counts.resize(static_cast<int>(truth.cols()));
    for (int w = 0; w < truth.rows(); ++w)
      for (int k = 0; k < truth.cols(); ++k)
        if (truth(w, k) > 0) counts.add(w, k, truth(w, k));
    const buffet::WordEvidence evidence(counts);
    for (const double eta : {0.01, 0.6, 1.0, 40.0})
      CHECK(evidence(eta) == Approx(log_urn(truth, eta)).epsilon(1e-10));
  }
}

TEST_CASE("in documents as tokens, equal words are adjacent and empty documents are known",
          "[topics]") {
  const TopicData data(4, {{}, {{2, 3}, {0, 1}}, {{1, 0}}, {{3, 2}}});
  CHECK(data.words() == 4);
  CHECK(data.documents() == 4);
  CHECK(data.tokens() == 6);
  CHECK(data.filled() == std::vector<int>({1, 3}));
  CHECK(data.length(0) == 0);
  CHECK(data.length(1) == 4);
  CHECK(data.length(2) == 0);
  std::vector<int> words;
  for (int i = data.begin(1); i < data.end(3); ++i) words.push_back(data.word(i));
  CHECK(words == std::vector<int>({2, 2, 2, 0, 3, 3}));
}

TEST_CASE("counts are read as they were written", "[topics]") {
  const Large large;
  const auto bytes = large.state.bytes_kept();
  const auto all = read(bytes, 6);
  CHECK(all[0] == Entries({{0, 16383}, {2, 300}}));
  CHECK(all[1] == Entries({{0, 128}}));
  CHECK(all[2] == Entries({{0, 128}, {1, 16384}, {2, 1}}));
  CHECK(all[3] == Entries({{3, 16383}, {5, 300}}));
  CHECK(all[4] == Entries({{1, 127}, {3, 1}}));
  CHECK(all[5] == Entries({{1, 129}, {3, 16384}}));
}

TEST_CASE("a chain started from another chain's state has tokens in topics of their documents",
          "[topics]") {
  Large large;
  large.state.set_atom(2, {0.2, 3});
  const TopicModel model{Lengths::given, Hyper::fixed(2), Hyper::gamma(3, 4), Hyper::fixed(0.3)};
  const auto bytes = large.state.bytes_kept();
  const buffet::KnownTopics known(model, large.state.loadings(), ByteReader(bytes));
  TopicState state(large.data, large.state.model);
  Rng rng(624);
  start_from(known, state, rng);
  CHECK(state.model.lengths == Lengths::given);
  CHECK(state.model.gamma.value == 0.75);
  REQUIRE(state.slots() == 3);
  REQUIRE(state.topics() == 3);
  CHECK(state.phi(1) == 3);
  CHECK(state.pi(1) == 0.2);
  Dense truth = Dense::Zero(3, 3);
  for (int i = 0; i < large.data.tokens(); ++i) ++truth(large.data.word(i), state.z[i]);
  check_counts(state.counts, truth);
  // Topics 0, 2 and 5 are now 0, 1 and 2. In the last document, all tokens are in the first topic.
  // In the fourth document, the topics of word 0 are in proportion to their tokens in the document
  // and their share of the word.
  for (int i = large.data.begin(5); i < large.data.end(5); ++i) CHECK(state.z[i] == 0);
  const double of_first = 16383 * 16383.3 / 16683.9;
  const double of_others = 128.3 / 128.9 + 16384 * 128.3 / 16513.9;
  Mean is_first;
  for (int i = large.data.begin(3); large.data.word(i) == 0; ++i) is_first.add(state.z[i] == 0);
  const double z =
      z_score(is_first.value() - of_first / (of_first + of_others), is_first.variance());
  CHECK(std::abs(z) < 4.5);
}

TEST_CASE("a trace has the counts, atoms and choices of the saved draws", "[topics]") {
  Rng rng(623);
  TopicData::Counts documents(200);
  for (auto& document : documents)
    if (!rng.bernoulli(0.2)) document = {{rng.below(4), 1 + rng.below(300)}, {4, 2}};
  const TopicData data(5, documents);
  TopicChain chain(data, {Lengths::given, Hyper::fixed(1), Hyper::fixed(1), Hyper::fixed(1)}, 1,
                   Rng(1));
  chain.likelihood.start(4, chain.rng);
  buffet::Trace trace;
  std::vector<unsigned char> bytes;
  std::vector<int> sizes;
  std::vector<double> atoms;
  std::size_t silent = 0;
  for (int t = 0; t < 6; ++t) {
    chain.sweep([] {});
    trace.record(chain, t >= 2);
    if (t < 2) continue;
    const TopicState& state = chain.likelihood;
    const auto one = state.bytes_kept();
    bytes.insert(bytes.end(), one.begin(), one.end());
    sizes.push_back(static_cast<int>(one.size()));
    double ell = 0;
    for (int k = 0; k < state.slots(); ++k)
      if (state.lives(k)) atoms.insert(atoms.end(), {state.pi(k), state.phi(k)});
    for (int m : data.filled()) ell += state.ell(m);
    atoms.insert(atoms.end(), {ell / data.filled().size(), double(data.filled().size())});
    const auto all = read(one, 2 * state.topics());
    const buffet::KnownTopics known(state.model, state.loadings(), ByteReader(one));
    REQUIRE(known.silent_weights.size() == state.silent.size());
    for (std::size_t e = 0; e < state.silent.size(); ++e) {
      CHECK(known.silent_weights[e] == Approx(state.silent[e].phi).epsilon(1e-6));
      Entries chosen;
      state.silent[e].documents.for_each([&](int m) { chosen.push_back({m, 1}); });
      CHECK(known.silent_documents[e] == chosen);
    }
    silent += state.silent.size();
    REQUIRE(chain.z.size() == state.topics());
    for (int k = 0; k < chain.z.size(); ++k)
      for (const auto& entry : all[state.topics() + k]) CHECK(chain.z.at(entry.first, k));
  }
  CHECK(silent > 0);
  CHECK(trace.bytes() == bytes);
  CHECK(trace.byte_counts() == sizes);
  REQUIRE(trace.loadings().size() == atoms.size());
  for (std::size_t n = 0; n < atoms.size(); ++n) CHECK(trace.loadings()[n] == Approx(atoms[n]));
}
