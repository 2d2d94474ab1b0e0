# Bugs of the noise of each column. Read by planted.sh.

noise=regression/gaussian_column_noise.h
scales=regression/column_precisions.h
own=regression/regression_rows.h
bug "rows not in units of the noise" gaussian/gaussian_explicit.h \
  "if (units_.size() > 0) rest.array() /= units_;" "" gaussian_column_noise
bug "own features with the loadings' mean precision" $noise \
  "own_density_.set(tau_.x() / tau_.a().value);" \
  "own_density_.set(0 * tau_.x() + tau_.x().mean() / tau_.a().value);" gaussian_column_noise
bug "own features as if missing entries were there" $own \
  "sum -= 0.5 * std::log(shares_[own](d));" "sum -= 0 * std::log(shares_[own](d));" \
  gaussian_column_noise
bug "own loadings with the precision's inverse" $noise \
  "draw_own_loadings(own, rest, tau_.a().value / tau_.x(), rng);" \
  "draw_own_loadings(own, rest, tau_.x() / tau_.a().value, rng);" gaussian_column_noise
bug "missing entries known to regressions" $noise \
  "data().for_hidden(i, [&](int d) { known.omega(d, i) = 0; });" "" gaussian_column_noise
bug "kappa without the noise" $noise \
  "known.kappa.array().colwise() *= tau_.x();" "" gaussian_column_noise
bug "the noise given what is left in its own units" $noise \
  "sum * units_.square()" "sum" gaussian_column_noise
bug "noise of columns over all rows" $noise "--squares.count(d);" "squares.count(d) -= 0;" \
  gaussian_column_noise
bug "loadings keep the old units" $noise \
  "    follow();
    set_weights(a);
  }

  /// log p" \
  "    follow();
  }

  /// log p" gaussian_column_noise
bug "one floor for all columns" $scales \
  "most_ = most_.pow(u / 0.75) / squares;" "most_ = most_.pow(u / 0.75) / squares.mean();" \
  gaussian_column_noise
bug "floors that stay" $scales "    most_.resize(0);
" "" gaussian_column_noise
bug "a run forgets the noise of each column" $scales "archive.of_same_size(own_, \"precisions of columns\");" "" resumed
bug "a run forgets the floors" $scales \
  'archive(most_);' "" gaussian_column_noise
bug "births without their prior" gibbs/birth_death.h \
  "(birth ? 1 : -1) * prior.log_columns()" "(birth ? 0 : -0) * prior.log_columns()" posterior
