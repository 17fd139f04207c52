// The tiles of 8-bit activations on NEON (see bytes_neon.h): eight rows of a panel times four tokens, read lane by lane, so that
// a lane's sums stay in registers.
#ifndef HK_BYTES_NEON_TILE_H
#define HK_BYTES_NEON_TILE_H

#include "bytes.h"
#include "quantized.h"

// Rows of a panel, tokens that meet it together, and what lies on the stack: columns of a panel, and the rows and tokens whose
// sums are kept from panel to panel (240 KB in all).
enum { HK_PANEL_ROWS = 8, HK_PANEL_TOKENS = 4, HK_PANEL_STEPS = 4, HK_SUMS_ROWS = 64, HK_SUMS_TOKENS = 64 };

// A format has, for the tiles, a scale for each 32 values, a minimum too, or a scale for each 16 values.
typedef enum { HK_PLAIN, HK_MINIMUMS, HK_HALVES } hk_tile_kind;

// A block of 32 columns of eight rows. With products of matrices: of each 8 columns the four pairs of rows; scales of a pair
// twice each. Else: of each 4 columns the two fours of rows.
typedef struct {
    int8_t quants[8 * 32];
    float scales[2][16], minimums[16];
} hk_panel_block;

// A block of 32 values of four tokens. With products of matrices: of each 8 values the two pairs of tokens; scales of a pair
// one after the other, twice. Else: token by token. `totals` are the scaled sums of the values.
typedef struct {
    int8_t values[4 * 32];
    float scales[8], totals[8];
} hk_packed_tokens;

typedef hk_panel_block hk_panel[8][HK_PANEL_STEPS];
typedef hk_packed_tokens hk_packed[8][HK_PANEL_STEPS];
typedef float32x4_t hk_tile_sums[8][8];  // lane by lane, in the order of the tile

// Sum 4 * q + k of a tile has rows 4 * q ... 4 * q + 3 of token k.
HK_INLINE void hk_dots_of_tile(
    const hk_tile_kind kind, const hk_panel *panel, const hk_packed *packed, size_t steps, hk_tile_sums *sums) {
    for (int lane = 0; lane < 8; lane++) {
        float32x4_t total[8];
        HK_UNROLL for (int i = 0; i < 8; i++) total[i] = (*sums)[lane][i];
        for (size_t s = 0; s < steps; s++) {
            const hk_panel_block *w = &(*panel)[lane][s];
            const hk_packed_tokens *x = &(*packed)[lane][s];
            const float32x4_t scale = vld1q_f32(x->scales), sum = vld1q_f32(x->totals);
            int32x4_t dots[8];
            HK_UNROLL for (int half = 0; half < 2; half++) {
                if (half == 0 || kind == HK_HALVES) {
                    HK_UNROLL for (int i = 0; i < 8; i++) dots[i] = vdupq_n_s32(0);
                }
                int8x16_t values[4];
                HK_UNROLL for (int k = 0; k < 4; k++) values[k] = vld1q_s8(x->values + 32 * k + 16 * half);
#define HK_FOUR_COLUMNS(c)                                                                                            \
    HK_UNROLL for (int q = 0; q < 2; q++) {                                                                           \
        const int8x16_t quants = vld1q_s8(w->quants + 128 * half + 32 * (c) + 16 * q);                                \
        HK_UNROLL for (int k = 0; k < 4; k++) {                                                                       \
            dots[4 * q + k] = vdotq_laneq_s32(dots[4 * q + k], quants, values[k], c);                                 \
        }                                                                                                             \
    }
                HK_FOUR_COLUMNS(0)
                HK_FOUR_COLUMNS(1)
                HK_FOUR_COLUMNS(2)
                HK_FOUR_COLUMNS(3)
#undef HK_FOUR_COLUMNS
                if (half == 0 && kind != HK_HALVES) continue;
                HK_UNROLL for (int q = 0; q < 2; q++) {
                    const float32x4_t factor = vld1q_f32(w->scales[kind == HK_HALVES ? half : 0] + 4 * q);
#define HK_ADD_TOKEN(k)                                                                                               \
    total[4 * q + k] =                                                                                                \
        vfmaq_f32(total[4 * q + k], vcvtq_f32_s32(dots[4 * q + k]), vmulq_laneq_f32(factor, scale, k));               \
    if (kind == HK_MINIMUMS) {                                                                                        \
        total[4 * q + k] = vfmaq_laneq_f32(total[4 * q + k], vld1q_f32(w->minimums + 4 * q), sum, k);                 \
    }
                    HK_ADD_TOKEN(0)
                    HK_ADD_TOKEN(1)
                    HK_ADD_TOKEN(2)
                    HK_ADD_TOKEN(3)
#undef HK_ADD_TOKEN
                }
            }
        }
        HK_UNROLL for (int i = 0; i < 8; i++) (*sums)[lane][i] = total[i];
    }
}

// Sum 2 * p + q of a tile has rows 2 * p and 2 * p + 1 of tokens 2 * q and 2 * q + 1: two of the one row, then of the other.
__attribute__((target("dotprod,i8mm"))) HK_INLINE void hk_matrices_of_tile(
    const hk_tile_kind kind, const hk_panel *panel, const hk_packed *packed, size_t steps, hk_tile_sums *sums) {
    for (int lane = 0; lane < 8; lane++) {
        float32x4_t total[8];
        HK_UNROLL for (int i = 0; i < 8; i++) total[i] = (*sums)[lane][i];
        for (size_t s = 0; s < steps; s++) {
            const hk_panel_block *w = &(*panel)[lane][s];
            const hk_packed_tokens *x = &(*packed)[lane][s];
            int32x4_t dots[8];
            HK_UNROLL for (int half = 0; half < 2; half++) {
                if (half == 0 || kind == HK_HALVES) {
                    HK_UNROLL for (int i = 0; i < 8; i++) dots[i] = vdupq_n_s32(0);
                }
                HK_UNROLL for (int c = 2 * half; c < 2 * half + 2; c++) {
                    const int8x16_t first = vld1q_s8(x->values + 32 * c), second = vld1q_s8(x->values + 32 * c + 16);
                    HK_UNROLL for (int p = 0; p < 4; p++) {
                        const int8x16_t quants = vld1q_s8(w->quants + 64 * c + 16 * p);
                        dots[2 * p] = vmmlaq_s32(dots[2 * p], quants, first);
                        dots[2 * p + 1] = vmmlaq_s32(dots[2 * p + 1], quants, second);
                    }
                }
                if (half == 0 && kind != HK_HALVES) continue;
                HK_UNROLL for (int p = 0; p < 4; p++) {
                    const float32x4_t factor = vld1q_f32(w->scales[kind == HK_HALVES ? half : 0] + 4 * p);
                    HK_UNROLL for (int q = 0; q < 2; q++) {
                        float32x4_t *sum = &total[2 * p + q];
                        const float32x4_t scale = vmulq_f32(factor, vld1q_f32(x->scales + 4 * q));
                        *sum = vfmaq_f32(*sum, vcvtq_f32_s32(dots[2 * p + q]), scale);
                        if (kind == HK_MINIMUMS) {
                            *sum = vfmaq_f32(*sum, vld1q_f32(x->totals + 4 * q), vld1q_f32(w->minimums + 4 * p));
                        }
                    }
                }
            }
        }
        HK_UNROLL for (int i = 0; i < 8; i++) (*sums)[lane][i] = total[i];
    }
}

#define HK_DEFINE_TILE(name, target, of_tile, kind)                                                                   \
    __attribute__((noinline)) target static void name(                                                                \
        const hk_panel *panel, const hk_packed *packed, size_t steps, hk_tile_sums *sums) {                           \
        of_tile(kind, panel, packed, steps, sums);                                                                    \
    }
#define HK_DOTS __attribute__((target("dotprod")))
#define HK_MATRICES __attribute__((target("dotprod,i8mm")))
HK_DEFINE_TILE(hk_plain_dots, HK_DOTS, hk_dots_of_tile, HK_PLAIN)
HK_DEFINE_TILE(hk_minimums_dots, HK_DOTS, hk_dots_of_tile, HK_MINIMUMS)
HK_DEFINE_TILE(hk_halves_dots, HK_DOTS, hk_dots_of_tile, HK_HALVES)
HK_DEFINE_TILE(hk_plain_matrices, HK_MATRICES, hk_matrices_of_tile, HK_PLAIN)
HK_DEFINE_TILE(hk_minimums_matrices, HK_MATRICES, hk_matrices_of_tile, HK_MINIMUMS)
HK_DEFINE_TILE(hk_halves_matrices, HK_MATRICES, hk_matrices_of_tile, HK_HALVES)

HK_INLINE void hk_tile_product(
    const hk_tile_kind kind, bool matrices, const hk_panel *panel, const hk_packed *packed, size_t steps,
    hk_tile_sums *sums) {
    if (kind == HK_PLAIN) (matrices ? hk_plain_matrices : hk_plain_dots)(panel, packed, steps, sums);
    if (kind == HK_MINIMUMS) (matrices ? hk_minimums_matrices : hk_minimums_dots)(panel, packed, steps, sums);
    if (kind == HK_HALVES) (matrices ? hk_halves_matrices : hk_halves_dots)(panel, packed, steps, sums);
}

// The lanes of a tile, added in the order of hk_sum, to `rows` results of `tokens` tokens.
HK_INLINE void hk_store_tile(
    const bool matrices, const hk_tile_sums *sums, float *y, size_t y_stride, size_t rows, size_t tokens) {
    float32x4_t v[8], results[4][2];
    HK_UNROLL for (int i = 0; i < 8; i++) {
        float32x4_t lanes[4];
        HK_UNROLL for (int j = 0; j < 4; j++) lanes[j] = vaddq_f32((*sums)[j][i], (*sums)[j + 4][i]);
        v[i] = vaddq_f32(vaddq_f32(lanes[0], lanes[2]), vaddq_f32(lanes[1], lanes[3]));
    }
    HK_UNROLL for (int k = 0; k < 4; k++) {
        HK_UNROLL for (int q = 0; q < 2; q++) {
            const float32x4_t a = v[4 * q + k / 2], b = v[4 * q + 2 + k / 2];
            results[k][q] = !matrices ? v[4 * q + k] : k % 2 ? vuzp2q_f32(a, b) : vuzp1q_f32(a, b);
        }
    }
    if (rows >= HK_PANEL_ROWS && tokens >= HK_PANEL_TOKENS) {
        HK_UNROLL for (int k = 0; k < 4; k++, y += y_stride) {
            vst1q_f32(y, results[k][0]);
            vst1q_f32(y + 4, results[k][1]);
        }
        return;
    }
    if (rows > HK_PANEL_ROWS) rows = HK_PANEL_ROWS;
    if (tokens > HK_PANEL_TOKENS) tokens = HK_PANEL_TOKENS;
    for (size_t k = 0; k < tokens; k++) memcpy(y + k * y_stride, results[k], rows * sizeof *y);
}

__attribute__((noinline)) static void hk_store_dots(
    const hk_tile_sums *sums, float *y, size_t y_stride, size_t rows, size_t tokens) {
    hk_store_tile(false, sums, y, y_stride, rows, tokens);
}

__attribute__((noinline)) static void hk_store_matrices(
    const hk_tile_sums *sums, float *y, size_t y_stride, size_t rows, size_t tokens) {
    hk_store_tile(true, sums, y, y_stride, rows, tokens);
}

#endif
