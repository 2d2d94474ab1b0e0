# shellcheck shell=bash
# The bugs of nonnegative matrix factorisation; read by planted.sh.

side=nmf/nmf_side.h
bug "rate of the prior times the variance left out" $side \
  "gram(k, k) * v(k)) - given_.rate;" "gram(k, k) * v(k)) - given_.rate * given_.precision;" nmf
bug "an entry explained twice" $side \
  "left -= change * gram.col(k);" "left -= 0.5 * change * gram.col(k);" nmf
bug "missing entries of a row in its products" nmf/nmf.cpp \
  "gram_.noalias() -= lost * lost.transpose();" "" nmf
bug "products of what is left where little is" nmf/nmf.cpp \
  ">= 1e-3 * whole_.diagonal()" ">= -1 * whole_.diagonal()" nmf
bug "all rows as the first" $side \
  "grams.of(given_.side.masks.pattern_of(i))" "grams.of(given_.side.masks.pattern_of(from))" nmf
bug "small differences of large numbers" $side \
  "if (sum > 1e-3 * x.total()) return sum;" "return sum;" nmf
bug "missing entries among what is left" $side \
  "x.for_hidden(from + n, [&](int d) { left(d, n) = 0; });" "" nmf
bug "later blocks with the products of the first" $side \
  "x.dense().middleCols(from, count);" "x.dense().leftCols(count);" icm
bug "an exponential of the wrong rate" $side \
  "return std::log(rng.uniform()) / slope;" "return std::log(rng.uniform()) / (2 * slope);" nmf
bug "a mode below 0" $side \
  "slope > 0 && curvature > 0 ? slope / curvature : 0" "curvature > 0 ? slope / curvature : 0" nmf

nmf=nmf/nmf.cpp
bug "mode of the precision for that of the variance" $nmf \
  "0.5 * data_->observed() + 1) /" "0.5 * data_->observed() - 1) /" nmf
bug "noise with missing entries" nmf/nmf.h \
  "return rows.x.observed();" "return double(rows.x.rows()) * rows.x.columns();" nmf
bug "inverse gamma as gamma density" $nmf \
  "(h.shape + 1) * std::log(precision_)" "(h.shape - 1) * std::log(precision_)" nmf
bug "loadings with the rate of weights" nmf/nmf.h \
  "{data_->columns, w_, precision_, model_.rate_a}" "{data_->columns, w_, precision_, model_.rate_w}" \
  nmf
bug "components balanced the wrong way" $nmf \
  "multiply(k, std::sqrt(of_a / of_w));" "multiply(k, std::sqrt(of_w / of_a));" nmf
bug "balance drawn without its Jacobian" $nmf \
  "return surplus * u - of_w" "return 0 * surplus * u - of_w" nmf_gibbs
bug "balance drawn without the loadings" $nmf \
  "- of_a * std::exp(-u);" "- 0.2 * of_a * std::exp(-u);" nmf_gibbs
bug "precision drawn with half the residuals" $nmf \
  "data_->observed(), h.rate + 0.5 * squares_);" \
  "data_->observed(), h.rate + 0.25 * squares_);" nmf_gibbs
bug "precision of a factorisation not saved" nmf/nmf.h \
  'a(precision_);' "" nmf_gibbs

icm=nmf/nmf.cpp
bug "the last start for the best" $icm \
  "if (now_.objective() > best_.objective()) best_ = now_;" "best_ = now_;" icm
bug "restarts from the same factors" $icm \
  "Rng rng(seed_, restart_);" "Rng rng(seed_, 0);" icm
bug "best end not saved" nmf/icm.h \
  "    a(best_);
" "" icm
bug "an iteration that was stopped kept" $icm \
  "now_.state = before;" "" icm
bug "loadings and weights of a draw exchanged" $nmf \
  "both << a_.transpose(), w_.transpose();" "both << w_.transpose(), a_.transpose();" nmf_gibbs
