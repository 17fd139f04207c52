"""The counter of Benchmarks/gpu: what its interpreter computes and counts, compared with plain Python and with counts by hand."""

import json
import math
import operator
import pathlib
import random
import shutil
import struct
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Benchmarks/gpu"))
import count
import spirv
from count import F16, Q4_0, Q6_K, Q8_0, SHADERS, place
from words import Memory

random.seed(11)


def floats(number):
    return [random.uniform(-1, 1) for _ in range(number)]


def words(data):
    return list(struct.unpack(f"<{len(data) // 4}I", data))


def q8_0(rows, columns):
    """Random blocks: their values, and their bytes."""
    values, data = [], b""
    for _ in range(rows * columns // 32):
        scale = struct.pack("<e", random.uniform(0.01, 0.1))
        quants = [random.randint(-128, 127) for _ in range(32)]
        values += [struct.unpack("<e", scale)[0] * quant for quant in quants]
        data += scale + struct.pack("<32b", *quants)
    return values, data


def q4_0(rows, columns):
    values, data = [], b""
    for _ in range(rows * columns // 32):
        scale = struct.pack("<e", random.uniform(0.01, 0.1))
        quants = [random.randint(0, 15) for _ in range(32)]
        values += [struct.unpack("<e", scale)[0] * (quant - 8) for quant in quants]
        data += scale + bytes(quants[i] | quants[i + 16] << 4 for i in range(16))
    return values, data


@unittest.skipUnless(
    all(map(shutil.which, ("spirv-dis", "spirv-as", "spirv-opt"))), "no spirv-dis, spirv-as or spirv-opt (spirv-tools)")
class ShaderCounts(unittest.TestCase):
    def forms(self, name, *constants):
        """The shader portable and, if it has that form, with subgroups; as it is and specialized."""
        for path in (SHADERS / f"{name}.spv", SHADERS / f"{name}.subgroups.spv"):
            if not path.exists():
                continue
            yield path.stem, spirv.Shader(spirv.disassemble(path), constants)
            yield f"{path.stem}, specialized", spirv.Shader(spirv.optimized(path, constants))

    def near(self, found, expected):
        self.assertEqual(len(found), len(expected))
        for a, b in zip(found, expected):
            self.assertAlmostEqual(a, b, delta=1e-5 * max(1, abs(b)))

    # What it computes

    def test_products_are_those_of_plain_python(self):
        # Rows of a thread are eight apart; with three blocks each, every other row begins in the middle of a word.
        rows, columns = 18, 96
        for format, make in ((Q8_0, q8_0), (Q4_0, q4_0)):
            for tokens, at_once in ((1, 1), (3, 8)):
                weights, data = make(rows, columns)
                x = floats(tokens * columns)
                expected = [
                    0.5 * sum(weights[row * columns + i] * x[token * columns + i] for i in range(columns))
                    for token in range(tokens) for row in range(rows)]
                for name, shader in self.forms("product", format, at_once):
                    memory = Memory()
                    memory.put(0, words(data))
                    memory.put(1, x)
                    arguments = [place(0), place(1), place(2), rows, columns // 8, count.row_bytes(format, columns)]
                    arguments += [columns, rows, tokens, 0, 0.5, 0.0]
                    with self.subTest(shader=name, format=format, tokens=tokens):
                        # One workgroup takes the rows in turns.
                        shader.run(memory, arguments)
                        self.near(memory.get(2, tokens * rows), expected)

    def test_products_of_all_formats_are_those_of_the_blocks(self):
        """Blocks that an independent implementation expanded; a row of Q6_K begins in the middle of every other word."""
        fixtures = pathlib.Path(__file__).resolve().parents[1] / "Fixtures/gemma"
        raw, rows, seen = (fixtures / "blocks.raw").read_bytes(), 10, set()
        for kind in json.loads((fixtures / "blocks.json").read_text())["types"]:
            format, columns, size = kind["ggml_type"], kind["values"], kind["raw_bytes"]
            if format not in (0, 1, 2, 8, 12, 13, 14, 30):
                continue
            seen.add(format)
            data = raw[kind["raw_offset"]:][:size] * rows
            start = kind["value_offset"]
            values = struct.unpack(f"<{columns}f", (fixtures / "blocks.f32").read_bytes()[start * 4:][:columns * 4])
            x = floats(columns)
            shader = spirv.Shader(spirv.optimized(SHADERS / "product.spv", (format, 1)))
            memory = Memory()
            memory.put(0, words(data + bytes(-len(data) % 4)))
            memory.put(1, x)
            shader.run(memory, [place(0), place(1), place(2), rows, columns // 8, size, columns, rows, 1, 0, 1.0, 0.0])
            total, magnitude = sum(map(operator.mul, values, x)), sum(abs(a * b) for a, b in zip(values, x))
            for found in memory.get(2, rows):
                self.assertAlmostEqual(found, total, delta=1e-6 * magnitude, msg=kind["type"])
        self.assertEqual(len(seen), 8)

    def test_attention_is_that_of_plain_python(self):
        positions, width, window = 70, 32, 66
        query, keys, values = floats(width), floats(positions * width), floats(positions * width)
        packed = lambda values: words(struct.pack(f"<{len(values)}e", *values))
        half = lambda values: struct.unpack(f"<{len(values)}e", struct.pack(f"<{len(values)}e", *values))
        seen = range(positions - window, positions)
        scores = [0.3 * sum(query[i] * half(keys)[p * width + i] for i in range(width)) for p in seen]
        weights = [math.exp(score - max(scores)) for score in scores]
        expected = [
            sum(w * half(values)[p * width + i] for w, p in zip(weights, seen)) / sum(weights) for i in range(width)]
        for name, shader in self.forms("attention", F16):
            with self.subTest(shader=name):
                memory = Memory()
                memory.put(0, query)
                memory.put(1, packed(keys))
                memory.put(2, packed(values))
                arguments = [place(i) for i in range(4)] + [1, 1, width, width, width, positions - 1, window, 0.3, 0.0]
                shader.run(memory, arguments)
                self.near(memory.get(3, width), expected)

    def test_norms_are_those_of_plain_python(self):
        x, gain, y = floats(100), floats(100), floats(100)
        factor = 1 / math.sqrt(sum(value * value for value in x) / 100 + 1e-6)
        for name, shader in self.forms("norm"):
            with self.subTest(shader=name):
                memory = Memory()
                for number, values in enumerate((x, gain, y)):
                    memory.put(number, values)
                shader.run(memory, [place(0), place(1), place(2), 100, 100, 100, 1, 1e-6])
                self.near(memory.get(2, 100), [c + a * factor * b for a, b, c in zip(x, gain, y)])

    # What it counts

    def test_counts_of_the_gate_are_those_by_hand(self):
        """A thread in the row: the comparison with the width and its branch; a product, a sum and an address for each buffer; of
        floats three products and a multiply-add in u, the clamped exponential (a product less, as -2 is part of the constant) with
        its sum and quotient, and the product with `up`; two loads and a store. A thread behind it only compares."""
        shader = spirv.Shader(spirv.disassemble(SHADERS / "gate.spv"))
        memory = Memory()
        memory.put(0, floats(40))
        counts = shader.run(memory, [place(0), place(1), 40, 80, 80])
        inside = {"integer": 1 + 2 * 3, "control": 1, "float": 3 + 1 + 2 + 2 + 1, "memory": 3}
        for name in spirv.CLASSES:
            behind = 1 if name in ("integer", "control") else 0
            self.assertEqual(counts.classes[name], 40 * inside.get(name, 0) + 24 * behind, name)
        self.assertEqual(counts.traffic, {0: (160, 160, 160, 160), 1: (160, 0, 160, 0)})
        # The threads behind the row take the slots of their subgroup.
        self.assertEqual(counts.slots, 64 * 20)

    def test_bytes_of_a_product_are_those_by_hand(self):
        """A block of Q8_0 takes nine words; each thread loads its x itself, once for its two rows. A row of 64 values is 17
        words."""
        total = count.Counter(False, False).product(Q8_0, 16, 64, 1)
        self.assertEqual(total.traffic[0][0], 16 * 2 * 9 * 4)
        self.assertEqual(total.traffic[0][2], 16 * 17 * 4)
        self.assertEqual(total.traffic[1][0], 16 // 2 * 64 * 4)
        self.assertEqual(total.traffic[2][1], 16 * 4)

    def test_products_take_few_instructions(self):
        """For each multiply-add of a long row, with the sums of the threads: a bound for each format, above what it takes."""
        for format, tokens, most in ((Q8_0, 1, 5.0), (Q8_0, 8, 2.3), (Q4_0, 1, 5.0), (Q6_K, 1, 6.8)):
            total = count.Counter(False).product(format, 16, 2048, tokens)
            with self.subTest(format=format, tokens=tokens):
                self.assertLess(total.instructions, most * 16 * 2048 * tokens)
                # Sums and x are in registers.
                self.assertEqual(total.classes["private"], 0)

    def test_counts_of_longer_products_lie_on_a_line(self):
        counter = count.Counter(False, False)
        scaled = counter.product(Q4_0, 64, 8 * 192, 1)
        arguments = [place(0), place(1), place(2), 64, 192, count.row_bytes(Q4_0, 8 * 192), 8 * 192, 64, 1, 0, 1.0, 0.0]
        one = counter.group("product", (Q4_0, 1), arguments, (64, 1))
        self.assertEqual(scaled.instructions, 4 * one.instructions)
        self.assertEqual(scaled.slots, 4 * one.slots)
        self.assertEqual(scaled.traffic[0], tuple(4 * bytes for bytes in one.traffic[0]))

    def test_counts_of_attention_follow_from_few_positions(self):
        model = count.Model(1, 64, 64, 2, 1, 64, 100, 0, Q8_0, Q8_0, False)
        for uses_subgroups in (False, True):
            counter = count.Counter(uses_subgroups, False)
            scaled = counter.attention(model, 1, 169, 0)
            arguments = [place(i) for i in range(4)] + [2, 1, 64, 128, 128, 169, 0, 0.0625, 0.0]
            one = counter.group("attention", (F16,), arguments, (2, 1))
            self.assertEqual(round(scaled.instructions), 2 * one.instructions)
            self.assertEqual(round(scaled.slots), 2 * one.slots)
            self.assertEqual(round(scaled.bytes()[0]), 2 * one.bytes()[0])
            self.assertEqual(round(scaled.traffic[1][2]), 170 * 64 * 2)

    def test_a_workgroup_stands_for_its_dispatch(self):
        """All workgroups of a small product, run one by one."""
        rows, columns, tokens = 32, 64, 16
        counter = count.Counter(False, False)
        total, memory = count.Total(), Memory()
        shader = counter.shader("product", (Q8_0, 8))
        arguments = [place(0), place(1), place(2), rows, columns // 8, count.row_bytes(Q8_0, columns), columns, rows, tokens]
        for x in range(rows // 16):
            for y in range(tokens // 8):
                ran = shader.run(memory, arguments + [0, 1.0, 0.0], (x, y), (rows // 16, tokens // 8))
                ran.traffic, traffic = {}, ran.traffic
                total.add(ran)
        total.traffic = traffic
        scaled = counter.product(Q8_0, rows, columns, tokens)
        self.assertEqual(total.classes, scaled.classes)
        self.assertEqual(total.traffic, scaled.traffic)

    def test_a_decoded_token_reads_each_weight_once(self):
        """With the dispatches of a model of two layers: what is read at least is what the weights, keys and values have."""
        model = count.Model(2, 64, 128, 2, 1, 64, 256, 0, Q8_0, Q8_0, True)
        work = count.Work(count.Counter(True, False), model).token(3)
        matrices = 2 * (64 * (128 + 64 + 64) + 128 * 64 + 3 * 64 * 128) + 256 * 64
        products = work.totals["product Q8_0"]
        self.assertEqual(products.traffic[0][2], matrices // 32 * 34)
        self.assertEqual(work.products["product Q8_0"], matrices)
        self.assertEqual(products.bytes()[1], work.ideal["product Q8_0"])
        self.assertEqual(round(work.totals["attention"].bytes()[1]), work.ideal["attention"])
        self.assertEqual(work.dispatches["norm"], 2 * 6 + 1)

    def test_an_unknown_instruction_is_refused_by_name(self):
        text = spirv.disassemble(SHADERS / "gate.spv").replace("%1 Exp", "%1 Sinh")
        with self.assertRaisesRegex(spirv.Unknown, "Sinh"):
            spirv.Shader(text)


if __name__ == "__main__":
    unittest.main()
