#pragma once

#include <cmath>
#include <vector>

#include "completion.h"
#include "core/log_sum.h"
#include "topic_counts.h"
#include "topic_eta.h"
#include "topic_mixture.h"

namespace bench {

/// Settings and starting values of a chain. Both concentrations have Gamma(1, .1) priors; eta has a
/// Gamma(1, 1) prior unless it is fixed.
struct HdpSettings {
  int topics = 20;
  double eta = 0.1;
  bool learn_eta = true;
  double top = 1;  // concentration of the shares beta
  double tau = 1;  // concentration of a document's proportions around beta
};

/// LDA with an unbounded number of topics: direct assignment sampling for the hierarchical
/// Dirichlet process (Teh, Jordan, Beal & Blei 2006, section 5.3). A slot without tokens has share
/// 0.
class HdpLda {
 public:
  HdpLda(const Corpus& corpus, const HdpSettings& settings, buffet::Rng& rng)
      : HdpLda(corpus, settings, random_topics(corpus, settings.topics, rng)) {
    draw_shares(rng);
  }

  /// Starts from given topics of the tokens, and equal shares.
  HdpLda(const Corpus& corpus, const HdpSettings& settings, const std::vector<std::vector<int>>& z)
      : settings_(settings),
        top_(settings.top),
        tau_(settings.tau),
        beta_(Eigen::ArrayXd::Zero(settings.topics)),
        prior_(beta_),
        counts_(corpus, settings.topics, settings.eta) {
    for (std::size_t m = 0; m < z.size(); ++m)
      for (std::size_t i = 0; i < z[m].size(); ++i) counts_.assign(m, i, z[m][i]);
    for (int k = 0; k < counts_.slots(); ++k) {
      if (counts_.total(k) > 0)
        ++topics_;
      else
        free(k);
    }
    beta_of_new_ = 1.0 / (topics_ + 1);
    for (int k = 0; k < counts_.slots(); ++k) beta_(k) = counts_.total(k) > 0 ? beta_of_new_ : 0;
    prior_ = tau_ * beta_;
  }

  void sweep(buffet::Rng& rng) {
    for (std::size_t m = 0; m < counts_.z().size(); ++m)
      for (std::size_t i = 0; i < counts_.z()[m].size(); ++i) draw_topic(m, i, rng);
    draw_shares(rng);
    if (settings_.learn_eta) draw_eta(counts_, rng);
  }

  /// The topics, followed by one entry for all new topics together. In new topics every word is
  /// equally probable, regardless of other tokens in new topics.
  TopicMixture draw() const {
    TopicMixture mixture{Eigen::ArrayXXd(topics_ + 1, counts_.corpus().words),
                         Eigen::ArrayXd(topics_ + 1), Eigen::ArrayXd(topics_ + 1)};
    int row = 0;
    for (int k = 0; k < counts_.slots(); ++k) {
      if (counts_.total(k) == 0) continue;
      const double total = counts_.total(k) + counts_.eta() * counts_.corpus().words;
      mixture.words.row(row) = (counts_.words().row(k) + counts_.eta()) / total;
      mixture.sizes(row) = total;
      mixture.weights(row++) = prior_(k);
    }
    mixture.sizes(row) = 1e100;
    mixture.words.row(row) = 1.0 / counts_.corpus().words;
    mixture.weights(row) = tau_ * beta_of_new_;
    return mixture;
  }

  /// Number of tokens per topic and document, in a matrix topics x documents; topics are in the
  /// order of draw().
  Eigen::ArrayXXd present() const {
    Eigen::ArrayXXd tokens(topics_, counts_.documents().cols());
    int row = 0;
    for (int k = 0; k < counts_.slots(); ++k)
      if (counts_.total(k) > 0) tokens.row(row++) = counts_.documents().row(k);
    return tokens;
  }

  int topics() const { return topics_; }
  double top() const { return top_; }
  double tau() const { return tau_; }
  double beta_of_new() const { return beta_of_new_; }
  const Eigen::ArrayXd& beta() const { return beta_; }
  const TopicCounts& counts() const { return counts_; }

  /// Updates that depend only on the topics of the tokens: draws the numbers of tables of each
  /// topic, then the concentrations with the shares integrated out, then the shares.
  void draw_shares(buffet::Rng& rng) {
    const Eigen::ArrayXd tables = draw_tables(rng);
    const double all = tables.sum();
    double minus_logs = 0;
    for (const auto& document : counts_.z())
      minus_logs += minus_log_beta(tau_, static_cast<double>(document.size()), rng);
    tau_ = rng.gamma(1 + all, 0.1 + minus_logs);
    top_ = rng.gamma(1 + topics_, 0.1 + minus_log_beta(top_, all, rng));
    for (int k = 0; k < beta_.size(); ++k) beta_(k) = tables(k) > 0 ? rng.gamma(tables(k), 1) : 0;
    beta_of_new_ = std::exp(rng.log_gamma_draw(top_));
    const double sum = beta_.sum() + beta_of_new_;
    beta_ /= sum;
    beta_of_new_ /= sum;
    prior_ = tau_ * beta_;
  }

 private:
  static std::vector<std::vector<int>> random_topics(const Corpus& corpus, int topics,
                                                     buffet::Rng& rng) {
    std::vector<std::vector<int>> z;
    for (const auto& document : corpus.documents) {
      z.emplace_back(document.size());
      for (int& k : z.back()) k = rng.below(topics);
    }
    return z;
  }

  /// -log(u) for u ~ Beta(a, b); 0 for b = 0. Given u, the likelihood of a, Gamma(a) / Gamma(a +
  /// b), becomes u^a, the likelihood of a rate.
  static double minus_log_beta(double a, double b, buffet::Rng& rng) {
    if (b == 0) return 0;
    return buffet::softplus(rng.log_gamma_draw(b) - rng.log_gamma_draw(a));
  }

  void draw_topic(int m, int i, buffet::Rng& rng) {
    const int old = counts_.release(m, i);
    if (counts_.total(old) == 0) {
      beta_of_new_ += beta_(old);
      free(old);
      --topics_;
    }
    const double of_new = tau_ * beta_of_new_ / counts_.corpus().words;
    const int k = counts_.draw(m, i, prior_, of_new, rng);
    counts_.assign(m, i, k < counts_.slots() ? k : birth(rng));
  }

  void free(int k) {
    beta_(k) = 0;
    prior_(k) = 0;
    free_.push_back(k);
  }

  /// A new topic takes a fraction b ~ Beta(1, top) of the share of new topics.
  int birth(buffet::Rng& rng) {
    if (free_.empty()) grow();
    const int k = free_.back();
    free_.pop_back();
    const double left = std::pow(rng.uniform(), 1 / top_);
    beta_(k) = (1 - left) * beta_of_new_;
    beta_of_new_ *= left;
    prior_(k) = tau_ * beta_(k);
    ++topics_;
    return k;
  }

  void grow() {
    const int before = counts_.slots();
    counts_.grow();
    beta_.conservativeResize(2 * before);
    prior_.conservativeResize(2 * before);
    for (int k = 2 * before - 1; k >= before; --k) free(k);
  }

  /// Number of tables that serve each topic, over all documents.
  Eigen::ArrayXd draw_tables(buffet::Rng& rng) const {
    Eigen::ArrayXd tables = Eigen::ArrayXd::Zero(beta_.size());
    for (int m = 0; m < counts_.documents().cols(); ++m)
      for (int k = 0; k < beta_.size(); ++k)
        for (int n = 0; n < counts_.documents()(k, m); ++n)
          tables(k) += n == 0 || rng.bernoulli(prior_(k) / (prior_(k) + n));
    return tables;
  }

  HdpSettings settings_;
  double top_, tau_, beta_of_new_ = 0;
  int topics_ = 0;
  Eigen::ArrayXd beta_, prior_;  // prior_: tau beta
  std::vector<int> free_;
  TopicCounts counts_;
};

}  // namespace bench
