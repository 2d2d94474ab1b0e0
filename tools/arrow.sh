#!/bin/sh
# Installs the R package arrow if it is missing, for the tests of row_blocks() that need it. Its
# sources are on CRAN, but download their dependencies from elsewhere; here everything comes from
# CRAN and Debian. Takes a quarter of an hour on one core; a failure is reported in one line.
#
#   sh tools/arrow.sh
#
# JOBS=2 builds on two cores. XSIMD_SUITE is a Debian suite with xsimd 14.2 or newer, whose headers
# are used.

set -e

jobs=${JOBS:-1}
suite=${XSIMD_SUITE:-forky}
# The mirror of the system.
main=$(apt-get indextargets --format '$(REPO_URI)' 'Component: main' 'Label: Debian' 2> /dev/null |
  head -n 1)
mirror=${DEBIAN_MIRROR:-$main}
root=$PWD/build/arrow
log=$PWD/build/arrow.log

say() { echo "arrow: $*"; }

give_up() {
  say "not installed, tests that need it are skipped: $*"
  exit 0
}

is_installed() {
  Rscript -e 'quit(status = !requireNamespace("arrow", quietly = TRUE))' 2> /dev/null
}

# Runs a step, given its name first; a failure ends the script. `set -e` has no effect to the left
# of `||`.
try() {
  what=$1
  shift
  say "$what"
  set +e
  (set -e; "$@") >> "$log" 2>&1
  failed=$?
  set -e
  [ $failed = 0 ] || give_up "$what failed (log: build/arrow.log)"
}

install_libraries() {
  apt-get -qq -o DPkg::Lock::Timeout=300 update
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq -o DPkg::Lock::Timeout=300 --no-install-recommends --no-upgrade \
    cmake pkg-config libboost-dev libthrift-dev libsnappy-dev liburiparser-dev rapidjson-dev \
    zlib1g-dev r-cran-assertthat r-cran-bit64 r-cran-cpp11 r-cran-glue r-cran-purrr r-cran-r6 \
    r-cran-rlang r-cran-tidyselect r-cran-vctrs
}

fetch_sources() {
  Rscript -e 'got <- download.packages(c("arrow", "RcppSimdJson"), ".")' \
    -e 'for (file in got[, 2]) untar(file)' -e 'stopifnot(nrow(got) == 2)'
}

# With separate package lists, so other packages of that suite are never visible.
fetch_xsimd() {
  mkdir -p apt/lists/partial apt/cache/archives/partial
  signed=/usr/share/keyrings/debian-archive-keyring.gpg
  echo "deb [signed-by=$signed] $mirror $suite main" > apt/sources.list
  set -- -o "Dir::Etc::sourcelist=$root/apt/sources.list" -o Dir::Etc::sourceparts=/dev/null \
    -o "Dir::State::lists=$root/apt/lists" -o "Dir::Cache=$root/apt/cache"
  apt-get -qq "$@" update
  apt-get -qq "$@" download libxsimd-dev
  dpkg-deb -x libxsimd-dev_*.deb xsimd
  cat > xsimd/xsimdConfig.cmake << 'END'
add_library(xsimd INTERFACE IMPORTED)
set_target_properties(xsimd PROPERTIES
  INTERFACE_INCLUDE_DIRECTORIES "${CMAKE_CURRENT_LIST_DIR}/usr/include")
END
  version=$(dpkg-deb -f libxsimd-dev_*.deb Version)
  echo "set(xsimd_VERSION ${version%%-*})" >> xsimd/xsimdConfig.cmake
}

build_simdjson() {
  mkdir -p simdjson
  cp RcppSimdJson/inst/include/simdjson.h simdjson
  g++ -std=c++20 -O1 -fPIC -DSIMDJSON_EXCEPTIONS=0 -I simdjson -o simdjson/simdjson.o \
    -c RcppSimdJson/inst/include/simdjson.cpp
  ar rcs simdjson/libsimdjson.a simdjson/simdjson.o
  cat > simdjson/simdjsonConfig.cmake << 'END'
add_library(simdjson::simdjson STATIC IMPORTED)
set_target_properties(simdjson::simdjson PROPERTIES
  IMPORTED_LOCATION "${CMAKE_CURRENT_LIST_DIR}/libsimdjson.a"
  INTERFACE_INCLUDE_DIRECTORIES "${CMAKE_CURRENT_LIST_DIR}"
  INTERFACE_COMPILE_DEFINITIONS SIMDJSON_EXCEPTIONS=0)
END
  version=$(sed -n 's/^#define SIMDJSON_VERSION "\(.*\)"/\1/p' simdjson/simdjson.h)
  echo "set(simdjson_VERSION $version)" >> simdjson/simdjsonConfig.cmake
}

build_library() {
  cmake -S arrow/tools/cpp -B made -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_CXX_FLAGS_RELEASE="-O1 -DNDEBUG" -DCMAKE_UNITY_BUILD=ON \
    -DCMAKE_INSTALL_PREFIX="$root/installed" -DCMAKE_INSTALL_LIBDIR=lib \
    -DARROW_BUILD_SHARED=OFF -DARROW_BUILD_STATIC=ON -DARROW_DEPENDENCY_SOURCE=SYSTEM \
    -DARROW_SIMD_LEVEL=NONE -DARROW_RUNTIME_SIMD_LEVEL=NONE \
    -DARROW_COMPUTE=ON -DARROW_ACERO=ON -DARROW_DATASET=ON -DARROW_PARQUET=ON \
    -DARROW_FILESYSTEM=ON -DARROW_CSV=ON -DARROW_JSON=ON -DARROW_WITH_SNAPPY=ON \
    -DARROW_WITH_ZLIB=ON -DARROW_WITH_RE2=OFF -DARROW_WITH_UTF8PROC=OFF \
    -DARROW_JEMALLOC=OFF -DARROW_MIMALLOC=OFF \
    -Dxsimd_DIR="$root/xsimd" -Dsimdjson_DIR="$root/simdjson"
  cmake --build made --target install -- -j"$jobs"
  # Parquet calls simdjson, which pkg-config does not know.
  cp simdjson/libsimdjson.a installed/lib
  sed -i 's/-larrow -ldl/-larrow -lsimdjson -ldl/' installed/lib/pkgconfig/arrow.pc
}

install_package() {
  echo 'CXX20FLAGS = -O1 -fPIC' > Makevars
  ARROW_HOME=$root/installed R_MAKEVARS_USER=$root/Makevars MAKEFLAGS=-j$jobs \
    R CMD INSTALL --no-docs arrow
}

if is_installed; then exit 0; fi
if [ "$(id -u)" != 0 ] || ! command -v apt-get > /dev/null; then
  give_up 'install it by install.packages("arrow")'
fi
rm -rf "$root"
mkdir -p "$root"
cd "$root"
: > "$log"
try "libraries of the distribution" install_libraries
try "sources of CRAN" fetch_sources
try "headers of xsimd" fetch_xsimd
try "simdjson" build_simdjson
try "the C++ library, ten minutes and more" build_library
try "the R package" install_package
is_installed || give_up "it cannot be loaded (log: build/arrow.log)"
rm -rf "$root"
say "installed"
