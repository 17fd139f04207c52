// The scales of one step (256 values) of a quantized row, as 16 floats in one vector, and the totals of the
// activations that belong to its minimums. Included by sets that convert half precision in hardware.
//
// Order of the lanes: with minimums  s0...3 m0...3 s4...7 m4...7  (as Q4_K packs them), without  s0...7  and eight
// unused, for Q6_K  s0...15.
#ifndef HK_SCALES_H
#define HK_SCALES_H

#include "vector.h"

typedef float hk_vector_of_four __attribute__((ext_vector_type(4)));
typedef float hk_eight __attribute__((ext_vector_type(8)));
typedef float hk_sixteen __attribute__((ext_vector_type(16)));
typedef uint16_t hk_eight_halves __attribute__((ext_vector_type(8)));
typedef _Float16 hk_eight_float16 __attribute__((ext_vector_type(8)));

// The lane of the scale of 32 values.
HK_INLINE int hk_scale_lane(hk_format format, int group) {
    return hk_has_minimum(format) && group >= 4 ? group + 4 : group;
}

// Half-precision numbers at p, p + stride, ...: the scales of consecutive blocks. Sets may have a way of their own.
#ifndef HK_GATHERS_EIGHT
HK_INLINE hk_eight hk_gather_eight(const uint8_t *p, const size_t stride) {
    const hk_eight_halves halves = {
        hk_u16(p), hk_u16(p + stride), hk_u16(p + 2 * stride), hk_u16(p + 3 * stride),
        hk_u16(p + 4 * stride), hk_u16(p + 5 * stride), hk_u16(p + 6 * stride), hk_u16(p + 7 * stride)};
    return __builtin_convertvector((hk_eight_float16)halves, hk_eight);
}
#endif

// The same of four blocks, then the halves after them: scales and minimums.
HK_INLINE hk_eight hk_gather_pairs(const uint8_t *p, const size_t stride) {
    const hk_eight_halves halves = {
        hk_u16(p), hk_u16(p + stride), hk_u16(p + 2 * stride), hk_u16(p + 3 * stride),
        hk_u16(p + 2), hk_u16(p + stride + 2), hk_u16(p + 2 * stride + 2), hk_u16(p + 3 * stride + 2)};
    return __builtin_convertvector((hk_eight_float16)halves, hk_eight);
}

#define HK_JOIN(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)

// Q4_K and Q5_K; minimums come out positive, their totals carry the sign.
HK_INLINE void hk_read_k_scales(const uint8_t *d, const uint8_t *packed, hk_sixteen *out) {
    typedef uint8_t sixteen_bytes __attribute__((ext_vector_type(16)));
    sixteen_bytes bytes;
    hk_k_scales(packed, (uint8_t *)&bytes);
    const uint32_t both = hk_u32(d);
    typedef uint32_t four_words __attribute__((ext_vector_type(4)));
    const hk_eight floats = __builtin_convertvector((hk_eight_float16)(four_words)both, hk_eight);
    *out = __builtin_convertvector(bytes, hk_sixteen)
        * __builtin_shufflevector(floats, floats, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1);
}

HK_INLINE void hk_read_scales(hk_format format, const uint8_t *step, hk_sixteen *out) {
    const size_t stride = hk_block_bytes(format);
    const hk_eight none = 0;
    switch (format) {
    case HK_Q4_0: case HK_Q5_0: case HK_Q8_0: *out = HK_JOIN(hk_gather_eight(step, stride), none); break;
    case HK_Q4_1: case HK_Q5_1:
        *out = HK_JOIN(hk_gather_pairs(step, stride), hk_gather_pairs(step + 4 * stride, stride));
        break;
    case HK_Q4_K: hk_read_k_scales(step, ((const hk_q4_k *)step)->scales, out); break;
    case HK_Q5_K: hk_read_k_scales(step, ((const hk_q5_k *)step)->scales, out); break;
    case HK_Q6_K: {
        typedef int8_t sixteen_bytes __attribute__((ext_vector_type(16)));
        sixteen_bytes scales;
        memcpy(&scales, ((const hk_q6_k *)step)->scales, sizeof scales);
        *out = __builtin_convertvector(scales, hk_sixteen) * hk_half(((const hk_q6_k *)step)->d);
        break;
    }
    default: break;
    }
}

// The totals of the activations' blocks in the lanes that hk_read_scales gives to their minimums.
HK_INLINE void hk_read_totals(hk_format format, const hk_activation_pair *x, const int pairs, hk_sixteen *out) {
    typedef float two __attribute__((ext_vector_type(2)));
    two of[4] = {0, 0, 0, 0};
    for (int p = 0; p < pairs; p++) memcpy(&of[p], x[p].totals, sizeof of[p]);
    const hk_vector_of_four low = __builtin_shufflevector(of[0], of[1], 0, 1, 2, 3);
    const hk_vector_of_four high = __builtin_shufflevector(of[2], of[3], 0, 1, 2, 3);
    const hk_eight all = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
    // Minimums of Q4_K and Q5_K come out positive.
    const hk_eight totals = format == HK_Q4_K || format == HK_Q5_K ? -all : all;
    *out = __builtin_shufflevector(totals, totals, 0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 4, 5, 6, 7);
}

// Only the lanes of minimums, added up to the width of the set's sums.
HK_INLINE hk_vector hk_fold_minimums(const hk_sixteen *lanes) {
    const hk_sixteen zero = 0;
    const hk_sixteen all = __builtin_shufflevector(*lanes, zero, 16, 17, 18, 19, 4, 5, 6, 7, 24, 25, 26, 27, 12, 13, 14, 15);
#if HK_LANES == 16
    return all;
#elif HK_LANES == 8
    return all.lo + all.hi;
#else
    return all.lo.hi + all.hi.hi;
#endif
}

#endif
