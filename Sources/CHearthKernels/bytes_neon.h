// Products of quantized weights with 8-bit activations (see bytes.h) on NEON.
//
// As everywhere a result is the sum of eight lanes: lane j adds up, step by step, scale * (exact integer product) of block j
// of each step. One or two tokens read the rows as the file has them; more share panels. Everything gives the same integers and
// adds them in the same order, and so does the portable set: all results are the same to the last bit.
#ifndef HK_BYTES_NEON_H
#define HK_BYTES_NEON_H

#define HK_BYTES_PATHS 1

#include "bytes_neon_panel.h"

// MARK: - One token

HK_INLINE int32x4_t hk_add_up_four(const int32x4_t v[4]) {
    return vpaddq_s32(vpaddq_s32(v[0], v[1]), vpaddq_s32(v[2], v[3]));
}

// Adds one step of one row times one token to the lanes.
HK_INLINE void hk_bytes_step_sum(hk_format format, const uint8_t *step, const hk_activation_bytes *x, hk_vector sum[2]) {
    hk_sixteen factors;
    hk_read_scales(format, step, &factors);
    HK_UNROLL for (int part = 0; part < 2; part++) {
        int32x4_t first[4], second[4];
        HK_UNROLL for (int i = 0; i < 4; i++) {
            const int block = 4 * part + i;
            first[i] = vdotq_s32(vdupq_n_s32(0), hk_unpack(format, step, 2 * block), vld1q_s8(x->values + 32 * block));
            const int32x4_t start = format == HK_Q6_K ? vdupq_n_s32(0) : first[i];
            second[i] = vdotq_s32(start, hk_unpack(format, step, 2 * block + 1), vld1q_s8(x->values + 32 * block + 16));
        }
        const hk_vector scales = hk_load(x->scales + 4 * part);
        int32x4_t dots = hk_add_up_four(second);
        if (format == HK_Q6_K) {
            // A scale for each 16 values.
            const int16x4x2_t halves = vld2_s16(x->halves + 8 * part);
            const hk_eight of_part = part ? factors.hi : factors.lo;
            const int32x4_t others = vsubq_s32(hk_add_up_four(first), vshll_n_s16(halves.val[0], 5));
            dots = vsubq_s32(dots, vshll_n_s16(halves.val[1], 5));
            sum[part] = (hk_vector)vfmaq_f32(
                (float32x4_t)sum[part], vcvtq_f32_s32(others), (float32x4_t)(of_part.even * scales));
            sum[part] = (hk_vector)vfmaq_f32(
                (float32x4_t)sum[part], vcvtq_f32_s32(dots), (float32x4_t)(of_part.odd * scales));
            continue;
        }
        const int32x4_t sums = vld1q_s32(x->sums + 4 * part);
        if (format == HK_Q4_0) dots = vaddq_s32(dots, vld1q_s32(x->offsets + 4 * part));
        if (format == HK_Q5_0) dots = vsubq_s32(dots, vshlq_n_s32(sums, 4));
        const hk_eight of_part = hk_has_minimum(format) && part ? factors.hi : factors.lo;
        const hk_vector scale = hk_has_minimum(format) || !part ? of_part.lo : of_part.hi;
        sum[part] = (hk_vector)vfmaq_f32((float32x4_t)sum[part], vcvtq_f32_s32(dots), (float32x4_t)(scale * scales));
        if (!hk_has_minimum(format)) continue;
        // Minimums of Q4_K and Q5_K come out positive.
        const hk_vector minimum = format == HK_Q4_K || format == HK_Q5_K ? -of_part.hi : of_part.hi;
        const hk_vector totals = scales * (hk_vector)vcvtq_f32_s32(sums);
        sum[part] = (hk_vector)vfmaq_f32((float32x4_t)sum[part], (float32x4_t)totals, (float32x4_t)minimum);
    }
}

HK_INLINE void hk_bytes_rows(hk_format format, const int rows, const hk_tile *t, size_t token) {
    const size_t step_bytes = hk_step_bytes(format);
    hk_vector sums[HK_DECODE_ROWS][2];
    HK_UNROLL for (int r = 0; r < rows; r++) sums[r][0] = sums[r][1] = 0;
    const uint8_t *weights = t->weights;
    size_t c = 0;
    for (; c + HK_STEP <= t->columns; c += HK_STEP, weights += step_bytes) {
        const hk_activation_bytes *x = hk_bytes_step(t, token, c / HK_STEP);
        // Unrolled, the compiler would load the quants of all rows first, for which the registers do not suffice.
        const uint8_t *step = weights;
        _Pragma("clang loop unroll(disable)") for (int r = 0; r < rows; r++, step += t->row_bytes) {
            hk_prefetch(step, t->ahead, step_bytes);
            hk_bytes_step_sum(format, step, x, sums[r]);
        }
    }
    if (hk_block_values(format) < HK_STEP && c < t->columns) {
        for (int r = 0; r < rows; r++) {
            uint8_t copy[HK_STEP / 32 * sizeof(hk_q8_0)] = {0};
            memcpy(copy, weights + (size_t)r * t->row_bytes, (t->columns - c) / 32 * hk_block_bytes(format));
            hk_bytes_step_sum(format, copy, hk_bytes_step(t, token, c / HK_STEP), sums[r]);
        }
    }
    HK_UNROLL for (int r = 0; r < rows; r++) t->y[token * t->y_stride + (size_t)r] = hk_sum(sums[r][0] + sums[r][1]);
}

// MARK: - Any number of tokens

// From here on unpacking is worth sharing.
enum { HK_FEW_TOKENS = 3 };

#include "bytes_few.h"

HK_INLINE void hk_bytes_many(
    hk_format format, const hk_tile_kind kind, const bool decodes, bool matrices, const hk_tile *task, size_t row_count,
    size_t token_count) {
    hk_tile tile = *task;
    for (size_t token = 0; token < token_count; token += HK_SUMS_TOKENS) {
        const size_t tokens = token_count - token < HK_SUMS_TOKENS ? token_count - token : HK_SUMS_TOKENS;
        for (size_t row = 0; row < row_count; row += HK_SUMS_ROWS) {
            const size_t rows = row_count - row < HK_SUMS_ROWS ? row_count - row : HK_SUMS_ROWS;
            tile.weights = task->weights + row * tile.row_bytes;
            tile.x = (const uint8_t *)task->x + token * tile.x_stride * HK_BYTES_PAIR;
            tile.y = task->y + token * tile.y_stride + row;
            hk_bytes_panels(format, kind, decodes, matrices, &tile, rows, tokens);
        }
    }
}

#define HK_DEFINE_BYTES(name, format, kind)                                                                           \
    static void name##_few(const hk_tile *task, size_t rows, size_t tokens) {                                         \
        hk_bytes_few(format, task, rows, tokens);                                                                     \
    }                                                                                                                 \
    static void name##_many(bool matrices, const hk_tile *task, size_t rows, size_t tokens) {                         \
        hk_bytes_many(format, kind, false, matrices, task, rows, tokens);                                             \
    }
HK_DEFINE_BYTES(hk_bytes_q4_0, HK_Q4_0, HK_PLAIN)
HK_DEFINE_BYTES(hk_bytes_q4_1, HK_Q4_1, HK_MINIMUMS)
HK_DEFINE_BYTES(hk_bytes_q5_0, HK_Q5_0, HK_PLAIN)
HK_DEFINE_BYTES(hk_bytes_q5_1, HK_Q5_1, HK_MINIMUMS)
HK_DEFINE_BYTES(hk_bytes_q8_0, HK_Q8_0, HK_PLAIN)
HK_DEFINE_BYTES(hk_bytes_q4_k, HK_Q4_K, HK_MINIMUMS)
HK_DEFINE_BYTES(hk_bytes_q5_k, HK_Q5_K, HK_MINIMUMS)
HK_DEFINE_BYTES(hk_bytes_q6_k, HK_Q6_K, HK_HALVES)

// Of formats that are decoded first.
static void hk_decoded_many(hk_format format, bool matrices, const hk_tile *task, size_t rows, size_t tokens) {
    hk_bytes_many(format, HK_PLAIN, true, matrices, task, rows, tokens);
}

static void hk_decoded_halves_many(hk_format format, bool matrices, const hk_tile *task, size_t rows, size_t tokens) {
    hk_bytes_many(format, HK_HALVES, true, matrices, task, rows, tokens);
}

static void hk_bytes_any(hk_format format, bool matrices, const hk_tile *task, size_t rows, size_t tokens) {
    if (hk_multiply_dense(format, task, rows, tokens)) return;
    const bool few = tokens < HK_FEW_TOKENS;
#define HK_FORMAT(name)                                                                                               \
    if (few) name##_few(task, rows, tokens);                                                                          \
    else name##_many(matrices, task, rows, tokens);                                                                   \
    break
    switch (format) {
    case HK_Q4_0: HK_FORMAT(hk_bytes_q4_0);
    case HK_Q4_1: HK_FORMAT(hk_bytes_q4_1);
    case HK_Q5_0: HK_FORMAT(hk_bytes_q5_0);
    case HK_Q5_1: HK_FORMAT(hk_bytes_q5_1);
    case HK_Q8_0: HK_FORMAT(hk_bytes_q8_0);
    case HK_Q4_K: HK_FORMAT(hk_bytes_q4_k);
    case HK_Q5_K: HK_FORMAT(hk_bytes_q5_k);
    case HK_Q6_K: HK_FORMAT(hk_bytes_q6_k);
    default:
        // Q2_K, with a minimum for each 16 values, has no panels.
        if (few || hk_has_minimum(format)) hk_bytes_decoded(format, task, rows, tokens);
        else if (hk_scales_halves(format)) hk_decoded_halves_many(format, matrices, task, rows, tokens);
        else hk_decoded_many(format, matrices, task, rows, tokens);
        break;
    }
#undef HK_FORMAT
}

#define HK_DEFINE_BYTES_PRODUCT(name, matrices)                                                                       \
    static void name(                                                                                                 \
        hk_format format, const void *weights, size_t row_bytes, size_t rows, size_t columns, const void *x,          \
        size_t x_stride, size_t step_stride, size_t tokens, float *y, size_t y_stride) {                              \
        const hk_tile task = {weights, row_bytes, columns, x, x_stride, step_stride, y, y_stride, 0, 0};                 \
        hk_bytes_any(format, matrices, &task, rows, tokens);                                                          \
    }
HK_DEFINE_BYTES_PRODUCT(hk_multiply_bytes, false)
HK_DEFINE_BYTES_PRODUCT(hk_multiply_bytes_by_matrices, true)

#endif
