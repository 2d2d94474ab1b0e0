# shellcheck shell=bash
# The bugs of priors on a tree and of choices; read by planted.sh.

tree=prior/tree.h
bug "a single child's edge without that of its parent" $tree \
  "lengths[v] += lengths[parents[v]];" "" tree
bug "no edge above the root" $tree \
  "if (lengths[root] <= 0) return;" "if (lengths[root] > -1) return;" tree

column=prior/tree_column.h
bug "edges turn back with the rate" $column \
  "turns = -std::expm1(-gamma * t);" "turns = std::expm1(gamma * t);" tree_column
bug "probabilities of turning as a difference" $column \
  "turns = -std::expm1(-gamma * t);" "turns = 1 - std::exp(-gamma * t);" tree_column
bug "edges above zeros free of charge" $column \
  "return ones.log() - gamma * zero_length_;" "return ones.log();" tree_column
bug "odds that stop a node early" $column \
  "p != tree.root() && zeros_[p] == own; p = tree.parent(v)) {" \
  "p != tree.root() && zeros_[p] == own && tree.parent(p) != tree.root(); p = tree.parent(v)) {" \
  tree_column
bug "odds that forget the siblings" $column \
  "gamma_ * length - log_siblings;" "gamma_ * length;" tree_column
bug "odds of the leaf's edge alone" $column \
  "      length += tree.length(v);
" "" tree_column
bug "a flip that the ancestors do not see" $column \
  "for (int v = i; v >= 0; v = tree.parent(v)) zeros_[v] += by;" "zeros_[i] += by;" tree_column
bug "density of the log rate without its Jacobian" $column \
  "log_prob(gamma) + y - gamma - std::log" "log_prob(gamma) - gamma - std::log" tree_column
bug "prior 1 in the place of 1 / pi" $column \
  "+ y - gamma - std::log(-std::expm1(-gamma));" "+ y - gamma;" tree_column
bug "integrals that stop at once" prior/tree_integral.h \
  "if (!(std::abs(now - before) > 1e-9)) return now;" "return now;" tree_integral
bug "integrals without the step's derivative" prior/tree_integral.h \
  "+ std::log(std::cosh(s));" ";" tree_integral

tables=prior/phylogenetic.h
bug "E[K+] of one row less" $tables \
  "features = digamma(total + 1) - digamma(1);" "features = digamma(total) - digamma(1);" phylogenetic
bug "own rate without + 1" $tables \
  "digamma(total - tree.length(i) + 1)" "digamma(total - tree.length(i))" phylogenetic
bug "odds of a column that has the bit" $tables \
  "h = z.column(k).words()[0] & ~bit;" "h = z.column(k).words()[0];" phylogenetic
bug "number of copies without 1 / L!" $tables \
  "max_features_ ? -std::log(j + 1.0)" "max_features_ ? -0.0 * j" phylogenetic
bug "copies without alpha" $tables \
  "return std::log(alpha_.value) + tables_->log_columns[rows.words()[0]];" \
  "return tables_->log_columns[rows.words()[0]];" phylogenetic
bug "classes under a tree without their repeats" $tables \
  "return sampled() ? orders : orders - z.log_repeats(log_factorial);" "return orders;" phylogenetic
bug "density of pi in the state without 1 / pi" $tables \
  "TreeHistory(tree(), column).log_prob(gamma) - std::log(-std::expm1(-gamma));" \
  "TreeHistory(tree(), column).log_prob(gamma);" phylogenetic
bug "own probabilities as if the row were alone" $tables \
  "(-t * std::expm1(-gamma))) - gamma * (1 - t);" "(-t * std::expm1(-gamma)));" phylogenetic
bug "proposed probabilities with another density" $tables \
  "(off - 1) * gamma - log_beta(m, off);" "off * gamma - log_beta(m, off);" phylogenetic
bug "rates of own features as they happen to be" $tables \
  "keep(z, k, std::log(draw_own_rate(tree().length(i), rng)));" \
  "columns_.resize(z.tags()), keep(z, k, columns_[z.tag(k)].log_rate());" phylogenetic
bug "rates never drawn" $tables \
  "if (sampled())
      for (int k = 0; k < z.size(); ++k) draw_rate(z, k, rng);" "" tree_flat
bug "alpha without the features of its tree" $tables \
  "alpha_.rate + tables_->features" "alpha_.rate + 1" tree_flat
bug "rates by index, not by tag" $tables \
  "if (sampled()) return columns_[z.tag(k)].log_odds(tree(), i);" \
  "if (sampled()) return columns_[k].log_odds(tree(), i);" tree_flat
bug "rates not saved" $tables \
  "for (const TreeColumn& column : columns_) log_rates.push_back(column.log_rate());" \
  "log_rates.assign(columns_.size(), 0);" resumed
bug "tags not saved" core/features.h "    a(tags_);
" "" resumed
bug "a column not told of its flip" gibbs/sweep.h \
  "chain.prior.flipped(chain.z, i, k);" "" tree_flat
bug "own features without probabilities" gibbs/sweep.h \
  "chain.prior.left(chain.z, i, chain.rng);" "" tree_flat
bug "a merge without the density of the half that goes" gibbs/split_merge.h \
  "log_prob(halves, chain.rng) + chain.prior.log_proposed(z, b);" "log_prob(halves, chain.rng);" tree_posterior
bug "a split without the density of the half that comes" gibbs/split_merge.h \
  "log_q += proposal.split(m, halves, likelihood.completed(), chain.rng);" \
  "proposal.split(m, halves, likelihood.completed(), chain.rng);" tree_posterior
bug "an exclusive-or that the prior does not follow" gibbs/exclusive_or.h \
  "chain.prior.replaced(z, l);" "" tree_posterior
bug "a merge that the prior does not follow" gibbs/split_merge.h \
  "    z.replace(a, std::move(both));
    prior.replaced(z, a);" "    z.replace(a, std::move(both));" tree_posterior
bug "a merge by the prior of one half" gibbs/split_merge.h \
  "log_prior_factors(chain.prior, z, {a, b});" "log_prior_factors(chain.prior, z, {a});" moves

sums=likelihood/choice_sums.h
bug "lapses on one side" likelihood/choice_sums.h \
  "n.first * fast_log((more * a + less * b) * scale)" \
  "n.first * fast_log((1 - epsilon) * a * scale + epsilon)" choice
bug "a lapse in the place of half" likelihood/choice_sums.h \
  "const double more = 1 - epsilon / 2, less = epsilon / 2, scale" \
  "const double more = 1 - epsilon, less = epsilon, scale" choice
bug "number of features that contribute not kept" $sums \
  "counts_[at] += change.features;" "" choice
bug "sums of no features by rounding" $sums \
  "return counts_[at] + change.features == 0 ? 0 : std::max" "return std::max" choice
bug "a flip on the wrong side" $sums \
  "        make(other.from, change.reversed());
      else
        make(other.to, change);" "        make(other.to, change);
      else
        make(other.from, change.reversed());" choice
bug "pairs of an item keep their terms after a flip" $sums \
  "        make(other.to, change);
    }
    set_terms(i);" "        make(other.to, change);
    }" choice
bug "exchanges as if the item's own stayed" $sums \
  "const double a = changed(other.to, {-gain, 0});" "const double a = changed(other.to, {0, 0});" choice
bug "weights without their Jacobian" likelihood/choice.h \
  "prior_.log_density(weight) + std::log(after / weight);" "prior_.log_density(weight);" choice_posterior
bug "the sum of weights of one feature less" likelihood/choice.h \
  "prior_.draw(static_cast<int>(weights_.size()), rng) / sum;" \
  "prior_.draw(std::max(1, static_cast<int>(weights_.size()) - 1), rng) / sum;" choice_posterior
bug "trajectories without the prior's slope" likelihood/choice_sums.h \
  "gradient[k] = prior_->slope_of_log(weights_[k]) + weights_[k] * slope;" \
  "gradient[k] = weights_[k] * slope;" choice
bug "trajectories always accepted" core/hamiltonian.h \
  "if (!(std::log(rng.uniform()) < before - energy(target.log_density(at)))) return false;" \
  "rng.uniform();" hamiltonian
bug "trajectories that kick twice as hard at their end" core/hamiltonian.h \
  "++k) momentum[k] += 0.5 * leapfrog.length * gradient[k];" \
  "++k) momentum[k] += leapfrog.length * gradient[k];" hamiltonian

weights=likelihood/weight_prior.h
bug "candidates with their prior once more" $weights \
  "log_weights_.push_back(one.count > 0 ? log_lik(one.weight) : log_none);" \
  "log_weights_.push_back((one.count > 0 ? log_lik(one.weight) : log_none) + 0.3 * one.count);" \
  weight_prior
bug "steps of a sum without the Jacobian" $weights \
  "log_ratio_sum(copies.count, before, after) + std::log(after / before);" \
  "log_ratio_sum(copies.count, before, after);" weight_prior
bug "numbers of copies by the density of one" $weights \
  "log_weights_.push_back(log_prior + n * log_scaled - log_gamma_of(n));" \
  "log_weights_.push_back(log_prior + log_scaled - log_gamma_of(n));" weight_prior
bug "numbers of copies from the second's ratio on" $weights \
  "log_prior += log_prior_ratio(n - 1);" "log_prior += log_prior_ratio(n);" weight_prior
bug "equal parts of a sum" $weights \
  "for (double& part : parts) part = rng.log_gamma_draw(shape_);" \
  "for (double& part : parts) part = 0;" weight_prior
bug "a number law that forgets its first weight" core/number_law.h \
  "double rest = rng.uniform() * total_;" "double rest = rng.uniform() * (total_ - 1);" number_law
bug "copies of the finite prior beside no others" gibbs/copies.h \
  "others = size - before;" "others = 0 * size;" copies
bug "features of all rows as copies that are one at least" gibbs/copies.h \
  "for (int count = law.draw(rng); count > 0; --count) {" \
  "for (int count = 1 + law.draw(rng); count > 0; --count) {" copies
bug "features of all rows with rates that are uniform" prior/phylogenetic.h \
  "if (std::log(rng.uniform() * pi) < history.log_prob(gamma))" "if (pi > 0)" copies
bug "features of all rows with rates as if there were no tree" prior/phylogenetic.h \
  "rng.uniform() * pi) < history.log_prob(gamma)" "rng.uniform() * pi) < std::log(pi)" copies
bug "new features whose column is not kept" prior/phylogenetic.h \
  "columns_.resize(z.tags());
    columns_[z.tag(k)].set(tree(), z.column(k));
    columns_" "columns_.resize(z.tags());
    columns_" copies
bug "features of all rows at the rate of those of the first" prior/phylogenetic.h \
  "+ tables_->log_held_by_all; }" "+ tables_->log_own[0]; }" copies
bug "exchanges in both directions with the odds of one" gibbs/exchange.h \
  "z.at(i, k) ? -prior.log_odds(z, i, k) : prior.log_odds(z, i, k);" \
  "prior.log_odds(z, i, k);" choice_posterior
bug "exchanges that the prior does not follow" gibbs/exchange.h \
  "prior.flipped(z, i, k);" "" choice_posterior
bug "births by the prior without the ratio of numbers" gibbs/birth_death.h \
  "log_ratio_of_numbers + (birth" "(birth" union
bug "births by the prior whose weight is not drawn from it" gibbs/birth_death.h \
  "chain.prior.log_columns() - chain.likelihood.prior().log_density(weight);" \
  "chain.prior.log_columns();" union
bug "births by the prior whose rate is another's" prior/phylogenetic.h \
  "keep(z, k, drawn_log_rate_);" "keep(z, k, 0);" union
bug "columns on a tree whose turns need not come" prior/tree_integral.h \
  "turned ? turns : turns / -std::expm1(-gamma * rest)" "turns" draw_column
bug "rates of columns as if any row were enough" prior/tree_integral.h \
  "< std::expm1(-gamma * total) / std::expm1(-gamma)) return" "< total) return" draw_column
unions=gibbs/union.h
bug "unions without the Jacobian of their weights" $unions \
  " - std::log(weight);
}" ";
}" union
bug "unions as if every pair were known" $unions \
  "log_reverse +
                    std::log(pairs.size()));" "log_reverse);" union
bug "divisions as if there were one feature to divide" $unions \
  "log_added - std::log(features.size());" "log_added;" union
bug "unions of features as a sequence" $unions \
  "log_factorial(chain.z.size()) +" "" union
bug "unions without the density of the rate that goes" $unions \
  "chain.prior.log_proposed(z, b) - std::log" "0 - std::log" union
bug "unions that weigh as much as both" $unions \
  "weight = std::sqrt(first * second);" "weight = first + second;" union
bug "unions that the prior does not follow" $unions \
  "    prior.replaced(z, k);
" "" union
bug "unions that the likelihood forgets to settle" $unions \
  "proposal.likelihood.settle(both);" "" union
bug "pairs with a common row" $unions \
  "k != l && z.count_shared(k, l) == 0" "k != l" union
bug "parts as if all were as likely" gibbs/union.h \
  "0.25 / m * (alone + rest) + 0.5 / (std::exp2(m) - 2)" "1 / (std::exp2(m) - 2)" union
bug "a feature gained without its number" likelihood/choice.h \
  "sums_.add(column, {weight, 1});" "sums_.add(column, {weight, 0});" union
bug "fast logarithms without their last terms" core/fast_log.h \
  "+ r2 * (1.0 / 6 - r / 7)" "" fast_log
