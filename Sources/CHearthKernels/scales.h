// The scales of one step (256 values) of a quantized row, as floats.
// Included by sets that convert half precision in hardware.
#ifndef HK_SCALES_H
#define HK_SCALES_H

#include "blocks.h"

typedef float hk_eight __attribute__((ext_vector_type(8)));
typedef float hk_sixteen __attribute__((ext_vector_type(16)));
typedef uint8_t hk_eight_bytes __attribute__((ext_vector_type(8)));
typedef int8_t hk_sixteen_bytes __attribute__((ext_vector_type(16)));
typedef uint16_t hk_eight_halves __attribute__((ext_vector_type(8)));
typedef _Float16 hk_eight_float16 __attribute__((ext_vector_type(8)));

// Half-precision numbers at p, p + stride, ...: the scales of eight consecutive blocks.
HK_INLINE hk_eight hk_gather_halves(const uint8_t *p, size_t stride) {
    const hk_eight_halves halves = {
        hk_u16(p), hk_u16(p + stride), hk_u16(p + 2 * stride), hk_u16(p + 3 * stride),
        hk_u16(p + 4 * stride), hk_u16(p + 5 * stride), hk_u16(p + 6 * stride), hk_u16(p + 7 * stride)};
    return __builtin_convertvector((hk_eight_float16)halves, hk_eight);
}

HK_INLINE float hk_one_half(const uint8_t *p) {
    _Float16 half;
    memcpy(&half, p, sizeof half);
    return (float)half;
}

// Float scales of one step: 16 a step for Q6_K, else 8; minimums where the format has them, already signed.
typedef struct {
    hk_sixteen fine;
    hk_eight scales, minimums;
} hk_step_scales;

HK_INLINE void hk_read_k_scales(const uint8_t *d, const uint8_t *packed, hk_step_scales *out) {
    uint32_t words[2][2];
    hk_k_scales(packed, words[0], words[1]);
    hk_eight_bytes scales, minimums;
    memcpy(&scales, words[0], 8);
    memcpy(&minimums, words[1], 8);
    out->scales = __builtin_convertvector(scales, hk_eight) * hk_one_half(d);
    out->minimums = __builtin_convertvector(minimums, hk_eight) * -hk_one_half(d + 2);
}

HK_INLINE void hk_read_scales(hk_format format, const uint8_t *step, hk_step_scales *out) {
    switch (format) {
    case HK_Q4_1: case HK_Q5_1:
        out->minimums = hk_gather_halves(step + 2, hk_block_bytes(format));
        __attribute__((fallthrough));
    case HK_Q4_0: case HK_Q5_0: case HK_Q8_0:
        out->scales = hk_gather_halves(step, hk_block_bytes(format));
        break;
    case HK_Q4_K: hk_read_k_scales(step, ((const hk_q4_k *)step)->scales, out); break;
    case HK_Q5_K: hk_read_k_scales(step, ((const hk_q5_k *)step)->scales, out); break;
    case HK_Q6_K: {
        hk_sixteen_bytes scales;
        memcpy(&scales, ((const hk_q6_k *)step)->scales, sizeof scales);
        out->fine = __builtin_convertvector(scales, hk_sixteen) * hk_one_half(((const hk_q6_k *)step)->d);
        break;
    }
    case HK_F32: case HK_F16: case HK_BF16: break;
    }
}

HK_INLINE size_t hk_step_bytes(hk_format format) {
    return HK_STEP / hk_block_values(format) * hk_block_bytes(format);
}

#endif
