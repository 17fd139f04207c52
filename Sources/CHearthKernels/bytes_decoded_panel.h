// Products of several tokens with 8-bit activations, for formats that are decoded first (see decode.h): sixteen decoded rows are
// turned so that a lane belongs to a row, and every token meets them, four bytes at a time. Same integers, and the same order of
// additions, as hk_bytes_decoded_step. The including set defines
//     __m256i hk_panel_quants(bool small, __m256i)    four signed bytes a lane as the panel keeps them
//     __m256i hk_panel_start(bool small, int32_t)     where a sum begins, by the sum of its activations
//     __m256i hk_panel_dots(bool small, __m256i sum, const __m256i quants[4], const int8_t *a)
// the last of which adds the products with 16 activations. `small` says that no value is larger than 12. HK_PANELS_LARGE_HALVES says
// whether panels pay for larger ones with a scale each 16 values.
#ifndef HK_BYTES_DECODED_PANEL_H
#define HK_BYTES_DECODED_PANEL_H

#include "bytes.h"

// Whether no decoded value is larger than 12.
HK_INLINE bool hk_decodes_small(hk_format format) {
    switch (format) {
    case HK_Q2_K: case HK_Q3_K: case HK_TQ1_0: case HK_TQ2_0: case HK_MXFP4: case HK_NVFP4: case HK_IQ1_S: case HK_IQ1_M:
        return true;
    default: return false;
    }
}

enum { HK_DECODED_ROWS = 16, HK_DECODED_COLUMNS = 1024, HK_DECODED_BLOCKS = HK_DECODED_COLUMNS / 32 };
// Tokens of a tile, and those whose sums are held while rows are read.
enum { HK_DECODED_TOKENS = 4, HK_DECODED_SUMS = 64 };

typedef struct {
    __m256i quants[HK_DECODED_BLOCKS][2][8];              // [block][eight rows][four values]
    hk_eight_sums scales[2 * HK_DECODED_BLOCKS][2];       // [half of a block][eight rows]
    hk_eight_sums minimums[2 * HK_DECODED_BLOCKS][2];
} hk_decoded_panel;

// Eight rows of eight floats each, turned.
HK_INLINE void hk_turn_floats(const float *first, const size_t stride, hk_eight_sums (*out)[2], size_t group) {
    __m256i v[8];
    HK_UNROLL for (int r = 0; r < 8; r++) v[r] = hk_load_bytes(first + (size_t)r * stride);
    hk_turn(v);
    HK_UNROLL for (int i = 0; i < 8; i++) out[i][group] = (hk_eight_sums)v[i];
}

// `count` values of eight rows, from block `block` of the panel on.
HK_INLINE void hk_fill_decoded(
    hk_format format, const bool has_minimum, const bool small, const uint8_t *const rows[8], size_t count,
    hk_decoded_panel *panel, size_t block, size_t group) {
    hk_decoded steps[8];
    // What an incomplete step has beyond its values is not looked at, but it is read.
    if (count < HK_STEP) memset(steps, 0, sizeof steps);
    for (int r = 0; r < 8; r++) hk_decode(format, rows[r], count, &steps[r]);
    const size_t stride = sizeof *steps / sizeof(float);
    HK_UNROLL for (size_t half = 0; half < 2; half++) {
        hk_turn_floats(steps[0].scales + 8 * half, stride, panel->scales + 2 * block + 8 * half, group);
        if (has_minimum) hk_turn_floats(steps[0].minimums + 8 * half, stride, panel->minimums + 2 * block + 8 * half, group);
    }
    HK_UNROLL for (int unit = 0; unit < 8; unit++) {
        __m256i v[8];
        HK_UNROLL for (int r = 0; r < 8; r++) v[r] = hk_load_bytes(steps[r].quants + 32 * unit);
        hk_turn(v);
        HK_UNROLL for (int j = 0; j < 8; j++) panel->quants[block + (size_t)unit][group][j] = hk_panel_quants(small, v[j]);
    }
}

// The blocks of a panel times some tokens; sums[token][block % 8][eight rows].
HK_INLINE void hk_decoded_tile(
    const bool has_minimum, const bool halves, const bool small, const int tokens, const hk_decoded_panel *panel, size_t blocks,
    const hk_tile *t, size_t token, size_t first_step, hk_eight_sums (*sums)[8][2]) {
    const int parts = halves ? 2 : 1;
    for (size_t at = 0; at < blocks; at++) {
        const size_t block = at % 8;
        const hk_activation_bytes *x[HK_DECODED_TOKENS];
        HK_UNROLL for (int k = 0; k < tokens; k++) x[k] = hk_bytes_step(t, token + (size_t)k, first_step + at / 8);
        HK_UNROLL for (int part = 0; part < parts; part++) {
            __m256i dots[HK_DECODED_TOKENS][2];
            HK_UNROLL for (int k = 0; k < tokens; k++) {
                dots[k][0] = dots[k][1] =
                    hk_panel_start(small, halves ? x[k]->halves[2 * block + (size_t)part] : x[k]->sums[block]);
            }
            HK_UNROLL for (int half = part; half < (halves ? part + 1 : 2); half++) {
                HK_UNROLL for (int k = 0; k < tokens; k++) {
                    const int8_t *a = x[k]->values + 32 * block + 16 * half;
                    HK_UNROLL for (int g = 0; g < 2; g++) {
                        dots[k][g] = hk_panel_dots(small, dots[k][g], panel->quants[at][g] + 4 * half, a);
                    }
                }
            }
            HK_UNROLL for (int k = 0; k < tokens; k++) {
                HK_UNROLL for (int g = 0; g < 2; g++) {
                    const hk_eight_sums scale = panel->scales[2 * at + (size_t)part][g] * x[k]->scales[block];
                    sums[k][block][g] = (hk_eight_sums)_mm256_fmadd_ps(
                        _mm256_cvtepi32_ps(dots[k][g]), (__m256)scale, (__m256)sums[k][block][g]);
                }
            }
        }
        if (!has_minimum) continue;
        HK_UNROLL for (int k = 0; k < tokens; k++) {
            HK_UNROLL for (int part = 0; part < parts; part++) {
                const int32_t sum = halves ? x[k]->halves[2 * block + (size_t)part] : x[k]->sums[block];
                const __m256 total = _mm256_set1_ps((float)sum * x[k]->scales[block]);
                HK_UNROLL for (int g = 0; g < 2; g++) {
                    sums[k][block][g] = (hk_eight_sums)_mm256_fmadd_ps(
                        total, (__m256)panel->minimums[2 * at + (size_t)part][g], (__m256)sums[k][block][g]);
                }
            }
        }
    }
}

// `rows` (at most 16) rows times `tokens` (at most HK_DECODED_SUMS) tokens.
HK_INLINE void hk_decoded_panel_rows(
    hk_format format, const bool has_minimum, const bool halves, const bool small, const hk_tile *t, size_t rows,
    size_t tokens) {
    hk_decoded_panel panel;
    hk_eight_sums sums[HK_DECODED_SUMS][8][2];
    memset(sums, 0, tokens * sizeof *sums);
    const size_t step_bytes = HK_STEP / hk_block_values(format) * hk_block_bytes(format);
    for (size_t column = 0; column < t->columns; column += HK_DECODED_COLUMNS) {
        const size_t columns = t->columns - column < HK_DECODED_COLUMNS ? t->columns - column : HK_DECODED_COLUMNS;
        for (size_t c = 0; c < columns; c += HK_STEP) {
            for (size_t group = 0; group < 2; group++) {
                const uint8_t *steps[8];
                for (size_t r = 0; r < 8; r++) {
                    // A row that is missing is the last one again.
                    const size_t row = 8 * group + r < rows ? 8 * group + r : rows - 1;
                    steps[r] = t->weights + row * t->row_bytes + (column + c) / HK_STEP * step_bytes;
                    hk_prefetch(steps[r], t->ahead, step_bytes);
                }
                const size_t count = columns - c < HK_STEP ? columns - c : HK_STEP;
                hk_fill_decoded(format, has_minimum, small, steps, count, &panel, c / 32, group);
            }
        }
        const size_t blocks = columns / 32, first = column / HK_STEP;
#define HK_TILE(count, k) hk_decoded_tile(has_minimum, halves, small, count, &panel, blocks, t, k, first, sums + k)
        HK_IN_PASSES_OF_FOUR(HK_TILE, tokens)
#undef HK_TILE
    }
    for (size_t k = 0; k < tokens; k++) {
        for (size_t group = 0; 8 * group < rows; group++) {
            // The order of hk_bytes_decoded_rows.
            hk_eight_sums four[4];
            for (int i = 0; i < 4; i++) four[i] = sums[k][i][group] + sums[k][i + 4][group];
            const hk_eight_sums total = (four[0] + four[2]) + (four[1] + four[3]);
            const size_t some = rows - 8 * group < 8 ? rows - 8 * group : 8;
            memcpy(t->y + k * t->y_stride + 8 * group, &total, some * sizeof(float));
        }
    }
}

HK_INLINE void hk_decoded_panels(
    hk_format format, const bool has_minimum, const bool halves, const bool small, const hk_tile *task, size_t row_count,
    size_t token_count) {
#define HK_PANEL(tile, rows, tokens) hk_decoded_panel_rows(format, has_minimum, halves, small, tile, rows, tokens)
    HK_FOR_EACH_PANEL(HK_PANEL, task, row_count, token_count, HK_DECODED_ROWS, HK_DECODED_SUMS)
#undef HK_PANEL
}

// Whatever the format that goes decoded.
static void hk_multiply_decoded_bytes(hk_format format, const hk_tile *task, size_t rows, size_t tokens) {
    const bool small = hk_decodes_small(format), halves = hk_scales_halves(format);
    const bool pays = HK_PANELS_LARGE_HALVES || small || !halves;
    if (tokens < HK_DECODED_FEW || !pays) hk_bytes_decoded(format, task, rows, tokens);
    else if (hk_has_minimum(format)) hk_decoded_panels(format, true, true, true, task, rows, tokens);
    else if (halves && small) hk_decoded_panels(format, false, true, true, task, rows, tokens);
    else if (halves) hk_decoded_panels(format, false, true, false, task, rows, tokens);
    else if (small) hk_decoded_panels(format, false, false, true, task, rows, tokens);
    else hk_decoded_panels(format, false, false, false, task, rows, tokens);
}

#endif
