#pragma once

#include <Eigen/Dense>
#include <functional>
#include <vector>

#include "core/archive.h"
#include "core/check.h"
#include "core/features.h"
#include "core/rng.h"
#include "core/truncated_normal.h"
#include "point/factor/ascent_data.h"
#include "point/factor/gaussian_factor.h"
#include "point/factor/row_search.h"
#include "prior/exchangeable.h"

namespace buffet {

/// How it is done.
struct MeibpPlan {
  int max_features = 20;
  double tol = 1e-7;
  RowRule rule = RowRule::climb;
  bool by_rows = false;  ///< the factors after every row that changes, as the paper's own program
  int threads = 1;
  int restarts = 1;  ///< from random features and from a single one
};

/// Maximisation-expectation for nonnegative loadings (Reed & Ghahramani 2013): Z is a point, A and
/// the hyperparameters have variational factors, and every step raises a lower bound of the log
/// evidence. Z counts as ordered ("shifted" class).
class Meibp {
 public:
  using Factor = GaussianFactor<NonnegativeNormal>;

  Meibp(const AscentData& data, const MeibpPlan& plan, const Exchangeable& prior,
        Precisions precisions);

  Features z;

  /// Starts of the learned precisions; otherwise the root mean square of the data.
  void start_precisions(double x, double a) { factor_.start_precisions(x, a); }

  const AscentData& data() const { return *data_; }
  const MeibpPlan& plan() const { return plan_; }
  MeibpPlan& plan() { return plan_; }
  const Factor& factor() const { return factor_; }
  const Exchangeable& prior() const { return prior_; }
  const GammaFactor& alpha() const { return alpha_; }
  double bound() const { return bound_; }

  /// A column of Z with a guess of its loadings; settle() afterwards.
  void add(Bits column, const Eigen::VectorXd& loading);
  void drop(int k);

  void drop_empty();

  /// The factors given Z, and the bound.
  void settle(const Passes& passes);
  /// Numbers of rows that have both of two features, as settle() found them.
  const Eigen::MatrixXd& shared() const { return shared_; }

  /// One iteration: every row's features, then the factors. Blocks of rows are searched side by
  /// side, as if the others stayed as they are; should the bound fall, they are searched again one
  /// after the other.
  void iterate(Rng& rng, const Check& check);

  /// Passes of an iteration: where rows are many a little change of loadings is worth much.
  Passes passes() const;

  /// Searches the features of some of the member's own rows only, which are in increasing order.
  void search_some(const std::vector<int>& rows, Rng& rng, const Check& check);

  /// What is known of features before any of the rows has been seen.
  struct Known {
    const Eigen::MatrixXd &mean, &variance;  ///< of the loadings, D x K
    double tau_x, tau_a;
    std::vector<int> counts;  ///< how many other rows have each, none 0
  };

  /// Searches all rows given known features; settle() afterwards.
  void place(const Known& known, Rng& rng, const Check& check);

  void archive(Archive& a) {
    data_->archive(a, z);
    a(prior_);
    a(alpha_);
    a(factor_);
    a(bound_);
    a(shared_);
    a.check(factor_.fits(data_->columns, z.size()) && shared_.rows() == z.size() &&
                shared_.cols() == z.size(),
            "what goes with its features");
  }

 private:
  /// An entry of Z that has changed: z_ik by +-1.
  struct Change {
    int i, k, by;
  };

  /// The problem of a row, from what rows with the same missing entries share.
  class RowTerms {
   public:
    explicit RowTerms(Meibp& state);

    /// To a block, which knows of the rows of others how many had each feature before.
    void begin() { counts_ = before_; }
    int before(int k) const { return before_[k]; }

    /// x_mean = E[A] x_i.
    void search(int i, const Eigen::VectorXd& x_mean, Rng& rng, std::vector<Change>& changes);

   private:
    void enter_pattern(int pattern);

    void pose(int i, const Eigen::VectorXd& x_mean);

    int others(int i, int k) const;

    Meibp& state_;
    RowProblem problem_;
    RowSearch search_;
    RowMoments moments_;
    Eigen::VectorXd own_;
    std::vector<int> before_, counts_;  ///< of the rows that have each feature
  };

  /// The block's rows, with E[A] x_i for each of them.
  using SearchBlock =
      std::function<void(const RowBlock& block, RowTerms& terms, Rng& rng, std::vector<Change>&)>;

  /// All blocks in this many turns; each turn uses the changes of the turns before it. With one
  /// turn all blocks run in parallel.
  void search(int turns, Rng& rng, const SearchBlock& search_block);
  void search_turn(int turn, int turns, const Rng& rng, const SearchBlock& search_block);

  void search_rows(int turns, Rng& rng, const Check& check);

  /// One row after the other, with a pass over the factors after each that changes.
  void iterate_by_rows(Rng& rng, const Check& check);

  static constexpr int chunk = 256;

  /// E[A] X, K x rows of the block.
  Eigen::MatrixXd scores(const RowBlock& block, const Check& check) const;

  /// What changes in a block add to X Z and to the counts of rows, those below it: (D + 1) x K, by
  /// a product where many entries have changed, otherwise one by one.
  Eigen::MatrixXd effect(const RowBlock& block, const std::vector<Change>& changes) const;

  /// X times a column of Z, and the number of rows that have it below it.
  Eigen::VectorXd sum(const Bits& rows) const;

  HeldCounts held() const;

  void update_alpha();

  Exchangeable prior_;  ///< at exp E log alpha
  GammaFactor alpha_;
  Factor factor_;
  const AscentData* data_;
  MeibpPlan plan_;
  double bound_ = 0;
  Eigen::MatrixXd shared_;
  std::vector<int> known_counts_;  ///< in place of those of z during place()
};

}  // namespace buffet
