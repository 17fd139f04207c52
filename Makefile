# One command for each thing that people do here. `make story` is where to begin.
SWIFT ?= swift
# Kernels are C: without optimisation they are so slow that debug tests would measure patience.
TEST_FLAGS := -Xcc -O2

# One after the other: heartbeats, processes and servers must not share two processors with everything else.
TEST_TARGETS := $(notdir $(patsubst %/,%,$(wildcard Tests/*Tests/)))

.PHONY: story build test test-optimised test-server test-compression sanitize lint format bench setup setup-test clean

story: build
	@.build/release/hearth story

build: setup
	@$(SWIFT) build -c release --product hearth

# Everything that has to hold: style, the whole suite, parsers and kernels under the address sanitizer, threads under
# the thread sanitizer, and the kernels of the other architecture in an emulator.
test: setup-test lint
	$(SWIFT) build --build-tests $(TEST_FLAGS)
	@for target in $(TEST_TARGETS); do \
		$(SWIFT) test $(TEST_FLAGS) --skip-build --filter "^$$target\." || exit 1; \
	done
	HEARTH_SLOW_TESTS=1 $(SWIFT) test $(TEST_FLAGS) --skip-build --filter '^HearthCLITests\.(Prefix)?KillTests'
	$(MAKE) --no-print-directory test-optimised
	$(MAKE) --no-print-directory test-server
	$(MAKE) --no-print-directory test-compression
	$(MAKE) --no-print-directory sanitize
	scripts/test-kernels
	@if command -v qemu-aarch64 >/dev/null; then scripts/test-kernels --neon; fi

# That a decode step allocates nothing holds for optimised code, which debug tests are not.
test-optimised:
	SWIFT=$(SWIFT) scripts/test-optimised

# The server with programs that others wrote: OpenAI's client, Prometheus, a browser.
test-server:
	@Tests/Server/run

# Smaller models read by programs that others wrote: coremltools, PyPI's gguf; HEARTH_TEST_ALL=1 takes all forms, and llama.cpp.
test-compression:
	@Tests/Compression/run

# Leaks are not looked for: the test runner's own start leaks a few bytes.
sanitize:
	HEARTH_FUZZ_RUNS=20000 ASAN_OPTIONS=detect_leaks=0 $(SWIFT) test $(TEST_FLAGS) --sanitize=address --scratch-path .build/asan \
		--filter 'HearthFormatsTests|HearthComputeTests|HearthSafetyTests|HearthTextTests.(Vocabulary|FlatVocabulary|Tokenizer|GemmaLoading)|HearthVisionTests.(Picture|CropAndScale|ImageInput)'
	$(SWIFT) test $(TEST_FLAGS) -Xswiftc -DTHREAD_SANITIZER --sanitize=thread --scratch-path .build/tsan \
		--filter 'WorkerPoolTests|TextGeneratorTests|StorytellerTests|FrameClassifierTests|HearthRuntimeTests|HearthSimulationTests|HearthServerTests'

lint:
	@$(SWIFT) format lint --recursive --strict --parallel Package.swift Sources Tests

format:
	@$(SWIFT) format --recursive --in-place --parallel Package.swift Sources Tests

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

setup-test:
	@scripts/setup test

clean:
	$(SWIFT) package clean
