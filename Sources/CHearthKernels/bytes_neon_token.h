// One token with 8-bit activations on NEON (see bytes_neon.h): four rows, read as the file has them, each in a lane of its own, so that
// they share the activations and four sums of a block are reduced, scaled and added at once. No prefetches: four streams that run
// forward are what the processors follow by themselves.
#ifndef HK_BYTES_NEON_TOKEN_H
#define HK_BYTES_NEON_TOKEN_H

#include "bytes_neon_panel.h"

enum { HK_TOKEN_ROWS = HK_DECODE_ROWS };
_Static_assert(HK_TOKEN_ROWS == 4, "a row is a lane");

// The integer products of four rows, added up through a whole step. A row's lanes begin with a quarter each of the bits of the float
// 1.5 * 2^23, so that their sum, read as a float, is that number plus the products so far: at most 8 * 32 * 128 * 127 < 2^22 in
// magnitude, hence exact. The products of a block are a difference of two such floats: no sum starts from zero, none is converted.
typedef struct {
    int32x4_t rows[HK_TOKEN_ROWS];
    float32x4_t before;
} hk_running;

HK_INLINE void hk_start_running(hk_running *sums) {
    HK_UNROLL for (int r = 0; r < HK_TOKEN_ROWS; r++) sums->rows[r] = vdupq_n_s32(0x4b400000 / 4);
    sums->before = vdupq_n_f32(12582912.0f);
}

// What has come since the last call: a lane for each row.
HK_INLINE float32x4_t hk_take_dots(hk_running *sums) {
    const int32x4_t *v = sums->rows;
    const float32x4_t now = vreinterpretq_f32_s32(vpaddq_s32(vpaddq_s32(v[0], v[1]), vpaddq_s32(v[2], v[3])));
    const float32x4_t dots = vsubq_f32(now, sums->before);
    sums->before = now;
    return dots;
}

// Of a step of activations: the blocks' scales, the sums of their values, and the sums scaled.
typedef struct {
    hk_eight scales, sums, totals;
} hk_token_floats;

// Whoever uses the lanes one by one does not want them converted one by one.
HK_INLINE void hk_keep_whole(hk_eight *v) {
    float32x4_t low = (float32x4_t)v->lo, high = (float32x4_t)v->hi;
    __asm__("" : "+w"(low), "+w"(high));
    v->lo = (hk_vector_of_four)low, v->hi = (hk_vector_of_four)high;
}

HK_INLINE void hk_read_token_floats(const hk_activation_bytes *x, hk_token_floats *out) {
    typedef int32_t eight __attribute__((ext_vector_type(8)));
    eight sums;
    memcpy(&out->scales, x->scales, sizeof out->scales);
    memcpy(&sums, x->sums, sizeof sums);
    out->sums = __builtin_convertvector(sums, hk_eight);
    hk_keep_whole(&out->sums);
    out->totals = out->scales * out->sums;
}

// Adds the products of a block, scaled by the rows and by the token.
HK_INLINE float32x4_t hk_add_dots(float32x4_t sum, float32x4_t dots, float32x4_t scale, float of_token) {
    return vfmaq_f32(sum, dots, vmulq_n_f32(scale, of_token));
}

// MARK: - Blocks of 32 values

// Finishes a sum before the next loads, so that the compiler does not keep what many blocks need for it.
HK_INLINE void hk_finish_sum(const uint8_t *rows[HK_TOKEN_ROWS], float32x4_t *sum) {
    __asm__("" : "+w"(*sum), "+r"(rows[0]), "+r"(rows[1]), "+r"(rows[2]), "+r"(rows[3]));
}

// Moves on in a way that the compiler does not fold into offsets: loads then move the pointers themselves.
HK_INLINE const uint8_t *hk_walk(const uint8_t *p, size_t bytes) {
    p += bytes;
    __asm__("" : "+r"(p));
    return p;
}

// Loaded as floats: integers would take a way round through the other registers.
typedef _Float16 hk_any_half __attribute__((aligned(1), may_alias));
typedef _Float16 hk_four_halves __attribute__((ext_vector_type(4)));

// The next half of each row.
HK_INLINE float32x4_t hk_next_halves(const uint8_t *rows[HK_TOKEN_ROWS]) {
    hk_four_halves halves;
    HK_UNROLL for (int r = 0; r < HK_TOKEN_ROWS; r++) {
        halves[r] = *(const hk_any_half *)rows[r];
        rows[r] = hk_walk(rows[r], 2);
    }
    return vcvt_f32_f16((float16x4_t)halves);
}

// The 32 quants of a row's block.
HK_INLINE int8x16x2_t hk_next_quants(hk_format format, const uint8_t **row) {
    if (format == HK_Q8_0) {
        const int8x16x2_t quants = vld1q_s8_x2((const int8_t *)*row);
        *row = hk_walk(*row, 32);
        return quants;
    }
    const bool fifth = format == HK_Q5_0 || format == HK_Q5_1;
    uint8x16_t high = vdupq_n_u8(0);
    if (fifth) {
        high = vreinterpretq_u8_u32(vdupq_n_u32(hk_u32(*row)));
        *row = hk_walk(*row, 4);
    }
    const uint8x16_t bytes = vld1q_u8(*row);
    *row = hk_walk(*row, 16);
    uint8x16_t first = vandq_u8(bytes, vdupq_n_u8(15)), second = vshrq_n_u8(bytes, 4);
    if (fifth) {
        // Bit i of the four bytes belongs to value i.
        const uint8x16_t bits = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201)), sixteen = vdupq_n_u8(16);
        const uint8x16_t low_bytes = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1}, high_bytes = low_bytes + 2;
        first = vorrq_u8(first, vandq_u8(vtstq_u8(vqtbl1q_u8(high, low_bytes), bits), sixteen));
        second = vorrq_u8(second, vandq_u8(vtstq_u8(vqtbl1q_u8(high, high_bytes), bits), sixteen));
    }
    return (int8x16x2_t){{vreinterpretq_s8_u8(first), vreinterpretq_s8_u8(second)}};
}

// Adds one step and moves the rows to the next one.
HK_INLINE void hk_token_step(
    hk_format format, const uint8_t *rows[HK_TOKEN_ROWS], const hk_activation_bytes *x, float32x4_t sums[8]) {
    hk_token_floats floats;
    hk_running running;
    hk_read_token_floats(x, &floats);
    hk_start_running(&running);
    const uint8_t *next = (const uint8_t *)x->values;
    int8x16x4_t values;
    HK_UNROLL for (int block = 0; block < 8; block++) {
        if (block % 2 == 0) {
            values = vld1q_s8_x4((const int8_t *)next);
            next = hk_walk(next, 64);
        }
        const float32x4_t scale = hk_next_halves(rows);
        float32x4_t minimum = vdupq_n_f32(0);
        if (hk_has_minimum(format)) minimum = hk_next_halves(rows);
        HK_UNROLL for (int r = 0; r < HK_TOKEN_ROWS; r++) {
            const int8x16x2_t quants = hk_next_quants(format, &rows[r]);
            HK_UNROLL for (int half = 0; half < 2; half++) {
                running.rows[r] = vdotq_s32(running.rows[r], quants.val[half], values.val[2 * (block % 2) + half]);
            }
        }
        float32x4_t dots = hk_take_dots(&running);
        if (format == HK_Q4_0) dots = vfmaq_n_f32(dots, vdupq_n_f32(-8), floats.sums[block]);
        if (format == HK_Q5_0) dots = vfmaq_n_f32(dots, vdupq_n_f32(-16), floats.sums[block]);
        sums[block] = hk_add_dots(sums[block], dots, scale, floats.scales[block]);
        if (hk_has_minimum(format)) sums[block] = vfmaq_n_f32(sums[block], minimum, floats.totals[block]);
        hk_finish_sum(rows, &sums[block]);
    }
}

// MARK: - Blocks of 256 values

// Byte `i` of each word.
HK_INLINE float32x4_t hk_floats_of_bytes(uint8x16_t words, int i) {
    typedef uint32_t four __attribute__((ext_vector_type(4)));
    return vcvtq_f32_u32((uint32x4_t)((four)words >> (uint32_t)(8 * i) & 255));
}

HK_INLINE float32x4_t hk_floats_of_signed_bytes(uint8x16_t words, int i) {
    typedef int32_t four __attribute__((ext_vector_type(4)));
    return vcvtq_f32_s32((int32x4_t)((four)words << (24 - 8 * i) >> 24));
}

// Sixteen bytes of each row; vector i gets word i of all.
HK_INLINE void hk_turn_rows(const uint8_t *const rows[HK_TOKEN_ROWS], size_t offset, uint8x16_t out[4]) {
    int32x4_t v[4];
    HK_UNROLL for (int r = 0; r < 4; r++) v[r] = vreinterpretq_s32_u8(vld1q_u8(rows[r] + offset));
    hk_turn_four(v);
    HK_UNROLL for (int i = 0; i < 4; i++) out[i] = vreinterpretq_u8_s32(v[i]);
}

// Values 16 * unit ... of a step, in fewer instructions than hk_unpack.
HK_INLINE int8x16_t hk_unpack_five_bits(const hk_q5_k *block, int unit) {
    const int k = unit / 2, start = 16 * (unit % 2);
    const uint8x16_t low = vld1q_u8(block->quants + 32 * (k / 2) + start), high = vld1q_u8(block->high + start);
    // Bit k comes to be the fifth, others beyond it.
    const uint8x16_t quants = k % 2 == 0 ? vsliq_n_u8(low, high >> (uint8_t)k, 4)
        : vsriq_n_u8(k < 4 ? high << (uint8_t)(4 - k) : high >> (uint8_t)(k - 4), low, 4);
    return vreinterpretq_s8_u8(vandq_u8(quants, vdupq_n_u8(31)));
}

HK_INLINE int8x16_t hk_unpack_k(hk_format format, const uint8_t *step, int unit) {
    return format == HK_Q5_K ? hk_unpack_five_bits((const hk_q5_k *)step, unit) : hk_unpack(format, step, unit);
}

// Q4_K and Q5_K.
HK_INLINE void hk_token_k_step(
    hk_format format, const uint8_t *rows[HK_TOKEN_ROWS], const hk_activation_bytes *x, float32x4_t sums[8]) {
    hk_token_floats floats;
    hk_read_token_floats(x, &floats);
    hk_eight negative = -floats.totals;
    hk_keep_whole(&negative);
    // Both halves and the packed scales are the first 16 bytes of either block; see hk_k_scales.
    uint8x16_t words[4], scales[2], minimums[2];
    hk_turn_rows(rows, 0, words);
    const uint32x4_t halves = vreinterpretq_u32_u8(words[0]);
    const float32x4_t scale = vcvt_f32_f16(vreinterpret_f16_u16(vmovn_u32(halves)));
    const float32x4_t minimum = vcvt_f32_f16(vreinterpret_f16_u16(vshrn_n_u32(halves, 16)));
    scales[0] = vandq_u8(words[1], vdupq_n_u8(63));
    minimums[0] = vandq_u8(words[2], vdupq_n_u8(63));
    scales[1] = vsliq_n_u8(words[3], vshrq_n_u8(words[1], 6), 4);
    minimums[1] = vsriq_n_u8(vshrq_n_u8(words[2], 2), words[3], 4);
    hk_running running;
    hk_start_running(&running);
    HK_UNROLL for (int block = 0; block < 8; block++) {
        const int8x16_t first = vld1q_s8(x->values + 32 * block), second = vld1q_s8(x->values + 32 * block + 16);
        HK_UNROLL for (int r = 0; r < HK_TOKEN_ROWS; r++) {
            running.rows[r] = vdotq_s32(running.rows[r], hk_unpack_k(format, rows[r], 2 * block), first);
            running.rows[r] = vdotq_s32(running.rows[r], hk_unpack_k(format, rows[r], 2 * block + 1), second);
        }
        const float32x4_t dots = hk_take_dots(&running);
        const float32x4_t of_block = vmulq_f32(scale, hk_floats_of_bytes(scales[block / 4], block % 4));
        sums[block] = hk_add_dots(sums[block], dots, of_block, floats.scales[block]);
        const float32x4_t lowest = vmulq_f32(minimum, hk_floats_of_bytes(minimums[block / 4], block % 4));
        sums[block] = vfmaq_n_f32(sums[block], lowest, negative[block]);
        hk_finish_sum(rows, &sums[block]);
    }
    HK_UNROLL for (int r = 0; r < HK_TOKEN_ROWS; r++) rows[r] += hk_block_bytes(format);
}

// Values 16 * unit ... of a step, in fewer instructions than hk_unpack.
HK_INLINE int8x16_t hk_unpack_six_bits(const hk_q6_k *block, int unit, uint8x16_t six_bits) {
    const int n = unit / 8, k = unit % 8 / 2, start = 16 * (unit % 2);
    const uint8x16_t low = vld1q_u8(block->low + 64 * n + 32 * (k & 1) + start);
    uint8x16_t high = vld1q_u8(block->high + 32 * n + start);
    if (k & 1) high = vshrq_n_u8(high, 2);
    const uint8x16_t quants = k < 2 ? vsliq_n_u8(low, high, 4) : vsriq_n_u8(high, low, 4);
    return vreinterpretq_s8_u8(k == 3 ? quants : vandq_u8(quants, six_bits));
}

HK_INLINE void hk_token_q6_k_step(const uint8_t *rows[HK_TOKEN_ROWS], const hk_activation_bytes *x, float32x4_t sums[8]) {
    hk_four_halves halves;
    HK_UNROLL for (int r = 0; r < HK_TOKEN_ROWS; r++) halves[r] = *(const hk_any_half *)(rows[r] + offsetof(hk_q6_k, d));
    const float32x4_t scale = vcvt_f32_f16((float16x4_t)halves);
    uint8x16_t words[4];
    hk_turn_rows(rows, offsetof(hk_q6_k, scales), words);
    hk_eight of_token;
    memcpy(&of_token, x->scales, sizeof of_token);
    hk_running running;
    hk_start_running(&running);
    // In a register: the compiler would make it anew for each use.
    uint8x16_t six_bits = vdupq_n_u8(63);
    __asm__("" : "+w"(six_bits));
    HK_UNROLL for (int n = 0; n < 2; n++) {
        typedef int16_t eight_words __attribute__((ext_vector_type(8)));
        eight_words halves;
        memcpy(&halves, x->halves + 8 * n, sizeof halves);
        hk_eight offsets = __builtin_convertvector(halves, hk_eight);
        hk_keep_whole(&offsets);
        // Each 16 values have a scale of their own.
        HK_UNROLL for (int i = 0; i < 8; i++) {
            const int unit = 8 * n + i, block = unit / 2;
            const int8x16_t values = vld1q_s8(x->values + 16 * unit);
            HK_UNROLL for (int r = 0; r < HK_TOKEN_ROWS; r++) {
                const int8x16_t quants = hk_unpack_six_bits((const hk_q6_k *)rows[r], unit, six_bits);
                running.rows[r] = vdotq_s32(running.rows[r], quants, values);
            }
            float32x4_t dots = hk_take_dots(&running);
            dots = vfmaq_n_f32(dots, vdupq_n_f32(-32), offsets[i]);
            const float32x4_t factor = vmulq_f32(scale, hk_floats_of_signed_bytes(words[unit / 4], unit % 4));
            sums[block] = hk_add_dots(sums[block], dots, factor, of_token[block]);
            hk_finish_sum(rows, &sums[block]);
        }
    }
    HK_UNROLL for (int r = 0; r < HK_TOKEN_ROWS; r++) rows[r] += sizeof(hk_q6_k);
}

// MARK: - Rows

// HK_TOKEN_ROWS rows at most. A row that is missing is the last one again.
HK_INLINE void hk_bytes_rows(hk_format format, const int count, const hk_tile *t, size_t token) {
    float32x4_t sums[8];
    HK_UNROLL for (int i = 0; i < 8; i++) sums[i] = vdupq_n_f32(0);
    const uint8_t *rows[HK_TOKEN_ROWS];
    HK_UNROLL for (int r = 0; r < HK_TOKEN_ROWS; r++) {
        rows[r] = t->weights + (size_t)(r < count ? r : count - 1) * t->row_bytes;
    }
    const hk_activation_bytes *x = hk_bytes_step(t, token, 0);
    const size_t step_bytes = t->step_stride * HK_BYTES_PAIR;
    size_t left = t->columns;
    for (; left >= HK_STEP; left -= HK_STEP, x = (const hk_activation_bytes *)((const uint8_t *)x + step_bytes)) {
        if (format == HK_Q6_K) hk_token_q6_k_step(rows, x, sums);
        else if (hk_block_values(format) == HK_STEP) hk_token_k_step(format, rows, x, sums);
        else hk_token_step(format, rows, x, sums);
    }
    if (hk_block_values(format) < HK_STEP && left > 0) {
        uint8_t copies[HK_TOKEN_ROWS][HK_STEP / 32 * sizeof(hk_q8_0)] = {0};
        for (int r = 0; r < HK_TOKEN_ROWS; r++) {
            memcpy(copies[r], rows[r], left / 32 * hk_block_bytes(format));
            rows[r] = copies[r];
        }
        hk_token_step(format, rows, x, sums);
    }
    // The order of hk_sum.
    HK_UNROLL for (int i = 0; i < 4; i++) sums[i] = vaddq_f32(sums[i], sums[i + 4]);
    const float32x4_t results = vaddq_f32(vaddq_f32(sums[0], sums[2]), vaddq_f32(sums[1], sums[3]));
    float *y = t->y + token * t->y_stride;
    memcpy(y, &results, (size_t)count * sizeof *y);
}

#endif
