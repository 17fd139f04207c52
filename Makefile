# One target for each task; begin with `make story`.
SWIFT ?= swift
SECONDS ?= 60
TARGET ?=
export SWIFT

.PHONY: story build test check lint format bench fuzz coverage api docs setup clean

story: build
	@.build/release/hearth story

build: setup
	@$(SWIFT) build -c release --product hearth

# For contributors, before each commit: style, unit tests, and the program itself, in one optimised build. The tests link
# the object code that ships. Style is checked beside the build, on processors that it leaves idle. Texts on a GPU are left
# to `scripts/check gpu`: in software they take as long as all the rest.
test:
	@scripts/setup test
	@nice -n 19 $(MAKE) --no-print-directory lint & lint=$$!; \
		$(SWIFT) build -c release --build-tests; built=$$?; wait $$lint && exit $$built
	@SUITE_SKIP=GemmaGPU scripts/suites -c release
	@PROGRAM_SKIP=compute_test Tests/Program/run
	@Tests/Documents/run
	@scripts/api

# Everything: also debug checks, sanitizers, killed processes, fuzzing, third-party programs, emulated Arm.
check:
	@scripts/check

# Fuzzing, in optimised code under the address sanitizer: make fuzz SECONDS=60 TARGET=gguf
fuzz:
	@scripts/setup
	@scripts/fuzz $(SECONDS) $(TARGET)

# Code coverage, as a page: .build/coverage/index.html
coverage:
	@scripts/setup test
	@scripts/coverage

# Compares the public API with docs/api; scripts/api --write updates it.
api:
	$(SWIFT) build -c release
	@scripts/api

# The documentation as a static site, .build/docs; read it with: python3 -m http.server -d .build/docs
docs:
	$(SWIFT) build -c release
	@scripts/docs

lint:
	@$(SWIFT) format lint --recursive --strict --parallel Package.swift Sources Tests Fuzz Examples

format:
	@$(SWIFT) format --recursive --in-place --parallel Package.swift Sources Tests Fuzz Examples

# Speed of the kernels compared with the limits of this machine. Comparisons with other programs: Benchmarks/README.md.
bench:
	@mkdir -p .build
	clang -std=c17 -O2 Benchmarks/kernels/ceilings.c -lpthread -o .build/ceilings
	.build/ceilings
	clang -std=c17 -O2 -ISources/CHearthKernels/include Sources/CHearthKernels/*.c Benchmarks/kernels/bench.c -lm \
		-o .build/kernel-bench
	.build/kernel-bench
	clang -std=c17 -O2 -ISources/CHearthKernels/include Sources/CHearthKernels/*.c Benchmarks/kernels/attention_bench.c -lm \
		-o .build/attention-bench
	.build/attention-bench

setup:
	@scripts/setup

clean:
	$(SWIFT) package clean

# Releases (Packaging/README.md). The commit goes into every build that make starts: `hearth --version` names it.
.PHONY: program install uninstall dist deb container
PREFIX ?= /usr/local
ifeq ($(origin HEARTH_COMMIT), undefined)
HEARTH_COMMIT := $(shell Packaging/commit)
endif
export HEARTH_COMMIT PREFIX DESTDIR

# The program with Swift's run time linked statically: what is installed and packed. The first build takes a while.
program:
	@Packaging/program

install:
	@Packaging/install

uninstall:
	@Packaging/uninstall

# A tarball for any Linux of this architecture, in .build/packages.
dist:
	@Packaging/dist

# A Debian package, in .build/packages. Tests/Packaging/run proves it in an empty Debian.
deb:
	@Packaging/deb

container:
	@Packaging/container
