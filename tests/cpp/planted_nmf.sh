# shellcheck shell=bash
# The bugs of nonnegative matrix factorisation; read by planted.sh.

at nmf/nmf_side.h nmf
bug "rate of the prior times the variance left out" "gram(k, k) * v(k)) - given_.rate;" \
  "gram(k, k) * v(k)) - given_.rate * given_.precision;"
bug "an entry explained twice" "left -= change * gram.col(k);" "left -= 0.5 * change * gram.col(k);"
bug "all rows treated as the first" "grams.of(given_.side.masks.pattern_of(i))" \
  "grams.of(given_.side.masks.pattern_of(from))"
bug "small differences computed from large numbers" \
  "if (sum > 1e-3 * x.total()) return sum;" "return sum;"
bug "missing entries in the residuals" "x.for_hidden(from + n, [&](int d) { left(d, n) = 0; });" \
  ""
bug "an exponential with the wrong rate" "return std::log(rng.uniform()) / slope;" \
  "return std::log(rng.uniform()) / (2 * slope);"
bug "a mode below 0" "slope > 0 && curvature > 0 ? slope / curvature : 0" \
  "curvature > 0 ? slope / curvature : 0"
at nmf/nmf_side.h icm
bug "later blocks with the products of the first block" "x.dense().middleCols(from, count);" \
  "x.dense().leftCols(count);"

at nmf/nmf.cpp nmf
bug "missing entries of a row in its products" "gram_.noalias() -= lost * lost.transpose();" ""
bug "products of residuals if these are small" ">= 1e-3 * whole_.diagonal()" \
  ">= -1 * whole_.diagonal()"
bug "mode of the precision instead of the mode of the variance" "0.5 * data_->observed() + 1) /" \
  "0.5 * data_->observed() - 1) /"
bug "inverse gamma as gamma density" "(h.shape + 1) * std::log(precision_)" \
  "(h.shape - 1) * std::log(precision_)"
bug "components balanced in the wrong direction" "multiply(k, std::sqrt(of_a / of_w));" \
  "multiply(k, std::sqrt(of_w / of_a));"
at nmf/nmf.cpp nmf_gibbs
bug "balance drawn without its Jacobian" "return surplus * u - of_w" "return 0 * surplus * u - of_w"
bug "balance drawn without the loadings" "- of_a * std::exp(-u);" "- 0.2 * of_a * std::exp(-u);"
bug "precision drawn with half the residuals" "data_->observed(), h.rate + 0.5 * squares_);" \
  "data_->observed(), h.rate + 0.25 * squares_);"
bug "loadings and weights of a draw swapped" "both << a_.transpose(), w_.transpose();" \
  "both << w_.transpose(), a_.transpose();"
at nmf/nmf.cpp icm
bug "the last start instead of the best" "if (now_.objective() > best_.objective()) best_ = now_;" \
  "best_ = now_;"
bug "restarts from the same factors" "Rng rng(seed_, restart_);" "Rng rng(seed_, 0);"
bug "an interrupted iteration kept" "now_.state = before;" ""

at nmf/nmf.h nmf
bug "noise with missing entries" "return rows.x.observed();" \
  "return double(rows.x.rows()) * rows.x.columns();"
bug "loadings with the rate of weights" "{data_->columns, w_, precision_, model_.rate_a}" \
  "{data_->columns, w_, precision_, model_.rate_w}"
at nmf/nmf.h nmf_gibbs
bug "precision of a factorisation not saved" "a(precision_);" ""

at nmf/icm.h icm
bug "best result not saved" "    a(best_);
" ""
