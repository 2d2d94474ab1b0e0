# shellcheck shell=bash
# The bugs of priors, Gaussian models and chains; read by planted.sh.

at prior/exchangeable.h exchangeable
bug "odds m/(N-1)" "(rows_ - 1 - m + shape_off()))" "(rows_ - 2 - m + shape_off()))"
bug "rate of new features alpha/(N-1)" "return std::log(spec_.alpha.value) + log_gamma(1 + c)" \
  "return std::log(spec_.alpha.value * rows_ / (rows_ - 1)) + log_gamma(1 + c)"
bug "count includes the bit itself" "log_odds_of(z.count_without(i, k))" \
  "log_odds_of(std::min(z.count(k), rows_ - 1))"
at prior/exchangeable.h joint
bug "H_(N-1) in the update of alpha" "h.rate + expected_features(c))" \
  "h.rate + expected_features(c) - 1.0 / rows_)"
bug "update of the concentration without its Jacobian" "h.log_prior_of_log(c) + log_prob_at" \
  "h.log_prior_of_log(c) - log_c + log_prob_at"
at prior/exchangeable.h posterior
bug "truncated: singletons as if there were room" \
  "if (others + j >= most_features()) return -infinity();" \
  "if (finite() && others + j >= spec_.n_features) return -infinity();"
bug "truncated: one singleton fewer" "if (others + j >= most_features())" \
  "if (others + j + 1 >= most_features())"
at prior/exchangeable.h logistic_posterior
bug "truncated: births as if there were room" "if (size > most_features()) return -infinity();" \
  "if (finite() && size > spec_.n_features) return -infinity();"

at gaussian/gaussian_collapsed.h gaussian_collapsed
bug "singletons switched off before the other bits" \
  "return by * (density()(next) - density()(at_));" "const double own = own_count() / scales_.rho();
    return by * (density()({next.t - own, next.r}) - density()({at_.t - own, at_.r}));"
at gaussian/gaussian_collapsed.h gibbs
bug "singletons never removed" "while (own_count() > own) {" "while (false) {"
at gaussian/gaussian_collapsed.h flips
bug "flips of two bits as if one after the other" "r.two[a][b] = both * g_without" \
  "r.two[a][b] = 0.5 * both * g_without"
bug "flips of two bits without t" "t.two[a][b] = both * m_without" \
  "t.two[a][b] = 0 * both * m_without"
bug "bits coupled by the bits of the row itself" \
  "return moments_.g(k, l) - v_(k) * me_(l) - me_(k) * v_(l) + ee_ * v_(k) * v_(l);
  }
  double g_without(int k, int l) const {
    return loading_product(k, l)" "return moments_.g(k, l);
  }
  double g_without(int k, int l) const {
    return moments_.g(k, l) - v_(k) * me_(l) - me_(k) * v_(l) + ee_ * v_(k) * v_(l)"
at gaussian/gaussian_collapsed.h gaussian_missing
bug "missing entries stay in g" "g_ -= b_ * (b_.transpose() * z_);" ""
bug "missing entries not put back into g and c" "if (hides()) unhide();" "b_.resize(0, 0);"
bug "missing entries drawn as if the loadings were known" "std::sqrt(noise_variance() * (1 + t))" \
  "std::sqrt(noise_variance() * (1 + 0 * t))"
bug "missing entries drawn without the singletons of the row" \
  "draw_hidden(none.t + own / rho(), rng)" "draw_hidden(none.t, rng)"
bug "P does not follow the drawn entries" "+= change(h++) * z_.transpose();" \
  "+= 0 * change(h++) * z_.transpose();"
bug "a row's density over all columns" "double(data().observed(row_))" "double(data().columns())"

at prior/sticks.h posterior
bug "truncated: unused sticks as if there were room" \
  "if (z.count(k) == 0 && used(z) >= most_features())" "if (false)"
bug "truncated: a stick in use cannot come back" "if (z.count(k) == 0 && used(z)" \
  "if (z.is_own(i, k) && used(z)"
at prior/sticks.h sticks
bug "sticks thinned by N - 2" "(rows() - 1 + shape_off()) * log_rest" \
  "(rows() - 2 + shape_off()) * log_rest"
bug "a feature below the slice dropped" \
  "return kept ? std::numeric_limits<double>::infinity() : log_odds_[k];" \
  "return kept ? log_odds_[k] : log_odds_[k];"
bug "probabilities in use Beta(m, N - m)" \
  "rng.log_gamma_draw(z.rows() - z.count(k) + shape_off())" \
  "rng.log_gamma_draw(std::max(z.rows() - z.count(k) + shape_off() - 1, 0.1))"
bug "slice ten times as high" "(0.05 + 0.1 * rng.uniform())" "(0.5 + rng.uniform())"
bug "slice that ignores the concentration" "std::max(1.0, shape_off())" "1.0"
bug "unused features of the finite prior as if there were no rows" \
  "rng.log_gamma_draw(rows() + shape_off())" \
  "rng.log_gamma_draw(shape_off())"

at gibbs/split_merge.h posterior
bug "truncated: a merge refused with a split" "if (z.size() < 2) return false;" \
  "if (z.size() < 2 || z.size() >= chain.prior.most_features()) return false;"
at gibbs/split_merge.h moves
bug "split-merge without q" "log_q += log_weights[s];" "log_q += 0 * log_weights[s];"
bug "split without q" "accept_columns(chain, proposal, log_prior - log_q);" \
  "accept_columns(chain, proposal, log_prior);"
bug "columns accepted without the previous likelihood" \
  "- current_log_lik(likelihood) + log_ratio;" \
  "+ log_ratio;"

at prior/phylogenetic.h tree_posterior
bug "truncated: singletons under a tree as if there were room" "log_number_ratio(others, j);" \
  "log_number_ratio(0, j);"

at point/beam/row_beam.cpp beam
bug "beam: copies of a feature count as if they were different" \
  "log_factorial(size) - log_factorial(held) - log_factorial(size - held)" "0"
bug "beam: rates of new features one row late" "j * log_rates_[n]" \
  "j * log_rates_[std::max(0, n - 1)]"
bug "beam: two features of a class as if they were independent" "t_ += 2 * moments.m(k, l);" ""
bug "beam: columns that lack the same rows count once" "sum += count * fast_log(s(g));" \
  "sum += fast_log(s(g));"
bug "beam: finite prior: new features drawn from all features" \
  "const int unused = spec_.n_features - size;" \
  "const int unused = spec_.n_features;"

at point/beam/group_moments.cpp beam
bug "beam: a row's distance is not learned" "side = q + at.r.matrix().asDiagonal() * w;" "side = q;"
bug "beam: groups that a row lacks count its features as if it had them" "by = has / (1 + at.t);" \
  "by = 1 / (1 + at.t);"

at point/beam/beam_run.cpp beam
bug "beam: rows that lack a column count in its spectrum" "column &= seen;" ""

at gaussian/gaussian_row.h gaussian_collapsed
bug "log determinant without D, in a row" "columns * fast_log(spread)" "std::log(spread)"

at gaussian/gaussian_scales.h gaussian_collapsed
bug "log determinant without D, in log_lik" "size_.columns * (size * std::log(rho_)" \
  "(size * std::log(rho_)"
bug "sigma_a not squared" "rho_ = variance_ * tau_.a.value;" \
  "rho_ = variance_ * std::sqrt(tau_.a.value);"
at gaussian/gaussian_scales.h joint
bug "log determinant without D, in the update of sigma" \
  "size_.columns * (std::log(rho_) - shifted" "(std::log(rho_) - shifted"
bug "update of sigma without its Jacobian" "tau.log_prior_of_log(tau.value) + log_lik" \
  "tau.log_prior_of_log(tau.value) - log_tau + log_lik"

at gibbs/sweep.h sweep
bug "scan in the order of storage" "chain.rng.permutation(chain.z.size(), order);" \
  "order.resize(chain.z.size()); std::iota(order.rbegin(), order.rend(), 0);"
at gibbs/sweep.h moves
bug "births of a slice not weighted" "own ? likelihood.log_ratio_own(k) : likelihood.log_ratio(k)" \
  "likelihood.log_ratio(k)"
bug "births of a slice without loadings" \
  "if (own && !z.at(i, k)) likelihood.draw_loading(k, rng);" \
  ""

at gibbs/any_run.h run
bug "moves during the warm-up counted" "if (done_ < plan_.warmup) return;" ""
bug "moves of the first sweep after the warm-up not counted" "if (done_ < plan_.warmup) return;" \
  "if (done_ <= plan_.warmup) return;"
at gibbs/any_run.h resumed
bug "moves of a run that is resumed forgotten" "for (Tally& tally : tallies_) a(tally);" ""
at core/tally.h run
bug "every attempt counted as accepted" \
  "accepted += is_accepted;" "accepted += is_accepted || true;"

at gibbs/gibbs.h bare
bug "a plain chain whose loadings are not redrawn if integrated out" \
  "    likelihood.integrate_out(z, rng);" \
  "    if (moves == Moves::all) likelihood.integrate_out(z, rng);"
bug "a plain chain whose weights are never updated" "Likelihood::updates_weights && !rows" "!rows"
bug "rows of a plain chain never visited with weights integrated out" \
  "likelihood.row_visits_are_due() : !visits;" "likelihood.row_visits_are_due() : false;"
at gibbs/gibbs.h gibbs
bug "last row never updated" "visit_row(i, *this, moves);" \
  "if (i < z.rows() - 1) visit_row(i, *this, moves);"
at gibbs/gibbs.h posterior
bug "unused features of the last sweep kept" "if (z.count(k) == 0) {" \
  "if (z.size() > 8 && z.count(k) == 0) {"

at gaussian/gaussian_explicit.h flips
bug "flips of two bits given loadings without their signs" "-by * step(bits[b]) *" "-by *"
bug "products of loadings not updated" \
  "products_.row(k).head(products.size()) = products.transpose();" ""
at gaussian/gaussian_explicit.h gaussian_explicit
bug "missing entries take part in the ratio given loadings" \
  "(on_[k] - 0.5) * observed_product(k, k)" "(on_[k] - 0.5) * products_(k, k)"
bug "ratio of singletons with the existing loadings" "if (on_[k]) rest += a_.col(k);" ""

at gibbs/bit_blocks.h flips
bug "flips without the prior" "out[c] += log_prior[c];" "out[c] += 0 * log_prior[c];"

at gibbs/exclusive_or.h moves
bug "xor without its prior part" "log_ratio_replaced(l, column, z) + log_prior;" \
  "log_ratio_replaced(l, column, z) + 0 * log_prior;"
bug "xor always accepted" "!(std::log(chain.rng.uniform()) < log_accept)" "log_accept < -1e300"

at gaussian/gaussian_moments.h gaussian_missing
bug "log_lik with the rows that lack the column" "own(k, l) -= 1;" "own(k, l) -= 0;"

at gaussian/gaussian_data.h gaussian_data
bug "sparse rows added without their factor" "to(x.index()) += by * x.value();" \
  "to(x.index()) += x.value();"

at gaussian/gaussian_uncollapsed.h gaussian_explicit
bug "loadings integrated out without new missing entries" \
  "complete(z, collapsed_.completed(), rng);" "(void)rng;"
bug "loadings at their mean, not drawn" "draw_loadings(rng);" "set_loadings(collapsed_.loadings());"

at gaussian/gaussian_loadings.h gaussian_explicit
bug "loadings of singletons with the weight of one" "own / (own + rho)" "1 / (1 + rho)"
bug "loadings of singletons for missing entries conditioned on a residual of 0" \
  "for_hidden([&](int d) { change(d) = 0; });" "(void)for_hidden;"
bug "birth without its prior ratio" ">= log_prior_ratio + law_.log_evidence(left_)" \
  ">= 0 * log_prior_ratio + law_.log_evidence(left_)"
bug "death with the evidence of a birth" "-log_prior_ratio - law_" "-log_prior_ratio + law_"
at gaussian/gaussian_loadings.h disjoint
bug "evidence of nonnegative loadings without what is truncated" \
  "sum += quick_log_normal_cdf(t(d));" "sum += -M_LN2;"
bug "evidence of nonnegative loadings of one row" "spread = s.observed + rho;" \
  "spread = s.observed.min(1.0) + rho;"
bug "nonnegative loadings drawn as of one row" \
  "const double spread = s.observed(d) + variance * precision_a;" \
  "const double spread = std::min(s.observed(d), 1.0) + variance * precision_a;"
at gaussian/gaussian_loadings.h nonnegative
bug "nonnegative loadings given their own old values" "+ s.c(k, k) * a.col(k)" \
  "+ 0 * s.c(k, k) * a.col(k)"

at gaussian/gaussian_nonnegative.h gaussian_explicit
bug "missing entries that carry information about loadings" "sums.observed(d) = sums.rest(d) = 0;" \
  "sums.rest(d) = 0;"
at gaussian/gaussian_nonnegative.h disjoint
bug "disjoint halves evaluated in addition to their original feature" \
  "if (z.at(i, k)) rest += loadings().col(k);" "(void)z, (void)k;"
at gaussian/gaussian_nonnegative.h nonnegative
bug "nonnegative loadings without new missing entries" "complete(z, x_, rng);" ""

at gibbs/disjoint.h disjoint
bug "disjoint halves without the evidence of the whole" \
  "evidence_[0] + evidence_[1] - likelihood_->law().log_evidence(whole());" \
  "evidence_[0] + evidence_[1];"
bug "a split of disjoint halves without q" "+ log_prior - log_q;" "+ log_prior;"
bug "a merge of disjoint features without the prior" "log_prior + log_q - allocation" \
  "0 * log_prior + log_q - allocation"
bug "a merged feature with the loadings of its first half" "draw(allocation.model().whole(), rng)" \
  "draw(allocation.model().sums()[0], rng)"
bug "halves with the loadings of the whole" "likelihood.law().draw(sums[0], rng);" \
  "likelihood.law().draw(allocation.model().whole(), rng);"

at gibbs/separate.h disjoint
bug "the second of overlapping loadings as if the first were none" \
  "sums_[2].rest - sums_[2].observed * first.array()" "sums_[2].rest"
bug "overlapping loadings without the rows of both" \
  "law_.log_ratio(first, sums_[2]) - law_.log_ratio(first, about_first_)" \
  "-law_.log_ratio(first, about_first_)"
bug "common rows separated as if there were only one way back" \
  "- log_ways_to_share(to.z, a, b);" ";"
bug "features that share rows as if any could" "std::log(overlapping_pairs(to.z).size());" "0;"
bug "common rows separated in a sequence of features" "std::log(c + 1.0) + to" "to"
bug "a feature of common rows with the loadings of other rows" "law.draw(sums[2], rng)" \
  "law.draw(sums[0], rng)"
bug "common rows separated by the loadings of the other feature" "likelihood.loadings().col(a));" \
  "likelihood.loadings().col(b));"
at gibbs/separate.h moves
bug "the probability of choosing overlapping pairs left out" \
  "log_ratio = std::log(pairs.size()) -" "log_ratio = -"
bug "rows shared without the prior of the previous features" \
  "log_prior_factors(chain.prior, z, {a, b, c}) - std::log(z.size());" "std::log(z.size());"
bug "columns that share rows with old statistics" "to.statistics.drop(c);" \
  "to.statistics.drop(z.size() - 1);"

at gibbs/duplicate.h disjoint
bug "sums of two loadings as dense as one loading" \
  "double log_ratio = log_ratio_of_sum(sum, sigma) +" \
  "double log_ratio ="
bug "features duplicated as if only one could be" "std::log(0.5 * size * (size + 1.0))" \
  "std::log(0.5 * (size + 1.0))"
bug "a loading divided at its middle" "draw_normal_between(-end, end, rng)" "0 * end"
bug "duplicates united as if there were only one pair" "log_ratio -= std::log(pairs.size());" ""

at core/truncated_normal.h truncated_normal
bug "truncated normal accepts by the distance from the bound" "gap = lower + over - rate" \
  "gap = over"
bug "normal tail without its ratio" "- std::log(ratio);" "- 0 * std::log(ratio);"

at core/rng.h rng
bug "steps begin with the same numbers in all streams" "mixed(mixed(seed) + stream)" \
  "mixed(mixed(seed) + 0 * stream)"

at gaussian/independent_components.h independent_components
bug "noise treated as signal" "<= 1.02 * edge_ * noise_" "<= 0.3 * edge_ * noise_"
bug "components not rotated" "    turn = next;" ""
bug "components by their kurtosis alone" "third * (skewness / 2).asDiagonal() + fourth" "fourth"
bug "components by their skewness alone" " + fourth * (kurtosis / 6).asDiagonal();" ";"
bug "components for their complements" "in_mean(k) < share(k) - 0.5" "false"
bug "missing entries completed with an unshrunk component" \
  "1 - edge_ * noise_ * rows_ / squares_.array()" "1 - 0 / squares_.array()"

at gibbs/warmup.h warmup
bug "a search that does not start from the data" \
  "start == 0 && chain_.restart_as_suggested()" "false && chain_.restart_as_suggested()"

at gibbs/any_run.h meeting
bug "the worst chain instead of the best" "if (runs[c]->level().mean() > runs[best]" \
  "if (runs[c]->level().mean() < runs[best]"
bug "chains that differ by chance restart from the best" "- 2 * std::sqrt(variance)" \
  "- 1 * std::sqrt(variance)"
bug "chains compared from their first sweep on" "t > meeting() - warmup / 10" "t > 0"
bug "the chain from which another restarted forgotten" "    a(begun_from_);" ""
bug "log joints from before an interruption not saved" "    a(level_);" ""
bug "chains that have passed the barrier wait for another one" "    level_ = {};" ""

at gibbs/run.h meeting
bug "random numbers of the best chain copied" "    chain_.rng = own;" ""

at gaussian/gaussian_marginal.h gaussian_collapsed
bug "P keeps its rounding errors" "++refreshed_ % 100 == 0" "++refreshed_ < 0"

at gibbs/chains.cpp chains
bug "a trace taken twice" "end.trace = m.run->take_trace();" "end.trace = m.run->trace();"
bug "a segment whose last sweep is discarded" "Clock::now() < until_) return true;" \
  "Clock::now() < until_) return true; if (Clock::now() >= until_) throw Stopped();"
at gibbs/chains.cpp meeting
bug "chains that have passed the barrier compared again" \
  'if (m.snapshot.failure.empty()) end(m, to_bytes(*m.run), "");' "(void)m;"
