# One word per act. demo and test need only R and a C++17 compiler: they fetch what is missing and
# install buffet into build/library, so that nothing outside is overwritten.

RSCRIPT ?= Rscript
LIBRARY := $(CURDIR)/build/library
PRIVATE := R_LIBS="$(LIBRARY)$${R_LIBS:+:$$R_LIBS}"
PANDOC   = RSTUDIO_PANDOC="$$($(RSCRIPT) -e 'source("tools/pandoc.R"); cat(find_pandoc())')"

MANUAL   = $(if $(shell command -v pdflatex),,--no-manual)

# Packages with the data of the guides, which only `make vignettes` reads.
guides   := janeaustenr mlbench palmerpenguins pls tidytext

# Jobs within a part. `make test` leaves this empty, and builds two parts in parallel instead.
JOBS := -j2

# The command $(2), and the seconds that it took.
TIMED = begun=$$(date +%s); ($(2)); status=$$?; \
  echo "$(1): $$(($$(date +%s) - begun)) s"; exit $$status

SOURCES := DESCRIPTION NAMESPACE R $(shell find R src data inst -type f \
  ! -name '*.o' ! -name '*.so' ! -name '*.dll' ! -name '*.d' 2>/dev/null)
FORMATTED = $(shell find src tests/cpp bench \( -name '*.h' -o -name '*.cpp' \) ! -name RcppExports.cpp)

.PHONY: help deps packages needed arrow browser install install-user readme vignettes demo test test-full extended test-cpp threads fuzz fuzz-sanitized check check-cran document codemeta bench format lint size site

help:           ## shows this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile

deps:           ## installs the R packages, development tools, pandoc and qpdf that are missing
	@$(RSCRIPT) tools/deps.R roxygen2 pkgdown pandoc qpdf $(guides)

packages:
	@$(RSCRIPT) tools/deps.R

needed:
	@$(RSCRIPT) tools/deps.R --needed

arrow:          ## installs the R package arrow if missing, from CRAN and Debian sources
	@sh tools/arrow.sh

browser:        ## installs Chromium and the R package chromote if missing
	@$(RSCRIPT) tools/deps.R chromium libssl-dev libcurl4-openssl-dev
	@$(RSCRIPT) tools/browser.R

# Compiles in two thirds of the time that -O2 takes; the code is about as fast.
QUICK := -O1 -finline-small-functions

build/installed: $(SOURCES) | needed
	@mkdir -p $(LIBRARY)
	@$(RSCRIPT) tools/stale.R
	@echo "installing buffet into build/library (log: build/install.log)"
	@$(call TIMED,installation,DEPENDENCY_FLAGS="-MMD $(QUICK)" MAKEFLAGS=$(JOBS) R CMD INSTALL \
	  --no-docs --no-multiarch --library=$(LIBRARY) . > build/install.log 2>&1 || \
	  { cat build/install.log; exit 1; })
	@touch $@

install: build/installed

install-user: deps  ## installs buffet with help and vignettes into your own library
	@mkdir -p build
	@rm -f build/buffet_*.tar.gz
	@export $(PANDOC); cd build && R CMD build .. && R CMD INSTALL buffet_*.tar.gz

readme: packages install ## renders README.md and its figures from README.Rmd
	@$(PRIVATE) $(PANDOC) $(RSCRIPT) tools/readme.R

vignettes: packages install  ## knits vignettes with long fits if their source has changed
	@$(RSCRIPT) tools/deps.R $(guides)
	@$(PRIVATE) $(RSCRIPT) tools/vignettes.R

demo: install   ## fits the simulated images and plots them into demo-output
	@$(PRIVATE) $(RSCRIPT) tools/demo.R

test: packages  ## all tests, at sizes that take minutes
	+@$(MAKE) --no-print-directory -k -j2 JOBS= test-cpp install; built=$$?; \
	$(PRIVATE) $(FUZZ); fuzz=$$?; \
	$(PRIVATE) $(RSCRIPT) tools/test.R && [ $$built$$fuzz = 00 ]

test-full: export BUFFET_TESTS := full
test-full: CASES := 10000
test-full: arrow browser site threads test   ## all tests at their full sizes, and tests of the website

extended: export BUFFET_EXTENDED_TESTS := true
extended: test          ## the full tests, with longer tests of the samplers: hours

test-cpp: packages      ## tests of the C++ core without R
	@$(call TIMED,C++ tests,$(MAKE) --no-print-directory -k $(JOBS) -C tests/cpp)

threads: packages       ## multithreaded tests of chains and methods under ThreadSanitizer
	@$(call TIMED,threads,$(MAKE) --no-print-directory -j2 -C tests/cpp threads)

# Of a fuzzer: how many cases, of which seed, from which number on.
CASES := 500
SEED := 1
CASE := 1
FUZZ = $(RSCRIPT) tests/fuzz/fuzz.R $(CASES) $(SEED) $(CASE)

fuzz: packages install  ## CASES= calls with hostile arguments, with seed SEED=, starting at number CASE=
	@$(PRIVATE) $(FUZZ)

fuzz-sanitized: build/sanitized/installed  ## the same with AddressSanitizer and UndefinedBehaviorSanitizer
	@R_LIBS="$(CURDIR)/build/sanitized$${R_LIBS:+:$$R_LIBS}" \
	LD_PRELOAD="$$(gcc -print-file-name=libasan.so)" \
	ASAN_OPTIONS=detect_leaks=0:max_allocation_size_mb=4000:allocator_may_return_null=1:handle_segv=2 $(FUZZ)

# Of a copy: objects of both kinds must not meet in src.
build/sanitized/installed: $(SOURCES) tests/fuzz/sanitized.mk | packages
	@rm -rf build/sanitized && mkdir -p build/sanitized/source
	@cp -r DESCRIPTION NAMESPACE R src data inst build/sanitized/source
	@find build/sanitized/source -name '*.o' -delete -o -name '*.so' -delete
	@echo "compiling buffet with sanitizers into build/sanitized (log: build/sanitized.log)"
	@$(call TIMED,installation,R_MAKEVARS_USER=$(CURDIR)/tests/fuzz/sanitized.mk MAKEFLAGS=-j2 \
	  R CMD INSTALL --no-docs --no-multiarch --no-test-load --library=build/sanitized \
	  build/sanitized/source > build/sanitized.log 2>&1 || { cat build/sanitized.log; exit 1; })
	@touch $@

document:       ## regenerates NAMESPACE, man and RcppExports
	@$(RSCRIPT) tools/deps.R roxygen2
	@$(RSCRIPT) tools/document.R

codemeta:       ## regenerates codemeta.json from DESCRIPTION
	@$(RSCRIPT) tools/deps.R codemeta
	@$(RSCRIPT) -e 'codemeta::write_codemeta()'

check: deps     ## R CMD build and R CMD check --as-cran, in build
	@mkdir -p build
	@rm -rf build/buffet_*.tar.gz build/buffet.Rcheck
	@export $(PANDOC) _R_CHECK_FORCE_SUGGESTS_=false; \
	if [ -z "$$RSTUDIO_PANDOC" ]; then unbuilt=--no-build-vignettes ignored=--ignore-vignettes; fi; \
	settings=$$($(RSCRIPT) tools/cran-list.R build/cran); \
	cd build && R CMD build $$unbuilt .. && \
	env $$settings R CMD check --as-cran $(MANUAL) $$ignored buffet_*.tar.gz
	@! grep -E '^Status:.*(ERROR|WARNING)' build/buffet.Rcheck/00check.log

check-cran: deps ## the same with the newest CRAN versions of the dependencies, built from source
	@$(RSCRIPT) tools/cran-packages.R build/cran-packages
	@R_LIBS="$(CURDIR)/build/cran-packages$${R_LIBS:+:$$R_LIBS}" $(MAKE) --no-print-directory check

bench: packages ## runs the benchmarks
	@$(MAKE) --no-print-directory -C bench

format:         ## runs clang-format on the C++ code
	clang-format -i $(FORMATTED)

lint: install   ## runs lintr on the R code
	@$(RSCRIPT) tools/deps.R lintr
	@$(PRIVATE) $(RSCRIPT) -e 'lints <- lintr::lint_dir(".")' -e 'print(lints)' \
	  -e 'quit(status = length(lints) > 0)'

size:           ## checks lines and parameters of functions and files against the limits
	@$(RSCRIPT) tools/size.R

site: deps install      ## builds the website in docs
	@$(PRIVATE) $(PANDOC) $(RSCRIPT) tools/site.R
