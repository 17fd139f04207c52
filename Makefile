# One command for each thing that people do here. `make story` is where to begin.
SWIFT ?= swift
# Kernels are C: without optimisation they are so slow that debug tests would measure patience.
TEST_FLAGS := -Xcc -O2

.PHONY: story build test test-house sanitize lint format bench setup clean

story: build
	@.build/release/hearth story

build: setup
	@$(SWIFT) build -c release --product hearth

# Everything that has to hold: the whole suite, parsers and kernels under the address sanitizer, the other
# instruction set where an emulator is there, and the style.
test: setup lint
	$(SWIFT) test $(TEST_FLAGS) --parallel
	$(MAKE) --no-print-directory sanitize
	@if [ -x scripts/test-neon ]; then scripts/test-neon; fi

sanitize:
	$(SWIFT) test $(TEST_FLAGS) --sanitize=address --scratch-path .build/asan --parallel \
		--filter 'HearthFormatsTests|HearthComputeTests'

lint:
	@$(SWIFT) format lint --recursive --strict --parallel Package.swift Sources Tests

format:
	@$(SWIFT) format --recursive --in-place --parallel Package.swift Sources Tests

# Reserved: figures beside a peer's, from Benchmarks/.
bench: build
	@echo "There are no benchmarks yet: they come with Benchmarks/."

setup:
	@scripts/setup

clean:
	$(SWIFT) package clean
