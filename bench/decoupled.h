#pragma once

#include <Eigen/Dense>
#include <cstdint>
#include <vector>

#include "corpus.h"
#include "dirichlet.h"

namespace bench {

/// The topics of a focused topic model: the probability that a document has the topic, the topic's
/// weight, and its distribution over words.
struct FocusedTopics {
  Eigen::ArrayXd pi, phi;
  Eigen::ArrayXXd beta;  // topics x words
};

/// Documents with these topics, the topics of each document, and the number of tokens in each.
struct FocusedDocuments {
  Corpus corpus;
  Eigen::ArrayXXi presence, counts;  // topics x documents
};

/// Topics that are rare or common and, independently of this, minor or dominant in the documents
/// that have them.
struct Decoupled {
  FocusedTopics topics;
  FocusedDocuments training, test;
};

/// Four topics of each kind: pi .04 or .5, phi 4 or 40.
inline FocusedTopics decoupled_topics(int words, buffet::Rng& rng) {
  FocusedTopics topics{Eigen::ArrayXd(16), Eigen::ArrayXd(16), Eigen::ArrayXXd(16, words)};
  for (int k = 0; k < 16; ++k) {
    topics.pi(k) = k < 8 ? 0.04 : 0.5;
    topics.phi(k) = k % 8 < 4 ? 4 : 40;
    topics.beta.row(k) = dirichlet(Eigen::ArrayXd::Constant(words, 0.05), rng).transpose();
  }
  return topics;
}

/// n_mk ~ NB(phi_k, 1/2) if b_mk = 1. A document without tokens is redrawn, so that models with
/// given document lengths can use all documents.
inline FocusedDocuments draw_documents(const FocusedTopics& topics, int documents,
                                       buffet::Rng& rng) {
  const int size = static_cast<int>(topics.pi.size());
  FocusedDocuments drawn{{static_cast<int>(topics.beta.cols()), {}},
                         Eigen::ArrayXXi::Zero(size, documents),
                         Eigen::ArrayXXi::Zero(size, documents)};
  for (int m = 0; m < documents; ++m) {
    std::vector<int> document;
    do {
      for (int k = 0; k < size; ++k) {
        drawn.presence(k, m) = rng.bernoulli(topics.pi(k));
        drawn.counts(k, m) = drawn.presence(k, m) ? rng.poisson(rng.gamma(topics.phi(k), 1)) : 0;
      }
    } while (drawn.counts.col(m).sum() == 0);
    for (int k = 0; k < size; ++k)
      for (int i = 0; i < drawn.counts(k, m); ++i)
        document.push_back(outcome(topics.beta.row(k), rng));
    std::sort(document.begin(), document.end());
    drawn.corpus.documents.push_back(document);
  }
  return drawn;
}

/// 600 documents of 500 words, and 200 more with the same topics.
inline Decoupled decoupled(std::uint64_t seed) {
  buffet::Rng rng(seed);
  Decoupled data;
  data.topics = decoupled_topics(500, rng);
  data.training = draw_documents(data.topics, 600, rng);
  data.test = draw_documents(data.topics, 200, rng);
  return data;
}

}  // namespace bench
