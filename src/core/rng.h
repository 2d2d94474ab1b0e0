#pragma once

#include <xoshiro.h>

#include <boost/random/gamma_distribution.hpp>
#include <boost/random/normal_distribution.hpp>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace buffet {

/// Random numbers of one chain: xoshiro256+ with a stream of its own (2^128 draws long).
class Rng {
 public:
  using result_type = std::uint32_t;

  explicit Rng(std::uint64_t seed, std::uint64_t stream = 0) : engine_(seed) {
    engine_.jump(stream);
  }

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

  /// Gamma with the given shape and rate.
  double gamma(double shape, double rate) {
    return boost::random::gamma_distribution<double>(shape, 1.0)(*this) / rate;
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
  dqrng::xoshiro256plus engine_;
};

}  // namespace buffet
