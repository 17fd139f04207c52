// Plain C for any processor, and the reference that the other sets are tested against.
#define HK_LANES 4
#define HK_TILE_ROWS 2
#define HK_TILE_TOKENS 2
#define HK_DECODE_ROWS 2
#define HK_MAX_ROWS 2

#include "attention.h"
#include "bytes.h"
#include "dense.h"
#include "float_ops.h"
#include "quantize.h"
#include "table.h"

// One decoded block times the activations of one token.
static float hk_block_product(
    hk_format format, const hk_decoded *block, size_t values, const hk_activation_pair *x, size_t step_stride,
    size_t first) {
    float total = 0;
    for (size_t group = 0; group < values; group += 32) {
        const size_t value = first + group, offset = value % 64;
        const hk_activation_pair *pair = x + value / HK_STEP * step_stride + value % HK_STEP / 64;
        const int8_t *hi = pair->hi + offset, *lo = pair->lo + offset;
        int32_t dot[2] = {0, 0}, sums[2] = {0, 0};
        for (int half = 0; half < 2; half++) {
            for (int i = 0; i < 4; i++) sums[half] += pair->sums[offset / 4 + (size_t)(4 * half + i)];
            for (int j = 16 * half; j < 16 * half + 16; j++) {
                dot[half] += block->quants[group + (size_t)j] * (256 * hi[j] + lo[j]);
            }
        }
        const float *scales = block->scales + group / 16;
        total += ((float)dot[0] * scales[0] + (float)dot[1] * scales[1]) * pair->scale;
        if (!hk_has_minimum(format)) continue;
        const float *minimums = block->minimums + group / 16;
        total += ((float)sums[0] * minimums[0] + (float)sums[1] * minimums[1]) * pair->scale;
    }
    return total;
}

static void hk_multiply(
    hk_format format, const void *weights, size_t row_bytes, size_t rows, size_t columns, const void *x,
    size_t x_stride, size_t step_stride, size_t tokens, float *y, size_t y_stride) {
    const hk_tile task = {weights, row_bytes, columns, x, x_stride, step_stride, y, y_stride, 0, 0};
    if (hk_multiply_dense(format, &task, rows, tokens)) return;
    const size_t values = hk_block_values(format), stride = hk_block_bytes(format);
    for (size_t r = 0; r < rows; r++) {
        for (size_t t = 0; t < tokens; t++) y[t * y_stride + r] = 0;
        const uint8_t *bytes = (const uint8_t *)weights + r * row_bytes;
        for (size_t c = 0; c < columns; c += values, bytes += stride) {
            hk_decoded block;
            hk_decode(format, bytes, values, &block);
            for (size_t t = 0; t < tokens; t++) {
                const hk_activation_pair *pairs = (const hk_activation_pair *)x + t * x_stride;
                y[t * y_stride + r] += hk_block_product(format, &block, values, pairs, step_stride, c);
            }
        }
    }
}

HK_INLINE void hk_bytes_dots(const int8_t *quants, const int8_t *values, hk_eight_sums *first, hk_eight_sums *second) {
    for (int block = 0; block < 8; block++) {
        int32_t dots[2] = {0, 0};
        for (int i = 0; i < 32; i++) dots[i / 16] += quants[32 * block + i] * values[32 * block + i];
        (*first)[block] = (float)dots[0];
        (*second)[block] = (float)dots[1];
    }
}

HK_DEFINE_TABLES(portable, false)
