#!/usr/bin/env bash
# Plants one bug at a time in a copy of the core; every one must be caught by a test.
#   ./planted.sh            all bugs, each up to the first failed assertion
#   ./planted.sh odds xor   those whose name contains one of these words
#   ALL=1 ./planted.sh      runs all tests on each bug and names every one that fails
set -u
# File after file, so that most bugs need few of them to be compiled.
tests="exchangeable gaussian_collapsed gaussian_own moves sweep gibbs flat joint warmup run trace features"
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

# Runs the tests of the planted copy until one fails, or all.
run_tests() {
  local options=--abort status=0
  [ -n "${ALL:-}" ] && options=
  : >"$work/out"
  for file in $tests; do
    build "$work/planted" "only_$file" || { tail -n 20 "$work/log"; fail "'$1' does not compile"; }
    timeout 900 "$work/planted/tests/cpp/build/optimised/only_$file" $options >>"$work/out" 2>&1
    status=$?
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
  grep -A1 -m1 -E '^with expansion:|^due to unexpected exception' "$work/out" | sed -n '2s/^ */    /p'
}

# bug NAME FILE OLD NEW
bug() {
  is_wanted "$1" || return 0
  rm -rf "$work/planted"
  copy "$work/clean" "$work/planted"
  replace "$work/planted/src/$2" "$3" "$4"
  run_tests "$1"
  report "$1"
}

copy "$here/../.." "$work/clean"
build "$work/clean" tests || { tail -n 20 "$work/log"; fail "the core itself does not compile"; }

bug "odds m/(N-1)" prior/exchangeable.h \
  "(rows_ - 1 - m + shape_off)" "(rows_ - 2 - m + shape_off)"
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
  "data_->columns * (size * std::log(rho_)" "(size * std::log(rho_)"
bug "log determinant without D, in the update of sigma" likelihood/gaussian_scales.h \
  "data_->columns * (std::log(rho_) - shifted" "(std::log(rho_) - shifted"
bug "sigma_a not squared" likelihood/gaussian_scales.h \
  "rho_ = variance_ * tau_.a.value;" "rho_ = variance_ * std::sqrt(tau_.a.value);"
bug "scan in the order of storage" inference/sweep.h \
  "chain.rng.permutation(z.size(), order);" \
  "order.resize(z.size()); std::iota(order.begin(), order.end(), 0);"
bug "last row never updated" inference/gibbs.h \
  "for (int i = 0; i < z.rows(); ++i) sweep_row" "for (int i = 0; i < z.rows() - 1; ++i) sweep_row"
bug "own features switched off before the other bits" likelihood/gaussian_collapsed.h \
  "return by * (density()(next) - density()(at_));" \
  "const double own = own_count() / scales_.rho();
    return by * (density()({next.t - own, next.r}) - density()({at_.t - own, at_.r}));"
bug "split-merge without q" inference/split_merge.h \
  "log_q += log_weights[s];" "log_q += 0 * log_weights[s];"
bug "split without q" inference/split_merge.h \
  "likelihood.log_lik() + log_prior - log_q;" "likelihood.log_lik() + log_prior;"
bug "xor without its prior part" inference/exclusive_or.h \
  "log_ratio_replaced(l, column, z) + log_prior;" "log_ratio_replaced(l, column, z) + 0 * log_prior;"
bug "xor always accepted" inference/exclusive_or.h \
  "std::log(chain.rng.uniform()) >= log_accept" "log_accept < -1e300"
bug "update of the concentration without its Jacobian" prior/exchangeable.h \
  "h.log_prior_of_log(c) + log_prob_at" "h.log_prior_of_log(c) - log_c + log_prob_at"
bug "update of sigma without its Jacobian" likelihood/gaussian_scales.h \
  "tau.log_prior_of_log(tau.value) + log_lik" "tau.log_prior_of_log(tau.value) - log_tau + log_lik"

echo "planted: $missed not caught"
[ "$missed" -eq 0 ]
