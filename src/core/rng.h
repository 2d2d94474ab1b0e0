#pragma once

#include <xoshiro.h>

#include <algorithm>
#include <boost/random/gamma_distribution.hpp>
#include <boost/random/normal_distribution.hpp>
#include <boost/random/poisson_distribution.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "archive.h"

namespace buffet {

/// Gamma draws are clamped to a range in which products of two draws, and inverses of their
/// squares, are finite: under a vague prior the draw itself often underflows.
constexpr double least_gamma = 1e-150, most_gamma = 1e150;
inline double held(double x) {
  return std::clamp(x, least_gamma, most_gamma);
}

/// Random numbers of one chain: xoshiro256+ with its own stream (2^128 draws long).
class Rng {
 public:
  using result_type = std::uint32_t;

  explicit Rng(std::uint64_t seed, std::uint64_t stream = 0)
      : engine_(seed), origin_(mixed(mixed(seed) + stream)) {
    engine_.jump(stream);
  }

  /// Restarts at a point determined only by the seed, stream and step: a chain that does so at
  /// every sweep can be resumed at any sweep.
  void begin(std::uint64_t step) { engine_.seed(mixed(origin_ + mixed(step))); }

  void archive(Archive& a) { a(origin_); }

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }

  /// The upper half of a draw: the lowest bits of xoshiro256+ are not random enough.
  result_type operator()() { return static_cast<result_type>(engine_() >> 32); }

  /// Uniform on the open interval (0, 1), with 53 bits.
  double uniform() { return (static_cast<double>(engine_() >> 11) + 0.5) * 0x1.0p-53; }

  /// Uniform on 0, ..., n - 1.
  int below(int n) { return static_cast<int>(uniform() * n); }

  bool bernoulli(double probability) { return uniform() < probability; }

  double normal() { return boost::random::normal_distribution<double>()(*this); }

  /// Gamma with the given shape and rate, clamped.
  double gamma(double shape, double rate) {
    return held(boost::random::gamma_distribution<double>(shape, 1.0)(*this) / rate);
  }

  /// Log of a Gamma(shape, 1) draw, finite even if the draw itself would underflow to 0.
  double log_gamma_draw(double shape) {
    if (shape >= 0.5) return std::log(gamma(shape, 1));
    return std::log(gamma(shape + 1, 1)) + std::log(uniform()) / shape;
  }

  int poisson(double mean) {
    return mean > 0 ? boost::random::poisson_distribution<int>(mean)(*this) : 0;
  }

  template <class T>
  void shuffle(std::vector<T>& items) {
    for (int n = static_cast<int>(items.size()); n > 1; --n)
      std::swap(items[n - 1], items[below(n)]);
  }

  /// The numbers 0, ..., n - 1 in random order, written into `order`.
  void permutation(int n, std::vector<int>& order) {
    order.resize(n);
    std::iota(order.begin(), order.end(), 0);
    shuffle(order);
  }

 private:
  /// The finaliser of splitmix64 (Steele, Lea & Flood 2014).
  static std::uint64_t mixed(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
  }

  dqrng::xoshiro256plus engine_;
  std::uint64_t origin_;
};

}  // namespace buffet
