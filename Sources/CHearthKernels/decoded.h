// Products of the formats whose values are looked up, or have a scale each 16 values and too few bits to be worth a path of
// their own: a step of some rows is decoded to bytes in the nearest cache (see decode.h), and all tokens of a panel meet
// the bytes. What decoding costs is shared by the tokens of a prompt, and hides behind the memory where there is one.
//
// The including set defines HK_DECODED_UNITS, the units of a step, and of a unit
//     hk_integers hk_decoded_dot(bool halves, const int8_t *quants, const hk_activation_pair *x, int unit)
//     hk_vector hk_decoded_sums(const hk_activation_pair *x, int unit)
// with the integer products and the activations' integers, both added up to lanes of values that share a scale, and
//     hk_vector hk_decoded_spread(bool halves, const float *scales, int unit)
// with the scales of those lanes. `halves` says that there is a scale each 16 values, not each 32.
#ifndef HK_DECODED_H
#define HK_DECODED_H

#include "decode.h"
#include "tiles.h"

// Whether products of a format go by decoded steps.
HK_INLINE bool hk_goes_decoded(hk_format format) {
    switch (format) {
    case HK_F32: case HK_F16: case HK_BF16: return false;
    case HK_Q4_0: case HK_Q4_1: case HK_Q5_0: case HK_Q5_1: case HK_Q8_0: return false;
    case HK_Q4_K: case HK_Q5_K: case HK_Q6_K: return false;
    default: return true;
    }
}

// Adds `units` units of a step to the sums of each row and token.
HK_INLINE void hk_decoded_step(
    const bool has_minimum, const bool halves, const int rows, const int tokens, const hk_decoded *steps,
    const hk_activation_pair *x, size_t x_stride, const int units, hk_vector *sums) {
    hk_vector parts[HK_MAX_ROWS][HK_TILE_TOKENS];
    HK_UNROLL for (int r = 0; r < rows; r++) {
        HK_UNROLL for (int k = 0; k < tokens; k++) parts[r][k] = 0;
    }
    _Pragma("clang loop unroll(disable)") for (int unit = 0; unit < units; unit++) {
        hk_vector scales[HK_MAX_ROWS], minimums[HK_MAX_ROWS];
        HK_UNROLL for (int r = 0; r < rows; r++) {
            scales[r] = hk_decoded_spread(halves, steps[r].scales, unit);
            if (has_minimum) minimums[r] = hk_decoded_spread(halves, steps[r].minimums, unit);
        }
        HK_UNROLL for (int k = 0; k < tokens; k++) {
            const hk_activation_pair *pairs = x + (size_t)k * x_stride;
            HK_UNROLL for (int r = 0; r < rows; r++) {
                const hk_integers dot = hk_decoded_dot(halves, steps[r].quants, pairs, unit);
                parts[r][k] += __builtin_convertvector(dot, hk_vector) * scales[r];
            }
            if (has_minimum) {
                const hk_vector totals = hk_decoded_sums(pairs, unit);
                HK_UNROLL for (int r = 0; r < rows; r++) parts[r][k] += totals * minimums[r];
            }
        }
    }
    HK_UNROLL for (int k = 0; k < tokens; k++) {
        HK_UNROLL for (int r = 0; r < rows; r++) {
            sums[k * HK_MAX_ROWS + r] += parts[r][k] * x[(size_t)k * x_stride].scale;
        }
    }
}

// Some rows times the tokens of a panel.
HK_INLINE void hk_decoded_rows(
    hk_format format, const bool has_minimum, const bool halves, const int rows, const hk_tile *t, size_t tokens) {
    const size_t step_bytes = HK_STEP / hk_block_values(format) * hk_block_bytes(format);
    hk_vector sums[HK_TOKEN_PANEL * HK_MAX_ROWS];
    memset(sums, 0, tokens * HK_MAX_ROWS * sizeof *sums);
    const uint8_t *weights = t->weights;
    const hk_activation_pair *x = t->x;
    for (size_t c = 0; c < t->columns; c += HK_STEP, weights += step_bytes, x += t->step_stride) {
        const size_t count = t->columns - c < HK_STEP ? t->columns - c : HK_STEP;
        hk_decoded steps[HK_MAX_ROWS];
        for (int r = 0; r < rows; r++) {
            const uint8_t *step = weights + (size_t)r * t->row_bytes;
            hk_prefetch(step, t->ahead, step_bytes);
            // What an incomplete step has beyond its values counts for nothing.
            if (count < HK_STEP) memset(&steps[r], 0, sizeof steps[r]);
            hk_decode(format, step, count, &steps[r]);
        }
        const int units = (int)((count + 63) / 64) * HK_DECODED_UNITS / HK_STEP_PAIRS;
        size_t k = 0;
        for (; k + HK_TILE_TOKENS <= tokens; k += HK_TILE_TOKENS) {
            hk_decoded_step(
                has_minimum, halves, rows, HK_TILE_TOKENS, steps, x + k * t->x_stride, t->x_stride, units,
                sums + k * HK_MAX_ROWS);
        }
        for (; k < tokens; k++) {
            hk_decoded_step(
                has_minimum, halves, rows, 1, steps, x + k * t->x_stride, t->x_stride, units,
                sums + k * HK_MAX_ROWS);
        }
    }
    for (size_t k = 0; k < tokens; k++) {
        for (int r = 0; r < rows; r++) t->y[k * t->y_stride + (size_t)r] = hk_sum(sums[k * HK_MAX_ROWS + (size_t)r]);
    }
}

HK_INLINE void hk_multiply_decoded_panels(
    hk_format format, const bool has_minimum, const bool halves, const hk_tile *task, size_t row_count,
    size_t tokens) {
    for (size_t panel = 0; panel < tokens; panel += HK_TOKEN_PANEL) {
        const size_t some = tokens - panel < HK_TOKEN_PANEL ? tokens - panel : HK_TOKEN_PANEL;
        hk_tile tile = *task;
        tile.x = (const hk_activation_pair *)task->x + panel * task->x_stride;
        tile.y += panel * task->y_stride;
        for (size_t row = 0; row < row_count;) {
            const int rows = row_count - row >= HK_DECODE_ROWS ? HK_DECODE_ROWS : 1;
            tile.ahead = hk_ahead(task->row_bytes, (size_t)rows);
            if (rows == 1) hk_decoded_rows(format, has_minimum, halves, 1, &tile, some);
            else hk_decoded_rows(format, has_minimum, halves, HK_DECODE_ROWS, &tile, some);
            row += (size_t)rows;
            tile.weights += (size_t)rows * task->row_bytes;
            tile.y += rows;
        }
    }
}

// Returns false where the format goes another way.
static bool hk_multiply_decoded(hk_format format, const hk_tile *task, size_t rows, size_t tokens) {
    if (!hk_goes_decoded(format)) return false;
    if (hk_has_minimum(format)) hk_multiply_decoded_panels(format, true, true, task, rows, tokens);
    else if (hk_scales_halves(format)) hk_multiply_decoded_panels(format, false, true, task, rows, tokens);
    else hk_multiply_decoded_panels(format, false, false, task, rows, tokens);
    return true;
}

#endif
