# One command for each thing that people do here. `make story` is where to begin.
SWIFT ?= swift
SECONDS ?= 60
TARGET ?=
export SWIFT

.PHONY: story build test check lint format bench fuzz coverage setup clean

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

lint:
	@$(SWIFT) format lint --recursive --strict --parallel Package.swift Sources Tests Fuzz

format:
	@$(SWIFT) format --recursive --in-place --parallel Package.swift Sources Tests Fuzz

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
