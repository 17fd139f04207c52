// The block layouts of GGUF weights and their scalar decoding: what every instruction set agrees on.
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
typedef struct { uint8_t d[2], dmin[2], scales[12], quants[128]; } hk_q4_k;
typedef struct { uint8_t d[2], dmin[2], scales[12], high[32], quants[128]; } hk_q5_k;
typedef struct { uint8_t low[128], high[64]; int8_t scales[16]; uint8_t d[2]; } hk_q6_k;

_Static_assert(sizeof(hk_q4_0) == 18 && sizeof(hk_q4_1) == 20, "file layout");
_Static_assert(sizeof(hk_q5_0) == 22 && sizeof(hk_q5_1) == 24, "file layout");
_Static_assert(sizeof(hk_q8_0) == 34 && sizeof(hk_q4_k) == 144, "file layout");
_Static_assert(sizeof(hk_q5_k) == 176 && sizeof(hk_q6_k) == 210, "file layout");

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
    }
    return 0;
}

HK_INLINE size_t hk_block_values(hk_format format) {
    switch (format) {
    case HK_F32: case HK_F16: case HK_BF16: return 1;
    case HK_Q4_0: case HK_Q4_1: case HK_Q5_0: case HK_Q5_1: case HK_Q8_0: return 32;
    case HK_Q4_K: case HK_Q5_K: case HK_Q6_K: return 256;
    }
    return 0;
}

// Whether a value is scale * quant + minimum (one minimum each 32 values).
HK_INLINE bool hk_has_minimum(hk_format format) {
    return format == HK_Q4_1 || format == HK_Q5_1 || format == HK_Q4_K || format == HK_Q5_K;
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

// IEEE half to float without a conversion instruction: the exponent moves by a multiplication with 2^112, which is
// exact for normal and denormal numbers alike; infinities and (quieted) NaNs get their exponent set.
HK_INLINE float hk_half(const void *p) {
    const uint32_t half = hk_u16(p), magnitude = half & 0x7fff;
    uint32_t bits = hk_bits_of_float(hk_float_of_bits(magnitude << 13) * 0x1p112f);
    if (magnitude >= 0x7c00) bits = 0x7f800000 | magnitude << 13 | (magnitude > 0x7c00 ? 0x400000 : 0);
    return hk_float_of_bits(bits | (half & 0x8000) << 16);
}

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

// One decoded block: value j is scales[j / 16] * quants[j] + minimums[j / 32].
typedef struct {
    int8_t quants[256];
    float scales[16];
    float minimums[8];
} hk_decoded;

HK_INLINE void hk_decode_nibbles(const uint8_t *quants, uint32_t high, int offset, int8_t *out) {
    for (int j = 0; j < 16; j++) {
        out[j] = (int8_t)((quants[j] & 15) + (int)(high >> j & 1) * 16 - offset);
        out[j + 16] = (int8_t)((quants[j] >> 4) + (int)(high >> (j + 16) & 1) * 16 - offset);
    }
}

HK_INLINE void hk_decode_k(
    const uint8_t *d, const uint8_t *dmin, const uint8_t *packed, const uint8_t *high, const uint8_t *quants,
    hk_decoded *out) {
#pragma clang fp contract(off)
    uint8_t scales[16];
    hk_k_scales(packed, scales);
    const float scale = hk_half(d), minimum = hk_half(dmin);
    for (int group = 0; group < 8; group++) {
        const float value = scale * (float)scales[group + group / 4 * 4];
        out->scales[2 * group] = out->scales[2 * group + 1] = value;
        out->minimums[group] = -(minimum * (float)scales[group + group / 4 * 4 + 4]);
        for (int i = 0; i < 32; i++) {
            const int nibble = quants[32 * (group / 2) + i] >> 4 * (group % 2) & 15;
            out->quants[32 * group + i] = (int8_t)(nibble + (high ? (high[i] >> group & 1) * 16 : 0));
        }
    }
}

HK_INLINE void hk_decode_q6_k(const hk_q6_k *block, hk_decoded *out) {
    const float scale = hk_half(block->d);
    for (int group = 0; group < 16; group++) out->scales[group] = scale * (float)block->scales[group];
    for (int n = 0; n < 2; n++) {
        for (int k = 0; k < 4; k++) {
            for (int i = 0; i < 32; i++) {
                const int low = block->low[64 * n + 32 * (k & 1) + i] >> (k < 2 ? 0 : 4) & 15;
                const int high = block->high[32 * n + i] >> 2 * k & 3;
                out->quants[128 * n + 32 * k + i] = (int8_t)((low | high << 4) - 32);
            }
        }
    }
}

// Decodes one block of a quantized format.
HK_INLINE void hk_decode(hk_format format, const void *bytes, hk_decoded *out) {
    float scale = 0, minimum = 0;
    switch (format) {
    case HK_Q4_0: {
        const hk_q4_0 *block = bytes;
        scale = hk_half(block->d);
        hk_decode_nibbles(block->quants, 0, 8, out->quants);
        break;
    }
    case HK_Q4_1: {
        const hk_q4_1 *block = bytes;
        scale = hk_half(block->d), minimum = hk_half(block->m);
        hk_decode_nibbles(block->quants, 0, 0, out->quants);
        break;
    }
    case HK_Q5_0: {
        const hk_q5_0 *block = bytes;
        scale = hk_half(block->d);
        hk_decode_nibbles(block->quants, hk_u32(block->high), 16, out->quants);
        break;
    }
    case HK_Q5_1: {
        const hk_q5_1 *block = bytes;
        scale = hk_half(block->d), minimum = hk_half(block->m);
        hk_decode_nibbles(block->quants, hk_u32(block->high), 0, out->quants);
        break;
    }
    case HK_Q8_0: {
        const hk_q8_0 *block = bytes;
        scale = hk_half(block->d);
        memcpy(out->quants, block->quants, 32);
        break;
    }
    case HK_Q4_K: {
        const hk_q4_k *block = bytes;
        hk_decode_k(block->d, block->dmin, block->scales, NULL, block->quants, out);
        return;
    }
    case HK_Q5_K: {
        const hk_q5_k *block = bytes;
        hk_decode_k(block->d, block->dmin, block->scales, block->high, block->quants, out);
        return;
    }
    case HK_Q6_K:
        hk_decode_q6_k(bytes, out);
        return;
    case HK_F32: case HK_F16: case HK_BF16:
        return;
    }
    out->scales[0] = out->scales[1] = scale;
    out->minimums[0] = minimum;
}

#endif
