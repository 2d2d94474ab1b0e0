#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <cstdint>
#include <vector>

#include "corpus.h"

namespace bench {

/// Document completion. Topics are inferred from one half of every new document; the predictions of
/// the tokens of the other half are averaged over sweeps and over posterior draws.
///
/// A draw provides `complete(halves, sweeps, rng)`, which returns the probabilities of the tokens
/// of the other half. Observed tokens count in the words of their topics, both for inferring topics
/// and for predicting the other tokens.
struct HalfDocument {
  const std::vector<int>&seen, &rest;
};

class Completion {
 public:
  explicit Completion(const Halves& documents)
      : documents_(documents), sums_(documents.rest.tokens(), 0.0) {}

  template <class Draw>
  void add(const Draw& draw, int sweeps, buffet::Rng& rng) {
    std::size_t token = 0;
    for (std::size_t m = 0; m < documents_.rest.documents.size(); ++m) {
      const HalfDocument halves{documents_.seen.documents[m], documents_.rest.documents[m]};
      for (double p : draw.complete(halves, sweeps, rng)) sums_[token++] += p;
    }
    ++draws_;
  }

  double perplexity() const {
    double log_density = 0;
    for (double sum : sums_) log_density += std::log(sum / draws_);
    return std::exp(-log_density / static_cast<double>(sums_.size()));
  }

 private:
  const Halves& documents_;
  std::vector<double> sums_;
  int draws_ = 0;
};

/// The length of a chain, and which draws are used for prediction: the last ones, at a given
/// distance.
struct Schedule {
  int sweeps = 400;
  int draws = 5;
  int apart = 20;
  int sweeps_of_completion = 100;
};

/// Input for a method that returns the perplexity of the test documents.
struct TopicProblem {
  const Corpus& training;
  const Halves& test;
  Schedule schedule;
  std::uint64_t seed;
};

/// Any sampler that provides `sweep(rng)` and, for Completion, `draw()`.
template <class Sampler>
double completed(Sampler& sampler, const TopicProblem& problem, buffet::Rng& rng) {
  Completion completion(problem.test);
  const Schedule& s = problem.schedule;
  for (int left = s.sweeps - 1; left >= 0; --left) {
    sampler.sweep(rng);
    if (left % s.apart == 0 && left / s.apart < s.draws)
      completion.add(sampler.draw(), s.sweeps_of_completion, rng);
  }
  return completion.perplexity();
}

/// The perplexity of a sampler that is constructed from a corpus, settings and random numbers.
template <class Sampler, class Settings>
double perplexity(const TopicProblem& problem, const Settings& settings) {
  buffet::Rng rng(problem.seed);
  Sampler sampler(problem.training, settings, rng);
  return completed(sampler, problem, rng);
}

}  // namespace bench
