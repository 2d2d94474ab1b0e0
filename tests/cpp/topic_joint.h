#pragma once

// Draws of all variables of a focused topic model, and chains that can be set to any draw.

#include <string>
#include <utility>
#include <vector>

#include "draws.h"
#include "joint_checks.h"
#include "simulation.h"
#include "topic_case.h"
#include "topics/topics.h"

namespace test {

using buffet::TopicChain;

/// Topics with tokens, tokens of each document, exposures and hyperparameters.
struct TopicJoint {
  Features z;  ///< which documents have a token of each topic, used by checks that all models share
  double alpha, gamma, eta;
  std::vector<TopicAtom> atoms;
  std::vector<double> ell;
  Documents documents;
  int chosen = 0;  ///< choices of the topics with tokens
};

/// Dirichlet shares, drawn as log gamma variables because a topic's weight may be tiny.
inline std::vector<double> draw_shares(const std::vector<double>& shapes, Rng& rng) {
  std::vector<double> logs, shares;
  for (double shape : shapes) logs.push_back(rng.log_gamma_draw(shape));
  const double most = *std::max_element(logs.begin(), logs.end());
  double sum = 0;
  for (double log_draw : logs) sum += std::exp(log_draw - most);
  for (double log_draw : logs) shares.push_back(std::exp(log_draw - most) / sum);
  return shares;
}

inline int draw_from(const std::vector<double>& shares, Rng& rng) {
  double at = rng.uniform();
  for (std::size_t k = 0; k + 1 < shares.size(); ++k)
    if ((at -= shares[k]) < 0) return static_cast<int>(k);
  return static_cast<int>(shares.size()) - 1;
}

struct TopicProblem {
  Lengths lengths;
  int moves;
  std::vector<int> given = {3, 6, 1, 8};  ///< lengths; under "model", only their number is used
  bool as_unequal = false;                ///< treats fresh topics as if exposures differed
  Hyper alpha = Hyper::gamma(3, 1.7), gamma = Hyper::gamma(4, 2.5), eta = Hyper::gamma(3, 4);
  int most = 1000, words = 5;

  TopicModel model() const { return {lengths, alpha, gamma, eta, most}; }
  int documents() const { return static_cast<int>(given.size()); }
  /// Documents that can choose topics.
  std::vector<int> sharing() const {
    std::vector<int> all;
    for (int m = 0; m < documents(); ++m)
      if (lengths == Lengths::model || given[m] > 0) all.push_back(m);
    return all;
  }
  std::string name() const {
    std::string name = lengths == Lengths::given ? "given" : "model";
    name += ", " + std::to_string(moves) + " moves";
    if (as_unequal) name += ", as if exposures differed";
    for (const Hyper* hyper : {&alpha, &gamma, &eta}) name += hyper->learned ? "" : ", fixed";
    if (most < 1000) name += ", at most " + std::to_string(most) + " topics";
    return name + ", " + std::to_string(sharing().size()) + " documents";
  }

  /// Draws the tokens by the process that defines them, from the weights of the chosen topics.
  std::vector<int> draw_numbers(const Features& b, int m, const std::vector<double>& phi,
                                Rng& rng) const {
    std::vector<int> numbers(b.size(), 0);
    if (lengths == Lengths::model) {
      for (int k = 0; k < b.size(); ++k)
        if (b.at(m, k)) numbers[k] = draw_poisson(rng.gamma(phi[k], 1), rng);
      return numbers;
    }
    if (given[m] == 0) return numbers;
    std::vector<int> chosen;
    std::vector<double> shapes;
    for (int k = 0; k < b.size(); ++k)
      if (b.at(m, k)) {
        chosen.push_back(k);
        shapes.push_back(phi[k]);
      }
    const auto theta = draw_shares(shapes, rng);
    for (int i = 0; i < given[m]; ++i) ++numbers[chosen[draw_from(theta, rng)]];
    return numbers;
  }

  TopicJoint draw(Rng& rng) const {
    const auto value = [&](const Hyper& h) {
      return h.learned ? rng.gamma(h.shape, h.rate) : h.value;
    };
    for (;;) {
      TopicJoint joint{Features(documents()), value(alpha), value(gamma), value(eta), {}, {}, {}};
      const Features b = draw_choices(joint.alpha, rng);
      if (lengths == Lengths::given && !every_row(b)) continue;
      joint = fill(std::move(joint), b, rng);
      if (joint.z.size() <= most) return joint;
    }
  }

 private:
  Features draw_choices(double alpha, Rng& rng) const {
    const std::vector<int> rows = sharing();
    const Features drawn = draw_buffet(static_cast<int>(rows.size()), {alpha, 1, 0, 0}, rng);
    Features b(documents());
    for (int k = 0; k < drawn.size(); ++k) {
      buffet::Bits column(documents());
      drawn.column(k).for_each([&](int n) { column.set(rows[n]); });
      b.add(column);
    }
    return b;
  }

  bool every_row(const Features& b) const {
    for (int m : sharing()) {
      int count = 0;
      for (int k = 0; k < b.size(); ++k) count += b.at(m, k);
      if (count == 0) return false;
    }
    return true;
  }

  TopicJoint fill(TopicJoint joint, const Features& b, Rng& rng) const {
    std::vector<double> phi;
    std::vector<std::vector<double>> beta;
    for (int k = 0; k < b.size(); ++k) {
      phi.push_back(rng.gamma(joint.gamma, 1));
      beta.push_back(draw_shares(std::vector<double>(words, joint.eta), rng));
    }
    const int shared_by = static_cast<int>(sharing().size());
    std::vector<int> names(b.size(), -1);
    std::vector<std::vector<int>> numbers;
    for (int m = 0; m < documents(); ++m) numbers.push_back(draw_numbers(b, m, phi, rng));
    for (int k = 0; k < b.size(); ++k) {
      buffet::Bits holders(documents());
      for (int m = 0; m < documents(); ++m)
        if (numbers[m][k] > 0) holders.set(m);
      if (holders.count() == 0) continue;
      names[k] = joint.z.size();
      joint.z.add(holders);
      joint.chosen += b.count(k);
      const double yes = rng.gamma(b.count(k), 1), no = rng.gamma(1 + shared_by - b.count(k), 1);
      joint.atoms.push_back({yes / (yes + no), phi[k]});
    }
    for (int m = 0; m < documents(); ++m) {
      std::vector<Token> tokens;
      double weight = 0;
      for (int k = 0; k < b.size(); ++k) {
        if (b.at(m, k)) weight += phi[k];
        for (int n = 0; n < numbers[m][k]; ++n)
          tokens.push_back({draw_from(beta[k], rng), names[k]});
      }
      rng.shuffle(tokens);
      std::stable_sort(tokens.begin(), tokens.end(),
                       [](const Token& a, const Token& b) { return a.word < b.word; });
      joint.documents.push_back(std::move(tokens));
      const bool known = lengths == Lengths::model || given[m] == 0;
      joint.ell.push_back(known ? std::log(2.0) : draw_exposure(weight, m, rng));
    }
    return joint;
  }

  /// -log u for u ~ Beta(weight, length).
  double draw_exposure(double weight, int m, Rng& rng) const {
    const double more = rng.log_gamma_draw(given[m]), less = rng.log_gamma_draw(weight);
    const double d = more - less;
    return d > 30 ? d + std::exp(-d) : std::log1p(std::exp(d));
  }
};

struct TopicSimulated {
  using Problem = TopicProblem;
  using Data = TopicData;
  using Chain = TopicChain;
  static constexpr bool rebuilds = true;

  static Data data(const TopicProblem& problem, const TopicJoint& state) {
    return topic_data(problem.words, state.documents);
  }
  static TopicChain chain(const TopicProblem& problem, const Data& data, const TopicJoint&,
                          Rng rng) {
    return {data, problem.model(), problem.moves, rng};
  }

  static void set(const TopicProblem& problem, const TopicJoint& joint, TopicChain& chain) {
    TopicState& state = chain.likelihood;
    assign(joint.documents, joint.atoms, state);
    for (int m = 0; m < problem.documents(); ++m) state.ell(m) = joint.ell[m];
    state.model.alpha.value = joint.alpha;
    state.model.gamma.value = joint.gamma;
    state.model.eta.value = joint.eta;
  }

  static void sweep(const TopicProblem& problem, TopicChain& chain) {
    if (!problem.as_unequal) {
      chain.sweep([] {});
      return;
    }
    const TopicState& state = chain.likelihood;
    const buffet::FreshTopic fresh(state.model.alpha.value, state.model.gamma.value, state.ell);
    chain.visit_documents(fresh, [] {});
    chain.update_parameters();
  }
  static int features(const TopicChain& chain) { return chain.z.size(); }

  /// Takes the words from the given documents, in their order.
  static TopicJoint state(const TopicProblem& problem, const TopicJoint& given,
                          const TopicChain& chain, Rng&) {
    const TopicState& state = chain.likelihood;
    const TopicModel& model = state.model;
    TopicJoint joint{Features(problem.documents()),
                     model.alpha.value,
                     model.gamma.value,
                     model.eta.value,
                     {},
                     {},
                     given.documents};
    joint.chosen = chain.z.total();
    for (int m = 0; m < problem.documents(); ++m) joint.ell.push_back(state.ell(m));
    name_topics(state, joint);
    return joint;
  }

 private:
  /// Existing topics, numbered in order of appearance, and the documents that have tokens of them.
  static void name_topics(const TopicState& state, TopicJoint& joint) {
    std::vector<int> names(state.slots(), -1);
    std::vector<buffet::Bits> holders;
    for (int k = 0; k < state.slots(); ++k) {
      if (!state.lives(k)) continue;
      names[k] = static_cast<int>(holders.size());
      holders.emplace_back(joint.z.rows());
      joint.atoms.push_back(state.atom(k));
    }
    std::size_t at = 0;
    for (std::size_t m = 0; m < joint.documents.size(); ++m)
      for (Token& token : joint.documents[m]) {
        token.topic = names[state.z[at++]];
        holders[token.topic].set(static_cast<int>(m));
      }
    for (const auto& column : holders) joint.z.add(column);
  }
};

using TopicSimulation = Simulation<TopicSimulated>;

inline std::vector<Statistic> statistics(const TopicJoint& s, const TopicProblem& problem) {
  const int topics = s.z.size(), words = problem.words;
  double pi = 0, log_pi = 0, phi = 0, log_phi = 0, both = 0, of_documents = 0, of_words = 0;
  int single = 0;
  for (int k = 0; k < topics; ++k) {
    const TopicAtom atom = s.atoms[k];
    pi += atom.pi;
    log_pi += std::log(atom.pi);
    phi += atom.phi;
    log_phi += std::log(atom.phi);
    both += atom.pi * atom.phi;
    std::vector<int> n_word(words, 0);
    int total = 0;
    for (const auto& document : s.documents) {
      const int n = count_of(document, k);
      for (const Token& token : document) n_word[token.word] += token.topic == k;
      total += n;
      of_documents += n * n;
    }
    single += total == 1;
    for (int n : n_word) of_words += n * n;
  }
  double ell = 0, alike = 0;
  for (double e : s.ell) ell += std::log(e);
  for (const auto& document : s.documents)
    if (document.size() > 1)
      alike += document[0].topic == document[1].topic && document[0].word == document[1].word;
  return {{"log alpha", std::log(s.alpha)},
          {"log gamma", std::log(s.gamma)},
          {"log eta", std::log(s.eta)},
          {"topics", double(topics)},
          {"sum of pi", pi},
          {"sum of log pi", log_pi},
          {"sum of phi", phi},
          {"sum of log phi", log_phi},
          {"sum of pi phi", both},
          {"presences", double(s.z.total())},
          {"choices", double(s.chosen)},
          {"squares of documents", of_documents},
          {"squares of words", of_words},
          {"topics of one token", double(single)},
          {"log exposures", ell},
          {"first two tokens equal", alike}};
}

}  // namespace test
