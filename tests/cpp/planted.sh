#!/usr/bin/env bash
# Plants one bug at a time in a copy of the core; every one must be caught by a test.
#   ./planted.sh            all bugs, each up to the first failed assertion
#   ./planted.sh odds xor   those whose name contains one of these words
#   SLICE=3/8 ./planted.sh  the third of eight parts
#   ALL=1 ./planted.sh      runs all tests on each bug and names every one that fails
#   OWN=1 ./planted.sh      runs only the test that is meant to find each bug, where one is named
#   LIST=1 ./planted.sh     only tells whether each bug still has its place in the core
# What the sizes of the quick tier do not show, those of the full one must.
set -u
# File after file, so that most bugs need few of them to be compiled.
tests="bits special hyper slice exchangeable sticks tree tree_column tree_integral phylogenetic fast_log
  number_law weight_prior choice copies union hamiltonian truncated_normal gamma_factor feature_probabilities orthant parallel gaussian_source
  gaussian_masks gaussian_residual row_search gaussian_factor gaussian_factor_predict
  logistic_normal polya_gamma draw_column regressions logistic logistic_mode
  variational variational_evidence beam meibp meibp_evidence meibp_moves meibp_ascent meibp_run team meibp_team variational_team rng gaussian_data
  independent_components gaussian_collapsed gaussian_missing gaussian_own gaussian_explicit flips gaussian_column_noise moves sweep gibbs
  posterior nonnegative disjoint flat tree_flat tree_posterior choice_posterior logistic_posterior factor
  logistic_limits fresh_topic topic_counts topic_parameters topic_chain topics topic_fold cascade cascade_data_start cascade_moves
  cascade_activations cascade_births cascade_fold cascade_limits cascade_posterior joint
  logistic_joint bare own_exchange shared_gibbs shared_team factor_joint factor_posterior mixed_families mixed_start mixed_joint
  topics_joint cascade_joint contract
  warmup run chains meeting archive resumed logistic_resumed topics_resumed cascade_resumed nmf icm nmf_gibbs trace features"
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
missed=0
number=0
wanted=("$@")
slice=${SLICE:-1/1}

is_wanted() {
  if [ ${#wanted[@]} -gt 0 ]; then
    local found=
    for word in "${wanted[@]}"; do case "$1" in *"$word"*) found=1 ;; esac; done
    [ -n "$found" ] || return 1
  fi
  number=$((number + 1))
  [ $((number % ${slice#*/})) -eq $((${slice%/*} % ${slice#*/})) ]
}

fail() {
  echo "error: $1"
  exit 2
}

# copy FROM TO: core and tests with what is compiled for all tests; times are kept, so that only
# what a bug touches is compiled again. The precompiled header holds none of the core.
copy() {
  local from=$1/tests/cpp to=$2/tests/cpp
  mkdir -p "$to/build/optimised"
  cp -a "$1/src" "$2/src"
  cp -a "$from"/*.h "$from"/*.cpp "$from/Makefile" "$to"
  ln -s "$here/build/optimised/precompiled.h.gch" "$to/build/optimised"
  for made in core libcore.a main.o main.d moves.o moves.d; do
    [ -e "$from/build/optimised/$made" ] && cp -a "$from/build/optimised/$made" "$to/build/optimised"
  done
}

# build DIRECTORY TARGET
build() {
  make -s -C "$1/tests/cpp" -j2 "build/optimised/$2" "headers=$headers" >"$work/log" 2>&1
}

# build_test NAME FILE OF: as it is without the bug, where that is in a source of the core alone.
build_test() {
  local made=tests/cpp/build/optimised/test_$2
  case "$3" in *.cpp)
    build "$work/clean" "test_$2.o"
    cp -a "$work/clean/$made.o" "$work/clean/$made.d" "$work/planted/${made%/*}"
    ;;
  esac
  build "$work/planted" "only_$2" || { tail -n 20 "$work/log"; fail "'$1' does not compile"; }
}

# run_test TIER FILE
run_test() {
  local options=--abort status=0
  [ -n "${ALL:-}" ] && options=
  BUFFET_TESTS=$1 timeout 900 "$work/planted/tests/cpp/build/optimised/only_$2" $options \
    >"$work/one" 2>&1
  status=$?
  [ $status -gt 128 ] && echo "failed: test_$2, which crashes" >>"$work/one"
  [ $status -eq 124 ] && echo "failed: test_$2, which does not end" >>"$work/one"
  [ "$1" = full ] && sed -i 's/^failed: /&the full tier: /' "$work/one"
  cat "$work/one" >>"$work/out"
  return $status
}

# concerns FILE TEST: does the test include this header, or that of this source?
concerns() {
  local listed=$work/included/$2
  [ -e "$listed" ] || (cd "$here" && ${CXX:-g++} -std=c++17 -MM -I../../src -I. $headers \
    "test_$2.cpp") >"$listed" || fail "what test_$2.cpp includes is not known" >&2
  grep -qF "/src/${1%.*}.h" "$listed"
}

# in_order FILE TEST: all tests once; TEST, that of the file's name and what includes it come first.
in_order() {
  local near= far= own=${1##*/}
  own=${own%.*}
  [ -e "$here/test_$own.cpp" ] || own=
  for test in $tests; do
    if concerns "$1" "$test"; then near+=" $test"; else far+=" $test"; fi
  done
  printf '%s\n' $2 $own $near $far | awk '!seen[$0]++'
}

# run_tests NAME FILE TEST: the tests of the planted copy until one fails, or all.
run_tests() {
  : >"$work/out"
  local ordered
  ordered=$(in_order "$2" "$3") || exit
  [ -n "${OWN:-}" ] && [ -n "$3" ] && ordered=$3
  for test in $ordered; do
    build_test "$1" "$test" "$2"
    run_test quick "$test" || { [ -z "${ALL:-}" ] && return; }
    [ "$test" = "$3" ] && { run_test full "$test" || { [ -z "${ALL:-}" ] && return; }; }
  done
  [ -s "$work/out" ] && grep -q '^failed: ' "$work/out" && return
  for test in $ordered; do run_test full "$test" || return; done
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

# has_place FILE OLD NEW: can it be planted?
has_place() {
  local alone=$work/${1##*/}
  cp "$here/../../src/$1" "$alone" && replace "$alone" "$2" "$3"
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
  [ -n "${LIST:-}" ] && { has_place "$2" "$3" "$4"; return; }
  rm -rf "$work/planted"
  copy "$work/clean" "$work/planted"
  replace "$work/planted/src/$2" "$3" "$4"
  run_tests "$1" "$2" "${5:-}"
  report "$1"
}

if [ -z "${LIST:-}" ]; then
  # Where R finds headers, asked once.
  headers=$(make -s -C "$here" headers)
  make -s -C "$here" -j2 common >"$work/log" 2>&1 ||
    { tail -n 20 "$work/log"; fail "the core itself does not compile"; }
  copy "$here/../.." "$work/clean"
fi
mkdir "$work/included"

bug "odds m/(N-1)" prior/exchangeable.h \
  "(rows_ - 1 - m + shape_off()))" "(rows_ - 2 - m + shape_off()))"
bug "rate of new features alpha/(N-1)" prior/exchangeable.h \
  "return std::log(spec_.alpha.value) + log_gamma(1 + c)" \
  "return std::log(spec_.alpha.value * rows_ / (rows_ - 1)) + log_gamma(1 + c)"
bug "singletons never removed" gaussian/gaussian_collapsed.h \
  "while (own_count() > own) {" "while (false) {"
bug "count includes the bit itself" prior/exchangeable.h \
  "log_odds_of(z.count_without(i, k))" "log_odds_of(std::min(z.count(k), rows_ - 1))"
bug "H_(N-1) in the update of alpha" prior/exchangeable.h \
  "h.rate + expected_features(c))" "h.rate + expected_features(c) - 1.0 / rows_)"
bug "truncated: own features as if there were room" prior/exchangeable.h \
  "if (others + j >= most_features()) return -infinity();" \
  "if (finite() && others + j >= spec_.n_features) return -infinity();" posterior
bug "truncated: births as if there were room" prior/exchangeable.h \
  "if (size > most_features()) return -infinity();" \
  "if (finite() && size > spec_.n_features) return -infinity();" logistic_posterior
bug "truncated: one feature less of its own" prior/exchangeable.h \
  "if (others + j >= most_features())" "if (others + j + 1 >= most_features())" posterior
bug "truncated: unused sticks as if there were room" prior/sticks.h \
  "if (z.count(k) == 0 && used(z) >= most_features())" "if (false)" posterior
bug "truncated: a stick in use cannot come back" prior/sticks.h \
  "if (z.count(k) == 0 && used(z)" "if (z.is_own(i, k) && used(z)" posterior
bug "truncated: a merge refused with a split" gibbs/split_merge.h \
  "if (z.size() < 2) return;" \
  "if (z.size() < 2 || z.size() >= chain.prior.most_features()) return;" posterior
bug "truncated: own features under a tree as if there were room" prior/phylogenetic.h \
  "log_number_ratio(others, j);" "log_number_ratio(0, j);" tree_posterior
bug "beam: copies of a feature count as if they were different" point/beam/row_beam.cpp \
  "log_factorial(size) - log_factorial(held) - log_factorial(size - held)" "0" beam
bug "beam: rates of new features one row late" point/beam/row_beam.cpp \
  "j * log_rates_[n]" "j * log_rates_[std::max(0, n - 1)]" beam
bug "beam: a row's distance is not learned" point/beam/group_moments.cpp \
  "side = q + at.r.matrix().asDiagonal() * w;" "side = q;" beam
bug "beam: two of a class as if they were independent" point/beam/row_beam.cpp \
  "t_ += 2 * moments.m(k, l);" "" beam
bug "beam: groups that a row lacks count its features as if it had them" \
  point/beam/group_moments.cpp "by = has / (1 + at.t);" "by = 1 / (1 + at.t);" beam
bug "beam: columns that lack the same rows count once" point/beam/row_beam.cpp \
  "sum += count * fast_log(s(g));" "sum += fast_log(s(g));" beam
bug "beam: finite new features from all of them" point/beam/row_beam.cpp \
  "const int unused = spec_.n_features - size;" "const int unused = spec_.n_features;" beam
bug "beam: rows that lack a column count in its spectrum" point/beam/beam_run.cpp \
  "column &= seen;" "" beam
bug "log determinant without D, in a row" gaussian/gaussian_row.h \
  "columns * fast_log(spread)" "std::log(spread)"
bug "log determinant without D, in log_lik" gaussian/gaussian_scales.h \
  "size_.columns * (size * std::log(rho_)" "(size * std::log(rho_)"
bug "log determinant without D, in the update of sigma" gaussian/gaussian_scales.h \
  "size_.columns * (std::log(rho_) - shifted" "(std::log(rho_) - shifted"
bug "sigma_a not squared" gaussian/gaussian_scales.h \
  "rho_ = variance_ * tau_.a.value;" "rho_ = variance_ * std::sqrt(tau_.a.value);"
bug "scan in the order of storage" gibbs/sweep.h \
  "chain.rng.permutation(chain.z.size(), order);" \
  "order.resize(chain.z.size()); std::iota(order.rbegin(), order.rend(), 0);" sweep
bug "a bare chain whose loadings are integrated out as they were" gibbs/gibbs.h \
  "      likelihood.integrate_out(z, rng);" \
  "      if (moves == Moves::all) likelihood.integrate_out(z, rng);" bare
bug "a bare chain whose weights stay" gibbs/gibbs.h \
  "Likelihood::updates_weights && !rows" "!rows" bare
bug "bare rows never visited with weights integrated out" gibbs/gibbs.h \
  "likelihood.row_visits_are_due() : !visits;" "likelihood.row_visits_are_due() : false;" bare
bug "flips of two bits as if of one after the other" gaussian/gaussian_collapsed.h \
  "r.two[a][b] = both * g_without" "r.two[a][b] = 0.5 * both * g_without" flips
bug "flips of two bits without t" gaussian/gaussian_collapsed.h \
  "t.two[a][b] = both * m_without" "t.two[a][b] = 0 * both * m_without" flips
bug "bits coupled by what the row itself has" gaussian/gaussian_collapsed.h \
  "return moments_.g(k, l) - v_(k) * me_(l) - me_(k) * v_(l) + ee_ * v_(k) * v_(l);
  }
  double g_without(int k, int l) const {
    return loading_product(k, l)" \
  "return moments_.g(k, l);
  }
  double g_without(int k, int l) const {
    return moments_.g(k, l) - v_(k) * me_(l) - me_(k) * v_(l) + ee_ * v_(k) * v_(l)" flips
bug "flips of two bits given loadings without their signs" gaussian/gaussian_explicit.h \
  "-by * step(bits[b]) *" "-by *" flips
bug "flips without the prior" gibbs/bit_blocks.h \
  "out[c] += log_prior[c];" "out[c] += 0 * log_prior[c];" flips
bug "loadings' products not brought up to date" gaussian/gaussian_explicit.h \
  "products_.row(k).head(products.size()) = products.transpose();" ""
bug "last row never updated" gibbs/gibbs.h \
  "visit_row(i, *this, moves);" "if (i < z.rows() - 1) visit_row(i, *this, moves);" gibbs
bug "own features switched off before the other bits" gaussian/gaussian_collapsed.h \
  "return by * (density()(next) - density()(at_));" \
  "const double own = own_count() / scales_.rho();
    return by * (density()({next.t - own, next.r}) - density()({at_.t - own, at_.r}));"
bug "split-merge without q" gibbs/split_merge.h \
  "log_q += log_weights[s];" "log_q += 0 * log_weights[s];"
bug "split without q" gibbs/split_merge.h \
  "current_log_lik(likelihood) + log_prior - log_q;" "current_log_lik(likelihood) + log_prior;" moves
bug "xor without its prior part" gibbs/exclusive_or.h \
  "log_ratio_replaced(l, column, z) + log_prior;" "log_ratio_replaced(l, column, z) + 0 * log_prior;"
bug "xor always accepted" gibbs/exclusive_or.h \
  "!(std::log(chain.rng.uniform()) < log_accept)" "log_accept < -1e300"
bug "update of the concentration without its Jacobian" prior/exchangeable.h \
  "h.log_prior_of_log(c) + log_prob_at" "h.log_prior_of_log(c) - log_c + log_prob_at" joint
bug "update of sigma without its Jacobian" gaussian/gaussian_scales.h \
  "tau.log_prior_of_log(tau.value) + log_lik" "tau.log_prior_of_log(tau.value) - log_tau + log_lik" joint

collapsed=gaussian/gaussian_collapsed.h
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
bug "log_lik with the rows that lack the column" gaussian/gaussian_moments.h \
  "own(k, l) -= 1;" "own(k, l) -= 0;" gaussian_missing
bug "sparse rows added without their factor" gaussian/gaussian_data.h \
  "to(x.index()) += by * x.value();" "to(x.index()) += x.value();" gaussian_data

bug "missing entries take part in the ratio given loadings" gaussian/gaussian_explicit.h \
  "(on_[k] - 0.5) * observed_product(k, k)" "(on_[k] - 0.5) * products_(k, k)" gaussian_explicit
bug "loadings integrated out without new missing entries" gaussian/gaussian_uncollapsed.h \
  "complete(z, collapsed_.completed(), rng);" "(void)rng;" gaussian_explicit
bug "own loadings with the weight of one" gaussian/gaussian_loadings.h \
  "own / (own + rho)" "1 / (1 + rho)" gaussian_explicit
bug "own loadings of missing entries conditioned on nothing left" gaussian/gaussian_loadings.h \
  "for_hidden([&](int d) { change(d) = 0; });" "(void)for_hidden;" gaussian_explicit
bug "loadings at their mean, not drawn" gaussian/gaussian_uncollapsed.h \
  "draw_loadings(rng);" "set_loadings(collapsed_.loadings());" gaussian_explicit

nonnegative=gaussian/gaussian_nonnegative.h
own=gaussian/gaussian_loadings.h
bug "birth without its prior ratio" $own \
  ">= log_prior_ratio + law_.log_evidence(left_)" ">= 0 * log_prior_ratio + law_.log_evidence(left_)" \
  gaussian_explicit
bug "death with the evidence of a birth" $own \
  "-log_prior_ratio - law_" "-log_prior_ratio + law_" gaussian_explicit
bug "missing entries that say something of loadings" $nonnegative \
  "sums.observed(d) = sums.rest(d) = 0;" "sums.rest(d) = 0;" gaussian_explicit
loadings=gaussian/gaussian_loadings.h
bug "evidence of nonnegative loadings without what is truncated" $loadings \
  "sum += quick_log_normal_cdf(t(d));" "sum += -M_LN2;" disjoint
bug "evidence of nonnegative loadings of one row" $loadings \
  "spread = s.observed + rho;" "spread = s.observed.min(1.0) + rho;" disjoint
bug "nonnegative loadings drawn as of one row" $loadings \
  "const double spread = s.observed(d) + variance * precision_a;" \
  "const double spread = std::min(s.observed(d), 1.0) + variance * precision_a;" disjoint
disjoint=gibbs/disjoint.h
bug "disjoint halves without the evidence of the whole" $disjoint \
  "evidence_[0] + evidence_[1] - likelihood_->law().log_evidence(whole());" \
  "evidence_[0] + evidence_[1];" disjoint
bug "a split of disjoint halves without q" $disjoint "+ log_prior - log_q;" "+ log_prior;" disjoint
bug "a merge of disjoint features without the prior" $disjoint \
  "log_prior + log_q - allocation" "0 * log_prior + log_q - allocation" disjoint
bug "a merged feature with the loadings of its first half" $disjoint \
  "draw(allocation.model().whole(), rng)" "draw(allocation.model().sums()[0], rng)" disjoint
bug "halves with the loadings of the whole" $disjoint \
  "likelihood.law().draw(sums[0], rng);" \
  "likelihood.law().draw(allocation.model().whole(), rng);" disjoint
bug "disjoint halves judged beside the feature they come from" $nonnegative \
  "if (z.at(i, k)) rest += loadings().col(k);" "(void)z, (void)k;" disjoint
bug "nonnegative loadings given their own old values" $loadings \
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
bug "a slice's births not weighed" gibbs/sweep.h \
  "own ? likelihood.log_ratio_own(k) : likelihood.log_ratio(k)" "likelihood.log_ratio(k)" moves
bug "a slice's births without loadings" gibbs/sweep.h \
  "if (own && !z.at(i, k)) likelihood.draw_loading(k, rng);" "" moves
bug "own ratio with the loadings that there are" gaussian/gaussian_explicit.h \
  "if (on_[k]) rest += a_.col(k);" "" gaussian_explicit
bug "unused features of the last sweep kept" gibbs/gibbs.h \
  "if (z.count(k) == 0) {" "if (z.size() > 8 && z.count(k) == 0) {" posterior

bug "noise taken for what stands out of it" gaussian/independent_components.h \
  "<= 1.02 * edge_ * noise_" "<= 0.3 * edge_ * noise_" independent_components
bug "components not turned" gaussian/independent_components.h \
  "    turn = next;" "" independent_components
bug "components by their kurtosis alone" gaussian/independent_components.h \
  "third * (skewness / 2).asDiagonal() + fourth" "fourth" independent_components
bug "components by their skewness alone" gaussian/independent_components.h \
  " + fourth * (kurtosis / 6).asDiagonal();" ";" independent_components
bug "components for their complements" gaussian/independent_components.h \
  "in_mean(k) < share(k) - 0.5" "false" independent_components
bug "missing entries completed with all of a component" gaussian/independent_components.h \
  "1 - edge_ * noise_ * rows_ / squares_.array()" "1 - 0 / squares_.array()" independent_components
bug "a search that does not ask the data for features" gibbs/warmup.h \
  "start == 0 && chain_.restart_as_suggested()" "false && chain_.restart_as_suggested()" warmup
bug "the worst chain for the best" gibbs/any_run.h \
  "if (runs[c]->level().mean() > runs[best]" "if (runs[c]->level().mean() < runs[best]" meeting
bug "chains that differ by chance go on from the best" gibbs/any_run.h \
  "- 2 * std::sqrt(variance)" "- 1 * std::sqrt(variance)" meeting
bug "random numbers of the best taken over" gibbs/run.h \
  "    chain_.rng = own;" "" meeting
bug "chains compared from their first sweep on" gibbs/any_run.h \
  "t > meeting() - warmup / 10" "t > 0" meeting
bug "forgotten from which chain one went on" gibbs/any_run.h \
  "    a(begun_from_);" "" meeting
bug "levels from before a chain was left forgotten" gibbs/any_run.h \
  "    a(level_);" "" meeting
bug "chains that have met wait to meet again" gibbs/any_run.h \
  "    level_ = {};" "" meeting
bug "P keeps its rounding errors" gaussian/gaussian_marginal.h \
  "++refreshed_ % 100 == 0" "++refreshed_ < 0" gaussian_collapsed
bug "a trace taken twice" gibbs/chains.cpp \
  "end.trace = m.run->take_trace();" "end.trace = m.run->trace();" chains
bug "those that have met looked at as before" gibbs/chains.cpp \
  "if (m.snapshot.failure.empty()) end(m, to_bytes(*m.run), \"\");" "(void)m;" meeting
bug "a stretch whose last sweep is thrown away" gibbs/chains.cpp \
  "Clock::now() < until_) return true;" "Clock::now() < until_) return true; if (Clock::now() >= until_) throw Stopped();" chains

. "$here/planted_meibp.sh"
. "$here/planted_choice.sh"
. "$here/planted_logistic.sh"
. "$here/planted_column_noise.sh"
. "$here/planted_factor.sh"
. "$here/planted_mixed.sh"
. "$here/planted_nmf.sh"
. "$here/planted_variational.sh"
. "$here/planted_topics.sh"
. "$here/planted_cascade.sh"
. "$here/planted_shared.sh"

[ -n "${LIST:-}" ] && echo "planted: $number bugs have their place" && exit
echo "planted: $missed not caught"
[ "$missed" -eq 0 ]
