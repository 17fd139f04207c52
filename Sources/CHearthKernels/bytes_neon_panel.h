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

// Of a step of a row, for its blocks: the scales of the first and of the other 16 values (or of all), and the minimums.
typedef struct {
    float scales[2][8], minimums[8];
} hk_row_factors;

HK_INLINE void hk_read_factors(hk_format format, const hk_tile_kind kind, const uint8_t *step, hk_row_factors *out) {
    hk_sixteen all;
    hk_read_scales(format, step, &all);
    const hk_eight evens = all.even, odds = all.odd, low = all.lo;
    const hk_eight scales = kind == HK_HALVES ? evens : kind == HK_MINIMUMS ? HK_JOIN_FOURS(all.lo.lo, all.hi.lo) : low;
    memcpy(out->scales[0], &scales, sizeof scales);
    if (kind == HK_HALVES) memcpy(out->scales[1], &odds, sizeof odds);
    if (kind != HK_MINIMUMS) return;
    // Those of Q4_K and Q5_K come out positive.
    const hk_eight minimums = HK_JOIN_FOURS(all.lo.hi, all.hi.hi), negative = -minimums;
    memcpy(out->minimums, format == HK_Q4_K || format == HK_Q5_K ? &negative : &minimums, sizeof minimums);
}

// The same of a format that is decoded.
HK_INLINE void hk_decoded_factors(const hk_tile_kind kind, const hk_decoded *step, hk_row_factors *out) {
    for (int i = 0; i < 8; i++) {
        out->scales[0][i] = step->scales[2 * i];
        if (kind == HK_HALVES) out->scales[1][i] = step->scales[2 * i + 1];
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

// Values 16 * half ... of a block of four rows, to where their panel block has them.
HK_INLINE void hk_store_quants(const bool matrices, const int8x16_t rows[4], int half, size_t group, hk_panel_block *block) {
    int8_t *out = block->quants + 128 * half + (matrices ? 32 : 16) * group;
    int32x4_t v[4];
    HK_UNROLL for (int r = 0; r < 4; r++) v[r] = vreinterpretq_s32_s8(rows[r]);
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

// Step `s` of rows 4 * group ... 4 * group + 3 of a panel. Rows are blocks of the format or, if `decodes`, hk_decoded.
HK_INLINE void hk_fill_panel(
    hk_format format, const hk_tile_kind kind, const bool decodes, const bool matrices, const void *const rows[4], size_t group,
    hk_panel *panel, size_t s) {
    const size_t stride = HK_PANEL_STEPS * sizeof(hk_panel_block) / sizeof(float), at = (matrices ? 8 : 4) * group;
    hk_panel_block *first = &(*panel)[0][s];
    hk_row_factors factors[4];
    const float *scales[4], *others[4], *minimums[4];
    HK_UNROLL for (int r = 0; r < 4; r++) {
        if (decodes) hk_decoded_factors(kind, rows[r], &factors[r]);
        else hk_read_factors(format, kind, rows[r], &factors[r]);
        scales[r] = factors[r].scales[0], others[r] = factors[r].scales[1], minimums[r] = factors[r].minimums;
    }
    hk_store_factors(matrices, scales, first->scales[0] + at, stride);
    if (kind == HK_HALVES) hk_store_factors(matrices, others, first->scales[1] + at, stride);
    if (kind == HK_MINIMUMS) hk_store_factors(matrices, minimums, first->minimums + at, stride);
    if (decodes || hk_block_values(format) == 32) {
        // Every block is where the one before it ended.
        const size_t bytes = decodes ? 32 : hk_block_bytes(format);
        for (size_t block = 0; block < 8; block++) {
            int8x16_t v[2][4];
            HK_UNROLL for (int r = 0; r < 4; r++) {
                const uint8_t *quants = (const uint8_t *)rows[r] + block * bytes;
                HK_UNROLL for (int half = 0; half < 2; half++) {
                    v[half][r] = decodes ? vld1q_s8((const int8_t *)quants + 16 * half) : hk_signed_quants(format, quants, half);
                }
            }
            HK_UNROLL for (int half = 0; half < 2; half++) hk_store_quants(matrices, v[half], half, group, &(*panel)[block][s]);
        }
        return;
    }
    HK_UNROLL for (int unit = 0; unit < 16; unit++) {
        int8x16_t v[4];
        HK_UNROLL for (int r = 0; r < 4; r++) v[r] = hk_signed_quants(format, rows[r], unit);
        hk_store_quants(matrices, v, unit % 2, group, &(*panel)[unit / 2][s]);
    }
}

// A step of as many tokens as meet a panel together, lane by lane `stride` bytes apart. With products of matrices: pairs.
HK_INLINE void hk_pack_scales(
    const bool matrices, const hk_activation_bytes *const x[4], const int count, uint8_t *out, size_t stride) {
    HK_UNROLL for (int part = 0; part < 2; part++) {
        int32x4_t scales[4], totals[4];
        HK_UNROLL for (int k = 0; k < 4; k++) {
            const hk_vector scale = hk_load(x[k % count]->scales + 4 * part);
            scales[k] = (int32x4_t)scale;
            totals[k] = (int32x4_t)(scale * (hk_vector)vcvtq_f32_s32(vld1q_s32(x[k % count]->sums + 4 * part)));
        }
        hk_turn_four(scales);
        hk_turn_four(totals);
        HK_UNROLL for (int i = 0; i < 4; i++, out += stride) {
            float *first = (float *)out, *second = first + (matrices ? 12 : 4);
            vst1q_f32(first, (float32x4_t)(matrices ? hk_zip_low(scales[i], scales[i]) : scales[i]));
            vst1q_f32(second, (float32x4_t)(matrices ? hk_zip_low(totals[i], totals[i]) : totals[i]));
            if (!matrices || count < 4) continue;
            vst1q_f32(first + 4, (float32x4_t)hk_zip_high(scales[i], scales[i]));
            vst1q_f32(second + 4, (float32x4_t)hk_zip_high(totals[i], totals[i]));
        }
    }
}

__attribute__((noinline)) static void hk_pack_for_dots(const hk_activation_bytes *const x[4], hk_four_tokens *out, size_t stride) {
    hk_pack_scales(false, x, 4, (uint8_t *)out->scales, stride * sizeof *out);
    for (int block = 0; block < 8; block++, out += stride) {
        HK_UNROLL for (int k = 0; k < 4; k++) memcpy(out->values + 32 * k, x[k]->values + 32 * block, 32);
    }
}

__attribute__((noinline)) static void hk_pack_for_matrices(
    const hk_activation_bytes *const x[6], hk_six_tokens *out, size_t stride) {
    hk_pack_scales(true, x, 4, (uint8_t *)out->scales, stride * sizeof *out);
    hk_pack_scales(true, x + 4, 2, (uint8_t *)(out->scales + 8), stride * sizeof *out);
    for (int block = 0; block < 8; block++, out += stride) {
        HK_UNROLL for (int half = 0; half < 2; half++) {
            HK_UNROLL for (int q = 0; q < 3; q++) {
                const int8x16_t a = vld1q_s8(x[2 * q]->values + 32 * block + 16 * half);
                const int8x16_t b = vld1q_s8(x[2 * q + 1]->values + 32 * block + 16 * half);
                const int32x4_t v = vreinterpretq_s32_s8(a), w = vreinterpretq_s32_s8(b);
                vst1q_s8(out->values + 96 * half + 16 * q, vreinterpretq_s8_s32(hk_zip_low(v, w)));
                vst1q_s8(out->values + 96 * half + 48 + 16 * q, vreinterpretq_s8_s32(hk_zip_high(v, w)));
            }
        }
    }
}

// Some steps of at most eight rows.
HK_INLINE void hk_unpack_panel(
    hk_format format, const hk_tile_kind kind, const bool decodes, bool matrices, const hk_tile *t, size_t rows, size_t first,
    size_t steps, hk_panel *panel) {
    const size_t step_bytes = HK_STEP / hk_block_values(format) * hk_block_bytes(format);
    for (size_t s = 0; s < steps; s++) {
        const size_t c = (first + s) * HK_STEP, count = t->columns - c < HK_STEP ? t->columns - c : HK_STEP;
        for (size_t group = 0; group < 2; group++) {
            hk_decoded decoded[4];
            uint8_t copies[4][HK_STEP / 32 * sizeof(hk_q8_0)];
            const void *of_rows[4];
            for (size_t r = 0; r < 4; r++) {
                // A row that is missing is the last one again, and so is a token.
                const size_t row = 4 * group + r < rows ? 4 * group + r : rows - 1;
                const uint8_t *step = t->weights + row * t->row_bytes + (first + s) * step_bytes;
                of_rows[r] = step;
                if (decodes) {
                    if (count < HK_STEP) memset(&decoded[r], 0, sizeof decoded[r]);
                    hk_decode(format, step, count, &decoded[r]);
                    of_rows[r] = &decoded[r];
                } else if (count < HK_STEP) {
                    memset(copies[r], 0, sizeof copies[r]);
                    of_rows[r] = memcpy(copies[r], step, count / 32 * hk_block_bytes(format));
                }
            }
            if (matrices) hk_fill_panel(format, kind, decodes, true, of_rows, group, panel, s);
            else hk_fill_panel(format, kind, decodes, false, of_rows, group, panel, s);
        }
    }
}

// Some steps of all tokens.
static void hk_pack_tokens(bool matrices, const hk_tile *t, size_t tokens, size_t first, size_t steps, uint8_t *out) {
    const size_t together = hk_tile_tokens(matrices), bytes = matrices ? sizeof(hk_six_tokens) : sizeof(hk_four_tokens);
    for (size_t token = 0; token < tokens; token += together) {
        for (size_t s = 0; s < steps; s++) {
            const hk_activation_bytes *x[6];
            for (size_t k = 0; k < together; k++) {
                x[k] = hk_bytes_step(t, token + k < tokens ? token + k : tokens - 1, first + s);
            }
            if (matrices) hk_pack_for_matrices(x, (hk_six_tokens *)out + s, steps);
            else hk_pack_for_dots(x, (hk_four_tokens *)out + s, steps);
        }
        out += 8 * steps * bytes;
    }
}

// What lies on the stack: tokens, and their sums with HK_SUMS_ROWS rows if there are more steps than a panel has.
enum {
    HK_SIXES = (HK_SUMS_TOKENS + 5) / 6,
    HK_SIXES_BYTES = HK_SIXES * 8 * HK_PANEL_STEPS * sizeof(hk_six_tokens),
    HK_PART_BYTES = HK_SIXES * 8 * HK_PART_STEPS * sizeof(hk_six_tokens),
    HK_SUMS_BYTES = HK_SUMS_ROWS / HK_PANEL_ROWS * HK_SIXES * sizeof(hk_six_sums),
    HK_STACK_BYTES = HK_SIXES_BYTES > HK_PART_BYTES + HK_SUMS_BYTES ? HK_SIXES_BYTES : HK_PART_BYTES + HK_SUMS_BYTES
};
_Static_assert(HK_SUMS_TOKENS / 4 * sizeof(hk_four_tokens) <= HK_SIXES * sizeof(hk_six_tokens), "fours take less");
_Static_assert(HK_SUMS_TOKENS / 4 * sizeof(hk_four_sums) <= HK_SIXES * sizeof(hk_six_sums), "fours take less");

// At most HK_SUMS_TOKENS tokens, and HK_SUMS_ROWS rows if there are more than HK_PANEL_STEPS steps.
HK_INLINE void hk_bytes_panels(
    hk_format format, const hk_tile_kind kind, const bool decodes, bool matrices, const hk_tile *t, size_t rows,
    size_t tokens) {
    _Alignas(64) uint8_t stack[HK_STACK_BYTES];
    hk_panel panel;
    hk_six_sums one;
    const size_t all = (t->columns + HK_STEP - 1) / HK_STEP;
    const bool whole = all <= HK_PANEL_STEPS;
    const size_t together = hk_tile_tokens(matrices), token_bytes = matrices ? sizeof(hk_six_tokens) : sizeof(hk_four_tokens);
    const size_t sums_bytes = matrices ? sizeof(hk_six_sums) : sizeof(hk_four_sums);
    uint8_t *const kept = stack + HK_PART_BYTES;
    for (size_t first = 0; first < all; first += HK_PART_STEPS) {
        const size_t left = all - first, steps = whole || left < HK_PART_STEPS ? left : HK_PART_STEPS;
        hk_pack_tokens(matrices, t, tokens, first, steps, stack);
        hk_tile tile = *t;
        uint8_t *sums = kept;
        for (size_t row = 0; row < rows; row += HK_PANEL_ROWS) {
            tile.weights = t->weights + row * t->row_bytes;
            hk_unpack_panel(format, kind, decodes, matrices, &tile, rows - row, first, steps, &panel);
            const uint8_t *x = stack;
            for (size_t token = 0; token < tokens; token += together, x += 8 * steps * token_bytes, sums += sums_bytes) {
                const size_t some = tokens - token < together ? tokens - token : together;
                void *of_tile = whole ? (void *)&one : sums;
                hk_tile_product(kind, matrices, &panel, x, some, steps, first == 0, of_tile);
                if (left > steps) continue;
                float *y = t->y + token * t->y_stride + row;
                if (matrices) hk_store_matrices(of_tile, y, t->y_stride, rows - row, some);
                else hk_store_dots(of_tile, y, t->y_stride, rows - row, some);
            }
        }
        if (whole) break;
    }
}

#endif
