#!/usr/bin/env bash
# Plants bugs in a copy of the core; each must be caught by a test that passes without it.
#   ./planted.sh            all bugs, each up to the first failed assertion, its own test first
#   ./planted.sh odds xor   bugs whose name contains one of these words
#   SLICE=3/8 ./planted.sh  the third of eight parts
#   ALL=1 ./planted.sh      runs all tests on each bug and names every one that fails
#   OWN=1 ./planted.sh      runs only the test that is meant to find each bug
#   LIST=1 ./planted.sh     only checks that the code each bug replaces is in the core
#   JOBS=1 ./planted.sh     compiles one file at a time, not two
# The bugs in bodies of functions are compiled together and switched on by the variable PLANTED_BUG.
# A bug that the quick tier misses must be caught by the full tier.
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
planted=$work/planted
trap 'rm -rf "$work"' EXIT
words=("$@")
slice=${SLICE:-1/1}
numbers=() names=() tests=()
all=0
matching=0
missed=0

fail() {
  echo "error: $1"
  exit 2
}

is_wanted() {
  local found=
  for word in "${words[@]}"; do case "$1" in *"$word"*) found=1 ;; esac; done
  [ ${#words[@]} -eq 0 ] || [ -n "$found" ] || return 1
  matching=$((matching + 1))
  [ $((matching % ${slice#*/})) -eq $((${slice%/*} % ${slice#*/})) ]
}

# at FILE TEST: the file of the next bugs, and the test that should find them.
at() {
  file=$1 test=$2
  [ -e "$here/test_$test.cpp" ] || fail "there is no test '$test'"
}

# bug NAME OLD NEW: OLD must occur once in the file.
bug() {
  all=$((all + 1))
  is_wanted "$1" || return 0
  numbers+=("$all")
  names[all]=$1 tests[all]=$test
  printf '%s\037%s\037%s\037%s\036' "$all" "$file" "$2" "$3" >>"$work/bugs"
}

# build DIRECTORY PROGRAM
build() {
  make -s -C "$1/tests/cpp" "-j${JOBS:-2}" tier=full "build/optimised/$2" "headers=$headers" \
    >"$work/log" 2>&1 || { grep -A5 'error' "$work/log" | head -n 40; fail "$2 does not compile"; }
}

# Copies the core, the tests and the objects compiled for all tests. Times are preserved, so only
# files with bugs are compiled again. The precompiled header includes nothing from the core.
copy() {
  local from=$here/build/optimised to=$planted/tests/cpp/build/optimised
  headers=$(make -s -C "$here" headers)
  make -s -C "$here" "-j${JOBS:-2}" common >"$work/log" 2>&1 || fail "$(tail -n 20 "$work/log")"
  mkdir -p "$to"
  cp -a "$here/../../src" "$planted"
  cp -a "$here"/*.h "$here"/*.cpp "$here/Makefile" "$planted/tests/cpp"
  cp -a "$from"/{core,libcore.a,main.o,main.d,moves.o,moves.d} "$to"
  ln -s "$from/precompiled.h.gch" "$to"
  Rscript --vanilla "$here/planted.R" "$work/bugs" "$here/../../src" "$planted" || exit
  # Read before a program computes its tables at the start.
  cat >>"$planted/src/core/special.cpp" <<'end'
#include <cstdlib>
int planted_bug;
__attribute__((constructor(101))) void read_planted_bug() {
  planted_bug = std::atoi(std::getenv("PLANTED_BUG"));
}
end
}

# run NUMBER DIRECTORY TIER TEST [OPTION]: "~NAME" as TEST runs all tests but NAME. Failures are
# listed in $work/NUMBER.failed.
run() {
  local to=$work/$1 tag="[#test_$4]" bin=$2/tests/cpp/build/optimised program=tests_full status
  [ -e "$bin/only_$4" ] && program=only_$4
  case "$4" in "~"*) tag="~[#test_${4#"~"}]" ;; esac
  PLANTED_BUG=$1 BUFFET_TESTS=$3 timeout 900 "$bin/$program" --filenames-as-tags ${5:-} "$tag" \
    >"$to.out" 2>&1
  status=$?
  sed -n 's/^failed: //p' "$to.out" >"$to.failed"
  [ $status -gt 128 ] && echo "test_$4, which crashes" >>"$to.failed"
  [ $status -eq 124 ] && echo "test_$4, which timed out" >>"$to.failed"
  [ "$3" = full ] && sed -i 's/^/the full tier: /' "$to.failed"
  return $status
}

# passes TIER TEST: true if the test passes without a bug. Each test is run once for this.
passes() {
  local known=$work/passes_$1_$2
  [ -e "$known" ] || { run 0 "$planted" "$1" "$2"; echo $? >"$known"; }
  [ "$(cat "$known")" -eq 0 ] && return
  echo "test_$2 fails in the $1 tier without a bug"
  return 1
}

# finds NUMBER DIRECTORY TEST: true if the test fails with the bug, and passes without, in a tier.
finds() {
  for tier in quick full; do
    run "$1" "$2" $tier "$3" --abort
    [ -s "$work/$1.failed" ] && passes $tier "$3" && return
    : >"$work/$1.failed"
  done
  return 1
}

# try NUMBER: a bug that cannot be switched on is compiled in its own copy.
try() {
  local in=$planted test=${tests[$1]}
  if [ -e "$planted/alone/$1" ]; then
    in=$work/alone
    rm -rf "$in"
    cp -a "$planted" "$in"
    cp -r "$planted/alone/$1/." "$in/src"
    build "$in" "only_$test"
  fi
  if [ -n "${ALL:-}" ]; then
    build "$in" tests_full && passes quick "~none"
    run "$1" "$in" quick "~none"
    [ -s "$work/$1.failed" ] || run "$1" "$in" full "~none"
  elif ! finds "$1" "$in" "$test" && [ -z "${OWN:-}" ]; then
    build "$planted" tests_full && build "$in" tests_full && finds "$1" "$in" "~$test"
  fi
  report "$1" "${names[$1]}"
}

report() {
  [ -s "$work/$1.failed" ] || { echo "$2: NOT CAUGHT" && missed=$((missed + 1)) && return; }
  while read -r title; do echo "$2: caught by $title"; done <"$work/$1.failed"
  grep -a -A1 -m1 -E '^with expansion:|^due to unexpected exception' "$work/$1.out" |
    sed -n '2s/^ */    /p'
}

for table in "$here"/planted_*.sh; do . "$table"; done
[ ${#numbers[@]} -gt 0 ] || fail "no bug matches"
if [ -n "${LIST:-}" ]; then
  Rscript --vanilla "$here/planted.R" "$work/bugs" "$here/../../src" || exit
  echo "planted: ${#numbers[@]} bugs can be planted" && exit
fi
copy
# Separate programs for a few tests, otherwise one program for all.
programs=$(printf 'only_%s\n' "${tests[@]}" | sort -u)
[ -z "${ALL:-}" ] && [ "$(wc -l <<<"$programs")" -le 12 ] || programs=tests_full
for program in $programs; do build "$planted" "$program"; done
for n in "${numbers[@]}"; do try "$n"; done
echo "planted: $missed not caught"
[ "$missed" -eq 0 ]
