#pragma once

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace test {

inline bool extended() {
  const char* value = std::getenv("BUFFET_EXTENDED_TESTS");
  return value != nullptr && std::string(value) == "true";
}

/// A number of sweeps or draws: as given, fewer under a sanitizer, more in the extended tests.
inline int scaled(int usual, int longer = 15) {
#ifdef __SANITIZE_ADDRESS__
  (void)longer;
  return std::max(usual / 100, 1000);
#else
  return extended() ? usual * longer : usual;
#endif
}

/// Broken samplers explode: a test of one must fail, not hang.
class Limits {
 public:
  explicit Limits(double seconds) : seconds_(seconds * (extended() ? 15 : 1)) {}

  void check(int features) {
    if (features > 150) throw std::runtime_error("more than 150 features: the sampler explodes");
    if (++calls_ % 1024 != 0) return;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
    if (spent.count() > seconds_) throw std::runtime_error("out of time: the sampler explodes");
  }

 private:
  double seconds_;
  int calls_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace test
