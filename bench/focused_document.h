#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "completion.h"
#include "decoupled.h"

namespace bench {

/// Topics of the tokens of one document under a known focused topic model: the simplest correct
/// sampler, which shows the best possible completion of a document.
///
/// ell = log(1 + rho), where rho is the observed share of the document. Updates of single tokens
/// are not conditional on the presence of topics. If phi is large, tokens can enter or leave a
/// topic only all at once.
class FocusedDocument {
 public:
  FocusedDocument(const FocusedTopics& topics, const std::vector<int>& words, double ell)
      : topics_(topics),
        words_(words),
        log_odds_(topics.pi.log() - (1 - topics.pi).log() - ell * topics.phi),
        without_(topics.phi / (1 + (-log_odds_).exp())),
        choice_(Eigen::ArrayXd::Constant(topics.pi.size(), 0.1)),
        counts_(Eigen::ArrayXd::Zero(topics.pi.size())) {
    for (int w : words) choice_ += topics.beta.col(w) / topics.beta.col(w).sum();
    choice_ /= choice_.sum();
  }

  /// A sweep over single tokens; the first sweep assigns topics to them.
  void sweep(buffet::Rng& rng) {
    const bool placed = !z_.empty();
    z_.resize(words_.size());
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (placed) --counts_(z_[i]);
      const Eigen::ArrayXd odds = weights() * topics_.beta.col(words_[i]);
      ++counts_(z_[i] = outcome(odds / odds.sum(), rng));
    }
  }

  /// Flips the presence of a topic, or exchanges a present topic for an absent one, and proposes
  /// new topics for all tokens, one after the other, in a Metropolis step.
  void move(buffet::Rng& rng) {
    const std::vector<char> present = draw_presence(rng);
    std::vector<char> flipped = present;
    const int k = outcome(choice_, rng);
    flipped[k] ^= 1;
    double log_ratio = present[k] ? -log_odds_(k) : log_odds_(k);
    if (rng.bernoulli(0.5)) {
      const int other = outcome(choice_, rng);
      if (present[other] == present[k]) return;
      flipped[other] ^= 1;
      log_ratio += present[other] ? -log_odds_(other) : log_odds_(other);
    }
    std::vector<int> proposal;
    log_ratio += in_turn(flipped, proposal, rng);
    log_ratio -= in_turn(present, z_, rng);
    if (std::log(rng.uniform()) < log_ratio) place(proposal);
  }

  /// Weight of a topic for the next token: n + phi or, if the topic has no token, phi times the
  /// probability that it is present.
  Eigen::ArrayXd weights() const { return (counts_ > 0).select(counts_ + topics_.phi, without_); }

 private:
  std::vector<char> draw_presence(buffet::Rng& rng) const {
    std::vector<char> present(counts_.size());
    for (int k = 0; k < counts_.size(); ++k)
      present[k] = counts_(k) > 0 || rng.bernoulli(without_(k) / topics_.phi(k));
    return present;
  }

  /// Draws the topics of all tokens into z, one after the other, given which topics are present;
  /// evaluates the topics in z instead if it is not empty. Returns the sum of the logs of the
  /// normalisers.
  double in_turn(const std::vector<char>& present, std::vector<int>& z, buffet::Rng& rng) const {
    const bool drawn = z.empty();
    Eigen::ArrayXd weights = Eigen::ArrayXd::Zero(counts_.size());
    for (int k = 0; k < weights.size(); ++k)
      if (present[k]) weights(k) = topics_.phi(k);
    double log_sum = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const Eigen::ArrayXd odds = weights * topics_.beta.col(words_[i]);
      const double sum = odds.sum();
      if (!(sum > 0)) return -std::numeric_limits<double>::infinity();
      log_sum += std::log(sum);
      if (drawn) z.push_back(outcome(odds / sum, rng));
      ++weights(z[i]);
    }
    return log_sum;
  }

  void place(const std::vector<int>& z) {
    z_ = z;
    counts_.setZero();
    for (int k : z) ++counts_(k);
  }

  const FocusedTopics& topics_;
  const std::vector<int>& words_;
  Eigen::ArrayXd log_odds_;  // probability that a topic without tokens is present
  Eigen::ArrayXd without_;   // the weight of a topic without tokens
  Eigen::ArrayXd choice_;    // the probability that a move changes a given topic
  Eigen::ArrayXd counts_;
  std::vector<int> z_;
};

/// The true model, which completes documents in the same way as a posterior draw.
struct FocusedTruth {
  const FocusedTopics& topics;
  int moves = 5;
  double rho = 0.5;

  std::vector<double> complete(const HalfDocument& halves, int sweeps, buffet::Rng& rng) const {
    FocusedDocument document(topics, halves.seen, std::log1p(rho));
    Eigen::ArrayXd mean = Eigen::ArrayXd::Zero(topics.pi.size());
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      document.sweep(rng);
      for (int n = 0; n < moves; ++n) document.move(rng);
      const Eigen::ArrayXd weights = document.weights();
      if (sweep >= sweeps / 4) mean += weights / weights.sum();
    }
    mean /= mean.sum();
    std::vector<double> out;
    for (int word : halves.rest) out.push_back((mean * topics.beta.col(word)).sum());
    return out;
  }
};

}  // namespace bench
