"""The shaders of networks for Metal against formulas; threads in either order, so that a missing barrier shows."""

import itertools
import math
import unittest

from metal_shader import WAYS, ShaderTest, floats

IDENTITY, RELU = 0, 1


def noise(count, seed=0):
    return [math.sin(at * 37 + seed * 101) for at in range(count)]


def blocked(x, channels, positions):
    """Plain channels of one picture in blocks of 16, filled up with NaN, which nothing may depend on."""
    result = []
    for block in range(0, channels, 16):
        for position in range(positions):
            for channel in range(block, block + 16):
                result.append(x[channel * positions + position] if channel < channels else math.nan)
    return result


def plain(x, channels, positions):
    return [
        x[(channel // 16 * positions + position) * 16 + channel % 16]
        for channel in range(channels) for position in range(positions)]


class NetworkShaders(ShaderTest):
    def convolution(self, form, channels, outputs, groups, kernel, stride, dilation, before, residual_last, is_plain=False):
        height, width = 7, 6
        y_height, y_width = 4, 5
        inputs, taps = channels // groups, kernel[0] * kernel[1]
        x, weights = noise(channels * height * width), noise(outputs * inputs * taps, 1)
        bias, residual = noise(outputs, 2), noise(outputs * y_height * y_width, 3)
        expected = []
        for output, row, column in itertools.product(range(outputs), range(y_height), range(y_width)):
            total = bias[output]
            for i, r, c in itertools.product(range(inputs), range(kernel[0]), range(kernel[1])):
                at = (row * stride[0] + r * dilation[0] - before[0], column * stride[1] + c * dilation[1] - before[1])
                if 0 <= at[0] < height and 0 <= at[1] < width:
                    channel = output // (outputs // groups) * inputs + i
                    total += (
                        weights[((output * inputs + i) * kernel[0] + r) * kernel[1] + c]
                        * x[(channel * height + at[0]) * width + at[1]])
            added = residual[(output * y_height + row) * y_width + column]
            expected.append(max(0, total) + added if residual_last else max(0, total + added))
        # Weights as the kernels of the CPU have them.
        blocks, y_blocks = (channels + 15) // 16, (outputs + 15) // 16
        is_planes, is_plain = form == "planes", is_plain or form == "plain"
        packed = []
        if is_planes:
            packed = [weights[output * inputs * taps + at] for at in range(inputs * taps) for output in range(outputs)]
        for block in range(0 if is_planes else y_blocks):
            for part in range({"plain": channels, "depthwise": 1}.get(form, blocks)):
                for tap in range(taps):
                    for i in range(16 if form == "direct" else 1):
                        for lane in range(16):
                            output = block * 16 + lane
                            first = output // (outputs // groups) * inputs
                            channel = {"direct": part * 16 + i, "plain": part}.get(form, first)
                            meets = output < outputs and first <= channel < first + inputs
                            packed.append(weights[(output * inputs + channel - first) * taps + tap] if meets else 0)
        for backwards in (False, True):
            y = floats([7] * (outputs if is_planes else y_blocks * 16) * y_height * y_width)
            added = residual if is_planes else blocked(residual, outputs, y_height * y_width)
            self.shader("convolve", ["direct", "plain", "depthwise", "planes"].index(form)).run(
                [floats(x if is_plain else blocked(x, channels, height * width)), floats(packed), floats(bias + [0] * 16),
                 floats(added), y, channels, height, width, y_blocks, y_height, y_width, *kernel, *stride, *dilation,
                 *before, inputs, outputs // groups, 0 if is_planes and is_plain else blocks, RELU, int(residual_last),
                 0.0, 0.0], (y_height * y_width + 15) // 16, y_blocks, backwards)
            self.near(y if is_planes else plain(y, outputs, y_height * y_width), expected, 1e-5)

    def test_convolutions(self):
        self.convolution("direct", 20, 24, 1, (3, 2), (2, 1), (1, 1), (1, 0), False)
        self.convolution("direct", 20, 10, 2, (2, 2), (1, 1), (2, 1), (0, 0), True)
        self.convolution("plain", 3, 17, 1, (3, 3), (2, 1), (1, 1), (1, 1), False)
        self.convolution("depthwise", 18, 18, 18, (3, 3), (2, 1), (1, 1), (1, 1), True)
        self.convolution("planes", 20, 3, 1, (3, 2), (2, 1), (1, 1), (1, 0), False)
        self.convolution("planes", 3, 17, 1, (3, 3), (2, 1), (1, 1), (1, 1), True, is_plain=True)

    def test_products(self):
        rows, inner, columns, batch = 5, 17, 20, 2
        x, weights = noise(batch * rows * inner), noise(batch * inner * columns, 1)
        bias, residual = noise(columns, 2), noise(batch * rows * columns, 3)
        expected = []
        for b, row, column in itertools.product(range(batch), range(rows), range(columns)):
            total = sum(
                x[(b * rows + row) * inner + i] * weights[(b * inner + i) * columns + column] for i in range(inner))
            expected.append(max(0, 0.5 * total + bias[column] + residual[(b * rows + row) * columns + column]))
        for backwards in (False, True):
            y = floats([7] * len(expected))
            self.shader("linear").run(
                [floats(x), floats(weights), floats(bias), floats(residual), y, rows, inner, columns, inner, 1, columns,
                 16, 1, columns, rows * inner, inner * columns, rows * columns, 2, RELU, 0, 0.5, 0.0, 0.0], 2, 2 * batch,
                backwards)
            self.near(y, expected, 1e-5)

    def test_pooling(self):
        channels, height, width, y_height, y_width = 20, 7, 6, 4, 3
        x = noise(channels * height * width)
        for averages, counts in ((0, 0), (1, 0), (1, 1)):
            expected = []
            for channel, row, column in itertools.product(range(channels), range(y_height), range(y_width)):
                seen, counted = [], 0
                for r, c in itertools.product(range(2 * row - 1, 2 * row + 2), range(2 * column, 2 * column + 2)):
                    counted += r < height + 1
                    if 0 <= r < height and c < width:
                        seen.append(x[(channel * height + r) * width + c])
                expected.append(sum(seen) / (counted if counts else len(seen)) if averages else max(seen))
            y = floats([7] * 32 * y_height * y_width)
            self.shader("pool").run(
                [floats(blocked(x, channels, height * width)), y, height, width, y_height, y_width, 3, 2, 2, 2, 1, 1, 1, 0,
                 1, 0, averages, counts], (y_height * y_width + 3) // 4, 2)
            self.near(plain(y, channels, y_height * y_width), expected, 1e-5)

    def test_functions(self):
        x = [at / 8 - 9 for at in range(150)]
        a, b = -0.5, 1.5

        def sigmoid(v):
            return 1 / (1 + math.exp(-v))

        functions = {
            0: lambda v: v, 1: lambda v: max(v, 0), 2: lambda v: min(max(v, a), b), 3: lambda v: v if v >= 0 else a * v,
            4: lambda v: v if v >= a else 0, 5: lambda v: min(b, v if v >= 0 else a * v), 6: lambda v: a * v + b,
            7: sigmoid, 8: lambda v: min(1, max(0, a * v + b)), 9: lambda v: v * min(1, max(0, a * v + b)),
            10: lambda v: v * sigmoid(v), 11: lambda v: v / 2 * (1 + math.erf(v / math.sqrt(2))),
            12: lambda v: v / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v**3))),
            13: lambda v: v * sigmoid(1.702 * v), 14: math.tanh, 15: lambda v: a * math.tanh(b * v),
            16: lambda v: v if v >= 0 else a * (math.exp(v) - 1), 17: lambda v: math.log1p(math.exp(v)),
            18: lambda v: v / (1 + abs(v)), 19: math.exp, 20: lambda v: math.log(v + a), 21: math.sqrt,
            22: lambda v: 1 / math.sqrt(v + a), 23: lambda v: 1 / (v + a), 24: math.erf, 25: abs, 26: lambda v: v * v,
            27: math.floor, 28: math.ceil, 29: round, 30: lambda v: (v > 0) - (v < 0),
        }
        for number, function in functions.items():
            with self.subTest(function=number):
                given = [abs(v) + 1 for v in x] if number in (20, 21, 22, 23) else x
                y = floats([7] * len(x))
                self.shader("apply").run([floats(given), None, None, y, len(x), 1, 1, number, a, b], 2, 1)
                self.near(y, [function(v) for v in given], 2e-5)

    def test_channels_are_scaled(self):
        channels, positions = 20, 5
        x, scale, shift = noise(channels * positions), noise(32, 1), noise(32, 2)
        y = floats([7] * 32 * positions)
        self.shader("apply").run(
            [floats(blocked(x, channels, positions)), floats(scale), floats(shift), y, 32 * positions, positions, 2,
             IDENTITY, 0.0, 0.0], 1, 1)
        expected = [x[c * positions + p] * scale[c] + shift[c] for c in range(channels) for p in range(positions)]
        self.near(plain(y, channels, positions), expected, 1e-5)

    def test_pairs(self):
        functions = [
            lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a / b, max, min, None,
            lambda a, b: a if a >= 0 else b * a]
        x, z = noise(24), noise(6, 1)
        for number, function in enumerate(functions):
            if function:
                y = floats([7] * 24)
                self.shader("combine").run(
                    [floats(x), floats(z), y, 1, 1, 1, 2, 4, 3, 0, 0, 0, 12, 3, 1, 0, 0, 0, 3, 0, 1, number, IDENTITY, 0.0,
                     0.0], 1, 1)
                expected = [
                    function(x[a * 12 + b * 3 + c], z[a * 3 + c]) for a in range(2) for b in range(4) for c in range(3)]
                self.near(y, expected, 1e-5)
        bases, exponents = [2, -2, -2, 0, 3, -3, 1.5, 0.5], [3, 3, 2, 0, -1, -1, 0, 2.5]
        y = floats([7] * 8)
        ones = [1, 1, 1, 1, 1, 8, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1]
        self.shader("combine").run([floats(bases), floats(exponents), y, *ones, 6, RELU, 0.0, 0.0], 1, 1)
        self.near(y, [max(0, a**b) for a, b in zip(bases, exponents)], 1e-5)

    def test_values_move(self):
        x = noise(60)
        y = floats([7] * 60)
        # [3][4][5] to [5][3][4], the first dimension backwards.
        self.shader("move").run(
            [floats(x), y, 1, 1, 1, 5, 3, 4, 0, 0, 0, 2**32 - 1, 20, 5, 0, 0, 0, 12, 4, 1, 4, 0], 1, 1)
        expected = [x[b * 20 + c * 5 + 4 - a] for a in range(5) for b in range(3) for c in range(4)]
        self.near(y, expected, 1e-6)

    def test_channels_move(self):
        channels, positions = 20, 5
        x = noise(channels * positions)
        y = floats([7] * 32 * positions)
        self.shader("channels").run(
            [floats(x), y, 1, positions, channels, 32, 0, 0, 1, channels, channels, 1, 0], 1, 1)
        self.near(plain(y, 32, positions), x + [0] * 12 * positions, 1e-6)
        back = floats([7] * len(x))
        self.shader("channels").run(
            [y, back, 1, positions, channels, channels, 0, 0, 1, channels, channels, 0, 1], 1, 1)
        self.near(back, x, 1e-6)
        part = floats([7] * 48 * positions)
        self.shader("channels").run([y, part, 1, positions, 7, 7, 5, 3, 2, channels, 40, 0, 0], 1, 1)
        found = plain(part, 40, positions)
        for channel in range(40):
            source = (channel - 3) // 2 + 5 if channel in range(3, 17, 2) else None
            expected = [7] * positions if source is None else x[source * positions :][:positions]
            self.near(found[channel * positions :][:positions], expected, 1e-6)

    def test_axes(self):
        for outer, count, stride in ((2, 70, 1), (2, 5, 3)):
            x = [4 * v for v in noise(outer * count * stride)]
            rows = [
                [x[(o * count + i) * stride + s] for i in range(count)] for o in range(outer) for s in range(stride)]
            for subgroup, backwards in WAYS:
                axis = self.shader("axis", subgroup=subgroup)
                for number, function in enumerate((None, sum, lambda row: sum(row) / len(row), max, min)):
                    y = floats([7] * (len(x) if number == 0 else len(rows)))
                    axis.run([floats(x), y, len(rows), count, stride, number], 2, 1, backwards)
                    if function:
                        self.near(y, [function(row) for row in rows], 1e-5)
                        continue
                    for at, row in enumerate(rows):
                        start = at // stride * stride * count + at % stride
                        sizes = [math.exp(v - max(row)) for v in row]
                        self.near(y[start :: stride][:count], [size / sum(sizes) for size in sizes], 1e-5)

    def test_maxima_of_what_is_no_number_and_of_signs(self):
        count, inf = 70, math.inf
        rows = [[-1 - at for at in range(count)], [-inf] * count, [-0.5] * 69 + [inf], [math.nan] + [1] * 69, [1] * 69 + [math.nan]]
        for subgroup, backwards in WAYS:
            for number, function in ((3, max), (4, min)):
                with self.subTest(subgroup=subgroup, backwards=backwards, number=number):
                    y = floats([7] * len(rows))
                    self.shader("axis", subgroup=subgroup).run(
                        [floats(v for row in rows for v in row), y, len(rows), count, 1, number], 2, 1, backwards)
                    self.assertEqual(list(y[:3]), [function(row) for row in rows[:3]])
                    self.assertTrue(math.isnan(y[3]) and math.isnan(y[4]))

    def test_layer_norms(self):
        rows, width = 3, 70
        x, gain, shift = [3 * v + 5 for v in noise(rows * width)], noise(width, 1), noise(width, 2)
        for has_gain in (True, False):
            for subgroup, backwards in WAYS:
                # In place.
                y = floats(x)
                self.shader("layer", subgroup=subgroup).run(
                    [y, floats(gain) if has_gain else None, floats(shift) if has_gain else None, y, rows, width, 1e-5], 2, 1,
                    backwards)
                expected = []
                for row in range(rows):
                    values = x[row * width :][:width]
                    mean = sum(values) / width
                    factor = 1 / math.sqrt(sum((v - mean) ** 2 for v in values) / width + 1e-5)
                    expected += [
                        (v - mean) * factor * (g if has_gain else 1) + (s if has_gain else 0)
                        for v, g, s in zip(values, gain, shift)]
                self.near(y, expected, 2e-5)


if __name__ == "__main__":
    unittest.main()
