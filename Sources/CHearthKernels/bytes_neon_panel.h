// Panels of 8-bit activations on NEON (see bytes_neon.h): eight rows, unpacked and interleaved, and what meets them.
#ifndef HK_BYTES_NEON_PANEL_H
#define HK_BYTES_NEON_PANEL_H

#include "bytes_neon_tile.h"

HK_INLINE int32x4_t hk_zip_low(int32x4_t a, int32x4_t b) {
    return vreinterpretq_s32_s64(vzip1q_s64(vreinterpretq_s64_s32(a), vreinterpretq_s64_s32(b)));
}

HK_INLINE int32x4_t hk_zip_high(int32x4_t a, int32x4_t b) {
    return vreinterpretq_s32_s64(vzip2q_s64(vreinterpretq_s64_s32(a), vreinterpretq_s64_s32(b)));
}

// Vector i has 4 words of row i; afterwards vector j has word j of all.
HK_INLINE void hk_turn_four(int32x4_t v[4]) {
    const int32x4_t a = vtrn1q_s32(v[0], v[1]), b = vtrn2q_s32(v[0], v[1]);
    const int32x4_t c = vtrn1q_s32(v[2], v[3]), d = vtrn2q_s32(v[2], v[3]);
    v[0] = hk_zip_low(a, c), v[1] = hk_zip_low(b, d), v[2] = hk_zip_high(a, c), v[3] = hk_zip_high(b, d);
}

// Values 16 * unit ... of a step as signed bytes.
HK_INLINE int8x16_t hk_signed_quants(hk_format format, const uint8_t *step, int unit) {
    const int8x16_t quants = hk_unpack(format, step, unit);
    switch (format) {
    case HK_Q4_0: return vsubq_s8(quants, vdupq_n_s8(8));
    case HK_Q5_0: return vsubq_s8(quants, vdupq_n_s8(16));
    case HK_Q6_K: return vsubq_s8(quants, vdupq_n_s8(32));
    default: return quants;
    }
}

#define HK_JOIN_FOURS(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7)

// A step of a row: its values as signed bytes, and for its blocks the scales of the first and of the other 16 values (or of all),
// and the minimums.
typedef struct {
    int8_t quants[HK_STEP];
    float scales[2][8], minimums[8];
} hk_panel_row;

HK_INLINE void hk_unpack_panel_row(hk_format format, const hk_tile_kind kind, const uint8_t *step, hk_panel_row *out) {
    hk_sixteen all;
    hk_read_scales(format, step, &all);
    const hk_eight evens = all.even, odds = all.odd, low = all.lo;
    const hk_eight scales = kind == HK_HALVES ? evens : kind == HK_MINIMUMS ? HK_JOIN_FOURS(all.lo.lo, all.hi.lo) : low;
    memcpy(out->scales[0], &scales, sizeof scales);
    if (kind == HK_HALVES) memcpy(out->scales[1], &odds, sizeof odds);
    if (kind == HK_MINIMUMS) {
        // Those of Q4_K and Q5_K come out positive.
        const hk_eight minimums = HK_JOIN_FOURS(all.lo.hi, all.hi.hi), negative = -minimums;
        memcpy(out->minimums, format == HK_Q4_K || format == HK_Q5_K ? &negative : &minimums, sizeof minimums);
    }
    HK_UNROLL for (int unit = 0; unit < 16; unit++) {
        vst1q_s8(out->quants + 16 * unit, hk_signed_quants(format, step, unit));
    }
}

// The same of a format that is decoded; an incomplete step has zeros behind its values.
static void hk_decode_panel_row(hk_format format, const hk_tile_kind kind, const uint8_t *step, size_t count, hk_panel_row *out) {
    hk_decoded decoded;
    if (count < HK_STEP) memset(&decoded, 0, sizeof decoded);
    hk_decode(format, step, count, &decoded);
    memcpy(out->quants, decoded.quants, sizeof out->quants);
    for (int i = 0; i < 8; i++) {
        out->scales[0][i] = decoded.scales[2 * i];
        if (kind == HK_HALVES) out->scales[1][i] = decoded.scales[2 * i + 1];
    }
}

// Scales or minimums of eight blocks of four rows, to the places of the first block and `stride` floats further each.
HK_INLINE void hk_store_factors(
    const bool matrices, const float *const rows[4], float *out, const size_t stride) {
    HK_UNROLL for (int part = 0; part < 2; part++) {
        int32x4_t v[4];
        HK_UNROLL for (int r = 0; r < 4; r++) v[r] = vreinterpretq_s32_f32(vld1q_f32(rows[r] + 4 * part));
        hk_turn_four(v);
        HK_UNROLL for (int i = 0; i < 4; i++, out += stride) {
            if (matrices) {
                vst1q_f32(out, vreinterpretq_f32_s32(vzip1q_s32(v[i], v[i])));
                vst1q_f32(out + 4, vreinterpretq_f32_s32(vzip2q_s32(v[i], v[i])));
            } else {
                vst1q_f32(out, vreinterpretq_f32_s32(v[i]));
            }
        }
    }
}

// Step `s` of rows 4 * group ... 4 * group + 3 of a panel.
HK_INLINE void hk_fill_panel(
    hk_tile_kind kind, const bool matrices, const hk_panel_row rows[4], size_t group, hk_panel *panel, size_t s) {
    const size_t stride = HK_PANEL_STEPS * sizeof(hk_panel_block) / sizeof(float), at = (matrices ? 8 : 4) * group;
    hk_panel_block *first = &(*panel)[0][s];
    const float *scales[4], *others[4], *minimums[4];
    HK_UNROLL for (int r = 0; r < 4; r++) {
        scales[r] = rows[r].scales[0], others[r] = rows[r].scales[1], minimums[r] = rows[r].minimums;
    }
    hk_store_factors(matrices, scales, first->scales[0] + at, stride);
    if (kind == HK_HALVES) hk_store_factors(matrices, others, first->scales[1] + at, stride);
    if (kind == HK_MINIMUMS) hk_store_factors(matrices, minimums, first->minimums + at, stride);
    for (int block = 0; block < 8; block++) {
        int8_t *out = (*panel)[block][s].quants + (matrices ? 32 : 16) * group;
        HK_UNROLL for (int half = 0; half < 2; half++, out += 128) {
            int32x4_t v[4];
            HK_UNROLL for (int r = 0; r < 4; r++) {
                v[r] = vreinterpretq_s32_s8(vld1q_s8(rows[r].quants + 32 * block + 16 * half));
            }
            if (matrices) {
                vst1q_s8(out, vreinterpretq_s8_s32(hk_zip_low(v[0], v[1])));
                vst1q_s8(out + 16, vreinterpretq_s8_s32(hk_zip_low(v[2], v[3])));
                vst1q_s8(out + 64, vreinterpretq_s8_s32(hk_zip_high(v[0], v[1])));
                vst1q_s8(out + 80, vreinterpretq_s8_s32(hk_zip_high(v[2], v[3])));
            } else {
                hk_turn_four(v);
                HK_UNROLL for (int i = 0; i < 4; i++) vst1q_s8(out + 32 * i, vreinterpretq_s8_s32(v[i]));
            }
        }
    }
}

// Two functions each: one that does all with dot products, and one with products of matrices.
__attribute__((noinline)) static void hk_fill_for_dots(
    hk_tile_kind kind, const hk_panel_row rows[4], size_t group, hk_panel *panel, size_t s) {
    hk_fill_panel(kind, false, rows, group, panel, s);
}

__attribute__((noinline)) static void hk_fill_for_matrices(
    hk_tile_kind kind, const hk_panel_row rows[4], size_t group, hk_panel *panel, size_t s) {
    hk_fill_panel(kind, true, rows, group, panel, s);
}

// Step `s` of four tokens.
HK_INLINE void hk_pack_tokens(
    const bool matrices, const hk_activation_bytes *const x[4], hk_packed *packed, size_t s) {
    HK_UNROLL for (int part = 0; part < 2; part++) {
        int32x4_t scales[4], totals[4];
        HK_UNROLL for (int k = 0; k < 4; k++) {
            const hk_vector scale = hk_load(x[k]->scales + 4 * part);
            scales[k] = (int32x4_t)scale;
            totals[k] = (int32x4_t)(scale * (hk_vector)vcvtq_f32_s32(vld1q_s32(x[k]->sums + 4 * part)));
        }
        hk_turn_four(scales);
        hk_turn_four(totals);
        HK_UNROLL for (int i = 0; i < 4; i++) {
            hk_packed_tokens *out = &(*packed)[4 * part + i][s];
            vst1q_f32(out->scales, (float32x4_t)(matrices ? hk_zip_low(scales[i], scales[i]) : scales[i]));
            vst1q_f32(out->totals, (float32x4_t)(matrices ? hk_zip_low(totals[i], totals[i]) : totals[i]));
            if (!matrices) continue;
            vst1q_f32(out->scales + 4, (float32x4_t)hk_zip_high(scales[i], scales[i]));
            vst1q_f32(out->totals + 4, (float32x4_t)hk_zip_high(totals[i], totals[i]));
        }
    }
    for (int block = 0; block < 8; block++) {
        int8_t *out = (*packed)[block][s].values;
        HK_UNROLL for (int half = 0; half < 2; half++) {
            HK_UNROLL for (int k = 0; k < 4; k += 2) {
                const int8x16_t a = vld1q_s8(x[k]->values + 32 * block + 16 * half);
                const int8x16_t b = vld1q_s8(x[k + 1]->values + 32 * block + 16 * half);
                if (matrices) {
                    const int32x4_t v = vreinterpretq_s32_s8(a), w = vreinterpretq_s32_s8(b);
                    vst1q_s8(out + 64 * half + 8 * k, vreinterpretq_s8_s32(hk_zip_low(v, w)));
                    vst1q_s8(out + 64 * half + 8 * k + 32, vreinterpretq_s8_s32(hk_zip_high(v, w)));
                } else {
                    vst1q_s8(out + 32 * k + 16 * half, a);
                    vst1q_s8(out + 32 * k + 32 + 16 * half, b);
                }
            }
        }
    }
}

__attribute__((noinline)) static void hk_pack_for_dots(
    const hk_activation_bytes *const x[4], hk_packed *packed, size_t s) {
    hk_pack_tokens(false, x, packed, s);
}

__attribute__((noinline)) static void hk_pack_for_matrices(
    const hk_activation_bytes *const x[4], hk_packed *packed, size_t s) {
    hk_pack_tokens(true, x, packed, s);
}

// At most HK_SUMS_ROWS rows times at most HK_SUMS_TOKENS tokens.
HK_INLINE void hk_bytes_panels(
    hk_format format, const hk_tile_kind kind, const bool decodes, bool matrices, const hk_tile *t, size_t rows,
    size_t tokens) {
    hk_tile_sums sums[HK_SUMS_ROWS / HK_PANEL_ROWS][HK_SUMS_TOKENS / HK_PANEL_TOKENS];
    hk_packed packed[HK_SUMS_TOKENS / HK_PANEL_TOKENS];
    hk_panel panel;
    const size_t groups = (rows + HK_PANEL_ROWS - 1) / HK_PANEL_ROWS, fours = (tokens + HK_PANEL_TOKENS - 1) / HK_PANEL_TOKENS;
    for (size_t g = 0; g < groups; g++) memset(sums[g], 0, fours * sizeof *sums[g]);
    const size_t step_bytes = HK_STEP / hk_block_values(format) * hk_block_bytes(format);
    const size_t all = (t->columns + HK_STEP - 1) / HK_STEP;
    for (size_t first = 0; first < all; first += HK_PANEL_STEPS) {
        const size_t steps = all - first < HK_PANEL_STEPS ? all - first : HK_PANEL_STEPS;
        for (size_t four = 0; four < fours; four++) {
            for (size_t s = 0; s < steps; s++) {
                const hk_activation_bytes *x[4];
                for (size_t k = 0; k < 4; k++) {
                    // A token that is missing is the last one again, and so is a row.
                    const size_t token = 4 * four + k < tokens ? 4 * four + k : tokens - 1;
                    x[k] = hk_bytes_step(t, token, first + s);
                }
                (matrices ? hk_pack_for_matrices : hk_pack_for_dots)(x, &packed[four], s);
            }
        }
        for (size_t g = 0; g < groups; g++) {
            for (size_t s = 0; s < steps; s++) {
                const size_t c = (first + s) * HK_STEP, count = t->columns - c < HK_STEP ? t->columns - c : HK_STEP;
                for (size_t quad = 0; quad < 2; quad++) {
                    hk_panel_row of_rows[4];
                    for (size_t r = 0; r < 4; r++) {
                        const size_t at = HK_PANEL_ROWS * g + 4 * quad + r, row = at < rows ? at : rows - 1;
                        const uint8_t *step = t->weights + row * t->row_bytes + (first + s) * step_bytes;
                        uint8_t copy[HK_STEP / 32 * sizeof(hk_q8_0)];
                        if (decodes) {
                            hk_decode_panel_row(format, kind, step, count, &of_rows[r]);
                            continue;
                        }
                        if (count < HK_STEP) {
                            memset(copy, 0, sizeof copy);
                            step = memcpy(copy, step, count / 32 * hk_block_bytes(format));
                        }
                        hk_unpack_panel_row(format, kind, step, &of_rows[r]);
                    }
                    (matrices ? hk_fill_for_matrices : hk_fill_for_dots)(kind, of_rows, quad, &panel, s);
                }
            }
            for (size_t four = 0; four < fours; four++) {
                hk_tile_product(kind, matrices, &panel, &packed[four], steps, &sums[g][four]);
            }
        }
    }
    for (size_t g = 0; g < groups; g++) {
        for (size_t four = 0; four < fours; four++) {
            (matrices ? hk_store_matrices : hk_store_dots)(
                &sums[g][four], t->y + HK_PANEL_TOKENS * four * t->y_stride + HK_PANEL_ROWS * g, t->y_stride,
                rows - HK_PANEL_ROWS * g, tokens - HK_PANEL_TOKENS * four);
        }
    }
}

#endif
