# shellcheck shell=bash
# The bugs of the attraction prior; read by planted.sh.

at prior/attraction_weights.h attraction
bug "odds of a bit without later rows" \
  "return fast_log(share / (w.scale(q) - share)) + effect(q + 1, w.rows());" \
  "return fast_log(share / (w.scale(q) - share)) + 0 * effect(q + 1, w.rows());"
bug "odds of a first row as if the second row were always first" \
  "fast_log(w.weight(q, f) / w.scale(f) * (f + 1) / (q + 1))" \
  "fast_log(w.weight(q, f) / w.scale(f))"
bug "odds of a first row without rows after the second" "effect(q + 1, f) +
           effect(f + 1, w.rows());" "effect(q + 1, f);"
bug "odds of a set bit as if it were off" \
  "return on ? log_of_ratio(now, now - weights) : log_of_ratio(now + weights, now);" \
  "return log_of_ratio(now + weights, now);"
bug "weights of 0" "(some / some.sum() + 6.0 - 6.0).max(0x1.0p-50);" \
  "some / some.sum() + 6.0 - 6.0;"
bug "weights that are not rounded" "(some / some.sum() + 6.0 - 6.0).max(0x1.0p-50);" \
  "(some / some.sum()).max(0x1.0p-50);"
bug "dishes that are taken without (n - 1) / n" "some.sum() * (r + 1) / r + 6.0 - 6.0;" \
  "some.sum() * (r + 2) / (r + 1) + 6.0 - 6.0;"
bug "weights in the order of the data" "weights(q) = from[order[q]];" "weights(q) = from[q];"
bug "a first row that remains first when it loses the feature" "first_ = next(w, column, q);" ";"
bug "later rows that ignore a swap" \
  "weights_.col(a).tail(after).swap(weights_.col(b).tail(after));" "(void)after;"
bug "singletons that later rows may take" \
  "log_own_(r) = log_of_ratio(later - weights(r, r + 1, rows()), later);" \
  "log_own_(r) = 0 * log_of_ratio(later, later);"
bug "products beyond the range of doubles" "constexpr int many = 8;" "constexpr int many = 24;"

at prior/attraction.h attraction
bug "swaps that are always accepted" "if (!(std::log(rng.uniform()) < ratio.log())) {" \
  "if (!(std::log(rng.uniform()) < 0 * ratio.log())) {"
bug "swaps that forget the rate of the first row" "ratio.multiply(1.0 / (r + 1));" ";"
bug "swaps by features that are not swapped back" \
  "      x.row(a).swap(x.row(b));
      return;" "      return;"
bug "a temperature drawn from its prior alone" "return h.log_prior_of_log(t) + log_prob_at(t, x);" \
  "return h.log_prior_of_log(t) + 0 * log_prob_at(t, x);"
bug "columns not updated for a new temperature" "    weigh(order());
    follow(z);" "    weigh(order());"
bug "alpha without 1 + 1/2 + ..." "h.rate + harmonic_);" "h.rate + 1);"
bug "singletons at the rate of the first row" "std::log(alpha() / (place + 1))" \
  "std::log(alpha())"
bug "copies under attraction without alpha" "std::log(alpha()) + log_column(rows);" \
  "log_column(rows);"
bug "features of all rows as of the first row" "std::log(alpha() / rows());" "std::log(alpha());"
bug "columns drawn with a uniform first row" \
  "while (r + 1 < rows() && (rest -= 1.0 / (r + 1)) > 0) ++r;" "r = rng.below(rows());"
bug "columns drawn as if only the first row counted" \
  "        shares.tail(rows() - r - 1) += weights_->weights(r, r + 1, rows());" \
  "        if (shares.sum() == 0)
          shares.tail(rows() - r - 1) += weights_->weights(r, r + 1, rows());"
bug "an order that is not saved" "a.of_same_size(order, \"the order of rows\");" ""
bug "invalid orders accepted" "a.check(is_permutation(order), \"the order of rows\");" ";"

bug "a search that does not update the temperature" "    restart();
    spec_.alpha.value = marginal.alpha();" "    spec_.alpha.value = marginal.alpha();"

at prior/attraction.h attraction_posterior
bug "singletons under attraction as if there were room" \
  "others + j < spec_.max_features ? -std::log(j + 1.0)" "true ? -std::log(j + 1.0)"

at gibbs/start.h attraction_posterior
bug "columns kept for another temperature than the one given" \
  "chain.prior.follow(chain.z);" ""

at gibbs/birth_death.h logistic_posterior
bug "prior not updated after births" "    prior.born(z, k);
" ""

at gibbs/copies.h choice_posterior
bug "prior not updated after copies" "    prior.born(z, z.size() - 1);
" ""
