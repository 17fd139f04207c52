// Products with F32, F16 and BF16 weights: float32 multiply-add on exactly converted values.
#ifndef HK_DENSE_H
#define HK_DENSE_H

#include "tiles.h"

HK_INLINE void hk_dense_step(
    hk_format format, const int rows, const int tokens, const hk_tile *t, size_t c, size_t count,
    hk_vector sums[HK_MAX_ROWS][HK_TILE_TOKENS]) {
    const size_t bytes = hk_block_bytes(format);
    hk_vector w[HK_MAX_ROWS];
    HK_UNROLL for (int r = 0; r < rows; r++) {
        w[r] = hk_load_weights(format, t->weights + (size_t)r * t->row_bytes + c * bytes, count);
    }
    HK_UNROLL for (int k = 0; k < tokens; k++) {
        const hk_vector x = hk_load_some((const float *)t->x + (size_t)k * t->x_stride + c, count);
        HK_UNROLL for (int r = 0; r < rows; r++) sums[r][k] += w[r] * x;
    }
}

HK_INLINE void hk_dense_tile(hk_format format, const int rows, const int tokens, const hk_tile *t) {
    const size_t bytes = hk_block_bytes(format);
    // One set of sums whatever the tile: a result must not depend on how many rows or tokens are computed with it.
    hk_vector sums[HK_MAX_ROWS][HK_TILE_TOKENS];
    HK_UNROLL for (int r = 0; r < rows; r++) {
        HK_UNROLL for (int k = 0; k < tokens; k++) sums[r][k] = 0;
    }
    size_t c = 0;
    for (; c + 2 * HK_LANES <= t->columns; c += 2 * HK_LANES) {
        HK_UNROLL for (int r = 0; r < rows; r++) {
            hk_prefetch(t->weights + (size_t)r * t->row_bytes + c * bytes, t->ahead, 2 * HK_LANES * bytes);
        }
        hk_dense_step(format, rows, tokens, t, c, HK_LANES, sums);
        hk_dense_step(format, rows, tokens, t, c + HK_LANES, HK_LANES, sums);
    }
    for (; c + HK_LANES <= t->columns; c += HK_LANES) hk_dense_step(format, rows, tokens, t, c, HK_LANES, sums);
    if (c < t->columns) hk_dense_step(format, rows, tokens, t, c, t->columns - c, sums);
    HK_UNROLL for (int k = 0; k < tokens; k++) {
        HK_UNROLL for (int r = 0; r < rows; r++) {
            t->y[(size_t)k * t->y_stride + (size_t)r] = hk_sum(sums[r][k]);
        }
    }
}

#define HK_DEFINE_DENSE(name, format)                                                                                 \
    static void name(const hk_tile *task, size_t row_count, size_t token_count) {                                     \
        HK_FOR_EACH_TILE(name##_tile, *task, row_count, token_count, sizeof(float))                                   \
    }
#define hk_multiply_f32_tile(rows, tokens, tile) hk_dense_tile(HK_F32, rows, tokens, tile)
#define hk_multiply_f16_tile(rows, tokens, tile) hk_dense_tile(HK_F16, rows, tokens, tile)
#define hk_multiply_bf16_tile(rows, tokens, tile) hk_dense_tile(HK_BF16, rows, tokens, tile)

HK_DEFINE_DENSE(hk_multiply_f32, HK_F32)
HK_DEFINE_DENSE(hk_multiply_f16, HK_F16)
HK_DEFINE_DENSE(hk_multiply_bf16, HK_BF16)

// Returns false where the format is not dense.
static bool hk_multiply_dense(hk_format format, const hk_tile *task, size_t rows, size_t tokens) {
    switch (format) {
    case HK_F32: hk_multiply_f32(task, rows, tokens); return true;
    case HK_F16: hk_multiply_f16(task, rows, tokens); return true;
    case HK_BF16: hk_multiply_bf16(task, rows, tokens); return true;
    default: return false;
    }
}

#endif
