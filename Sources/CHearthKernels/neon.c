// 64-bit Arm with the dot product instructions (Cortex-A75, Apple A11 and later), and with those that multiply matrices of bytes
// (i8mm: Cortex-A510, A710 and X2, Neoverse V1 and N2, Apple A15 and M2, and later).
#if defined(__aarch64__)

#define HK_LANES 4
#define HK_CONVERTS_HALF 1
#define HK_TILE_ROWS 4
#define HK_TILE_TOKENS 4
#define HK_DECODE_ROWS 4
#define HK_MAX_ROWS 4

#include <arm_neon.h>
#include <string.h>

#include "CHearthKernels.h"

#pragma clang attribute push(__attribute__((target("dotprod"))), apply_to = function)

#include "blocks.h"

#define HK_LOOKS_UP 1

HK_INLINE void hk_look_up(const int8_t table[16], const uint8_t *nibbles, int8_t *out) {
    const int8x16_t values = vld1q_s8(table);
    const uint8x16_t bytes = vld1q_u8(nibbles);
    vst1q_s8(out, vqtbl1q_s8(values, vandq_u8(bytes, vdupq_n_u8(15))));
    vst1q_s8(out + 16, vqtbl1q_s8(values, vshrq_n_u8(bytes, 4)));
}

// With blocks of 18 bytes half i is at 16 * i + 2 * i of a step, with blocks of 34 at 32 * i + 2 * i: of eight vectors that begin
// there, vector i has it in lane i.
#define HK_GATHERS_EIGHT 1
typedef float hk_eight __attribute__((ext_vector_type(8)));
HK_INLINE hk_eight hk_gather_eight(const uint8_t *p, const size_t stride) {
    typedef uint16_t halves __attribute__((ext_vector_type(8)));
    typedef _Float16 floats __attribute__((ext_vector_type(8)));
    if (stride != 18 && stride != 34) {
        const halves all = {
            hk_u16(p), hk_u16(p + stride), hk_u16(p + 2 * stride), hk_u16(p + 3 * stride),
            hk_u16(p + 4 * stride), hk_u16(p + 5 * stride), hk_u16(p + 6 * stride), hk_u16(p + 7 * stride)};
        return __builtin_convertvector((floats)all, hk_eight);
    }
    const size_t step = stride - 2;
    const uint8x16x4_t low = {{vld1q_u8(p), vld1q_u8(p + step), vld1q_u8(p + 2 * step), vld1q_u8(p + 3 * step)}};
    p += 4 * step;
    const uint8x16x4_t high = {{vld1q_u8(p), vld1q_u8(p + step), vld1q_u8(p + 2 * step), vld1q_u8(p + 3 * step)}};
    const uint8x16_t first = {0, 1, 18, 19, 36, 37, 54, 55, 255, 255, 255, 255, 255, 255, 255, 255};
    const uint8x16_t second = {255, 255, 255, 255, 255, 255, 255, 255, 8, 9, 26, 27, 44, 45, 62, 63};
    return __builtin_convertvector((floats)vqtbx4q_u8(vqtbl4q_u8(low, first), high, second), hk_eight);
}

#include "scales.h"

// A unit is a quarter of a pair: 16 bytes of quants, four lanes of four values.
#define HK_UNITS 4
typedef int8x16_t hk_quants;

typedef struct {
    int8x16_t hi, lo;
    int32x4_t offsets;  // the format's offset times the sums of four
} hk_unit;

// The low or the high nibbles of 16 bytes.
HK_INLINE uint8x16_t hk_nibbles(const uint8_t *quants, bool high) {
    const uint8x16_t bytes = vld1q_u8(quants);
    return high ? vshrq_n_u8(bytes, 4) : vandq_u8(bytes, vdupq_n_u8(15));
}

// 16 where the bit of the value is set, else 0.
HK_INLINE uint8x16_t hk_fifth_bits(const uint8_t *high) {
    const uint8x16_t spread = vcombine_u8(vdup_n_u8(high[0]), vdup_n_u8(high[1]));
    const uint8x16_t bits = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201));
    return vandq_u8(vtstq_u8(spread, bits), vdupq_n_u8(16));
}

HK_INLINE uint8x16_t hk_unpack_q6_k(const hk_q6_k *block, int unit) {
    const int n = unit / 8, k = unit % 8 / 2, start = 16 * (unit % 2);
    const uint8x16_t low = hk_nibbles(block->low + 64 * n + 32 * (k & 1) + start, k >= 2);
    // Bits 2k and 2k + 1 go to 4 and 5.
    const uint8x16_t high = vshlq_u8(vld1q_u8(block->high + 32 * n + start), vdupq_n_s8((int8_t)(4 - 2 * k)));
    return vorrq_u8(low, vandq_u8(high, vdupq_n_u8(48)));
}

// The 16 quants: below 64 and so signed bytes as they are.
HK_INLINE hk_quants hk_unpack(hk_format format, const uint8_t *step, int unit) {
    const int block = unit / 2;
    const bool second = unit % 2;
    uint8x16_t quants = vdupq_n_u8(0);
    switch (format) {
    case HK_Q4_0: quants = hk_nibbles(((const hk_q4_0 *)step)[block].quants, second); break;
    case HK_Q4_1: quants = hk_nibbles(((const hk_q4_1 *)step)[block].quants, second); break;
    case HK_Q5_0: {
        const hk_q5_0 *b = (const hk_q5_0 *)step + block;
        quants = vorrq_u8(hk_nibbles(b->quants, second), hk_fifth_bits(b->high + 2 * second));
        break;
    }
    case HK_Q5_1: {
        const hk_q5_1 *b = (const hk_q5_1 *)step + block;
        quants = vorrq_u8(hk_nibbles(b->quants, second), hk_fifth_bits(b->high + 2 * second));
        break;
    }
    case HK_Q8_0: return vld1q_s8(((const hk_q8_0 *)step)[block].quants + 16 * second);
    case HK_Q4_K:
        quants = hk_nibbles(((const hk_q4_k *)step)->quants + 32 * (block / 2) + 16 * second, block % 2);
        break;
    case HK_Q5_K: {
        const hk_q5_k *b = (const hk_q5_k *)step;
        const uint8x16_t high = vtstq_u8(vld1q_u8(b->high + 16 * second), vdupq_n_u8((uint8_t)(1 << block)));
        quants = vorrq_u8(
            hk_nibbles(b->quants + 32 * (block / 2) + 16 * second, block % 2), vandq_u8(high, vdupq_n_u8(16)));
        break;
    }
    case HK_Q6_K: quants = hk_unpack_q6_k((const hk_q6_k *)step, unit); break;
    default: break;
    }
    return vreinterpretq_s8_u8(quants);
}

HK_INLINE hk_unit hk_unit_activations(hk_format format, const hk_activation_pair *pair, int unit) {
    hk_unit a;
    const int32x4_t sums = vld1q_s32(pair->sums + 4 * unit);
    a.hi = vld1q_s8(pair->hi + 16 * unit);
    a.lo = vld1q_s8(pair->lo + 16 * unit);
    switch (format) {
    case HK_Q4_0: a.offsets = vshlq_n_s32(sums, 3); break;
    case HK_Q5_0: a.offsets = vshlq_n_s32(sums, 4); break;
    case HK_Q6_K: a.offsets = vshlq_n_s32(sums, 5); break;
    default: a.offsets = vdupq_n_s32(0); break;
    }
    return a;
}

HK_INLINE hk_integers hk_dot(hk_format format, hk_quants q, hk_unit a) {
    const int32x4_t high = vshlq_n_s32(vdotq_s32(vdupq_n_s32(0), q, a.hi), 8);
    const bool has_offset = format == HK_Q4_0 || format == HK_Q5_0 || format == HK_Q6_K;
    return (hk_integers)vdotq_s32(has_offset ? vsubq_s32(high, a.offsets) : high, q, a.lo);
}

HK_INLINE hk_vector hk_spread(hk_format format, const hk_sixteen *scales, int unit) {
    return (*scales)[format == HK_Q6_K ? unit : hk_scale_lane(format, unit / 2)];
}

// A unit of a decoded step is 16 values, four lanes of four.
#define HK_DECODED_UNITS 16

HK_INLINE hk_integers hk_decoded_dot(const bool halves, const int8_t *quants, const hk_activation_pair *x, int unit) {
    (void)halves;  // A unit has one scale.
    const hk_unit a = hk_unit_activations(HK_Q8_0, x + unit / 4, unit % 4);
    return hk_dot(HK_Q8_0, vld1q_s8(quants + 16 * unit), a);
}

HK_INLINE hk_vector hk_decoded_sums(const hk_activation_pair *x, int unit) {
    return (hk_vector)vcvtq_f32_s32(vld1q_s32(x[unit / 4].sums + 4 * (unit % 4)));
}

HK_INLINE hk_vector hk_decoded_spread(const bool halves, const float *scales, int unit) {
    (void)halves;
    return scales[unit];
}

#include "attention.h"
#include "float_ops.h"
#include "quantize.h"
#include "quantized.h"
#include "bytes_neon.h"
#include "table.h"

HK_INLINE void hk_bytes_dots(const int8_t *quants, const int8_t *values, hk_eight_sums *first, hk_eight_sums *second) {
    int32x4_t fours[4];
    HK_UNROLL for (int i = 0; i < 4; i++) {
        int32x4_t v[4];
        HK_UNROLL for (int k = 0; k < 4; k++) {
            v[k] = vdotq_s32(
                vdupq_n_s32(0), vld1q_s8(quants + 64 * i + 16 * k), vld1q_s8(values + 64 * i + 16 * k));
        }
        fours[i] = vpaddq_s32(vpaddq_s32(v[0], v[1]), vpaddq_s32(v[2], v[3]));
    }
    first->lo = (hk_vector_of_lanes)vcvtq_f32_s32(vuzp1q_s32(fours[0], fours[1]));
    first->hi = (hk_vector_of_lanes)vcvtq_f32_s32(vuzp1q_s32(fours[2], fours[3]));
    second->lo = (hk_vector_of_lanes)vcvtq_f32_s32(vuzp2q_s32(fours[0], fours[1]));
    second->hi = (hk_vector_of_lanes)vcvtq_f32_s32(vuzp2q_s32(fours[2], fours[3]));
}

HK_DEFINE_TABLES(neon, true)

// The same set, results too, for processors that multiply matrices of bytes.
HK_TABLE(hk_neon_matrices, neon, hk_neon_matrices, 16, true, sizeof(hk_activation_pair), hk_quantize, hk_multiply)
HK_TABLE(hk_neon_matrices_bytes, neon, hk_neon_matrices, 8, true, HK_BYTES_PAIR, hk_quantize_bytes, hk_multiply_bytes_by_matrices)

#pragma clang attribute pop

#endif
