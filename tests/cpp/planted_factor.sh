# shellcheck shell=bash
# The bugs of weighted features; read by planted.sh.

at factor/weight_laws.h factor
bug "normal weights without the variance of their prior" \
  "return 0.5 * (u * u / (1 + lambda) - std::log1p(lambda));" \
  "return 0.5 * (u * u / lambda - std::log(lambda));"
bug "nonnegative weights that may be negative" \
  "+ M_LN2 + log_normal_cdf(u / std::sqrt(1 + lambda));" ";"
bug "Laplace weights on one side only" \
  "const double sign = rng.uniform() < 1 / (1 + std::exp(-log_odds)) ? 1 : -1;" \
  "const double sign = 1 + 0 * log_odds;"
bug "counts that start at 0" "lambda > 0 ? std::max(1.0, std::round(slope / lambda)) : 1;" \
  "lambda > 0 ? std::max(0.0, std::round(slope / lambda)) : 1;"

at factor/weights_jointly.h factor
bug "sweeps out with the sign of sweeps in" "sign = in ? -1 : 1;" "sign = in ? 1 : 1;"
bug "ratios without the determinant" "0.5 * (with_y * with_y / pivot - std::log(pivot))" \
  "0.5 * (with_y * with_y / pivot)"
at factor/weights_jointly.h factor_joint
bug "rotations as if the noise were that of the first row" \
  "with_x_ = noise_.precisions().rows(i) *" "with_x_ = noise_.precisions().rows(0) *"
bug "weights of a row drawn as if they were independent" \
  "covariance.llt().matrixL() * normal_vector(size, 1, rng);" \
  "covariance.diagonal().cwiseSqrt().asDiagonal() * normal_vector(size, 1, rng);"
bug "rotations of only one of two loadings" "set_loading(k, first);" "set_loading(k, a_.col(k));"
bug "rotations without the row's other features" "n < others; ++n) eliminate(n);" \
  "n < 0; ++n) eliminate(n);"
bug "rotations that do not update the products with rows" \
  "turn(with_rows_.row(k), with_rows_.row(l), angle);" ""
bug "integrated rows with features alone" "IntegratedRows rows(" \
  "if (z.size() == 0) return; IntegratedRows rows("
bug "singletons that are not updated in integrated rows" "rows.drop(k); });" "rows.drop(0 * k); });"
bug "missing entries drawn without their noise" \
  "+ rng.normal() / std::sqrt(precision);" ";"
bug "singletons of integrated rows as if there were no other features" \
  "const int others = z.size() - static_cast<int>(own_.size());" "const int others = 0;"

at factor/weighted_features.h factor
bug "missing entries known to the bits of a row" "precisions.columns(d) * loadings_of_column_ *" \
  "0 * precisions.columns(d) * loadings_of_column_ *"
bug "bits as if the noise were that of the first row" "with_x_ = noise.rows(i) *" \
  "with_x_ = noise.rows(0) *"

at factor/loadings_given_weights.h factor
bug "missing entries known to the loadings" "-= noise_.rows(i) * weights" \
  "-= 0 * noise_.rows(i) * weights"
bug "log likelihood without the spread of loadings" \
  "precision * precision * fit - spread.log().sum()" "precision * precision * fit"
at factor/loadings_given_weights.h factor_joint
bug "loadings drawn with the square root of their precision" \
  "turned_noise.col(k) / spread.sqrt();" "turned_noise.col(k) * spread.sqrt();"
bug "missing entries known to singletons and few rows" "of(d) = 0;" "(void)d;"

at factor/own_weights.h factor_joint
bug "births of weights without the density of their proposal" \
  "return prior + density_(size) - proposed;" "return density_(size);"
bug "weights of singletons without the square of existing ones" "proposal({density, t_, local});" \
  "proposal({density, 0, local});"
bug "deaths with the prior ratio of births" \
  "try_death(density, log_prior_ratio(size() - 1), rng);" \
  "try_death(density, log_prior_ratio(size()), rng);"
bug "singletons without their number of columns" "observed_ * std::log(spread)" "std::log(spread)"
bug "singletons with one noise for all columns" "1 + t * ratios_.segment<block>(d);" \
  "1 + t * Block::Constant(ratios_(0));"
bug "weights of singletons without the scale of their loadings" "v * v / local" "v * v + 0 * local"

at factor/own_loadings.h factor_joint
bug "loadings of singletons as if their weights were 1" "variance * v.squaredNorm() * precision" \
  "variance * size * precision"
bug "loadings of singletons without their scale" "* scales.asDiagonal();" ";"

at factor/scales.h factor_joint
bug "scale moves without their Jacobian" "return dimensions * log_c +" \
  "return 0 * dimensions * log_c +"
bug "scale moves with the Jacobian of the weights alone" "sums.count - size;" "sums.count;"
bug "scales of all loadings without the Jacobian" \
  "Law::log_scaled(1 / c, sums) - sums.count * log_c +" "Law::log_scaled(1 / c, sums) +"
bug "scales of all loadings without the prior of sigma_a" \
  "a_precision.log_prior_of_log(a_precision.value / (c * c));" "0;"

at factor/factor_noise.h factor_joint
bug "noise of rows that counts missing entries" "squares.count(i) = data.observed(i);" \
  "squares.count(i) = data.columns();"
bug "noise of columns that counts missing entries" "if (by_column) --squares.count(d);" \
  "(void)by_column;"
bug "one rate for the noise of all rows" "rates_(n) + 0.5 * residuals.sum(n)" \
  "rates_(0) + 0.5 * residuals.sum(n)"

at factor/weights_singly.h factor_joint
bug "a new weight that is not drawn" "put(k, on_[k] ? draw(k, rng) : 0);" \
  "put(k, on_[k] ? 1 : 0);"
bug "weights drawn without the products of the others" \
  "rest_ -= (v - v_(row_, k)) * row_products_.col(k);" ""

at factor/few_rows.h factor_joint
bug "bits of few rows without the proposal density of their weight" \
  "return row_.log_ratio(v) + Law::log_mean(u_, lambda_) - u_ * v + 0.5 * lambda_ * v * v;" \
  "return row_.log_ratio(v);"
bug "bits of few rows without the prior of the rows of a feature" \
  "prior.log_odds(z, i, k) + proposal.log_importance(v);" "proposal.log_importance(v);"
bug "rows that leave a feature of few rows by the weight they had" \
  "prior.log_odds(z, i, k) + proposal.log_importance(v);" \
  "prior.log_odds(z, i, k) + proposal.log_importance(on ? v_(i, k) : v);"
bug "bits of few rows without the spread of loadings" "return 0.5 * (sums.fit - sums.log);" \
  "return 0.5 * sums.fit;"
bug "loadings of few rows without the row" "(row_.u + v * row_.w).head(size) / precision +" \
  "row_.u.head(size) / precision +"
bug "contributions of other rows to a feature not updated when they change" "others_known_ = !on;" \
  "others_known_ = true;"
bug "residuals of few rows that do not follow a loading" \
  "rest_.col(other) += v_(other, k) * (a_.col(k) - loading);" "{}"
bug "bits of few rows that the prior does not see" "prior.flipped(z, i, k);" ""

at factor/rotation.h factor_joint
bug "rotations without the density of their angle" \
  "RotationAngle(after).log_density(-angle) - angles.log_density(angle);" "0;"
bug "rotations back by the same angle" "RotationAngle(after).log_density(-angle)" \
  "RotationAngle(after).log_density(angle)"
bug "rotations without the probabilities of the drawn bits of rows" \
  "row.log_total() - RowOfPair::log_chance(row.has);" "row.log_total();"
bug "rotations without the prior of the second feature" "prior.log_ratio_replaced(z, l, second) +" \
  ""
bug "rotations that turn precisions and products apart" "turn * with_row_};" \
  "turn.transpose() * with_row_};"
bug "rotations without the density of the loadings" "likelihood.log_ratio_rotated(k, l, angle) +" ""
bug "angles of rotations without their width" "near += std::exp(-0.5 * far * far) / sd;" \
  "near += std::exp(-0.5 * far * far);"

at factor/loading_scales.h factor_joint
bug "local precisions that stay when a feature disappears" "drop_entry(local_, k);" \
  "local_.conservativeResize(local_.size() - 1);"
bug "local precisions drawn without the loadings" "shape + 0.5 * squares(loadings)" "shape"
bug "local precisions integrated out without their shape" "-(shape + 0.5 * loadings) *" \
  "-(0.5 * loadings) *"
bug "the common precision without the local ones" ".dot(local_);" ".sum();"

at factor/noise_or_feature.h factor_joint
bug "features born from noise without their Jacobian" "std::log(size / root);" "0 * root;"
bug "features born from noise with the density of its precision" "- 2 * std::log(variance);" ";"
bug "features born from noise that leave all of the noise" "noise_.set_row(row_, 1 / rest);" ""
bug "deaths into noise with the prior ratio of births" "log_prior_ratio(size - 1), rng)" \
  "log_prior_ratio(size), rng)"

at factor/integrated_rows.h factor_joint
bug "integrated rows without the proposal of their weights" "std::log(of_prior) + prior);" \
  "std::log(of_prior) + prior) * 0;"
bug "integrated rows without the prior of the rows of a feature" \
  "prior.log_odds(z, row_, k) + proposal.log_importance(v);" "proposal.log_importance(v);"
bug "integrated rows that stay among the others" "add_row(-1);" ""
bug "entries of integrated rows in the order of the features" "rng.permutation(z.size(), order);" \
  "order.clear(); for (int k = 0; k < z.size(); ++k) order.push_back(k);"
bug "integrated rows without their own square" "data_.square(row_) * weighted" "0 * weighted"
bug "integrated noise without the density of its logarithm" "1 / variance) - log_variance -" \
  "1 / variance) -"
bug "integrated noise without what features explain" "all = variance + of_features;" \
  "all = variance;"

at factor/family_factors.h family_factors
bug "utilities of the previous row" "x(d, row) = to.kappa" "x(d, std::max(0, row - 1)) = to.kappa"
bug "precisions of the previous entry" "weights.find(row)) = omega;" \
  "weights.find(row)) = to.omega(row - rows.first, std::max<Eigen::Index>(0, n - 1));"
bug "pseudo-responses with their levels" "/ omega - levels_(row);" "/ omega;"
bug "levels given responses that include them" \
  "double precision = omega.sum() + 1 / (scale * scale);" \
  "double precision = omega.sum();"
bug "levels of counts from their own linear predictors" ".array() - level;" ".array();"
bug "precisions of entries that are not saved" "    set_parameters(own);
    noise_.set_weights(std::move(weights));" "    set_parameters(own);"
bug "factors of categories without the Jacobian of a stretch" "double(weights) * u -" "0 * u -"
bug "stretched weights without their prior" "0.5 * (by * by - 1) * v.squaredNorm();" "0;"
bug "stretches that leave the cut points as they were" "rows.family = std::move(family);" ""
bug "levels that move together without their linear predictors" \
  "Eigen::VectorXd::Constant(a_.rows(), of_levels);" "Eigen::VectorXd::Zero(a_.rows());"
bug "means of levels with the variance of one" "return scale / std::sqrt(double(width)) *" \
  "return scale *"
bug "means of weights, some of which are 0" "if ((v.array() == 0).any()) continue;" ""
bug "means of levels added to existing levels" "* rng.normal() - mean;" "* rng.normal() - 0 * mean;"
bug "stretches of levels" \
  "(by * (before.colwise() - levels_of(rows))).colwise() + levels_of(rows);" \
  "by * before;"
bug "stretches that are always accepted" "if (!(std::log(rng.uniform()) < log_ratio)) {" \
  "if (std::isnan(log_ratio)) {"
bug "cut points that are not saved" "set_parameters(own);" ""
bug "utilities that are not saved" \
  "    set_parameters(own);
    noise_.set_weights(std::move(weights));
    set_data(std::make_shared<const GaussianData>(x, false));" \
  "    set_parameters(own);
    noise_.set_weights(std::move(weights));"
bug "scores integrated out without a step to their mode" "sum += 0.5 * root" "sum += 0 * root"
bug "scores integrated out without their information" " - bend.diagonal().array().log().sum();" ";"
bug "a step to the mode of scores without their prior" \
  "slope = -prior.cwiseProduct(a_.row(d).transpose());" \
  "slope = 0 * prior;"
at mixed/ordinal_family.h family_factors
bug "information of categories without the square of the score" "score * score + times" "times"
at factor/weights_jointly.h family_factors
bug "products of rows from other utilities" "reduced_.reset();" ""
bug "entries completed as if rows had no weights" \
  "const double w = weights.factors(d, n) / precision," \
  "const double w = 1,"
bug "completed entries with the noise of all entries" \
  "std::sqrt((1 - w) / precision);" "std::sqrt(1 / precision);"
bug "rotations without the precisions of entries" \
  "data_->hidden_count(i) == 0 && !noise_.precisions().has_weights(i);" \
  "data_->hidden_count(i) == 0;"
at factor/weighted_features.h family_factors
bug "singletons as if all entries had one precision" \
  "noise_.by_column() || noise_.precisions().has_weights(row_))" "noise_.by_column())"
at factor/loadings_given_weights.h family_factors
bug "loadings without the rows that have weights" \
  "with_x_ += noise.weights.factors.col(n).cwiseProduct(x) * v_.row(i);" ""
bug "loadings whose precision lacks rows with weights" \
  "noise_.weights.factors(j, n) * noise_.rows(i) * weights * weights.transpose();" \
  "0 * weights * weights.transpose();"
at factor/factor_noise.h family_factors
bug "the noise of categories drawn" "      if (!is_fixed(n))
        own()(n) =" "        own()(n) ="
bug "the noise of categories exchanged with features" "prior_.learned && !is_fixed(row);" \
  "prior_.learned;"
