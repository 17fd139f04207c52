# One command for each thing that people do here. `make story` is where to begin.
SWIFT ?= swift
SECONDS ?= 60
TARGET ?=
export SWIFT

.PHONY: story build test check lint format bench fuzz coverage api setup clean

story: build
	@.build/release/hearth story

build: setup
	@$(SWIFT) build -c release --product hearth

# What a contributor runs before each commit: style, all unit tests, and the program itself, in one optimised build. The
# tests link the objects that are shipped.
test:
	@scripts/setup test
	@$(MAKE) --no-print-directory lint
	$(SWIFT) build -c release --build-tests
	@scripts/suites -c release
	@Tests/Program/run
	@Tests/Documents/run
	@scripts/api

# Everything that has to hold: also debug checks, sanitizers, kills, fuzzing, other people's programs, emulated Arm.
check:
	@scripts/check

# Random input that finds its way, in optimised code under the address sanitizer: make fuzz SECONDS=60 TARGET=gguf
fuzz:
	@scripts/setup
	@scripts/fuzz $(SECONDS) $(TARGET)

# What no test runs, as a page: .build/coverage/index.html
coverage:
	@scripts/setup test
	@scripts/coverage

# Whether what is public is what docs/api says; scripts/api --write writes it down.
api:
	$(SWIFT) build -c release
	@scripts/api

lint:
	@$(SWIFT) format lint --recursive --strict --parallel Package.swift Sources Tests Fuzz Examples

format:
	@$(SWIFT) format --recursive --in-place --parallel Package.swift Sources Tests Fuzz Examples

# Speed of the kernels beside what this machine's memory and multipliers can do. Figures beside a peer's: Benchmarks/README.md.
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
