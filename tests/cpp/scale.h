#pragma once

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <stdexcept>
#include <string>

namespace test {

inline bool extended() {
  const char* value = std::getenv("BUFFET_EXTENDED_TESTS");
  return value != nullptr && std::string(value) == "true";
}

/// True if BUFFET_TESTS=full, which gives tests their usual sizes. If it is unset or "quick", long
/// tests are shorter.
inline bool full() {
  const char* value = std::getenv("BUFFET_TESTS");
  return extended() || (value != nullptr && std::string(value) == "full");
}

/// A number of sweeps or draws, which is reduced in the quick tier because the test finds its bugs
/// with fewer.
inline int shorter(int usual, int by = 10) {
#ifdef __SANITIZE_ADDRESS__
  (void)by;
  return usual;
#else
  return full() ? usual : usual / by;
#endif
}

/// A number of sweeps or draws, which is reduced under a sanitizer and increased in the extended
/// tests.
inline int scaled(int usual, int longer = 15) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  (void)longer;
  return std::max(usual / 100, 1000);
#else
  return extended() ? usual * longer : usual;
#endif
}

/// Broken samplers can explode, and their tests must fail rather than hang. The limit is in
/// processor time, so other work on the machine does not count.
class Limits {
 public:
  explicit Limits(double seconds) : seconds_(seconds * (extended() ? 15 : 1)) {}

  void check(int features) {
    if (features > 150) throw std::runtime_error("more than 150 features: the sampler explodes");
    if (++calls_ % 1024 != 0) return;
    const double spent = static_cast<double>(std::clock() - start_) / CLOCKS_PER_SEC;
    if (spent > seconds_) throw std::runtime_error("out of time: the sampler explodes");
  }

 private:
  double seconds_;
  int calls_ = 0;
  std::clock_t start_ = std::clock();
};

}  // namespace test
