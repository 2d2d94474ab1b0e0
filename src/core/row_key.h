#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace buffet {

/// A number determined by the entries of a row (NaN if missing), which seeds the row's random
/// numbers independently of other rows. Entries are rounded to 23 bits, so rounding errors do not
/// change it.
inline std::uint64_t row_key(const Eigen::VectorXd& x) {
  std::uint64_t key = 0xcbf29ce484222325ULL;
  for (Eigen::Index d = 0; d < x.size(); ++d) {
    std::uint64_t bits = 0x7ff8000000000000ULL;  // any NaN
    const double entry = x(d) + 0.0;             // -0 is 0
    if (!std::isnan(entry)) std::memcpy(&bits, &entry, sizeof bits);
    bits = (bits + (1ULL << 28)) >> 29;
    key = (key ^ bits) * 0x9e3779b97f4a7c15ULL;
    key ^= key >> 29;
  }
  return key;
}

}  // namespace buffet
