# shellcheck shell=bash
# The bugs of binary data, and of columns drawn from the priors; read by planted.sh.

at core/logistic_normal.h logistic_normal
bug "means of a sigmoid from half the normal" "for (int n = -reach; n <= reach; ++n) {" \
  "for (int n = 0; n <= reach; ++n) {"
bug "sigmoids far to the left without the move of the normal" \
  "LogisticNormal(-x_ - variance_, variance_).log_mean();" \
  "LogisticNormal(-x_, variance_).log_mean();"
bug "tables that end at 20" "last_ = 9 * sd + 40;" "last_ = 20;"
bug "tables with linear interpolation" \
  "return b + u / 6 * (linear + u * (square + u * (3 * (b - c) + d - a)));" \
  "return b + u * (c - b) + 0 * (linear + square);"
bug "log odds accepted without the tangent" "log_sigmoid(t) - at_mode - slope * (t - mode_)" \
  "log_sigmoid(t) - 0 * (at_mode + slope)"

at core/log_sum.h logistic_normal
bug "products of entries that overflow" "if ((product > 1e-300 && product < 1e300) || count == 1)" \
  "if (product > 0 || count == 1)"

at core/polya_gamma.h polya_gamma
bug "Polya-Gamma of z, not of z / 2" "z_(0.5 * std::abs(z))" "z_(std::abs(z))"
bug "Polya-Gamma variables four times as large" "return 0.25 * x;" "return x;"
bug "Polya-Gamma proposals always accepted" "if (y <= sum) return true;" "return true;"
bug "inverse Gaussians at their smaller root" \
  "if (rng.uniform() > mean / (mean + x)) x = mean * mean / x;" ""
bug "shares of a proposal with half of its left part" "right / (right + 2 * mass_left(z))" \
  "right / (right + mass_left(z))"

at prior/exchangeable.h draw_column
bug "columns whose first row is uniform" \
  "left *= finite() ? (i + shape_off()) / (i + 1 + shape_on() + shape_off())" "left *= finite() ? 1"
bug "columns of the buffet process without its discount" \
  "rng.bernoulli((m + shape_on()) / (i + shape_on() + shape_off()))" \
  "rng.bernoulli(m / (i + shape_off()))"
bug "weight of all columns without alpha" "(finite() ? 0 : std::log(spec_.alpha.value));" "0;"

at prior/phylogenetic.h draw_column
bug "columns of a tree with the alpha of features" "return std::log(tables_->features);" \
  "return std::log(alpha_.value * tables_->features);"

at likelihood/logistic.h logistic
bug "missing entries with odds" "for (int j : data_->hidden(i)) e_(j) = 0;" ""
bug "a flip that leaves the log odds" "      e_ *= factor(k);
      psi_ += w_.col(k).array();" "      e_ *= factor(k);"
bug "births of singletons with the odds of a death" "if (own == 0) log_accept -= std::log(2.0);" \
  ""
bug "singletons that remain in the evidence" "      psi_ -= w_.col(k).array();
      e_ /= factor(k);
    }
    log_odds_" "      e_ /= factor(k);
    }
    log_odds_"
bug "Neal's proposals accepted by the old likelihood alone" \
  "row_log_lik() - before) drawn_ = proposed;" "-before) drawn_ = proposed;"
at likelihood/logistic.h logistic_posterior
bug "omegas set to their means in a chain" "return PolyaGamma(x).draw(rng);" \
  "(void)rng; return std::tanh(x / 2) / (2 * x);"
at likelihood/logistic.h logistic_resumed
bug "a chain that moves features when its search did not" "    sweeps_ = searcher.sweeps_;
" ""

at likelihood/logistic_weights.h logistic
bug "the weights of several singletons as of one" "tables_.emplace_back(q / precision_);" \
  "tables_.emplace_back(1 / precision_);"
bug "weights of singletons whose sum has the variance of one" "(total - w.row(j).sum()) / own;" \
  "(total - w.row(j).sum());"
bug "tables of outdated scales" "if (precision != precision_) tables_.clear();" ""
bug "the sign of a total forgotten" "const double total = signs(j) * posterior.draw" \
  "const double total = posterior.draw"
at likelihood/logistic_weights.h logistic_posterior
bug "weights without their prior" "0.5 * precision * w * w;" "0 * precision * w * w;"
bug "missing entries as zeros in the update of weights" "for (int i : hidden_) e_(i) = 0;" ""
bug "a common scale without its prior" "scales.log_density_of_a(precision(log_scale)) + log_lik" \
  "log_lik"
bug "a common scale without zeros" \
  "of_features_.segment(i * data.columns(), data.columns()) = signs * sum;" \
  "of_features_.segment(i * data.columns(), data.columns()) = sum;"
at likelihood/logistic_weights.h logistic_mode
bug "the mode without the slope of the prior" "-precision_.cwiseProduct(w)," \
  "-0.5 * precision_.cwiseProduct(w),"
bug "Laplace's evidence without the constant of the prior" "0.5 * precision_.array().log().sum()" \
  "0 * precision_.array().log().sum()"
at likelihood/logistic_weights.h logistic_joint
bug "weights multiplied without sigma_a" "scales.a.value = precision(log_scale);" ""

at likelihood/logistic_scales.h logistic
bug "precisions with one weight too many" \
  "tau.shape + 0.5 * of.count" "tau.shape + 0.5 * (of.count + 1)"

at gibbs/new_row.h logistic_mode
bug "a new row without its own bits" \
  "for (int k = 0; k < count; ++k) bits(k) = z_.at(1, k);" \
  "for (int k = 0; k < count; ++k) bits(k) = z_.at(0, k);"

at regression/regression_statistics.h regressions
bug "statistics that keep the column dropped" "of(k, k) = of(last, last);" ""
bug "complements without the entry itself" "row.self = lambda(0, 0) - row.self;" ""

at regression/regressions.h regressions
bug "evidence without the determinant of the prior" \
  "0.5 * double(l_.rows()) * std::log(precision(r, prior))" "0.0"
bug "the bias with the precision of weights" \
  "return r == 0 && prior.has_bias ? prior.bias : prior.weight;" \
  "return r == 0 && prior.has_bias ? prior.weight : prior.weight;"
bug "weights drawn with half their spread" "normal_matrix(half_.rows(), size_, 1, rng)" \
  "normal_matrix(half_.rows(), size_, 0.5, rng)"
bug "covariances with earlier weights set to 0" \
  "all.of(k, l) = products(halves[k], halves[l], k);" \
  "all.of(k, l) = products(halves[k], halves[l], k) * (l + 1 < k ? 0 : 1);"

at gibbs/halves.h regressions
bug "halves without their common part" "if (s == 2) c_ += rest_.omega;" ""
bug "halves without the bias" "if (bias_ > 0) rest_.kappa -= rest_.omega * mu_.col(0);" ""

at regression/regression_rows.h regressions
bug "rows not removed from regressions" "    forget();
" ""
bug "bits of regressions without information from other bits" \
  "    with_.leftCols(at + 1) += sign * covariance_.up_to(at);
    for (int l = at + 1; l < with_.cols(); ++l) with_.col(l) += sign * covariance_.of(at, l);" ""
bug "weights not updated after a row" "mean_.col(k) += of_mean * with_.col(k);" ""
bug "singletons of regressions in addition to existing ones" \
  "spread_ -= double(own_.size()) * variance_of_weight_;" ""
bug "singletons of regressions without variance" \
  "covariance_.of(last, last) = variance_of_weight_;" ""

at gibbs/birth_death.h logistic_posterior
bug "deaths with the rate of births" "(birth ? 1 : -1) * prior.log_columns();" \
  "prior.log_columns();"
bug "births without the number of features" \
  "prior.log_prob_of_number(z.size() + (birth ? 1 : -1)) - prior.log_prob_of_number(z.size());" \
  "0.0;"

at gibbs/gibbs.h logistic_posterior
bug "whole features moved without redrawing weights" \
  "likelihood.draw_weights(view.likelihood, rng);" \
  "if (z.size() > 0 && z.size() != likelihood.weights().cols()) likelihood.draw_weights(view.likelihood, rng);"
