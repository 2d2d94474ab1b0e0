#pragma once

#include <Eigen/Dense>
#include <vector>

#include "corpus.h"

namespace bench {

/// The topic of every token, and the counts of words in each topic and of topics in each document.
/// All counts are dense, and the counts of a word in all topics are adjacent, so each token takes
/// one pass over them.
class TopicCounts {
 public:
  TopicCounts(const Corpus& corpus, int topics, double eta)
      : corpus_(corpus),
        eta_(eta),
        words_(Eigen::ArrayXXd::Zero(topics, corpus.words)),
        documents_(Eigen::ArrayXXd::Zero(topics, corpus.documents.size())),
        totals_(Eigen::ArrayXd::Zero(topics)),
        weights_(topics) {
    for (const auto& document : corpus.documents) z_.emplace_back(document.size(), -1);
    set_eta(eta);
  }

  const Corpus& corpus() const { return corpus_; }
  int slots() const { return static_cast<int>(totals_.size()); }
  double eta() const { return eta_; }
  double total(int k) const { return totals_(k); }
  const Eigen::ArrayXXd& words() const { return words_; }          // slots x words
  const Eigen::ArrayXXd& documents() const { return documents_; }  // slots x documents
  const std::vector<std::vector<int>>& z() const { return z_; }

  void set_eta(double eta) {
    eta_ = eta;
    inverse_ = (totals_ + eta * corpus_.words).inverse();
  }

  void assign(int m, int i, int k) {
    z_[m][i] = k;
    count(m, i, 1);
  }
  /// Removes a token from the counts and returns its topic.
  int release(int m, int i) {
    count(m, i, -1);
    return z_[m][i];
  }

  /// Draws the topic of a token that is not in the counts, given the prior weights of topics in a
  /// document and the weight of a new topic; slots() means a new topic.
  int draw(int m, int i, const Eigen::ArrayXd& prior, double of_new, buffet::Rng& rng) {
    const int w = corpus_.documents[m][i];
    weights_ = (documents_.col(m) + prior) * (words_.col(w) + eta_) * inverse_;
    double u = rng.uniform() * (weights_.sum() + of_new);
    const int last = of_new > 0 ? slots() : slots() - 1;
    int k = 0;
    for (double of_block; k + 16 <= last; k += 16, u -= of_block)
      if ((of_block = weights_.segment<16>(k).sum()) > u) break;
    while (k < last && (u -= weights_(k)) >= 0) ++k;
    return k;
  }

  /// Doubles the room for topics.
  void grow() {
    const int before = slots();
    words_.conservativeResize(2 * before, Eigen::NoChange);
    documents_.conservativeResize(2 * before, Eigen::NoChange);
    totals_.conservativeResize(2 * before);
    weights_.resize(2 * before);
    words_.bottomRows(before).setZero();
    documents_.bottomRows(before).setZero();
    totals_.tail(before).setZero();
    set_eta(eta_);
  }

 private:
  void count(int m, int i, int by) {
    const int k = z_[m][i];
    words_(k, corpus_.documents[m][i]) += by;
    documents_(k, m) += by;
    totals_(k) += by;
    inverse_(k) = 1 / (totals_(k) + eta_ * corpus_.words);
  }

  const Corpus& corpus_;
  double eta_;
  Eigen::ArrayXXd words_, documents_;
  Eigen::ArrayXd totals_, inverse_, weights_;
  std::vector<std::vector<int>> z_;
};

}  // namespace bench
