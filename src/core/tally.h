#pragma once

#include <cstdint>
#include <vector>

#include "archive.h"
#include "check.h"

namespace buffet {

/// The number of tries of a move, and how many of them changed the features.
struct Tally {
  std::int64_t tried = 0, accepted = 0;

  void add(bool is_accepted) {
    ++tried;
    accepted += is_accepted;
  }
  void operator+=(const Tally& other) {
    tried += other.tried;
    accepted += other.accepted;
  }
  void archive(Archive& a) {
    a(tried);
    a(accepted);
  }
};

using Tallies = std::vector<Tally>;

/// The tally of this many calls to f, which returns true if the attempt is accepted.
template <class F>
Tally tally_of(int tries, const Check& check, F f) {
  Tally tally;
  while (tally.tried < tries) {
    check();
    tally.add(f());
  }
  return tally;
}

}  // namespace buffet
