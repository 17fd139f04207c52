// Products of quantized weights with 16-bit activations, straight from the blocks of the file.
//
// A row is consumed in steps of 256 values: first the step's scales become floats, then its quants are unpacked one
// vector ("unit") at a time and meet both planes of the activations. With q the stored integer, o the format's
// offset and a = 256 * hi + lo:
//     sum (q - o) * a  =  256 * (q . hi) + (q . lo) - o * sum a
// holds exactly in 32-bit lanes of four values each; only the scaling is done in float.
//
// The including set defines: hk_quants, hk_lanes (its byte and int32 vectors), HK_UNITS (units a pair),
// hk_unpack, hk_unit_activations, hk_dot, and hk_spread (a step's scales to the lanes of a unit).
#ifndef HK_QUANTIZED_H
#define HK_QUANTIZED_H

#include "decoded.h"
#include "dense.h"
#include "scales.h"

HK_INLINE size_t hk_step_bytes(hk_format format) {
    return HK_STEP / hk_block_values(format) * hk_block_bytes(format);
}

// Adds `pairs` pairs of activations (at most four) times one step of weights to the sums.
HK_INLINE void hk_quantized_step(
    hk_format format, const int rows, const int tokens, const uint8_t *const *steps, const hk_activation_pair *x,
    size_t x_stride, const int pairs, hk_vector sums[HK_MAX_ROWS][HK_TILE_TOKENS]) {
    hk_sixteen scales[HK_MAX_ROWS];
    HK_UNROLL for (int r = 0; r < rows; r++) hk_read_scales(format, steps[r], &scales[r]);
    // In units of the activations' integers, until the step is done.
    hk_vector parts[HK_MAX_ROWS][HK_TILE_TOKENS];
    HK_UNROLL for (int k = 0; k < tokens; k++) {
        hk_sixteen totals;
        if (hk_has_minimum(format)) hk_read_totals(format, x + (size_t)k * x_stride, pairs, &totals);
        HK_UNROLL for (int r = 0; r < rows; r++) {
            parts[r][k] = 0;
            if (hk_has_minimum(format)) {
                const hk_sixteen product = scales[r] * totals;
                parts[r][k] = hk_fold_minimums(&product);
            }
        }
    }
    HK_UNROLL for (int unit = 0; unit < pairs * HK_UNITS; unit++) {
        hk_quants q[HK_MAX_ROWS];
        hk_vector scale[HK_MAX_ROWS];
        HK_UNROLL for (int r = 0; r < rows; r++) {
            q[r] = hk_unpack(format, steps[r], unit);
            scale[r] = hk_spread(format, &scales[r], unit);
        }
        HK_UNROLL for (int k = 0; k < tokens; k++) {
            const hk_activation_pair *pair = x + (size_t)k * x_stride + unit / HK_UNITS;
            const hk_unit a = hk_unit_activations(format, pair, unit % HK_UNITS);
            HK_UNROLL for (int r = 0; r < rows; r++) {
                parts[r][k] += __builtin_convertvector(hk_dot(format, q[r], a), hk_vector) * scale[r];
            }
        }
    }
    HK_UNROLL for (int k = 0; k < tokens; k++) {
        HK_UNROLL for (int r = 0; r < rows; r++) sums[r][k] += parts[r][k] * x[(size_t)k * x_stride].scale;
    }
}

// The last, incomplete step of a row: its blocks are copied next to zeros, because reading on would leave the row
// and perhaps the file.
HK_INLINE void hk_quantized_rest(
    hk_format format, const int rows, const int tokens, const hk_tile *t, size_t c,
    hk_vector sums[HK_MAX_ROWS][HK_TILE_TOKENS]) {
    uint8_t copies[HK_MAX_ROWS][HK_STEP / 32 * sizeof(hk_q8_0)];
    const uint8_t *steps[HK_MAX_ROWS];
    const size_t offset = c / HK_STEP * hk_step_bytes(format), blocks = (t->columns - c) / 32;
    for (int r = 0; r < rows; r++) {
        memset(copies[r], 0, sizeof copies[r]);
        memcpy(copies[r], t->weights + (size_t)r * t->row_bytes + offset, blocks * hk_block_bytes(format));
        steps[r] = copies[r];
    }
    const hk_activation_pair *x = (const hk_activation_pair *)t->x + c / HK_STEP * t->step_stride;
    switch ((blocks + 1) / 2) {
    case 1: hk_quantized_step(format, rows, tokens, steps, x, t->x_stride, 1, sums); break;
    case 2: hk_quantized_step(format, rows, tokens, steps, x, t->x_stride, 2, sums); break;
    case 3: hk_quantized_step(format, rows, tokens, steps, x, t->x_stride, 3, sums); break;
    default: hk_quantized_step(format, rows, tokens, steps, x, t->x_stride, 4, sums); break;
    }
}

HK_INLINE void hk_quantized_tile(hk_format format, const int rows, const int tokens, const hk_tile *t) {
    const size_t step_bytes = hk_step_bytes(format);
    hk_vector sums[HK_MAX_ROWS][HK_TILE_TOKENS];
    HK_UNROLL for (int r = 0; r < rows; r++) {
        HK_UNROLL for (int k = 0; k < tokens; k++) sums[r][k] = 0;
    }
    const uint8_t *steps[HK_MAX_ROWS];
    HK_UNROLL for (int r = 0; r < rows; r++) steps[r] = t->weights + (size_t)r * t->row_bytes;
    size_t c = 0;
    for (; c + HK_STEP <= t->columns; c += HK_STEP) {
        HK_UNROLL for (int r = 0; r < rows; r++) hk_prefetch(steps[r], t->ahead, step_bytes);
        const hk_activation_pair *x = (const hk_activation_pair *)t->x + c / HK_STEP * t->step_stride;
        hk_quantized_step(format, rows, tokens, steps, x, t->x_stride, HK_STEP / 64, sums);
        HK_UNROLL for (int r = 0; r < rows; r++) steps[r] += step_bytes;
    }
    if (hk_block_values(format) < HK_STEP && c < t->columns) hk_quantized_rest(format, rows, tokens, t, c, sums);
    HK_UNROLL for (int k = 0; k < tokens; k++) {
        HK_UNROLL for (int r = 0; r < rows; r++) t->y[(size_t)k * t->y_stride + (size_t)r] = hk_sum(sums[r][k]);
    }
}

#define HK_DEFINE_QUANTIZED(name)                                                                                     \
    static void name(const hk_tile *task, size_t row_count, size_t token_count) {                                     \
        HK_FOR_EACH_TILE(name##_tile, *task, row_count, token_count, sizeof(hk_activation_pair))                      \
    }
#define hk_multiply_q4_0_tile(rows, tokens, tile) hk_quantized_tile(HK_Q4_0, rows, tokens, tile)
#define hk_multiply_q4_1_tile(rows, tokens, tile) hk_quantized_tile(HK_Q4_1, rows, tokens, tile)
#define hk_multiply_q5_0_tile(rows, tokens, tile) hk_quantized_tile(HK_Q5_0, rows, tokens, tile)
#define hk_multiply_q5_1_tile(rows, tokens, tile) hk_quantized_tile(HK_Q5_1, rows, tokens, tile)
#define hk_multiply_q8_0_tile(rows, tokens, tile) hk_quantized_tile(HK_Q8_0, rows, tokens, tile)
#define hk_multiply_q4_k_tile(rows, tokens, tile) hk_quantized_tile(HK_Q4_K, rows, tokens, tile)
#define hk_multiply_q5_k_tile(rows, tokens, tile) hk_quantized_tile(HK_Q5_K, rows, tokens, tile)
#define hk_multiply_q6_k_tile(rows, tokens, tile) hk_quantized_tile(HK_Q6_K, rows, tokens, tile)

HK_DEFINE_QUANTIZED(hk_multiply_q4_0)
HK_DEFINE_QUANTIZED(hk_multiply_q4_1)
HK_DEFINE_QUANTIZED(hk_multiply_q5_0)
HK_DEFINE_QUANTIZED(hk_multiply_q5_1)
HK_DEFINE_QUANTIZED(hk_multiply_q8_0)
HK_DEFINE_QUANTIZED(hk_multiply_q4_k)
HK_DEFINE_QUANTIZED(hk_multiply_q5_k)
HK_DEFINE_QUANTIZED(hk_multiply_q6_k)

static void hk_multiply(
    hk_format format, const void *weights, size_t row_bytes, size_t rows, size_t columns, const void *x,
    size_t x_stride, size_t step_stride, size_t tokens, float *y, size_t y_stride) {
    const hk_tile task = {weights, row_bytes, columns, x, x_stride, step_stride, y, y_stride, 0, 0};
    if (hk_multiply_dense(format, &task, rows, tokens) || hk_multiply_decoded(format, &task, rows, tokens)) return;
    switch (format) {
    case HK_Q4_0: hk_multiply_q4_0(&task, rows, tokens); break;
    case HK_Q4_1: hk_multiply_q4_1(&task, rows, tokens); break;
    case HK_Q5_0: hk_multiply_q5_0(&task, rows, tokens); break;
    case HK_Q5_1: hk_multiply_q5_1(&task, rows, tokens); break;
    case HK_Q8_0: hk_multiply_q8_0(&task, rows, tokens); break;
    case HK_Q4_K: hk_multiply_q4_k(&task, rows, tokens); break;
    case HK_Q5_K: hk_multiply_q5_k(&task, rows, tokens); break;
    case HK_Q6_K: hk_multiply_q6_k(&task, rows, tokens); break;
    default: break;
    }
}

#endif
