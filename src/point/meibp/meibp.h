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

/// Settings of the ascent.
struct MeibpPlan {
  int max_features = 20;
  double tol = 1e-7;
  RowRule rule = RowRule::climb;
  bool by_rows = false;  ///< update the factors after every changed row, as the authors do
  int threads = 1;
  int restarts = 1;  ///< number of starts from random features and from a single one
};

/// Maximisation-expectation for nonnegative loadings (Reed & Ghahramani 2013): Z is a point, A and
/// the hyperparameters have variational factors, and every step raises a lower bound on the log
/// evidence. The prior of Z is on ordered ("shifted") classes.
class Meibp {
 public:
  using Factor = GaussianFactor<NonnegativeNormal>;

  Meibp(const AscentData& data, const MeibpPlan& plan, const Exchangeable& prior,
        Precisions precisions);

  Features z;

  /// Initial values of learned precisions; the default is based on the root mean square of the
  /// data.
  void start_precisions(double x, double a) { factor_.start_precisions(x, a); }

  const AscentData& data() const { return *data_; }
  const MeibpPlan& plan() const { return plan_; }
  MeibpPlan& plan() { return plan_; }
  const Factor& factor() const { return factor_; }
  const Exchangeable& prior() const { return prior_; }
  const GammaFactor& alpha() const { return alpha_; }
  double bound() const { return bound_; }

  /// Adds a column of Z with an initial guess for its loadings; call settle() afterwards.
  void add(Bits column, const Eigen::VectorXd& loading);
  void drop(int k);

  void drop_empty();

  /// Updates the factors given Z, and the bound.
  void settle(const Passes& passes);
  /// Number of rows shared by each pair of features at the last settle().
  const Eigen::MatrixXd& shared() const { return shared_; }

  /// One iteration: updates every row's features, then the factors. Blocks of rows are searched in
  /// parallel, as if the other blocks did not change; if the bound falls, they are searched again
  /// one after the other.
  void iterate(Rng& rng, const Check& check);

  /// Passes over the loadings per iteration: with many rows, even small changes in the loadings
  /// matter.
  Passes passes() const;

  /// Searches only the features of the given own rows, which are in increasing order.
  void search_some(const std::vector<int>& rows, Rng& rng, const Check& check);

  /// What is known about features before any row has been seen.
  struct Known {
    const Eigen::MatrixXd &mean, &variance;  ///< mean and variance of the loadings, D x K
    double tau_x, tau_a;
    std::vector<int> counts;  ///< number of other rows with each feature, at least 1
  };

  /// Searches all rows given known features; call settle() afterwards.
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
  /// A changed entry of Z: z_ik changes by 1 or -1.
  struct Change {
    int i, k, by;
  };

  /// The search problem of a row, built from quantities that rows with the same missing entries
  /// share.
  class RowTerms {
   public:
    explicit RowTerms(Meibp& state);

    /// Starts a block. The counts of features in other blocks are the counts before the turn.
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
    std::vector<int> before_, counts_;  ///< number of rows with each feature
  };

  /// The rows of the block, with E[A] x_i for each of them.
  using SearchBlock =
      std::function<void(const RowBlock& block, RowTerms& terms, Rng& rng, std::vector<Change>&)>;

  /// Searches all blocks in this many turns; each turn uses the changes made in the previous ones.
  /// With a single turn, all blocks run in parallel.
  void search(int turns, Rng& rng, const SearchBlock& search_block);
  void search_turn(int turn, int turns, const Rng& rng, const SearchBlock& search_block);

  void search_rows(int turns, Rng& rng, const Check& check);

  /// Visits one row after the other, with a pass over the factors after each row that changes.
  void iterate_by_rows(Rng& rng, const Check& check);

  static constexpr int chunk = 256;

  /// E[A] X, K x rows of the block.
  Eigen::MatrixXd scores(const RowBlock& block, const Check& check) const;

  /// Contribution of the changes in a block to X Z and, in the last row, to the counts of rows: (D
  /// + 1) x K. Computed as a product if many entries have changed, otherwise entry by entry.
  Eigen::MatrixXd effect(const RowBlock& block, const std::vector<Change>& changes) const;

  /// X times a column of Z, followed by the number of rows in the column.
  Eigen::VectorXd sum(const Bits& rows) const;

  HeldCounts held() const;

  void update_alpha();

  Exchangeable prior_;  ///< alpha enters as exp E log alpha
  GammaFactor alpha_;
  Factor factor_;
  const AscentData* data_;
  MeibpPlan plan_;
  double bound_ = 0;
  Eigen::MatrixXd shared_;
  std::vector<int> known_counts_;  ///< used instead of the counts of z during place()
};

}  // namespace buffet
