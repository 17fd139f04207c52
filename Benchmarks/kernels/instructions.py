#!/usr/bin/env python3
"""Counts the instructions of products, which no other load on the machine changes.

    instructions.py check            fixed small products against Tests/KernelsCross/instructions.txt (scripts/test-kernels)
    instructions.py record           writes that file
    instructions.py models [PEER]    what a token of two models costs on 64-bit Arm, beside llama.cpp: PEER is the folder `ggml`
                                     of its source, as the source distribution of llama-cpp-python on PyPI has it

AVX2 is counted by valgrind, 64-bit Arm in QEMU's user-mode emulator by a plugin (emulator_count.c). Each product is run once and
twice; the difference is the product with the rounding of its activations, and nothing of the program around it.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KERNELS = ROOT / "Sources/CHearthKernels"
BUDGETS = ROOT / "Tests/KernelsCross/instructions.txt"
ALLOWED = 1.03

# What the emulator is to be, by the name that the budgets and tables have for it.
PROCESSORS = {"i8mm": "max", "dotprod": "cortex-a76"}

# Of each set: activation bits, format, rows, columns, tokens. 1280 columns are more than a panel has, and end in no whole step.
PRODUCTS = [
    (bits, format, 64, 1312 if format[-1] == "0" else 1280, tokens)
    for format in ("Q4_0", "Q8_0", "Q4_K", "Q6_K") for bits in (16, 8) for tokens in (1, 32)
]

# Matrices of a layer: rows, columns, how many, and whether they keep 16 bits (the output of attention). Then layers and the head.
MODELS = {
    "270M Q8_0": ("Q8_0", [(1024, 640, 1, False), (256, 640, 2, False), (640, 1024, 1, True), (2048, 640, 2, False),
                           (640, 2048, 1, False)], 18, ("Q8_0", 262144, 640)),
    "2B Q4_0": ("Q4_0", [(2048, 2048, 1, False), (256, 2048, 2, False), (2048, 2048, 1, True), (16384, 2048, 2, False),
                         (2048, 16384, 1, False)], 18, ("Q6_K", 256000, 2048)),
}
PROMPT = 64  # tokens that a count is made with: panels have no more
SAMPLE = 256  # rows at most: the others are like them


class Missing(Exception):
    """A program that this machine does not have; the message names it."""


def run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode:
        raise SystemExit(f"instructions: error: {' '.join(map(str, command))}\n{done.stderr[-4000:]}")
    return done


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            raise Missing(program)


def build(folder, target):
    """The program of count.c, with optimisation as in the release."""
    need("clang")
    flags = ["-std=c17", "-O2", f"-I{KERNELS / 'include'}"]
    if target:
        flags += [f"--target={target}", "-fuse-ld=lld", "-static"]
    program = folder / f"count-{target or 'host'}"
    run(["clang", *flags, *sorted(KERNELS.glob("*.c")), ROOT / "Benchmarks/kernels/count.c", "-lm", "-o", program])
    return program


class Emulator:
    """Counts in QEMU's user-mode emulator."""

    def __init__(self, folder):
        need("qemu-aarch64", "aarch64-linux-gnu-gcc", "cc")
        self.plugin = folder / "count.so"
        version = run(["qemu-aarch64", "--version"]).stdout
        major, minor = map(int, re.search(r"version (\d+)\.(\d+)", version).groups())
        interface = 1 if (major, minor) < (8, 2) else 2 if major < 9 else 3 if (major, minor) < (9, 1) else 4
        source = ROOT / "Benchmarks/kernels/emulator_count.c"
        run(["cc", "-shared", "-fPIC", "-O2", f"-DQEMU_PLUGIN_VERSION={interface}", source, "-o", self.plugin])

    def count(self, processor, program, *arguments):
        command = ["qemu-aarch64", "-cpu", PROCESSORS[processor], "-plugin", self.plugin, program, *map(str, arguments)]
        return int(re.search(r"^instructions (\d+)$", run(command).stderr, re.M)[1])


def count_by_valgrind(program, *arguments):
    need("valgrind")
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, *map(str, arguments)]
    environment = dict(os.environ, HEARTH_KERNELS="avx2")
    return int(re.search(r"Collected\s*:\s*(\d+)", run(command, env=environment).stderr)[1])


def product(count, *arguments):
    """Instructions of one product, by two counts."""
    return count(*arguments, 2) - count(*arguments, 1)


def measured(folder):
    """Lines of the budgets that can be counted here, and the names of those that cannot."""
    lines, skipped = {}, []
    with_bits = lambda set, p: (set, str(p[0]), *map(str, p[1:]))
    try:
        if os.uname().machine != "x86_64":
            raise Missing("an x86-64 processor")
        need("valgrind")
        program = build(folder, None)
        for bits, format, rows, columns, tokens in PRODUCTS:
            n = product(lambda *a: count_by_valgrind(program, *a), format, bits, rows, columns, tokens)
            lines[with_bits("avx2", (bits, format, rows, columns, tokens))] = n
    except Missing as missing:
        skipped.append(("avx2", missing))
    try:
        emulator = Emulator(folder)
        program = build(folder, "aarch64-linux-gnu")
        for processor in PROCESSORS:
            for bits, format, rows, columns, tokens in PRODUCTS:
                n = product(lambda *a: emulator.count(processor, program, *a), format, bits, rows, columns, tokens)
                lines[with_bits(processor, (bits, format, rows, columns, tokens))] = n
    except Missing as missing:
        skipped += [(processor, missing) for processor in PROCESSORS]
    return lines, skipped


def recorded():
    if not BUDGETS.exists():
        return {}
    lines = [line.split() for line in BUDGETS.read_text().splitlines() if line and line[0] != "#"]
    return {tuple(line[:-1]): int(line[-1]) for line in lines}


def check(folder):
    now, skipped = measured(folder)
    for name, missing in skipped:
        print(f"instructions: skipped: {name} (no {missing})", file=sys.stderr)
    budgets, failed = recorded(), False
    for name in sorted({key[0] for key in now} - {key[0] for key in budgets}):
        print(f"instructions: skipped: {name} (nothing recorded; run `{sys.argv[0]} record`)", file=sys.stderr)
        now = {key: n for key, n in now.items() if key[0] != name}
    for key, n in now.items():
        if key not in budgets:
            print(f"instructions: error: {' '.join(key)}: not in {BUDGETS.name}; run `{sys.argv[0]} record`", file=sys.stderr)
            failed = True
        elif n > budgets[key] * ALLOWED:
            print(f"instructions: error: {' '.join(key)}: {n}, recorded were {budgets[key]} "
                  f"({n / budgets[key] - 1:+.1%}; {ALLOWED - 1:.0%} are allowed)", file=sys.stderr)
            failed = True
    if failed:
        raise SystemExit(f"instructions: if the growth is wanted or the compiler is another, run `{sys.argv[0]} record`")
    print(f"instructions: {len(now)} products within their budgets")


def record(folder):
    now, skipped = measured(folder)
    sets = {key[0] for key in now}
    # Sets that cannot be counted here stay as they were recorded.
    now |= {key: n for key, n in recorded().items() if key[0] not in sets}
    for name, missing in skipped:
        print(f"instructions: not recorded: {name} (no {missing})", file=sys.stderr)
    compiler = run(["clang", "--version"]).stdout.splitlines()[0]
    text = f"# Instructions of products (Benchmarks/kernels/instructions.py), compiled by\n# {compiler}\n"
    text += "# set, bits of activations, format, rows, columns, tokens, instructions\n"
    BUDGETS.write_text(text + "".join(f"{' '.join(key)} {n}\n" for key, n in now.items()))


def build_peer(folder, ggml, processor):
    """The program of count_peer.c with llama.cpp's CPU backend, for the same instructions."""
    need("cmake", "clang++")
    arch = "armv8.2-a+dotprod" + ("+i8mm" if processor == "i8mm" else "")
    place = folder / f"peer-{processor}"
    target = "aarch64-linux-gnu"
    settings = {
        "CMAKE_SYSTEM_NAME": "Linux", "CMAKE_SYSTEM_PROCESSOR": "aarch64", "CMAKE_C_COMPILER": "clang",
        "CMAKE_CXX_COMPILER": "clang++", "CMAKE_C_COMPILER_TARGET": target, "CMAKE_CXX_COMPILER_TARGET": target,
        "CMAKE_EXE_LINKER_FLAGS": "-fuse-ld=lld -static", "CMAKE_BUILD_TYPE": "Release", "BUILD_SHARED_LIBS": "OFF",
        "GGML_NATIVE": "OFF", "GGML_OPENMP": "OFF", "GGML_CPU_ARM_ARCH": arch,
    }
    # The source distribution leaves out this template of a file that is not needed here.
    (ggml / "ggml.pc.in").touch()
    run(["cmake", "-S", ggml, "-B", place, *(f"-D{name}={value}" for name, value in settings.items())])
    run(["cmake", "--build", place, "--target", "ggml-base", "ggml-cpu"])
    program, object = folder / f"count-peer-{processor}", folder / "count_peer.o"
    run(["clang", f"--target={target}", "-O2", f"-I{ggml / 'include'}", "-c", ROOT / "Benchmarks/kernels/count_peer.c", "-o", object])
    libraries = [place / "src/libggml-cpu.a", place / "src/libggml-base.a"]
    run(["clang++", f"--target={target}", "-fuse-ld=lld", "-static", object, "-Wl,--start-group", *libraries,
         "-Wl,--end-group", "-o", program])
    return program


def model_costs(format, layer, layers, head, tokens, instructions):
    """Instructions a token in the layers, and of the head where there is one token."""
    total = 0
    for rows, columns, matrices, keeps_words in layer:
        some = min(rows, SAMPLE)
        total += layers * matrices * rows / some * instructions(format, keeps_words, some, columns, tokens) / tokens
    if tokens == 1:
        total += head[1] / SAMPLE * instructions(head[0], False, SAMPLE, head[2], 1)
    return total


def models(folder, ggml):
    emulator = Emulator(folder)
    program = build(folder, "aarch64-linux-gnu")
    print("| | | 16 bits | 8 bits | llama.cpp | 8 bits to llama.cpp |\n|---|---|---:|---:|---:|---:|")
    for processor in PROCESSORS:
        peer = build_peer(folder, ggml, processor) if ggml else None
        for name, model in MODELS.items():
            for tokens in (PROMPT, 1):
                def ours(bits):
                    return lambda format, keeps, rows, columns, n: product(
                        lambda *a: emulator.count(processor, program, *a), format, 16 if keeps else bits, rows, columns, n)

                def theirs(format, keeps, rows, columns, n):
                    return product(lambda *a: emulator.count(processor, peer, *a), format, rows, columns, n)

                words, few = (model_costs(*model, tokens, ours(bits)) / 1e6 for bits in (16, 8))
                other = model_costs(*model, tokens, theirs) / 1e6 if peer else float("nan")
                what = "prompt" if tokens > 1 else "one token"
                print(f"| {name}, {processor} | {what} | {words:.1f} | {few:.1f} | {other:.1f} | {few / other:.2f} |", flush=True)


def main():
    arguments = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        try:
            if arguments == ["check"]:
                check(folder)
            elif arguments == ["record"]:
                record(folder)
            elif arguments[:1] == ["models"] and len(arguments) < 3:
                models(folder, Path(arguments[1]).resolve() if len(arguments) == 2 else None)
            else:
                raise SystemExit(__doc__)
        except Missing as missing:
            raise SystemExit(f"instructions: error: no {missing}")


main()
