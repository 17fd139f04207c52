// Products of quantized weights with 8-bit activations (see bytes.h) on NEON.
//
// As everywhere a result is the sum of eight lanes: lane j adds up, step by step, scale * (exact integer product) of block j
// of each step. One or two tokens read the rows as the file has them; more share panels. Everything gives the same integers and
// adds them in the same order, and so does the portable set: all results are the same to the last bit.
#ifndef HK_BYTES_NEON_H
#define HK_BYTES_NEON_H

#define HK_BYTES_PATHS 1

#include "bytes_neon_token.h"

// MARK: - Any number of tokens

// From here on unpacking is worth sharing.
enum { HK_FEW_TOKENS = 3 };

#include "bytes_few.h"

HK_INLINE void hk_bytes_many(
    hk_format format, const hk_tile_kind kind, const bool decodes, bool matrices, const hk_tile *task, size_t row_count,
    size_t token_count) {
    const size_t most = task->columns <= HK_PANEL_STEPS * HK_STEP ? row_count : HK_SUMS_ROWS;
#define HK_PANEL(tile, rows, tokens) hk_bytes_panels(format, kind, decodes, matrices, tile, rows, tokens)
    HK_FOR_EACH_PANEL(HK_PANEL, task, row_count, token_count, most, HK_SUMS_TOKENS)
#undef HK_PANEL
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
        const hk_tile task = {weights, row_bytes, columns, x, x_stride, step_stride, y, y_stride, 0, 0};              \
        hk_bytes_any(format, matrices, &task, rows, tokens);                                                          \
    }
HK_DEFINE_BYTES_PRODUCT(hk_multiply_bytes, false)
HK_DEFINE_BYTES_PRODUCT(hk_multiply_bytes_by_matrices, true)

#endif
