# shellcheck shell=bash
# The bugs of priors on a tree and of choices; read by planted.sh.

at prior/tree.h tree
bug "edge of a single child without the edge of its parent" "lengths[v] += lengths[parents[v]];" ""
bug "no edge above the root" "if (lengths[root] <= 0) return;" "if (lengths[root] > -1) return;"

at prior/tree_column.h tree_column
bug "edges change back with the rate" "turns = -std::expm1(-gamma * t);" \
  "turns = std::expm1(gamma * t);"
bug "probabilities of changes computed as a difference" "turns = -std::expm1(-gamma * t);" \
  "turns = 1 - std::exp(-gamma * t);"
bug "edges above zeros without their factor" "return ones.log() - gamma * zero_length_;" \
  "return ones.log();"
bug "odds that stop a node early" "p != tree.root() && zeros_[p] == own; p = tree.parent(v)) {" \
  "p != tree.root() && zeros_[p] == own && tree.parent(p) != tree.root(); p = tree.parent(v)) {"
bug "odds that forget the siblings" "gamma_ * length - log_siblings;" "gamma_ * length;"
bug "odds from the edge of the leaf alone" "      length += tree.length(v);
" ""
bug "ancestors not updated after a flip" \
  "for (int v = i; v >= 0; v = tree.parent(v)) zeros_[v] += by;" "zeros_[i] += by;"
bug "density of the log rate without its Jacobian" "log_prob(gamma) + y - gamma - std::log" \
  "log_prob(gamma) - gamma - std::log"
bug "prior 1 instead of 1 / pi" "+ y - gamma - std::log(-std::expm1(-gamma));" "+ y - gamma;"

at prior/tree_integral.h tree_integral
bug "integrals that stop at once" "if (!(std::abs(now - before) > 1e-9)) return now;" "return now;"
bug "integrals without the derivative of the step" "+ std::log(std::cosh(s));" ";"
at prior/tree_integral.h draw_column
bug "columns on a tree whose changes are not certain" \
  "turned ? turns : turns / -std::expm1(-gamma * rest)" "turns"
bug "rates of columns as if any row were enough" \
  "< std::expm1(-gamma * total) / std::expm1(-gamma)) return" "< total) return"

at prior/phylogenetic.h phylogenetic
bug "E[K+] for one row fewer" "features = digamma(total + 1) - digamma(1);" \
  "features = digamma(total) - digamma(1);"
bug "rate of singletons without + 1" \
  "digamma(total - tree.length(i) + 1)" "digamma(total - tree.length(i))"
bug "odds of a column that has the bit" "h = z.column(k).words()[0] & ~bit;" \
  "h = z.column(k).words()[0];"
bug "number of copies without 1 / L!" "max_features_ ? -std::log(j + 1.0)" \
  "max_features_ ? -0.0 * j"
bug "copies without alpha" \
  "return std::log(alpha_.value) + tables_->log_columns[rows.words()[0]];" \
  "return tables_->log_columns[rows.words()[0]];"
bug "classes under a tree without their repeats" \
  "return sampled() ? orders : orders - z.log_repeats(log_factorial);" "return orders;"
bug "density of pi in the state without 1 / pi" \
  "TreeHistory(tree(), column).log_prob(gamma) - std::log(-std::expm1(-gamma));" \
  "TreeHistory(tree(), column).log_prob(gamma);"
bug "probabilities of singletons as if the row were the only one" \
  "(-t * std::expm1(-gamma))) - gamma * (1 - t);" \
  "(-t * std::expm1(-gamma)));"
bug "proposed probabilities with a wrong density" "(off - 1) * gamma - log_beta(m, off);" \
  "off * gamma - log_beta(m, off);"
bug "rates of singletons left at old values" \
  "keep(z, k, std::log(draw_own_rate(tree().length(i), rng)));" \
  "columns_.resize(z.tags()), keep(z, k, columns_[z.tag(k)].log_rate());"
at prior/phylogenetic.h tree_flat
bug "rates never drawn" "if (sampled())
      for (int k = 0; k < z.size(); ++k) draw_rate(z, k, rng);" ""
bug "alpha without the features of its tree" "alpha_.rate + tables_->features" "alpha_.rate + 1"
bug "rates by index, not by tag" "if (sampled()) return columns_[z.tag(k)].log_odds(tree(), i);" \
  "if (sampled()) return columns_[k].log_odds(tree(), i);"
at prior/phylogenetic.h resumed
bug "rates not saved" \
  "for (const TreeColumn& column : columns_) log_rates.push_back(column.log_rate());" \
  "log_rates.assign(columns_.size(), 0);"
at prior/phylogenetic.h copies
bug "features of all rows with rates that are uniform" \
  "if (std::log(rng.uniform() * pi) < history.log_prob(gamma))" "if (pi > 0)"
bug "features of all rows with rates as if there were no tree" \
  "rng.uniform() * pi) < history.log_prob(gamma)" "rng.uniform() * pi) < std::log(pi)"
bug "new features whose column is not kept" "columns_.resize(z.tags());
    columns_[z.tag(k)].set(tree(), z.column(k));
    columns_" "columns_.resize(z.tags());
    columns_"
bug "features of all rows at the rate of those of the first" "+ tables_->log_held_by_all;" \
  "+ tables_->log_own[0];"
at prior/phylogenetic.h union
bug "births from the prior with the rate of another feature" \
  "keep(z, k, drawn_log_rate_);" "keep(z, k, 0);"

at core/features.h resumed
bug "tags not saved" "    a(tags_);
" ""

at gibbs/sweep.h tree_flat
bug "a column not updated after its flip" "chain.prior.flipped(chain.z, i, k);" ""
bug "singletons without probabilities" "chain.prior.left(chain.z, i, chain.rng);" ""

at gibbs/split_merge.h tree_posterior
bug "a merge without the density of the half that is removed" \
  "log_prob(halves, chain.rng) + chain.prior.log_proposed(z, b);" "log_prob(halves, chain.rng);"
bug "a split without the density of the half that is added" \
  "log_q += proposal.split(m, halves, likelihood.completed(), chain.rng);" \
  "proposal.split(m, halves, likelihood.completed(), chain.rng);"
bug "prior not updated after a merge" "    z.replace(a, std::move(both));
    prior.replaced(z, a);" "    z.replace(a, std::move(both));"
at gibbs/split_merge.h moves
bug "a merge with the prior of only one half" "log_prior_factors(chain.prior, z, {a, b});" \
  "log_prior_factors(chain.prior, z, {a});"

at gibbs/exclusive_or.h tree_posterior
bug "prior not updated after an exclusive-or" "chain.prior.replaced(z, l);" ""

at likelihood/choice_sums.h choice
bug "lapses on one side" "n.first * fast_log((more * a + less * b) * scale)" \
  "n.first * fast_log((1 - epsilon) * a * scale + epsilon)"
bug "a lapse probability instead of half of it" \
  "const double more = 1 - epsilon / 2, less = epsilon / 2, scale" \
  "const double more = 1 - epsilon, less = epsilon, scale"
bug "number of contributing features not updated" "counts_[at] += change.features;" ""
bug "sums of no features by rounding" "return counts_[at] + change.features == 0 ? 0 : std::max" \
  "return std::max"
bug "a flip on the wrong side" "        make(other.from, change.reversed());
      else
        make(other.to, change);" "        make(other.to, change);
      else
        make(other.from, change.reversed());"
bug "pairs of an item keep their terms after a flip" "        make(other.to, change);
    }
    set_terms(i);" "        make(other.to, change);
    }"
bug "exchanges as if the singleton weight of the item stayed" \
  "const double a = changed(other.to, {-gain, 0});" \
  "const double a = changed(other.to, {0, 0});"
bug "trajectories without the slope of the prior" \
  "gradient[k] = prior_->slope_of_log(weights_[k]) + weights_[k] * slope;" \
  "gradient[k] = weights_[k] * slope;"

at likelihood/choice.h choice_posterior
bug "weights without their Jacobian" "prior_.log_density(weight) + std::log(after / weight);" \
  "prior_.log_density(weight);"
bug "the sum of weights for one feature fewer" \
  "prior_.draw(static_cast<int>(weights_.size()), rng) / sum;" \
  "prior_.draw(std::max(1, static_cast<int>(weights_.size()) - 1), rng) / sum;"
at likelihood/choice.h union
bug "a feature gained without its number" "sums_.add(column, {weight, 1});" \
  "sums_.add(column, {weight, 0});"

at core/hamiltonian.h hamiltonian
bug "trajectories always accepted" \
  "if (!(std::log(rng.uniform()) < before - energy(target.log_density(at)))) return false;" \
  "rng.uniform();"
bug "trajectories with a full instead of a half step at their end" \
  "++k) momentum[k] += 0.5 * leapfrog.length * gradient[k];" \
  "++k) momentum[k] += leapfrog.length * gradient[k];"

at likelihood/weight_prior.h weight_prior
bug "candidates with their prior counted twice" \
  "log_weights_.push_back(one.count > 0 ? log_lik(one.weight) : log_none);" \
  "log_weights_.push_back((one.count > 0 ? log_lik(one.weight) : log_none) + 0.3 * one.count);"
bug "steps of a sum without the Jacobian" \
  "log_ratio_sum(copies.count, before, after) + std::log(after / before);" \
  "log_ratio_sum(copies.count, before, after);"
bug "numbers of copies from the density of one copy" \
  "log_weights_.push_back(log_prior + n * log_scaled - log_gamma_of(n));" \
  "log_weights_.push_back(log_prior + log_scaled - log_gamma_of(n));"
bug "numbers of copies starting at the second ratio" "log_prior += log_prior_ratio(n - 1);" \
  "log_prior += log_prior_ratio(n);"
bug "equal parts of a sum" "for (double& part : parts) part = rng.log_gamma_draw(shape_);" \
  "for (double& part : parts) part = 0;"

at core/number_law.h number_law
bug "a number law that forgets its first weight" "double rest = rng.uniform() * total_;" \
  "double rest = rng.uniform() * (total_ - 1);"

at gibbs/copies.h copies
bug "copies under the finite prior as if there were no other features" \
  "others = size - before;" "others = 0 * size;"
bug "features of all rows as if there were at least one copy" \
  "for (int count = law.draw(rng); count > 0; --count) {" \
  "for (int count = 1 + law.draw(rng); count > 0; --count) {"

at gibbs/exchange.h choice_posterior
bug "exchanges in both directions with the odds of one" \
  "z.at(i, k) ? -prior.log_odds(z, i, k) : prior.log_odds(z, i, k);" "prior.log_odds(z, i, k);"
bug "prior not updated after exchanges" "prior.flipped(z, i, k);" ""

at gibbs/birth_death.h union
bug "births from the prior without the ratio of numbers" "log_ratio_of_numbers + (birth" "(birth"
bug "births from the prior whose weight is not drawn from it" \
  "chain.prior.log_columns() - chain.likelihood.prior().log_density(weight);" \
  "chain.prior.log_columns();"

at gibbs/union.h union
bug "unions without the Jacobian of their weights" " - std::log(weight);
" ";
"
bug "unions as if every pair were known" "log_reverse +
                           std::log(pairs.size()));" "log_reverse);"
bug "divisions as if there were one feature to divide" "log_added - std::log(features.size());" \
  "log_added;"
bug "unions of features as a sequence" "log_factorial(chain.z.size()) +" ""
bug "unions without the density of the rate that is removed" \
  "chain.prior.log_proposed(z, b) - std::log" \
  "0 - std::log"
bug "unions with the sum of both weights" "weight = std::sqrt(first * second);" \
  "weight = first + second;"
bug "prior not updated after unions" "    prior.replaced(z, k);
" ""
bug "likelihood not recomputed after unions" "proposal.likelihood.settle(both);" ""
bug "pairs with a common row" "k != l && z.count_shared(k, l) == 0" "k != l"
bug "parts as if all were equally likely" "0.25 / m * (alone + rest) + 0.5 / (std::exp2(m) - 2)" \
  "1 / (std::exp2(m) - 2)"

at core/fast_log.h fast_log
bug "fast logarithms without their last terms" "+ r2 * (1.0 / 6 - r / 7)" ""
