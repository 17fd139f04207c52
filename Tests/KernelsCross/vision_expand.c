// Coded weights: every set against plain arithmetic of its own, bit for bit, in buffers of exactly the documented size;
// and products with coded weights against the same products with the weights in full.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vision.h"

#define SEED 0x13198a2e03707344
#include "random.h"

static float half_of(uint16_t bits) {
    _Float16 value;
    memcpy(&value, &bits, sizeof value);
    return (float)value;
}

static uint16_t half_bits(double value) {
    const _Float16 half = (_Float16)value;
    uint16_t bits;
    memcpy(&bits, &half, sizeof bits);
    return bits;
}

// Coded weights of random content, the memory they need, and what they stand for.
typedef struct {
    hk_coded coded;
    void *codes, *tables, *scales, *offsets;
    float *values;
} random_weights;

static size_t code_at(const uint8_t *row, size_t bits, size_t lane) {
    size_t code = 0;
    for (size_t b = 0; b < bits; b++) {
        const size_t at = lane * bits + b;
        code |= (size_t)(row[at / 8] >> at % 8 & 1) << b;
    }
    return code;
}

static uint8_t *lane_numbers(size_t count, bool halves, double scale) {
    uint8_t *bytes = malloc(count * (halves ? 2 : 4));
    for (size_t i = 0; i < count; i++) {
        // Some products with these round to small halves, some to none.
        const double value = scale * random_float() * (below(3) ? 1 : 1e-5);
        const float number = (float)value;
        const uint16_t half = half_bits(value);
        if (halves) memcpy(bytes + 2 * i, &half, 2);
        else memcpy(bytes + 4 * i, &number, 4);
    }
    return bytes;
}

static float number_at(const uint8_t *bytes, bool halves, size_t index) {
    float number;
    uint16_t half;
    if (halves) {
        memcpy(&half, bytes + 2 * index, 2);
        return half_of(half);
    }
    memcpy(&number, bytes + 4 * index, 4);
    return number;
}

static float decoded(const hk_coded *c, size_t row, size_t lane) {
    if (c->coding == HK_CODED_FLOAT) return number_at(c->codes, false, row * 16 + lane);
    if (c->coding == HK_CODED_HALF) return number_at(c->codes, true, row * 16 + lane);
    const size_t stretch = row / c->stretch, code = code_at(c->codes + row * 2 * c->bits, c->bits, lane);
    if (c->coding == HK_CODED_PALETTE) return c->tables[(stretch << c->bits) + code];
    const double offset = c->offsets ? number_at(c->offsets, c->half_parameters, stretch * 16 + lane) : c->offset;
    // A difference of small numbers and its product with 24 bits are exact in double precision.
    const double product = (double)(float)((double)code - offset) * number_at(c->scales, c->half_parameters, stretch * 16 + lane);
    return c->rounds_to_half ? half_of(half_bits((double)(float)product)) : (float)product;
}

static random_weights make_weights(size_t rows) {
    random_weights w = {.coded = {.coding = (hk_coding)below(HK_CODED_AFFINE + 1), .bits = 1 + below(8)}};
    hk_coded *c = &w.coded;
    c->stretch = below(3) ? 1 + below(rows) : rows;
    c->half_parameters = below(2);
    c->rounds_to_half = below(2);
    c->offset = (float)below(256);
    const size_t stretches = (rows + c->stretch - 1) / c->stretch;
    const size_t row_bytes = c->coding == HK_CODED_FLOAT ? 64 : c->coding == HK_CODED_HALF ? 32 : 2 * c->bits;
    const size_t bytes = rows * row_bytes + HK_CODED_MARGIN;
    uint8_t *codes = malloc(bytes);
    for (size_t i = 0; i < bytes; i++) codes[i] = (uint8_t)below(256);
    if (c->coding == HK_CODED_FLOAT) {
        for (size_t i = 0; i < rows * 16; i++) memcpy(codes + 4 * i, &(float){random_float()}, 4);
    }
    if (c->coding == HK_CODED_HALF) {
        // Every exponent but that of infinities and NaN, denormal numbers too.
        for (size_t i = 0; i < rows * 16; i++) codes[2 * i + 1] &= (codes[2 * i + 1] & 0x7c) == 0x7c ? 0xbf : 0xff;
    }
    float *tables = malloc((stretches << c->bits) * sizeof *tables);
    for (size_t i = 0; i < stretches << c->bits; i++) tables[i] = random_float();
    w.codes = codes;
    w.tables = tables;
    w.scales = lane_numbers(stretches * 16, c->half_parameters, 1);
    w.offsets = below(2) ? lane_numbers(stretches * 16, c->half_parameters, 200) : NULL;
    c->codes = codes;
    c->tables = tables;
    c->scales = w.scales;
    c->offsets = w.offsets;
    w.values = malloc(rows * 16 * sizeof *w.values);
    for (size_t i = 0; i < rows * 16; i++) w.values[i] = decoded(c, i / 16, i % 16);
    return w;
}

static void free_weights(random_weights *w) {
    free(w->codes);
    free(w->tables);
    free(w->scales);
    free(w->offsets);
    free(w->values);
}

static void compare_bits(
    const hk_vision_kernels *set, const char *what, const hk_coded *c, const float *got, const float *want, size_t count,
    int *failures) {
    for (size_t i = 0; i < count; i++) {
        if (memcmp(got + i, want + i, sizeof *got) == 0) continue;
        if (++*failures < 40) {
            printf(
                "FAIL %s %s, coding %d of %zu bits [%zu]: %.9g instead of %.9g\n", set->name, what, (int)c->coding,
                c->bits, i, (double)got[i], (double)want[i]);
        }
    }
}

static void test_rows(const hk_vision_kernels *set, int *failures) {
    const size_t rows = 1 + below(70);
    random_weights w = make_weights(rows);
    const size_t first = below(rows), count = 1 + below(rows - first);
    float *out = malloc(count * 16 * sizeof *out);
    set->expand(&w.coded, first, count, out);
    compare_bits(set, "expand", &w.coded, out, w.values + first * 16, count * 16, failures);
    free(out);
    free_weights(&w);
}

static void test_product(const hk_vision_kernels *set, int *failures) {
    const size_t rows = 1 + below(20), inner = 1 + below(90), columns = 1 + below(90);
    const size_t padded = (inner + 15) / 16 * 16, blocks = (columns + 15) / 16;
    random_weights w = make_weights(padded * blocks);
    float *x = malloc(rows * inner * sizeof *x);
    for (size_t i = 0; i < rows * inner; i++) x[i] = random_float();
    float *y[2];
    for (int coded = 0; coded < 2; coded++) {
        y[coded] = malloc(rows * columns * sizeof *x);
        hk_product m = {
            .x = x, .weights = coded ? NULL : w.values, .coded = coded ? &w.coded : NULL, .y = y[coded],
            .epilogue = {.function = HK_RELU}, .inner = inner, .columns = columns, .x_row = inner, .x_inner = 1,
            .y_row = columns, .scale = 1};
        hk_part parts[64];
        const size_t count = hk_plan_product(&m, rows, parts, 64);
        for (size_t i = 0; i < count; i++) {
            set->multiply(&m, parts[i].first_column, parts[i].end_column, parts[i].first_block, parts[i].end_block);
        }
    }
    compare_bits(set, "product", &w.coded, y[1], y[0], rows * columns, failures);
    free(x);
    free(y[0]);
    free(y[1]);
    free_weights(&w);
}

static void test_convolution(const hk_vision_kernels *set, int *failures) {
    // A third is computed with transformed weights.
    const bool many = below(3) == 0;
    const size_t kernel = many ? 3 : 1 + 2 * below(3), stride = many ? 1 : 1 + below(2);
    const size_t height = many ? 12 + below(5) : 1 + below(9), width = many ? 12 + below(20) : 1 + below(30);
    const size_t channels = (many ? 32 : 1) + below(70), outputs = (many ? 32 : 1) + below(70);
    const size_t out_height = (height + 2 * (kernel / 2) - kernel) / stride + 1;
    const size_t out_width = (width + 2 * (kernel / 2) - kernel) / stride + 1;
    const size_t out_count = (outputs + 15) / 16 * 16 * out_height * out_width;
    hk_convolution c = {
        .epilogue = {.function = HK_IDENTITY},
        .window = {kernel, kernel, stride, stride, 1, 1, kernel / 2, kernel / 2}, .channels = channels,
        .height = height, .width = width, .output_channels = outputs, .output_height = out_height,
        .output_width = out_width, .group_inputs = channels, .group_outputs = outputs,
        .input_blocks = (channels + 15) / 16};
    const size_t in_count = c.input_blocks * 16 * height * width;
    random_weights w = make_weights((outputs + 15) / 16 * hk_packed_block(&c) / 16);
    float *x = malloc(in_count * sizeof *x), *residual = malloc(out_count * sizeof *x), *y[2];
    for (size_t i = 0; i < in_count; i++) x[i] = random_float();
    for (size_t i = 0; i < out_count; i++) residual[i] = random_float();
    c.input = x;
    if (below(2)) c.epilogue.residual = residual;
    const size_t chunk = 1 + below(c.input_blocks);
    for (int coded = 0; coded < 2; coded++) {
        hk_convolution own = c;
        own.coded = coded ? &w.coded : NULL;
        own.weights = coded ? NULL : w.values;
        own.output = y[coded] = malloc(out_count * sizeof *x);
        hk_part parts[256];
        const size_t count = hk_plan_convolution(&own, 1, parts, 256);
        own.input_chunk = chunk;
        float *transformed = malloc((own.transformed_count + 1) * sizeof *transformed);
        own.transformed = transformed;
        if (own.transformed_count) set->transform_weights(&own, 0, (outputs + 15) / 16, transformed);
        for (size_t i = 0; i < count; i++) set->convolve(&own, &parts[i]);
        free(transformed);
    }
    compare_bits(set, "convolution", &w.coded, y[1], y[0], out_count, failures);
    free(x);
    free(residual);
    free(y[0]);
    free(y[1]);
    free_weights(&w);
}

void compare_vision_expand(const hk_vision_kernels *set, int rounds, int *failures) {
    for (int i = 0; i < 8 * rounds; i++) test_rows(set, failures);
    for (int i = 0; i < rounds; i++) {
        test_product(set, failures);
        test_convolution(set, failures);
    }
}
