"""Every shader for Metal against formulas and goldens; threads in either order, so that a missing barrier shows."""

import array
import json
import math
import operator
import pathlib
import struct
import unittest

from metal_shader import SHADERS, WAYS, ShaderTest, floats, raw, words

FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "Fixtures/gemma"
ORDERS = (False, True)
# Number formats of keys and values.
F32, F16, INT4, INT8 = 0, 1, 2, 8


def half(value):
    return struct.unpack("<e", struct.pack("<e", value))[0]


class MetalShaders(ShaderTest):
    def test_every_shader_is_tested(self):
        tests = "".join(file.read_text() for file in pathlib.Path(__file__).parent.glob("*_test.py"))
        for file in SHADERS.glob("*.metal"):
            name, *form = file.stem.split(".")
            self.assertRegex(tests, rf'shader\("{name}"' + (r"[^)]*, subgroup=subgroup\)" if form else ""))

    def test_blocks_decode_to_the_bit_and_products_follow(self):
        kinds = json.loads((FIXTURES / "blocks.json").read_text())["types"]
        content = (FIXTURES / "blocks.raw").read_bytes()
        values = array.array("f", (FIXTURES / "blocks.f32").read_bytes())
        seen = set()
        for kind in kinds:
            number, count = kind["ggml_type"], kind["values"]
            if number not in (0, 1, 2, 8, 12, 13, 14, 30):
                continue
            seen.add(number)
            expected = list(values[kind["value_offset"] : kind["value_offset"] + count])
            row_bytes, offset = kind["raw_bytes"], kind["raw_offset"]
            row = content[offset : offset + row_bytes]
            for backwards in ORDERS:
                with self.subTest(format=kind["type"], backwards=backwards):
                    # A row before it, of other bytes; an id beyond the table reads row 0.
                    table, hidden = raw(bytes(row_bytes) + row), floats([7] * 3 * (count + 1))
                    self.shader("embed", number).run(
                        [table, words([1, 0, 9]), hidden, count // 8, row_bytes, count + 1, 2, 2.0],
                        (count // 8 + 63) // 64, 3, backwards)
                    self.assertEqual(list(hidden[:count]), [2 * x for x in expected])
                    self.assertEqual(hidden[count], 7)
                    for start in (count + 1, 2 * (count + 1)):
                        self.assertTrue(all(x == 0 or math.isnan(x) for x in hidden[start : start + count]))
            # Rows of a thread are eight apart: some threads have two rows here, and the others one.
            rows = 11
            for backwards in ORDERS:
                with self.subTest(format=kind["type"], backwards=backwards):
                    alone = {}
                    for tokens, together, cap in ((1, 1, 3.0), (1, 1, 0.0), (9, 8, 0.0)):
                        # Rows of an odd number of blocks begin in the middle of a word.
                        table = raw(row * rows)
                        x = [math.sin(at * at) for at in range(tokens * count)]
                        y = floats([7] * tokens * (rows + 1))
                        self.shader("product", number, together).run(
                            [table, floats(x), y, rows, count // 8, row_bytes, count, rows + 1, tokens, 0, 1.0, cap],
                            1, (tokens + together - 1) // together, backwards)
                        for token in range(tokens):
                            terms = [w * v for w, v in zip(expected, x[token * count :])]
                            size, total = sum(map(abs, terms)), math.fsum(terms)
                            wanted = cap * math.tanh(total / cap) if cap else total
                            found = list(y[(rows + 1) * token :][:rows])
                            for value in found:
                                self.assertLessEqual(abs(value - wanted), 1e-6 * size + 1e-6)
                            self.assertEqual(y[(rows + 1) * token + rows], 7)
                            # Bits of a token do not depend on the others.
                            if not cap:
                                self.assertEqual(alone.setdefault(token, found), found)
        self.assertEqual(seen, {0, 1, 2, 8, 12, 13, 14, 30})

    def test_a_group_goes_over_several_rows(self):
        rows, count = 45, 24
        weights = [math.sin(at) for at in range(rows * count)]
        x = [math.cos(at) for at in range(count)]
        table = floats(weights)
        expected = [sum(w * v for w, v in zip(weights[row * count :], x)) for row in range(rows)]
        for backwards in ORDERS:
            with self.subTest(backwards=backwards):
                product = self.shader("product", 0, 1)
                y = floats([0] * rows)
                # Two groups of sixteen rows each.
                words = [table, floats(x), y, rows, count // 8, 4 * count, count, rows, 1]
                product.run([*words, 0, 1.0, 0.0], 2, 1, backwards)
                self.near(y, expected, 1e-5)
                # Added to what is there.
                product.run([*words, 1, -0.5, 0.0], 2, 1, backwards)
                self.near(y, [v / 2 for v in expected], 1e-5)
                product.run([*words, 1, 1.0, 3.0], 2, 1, backwards)
                self.near(y, [3 * math.tanh(v / 2) for v in expected], 1e-5)

    def test_norms(self):
        count, heads, width = 3, 2, 70
        stride = heads * width
        x = [math.sin(at) for at in range(count * stride)]
        gain = [1 + at / 100 for at in range(width)]

        def factor(start):
            return 1 / math.sqrt(sum(v * v for v in x[start : start + width]) / width + 1e-6)

        normed = [x[at] * factor(at // width * width) * gain[at % width] for at in range(len(x))]
        for subgroup, backwards in WAYS:
            with self.subTest(subgroup=subgroup, backwards=backwards):
                norm = self.shader("norm", subgroup=subgroup)
                y = floats([1] * len(x))
                norm.run([floats(x), floats(gain), y, width, stride, stride, 0, 1e-6], heads, count, backwards)
                self.near(y, normed, 1e-5)
                norm.run([floats(x), None, y, width, stride, stride, 0, 1e-6], heads, count, backwards)
                self.near(y, [v / g for v, g in zip(normed, [gain[at % width] for at in range(len(x))])], 1e-5)
                # In place, and added to what is there, with a gain and without.
                y = floats(x)
                norm.run([y, floats(gain), y, width, stride, stride, 0, 1e-6], heads, count, backwards)
                self.near(y, normed, 1e-5)
                y = floats([1] * len(x))
                norm.run([floats(x), floats(gain), y, width, stride, stride, 1, 1e-6], heads, count, backwards)
                self.near(y, [v + 1 for v in normed], 1e-5)
                norm.run([floats(x), None, y, width, stride, stride, 1, 1e-6], heads, count, backwards)
                self.near(y, [a + 1 + b for a, b in zip(normed, x)], 1e-5)

    def test_rotation(self):
        count, heads, width = 2, 3, 50
        x = [at / 10 - 3 for at in range(count * heads * width)]
        turns = [[(token + 1) / (pair + 1) for pair in range(width // 2)] for token in range(count)]
        angles = [v for row in turns for v in [*map(math.cos, row), *map(math.sin, row)]]
        expected = list(x)
        for at in range(len(x)):
            token, pair = at // (heads * width), at % (width // 2)
            c, s = math.cos(turns[token][pair]), math.sin(turns[token][pair])
            is_low = at % width < width // 2
            partner = x[at + width // 2] if is_low else x[at - width // 2]
            expected[at] = x[at] * c - partner * s if is_low else x[at] * c + partner * s
        y = floats(x)
        self.shader("rotary").run([y, floats(angles), heads, width, heads * width], 2, count)
        self.near(y, expected, 1e-5)

    def test_gates(self):
        width, count, stride, up_stride = 70, 2, 80, 90
        gate = [at / 8 - 8 for at in range(count * stride)]
        up = [math.sin(at) for at in range(count * up_stride)]
        found = floats(gate)
        self.shader("gate").run([found, floats(up), width, stride, up_stride], 2, count)
        expected = list(gate)
        for token in range(count):
            for column in range(width):
                z, factor = gate[token * stride + column], up[token * up_stride + column]
                gelu = 0.5 * z * (1 + math.tanh(0.7978845608028654 * (z + 0.044715 * z**3)))
                expected[token * stride + column] = gelu * factor
        self.near(found, expected, 1e-5)

    def test_sums_of_rows(self):
        width, count, x_stride, y_stride = 70, 2, 75, 80
        x = [math.sin(at) for at in range(count * x_stride)]
        y = [math.cos(at) for at in range(count * y_stride)]
        gain = [1 + at / 100 for at in range(width)]
        for a, b, has_gain in ((1.0, 0.0, False), (-0.5, 2.0, False), (3.0, 1.0, True)):
            with self.subTest(a=a, b=b):
                # What is not read may be anything.
                found = floats(y if b else [math.nan] * len(y))
                self.shader("blend").run(
                    [floats(x), floats(gain) if has_gain else None, found, width, x_stride, y_stride, a, b], 2, count)
                for token in range(count):
                    expected = [
                        a * x[token * x_stride + at] * (gain[at] if has_gain else 1) + b * y[token * y_stride + at]
                        for at in range(width)]
                    self.near(list(found[token * y_stride :][:width]), expected, 1e-6)
                rest = list(found[width:y_stride])
                self.assertTrue(rest == list(floats(y[width:y_stride])) if b else all(map(math.isnan, rest)))

    def test_what_is_far_below_the_mean_is_cut(self):
        width, count, stride, deviations = 130, 2, 140, 0.7
        x = [math.sin(at * at) * 5 + 1 for at in range(count * stride)]
        for subgroup, backwards in WAYS:
            found = floats(x)
            self.shader("cut", subgroup=subgroup).run([found, width, stride, deviations], 1, count, backwards)
            expected = list(x)
            for token in range(count):
                row = x[token * stride :][:width]
                mean = sum(row) / width
                limit = mean + deviations * math.sqrt(sum((v - mean) ** 2 for v in row) / width)
                expected[token * stride : token * stride + width] = [max(0, v - limit) for v in row]
            self.near(found, expected, 1e-5)
            self.assertTrue(0 < sum(v == 0 for v in found[:width]) < width)

    def test_rows_of_the_size_of_others(self):
        width, count, x_stride, wanted_stride = 70, 3, 80, 75
        x = [math.sin(at) for at in range(count * x_stride)]
        wanted = [9 * math.cos(at) for at in range(count * wanted_stride)]
        # The second one is next to nothing.
        x[x_stride : 2 * x_stride] = [v * 1e-6 for v in x[x_stride : 2 * x_stride]]
        for subgroup, backwards in WAYS:
            found = floats(x)
            self.shader("match", subgroup=subgroup).run(
                [found, floats(wanted), width, x_stride, wanted_stride, 1e-5], 1, count, backwards)
            expected = list(x)
            for token in range(count):
                row, other = x[token * x_stride :][:width], wanted[token * wanted_stride :][:width]
                square = sum(v * v for v in row) / width
                factor = math.sqrt(sum(v * v for v in other) / width / max(square, 1e-5))
                expected[token * x_stride : token * x_stride + width] = [v * factor for v in row]
            self.near(found, expected, 1e-5)

    def test_streams_are_predicted_and_corrected(self):
        n, width, count, active = 3, 70, 2, 1
        stride, routed_stride, h_stride = n * width + 5, n + 1, width + 3
        x = [math.sin(at) for at in range(count * stride)]
        routed = [math.cos(at) for at in range(count * routed_stride)]
        h = [math.cos(3 * at) for at in range(count * h_stride)]
        weights = [math.sin(2 * at + 1) for at in range(n**3)]

        def factors(row):
            r = routed[row * routed_stride :][:n]
            return [sum(w * v for w, v in zip(weights[f * n :], r)) for f in range(n * n)]

        for corrects, backwards in ((False, False), (False, True), (True, False), (True, True)):
            found = floats([7] * len(x))
            self.shader("streams").run(
                [floats(x), floats(weights), floats(routed), floats(h) if corrects else None, found, n, width, stride,
                 routed_stride, h_stride, active], 2, count, backwards)
            expected = [7] * len(x)
            for row in range(count):
                factor = factors(row)
                for i in range(n):
                    for column in range(width):
                        streams = [x[row * stride + j * width + column] for j in range(n)]
                        if corrects:
                            change = (1 + factor[i]) * (h[row * h_stride + column] - streams[active])
                        else:
                            change = sum(factor[i * n + j] * streams[j] for j in range(n))
                        expected[row * stride + i * width + column] = streams[i] + change
            self.near(found, expected, 1e-5)

    def test_keys_and_values_are_stored(self):
        # Subnormal halves, ties, the largest, infinity. What is finite stays finite.
        special = [6e-8, 3e-8, 1 + 2**-11, 1 + 3 * 2**-11, 65504, 65519, -65520, 1e-9, -0.0, math.inf, 6.1e-5, 0.1]
        width, count, position = 6, 2, 3
        x = floats(special)
        cache = floats([0] * width * (position + count))
        self.shader("store", 0).run([x, cache, 1, width, width, position], 1, count)
        self.assertEqual(list(cache[position * width :]), list(x))
        cache = raw(bytes(2 * width * (position + count)))
        self.shader("store", 1).run([x, cache, 1, width, width, position], 1, count)
        kept = struct.unpack(f"<{width * count}e", cache.raw[2 * width * position : 2 * width * (position + count)])
        wanted = [half(value if math.isinf(value) else max(-65504, min(65504, value))) for value in x]
        self.assertEqual(list(map(repr, kept)), [repr(value) for value in wanted])

    def test_heads_are_spread(self):
        for width, heads, count in ((64, 2, 2), (96, 3, 1), (50, 1, 2), (512, 1, 1)):
            for backwards in ORDERS:
                with self.subTest(width=width, backwards=backwards):
                    x = [math.sin(at * at) for at in range(count * heads * width)]
                    found = floats(x)
                    self.shader("spread").run([found, width, heads * width], heads, count, backwards)
                    size = width & -width
                    expected = []
                    for at in range(len(x)):
                        first = at // size * size
                        signs = [(-1) ** bin(i & (at - first)).count("1") for i in range(size)]
                        expected.append(sum(s * v for s, v in zip(signs, x[first : first + size])) / math.sqrt(size))
                    self.near(found, expected, 1e-5)

    def test_attention(self):
        heads, cache_heads, positions, first = 4, 2, 150, 147
        scale, cap = 0.3, 20.0

        def noise(count, seed):
            return [half(math.sin(at * 37 + seed * 101)) for at in range(count)]

        for width, formats in ((72, (F32, F16, INT8, INT4)), (32, (INT8, INT4))):
            row = cache_heads * width
            keys, values = noise(positions * row, 1), noise(positions * row, 2)
            queries = noise((positions - first) * heads * width, 3)
            for kind in formats:
                stood_for = [self.packed(v, width, kind) for v in (keys, values)]
                caches = {
                    backwards: [self.cached(v, cache_heads, width, kind, backwards) for v in (keys, values)]
                    for backwards in ORDERS}
                for window, soft, ways in (
                    (0, cap, ((0, False), (32, False), (24, True))), (5, cap, ((0, True), (8, True))),
                    (100, 0.0, ((0, True), (32, True), (64, False))),
                ):
                    expected = []
                    for query, position in enumerate(range(first, positions)):
                        seen = range(max(0, position + 1 - window) if window else 0, position + 1)
                        for head in range(heads):
                            column = head // (heads // cache_heads) * width
                            q = queries[(query * heads + head) * width :][:width]
                            scores = [
                                sum(map(operator.mul, q, stood_for[0][at * row + column : at * row + column + width]))
                                * scale for at in seen]
                            if soft:
                                scores = [soft * math.tanh(score / soft) for score in scores]
                            highest = max(scores)
                            weights = [math.exp(score - highest) for score in scores]
                            total = sum(weights)
                            expected += [
                                sum(w * stood_for[1][at * row + column + i] for w, at in zip(weights, seen)) / total
                                for i in range(width)]
                    for subgroup, backwards in ways:
                        with self.subTest(width=width, kind=kind, window=window, subgroup=subgroup, backwards=backwards):
                            out = floats([0] * len(queries))
                            self.shader("attention", kind, subgroup=subgroup).run(
                                [floats(queries), *caches[backwards], out, heads, cache_heads, width, heads * width,
                                 heads * width, first, window, scale, soft], heads, positions - first, backwards)
                            # A quotient next to a half may be rounded to the other side.
                            self.near(out, expected, 2e-5 if kind in (F32, F16) else 2e-3)

    def cached(self, x, heads, width, kind, backwards):
        """Keys or values of positions, as the shader stores them."""
        row, cache = heads * width, raw(bytes(4 * len(x)))
        units = (heads * ((width + 31) // 32) + 1) // 2
        groups = units if kind in (INT8, INT4) else (row // 2 + 63) // 64
        self.shader("store", kind).run([floats(x), cache, heads, width, row, 0], groups, len(x) // row, backwards)
        return cache

    @staticmethod
    def packed(x, width, kind):
        """The values that blocks of 32 values of a head stand for, packed as the kernels of the CPU do it."""
        if kind in (F32, F16):
            return x
        result = []
        for start in range(0, len(x), width):
            for first in range(start, start + width, 32):
                values = x[first : min(first + 32, start + width)]
                extreme = max(values, key=abs)
                scale = half(abs(extreme) / 127 if kind == INT8 else extreme / -8)
                quants = [0 if scale == 0 else round(v / scale) for v in values]
                if kind == INT4:
                    quants = [max(-8, min(7, quant)) for quant in quants]
                    squares = sum(quant * quant for quant in quants)
                    scale = half(sum(a * b for a, b in zip(quants, values)) / squares) if squares else scale
                result += [quant * scale for quant in quants]
        return result


if __name__ == "__main__":
    unittest.main()
