# shellcheck shell=bash
# The bugs of binary data, and of columns drawn from the priors; read by planted.sh.

normal=core/logistic_normal.h
bug "means of a sigmoid from half the normal" $normal \
  "for (int n = -reach; n <= reach; ++n) {" "for (int n = 0; n <= reach; ++n) {" logistic_normal
bug "sigmoids far to the left without the move of the normal" $normal \
  "LogisticNormal(-x_ - variance_, variance_).log_mean();" \
  "LogisticNormal(-x_, variance_).log_mean();" logistic_normal
bug "tables that end at 20" $normal "last_ = 9 * sd + 40;" "last_ = 20;" logistic_normal
bug "tables with linear interpolation" $normal \
  "return b + u / 6 * (linear + u * (square + u * (3 * (b - c) + d - a)));" \
  "return b + u * (c - b) + 0 * (linear + square);" logistic_normal
bug "log odds accepted without the tangent" $normal \
  "log_sigmoid(t) - at_mode - slope * (t - mode_)" "log_sigmoid(t) - 0 * (at_mode + slope)" \
  logistic_normal
bug "products of entries that overflow" core/log_sum.h \
  "if ((product > 1e-300 && product < 1e300) || count == 1)" "if (product > 0 || count == 1)" \
  logistic_normal

gamma=core/polya_gamma.h
bug "Polya-Gamma of z, not of z / 2" $gamma "z_(0.5 * std::abs(z))" "z_(std::abs(z))" polya_gamma
bug "Polya-Gamma variables four times as large" $gamma "return 0.25 * x;" "return x;" polya_gamma
bug "Polya-Gamma proposals always accepted" $gamma \
  "if (y <= sum) return true;" "return true;" polya_gamma
bug "inverse Gaussians at their smaller root" $gamma \
  "if (rng.uniform() > mean / (mean + x)) x = mean * mean / x;" "" polya_gamma
bug "shares of a proposal for half the left" $gamma \
  "right / (right + 2 * mass_left(z))" "right / (right + mass_left(z))" polya_gamma

bug "columns whose first row is uniform" prior/exchangeable.h \
  "left *= finite() ? (i + shape_off()) / (i + 1 + shape_on() + shape_off())" \
  "left *= finite() ? 1" draw_column
bug "columns of the buffet process without its discount" prior/exchangeable.h \
  "rng.bernoulli((m + shape_on()) / (i + shape_on() + shape_off()))" \
  "rng.bernoulli(m / (i + shape_off()))" draw_column
bug "weight of all columns without alpha" prior/exchangeable.h \
  "(finite() ? 0 : std::log(spec_.alpha.value));" "0;" draw_column
bug "columns of a tree with the alpha of features" prior/phylogenetic.h \
  "double log_columns() const { return std::log(tables_->features); }" \
  "double log_columns() const { return std::log(alpha_.value * tables_->features); }" draw_column

logistic=likelihood/logistic.h
bug "missing entries with odds" $logistic \
  "for (int j : data_->hidden(i)) e_(j) = 0;" "" logistic
bug "a flip that leaves the log odds" $logistic \
  "      e_ *= factor(k);
      psi_ += w_.col(k).array();" "      e_ *= factor(k);" logistic
bug "births of own features with the odds of a death" $logistic \
  "if (own == 0) log_accept -= std::log(2.0);" "" logistic
bug "own features that stay in the evidence" $logistic \
  "      psi_ -= w_.col(k).array();
      e_ /= factor(k);
    }
    log_odds_" \
  "      e_ /= factor(k);
    }
    log_odds_" logistic
bug "the weights of several own features as of one" likelihood/logistic_weights.h \
  "tables_.emplace_back(q / precision_);" \
  "tables_.emplace_back(1 / precision_);" logistic
bug "own weights whose sum is that of one" likelihood/logistic_weights.h \
  "(total - w.row(j).sum()) / own;" "(total - w.row(j).sum());" logistic
bug "tables of scales that are no more" likelihood/logistic_weights.h \
  "if (precision != precision_) tables_.clear();" "" logistic
bug "the sign of a total forgotten" likelihood/logistic_weights.h \
  "const double total = signs(j) * posterior.draw" "const double total = posterior.draw" logistic
bug "Neal's proposals judged by what they replace alone" likelihood/logistic.h \
  "row_log_lik() - before) drawn_ = proposed;" "-before) drawn_ = proposed;" logistic
bug "weights without their prior" likelihood/logistic_weights.h \
  "0.5 * precision * w * w;" "0 * precision * w * w;" logistic_posterior
bug "missing entries as zeros in the update of weights" likelihood/logistic_weights.h \
  "for (int i : hidden_) e_(i) = 0;" "" logistic_posterior
bug "precisions of one weight more" likelihood/logistic_scales.h \
  "tau.shape + 0.5 * of.count" "tau.shape + 0.5 * (of.count + 1)" logistic
bug "the mode without the prior's slope" likelihood/logistic_weights.h \
  "-precision_.cwiseProduct(w)," "-0.5 * precision_.cwiseProduct(w)," logistic_mode
bug "Laplace's evidence without the prior's constant" likelihood/logistic_weights.h \
  "0.5 * precision_.array().log().sum()" "0 * precision_.array().log().sum()" logistic_mode
bug "a new row that has what it has not" gibbs/new_row.h \
  "for (int k = 0; k < count; ++k) bits(k) = z_.at(1, k);" \
  "for (int k = 0; k < count; ++k) bits(k) = z_.at(0, k);" logistic_mode

bug "statistics that keep the column dropped" regression/regression_statistics.h \
  "of(k, k) = of(last, last);" "" regressions
bug "complements without their own entry" regression/regression_statistics.h \
  "row.self = lambda(0, 0) - row.self;" "" regressions
regressions=regression/regressions.h
bug "evidence without the prior's determinant" $regressions \
  "0.5 * double(l_.rows()) * std::log(precision(r, prior))" "0.0" regressions
bug "the bias with the precision of weights" $regressions \
  "return r == 0 && prior.has_bias ? prior.bias : prior.weight;" \
  "return r == 0 && prior.has_bias ? prior.weight : prior.weight;" regressions
bug "weights drawn at half their spread" $regressions \
  "normal_matrix(half_.rows(), size_, 1, rng)" "normal_matrix(half_.rows(), size_, 0.5, rng)" \
  regressions
bug "halves that forget what they have in common" gibbs/halves.h \
  "if (s == 2) c_ += rest_.omega;" "" regressions
bug "halves without the bias" gibbs/halves.h \
  "if (bias_ > 0) rest_.kappa -= rest_.omega * mu_.col(0);" "" regressions

rows=regression/regression_rows.h
bug "rows of regressions that are not forgotten" $rows "    forget();
" "" regressions
bug "bits of regressions without what is known of others" $rows \
  "for (int l = 0; l < with_.cols(); ++l) with_.col(l) += sign * covariance_.of(at, l);" "(void)sign;" \
  regressions
bug "weights that do not learn from a row" $rows \
  "mean_.col(k) += of_mean * with_.col(k);" "" regressions
bug "own features of regressions beside those there were" $rows \
  "spread_ -= double(own_.size()) * variance_of_weight_;" "" regressions
bug "own features of regressions of no variance" $rows \
  "covariance_.of(last, last) = variance_of_weight_;" "" regressions
bug "covariances of weights that come before" $regressions \
  "all.of(k, l) = products(halves[k], halves[l], k);" \
  "all.of(k, l) = products(halves[k], halves[l], k) * (l + 1 < k ? 0 : 1);" regressions
scale=likelihood/logistic_weights.h
bug "a common scale without its prior" $scale \
  "scales.log_density_of_a(precision(log_scale)) + log_lik" "log_lik" logistic_posterior
bug "a common scale without zeros" $scale \
  "of_features_.segment(i * data.columns(), data.columns()) = signs * sum;" \
  "of_features_.segment(i * data.columns(), data.columns()) = sum;" logistic_posterior
bug "weights multiplied without sigma_a" $scale \
  "scales.a.value = precision(log_scale);" "" logistic_joint

bug "deaths with the rate of births" gibbs/birth_death.h \
  "(birth ? 1 : -1) * prior.log_columns();" "prior.log_columns();" logistic_posterior
bug "births without the number of features" gibbs/birth_death.h \
  "prior.log_prob_of_number(z.size() + (birth ? 1 : -1)) - prior.log_prob_of_number(z.size());" \
  "0.0;" logistic_posterior
bug "omegas at their means in a chain" $logistic \
  "return PolyaGamma(x).draw(rng);" "(void)rng; return std::tanh(x / 2) / (2 * x);" \
  logistic_posterior
bug "whole features moved without new weights" gibbs/gibbs.h \
  "likelihood.draw_weights(view.likelihood, rng);" \
  "if (z.size() > 0 && z.size() != likelihood.weights().cols()) likelihood.draw_weights(view.likelihood, rng);" \
  logistic_posterior
bug "a chain that moves features when its search did not" $logistic \
  "    sweeps_ = searcher.sweeps_;
" "" logistic_resumed
