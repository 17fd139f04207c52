// The block layouts of GGUF weights: what every instruction set agrees on.
#ifndef HK_BLOCKS_H
#define HK_BLOCKS_H

#include "CHearthKernels.h"

#include <string.h>

#define HK_INLINE static inline __attribute__((always_inline, unused))

// Values of the longest block, and of one step of the multiply kernels.
enum { HK_STEP = 256 };

// Every field is made of bytes, so a block may lie at any address of a mapped file.
typedef struct { uint8_t d[2], quants[16]; } hk_q4_0;
typedef struct { uint8_t d[2], m[2], quants[16]; } hk_q4_1;
typedef struct { uint8_t d[2], high[4], quants[16]; } hk_q5_0;
typedef struct { uint8_t d[2], m[2], high[4], quants[16]; } hk_q5_1;
typedef struct { uint8_t d[2]; int8_t quants[32]; } hk_q8_0;
typedef struct { uint8_t scales[16], quants[64], d[2], dmin[2]; } hk_q2_k;
typedef struct { uint8_t high[32], quants[64], scales[12], d[2]; } hk_q3_k;
typedef struct { uint8_t d[2], dmin[2], scales[12], quants[128]; } hk_q4_k;
typedef struct { uint8_t d[2], dmin[2], scales[12], high[32], quants[128]; } hk_q5_k;
typedef struct { uint8_t low[128], high[64]; int8_t scales[16]; uint8_t d[2]; } hk_q6_k;
// Points of lattices: `points` are the low bits of their numbers, `high` the others.
typedef struct { uint8_t d[2], points[32], high[16]; } hk_iq1_s;
typedef struct { uint8_t points[32], high[16], scales[8]; } hk_iq1_m;
typedef struct { uint8_t d[2]; struct { uint8_t points[4], signs[4]; } groups[8]; } hk_iq2_xxs;
typedef struct { uint8_t d[2], points[64], scales[8]; } hk_iq2_xs;
typedef struct { uint8_t d[2], points[32], signs[32], high[8], scales[8]; } hk_iq2_s;
typedef struct { uint8_t d[2], points[64], signs[32]; } hk_iq3_xxs;
typedef struct { uint8_t d[2], points[64], high[8], signs[32], scales[4]; } hk_iq3_s;
// Numbers of values in a table.
typedef struct { uint8_t d[2], quants[16]; } hk_iq4_nl;
typedef struct { uint8_t d[2], scales_high[2], scales[4], quants[128]; } hk_iq4_xs;
typedef struct { uint8_t exponent, quants[16]; } hk_mxfp4;
typedef struct { uint8_t scales[4], quants[32]; } hk_nvfp4;
// Values of -1, 0 and 1: five in a byte (four in each of `rest`), or four.
typedef struct { uint8_t quants[48], rest[4], d[2]; } hk_tq1_0;
typedef struct { uint8_t quants[64], d[2]; } hk_tq2_0;

_Static_assert(sizeof(hk_q4_0) == 18 && sizeof(hk_q4_1) == 20, "file layout");
_Static_assert(sizeof(hk_q5_0) == 22 && sizeof(hk_q5_1) == 24, "file layout");
_Static_assert(sizeof(hk_q8_0) == 34 && sizeof(hk_q4_k) == 144, "file layout");
_Static_assert(sizeof(hk_q5_k) == 176 && sizeof(hk_q6_k) == 210, "file layout");
_Static_assert(sizeof(hk_q2_k) == 84 && sizeof(hk_q3_k) == 110, "file layout");
_Static_assert(sizeof(hk_iq1_s) == 50 && sizeof(hk_iq1_m) == 56, "file layout");
_Static_assert(sizeof(hk_iq2_xxs) == 66 && sizeof(hk_iq2_xs) == 74 && sizeof(hk_iq2_s) == 82, "file layout");
_Static_assert(sizeof(hk_iq3_xxs) == 98 && sizeof(hk_iq3_s) == 110, "file layout");
_Static_assert(sizeof(hk_iq4_nl) == 18 && sizeof(hk_iq4_xs) == 136, "file layout");
_Static_assert(sizeof(hk_mxfp4) == 17 && sizeof(hk_nvfp4) == 36, "file layout");
_Static_assert(sizeof(hk_tq1_0) == 54 && sizeof(hk_tq2_0) == 66, "file layout");

// The form of activations that the including set multiplies.
#if HK_MULTIPLIES_WORDS
typedef hk_activation_words hk_activation_pair;
#else
typedef hk_activation_planes hk_activation_pair;
#endif
_Static_assert(sizeof(hk_activation_pair) % 64 == 0, "whole cache lines");

HK_INLINE size_t hk_block_bytes(hk_format format) {
    switch (format) {
    case HK_F32: return 4;
    case HK_F16: return 2;
    case HK_BF16: return 2;
    case HK_Q4_0: return sizeof(hk_q4_0);
    case HK_Q4_1: return sizeof(hk_q4_1);
    case HK_Q5_0: return sizeof(hk_q5_0);
    case HK_Q5_1: return sizeof(hk_q5_1);
    case HK_Q8_0: return sizeof(hk_q8_0);
    case HK_Q4_K: return sizeof(hk_q4_k);
    case HK_Q5_K: return sizeof(hk_q5_k);
    case HK_Q6_K: return sizeof(hk_q6_k);
    case HK_Q2_K: return sizeof(hk_q2_k);
    case HK_Q3_K: return sizeof(hk_q3_k);
    case HK_IQ1_S: return sizeof(hk_iq1_s);
    case HK_IQ1_M: return sizeof(hk_iq1_m);
    case HK_IQ2_XXS: return sizeof(hk_iq2_xxs);
    case HK_IQ2_XS: return sizeof(hk_iq2_xs);
    case HK_IQ2_S: return sizeof(hk_iq2_s);
    case HK_IQ3_XXS: return sizeof(hk_iq3_xxs);
    case HK_IQ3_S: return sizeof(hk_iq3_s);
    case HK_IQ4_NL: return sizeof(hk_iq4_nl);
    case HK_IQ4_XS: return sizeof(hk_iq4_xs);
    case HK_MXFP4: return sizeof(hk_mxfp4);
    case HK_NVFP4: return sizeof(hk_nvfp4);
    case HK_TQ1_0: return sizeof(hk_tq1_0);
    case HK_TQ2_0: return sizeof(hk_tq2_0);
    }
    return 0;
}

HK_INLINE size_t hk_block_values(hk_format format) {
    switch (format) {
    case HK_F32: case HK_F16: case HK_BF16: return 1;
    case HK_Q4_0: case HK_Q4_1: case HK_Q5_0: case HK_Q5_1: case HK_Q8_0: case HK_IQ4_NL: case HK_MXFP4: return 32;
    case HK_NVFP4: return 64;
    default: return 256;
    }
}

// Whether a value is scale * quant + minimum (one minimum each 32 values, for Q2_K each 16).
HK_INLINE bool hk_has_minimum(hk_format format) {
    return format == HK_Q4_1 || format == HK_Q5_1 || format == HK_Q4_K || format == HK_Q5_K || format == HK_Q2_K;
}

// Whether 16 values have a scale of their own.
HK_INLINE bool hk_scales_halves(hk_format format) {
    return format == HK_Q2_K || format == HK_Q3_K || format == HK_IQ1_M || format == HK_IQ2_XS || format == HK_IQ2_S
        || format == HK_NVFP4;
}

HK_INLINE uint16_t hk_u16(const void *p) {
    uint16_t value;
    memcpy(&value, p, sizeof value);
    return value;
}

HK_INLINE uint32_t hk_u32(const void *p) {
    uint32_t value;
    memcpy(&value, p, sizeof value);
    return value;
}

HK_INLINE float hk_float_of_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

HK_INLINE uint32_t hk_bits_of_float(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#ifdef HK_CONVERTS_HALF
HK_INLINE float hk_half(const void *p) {
    _Float16 half;
    memcpy(&half, p, sizeof half);
    return (float)half;
}
#else
// IEEE half to float without a conversion instruction: the exponent moves by a multiplication with 2^112, which is
// exact for normal and denormal numbers alike; infinities and (quieted) NaNs get their exponent set.
HK_INLINE float hk_half(const void *p) {
    const uint32_t half = hk_u16(p), magnitude = half & 0x7fff;
    uint32_t bits = hk_bits_of_float(hk_float_of_bits(magnitude << 13) * 0x1p112f);
    if (magnitude >= 0x7c00) bits = 0x7f800000 | magnitude << 13 | (magnitude > 0x7c00 ? 0x400000 : 0);
    return hk_float_of_bits(bits | (half & 0x8000) << 16);
}
#endif

HK_INLINE float hk_bfloat(const void *p) {
    return hk_float_of_bits((uint32_t)hk_u16(p) << 16);
}

// The 6-bit scales s and minimums m that Q4_K and Q5_K keep in 12 bytes, one byte each, in the order
// s0...3 m0...3 s4...7 m4...7: the order in which two words of eight bytes yield them.
HK_INLINE void hk_k_scales(const uint8_t packed[12], uint8_t out[16]) {
    uint64_t words[2];
    memcpy(&words[0], packed, 8);
    const uint64_t last = hk_u32(packed + 8);
    words[1] = ((last | last << 28) & 0x0f0f0f0f0f0f0f0f) | (words[0] >> 2 & 0x3030303030303030);
    words[0] &= 0x3f3f3f3f3f3f3f3f;
    memcpy(out, words, 16);
}

#endif
