#include <functional>

#include "likelihood/logistic.h"
#include "logistic_case.h"
#include "moves.h"
#include "resumed.h"
#include "tree_case.h"

using namespace test;

namespace {

constexpr int rows = 7;

const BinaryData& binary_data() {
  static const BinaryData data = [] {
    Rng rng(361);
    const Features z = random_features(rows, 3, rng);
    const Eigen::MatrixXd psi =
        log_odds(dense(z), draw_normal(4, 3, 2, rng), draw_normal(4, 1, 1, rng));
    return as_binary(with_missing(draw_binary(psi, rng), 0.15, rng));
  }();
  return data;
}

/// Two chains that should become equal.
template <class C>
struct LogisticPair {
  std::function<decltype(C::prior)()> prior;
  bool bias;

  C one() const {
    Features z(rows);
    for (int i = 0; i < rows; ++i) z.add_own(i);
    return make(z, Rng(362, 2));
  }
  C other() const {
    Rng rng(363);
    C chain = make(random_features(rows, 4, rng), Rng(364, 1));
    for (int n = 0; n < 3; ++n) chain.sweep();
    return chain;
  }

 private:
  C make(const Features& z, Rng rng) const {
    return C(z, prior(), {binary_data(), {Hyper::gamma(2.6, 3.7), Hyper::gamma(3.1, 2.2), bias}},
             rng);
  }
};

template <class C>
void check_both(std::function<decltype(C::prior)()> prior) {
  for (bool bias : {false, true}) check_resumed(LogisticPair<C>{prior, bias}, !bias);
}

Exchangeable buffet_process() {
  return Exchangeable(rows, {Hyper::gamma(9.2, 2.1), Hyper::gamma(1.7, 1.2), 0, 0});
}

Phylogenetic on_tree(Rates rates) {
  Rng rng(365);
  RawTree raw = random_tree(rng, rows, rows);
  for (double& t : raw.lengths) t = 0.1 + 0.5 * t;
  return phylogenetic(raw, Hyper::gamma(3.6, 1.7), rates);
}

}  // namespace

TEST_CASE("a logistic run resumed from any sweep ends bit-identically") {
  check_both<LogisticChain>(buffet_process);
  check_both<LogisticChain>([] {
    return Exchangeable(rows, {Hyper::gamma(2.7, 1.6), Hyper::fixed(1.3), 0, 5});
  });
}
TEST_CASE("a resumed run that proposes singletons from the prior ends bit-identically") {
  check_both<NealChain>(buffet_process);
}
TEST_CASE("a resumed logistic run under a tree ends bit-identically") {
  for (Rates rates : {Rates::integrated, Rates::sampled})
    check_both<TreeLogisticChain>([=] { return on_tree(rates); });
}
