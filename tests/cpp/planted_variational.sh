# shellcheck shell=bash
# The bugs of mean-field inference; read by planted.sh.

at point/variational/soft_rows.cpp feature_probabilities
bug "entropy of a beta factor without its mean logs" "(on + off - 2) * digamma(on + off)" \
  "0 * digamma(on + off)"
bug "absent rows not counted" "spec_.concentration + rows_ - held}" "spec_.concentration + rows_}"
bug "alpha without its number of features" \
  "alpha_.update(spec_.features, -mean_log_.sum() / spec_.features);" \
  "alpha_.update(spec_.features, -mean_log_.sum());"
bug "finite prior without its number of features" \
  "alpha_.mean_log() - std::log(spec_.features) + (share() - 1)" "alpha_.mean_log() + (share() - 1)"
bug "the stick of a feature left out of its log pi" "log_on_(k) = log_before;" \
  "log_on_(k) = log_before - v_[k].mean_log();"
bug "weights not normalised" "std::exp(log_first(y) - log_sum)" "std::exp(log_first(y))"
at point/variational/soft_rows.cpp variational
bug "later sticks forgotten" "alpha_.mean() + held + absent.dot(later)" "alpha_.mean() + held"
bug "the break of a stick counted among the later ones" "      later += weights_.col(k);" \
  "      later += weights_.col(0);"
bug "a feature counted among the other features of the row" \
  "    problem_.weights.diagonal().setZero();
" ""
bug "bit without half of its square" "base_ = log_odds_ - 0.5 *" "base_ = log_odds_ - 1.0 *"
bug "load not updated" "load_ += by * problem_.weights.col(k);" ""

at point/variational/feature_probabilities.h feature_probabilities
bug "factors read without their tables" "for (BetaFactor& v : v_) a(v);
    if (a.reads()) tabulate();" "for (BetaFactor& v : v_) a(v);"

at point/variational/gaussian_joint_factor.cpp orthant
bug "cavity with the site in it" "1 / (1 / v_(k, k) - sites.precision(k))" "1 / (1 / v_(k, k))"
bug "mean not updated with the precision of the site" "(shift_by - by * mean_(k)) * scale" \
  "shift_by * scale"
bug "integral without the constants of the sites" "log_integral_ += log_site(k, sites);" \
  "log_integral_ += 0 * log_site(k, sites);"
bug "half of the determinant" "-
                  llt.matrixLLT().diagonal().array().log().sum();" \
  "- 0.5 * llt.matrixLLT().diagonal().array().log().sum();"
at point/variational/gaussian_joint_factor.cpp variational
bug "joint bound without the integral" "log_integrals_ + x_.log_prior_and_entropy()" \
  "x_.log_prior_and_entropy()"
bug "residual without covariances" "sum += covariance(columns[n]);" ""
bug "joint loadings of the wrong group" "for (int d : masks.groups()[g].columns) group_of_[d]" \
  "for (int d : masks.groups()[0].columns) group_of_[d]"
bug "missing entries of a column counted" "held.observed(static_cast<int>(g))" "held.shared"

at point/variational/soft_rows.h variational
bug "variance of bits on the diagonal forgotten" "c.diagonal() = on.rowwise().sum();" ""

at point/variational/variational.h variational
bug "bound without the entropy of bits" "+ sums.entropy;" ";"
bug "order of sticks without the loadings" "factor_.reorder(order);" ""
bug "order of sticks without the sums" "sums.reorder(order);" ""
at point/variational/variational.h variational_team
bug "a new feature counted only in the rows of one worker" \
  "SoftRows(*data_, threads_, no_check).counts(z)" \
  "z.on.rowwise().sum()"

at point/variational/variational_run.h variational_team
bug "probabilities for the rows of other workers used as one's own" \
  "on.segment(data_.first_row(), data_.own_rows())" "on.head(data_.own_rows())"
at point/variational/variational_run.h variational
bug "random numbers of a restart begin where the previous ones began" \
  "of_suggestion() : of_start(other));" \
  "of_suggestion() : of_start(0));"
bug "suggestions from the data not used as a start" "suggested_.size() > 0 ? 1 : 0;" "0;"
bug "a start from suggestions of the data without the suggested features" \
  "other < 0 ? suggested_ : start_.features;" \
  "start_.features;"

at point/variational/soft_ascent.h variational
bug "the part of an interrupted step is kept" "State next = now_;" "State& next = now_;"
bug "mark not saved" "a(mark_);" ""
bug "best state not saved while growing" \
  "if (kept_ && now_.bound() > kept_->bound()) kept_ = now_;" ""

at point/variational/suggested_features.h variational
bug "data with missing entries analysed however large" "(complete ? 1e7 : 1e6)" "1e7"
