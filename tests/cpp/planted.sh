#!/usr/bin/env bash
# Plants one bug at a time in a copy of the core; every one must be caught by a test.
#   ./planted.sh            all bugs, each up to the first failed assertion
#   ./planted.sh odds xor   those whose name contains one of these words
#   ALL=1 ./planted.sh      runs all tests on each bug and names every one that fails
set -u
# File after file, so that most bugs need few of them to be compiled.
tests="exchangeable sticks truncated_normal gamma_factor parallel gaussian_source gaussian_masks
  gaussian_residual row_search gaussian_factor gaussian_factor_predict
  meibp meibp_evidence meibp_moves meibp_ascent meibp_run rng gaussian_data
  gaussian_collapsed gaussian_missing gaussian_own gaussian_explicit moves sweep gibbs
  posterior nonnegative flat joint warmup run chains archive trace features"
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
missed=0
wanted=("$@")

is_wanted() {
  [ ${#wanted[@]} -eq 0 ] && return 0
  for word in "${wanted[@]}"; do case "$1" in *"$word"*) return 0 ;; esac; done
  return 1
}

fail() {
  echo "error: $1"
  exit 2
}

# copy FROM TO: core and tests; times are kept, so that only what a bug touches is compiled again.
copy() {
  mkdir -p "$2/tests"
  cp -a "$1/src" "$2/src"
  cp -a "$1/tests/cpp" "$2/tests/cpp"
}

# build DIRECTORY TARGET
build() { make -s -C "$1/tests/cpp" -j2 "build/optimised/$2" >"$work/log" 2>&1; }

# run_tests NAME FILES: runs the tests of the planted copy until one fails, or all.
run_tests() {
  local options=--abort status=0
  [ -n "${ALL:-}" ] && options=
  : >"$work/out"
  for file in $2; do
    build "$work/planted" "only_$file" || { tail -n 20 "$work/log"; fail "'$1' does not compile"; }
    timeout 900 "$work/planted/tests/cpp/build/optimised/only_$file" $options >>"$work/out" 2>&1
    status=$?
    [ $status -gt 128 ] && echo "failed: test_$file, which crashes" >>"$work/out"
    [ $status -eq 124 ] && echo "failed: test_$file, which does not end" >>"$work/out"
    [ $status -ne 0 ] && [ -z "${ALL:-}" ] && return
  done
}

# replace FILE OLD NEW: OLD must occur exactly once.
replace() {
  local text
  text=$(cat "$1" && printf x) || fail "no file $1"
  text=${text%x}
  local without=${text//"$2"/}
  [ $(((${#text} - ${#without}) / ${#2})) -eq 1 ] || fail "'$2' is not exactly once in ${1##*/}"
  printf '%s' "${text/"$2"/"$3"}" >"$1"
}

report() {
  local titles
  titles=$(sed -n 's/^failed: //p' "$work/out")
  if [ -z "$titles" ]; then
    echo "$1: NOT CAUGHT"
    missed=$((missed + 1))
    return
  fi
  while read -r title; do echo "$1: caught by $title"; done <<<"$titles"
  grep -a -A1 -m1 -E '^with expansion:|^due to unexpected exception' "$work/out" | sed -n '2s/^ */    /p'
}

# bug NAME FILE OLD NEW [TEST]: TEST is the file that is meant to find it, and tried first.
bug() {
  is_wanted "$1" || return 0
  rm -rf "$work/planted"
  copy "$work/clean" "$work/planted"
  replace "$work/planted/src/$2" "$3" "$4"
  run_tests "$1" "${5:-} $tests"
  report "$1"
}

copy "$here/../.." "$work/clean"
build "$work/clean" tests || { tail -n 20 "$work/log"; fail "the core itself does not compile"; }

bug "odds m/(N-1)" prior/exchangeable.h \
  "(rows_ - 1 - m + shape_off()))" "(rows_ - 2 - m + shape_off()))"
bug "rate of new features alpha/(N-1)" prior/exchangeable.h \
  "return std::log(spec_.alpha.value) + log_gamma(1 + c)" \
  "return std::log(spec_.alpha.value * rows_ / (rows_ - 1)) + log_gamma(1 + c)"
bug "singletons never removed" likelihood/gaussian_collapsed.h \
  "while (own_count() > own) {" "while (false) {"
bug "count includes the bit itself" prior/exchangeable.h \
  "log_odds_of(z.count_without(i, k))" "log_odds_of(std::min(z.count(k), rows_ - 1))"
bug "H_(N-1) in the update of alpha" prior/exchangeable.h \
  "h.rate + expected_features(c))" "h.rate + expected_features(c) - 1.0 / rows_)"
bug "log determinant without D, in a row" likelihood/gaussian_row.h \
  "columns * std::log(spread)" "std::log(spread)"
bug "log determinant without D, in log_lik" likelihood/gaussian_scales.h \
  "data_->columns() * (size * std::log(rho_)" "(size * std::log(rho_)"
bug "log determinant without D, in the update of sigma" likelihood/gaussian_scales.h \
  "data_->columns() * (std::log(rho_) - shifted" "(std::log(rho_) - shifted"
bug "sigma_a not squared" likelihood/gaussian_scales.h \
  "rho_ = variance_ * tau_.a.value;" "rho_ = variance_ * std::sqrt(tau_.a.value);"
bug "scan in the order of storage" inference/sweep.h \
  "chain.rng.permutation(z.size(), order);
  int shared" \
  "order.resize(z.size()); std::iota(order.begin(), order.end(), 0);
  int shared" sweep
bug "last row never updated" inference/gibbs.h \
  "sweep_row(i, *this);" "if (i < z.rows() - 1) sweep_row(i, *this);" gibbs
bug "own features switched off before the other bits" likelihood/gaussian_collapsed.h \
  "return by * (density()(next) - density()(at_));" \
  "const double own = own_count() / scales_.rho();
    return by * (density()({next.t - own, next.r}) - density()({at_.t - own, at_.r}));"
bug "split-merge without q" inference/split_merge.h \
  "log_q += log_weights[s];" "log_q += 0 * log_weights[s];"
bug "split without q" inference/split_merge.h \
  "current_log_lik(likelihood) + log_prior - log_q;" "current_log_lik(likelihood) + log_prior;" moves
bug "xor without its prior part" inference/exclusive_or.h \
  "log_ratio_replaced(l, column, z) + log_prior;" "log_ratio_replaced(l, column, z) + 0 * log_prior;"
bug "xor always accepted" inference/exclusive_or.h \
  "std::log(chain.rng.uniform()) >= log_accept" "log_accept < -1e300"
bug "update of the concentration without its Jacobian" prior/exchangeable.h \
  "h.log_prior_of_log(c) + log_prob_at" "h.log_prior_of_log(c) - log_c + log_prob_at"
bug "update of sigma without its Jacobian" likelihood/gaussian_scales.h \
  "tau.log_prior_of_log(tau.value) + log_lik" "tau.log_prior_of_log(tau.value) - log_tau + log_lik"

collapsed=likelihood/gaussian_collapsed.h
bug "missing entries stay in g" $collapsed \
  "g_ -= b_ * (b_.transpose() * z_);" "" gaussian_missing
bug "missing entries not put back into g and c" $collapsed \
  "if (hides()) unhide();" "b_.resize(0, 0);" gaussian_missing
bug "missing entries drawn as if the loadings were known" $collapsed \
  "std::sqrt(noise_variance() * (1 + t))" "std::sqrt(noise_variance() * (1 + 0 * t))" gaussian_missing
bug "missing entries drawn without the row's own features" $collapsed \
  "draw_hidden(none.t + own / rho(), rng)" "draw_hidden(none.t, rng)" gaussian_missing
bug "P does not follow the drawn entries" $collapsed \
  "+= change(h++) * z_.transpose();" "+= 0 * change(h++) * z_.transpose();" gaussian_missing
bug "a row's density over all columns" $collapsed \
  "double(data().observed(row_))" "double(data().columns())" gaussian_missing
bug "log_lik with the rows that lack the column" likelihood/gaussian_columns.h \
  "own(k, l) -= 1;" "own(k, l) -= 0;" gaussian_missing
bug "sparse rows added without their factor" likelihood/gaussian_data.h \
  "to(x.index()) += by * x.value();" "to(x.index()) += x.value();" gaussian_data

bug "missing entries take part in the ratio given loadings" likelihood/gaussian_explicit.h \
  "squares_(k) - hidden_square(k)" "squares_(k)" gaussian_explicit
bug "loadings integrated out without new missing entries" likelihood/gaussian_uncollapsed.h \
  "complete(z, collapsed_.completed(), rng);" "(void)rng;" gaussian_explicit
bug "own loadings with the weight of one" likelihood/gaussian_uncollapsed.h \
  "own / (own + collapsed_.rho())" "1 / (1 + collapsed_.rho())" gaussian_explicit
bug "own loadings of missing entries conditioned on nothing left" likelihood/gaussian_uncollapsed.h \
  "hide(change);" "" gaussian_explicit
bug "loadings at their mean, not drawn" likelihood/gaussian_uncollapsed.h \
  "draw_loadings(rng);" "set_loadings(collapsed_.loadings());" gaussian_explicit

nonnegative=likelihood/gaussian_nonnegative.h
bug "birth without its prior ratio" $nonnegative \
  ">= log_prior_ratio + log_evidence(residual_)" ">= 0 * log_prior_ratio + log_evidence(residual_)" \
  gaussian_explicit
bug "death with the evidence of a birth" $nonnegative \
  "-log_prior_ratio - log_evidence(rest)" "-log_prior_ratio + log_evidence(rest)" gaussian_explicit
bug "evidence over all columns" $nonnegative \
  "0.5 * observed() * std::log1p" "0.5 * data().columns() * std::log1p" gaussian_explicit
bug "missing loadings of a birth from the posterior" $nonnegative \
  "loading(d) = std::abs(sigma_a() * rng.normal());" "(void)d;" gaussian_explicit
bug "nonnegative loadings given their own old values" $nonnegative \
  "+ s.c(k, k) * a.col(k)" "+ 0 * s.c(k, k) * a.col(k)" nonnegative
bug "nonnegative loadings without new missing entries" $nonnegative \
  "complete(z, x_, rng);" "" nonnegative

bug "truncated normal accepts by the distance from the bound" core/truncated_normal.h \
  "gap = lower + over - rate" "gap = over" truncated_normal
bug "normal tail without its ratio" core/truncated_normal.h \
  "- std::log(ratio);" "- 0 * std::log(ratio);" truncated_normal
bug "steps begin alike in all streams" core/rng.h \
  "mixed(mixed(seed) + stream)" "mixed(mixed(seed) + 0 * stream)" rng

bug "sticks thinned by N - 2" prior/sticks.h \
  "(rows() - 1 + shape_off()) * log_rest" "(rows() - 2 + shape_off()) * log_rest" sticks
bug "a feature below the slice let go" prior/sticks.h \
  "return kept ? std::numeric_limits<double>::infinity() : log_odds_[k];" \
  "return kept ? log_odds_[k] : log_odds_[k];" sticks
bug "probabilities in use Beta(m, N - m)" prior/sticks.h \
  "rng.log_gamma_draw(z.rows() - z.count(k) + shape_off())" \
  "rng.log_gamma_draw(std::max(z.rows() - z.count(k) + shape_off() - 1, 0.1))" sticks
bug "slice ten times as high" prior/sticks.h \
  "(0.05 + 0.1 * rng.uniform()) / rows()" "(0.5 + rng.uniform()) / rows()" sticks
bug "unused features of the finite prior as in no rows" prior/sticks.h \
  "rng.log_gamma_draw(rows() + shape_off())" "rng.log_gamma_draw(shape_off())" sticks
bug "a slice's births not weighed" inference/sweep.h \
  "own ? likelihood.log_ratio_own(k) : likelihood.log_ratio(k)" "likelihood.log_ratio(k)" moves
bug "a slice's births without loadings" inference/sweep.h \
  "if (own && !z.at(i, k)) likelihood.draw_loading(k, rng);" "" moves
bug "own ratio with the loadings that there are" likelihood/gaussian_explicit.h \
  "if (on_[k]) rest += a_.col(k);" "" gaussian_explicit
bug "unused features of the last sweep kept" inference/gibbs.h \
  "if (z.count(k) == 0) {" "if (z.size() > 8 && z.count(k) == 0) {" posterior

bug "entropy with the paper's last sign" core/truncated_normal.h \
  "- 0.5 * t_ * hazard_;" "+ 0.5 * t_ * hazard_;" truncated_normal
bug "entropy in the tail without its variance" core/truncated_normal.h \
  "0.5 * (mean_ * mean_ + variance_)" "0.5 * mean_ * mean_" truncated_normal
bug "digamma of a factor for its log mean" core/gamma_factor.h \
  "boost::math::digamma(shape_) - std::log(rate_) : std::log(prior_.value)" \
  "std::log(shape_ / rate_) : std::log(prior_.value)" gamma_factor
bug "what a task throws is lost" core/parallel.h \
  "if (failure) std::rethrow_exception(failure);" "" parallel
bug "some rows taken by their number in the block" likelihood/gaussian_source.h \
  "block.for_entries(rows[next] - from," "block.for_entries(rows[next] % block.rows()," gaussian_source
bug "rows counted anew in every block" likelihood/gaussian_masks.h \
  "hiding_[d]->set(static_cast<int>(of_row_.size()));" "hiding_[d]->set(i);" gaussian_masks
bug "residual at missing entries" likelihood/gaussian_residual.h \
  "shared -= v.row(d).transpose() * a_.row(d);" "shared -= 0 * v.row(d).transpose() * a_.row(d);" \
  gaussian_residual
bug "swap gain without weights" inference/row_search.h \
  "gains_(in) - gains_(out) + p_->weights(out, in);" "gains_(in) - gains_(out);" row_search
bug "swap gain of old features without weights" inference/row_search.h \
  "(off_gains_ + p_->weights.col(k).array()).maxCoeff() - gains_(k)" \
  "off_gains_.maxCoeff() - gains_(k)" row_search
bug "swaps skipped everywhere" inference/row_search.h \
  "(!is_at(top) && best_swap())" "false" row_search
bug "log_new off by one" inference/row_search.h \
  "p_->log_new[fresh_on_ - on(k)]" "p_->log_new[std::max(fresh_on_ - 1, 0)]" row_search
bug "nothing saved by a swap of a fresh feature for an old one" inference/row_search.h \
  "if (change < 0) gain -= p_->log_new[fresh_on_ - 1];" "" row_search
bug "climbs from where the row is alone" inference/row_search.h \
  "climb_from([](int) { return false; });" "" row_search

factor=likelihood/gaussian_factor.h
bug "precision of loadings without the count of rows" $factor \
  "c(k, k) * tau_x + tau_a, weight" "tau_x + tau_a, weight" meibp
bug "hidden entries of a row counted" $factor \
  "shared - hidden_counts(z, all[t].group->hidden)" "shared" meibp
bug "residual without the variance of loadings" $factor \
  "t.spread += c(k, k) * variance_(d, k);" "" meibp
bug "tau without its half" $factor \
  "x_.update(0.5 * cells, 0.5 * residual_)" "x_.update(cells, 0.5 * residual_)" meibp
bug "tau_x updated with missing cells" $factor \
  "double(z.rows()) * columns() - masks_->count_hidden();" "double(z.rows()) * columns();" meibp
bug "half-normal prior without its 2" $factor \
  "std::log(2 / M_PI)" "std::log(1 / (2 * M_PI))" meibp
bug "heldout density without the truncation" likelihood/gaussian_factor_predict.h \
  "- log_normal_cdf(location / scale);" ";" gaussian_factor_predict

meibp=inference/meibp.h
bug "the paper's indicator" $meibp \
  "problem_.linear(k) += state_.factor_.log_own(k);" "" meibp
bug "the paper's indicator at features that others have" $meibp \
  "problem_.linear(k) += state_.prior_.log_odds_of(others);" \
  "problem_.linear(k) += state_.prior_.log_odds_of(others) + state_.factor_.log_own(k);" meibp
bug "rank of new features from 0" $meibp \
  "log_new_ratio(shared + j)" "log_new_ratio(j)" meibp
bug "count of a row with itself" $meibp \
  "z.count_without(i, k) : known_counts_[k]" "std::max(z.count(k) - 1, 0) : known_counts_[k]" meibp
bug "missing entries of a row not excluded" $meibp \
  "enter_pattern(state_.data_->masks.pattern_of(i));" "" meibp
bug "variance of missing loadings not excluded" $meibp \
  "spread_ -= f.variance().row(hidden[h]);" "" meibp
bug "stale sums after rows are searched" $meibp \
  "s.col(c.k) += c.by * x.col(c.i - from);" "s.col(c.k) += 0 * c.by * x.col(c.i - from);" meibp
bug "stale sums where many entries change" $meibp \
  "s.noalias() += x * by;" "s.noalias() += x * by.cwiseMax(0.0);" meibp
bug "rows of later blocks searched as those of the first" $meibp \
  "terms.search(from + i, x_mean.col(i), rng, changes);" \
  "terms.search(i, x_mean.col(i), rng, changes);" meibp
bug "prior at the mean of alpha" $meibp \
  "prior_.set(std::exp(alpha_.mean_log())" "prior_.set(alpha_.mean()" meibp

moves=inference/meibp_moves.h
bug "drops in increasing order" $moves \
  "std::sort(drops.rbegin(), drops.rend());" "std::sort(drops.begin(), drops.end());" meibp_moves
bug "birth over all cells" $moves \
  "(residual_.observed(holders, ones).array() + rho_))" "(double(holders.size()) + rho_))" meibp_moves
bug "rows of a death kept as they are" $moves \
  "if (!rows.empty()) {" "if (false) {" meibp_moves
bug "adds not saved" $moves \
  "for (Bits& column : adds) a(column.words());" "" meibp_moves
ascent=inference/meibp_ascent.h
bug "random numbers not begun anew at a step" $ascent \
  "rng_.begin(done_);" "" meibp_ascent
bug "failed proposals taken whatever they lead to" $ascent \
  "if (next.bound() > goal) {" "if (true) {" meibp_ascent
bug "failed proposals not saved" $ascent \
  "for (FeatureMove& p : proposals) a(p);" "" meibp_ascent
bug "too many features kept" $ascent \
  "if (state_.z.size() <= state_.plan().max_features) {" "if (true) {" meibp_ascent
bug "the last allowed state forgotten" $ascent \
  "if (has_allowed) a(*allowed_);" "" meibp_ascent
bug "more features than the prior has" $ascent \
  "state_.prior().most_features());" "1000);" meibp_run
bug "iterations as long as the gain is no number" $ascent \
  "converging_ = gain > tol * std::abs(state_.bound());" \
  "if (gain < tol * std::abs(state_.bound())) converging_ = false;" meibp_ascent
bug "allowed state of later steps kept when an earlier one is read" $ascent \
  "if (!has_allowed) allowed_.reset();" "" meibp_ascent
run=inference/meibp_run.h
bug "last ascent kept when an earlier state is read" $run \
  "if (!has_last) last_.reset();" "" meibp_run
bug "the first start for the best" $run \
  "return a.result().bound() < b.result().bound();" "return &a > &b;" meibp_run
bug "counts of the part carried over as they are" $run \
  "double(data_.rows()) / found.z.rows()" "1" meibp_run
bug "last ascent not saved" $run \
  "    a(*last_);
" "" meibp_run

echo "planted: $missed not caught"
[ "$missed" -eq 0 ]
