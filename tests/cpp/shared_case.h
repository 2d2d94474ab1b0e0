#pragma once

// Chains whose rows can be divided among workers, here in one process, in the form that the tests
// of all chains use.

#include <memory>
#include <utility>

#include "enumerate.h"
#include "joint.h"
#include "shared/shared_gibbs.h"

namespace test {

using SharedNormalChain = buffet::SharedGibbs<buffet::SharedNormal>;
using SharedNonnegativeChain = buffet::SharedGibbs<buffet::SharedNonnegative>;

/// Rows in blocks of two, so sums have several terms.
struct InBlocks {
  buffet::GaussianData x;
  buffet::GaussianRows rows;

  explicit InBlocks(const Eigen::MatrixXd& data)
      : x(Eigen::MatrixXd(data.transpose()), false),
        rows(buffet::Source(x, 2, 0), static_cast<int>(data.cols())) {}
};

template <class C>
C shared_chain(const InBlocks& data, const Exchangeable::Spec& spec,
               const buffet::Precisions& precisions, Rng rng) {
  C chain(data.rows, nullptr, {data.rows.rows(), spec}, {data.rows, precisions});
  chain.rng = rng;
  return chain;
}

template <class C>
struct SharedSimulated {
  using Problem = Model;
  using Chain = C;
  static constexpr bool rebuilds = true;

  /// A chain refers to the data, which must not move.
  struct Data {
    std::shared_ptr<const InBlocks> held;
  };

  static Data data(const Model& model, const Joint& state) {
    return {std::make_shared<const InBlocks>(shown(model, state.x))};
  }
  static C chain(const Model& model, const Data& data, const Joint&, Rng rng) {
    return shared_chain<C>(*data.held, model.spec(), Model::precisions(), rng);
  }
  static void set(const Model&, const Joint& state, C& chain) {
    set_features(chain, state);
    set_scales(chain.likelihood, state.sigma);
    chain.reset();
    chain.likelihood.set_loadings(state.a.transpose());
    chain.complete();
  }
  static void sweep(const Model&, C& chain) { chain.sweep(); }
  static int features(const C& chain) { return chain.z.size(); }

  static Joint state(const Model& model, const Joint& given, const C& chain, Rng& rng) {
    Joint state = given;
    read_features(chain, state);
    state.sigma = scales_of(chain.likelihood);
    state.a = chain.likelihood.loadings().transpose();
    draw_hidden(model, state, rng);
    return state;
  }
  static double log_density(const Model& model, const Joint& s) {
    return GaussianSimulated<NonnegativeChain>::log_density(model, s);
  }
};

}  // namespace test
