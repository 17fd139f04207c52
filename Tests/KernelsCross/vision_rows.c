// Softmax, reductions, norms, functions of two tensors and copies against plain loops.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vision.h"

#define SEED 0x13198a2e03707344
#include "random.h"

static void check(
    const hk_vision_kernels *set, int *failures, const char *what, size_t index, float got, double want, double limit) {
    if (fabs((double)got - want) <= limit || (isnan(got) && isnan(want))) return;
    if (++*failures < 40) printf("FAIL %s %s [%zu]: %.9g instead of %.9g\n", set->name, what, index, (double)got, want);
}

static void test_rows(const hk_vision_kernels *set, int *failures) {
    const size_t count = 1 + below(100), stride = below(2) ? 1 : 1 + below(40);
    float *x = random_floats(count * stride, 2), *y = malloc(count * stride * sizeof *y), *reduced = malloc(stride * sizeof *reduced);
    float *gain = random_floats(count, 2), *shift = random_floats(count, 2);
    set->softmax(x, count, stride, y);
    for (size_t s = 0; s < stride; s++) {
        double sum = 0;
        for (size_t i = 0; i < count; i++) sum += exp(x[i * stride + s]);
        for (size_t i = 0; i < count; i++) {
            check(set, failures, "softmax", i, y[i * stride + s], exp(x[i * stride + s]) / sum, 1e-6);
        }
    }
    for (int kind = HK_REDUCE_SUM; kind <= HK_REDUCE_MIN; kind++) {
        set->reduce((hk_reduction)kind, x, count, stride, reduced);
        for (size_t s = 0; s < stride; s++) {
            double sum = 0, most = -INFINITY, least = INFINITY;
            for (size_t i = 0; i < count; i++) {
                const double v = x[i * stride + s];
                sum += v;
                most = fmax(most, v);
                least = fmin(least, v);
            }
            const double want[] = {sum, sum / (double)count, most, least};
            check(set, failures, "reduce", s, reduced[s], want[kind], 2e-5);
        }
    }
    double mean = 0, variance = 0;
    for (size_t i = 0; i < count; i++) mean += x[i] / (double)count;
    for (size_t i = 0; i < count; i++) variance += (x[i] - mean) * (x[i] - mean) / (double)count;
    set->layer_norm(x, gain, shift, count, 1e-3f, y);
    for (size_t i = 0; i < count; i++) {
        check(set, failures, "layer norm", i, y[i], (x[i] - mean) / sqrt(variance + 1e-3) * gain[i] + shift[i], 2e-5);
    }
    free(x);
    free(y);
    free(reduced);
    free(gain);
    free(shift);
}

static double paired(hk_binary operation, double x, double y) {
    switch (operation) {
    case HK_ADD: return x + y;
    case HK_SUBTRACT: return x - y;
    case HK_MULTIPLY: return x * y;
    case HK_DIVIDE: return x / y;
    case HK_MAXIMUM: return fmax(x, y);
    case HK_MINIMUM: return fmin(x, y);
    case HK_POWER: return pow(x, y);
    case HK_PRELU: return x >= 0 ? x : x * y;
    case HK_EQUAL: return x == y;
    case HK_NOT_EQUAL: return x != y;
    case HK_LESS: return x < y;
    case HK_LESS_OR_EQUAL: return x <= y;
    case HK_GREATER: return x > y;
    case HK_GREATER_OR_EQUAL: return x >= y;
    case HK_AND: return x != 0 && y != 0;
    case HK_OR: return x != 0 || y != 0;
    case HK_BINARIES: break;
    }
    return 0;
}

static void test_pairs(const hk_vision_kernels *set, int *failures) {
    hk_combination c = {.operation = (hk_binary)below(HK_BINARIES), .function = below(2) ? HK_RELU : HK_IDENTITY};
    size_t total = 1, x_count = 1, y_count = 1;
    for (int d = HK_RANK - 1; d >= 0; d--) {
        c.size[d] = 1 + below(d == HK_RANK - 1 ? 40 : 3);
        const size_t kind = below(4);  // 0: x repeats, 1: y repeats
        c.x_stride[d] = kind == 0 ? 0 : (ptrdiff_t)x_count;
        c.y_stride[d] = kind == 1 ? 0 : (ptrdiff_t)y_count;
        total *= c.size[d];
        if (kind != 0) x_count *= c.size[d];
        if (kind != 1) y_count *= c.size[d];
    }
    float *x = random_floats(x_count, 2), *y = random_floats(y_count, 2), *out = malloc(total * sizeof *out);
    // Few values, so that some are equal, and zeros.
    if (c.operation >= HK_EQUAL) {
        for (size_t i = 0; i < x_count; i++) x[i] = roundf(x[i]);
        for (size_t i = 0; i < y_count; i++) y[i] = roundf(y[i]);
    }
    c.x = x;
    c.y = y;
    c.output = out;
    set->combine(&c, 0, c.size[0]);
    for (size_t i = 0; i < total; i++) {
        size_t rest = i, xi = 0, yi = 0;
        for (int d = HK_RANK - 1; d >= 0; d--) {
            xi += rest % c.size[d] * (size_t)c.x_stride[d];
            yi += rest % c.size[d] * (size_t)c.y_stride[d];
            rest /= c.size[d];
        }
        double want = paired(c.operation, x[xi], y[yi]);
        if (c.function == HK_RELU && want < 0) want = 0;
        check(set, failures, "pair", i, out[i], want, 1e-5 + 4e-6 * fabs(want));
    }
    free(x);
    free(y);
    free(out);
}

static void test_copies(const hk_vision_kernels *set, int *failures) {
    const size_t channels = 1 + below(50), positions = 1 + below(200), blocks = (channels + 15) / 16;
    float *plain = random_floats(channels * positions, 2), *back = malloc(channels * positions * sizeof *back);
    float *blocked = malloc(blocks * positions * 16 * sizeof *blocked);
    for (size_t b = 0; b < blocks; b++) {
        const size_t count = channels - b * 16 < 16 ? channels - b * 16 : 16;
        set->to_block(plain + b * 16 * positions, count, positions, blocked + b * positions * 16);
        set->from_block(blocked + b * positions * 16, count, positions, back + b * 16 * positions);
    }
    for (size_t i = 0; i < channels * positions; i++) {
        const size_t c = i / positions;
        const float lane = blocked[(c / 16 * positions + i % positions) * 16 + c % 16];
        check(set, failures, "to blocked", i, lane, plain[i], 0);
        check(set, failures, "from blocked", i, back[i], plain[i], 0);
    }
    const size_t count = 1 + below(channels), from = below(channels - count + 1), step = 1 + below(3), to = below(20);
    const size_t outputs = to + (count - 1) * step + 1, output_blocks = (outputs + 15) / 16;
    float *moved = malloc(output_blocks * positions * 16 * sizeof *moved);
    for (size_t i = 0; i < output_blocks * positions * 16; i++) moved[i] = -1;
    const hk_channels job = {blocked, moved, from, to, step, count, positions};
    set->copy_channels(&job);
    for (size_t c = 0; c < outputs; c++) {
        for (size_t p = 0; p < positions; p++) {
            const bool written = c >= to && (c - to) % step == 0;
            const double want = written ? plain[(from + (c - to) / step) * positions + p] : -1;
            // A whole block is copied with the lanes that no channel uses.
            check(set, failures, "channels", c * positions + p, moved[(c / 16 * positions + p) * 16 + c % 16], want, 0);
        }
    }
    // A transpose with a slice.
    const size_t rows = 1 + below(40), columns = 1 + below(40);
    float *a = random_floats(rows * columns, 2), *t = malloc(rows * columns * sizeof *t);
    const hk_copy copy = {
        a, t, {1, 1, 1, 1, columns, rows}, {0, 0, 0, 0, 1, (ptrdiff_t)columns}, {0, 0, 0, 0, (ptrdiff_t)rows, 1}};
    set->copy(&copy, 0, 1);
    for (size_t i = 0; i < rows * columns; i++) {
        check(set, failures, "copy", i, t[i % columns * rows + i / columns], a[i], 0);
    }
    free(a);
    free(t);
    free(moved);
    free(blocked);
    free(back);
    free(plain);
}

void compare_vision_rows(const hk_vision_kernels *set, int *failures) {
    for (int round = 0; round < 40; round++) {
        test_rows(set, failures);
        test_pairs(set, failures);
        test_copies(set, failures);
    }
}
