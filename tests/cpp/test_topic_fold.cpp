#include <testthat/vendor/catch.h>

#include <boost/math/special_functions/gamma.hpp>
#include <vector>

#include "quadrature.h"
#include "scale.h"
#include "statistics.h"
#include "topic_exact.h"
#include "topics/topic_fold.h"

using buffet::FoldPlan;
using buffet::KnownTopics;
using buffet::TopicFold;
using namespace test;

namespace {

using Means = TopicFold::Means;

KnownTopics known_topics(const OneDocument& document, double alpha, double gamma) {
  const TopicModel model{Lengths::given, Hyper::fixed(alpha), Hyper::fixed(gamma),
                         Hyper::fixed(document.eta)};
  Eigen::MatrixXd atoms(2, document.topics() + 1);
  buffet::CountsWriter counts;
  for (int k = 0; k < document.topics(); ++k) {
    atoms.col(k) << document.atoms[k].pi, document.atoms[k].phi;
    buffet::CountsWriter::Entries words;
    for (int w = 0; w < document.others.rows(); ++w)
      if (document.others(w, k) > 0) words.push_back({w, document.others(w, k)});
    counts.topic(words);
  }
  for (int k = 0; k < document.topics(); ++k) counts.topic({});
  counts.silent(0);
  atoms.col(document.topics()) << 0.9, 6;
  const auto bytes = counts.take();
  return KnownTopics(model, atoms, buffet::ByteReader(bytes));
}

TopicData data_of(const std::vector<OneDocument>& documents) {
  Documents tokens(documents.size());
  for (std::size_t m = 0; m < documents.size(); ++m)
    for (int word : documents[m].words) tokens[m].push_back({word, 0});
  return topic_data(4, tokens);
}

/// Probability that the topic is chosen if it has no token.
double on(const TopicAtom& atom, double u) {
  const double none = atom.pi * std::pow(u, atom.phi);
  return none / (1 - atom.pi + none);
}

/// Expectations for a document: the shares of topics, the choices of topics, the squares of the
/// final shares (the last one is the sum over fresh topics), and the probabilities of the next
/// word.
struct Truth {
  Eigen::ArrayXd shares, chosen, squares, words;
};

/// The probabilities of words in a topic that has these counts in other documents and these tokens
/// in this document.
Eigen::ArrayXd words_in(Eigen::ArrayXd counts, double eta, const std::vector<int>& own) {
  for (int word : own) ++counts(word);
  return (counts + eta) / (counts + eta).sum();
}

/// The words of tokens in topic k.
std::vector<int> in_topic(int k, const std::vector<int>& words, const std::vector<int>& z) {
  std::vector<int> out;
  for (std::size_t i = 0; i < z.size(); ++i)
    if (z[i] == k) out.push_back(words[i]);
  return out;
}

/// Weighted sums over all states: of 1, shares, choices, squares of shares, and words.
struct Sums {
  double total = 0;
  Eigen::ArrayXd shares, chosen, squares, words;

  explicit Sums(int topics)
      : shares(Eigen::ArrayXd::Zero(topics)),
        chosen(shares),
        squares(Eigen::ArrayXd::Zero(topics + 1)),
        words(Eigen::ArrayXd::Zero(4)) {}

  Truth means() const { return {shares / total, chosen / total, squares / total, words / total}; }

  void add(const OneDocument& document, double u, double by) {
    for (int number = 0; number < document.assignments(); ++number) {
      const auto z = document.assignment(number);
      const auto held = document.held(z);
      for (int b = 0; b < document.choices(); ++b) {
        const double all = by * document.weight(z, b, u);
        if (all == 0) continue;
        Eigen::ArrayXd weights(document.topics());
        for (int k = 0; k < document.topics(); ++k) {
          const bool has = b >> k & 1;
          weights(k) = held[k] + (has ? document.atoms[k].phi : 0);
          chosen(k) += has ? all : 0;
        }
        total += all;
        shares += all * weights / weights.sum();
        squares.head(document.topics()) += all * (weights / weights.sum()).square();
        for (int k = 0; k < document.topics(); ++k)
          words += all * weights(k) / weights.sum() *
                   words_in(document.others.col(k).cast<double>(), document.eta,
                            in_topic(k, document.words, z));
      }
    }
  }
};

/// Final states of several visits.
struct EndStates {
  std::vector<Mean> shares, chosen, squares;

  explicit EndStates(int topics) : shares(topics + 1), chosen(topics), squares(topics + 1) {}

  void add(const std::vector<double>& weights) {
    const Eigen::Map<const Eigen::ArrayXd> all(weights.data(), weights.size());
    const Eigen::ArrayXd share = all / all.sum();
    const auto topics = static_cast<Eigen::Index>(chosen.size());
    for (Eigen::Index k = 0; k < topics; ++k) {
      shares[k].add(share(k));
      squares[k].add(share(k) * share(k));
      chosen[k].add(weights[k] > 0);
    }
    const Eigen::ArrayXd fresh = share.tail(share.size() - topics);
    shares[topics].add(fresh.sum());
    squares[topics].add(fresh.square().sum());
  }
};

/// The probabilities of the next word, according to the means of a visit and according to its final
/// state.
Eigen::ArrayXd next_word(const OneDocument& document, const TopicData& data, const Means& means) {
  Eigen::ArrayXd out = Eigen::ArrayXd::Constant(4, means.flat);
  for (int k = 0; k < document.topics(); ++k)
    out += means.per_word(k) * (document.others.col(k).cast<double>().array() + document.eta);
  for (int i = 0; i < document.length(); ++i) out(data.word(i)) += means.own[i];
  return out;
}
Eigen::ArrayXd next_word_at_end(const OneDocument& document, const TopicData& data,
                                const Means& means) {
  Eigen::ArrayXd out = Eigen::ArrayXd::Zero(4);
  std::vector<int> words;
  for (int i = 0; i < document.length(); ++i) words.push_back(data.word(i));
  double all = 0;
  for (std::size_t k = 0; k < means.weights.size(); ++k) {
    Eigen::ArrayXd counts = Eigen::ArrayXd::Zero(4);
    if (static_cast<int>(k) < document.topics()) counts = document.others.col(k).cast<double>();
    const auto own = in_topic(static_cast<int>(k), words, means.topics);
    CHECK(means.weights[k] >= static_cast<double>(own.size()));
    out += means.weights[k] * words_in(counts, document.eta, own);
    all += means.weights[k];
  }
  return out / all;
}

void check_mean(const Mean& seen, double truth) {
  INFO("is " << truth << ", sampled " << seen.value());
  const double gap = std::abs(seen.value() - truth);
  CHECK(gap < 4.5 * std::sqrt(seen.variance()) + 1e-9);
}

/// Compares independent visits to document 0 with the truth; `truth` has the shares of all topics
/// that are not fresh.
void check_visits(TopicFold& fold, const OneDocument& document, const Truth& truth) {
  const int topics = static_cast<int>(truth.chosen.size());
  std::vector<Mean> seen_shares(topics + 1), seen_chosen(topics);
  EndStates ends(topics);
  const TopicData data = data_of({document});
  std::vector<Mean> seen_words(4), end_words(4);
  Rng rng(661);
  for (int n = 0; n < scaled(4000, 8); ++n) {
    const Means means = fold.document(0, rng, [] {});
    const double sum = means.shares.sum();
    CHECK(sum == Approx(1));
    for (int k = 0; k <= topics; ++k) seen_shares[k].add(means.shares(k));
    for (int k = 0; k < topics; ++k) seen_chosen[k].add(means.chosen(k));
    ends.add(means.weights);
    const Eigen::ArrayXd words = next_word(document, data, means);
    const Eigen::ArrayXd at_end = next_word_at_end(document, data, means);
    CHECK(words.sum() == Approx(1));
    for (int w = 0; w < 4; ++w) {
      seen_words[w].add(words(w));
      end_words[w].add(at_end(w));
    }
  }
  for (int w = 0; w < 4; ++w) {
    INFO("word " << w);
    check_mean(seen_words[w], truth.words(w));
    check_mean(end_words[w], truth.words(w));
  }
  for (int k = 0; k <= topics; ++k) {
    INFO("topic " << k);
    const double share = k < topics ? truth.shares(k) : 1 - truth.shares.sum();
    check_mean(seen_shares[k], share);
    check_mean(ends.shares[k], share);
    check_mean(ends.squares[k], truth.squares(k));
    if (k == topics) continue;
    check_mean(seen_chosen[k], truth.chosen(k));
    check_mean(ends.chosen[k], truth.chosen(k));
  }
}

void check_document(const OneDocument& document, double ell, const Sums& sums) {
  const TopicData data = data_of({document});
  for (const int moves : {0, 1}) {
    INFO(document.topics() << " topics, ell " << ell << ", " << moves << " moves");
    TopicFold fold(data, known_topics(document, 1e-12, 1.3), {ell, 100, moves});
    check_visits(fold, document, sums.means());
  }
}

/// Fresh topics of a new document: alpha times the integral of f of their weight, if six other
/// documents with exposure 0.9 have no token of them.
template <class F>
double over_fresh(double alpha, double gamma, double ell, F f) {
  const auto of_log_phi = [&](long double t) {
    const long double phi = std::exp(t), none = -std::expm1(-0.9L * phi);
    const long double of_pi = (1 - std::pow(1 - none, 7)) / (7 * none);
    return std::exp((gamma + 1) * t - phi * (1 + ell)) * of_pi * f(phi);
  };
  const double sum = static_cast<double>(integral(of_log_phi, -50 / gamma, 5, 64));
  return alpha * sum / std::tgamma(gamma);
}

/// Let T be the total weight of the fresh topics without a token in a new document, and let phi be
/// the weight of each. The expectations are integrals of e^(-a t) E e^(-T t), where T is a sum over
/// the points of a Poisson process.
struct FreshWeights {
  std::vector<double> at, weight, squares;

  FreshWeights(double alpha, double gamma, double ell) {
    for (double log_t = -14; log_t < 6; log_t += 0.05) {
      const double t = std::exp(log_t);
      const double points = over_fresh(
          alpha, gamma, ell, [&](long double phi) { return -std::expm1(-t * phi) / phi; });
      at.push_back(t);
      weight.push_back(0.05 * t * std::exp(-points));
      squares.push_back(
          over_fresh(alpha, gamma, ell, [&](long double phi) { return phi * std::exp(-t * phi); }));
    }
  }
  template <class F>
  double sum(double a, F of) const {
    double sum = 0;
    for (std::size_t n = 0; n < at.size(); ++n) sum += weight[n] * std::exp(-a * at[n]) * of(n);
    return sum;
  }
  /// E 1 / (a + T), E 1 / (a + T)^2, and E of the sum of phi^2 / (a + T)^2.
  double inverse(double a) const {
    return sum(a, [](int) { return 1; });
  }
  double inverse_square(double a) const {
    return sum(a, [&](int n) { return at[n]; });
  }
  double shares_squared(double a) const {
    return sum(a, [&](int n) { return at[n] * squares[n]; });
  }
};

/// One known topic and one token, which belongs to this topic or to a fresh one.
void check_fresh(double alpha, double gamma, double ell) {
  OneDocument document = one_document({2}, 1);
  document.others(2, 0) = 2;
  const TopicAtom atom = document.atoms[0];
  const double chosen = on(atom, std::exp(-ell));
  const double of_word = (2 + document.eta) / (document.others.sum() + 4 * document.eta);
  const double mass = over_fresh(alpha, gamma, ell, [](long double) { return 1; });
  const double known = of_word * chosen * atom.phi, fresh = mass / 4;
  const FreshWeights silent(alpha, gamma, ell);
  const auto if_fresh = [&](auto f) { return over_fresh(alpha, gamma, ell, f) / mass; };
  const auto mean = [&](double if_known, double if_fresh) {
    return (known * if_known + fresh * if_fresh) / (known + fresh);
  };
  const double held = 1 + atom.phi;
  const double share_if_fresh = if_fresh(
      [&](long double phi) { return chosen * atom.phi * silent.inverse(double(phi) + held); });
  const double square_if_fresh = if_fresh([&](long double phi) {
    return chosen * atom.phi * atom.phi * silent.inverse_square(double(phi) + held);
  });
  const double squares_if_fresh = if_fresh([&](long double phi) {
    const double own = 1 + double(phi);
    const auto squares = [&](double a) {
      return own * own * silent.inverse_square(a) + silent.shares_squared(a);
    };
    return chosen * squares(own + atom.phi) + (1 - chosen) * squares(own);
  });
  const double own_if_fresh = if_fresh([&](long double phi) {
    const double own = 1 + double(phi);
    return own * (chosen * silent.inverse(own + atom.phi) + (1 - chosen) * silent.inverse(own));
  });
  Truth truth{Eigen::ArrayXd(1), Eigen::ArrayXd(1), Eigen::ArrayXd(2), Eigen::ArrayXd(4)};
  const Eigen::ArrayXd others = document.others.col(0).cast<double>();
  const auto mixed = [&](double share, const Eigen::ArrayXd& of_share, double more,
                         const Eigen::ArrayXd& of_more) -> Eigen::ArrayXd {
    return share * of_share + more * of_more + (1 - share - more) / 4;
  };
  const double eta = document.eta, share_if_known = held * silent.inverse(held);
  const Eigen::ArrayXd none = Eigen::ArrayXd::Zero(4);
  truth.words = (known * mixed(share_if_known, words_in(others, eta, {2}), 0, none) +
                 fresh * mixed(share_if_fresh, words_in(others, eta, {}), own_if_fresh,
                               words_in(none, eta, {2}))) /
                (known + fresh);
  truth.shares << mean(held * silent.inverse(held), share_if_fresh);
  truth.chosen << mean(1, chosen);
  truth.squares << mean(held * held * silent.inverse_square(held), square_if_fresh),
      mean(silent.shares_squared(held), squares_if_fresh);
  INFO("alpha " << alpha << ", gamma " << gamma << ", ell " << ell);
  const TopicData data = data_of({document});
  TopicFold fold(data, known_topics(document, alpha, gamma), {ell, 200, 0});
  check_visits(fold, document, truth);
}

}  // namespace

TEST_CASE("a new document with known exposure has the posterior from an enumeration", "[topics]") {
  for (const int topics : {2, 3})
    for (const double ell : {0.0, 0.7, 2.0}) {
      const OneDocument document =
          one_document(topics == 2 ? std::vector<int>{0, 0, 2} : std::vector<int>{1, 3}, topics);
      Sums sums(topics);
      sums.add(document, std::exp(-ell), 1);
      if (ell > 0) check_document(document, ell, sums);
    }
}

TEST_CASE("a new document with given length has the posterior from an integral", "[topics]") {
  for (const int topics : {2, 3}) {
    const OneDocument document = one_document({0, 0, 2}, topics);
    Sums sums(topics);
    // u has density u^(S - 1) (1 - u)^(n - 1), which is integrated in uniform steps of the log odds
    // of u.
    for (double t = -250; t < 40; t += 0.05) sums.add(document, 1 / (1 + std::exp(-t)), 1);
    check_document(document, -1, sums);
  }
}

TEST_CASE("fresh topics in a new document have the share from an integral", "[topics]") {
  for (const double ell : {0.3, 1.4})
    for (const double gamma : {0.4, 5.0}) check_fresh(9, gamma, ell);
}

TEST_CASE("a new document without words has the shares of topics in any document", "[topics]") {
  const OneDocument document = one_document({}, 3);
  const TopicData data = data_of({document, document});
  for (const double ell : {-1.0, 0.0, 0.8}) {
    const double u = std::exp(-std::max(ell, 0.0));
    double total = 0;
    Eigen::ArrayXd shares = Eigen::ArrayXd::Zero(3);
    for (int b = 1; b < 8; ++b) {
      Eigen::ArrayXd weights(3);
      for (int k = 0; k < 3; ++k) weights(k) = b >> k & 1 ? document.atoms[k].phi : 0;
      total += document.weight({}, b, u);
      shares += document.weight({}, b, u) * weights / weights.sum();
    }
    TopicFold fold(data, known_topics(document, 1e-12, 1.3), {ell, 20000, 2});
    Rng rng(662);
    const Means means = fold.document(1, rng, [] {});
    for (int k = 0; k < 3; ++k) {
      CHECK(means.chosen(k) == Approx(on(document.atoms[k], u)));
      CHECK(std::abs(means.shares(k) - shares(k) / total) < 0.015);
    }
  }
}

TEST_CASE("documents with the same words have the same key; others have different keys",
          "[topics]") {
  const auto of = [](std::vector<int> words) { return one_document(std::move(words), 2); };
  const TopicData data =
      data_of({of({0, 0, 3}), of({0, 3}), of({0, 0, 3}), of({0, 3, 3}), of({}), of({1, 1, 3})});
  const TopicFold fold(data, known_topics(of({}), 1, 1), {-1, 1, 0});
  CHECK(fold.key(2) == fold.key(0));
  for (int m = 0; m < 6; ++m)
    for (int other = 0; other < m; ++other)
      if (m != 2 || other != 0) CHECK(fold.key(m) != fold.key(other));
}

TEST_CASE("documents are left unchanged", "[topics]") {
  const OneDocument document = one_document({0, 0, 1, 2, 2, 2, 3, 3}, 3);
  const TopicData data = data_of({document, document, one_document({}, 3), document});
  for (const double ell : {-1.0, 0.8}) {
    TopicFold fold(data, known_topics(document, 3, 0.8), {ell, 60, 2});
    std::vector<Means> all;
    for (int m = 0; m < 4; ++m) {
      Rng rng(663);
      all.push_back(fold.document(m, rng, [] {}));
    }
    for (int m : {1, 3}) {
      const bool same = (all[m].shares == all[0].shares).all();
      CHECK(same);
    }
    CHECK(all[0].shares(3) > 0.02);
  }
}

TEST_CASE("new documents without known topics have only fresh ones", "[topics]") {
  const OneDocument document{{}, Eigen::MatrixXi(4, 0), 0.6, {0, 0, 3}};
  const TopicData data = data_of({document});
  TopicFold fold(data, known_topics(document, 2, 0.8), {-1, 30, 2});
  Rng rng(664);
  const Means means = fold.document(0, rng, [] {});
  CHECK(means.chosen.size() == 0);
  CHECK(means.shares(0) == 1);
}
