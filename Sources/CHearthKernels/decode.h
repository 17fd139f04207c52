// Blocks of quantized weights to signed bytes and their scales. Sets that have an instruction for it define
// HK_LOOKS_UP and hk_look_up before they include this.
#ifndef HK_DECODE_H
#define HK_DECODE_H

#include "blocks.h"
#include "grids.h"

// Not inlined: each is compiled once, by itself, and comes out as the vector code that it can be.
#define HK_DECODER static __attribute__((noinline, unused)) void

// A decoded step: value j is scales[j / 16] * quants[j], plus minimums[j / 16] where the format has minimums.
typedef struct {
    int8_t quants[HK_STEP];
    float scales[HK_STEP / 16];
    float minimums[HK_STEP / 16];
} hk_decoded;

#ifndef HK_LOOKS_UP
// Of 16 bytes the values of the low nibbles, then those of the high ones.
HK_INLINE void hk_look_up(const int8_t table[16], const uint8_t *nibbles, int8_t *out) {
    for (int i = 0; i < 16; i++) {
        out[i] = table[nibbles[i] & 15];
        out[i + 16] = table[nibbles[i] >> 4];
    }
}
#endif

// What IQ4_NL and IQ4_XS number, and what MXFP4 and NVFP4 do (twice the numbers that four bits of a float are).
static const int8_t hk_table_iq4[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
static const int8_t hk_table_fp4[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

// The same scale for `groups` groups of 16 values.
HK_INLINE void hk_fill_scales(float scale, int groups, float *out) {
    for (int i = 0; i < groups; i++) out[i] = scale;
}

typedef int8_t hk_sixteen_scales __attribute__((ext_vector_type(16)));

// A macro, for vectors are passed in different ways by the sets.
#define hk_store_scales(bytes, factor, out)                                                                           \
    do {                                                                                                              \
        typedef float sixteen_floats __attribute__((ext_vector_type(16)));                                            \
        const sixteen_floats floats = __builtin_convertvector(bytes, sixteen_floats) * (factor);                      \
        memcpy(out, &floats, sizeof floats);                                                                          \
    } while (0)

HK_INLINE void hk_decode_nibbles(const uint8_t *quants, uint32_t high, int offset, int8_t *out) {
    for (int j = 0; j < 16; j++) {
        out[j] = (int8_t)((quants[j] & 15) + (int)(high >> j & 1) * 16 - offset);
        out[j + 16] = (int8_t)((quants[j] >> 4) + (int)(high >> (j + 16) & 1) * 16 - offset);
    }
}

// Q4_K and Q5_K.
HK_DECODER hk_decode_k(
    const uint8_t *restrict d, const uint8_t *restrict dmin, const uint8_t *restrict packed, const uint8_t *restrict high,
    const uint8_t *restrict quants, hk_decoded *restrict out) {
#pragma clang fp contract(off)
    uint8_t scales[16];
    hk_k_scales(packed, scales);
    const float scale = hk_half(d), minimum = hk_half(dmin);
    for (int group = 0; group < 8; group++) {
        hk_fill_scales(scale * (float)scales[group + group / 4 * 4], 2, out->scales + 2 * group);
        hk_fill_scales(-(minimum * (float)scales[group + group / 4 * 4 + 4]), 2, out->minimums + 2 * group);
        for (int i = 0; i < 32; i++) {
            const int nibble = quants[32 * (group / 2) + i] >> 4 * (group % 2) & 15;
            out->quants[32 * group + i] = (int8_t)(nibble + (high ? (high[i] >> group & 1) * 16 : 0));
        }
    }
}

HK_DECODER hk_decode_q6_k(const hk_q6_k *restrict block, hk_decoded *restrict out) {
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

// Two bits each: of 32 bytes the lowest are values 0...31, the next 32...63 and so on. Where there are third bits, bit g of
// byte i belongs to value 32 * g + i.
HK_INLINE void hk_decode_pairs(const uint8_t *quants, const uint8_t *high, const int offset, int8_t *out) {
    typedef uint8_t bytes __attribute__((ext_vector_type(32)));
    bytes packed, third = 0;
    if (high) memcpy(&third, high, sizeof third);
    _Pragma("clang loop unroll(full)") for (int group = 0; group < 8; group++) {
        if (group % 4 == 0) memcpy(&packed, quants + 8 * group, sizeof packed);
        bytes values = packed >> (uint8_t)(2 * (group % 4)) & 3;
        if (high) values |= (third >> (uint8_t)group & 1) << 2;
        values -= (uint8_t)offset;
        memcpy(out + 32 * group, &values, sizeof values);
    }
}

HK_DECODER hk_decode_q2_k(const hk_q2_k *restrict block, hk_decoded *restrict out) {
    hk_sixteen_scales packed;
    memcpy(&packed, block->scales, sizeof packed);
    hk_store_scales(packed & 15, hk_half(block->d), out->scales);
    hk_store_scales(packed >> 4 & 15, -hk_half(block->dmin), out->minimums);
    hk_decode_pairs(block->quants, NULL, 0, out->quants);
}

HK_DECODER hk_decode_q3_k(const hk_q3_k *restrict block, hk_decoded *restrict out) {
    // Eight bytes have the low four bits of scales 0...7 and, above them, of 8...15; each of the other four has the high two
    // bits of four scales.
    uint64_t low, words[2];
    memcpy(&low, block->scales, sizeof low);
    const uint64_t high = hk_u32(block->scales + 8), two_bits = 0x03030303;
    words[0] = (low & 0x0f0f0f0f0f0f0f0f) | ((high & two_bits) | (high >> 2 & two_bits) << 32) << 4;
    words[1] = (low >> 4 & 0x0f0f0f0f0f0f0f0f) | ((high >> 4 & two_bits) | (high >> 6 & two_bits) << 32) << 4;
    hk_sixteen_scales scales;
    memcpy(&scales, words, sizeof scales);
    hk_store_scales(scales - 32, hk_half(block->d), out->scales);
    hk_decode_pairs(block->quants, block->high, 4, out->quants);
}

HK_DECODER hk_decode_iq4_xs(const hk_iq4_xs *restrict block, hk_decoded *restrict out) {
    const float scale = hk_half(block->d);
    const uint32_t high = hk_u16(block->scales_high);
    for (int group = 0; group < 8; group++) {
        const int low = block->scales[group / 2] >> 4 * (group % 2) & 15;
        hk_fill_scales(scale * (float)((low | (int)(high >> 2 * group & 3) << 4) - 32), 2, out->scales + 2 * group);
        hk_look_up(hk_table_iq4, block->quants + 16 * group, out->quants + 32 * group);
    }
}

// 2^(exponent - 128), of subnormal floats as well.
HK_INLINE float hk_power_of_two(uint8_t exponent) {
    return hk_float_of_bits(exponent < 2 ? 0x00200000u << exponent : (uint32_t)(exponent - 1) << 23);
}

// Half of a float of eight bits without a sign, four of them its exponent.
HK_INLINE float hk_half_of_e4m3(uint8_t bits) {
    if (bits == 0 || bits == 0x7f) return 0;
    const int exponent = bits >> 3 & 15, mantissa = bits & 7;
    if (exponent == 0) return (float)mantissa * 0x1p-10f;
    return (float)(8 + mantissa) * hk_float_of_bits((uint32_t)(exponent + 127 - 11) << 23);
}

HK_INLINE void hk_decode_nvfp4(const hk_nvfp4 *block, int8_t *quants, float *scales) {
    for (int pair = 0; pair < 2; pair++) {
        // Eight bytes have the 16 values of a scale: the low nibbles, then the high ones.
        int8_t values[32];
        hk_look_up(hk_table_fp4, block->quants + 16 * pair, values);
        for (int i = 0; i < 2; i++) {
            memcpy(quants + 32 * pair + 16 * i, values + 8 * i, 8);
            memcpy(quants + 32 * pair + 16 * i + 8, values + 16 + 8 * i, 8);
            scales[2 * pair + i] = hk_half_of_e4m3(block->scales[2 * pair + i]);
        }
    }
}

HK_INLINE int8_t hk_third(uint8_t byte, unsigned power) {
    return (int8_t)(((uint8_t)(byte * power) * 3 >> 8) - 1);
}

HK_DECODER hk_decode_tq1_0(const hk_tq1_0 *restrict block, hk_decoded *restrict out) {
    static const unsigned powers[5] = {1, 3, 9, 27, 81};
    int8_t *quants = out->quants;
    for (int k = 0; k < 5; k++) {
        for (int i = 0; i < 32; i++) quants[32 * k + i] = hk_third(block->quants[i], powers[k]);
        for (int i = 0; i < 16; i++) quants[160 + 16 * k + i] = hk_third(block->quants[32 + i], powers[k]);
    }
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < 4; i++) quants[240 + 4 * k + i] = hk_third(block->rest[i], powers[k]);
    }
    hk_fill_scales(hk_half(block->d), 16, out->scales);
}

// MARK: - Points of lattices

// Eight positive bytes, negative where `signs` has a bit. No byte is 0, so nothing is carried into the next.
HK_INLINE void hk_store_point(uint64_t bytes, unsigned signs, int8_t *out) {
    const uint64_t mask = hk_sign_masks[signs];
    const uint64_t values = (bytes ^ mask) + (mask & 0x0101010101010101);
    memcpy(out, &values, 8);
}

// Seven signs; the eighth makes their number even.
HK_INLINE unsigned hk_eight_signs(uint32_t seven) {
    return (seven & 127) | (unsigned)__builtin_parity(seven & 127) << 7;
}

HK_INLINE uint64_t hk_two_points(uint32_t first, uint32_t second) {
    return first | (uint64_t)second << 32;
}

HK_DECODER hk_decode_iq2_xxs(const hk_iq2_xxs *restrict block, hk_decoded *restrict out) {
    const float scale = hk_half(block->d);
    for (int group = 0; group < 8; group++) {
        const uint32_t signs = hk_u32(block->groups[group].signs);
        hk_fill_scales(scale * (0.5f + (float)(signs >> 28)) * 0.25f, 2, out->scales + 2 * group);
        for (int i = 0; i < 4; i++) {
            hk_store_point(
                hk_grid_iq2_xxs[block->groups[group].points[i]], hk_eight_signs(signs >> 7 * i),
                out->quants + 32 * group + 8 * i);
        }
    }
}

HK_DECODER hk_decode_iq2_xs(const hk_iq2_xs *restrict block, hk_decoded *restrict out) {
    const float scale = hk_half(block->d);
    for (int i = 0; i < 16; i++) {
        out->scales[i] = scale * (0.5f + (float)(block->scales[i / 2] >> 4 * (i % 2) & 15)) * 0.25f;
    }
    for (int i = 0; i < 32; i++) {
        const uint32_t point = hk_u16(block->points + 2 * i);
        hk_store_point(hk_grid_iq2_xs[point & 511], hk_eight_signs(point >> 9), out->quants + 8 * i);
    }
}

HK_DECODER hk_decode_iq2_s(const hk_iq2_s *restrict block, hk_decoded *restrict out) {
    const float scale = hk_half(block->d);
    for (int i = 0; i < 16; i++) {
        out->scales[i] = scale * (0.5f + (float)(block->scales[i / 2] >> 4 * (i % 2) & 15)) * 0.25f;
    }
    for (int i = 0; i < 32; i++) {
        const int point = block->points[i] | (block->high[i / 4] >> 2 * (i % 4) & 3) << 8;
        hk_store_point(hk_grid_iq2_s[point], block->signs[i], out->quants + 8 * i);
    }
}

HK_DECODER hk_decode_iq3_xxs(const hk_iq3_xxs *restrict block, hk_decoded *restrict out) {
    const float scale = hk_half(block->d);
    for (int group = 0; group < 8; group++) {
        const uint32_t signs = hk_u32(block->signs + 4 * group);
        hk_fill_scales(scale * (0.5f + (float)(signs >> 28)) * 0.5f, 2, out->scales + 2 * group);
        for (int i = 0; i < 4; i++) {
            const uint8_t *points = block->points + 8 * group + 2 * i;
            hk_store_point(
                hk_two_points(hk_grid_iq3_xxs[points[0]], hk_grid_iq3_xxs[points[1]]), hk_eight_signs(signs >> 7 * i),
                out->quants + 32 * group + 8 * i);
        }
    }
}

HK_DECODER hk_decode_iq3_s(const hk_iq3_s *restrict block, hk_decoded *restrict out) {
    const float scale = hk_half(block->d);
    for (int group = 0; group < 8; group++) {
        const int factor = 1 + 2 * (block->scales[group / 2] >> 4 * (group % 2) & 15);
        hk_fill_scales(scale * (float)factor, 2, out->scales + 2 * group);
        for (int i = 0; i < 4; i++) {
            const uint8_t *points = block->points + 8 * group + 2 * i;
            const int high = block->high[group] >> 2 * i;
            hk_store_point(
                hk_two_points(hk_grid_iq3_s[points[0] | (high & 1) << 8], hk_grid_iq3_s[points[1] | (high >> 1 & 1) << 8]),
                block->signs[4 * group + i], out->quants + 32 * group + 8 * i);
        }
    }
}

// Eight values of -1, 0 and 1, each an eighth more or less: eighths are counted.
HK_INLINE void hk_store_shifted_point(uint32_t point, bool less, int8_t *out) {
    typedef int8_t eight_bytes __attribute__((ext_vector_type(8)));
    eight_bytes values;
    memcpy(&values, &hk_grid_iq1[point], 8);
    values += (int8_t)(less ? -1 : 1);
    memcpy(out, &values, 8);
}

HK_DECODER hk_decode_iq1_s(const hk_iq1_s *restrict block, hk_decoded *restrict out) {
    const float scale = hk_half(block->d);
    for (int group = 0; group < 8; group++) {
        const uint32_t high = hk_u16(block->high + 2 * group);
        hk_fill_scales(scale * (float)(2 * (high >> 12 & 7) + 1) * 0.125f, 2, out->scales + 2 * group);
        for (int i = 0; i < 4; i++) {
            hk_store_shifted_point(
                block->points[4 * group + i] | (high >> 3 * i & 7) << 8, high >> 15, out->quants + 32 * group + 8 * i);
        }
    }
}

HK_DECODER hk_decode_iq1_m(const hk_iq1_m *restrict block, hk_decoded *restrict out) {
    // Each of four words has three bits of four scales, and four bits of what they all are multiplied by.
    uint16_t d = 0;
    for (int i = 0; i < 4; i++) d |= (uint16_t)((block->scales[2 * i + 1] >> 4) << 4 * i);
    const float scale = hk_half(&d);
    for (int i = 0; i < 16; i++) {
        const int factor = 2 * (hk_u16(block->scales + 2 * (i / 4)) >> 3 * (i % 4) & 7) + 1;
        out->scales[i] = scale * (float)factor * 0.125f;
    }
    for (int i = 0; i < 32; i++) {
        const uint32_t high = block->high[i / 2] >> 4 * (i % 2);
        hk_store_shifted_point(block->points[i] | (high & 7) << 8, high & 8, out->quants + 8 * i);
    }
}

HK_DECODER hk_decode_tq2_0(const hk_tq2_0 *restrict block, hk_decoded *restrict out) {
    hk_fill_scales(hk_half(block->d), 16, out->scales);
    hk_decode_pairs(block->quants, NULL, 1, out->quants);
}

// MARK: - Any format

// Decodes `count` values that begin with a block: blocks of 32 or 64 values up to a step, or one block of 256.
// What a step has beyond them stays as it is.
static __attribute__((noinline, unused)) void hk_decode(
    hk_format format, const uint8_t *restrict bytes, size_t count, hk_decoded *restrict out) {
    int8_t *quants = out->quants;
    float *scales = out->scales, *minimums = out->minimums;
    const void *block = bytes;
    switch (format) {
    case HK_F32: case HK_F16: case HK_BF16: break;
    case HK_Q4_0:
        for (const hk_q4_0 *b = block; quants < out->quants + count; b++, quants += 32, scales += 2) {
            hk_fill_scales(hk_half(b->d), 2, scales);
            hk_decode_nibbles(b->quants, 0, 8, quants);
        }
        break;
    case HK_Q4_1:
        for (const hk_q4_1 *b = block; quants < out->quants + count; b++, quants += 32, scales += 2, minimums += 2) {
            hk_fill_scales(hk_half(b->d), 2, scales);
            hk_fill_scales(hk_half(b->m), 2, minimums);
            hk_decode_nibbles(b->quants, 0, 0, quants);
        }
        break;
    case HK_Q5_0:
        for (const hk_q5_0 *b = block; quants < out->quants + count; b++, quants += 32, scales += 2) {
            hk_fill_scales(hk_half(b->d), 2, scales);
            hk_decode_nibbles(b->quants, hk_u32(b->high), 16, quants);
        }
        break;
    case HK_Q5_1:
        for (const hk_q5_1 *b = block; quants < out->quants + count; b++, quants += 32, scales += 2, minimums += 2) {
            hk_fill_scales(hk_half(b->d), 2, scales);
            hk_fill_scales(hk_half(b->m), 2, minimums);
            hk_decode_nibbles(b->quants, hk_u32(b->high), 0, quants);
        }
        break;
    case HK_Q8_0:
        for (const hk_q8_0 *b = block; quants < out->quants + count; b++, quants += 32, scales += 2) {
            hk_fill_scales(hk_half(b->d), 2, scales);
            memcpy(quants, b->quants, 32);
        }
        break;
    case HK_IQ4_NL:
        for (const hk_iq4_nl *b = block; quants < out->quants + count; b++, quants += 32, scales += 2) {
            hk_fill_scales(hk_half(b->d), 2, scales);
            hk_look_up(hk_table_iq4, b->quants, quants);
        }
        break;
    case HK_MXFP4:
        for (const hk_mxfp4 *b = block; quants < out->quants + count; b++, quants += 32, scales += 2) {
            hk_fill_scales(hk_power_of_two(b->exponent), 2, scales);
            hk_look_up(hk_table_fp4, b->quants, quants);
        }
        break;
    case HK_NVFP4:
        for (const hk_nvfp4 *b = block; quants < out->quants + count; b++, quants += 64, scales += 4) {
            hk_decode_nvfp4(b, quants, scales);
        }
        break;
    case HK_Q4_K: {
        const hk_q4_k *b = block;
        hk_decode_k(b->d, b->dmin, b->scales, NULL, b->quants, out);
        break;
    }
    case HK_Q5_K: {
        const hk_q5_k *b = block;
        hk_decode_k(b->d, b->dmin, b->scales, b->high, b->quants, out);
        break;
    }
    case HK_Q2_K: hk_decode_q2_k(block, out); break;
    case HK_Q3_K: hk_decode_q3_k(block, out); break;
    case HK_Q6_K: hk_decode_q6_k(block, out); break;
    case HK_IQ1_S: hk_decode_iq1_s(block, out); break;
    case HK_IQ1_M: hk_decode_iq1_m(block, out); break;
    case HK_IQ2_XXS: hk_decode_iq2_xxs(block, out); break;
    case HK_IQ2_XS: hk_decode_iq2_xs(block, out); break;
    case HK_IQ2_S: hk_decode_iq2_s(block, out); break;
    case HK_IQ3_XXS: hk_decode_iq3_xxs(block, out); break;
    case HK_IQ3_S: hk_decode_iq3_s(block, out); break;
    case HK_IQ4_XS: hk_decode_iq4_xs(block, out); break;
    case HK_TQ1_0: hk_decode_tq1_0(block, out); break;
    case HK_TQ2_0: hk_decode_tq2_0(block, out); break;
    }
}

#endif
