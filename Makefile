# The front door. CMake does the work; see CMakePresets.json and docs/architecture.md.
JOBS ?= 2
PREFIX ?= /usr/local
SOURCES = $(shell git ls-files '*.c' '*.h')

.PHONY: all demo test test-long bench asan tsan coverage fuzz install format lint clean release
all: release

release: build/release/build.ninja
	@cmake --build build/release -j $(JOBS)

build/release/build.ninja:
	@cmake --preset release

demo:
	@scripts/setup
	@$(MAKE) --no-print-directory release
	@scripts/demo

# Everything, warnings as errors; the last line is `N passed, N failed`.
test test-long:
	@scripts/setup
	@cmake --preset release -DFILUM_WERROR=ON
	@cmake --build build/release -j $(JOBS)
	@$(if $(filter test-long,$@),FILUM_LONG=1) scripts/run_tests build/release

# All programs run, also after one that missed its bar: that fails at the end.
bench:
	@scripts/setup bench
	@cmake --preset release
	@cmake --build build/release -j $(JOBS)
	@missed=0; \
	for program in $$(find build/release/bench -type f -perm -u+x 2>/dev/null | sort); do \
		echo "== $$program"; $$program || { echo "$$program: status $$?"; missed=1; }; \
	done; exit $$missed

# The same tests, watched by sanitizers.
asan tsan coverage:
	@scripts/setup
	@cmake --preset $@
	@cmake --build build/$@ -j $(JOBS)
	@scripts/run_tests build/$@

fuzz:
	@scripts/setup
	@cmake --preset fuzz
	@cmake --build build/fuzz -j $(JOBS)

install: release
	@cmake --install build/release --prefix $(PREFIX)

format:
	@clang-format -i $(SOURCES)

lint: build/release/build.ninja
	@tools/check_layers
	@clang-tidy --quiet -p build/release $(filter src/%.c,$(SOURCES))

clean:
	@rm -rf build
