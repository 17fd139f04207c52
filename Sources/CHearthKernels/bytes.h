// Activations as bytes with a scale for each 32 values: the form of 8 bits. Bit-exact in every set, hence no fused
// multiply-add in this file.
#ifndef HK_BYTES_H
#define HK_BYTES_H

#include "dense.h"
#include "quantize.h"
#include "tiles.h"

_Static_assert(sizeof(hk_activation_bytes) == 384, "four pairs of whole bytes, whole cache lines");

enum { HK_BYTES_PAIR = sizeof(hk_activation_bytes) / HK_STEP_PAIRS };

// Values 32 * block ... of a step.
HK_INLINE void hk_quantize_bytes_block(const float *x, hk_activation_bytes *out, int block) {
#pragma clang fp contract(off)
    // See hk_scale_of: what is not finite makes the block's products NaN.
    uint32_t peak = 0;
    for (int i = 0; i < 32; i++) {
        const uint32_t magnitude = hk_bits_of_float(x[i]) & 0x7fffffff;
        peak = magnitude > peak ? magnitude : peak;
    }
    const float largest = hk_float_of_bits(peak);
    const bool finite = peak < 0x7f800000, usable = finite && largest >= 1e-33f;
    const float inverse = usable ? 127.0f / largest : 0.0f;
    int32_t sums[2] = {0, 0};
    for (int half = 0; half < 2; half++) {
        hk_sixteen_floats values = {0};
        if (usable) memcpy(&values, x + 16 * half, sizeof values);
        const hk_sixteen_floats shifted = values * inverse + 12582912.0f;
        hk_sixteen_integers integers;
        memcpy(&integers, &shifted, sizeof shifted);
        integers -= 0x4b400000;
        const hk_sixteen_bytes bytes = __builtin_convertvector(integers, hk_sixteen_bytes);
        memcpy(out->values + 32 * block + 16 * half, &bytes, sizeof bytes);
        for (int i = 0; i < 16; i++) sums[half] += integers[i];
        out->halves[2 * block + half] = (int16_t)sums[half];
    }
    out->sums[block] = sums[0] + sums[1];
    out->offsets[block] = -8 * out->sums[block];
    out->scales[block] = usable ? largest / 127.0f : finite ? 0.0f : hk_float_of_bits(0x7fc00000);
}

// `count` is a multiple of 32; steps are `step_stride` pairs of HK_BYTES_PAIR bytes apart.
static void hk_quantize_bytes(const float *x, size_t count, void *first, size_t step_stride) {
    for (size_t c = 0; c < count; c += HK_STEP) {
        hk_activation_bytes *out =
            (hk_activation_bytes *)((uint8_t *)first + c / HK_STEP * step_stride * HK_BYTES_PAIR);
        const size_t blocks = count - c < HK_STEP ? (count - c) / 32 : HK_STEP / 32;
        if (blocks < HK_STEP / 32) memset(out, 0, sizeof *out);
        for (size_t block = 0; block < blocks; block++) hk_quantize_bytes_block(x + c + 32 * block, out, (int)block);
    }
}

// Step `index` of token `token`.
HK_INLINE const hk_activation_bytes *hk_bytes_step(const hk_tile *t, size_t token, size_t index) {
    return (const hk_activation_bytes *)((const uint8_t *)t->x
        + (token * t->x_stride + index * t->step_stride) * HK_BYTES_PAIR);
}

// Calls PANEL(tile, rows, tokens) so that every result is computed exactly once, by panels of at most `most_rows` rows and
// `most_tokens` tokens.
#define HK_FOR_EACH_PANEL(PANEL, task, row_count, token_count, most_rows, most_tokens)                                \
    for (size_t token = 0; token < (token_count); token += (most_tokens)) {                                           \
        const size_t tokens = (token_count)-token < (most_tokens) ? (token_count)-token : (most_tokens);              \
        for (size_t row = 0; row < (row_count); row += (most_rows)) {                                                 \
            const size_t rows = (row_count)-row < (most_rows) ? (row_count)-row : (most_rows);                        \
            hk_tile tile = *(task);                                                                                   \
            tile.weights += row * tile.row_bytes;                                                                     \
            tile.x = (const uint8_t *)tile.x + token * tile.x_stride * HK_BYTES_PAIR;                                 \
            tile.y += token * tile.y_stride + row;                                                                    \
            tile.ahead = hk_ahead(tile.row_bytes, (most_rows));                                                       \
            tile.spare = ((row_count)-row - rows) * tile.row_bytes;                                                   \
            PANEL(&tile, rows, tokens);                                                                               \
        }                                                                                                             \
    }

// MARK: - Any format

typedef float hk_eight_sums __attribute__((ext_vector_type(8)));
typedef float hk_vector_of_lanes __attribute__((ext_vector_type(4)));

// The including set defines the products of a decoded step with the activations, exact: of the first 16 values of each
// block of 32, and of the others.
HK_INLINE void hk_bytes_dots(const int8_t *quants, const int8_t *values, hk_eight_sums *first, hk_eight_sums *second);

// Adds one step of one row times one token: lane j is block j.
HK_INLINE void hk_bytes_decoded_step(
    const bool has_minimum, const bool halves, const hk_decoded *step, const hk_activation_bytes *x, hk_eight_sums *sum) {
    typedef float sixteen __attribute__((ext_vector_type(16)));
    hk_eight_sums first, second, scales;
    hk_bytes_dots(step->quants, x->values, &first, &second);
    memcpy(&scales, x->scales, sizeof scales);
    sixteen factors, minimums;
    memcpy(&factors, step->scales, sizeof factors);
    if (halves) {
        *sum += first * (factors.even * scales);
        *sum += second * (factors.odd * scales);
    } else {
        *sum += (first + second) * (factors.even * scales);
    }
    if (!has_minimum) return;
    memcpy(&minimums, step->minimums, sizeof minimums);
    if (!halves) {
        hk_eight_integers sums;
        memcpy(&sums, x->sums, sizeof sums);
        *sum += scales * __builtin_convertvector(sums, hk_eight_sums) * minimums.even;
        return;
    }
    typedef int16_t sixteen_words __attribute__((ext_vector_type(16)));
    sixteen_words words;
    memcpy(&words, x->halves, sizeof words);
    *sum += __builtin_convertvector(words.even, hk_eight_sums) * scales * minimums.even;
    *sum += __builtin_convertvector(words.odd, hk_eight_sums) * scales * minimums.odd;
}

HK_INLINE void hk_bytes_decoded_rows(
    hk_format format, const bool has_minimum, const bool halves, const hk_tile *task, size_t rows, size_t tokens) {
    const size_t step_bytes = HK_STEP / hk_block_values(format) * hk_block_bytes(format);
    for (size_t panel = 0; panel < tokens; panel += HK_TOKEN_PANEL) {
        const size_t some = tokens - panel < HK_TOKEN_PANEL ? tokens - panel : HK_TOKEN_PANEL;
        for (size_t row = 0; row < rows; row++) {
            hk_eight_sums sums[HK_TOKEN_PANEL] = {0};
            const uint8_t *weights = task->weights + row * task->row_bytes;
            for (size_t c = 0; c < task->columns; c += HK_STEP, weights += step_bytes) {
                const size_t count = task->columns - c < HK_STEP ? task->columns - c : HK_STEP;
                hk_decoded step;
                hk_prefetch(weights, 4096, step_bytes);
                // What an incomplete step has beyond its values counts for nothing.
                if (count < HK_STEP) memset(&step, 0, sizeof step);
                hk_decode(format, weights, count, &step);
                for (size_t k = 0; k < some; k++) {
                    const hk_activation_bytes *x = hk_bytes_step(task, panel + k, c / HK_STEP);
                    hk_bytes_decoded_step(has_minimum, halves, &step, x, &sums[k]);
                }
            }
            for (size_t k = 0; k < some; k++) {
                const hk_eight_sums v = sums[k];
                const hk_vector_of_lanes four = v.lo + v.hi;
                task->y[(panel + k) * task->y_stride + row] = (four.x + four.z) + (four.y + four.w);
            }
        }
    }
}

// Whatever the format; sets have paths of their own for the most frequent ones.
static void hk_bytes_decoded(hk_format format, const hk_tile *task, size_t rows, size_t tokens) {
    const bool halves = hk_scales_halves(format) || format == HK_Q6_K;
    if (hk_has_minimum(format) && halves) hk_bytes_decoded_rows(format, true, true, task, rows, tokens);
    else if (hk_has_minimum(format)) hk_bytes_decoded_rows(format, true, false, task, rows, tokens);
    else if (halves) hk_bytes_decoded_rows(format, false, true, task, rows, tokens);
    else hk_bytes_decoded_rows(format, false, false, task, rows, tokens);
}

// The whole product of sets that have no paths of their own.
#ifndef HK_BYTES_PATHS
static void hk_multiply_bytes(
    hk_format format, const void *weights, size_t row_bytes, size_t rows, size_t columns, const void *x,
    size_t x_stride, size_t step_stride, size_t tokens, float *y, size_t y_stride) {
    const hk_tile task = {weights, row_bytes, columns, x, x_stride, step_stride, y, y_stride, 0, 0};
    if (!hk_multiply_dense(format, &task, rows, tokens)) hk_bytes_decoded(format, &task, rows, tokens);
}
#endif

#endif
