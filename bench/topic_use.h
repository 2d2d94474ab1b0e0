#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "decoupled.h"

namespace bench {

/// For every topic: the share of documents that have a token of it, and its mean share of the
/// tokens in these documents.
struct TopicUse {
  Eigen::ArrayXd presence, share;
};

/// Computed from a matrix of counts, topics x documents. Documents without tokens are ignored.
inline TopicUse topic_use(const Eigen::ArrayXXd& counts) {
  Eigen::ArrayXd present = Eigen::ArrayXd::Zero(counts.rows()), sum = present;
  int documents = 0;
  for (int m = 0; m < counts.cols(); ++m) {
    const double tokens = counts.col(m).sum();
    if (tokens == 0) continue;
    ++documents;
    present += (counts.col(m) > 0).cast<double>();
    sum += counts.col(m) / tokens;
  }
  return {present / documents, sum / present.max(1)};
}

/// Counts for documents with these lengths whose proportions are Dirichlet(weights), which are the
/// documents that a fitted HDP predicts.
inline Eigen::ArrayXXd simulated_counts(const Eigen::ArrayXd& weights,
                                        const std::vector<int>& lengths, buffet::Rng& rng) {
  Eigen::ArrayXXd counts = Eigen::ArrayXXd::Zero(weights.size(), lengths.size());
  for (std::size_t m = 0; m < lengths.size(); ++m) {
    const Eigen::ArrayXd theta = dirichlet(weights, rng);
    for (int i = 0; i < lengths[m]; ++i) ++counts(outcome(theta, rng), m);
  }
  return counts;
}

inline std::vector<int> lengths(const Corpus& corpus) {
  std::vector<int> n;
  for (const auto& document : corpus.documents) n.push_back(static_cast<int>(document.size()));
  return n;
}

/// For every true topic, the recovered topic with the largest cosine between their distributions
/// over words, or -1 if no cosine exceeds 1/2.
inline std::vector<int> matches(const Eigen::ArrayXXd& truth, const Eigen::ArrayXXd& found) {
  const Eigen::MatrixXd cosines =
      truth.matrix().rowwise().normalized() * found.matrix().rowwise().normalized().transpose();
  std::vector<int> match(truth.rows());
  for (int k = 0; k < truth.rows(); ++k)
    if (!(cosines.row(k).maxCoeff(&match[k]) > 0.5)) match[k] = -1;
  return match;
}

}  // namespace bench
