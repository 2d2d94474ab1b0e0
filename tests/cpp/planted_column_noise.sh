# shellcheck shell=bash
# The bugs of separate noise for each column; read by planted.sh.

at gaussian/gaussian_explicit.h gaussian_column_noise
bug "rows not in units of the noise" "if (units_.size() > 0) rest.array() /= units_;" ""

at regression/gaussian_column_noise.h gaussian_column_noise
bug "singletons with the mean precision of the loadings" \
  "own_density_.set(tau_.x() / tau_.a().value);" \
  "own_density_.set(0 * tau_.x() + tau_.x().mean() / tau_.a().value);"
bug "loadings of singletons with the inverse of the precision" \
  "draw_own_loadings(own, rest, tau_.a().value / tau_.x(), rng);" \
  "draw_own_loadings(own, rest, tau_.x() / tau_.a().value, rng);"
bug "missing entries known to regressions" \
  "data().for_hidden(i, [&](int d) { known.omega(d, i) = 0; });" ""
bug "kappa without the noise" "known.kappa.array().colwise() *= tau_.x();" ""
bug "the noise given residuals in its own units" "sum * units_.square()" "sum"
bug "noise of columns over all rows" "--squares.count(d);" "squares.count(d) -= 0;"
bug "loadings keep the old units" "a.squaredNorm(), rng);
    follow();
    set_weights(a);" "a.squaredNorm(), rng);
    follow();"

at regression/regression_rows.h gaussian_column_noise
bug "singletons as if missing entries were observed" "sum -= 0.5 * std::log(shares_[own](d));" \
  "sum -= 0 * std::log(shares_[own](d));"

at regression/column_precisions.h gaussian_column_noise
bug "one floor for all columns" "most_ = most_.pow(u / 0.75) / squares;" \
  "most_ = most_.pow(u / 0.75) / squares.mean();"
bug "floors that are never removed" "    most_.resize(0);
" ""
bug "a run forgets the floors" "archive(most_);" ""
at regression/column_precisions.h resumed
bug "a run forgets the noise of columns" \
  'archive.of_same_size(own_, "precisions of columns");' ""

at gibbs/birth_death.h posterior
bug "births without their prior" "(birth ? 1 : -1) * prior.log_columns()" \
  "(birth ? 0 : -0) * prior.log_columns()"
