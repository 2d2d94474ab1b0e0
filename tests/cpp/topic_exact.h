#pragma once

// One document given the topics of all others, from the definition of the model: all possible
// choices of topics, and all possible topics of its tokens.

#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "topic_case.h"

namespace test {

struct OneDocument {
  std::vector<TopicAtom> atoms;
  Eigen::MatrixXi others;  ///< words x topics: tokens of the other documents
  double eta;
  std::vector<int> words;  ///< words of the document's tokens

  int topics() const { return static_cast<int>(atoms.size()); }
  int length() const { return static_cast<int>(words.size()); }
  int choices() const { return 1 << topics(); }
  int assignments() const { return static_cast<int>(std::pow(topics(), length()) + 0.5); }

  /// The topics of the tokens, which are the digits of a number.
  std::vector<int> assignment(int number) const {
    std::vector<int> z;
    for (int i = 0; i < length(); ++i, number /= topics()) z.push_back(number % topics());
    return z;
  }
  int number(const std::vector<int>& z) const {
    int number = 0;
    for (int i = length(); i-- > 0;) number = number * topics() + z[i];
    return number;
  }

  std::vector<int> held(const std::vector<int>& z) const {
    std::vector<int> held(topics(), 0);
    for (int k : z) ++held[k];
    return held;
  }

  /// Joint weight of the choices (the bits of b), the topics of the tokens, the words of the tokens
  /// and the length, given u.
  double weight(const std::vector<int>& z, int b, double u) const {
    const std::vector<int> n = held(z);
    double product = std::pow(1 - u, length()) * words_given(z);
    for (int k = 0; k < topics(); ++k) {
      const auto [pi, phi] = atoms[k];
      if (b >> k & 1)
        product *= pi * std::pow(u, phi) * std::exp(std::lgamma(phi + n[k]) - std::lgamma(phi));
      else
        product *= n[k] == 0 ? 1 - pi : 0;
    }
    return product;
  }
  double weight(const std::vector<int>& z, double u) const {
    double sum = 0;
    for (int b = 0; b < choices(); ++b) sum += weight(z, b, u);
    return sum;
  }

  /// Probability of the words, token by token.
  double words_given(const std::vector<int>& z) const {
    Eigen::MatrixXi counts = others;
    double product = 1;
    for (int i = 0; i < length(); ++i) {
      const double all = counts.col(z[i]).sum() + counts.rows() * eta;
      product *= (counts(words[i], z[i])++ + eta) / all;
    }
    return product;
  }

  /// The document, followed by a document with the tokens of all others.
  Documents documents(const std::vector<int>& z) const {
    Documents all(2);
    for (int i = 0; i < length(); ++i) all[0].push_back({words[i], z[i]});
    for (int w = 0; w < others.rows(); ++w)
      for (int k = 0; k < topics(); ++k) all[1].insert(all[1].end(), others(w, k), {w, k});
    return all;
  }
};

/// A document with topics of different kinds; its tokens are ordered by word.
inline OneDocument one_document(std::vector<int> words, int topics, bool last_is_own = false) {
  OneDocument document{{{0.4, 0.7}, {0.85, 2.3}, {0.1, 0.2}}, Eigen::MatrixXi(4, 3), 0.6, words};
  document.others << 1, 0, 2, 0, 3, 0, 1, 1, 0, 0, 1, 1;
  document.atoms.resize(topics);
  document.others.conservativeResize(4, topics);
  if (last_is_own) document.others.col(topics - 1).setZero();
  return document;
}

}  // namespace test
