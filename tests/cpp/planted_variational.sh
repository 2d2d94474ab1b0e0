# shellcheck shell=bash
# The bugs of mean-field inference; read by planted.sh.

q=point/variational/soft_rows.cpp
bug "entropy of a beta factor without its mean logs" $q \
  "(on + off - 2) * digamma(on + off)" "0 * digamma(on + off)" feature_probabilities
bug "absent rows not counted" $q \
  "spec_.concentration + rows_ - held}" "spec_.concentration + rows_}" feature_probabilities
bug "alpha without its number of features" $q \
  "alpha_.update(spec_.features, -mean_log_.sum() / spec_.features);" \
  "alpha_.update(spec_.features, -mean_log_.sum());" feature_probabilities
bug "finite prior without its number of features" $q \
  "alpha_.mean_log() - std::log(spec_.features) + (share() - 1)" \
  "alpha_.mean_log() + (share() - 1)" feature_probabilities
bug "later sticks forgotten" $q \
  "alpha_.mean() + held + absent.dot(later)" "alpha_.mean() + held" feature_probabilities
bug "the stick's own break among the later ones" $q \
  "      later += weights_.col(k);" "      later += weights_.col(0);" feature_probabilities
bug "own stick left out of log pi" $q \
  "log_on_(k) = log_before;" "log_on_(k) = log_before - v_[k].mean_log();" feature_probabilities
bug "weights not shares" $q \
  "std::exp(log_first(y) - log_sum)" "std::exp(log_first(y))" feature_probabilities
bug "factors read without their tables" point/variational/feature_probabilities.h \
  "for (BetaFactor& v : v_) a(v);
    if (a.reads()) tabulate();" "for (BetaFactor& v : v_) a(v);" feature_probabilities

ep=point/variational/gaussian_joint_factor.cpp
bug "cavity with the site in it" $ep \
  "1 / (1 / v_(k, k) - sites.precision(k))" "1 / (1 / v_(k, k))" orthant
bug "mean not updated with the site's precision" $ep \
  "(shift_by - by * mean_(k)) * scale" "shift_by * scale" orthant
bug "integral without the sites' constants" $ep \
  "log_integral_ += log_site(k, sites);" "log_integral_ += 0 * log_site(k, sites);" orthant
bug "half of the determinant" $ep \
  "-
                  llt.matrixLLT().diagonal().array().log().sum();" \
  "- 0.5 * llt.matrixLLT().diagonal().array().log().sum();" orthant

bug "variance of bits on the diagonal forgotten" point/variational/soft_rows.h \
  "c.diagonal() = on.rowwise().sum();" "" variational
joint=point/variational/gaussian_joint_factor.cpp
bug "joint bound without the integral" $joint \
  "log_integrals_ + x_.log_prior_and_entropy()" "x_.log_prior_and_entropy()" variational
bug "residual without covariances" $joint \
  "sum += covariance(columns[n]);" "" variational
bug "joint loadings of the wrong group" $joint \
  "for (int d : masks.groups()[g].columns) group_of_[d]" \
  "for (int d : masks.groups()[0].columns) group_of_[d]" variational
bug "hidden entries of a column counted" $joint \
  "held.observed(static_cast<int>(g))" "held.shared" variational
row=point/variational/soft_rows.cpp
bug "a row's own feature among the others" $row \
  "    problem_.weights.diagonal().setZero();
" "" variational
bug "bit without half of its square" $row \
  "base_ = log_odds_ - 0.5 *" "base_ = log_odds_ - 1.0 *" variational
bug "load not kept" $row "load_ += by * problem_.weights.col(k);" "" variational
state=point/variational/variational.h
bug "bound without the entropy of bits" $state \
  "+ sums.entropy;" ";" variational
bug "order of sticks without the loadings" $state \
  "factor_.reorder(order);" "" variational
bug "order of sticks without the sums" $state \
  "sums.reorder(order);" "" variational
bug "probabilities of rows of others for one's own" point/variational/variational_run.h \
  "on.segment(data_.first_row(), data_.own_rows())" "on.head(data_.own_rows())" variational_team
bug "a new feature counted in own rows" $state \
  "SoftRows(*data_, threads_, no_check).counts(z)" "z.on.rowwise().sum()" variational_team
ascent=point/variational/soft_ascent.h
bug "a step keeps what was stopped" $ascent \
  "State next = now_;" "State& next = now_;" variational
bug "mark not saved" $ascent \
  "a(mark_);" "" variational
bug "best state not kept while growing" $ascent \
  "if (kept_ && now_.bound() > kept_->bound()) kept_ = now_;" "" variational
bug "random numbers of a restart begin where the last began" point/variational/variational_run.h \
  "of_suggestion() : of_start(other));" "of_suggestion() : of_start(0));" variational
bug "data with missing entries looked at however large" point/variational/suggested_features.h \
  "(complete ? 1e7 : 1e6)" "1e7" variational
bug "what data suggest is no start" point/variational/variational_run.h \
  "suggested_.size() > 0 ? 1 : 0;" "0;" variational
bug "a start from what data suggest without it" point/variational/variational_run.h \
  "other < 0 ? suggested_ : start_.features;" "start_.features;" variational
