# Bugs of weighted features. Read by planted.sh.

laws=factor/weight_laws.h
own=factor/own_weights.h
weighted=factor/weighted_features.h
bug "normal weights without the variance of their prior" $laws \
  "return 0.5 * (u * u / (1 + lambda) - std::log1p(lambda));" \
  "return 0.5 * (u * u / lambda - std::log(lambda));" factor
bug "nonnegative weights that may be negative" $laws \
  "+ M_LN2 + log_normal_cdf(u / std::sqrt(1 + lambda));" ";" factor
bug "Laplace weights of one side" $laws \
  "const double sign = rng.uniform() < 1 / (1 + std::exp(-log_odds)) ? 1 : -1;" \
  "const double sign = 1 + 0 * log_odds;" factor
bug "counts that begin with 0" $laws \
  "lambda > 0 ? std::max(1.0, std::round(slope / lambda)) : 1;" \
  "lambda > 0 ? std::max(0.0, std::round(slope / lambda)) : 1;" factor
bug "sweeps out with the sign of sweeps in" factor/weights_jointly.h \
  "sign = in ? -1 : 1;" "sign = in ? 1 : 1;" factor
bug "ratios without the determinant" factor/weights_jointly.h \
  "0.5 * (with_y * with_y / pivot - std::log(pivot))" "0.5 * (with_y * with_y / pivot)" factor
bug "missing entries known to the bits of a row" $weighted \
  "precisions.columns(d) * loadings_of_column_ *" "0 * precisions.columns(d) * loadings_of_column_ *" factor
bug "bits as if the noise were that of the first row" $weighted \
  "with_x_ = noise.rows(i) *" "with_x_ = noise.rows(0) *" factor
bug "rotations as if the noise were that of the first row" factor/weights_jointly.h \
  "with_x_ = noise_.precisions().rows(i) *" "with_x_ = noise_.precisions().rows(0) *" factor_joint
bug "missing entries known to the loadings" factor/loadings_given_weights.h \
  "-= noise_.rows(i) * weights" "-= 0 * noise_.rows(i) * weights" factor
bug "loadings drawn with the square root of their precision" factor/loadings_given_weights.h \
  "turned_noise.col(k) / spread.sqrt();" "turned_noise.col(k) * spread.sqrt();" factor_joint
bug "log likelihood without the spread of loadings" factor/loadings_given_weights.h \
  "precision * precision * fit - spread.log().sum()" "precision * precision * fit" factor
bug "births of weights without the density of their proposal" $own \
  "return prior + density_(size) - proposed;" "return density_(size);" factor_joint
bug "own weights without the square of those there are" $own \
  "proposal({density, t_, local});" "proposal({density, 0, local});" factor_joint
bug "deaths with the prior ratio of births" $own \
  "try_death(density, log_prior_ratio(size() - 1), rng);" \
  "try_death(density, log_prior_ratio(size()), rng);" factor_joint
bug "own features without their number of columns" factor/own_weights.h \
  "observed_ * std::log(spread)" "std::log(spread)" factor_joint
bug "own features with one noise for all columns" factor/own_weights.h \
  "1 + t * ratios_.segment<block>(d);" "1 + t * Block::Constant(ratios_(0));" factor_joint
bug "own loadings as if their weights were 1" factor/own_loadings.h \
  "variance * v.squaredNorm() * precision" "variance * size * precision" factor_joint
bug "scale moves without their Jacobian" factor/scales.h \
  "return dimensions * log_c +" "return 0 * dimensions * log_c +" factor_joint
bug "scale moves with the Jacobian of the weights alone" factor/scales.h \
  "sums.count - size;" "sums.count;" factor_joint
bug "noise of rows that counts missing entries" factor/factor_noise.h \
  "squares.count(i) = data.observed(i);" "squares.count(i) = data.columns();" factor_joint
bug "noise of columns that counts missing entries" factor/factor_noise.h \
  "if (by_column) --squares.count(d);" "(void)by_column;" factor_joint
bug "a weight that comes without a draw" factor/weights_singly.h \
  "put(k, on_[k] ? draw(k, rng) : 0);" "put(k, on_[k] ? 1 : 0);" factor_joint
bug "weights drawn without the others' products" factor/weights_singly.h \
  "rest_ -= (v - v_(row_, k)) * row_products_.col(k);" "" factor_joint
bug "weights of a row drawn as if they were independent" factor/weights_jointly.h \
  "covariance.llt().matrixL() * normal_vector(size, 1, rng);" \
  "covariance.diagonal().cwiseSqrt().asDiagonal() * normal_vector(size, 1, rng);" factor_joint
few=factor/few_rows.h
bug "bits of few rows without the density of their weight's proposal" $few \
  "return row_.log_ratio(v) + Law::log_mean(u_, lambda_) - u_ * v + 0.5 * lambda_ * v * v;" \
  "return row_.log_ratio(v);" factor_joint
bug "bits of few rows without the prior of a feature's rows" $few \
  "prior.log_odds(z, i, k) + proposal.log_importance(v);" "proposal.log_importance(v);" factor_joint
bug "rows that leave a feature of few rows by the weight they had" $few \
  "prior.log_odds(z, i, k) + proposal.log_importance(v);" \
  "prior.log_odds(z, i, k) + proposal.log_importance(on ? v_(i, k) : v);" factor_joint
bug "bits of few rows without the spread of loadings" $few \
  "return 0.5 * (sums.fit - sums.log);" "return 0.5 * sums.fit;" factor_joint
bug "loadings of few rows without the row" $few \
  "(row_.u + v * row_.w).head(size) / precision +" "row_.u.head(size) / precision +" factor_joint
bug "missing entries known to own features and few rows" factor/loadings_given_weights.h \
  "of(d) = 0;" "(void)d;" factor_joint
bug "what other rows say of a feature kept when they change" $few \
  "others_known_ = !on;" "others_known_ = true;" factor_joint
bug "residuals of few rows that do not follow a loading" $few \
  "rest_.col(other) += v_(other, k) * (a_.col(k) - loading);" "{}" factor_joint
bug "bits of few rows that the prior does not see" $few \
  "prior.flipped(z, i, k);" "" factor_joint
bug "one rate for the noise of all rows" factor/factor_noise.h \
  "rates_(n) + 0.5 * residuals.sum(n)" "rates_(0) + 0.5 * residuals.sum(n)" factor_joint
rotation=factor/rotation.h
bug "rotations without the density of their angle" $rotation \
  "RotationAngle(after).log_density(-angle) - angles.log_density(angle);" "0;" factor_joint
bug "rotations back by the same angle" $rotation \
  "RotationAngle(after).log_density(-angle)" "RotationAngle(after).log_density(angle)" factor_joint
bug "rotations without the chances of what rows are drawn to have" $rotation \
  "row.log_total() - RowOfPair::log_chance(row.has);" "row.log_total();" factor_joint
bug "rotations without the prior of the second feature" $rotation \
  "prior.log_ratio_replaced(z, l, second) +" "" factor_joint
bug "rotations of one of two loadings" factor/weights_jointly.h \
  "set_loading(k, first);" "set_loading(k, a_.col(k));" factor_joint
bug "rotations that turn precisions and products apart" $rotation \
  "turn * with_row_};" "turn.transpose() * with_row_};" factor_joint
bug "rotations without the row's other features" factor/weights_jointly.h \
  "n < others; ++n) eliminate(n);" "n < 0; ++n) eliminate(n);" factor_joint
bug "rotations without the density of the loadings" $rotation \
  "likelihood.log_ratio_rotated(k, l, angle) +" "" factor_joint
bug "rotations that do not keep the products with rows" factor/weights_jointly.h \
  "turn(with_rows_.row(k), with_rows_.row(l), angle);" "" factor_joint
bug "angles of rotations without their width" $rotation \
  "near += std::exp(-0.5 * far * far) / sd;" "near += std::exp(-0.5 * far * far);" factor_joint
scales=factor/loading_scales.h
bug "local precisions that stay where a feature goes" $scales \
  "drop_entry(local_, k);" "local_.conservativeResize(local_.size() - 1);" factor_joint
bug "local precisions drawn without the loadings" $scales \
  "shape + 0.5 * squares(loadings)" "shape" factor_joint
bug "local precisions integrated out without their shape" $scales \
  "-(shape + 0.5 * loadings) *" "-(0.5 * loadings) *" factor_joint
bug "the common precision without the local ones" $scales \
  ".dot(local_);" ".sum();" factor_joint
bug "own weights without the scale of their loadings" $own \
  "v * v / local" "v * v + 0 * local" factor_joint
bug "own loadings without their scale" factor/own_loadings.h \
  "* scales.asDiagonal();" ";" factor_joint
bug "scales of all loadings without the Jacobian" factor/scales.h \
  "Law::log_scaled(1 / c, sums) - sums.count * log_c +" "Law::log_scaled(1 / c, sums) +" factor_joint
bug "scales of all loadings without the prior of sigma_a" factor/scales.h \
  "a_precision.log_prior_of_log(a_precision.value / (c * c));" "0;" factor_joint
exchange=factor/noise_or_feature.h
bug "features out of noise without their Jacobian" $exchange \
  "std::log(size / root);" "0 * root;" factor_joint
bug "features out of noise with the density of its precision" $exchange \
  "- 2 * std::log(variance);" ";" factor_joint
bug "features out of noise that leave all of it" $exchange \
  "noise_.set_row(row_, 1 / rest);" "" factor_joint
bug "deaths into noise with the prior ratio of births" $exchange \
  "log_prior_ratio(size - 1), rng)" "log_prior_ratio(size), rng)" factor_joint
integrated=factor/integrated_rows.h
bug "integrated rows without the proposal of their weights" $integrated \
  "std::log(of_prior) + prior);" "std::log(of_prior) + prior) * 0;" factor_joint
bug "integrated rows without the prior of a feature's rows" $integrated \
  "prior.log_odds(z, row_, k) + proposal.log_importance(v);" "proposal.log_importance(v);" \
  factor_joint
bug "integrated rows that stay among the others" $integrated \
  "add_row(-1);" "" factor_joint
bug "integrated rows without their own square" $integrated \
  "data_.square(row_) * weighted" "0 * weighted" factor_joint
bug "integrated noise without the density of its logarithm" $integrated \
  "1 / variance) - log_variance -" "1 / variance) -" factor_joint
bug "integrated noise without what features explain" $integrated \
  "all = variance + of_features;" "all = variance;" factor_joint
bug "integrated rows of features alone" factor/weights_jointly.h \
  "IntegratedRows rows(" "if (z.size() == 0) return; IntegratedRows rows(" factor_joint
bug "own features that integrated rows do not follow" factor/weights_jointly.h \
  "rows.drop(k); });" "rows.drop(0 * k); });" factor_joint
bug "missing entries drawn without their noise" factor/weights_jointly.h \
  "+ rng.normal() / std::sqrt(noise_.precisions().rows(i));" ";" factor_joint
bug "loadings that do not know what missing entries were drawn" factor/weights_jointly.h \
  "draw_loadings(GaussianData(x, false), HiddenRows(x.rows()), rng);" "draw_loadings(rng);" \
  factor_joint
bug "own features of integrated rows as if there were no others" factor/weights_jointly.h \
  "const int others = z.size() - static_cast<int>(own_.size());" "const int others = 0;" factor_joint
