// The tiles of 8-bit activations on NEON (see bytes_neon.h): eight rows of a panel times four tokens with dot products, six with
// products of matrices, read lane by lane, so that a lane's sums stay in registers.
#ifndef HK_BYTES_NEON_TILE_H
#define HK_BYTES_NEON_TILE_H

#include "bytes.h"
#include "quantized.h"

// Rows of a panel and its steps at most; and, of matrices with more columns, the steps that are done at once and the rows whose sums
// are kept from one part to the next.
enum { HK_PANEL_ROWS = 8, HK_PANEL_STEPS = 8, HK_PART_STEPS = 4, HK_SUMS_ROWS = 64, HK_SUMS_TOKENS = 64 };

// Tokens that meet a panel together.
HK_INLINE size_t hk_tile_tokens(const bool matrices) {
    return matrices ? 6 : 4;
}

// A format has, for the tiles, a scale for each 32 values, a minimum too, or a scale for each 16 values.
typedef enum { HK_PLAIN, HK_MINIMUMS, HK_HALVES } hk_tile_kind;

// A block of 32 columns of eight rows. With products of matrices: of each 8 columns the four pairs of rows; scales of a pair
// twice each. Else: of each 4 columns the two fours of rows.
typedef struct {
    int8_t quants[8 * 32];
    float scales[2][16], minimums[16];
} hk_panel_block;

// A block of 32 values of four tokens, token by token. `totals` are the scaled sums of the values.
typedef struct {
    int8_t values[4 * 32];
    float scales[4], totals[4];
} hk_four_tokens;

// Of three pairs of tokens: of each 8 values pair by pair; scales of a pair one after the other, twice.
typedef struct {
    int8_t values[6 * 32];
    float scales[12], totals[12];
} hk_six_tokens;

typedef hk_panel_block hk_panel[8][HK_PANEL_STEPS];
typedef float32x4_t hk_four_sums[8][8], hk_six_sums[8][12];  // lane by lane, in the order of the tile

// Sum 4 * q + k of a tile has rows 4 * q ... 4 * q + 3 of token k.
HK_INLINE void hk_dots_of_tile(
    const hk_tile_kind kind, const hk_panel *panel, const hk_four_tokens *x, size_t steps, bool begins,
    hk_four_sums *sums) {
    for (int lane = 0; lane < 8; lane++) {
        float32x4_t total[8];
        HK_UNROLL for (int i = 0; i < 8; i++) total[i] = begins ? vdupq_n_f32(0) : (*sums)[lane][i];
        for (size_t s = 0; s < steps; s++, x++) {
            const hk_panel_block *w = &(*panel)[lane][s];
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

// Finishes twelve sums before the next loads, so that the compiler does not load in advance: the registers are full.
#define HK_FINISH_SUMS(w, x, v)                                                                                       \
    __asm__("" : "+r"(w), "+r"(x), "+w"((v)[0]), "+w"((v)[1]), "+w"((v)[2]), "+w"((v)[3]), "+w"((v)[4]), "+w"((v)[5]), \
            "+w"((v)[6]), "+w"((v)[7]), "+w"((v)[8]), "+w"((v)[9]), "+w"((v)[10]), "+w"((v)[11]))

// Sum `pairs` * p + q of a tile has rows 2 * p and 2 * p + 1 of tokens 2 * q and 2 * q + 1: two of the one row, then of the other.
__attribute__((target("dotprod,i8mm"))) HK_INLINE void hk_matrices_of_tile(
    const hk_tile_kind kind, const int pairs, const hk_panel *panel, const hk_six_tokens *x, size_t steps, bool begins,
    hk_six_sums *sums) {
    for (int lane = 0; lane < 8; lane++) {
        float32x4_t total[12];
        HK_UNROLL for (int i = 0; i < 4 * pairs; i++) total[i] = begins ? vdupq_n_f32(0) : (*sums)[lane][i];
        for (size_t s = 0; s < steps; s++, x++) {
            const hk_panel_block *w = &(*panel)[lane][s];
            int32x4_t dots[12];
            HK_UNROLL for (int half = 0; half < 2; half++) {
                if (half == 0 || kind == HK_HALVES) {
                    HK_UNROLL for (int i = 0; i < 4 * pairs; i++) dots[i] = vdupq_n_s32(0);
                }
                HK_UNROLL for (int c = 2 * half; c < 2 * half + 2; c++) {
                    int8x16_t values[3];
                    HK_UNROLL for (int q = 0; q < pairs; q++) values[q] = vld1q_s8(x->values + 48 * c + 16 * q);
                    HK_UNROLL for (int p = 0; p < 4; p++) {
                        const int8x16_t quants = vld1q_s8(w->quants + 64 * c + 16 * p);
                        HK_UNROLL for (int q = 0; q < pairs; q++) {
                            dots[pairs * p + q] = vmmlaq_s32(dots[pairs * p + q], quants, values[q]);
                        }
                    }
                    if (pairs == 3) HK_FINISH_SUMS(w, x, dots);
                }
                if (half == 0 && kind != HK_HALVES) continue;
                HK_UNROLL for (int p = 0; p < 4; p++) {
                    const float32x4_t factor = vld1q_f32(w->scales[kind == HK_HALVES ? half : 0] + 4 * p);
                    HK_UNROLL for (int q = 0; q < pairs; q++) {
                        float32x4_t *sum = &total[pairs * p + q];
                        const float32x4_t scale = vmulq_f32(factor, vld1q_f32(x->scales + 4 * q));
                        *sum = vfmaq_f32(*sum, vcvtq_f32_s32(dots[pairs * p + q]), scale);
                        if (kind == HK_MINIMUMS) {
                            *sum = vfmaq_f32(*sum, vld1q_f32(x->totals + 4 * q), vld1q_f32(w->minimums + 4 * p));
                        }
                    }
                }
                if (pairs == 3 && kind == HK_HALVES) HK_FINISH_SUMS(w, x, total);
            }
        }
        HK_UNROLL for (int i = 0; i < 4 * pairs; i++) (*sums)[lane][i] = total[i];
    }
}

#define HK_DEFINE_TILES(name, kind)                                                                                   \
    __attribute__((noinline)) static void name##_dots(                                                                \
        const hk_panel *panel, const hk_four_tokens *x, size_t steps, bool begins, hk_four_sums *sums) {              \
        hk_dots_of_tile(kind, panel, x, steps, begins, sums);                                                         \
    }                                                                                                                 \
    __attribute__((noinline, target("dotprod,i8mm"))) static void name##_matrices(                                    \
        const hk_panel *panel, const hk_six_tokens *x, size_t pairs, size_t steps, bool begins, hk_six_sums *sums) {  \
        if (pairs == 1) hk_matrices_of_tile(kind, 1, panel, x, steps, begins, sums);                                  \
        else if (pairs == 2) hk_matrices_of_tile(kind, 2, panel, x, steps, begins, sums);                             \
        else hk_matrices_of_tile(kind, 3, panel, x, steps, begins, sums);                                             \
    }
HK_DEFINE_TILES(hk_plain, HK_PLAIN)
HK_DEFINE_TILES(hk_minimums, HK_MINIMUMS)
HK_DEFINE_TILES(hk_halves, HK_HALVES)

// A panel times at most hk_tile_tokens tokens, whose lane 0 comes first: adds to the sums, or begins them.
HK_INLINE void hk_tile_product(
    const hk_tile_kind kind, bool matrices, const hk_panel *panel, const void *x, size_t tokens, size_t steps, bool begins,
    void *sums) {
    const size_t pairs = (tokens + 1) / 2;
    if (matrices) {
        if (kind == HK_PLAIN) hk_plain_matrices(panel, x, pairs, steps, begins, sums);
        if (kind == HK_MINIMUMS) hk_minimums_matrices(panel, x, pairs, steps, begins, sums);
        if (kind == HK_HALVES) hk_halves_matrices(panel, x, pairs, steps, begins, sums);
    } else {
        if (kind == HK_PLAIN) hk_plain_dots(panel, x, steps, begins, sums);
        if (kind == HK_MINIMUMS) hk_minimums_dots(panel, x, steps, begins, sums);
        if (kind == HK_HALVES) hk_halves_dots(panel, x, steps, begins, sums);
    }
}

// A sum of a tile with its lanes added in the order of hk_sum; `stride` is that of the lanes.
HK_INLINE float32x4_t hk_add_lanes(const float32x4_t *sums, const int stride) {
    float32x4_t v[4];
    HK_UNROLL for (int j = 0; j < 4; j++) v[j] = vaddq_f32(sums[j * stride], sums[(j + 4) * stride]);
    return vaddq_f32(vaddq_f32(v[0], v[2]), vaddq_f32(v[1], v[3]));
}

HK_INLINE void hk_store_eight(const float32x4_t results[2], float *y, size_t rows) {
    if (rows >= HK_PANEL_ROWS) memcpy(y, results, HK_PANEL_ROWS * sizeof *y);
    else memcpy(y, results, rows * sizeof *y);
}

__attribute__((noinline)) static void hk_store_dots(
    const hk_four_sums *sums, float *y, size_t y_stride, size_t rows, size_t tokens) {
    for (size_t k = 0; k < tokens; k++, y += y_stride) {
        const float32x4_t results[2] = {hk_add_lanes(&(*sums)[0][k], 8), hk_add_lanes(&(*sums)[0][4 + k], 8)};
        hk_store_eight(results, y, rows);
    }
}

__attribute__((noinline)) static void hk_store_matrices(
    const hk_six_sums *sums, float *y, size_t y_stride, size_t rows, size_t tokens) {
    const size_t pairs = (tokens + 1) / 2;
    for (size_t q = 0; q < pairs; q++) {
        float32x4_t v[4];
        HK_UNROLL for (size_t p = 0; p < 4; p++) v[p] = hk_add_lanes(&(*sums)[0][pairs * p + q], 12);
        const float32x4_t first[2] = {vuzp1q_f32(v[0], v[1]), vuzp1q_f32(v[2], v[3])};
        const float32x4_t second[2] = {vuzp2q_f32(v[0], v[1]), vuzp2q_f32(v[2], v[3])};
        hk_store_eight(first, y + 2 * q * y_stride, rows);
        if (2 * q + 1 < tokens) hk_store_eight(second, y + (2 * q + 1) * y_stride, rows);
    }
}

#endif
