// Rows of a key/value cache: float32, half precision, or blocks of 32 signed bytes or of 32 values of four bits with a scale in
// half precision (the layouts of Q8_0 and Q4_0). Packing is bit-exact in every set, hence no fused multiply-add there.
#ifndef HK_CACHE_H
#define HK_CACHE_H

#include "vector.h"

enum { HK_CACHE_BLOCK = 32 };

// The nearest half, ties to even. What is finite stays finite: magnitudes above 65504 become that.
HK_INLINE uint16_t hk_half_of_float(float value) {
#pragma clang fp contract(off)
    const uint32_t bits = hk_bits_of_float(value), sign = bits >> 16 & 0x8000;
    uint32_t magnitude = bits & 0x7fffffff;
    if (magnitude >= 0x7f800000) {
        const uint32_t payload = magnitude > 0x7f800000 ? 0x200 | (magnitude >> 13 & 0x3ff) : 0;
        return (uint16_t)(sign | 0x7c00 | payload);
    }
    magnitude = magnitude > 0x477fe000 ? 0x477fe000 : magnitude;
    // Below 2^-14 the sum with 1/2 rounds to halves' smallest step; above, the exponent moves and 13 bits are rounded away.
    const uint32_t small = hk_bits_of_float(hk_float_of_bits(magnitude) + 0.5f) - 0x3f000000;
    const uint32_t normal = (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
    return (uint16_t)(sign | (magnitude < 0x38800000 ? small : normal));
}

static void hk_pack_halves(const float *x, size_t count, uint8_t *out) {
    size_t i = 0;
#ifdef HK_CONVERTS_HALF
    typedef _Float16 half_vector __attribute__((ext_vector_type(HK_LANES)));
    for (; i + HK_LANES <= count; i += HK_LANES) {
        const hk_words words = hk_as_words(hk_load(x + i)), magnitude = words & 0x7fffffff;
        const hk_words beyond = (hk_words)(magnitude > 0x477fe000) & (hk_words)(magnitude < 0x7f800000);
        const hk_words kept = (beyond & ((words & 0x80000000) | 0x477fe000)) | (~beyond & words);
        const half_vector halves = __builtin_convertvector(hk_as_vector(kept), half_vector);
        memcpy(out + 2 * i, &halves, sizeof halves);
    }
#endif
    for (; i < count; i++) {
        const uint16_t half = hk_half_of_float(x[i]);
        memcpy(out + 2 * i, &half, sizeof half);
    }
}

// 32 values to a block.
HK_INLINE void hk_pack_block(const float *x, hk_q8_0 *out) {
#pragma clang fp contract(off)
    // As integers, magnitudes order like floats, and what is not finite comes last.
    uint32_t peak = 0;
    for (int i = 0; i < HK_CACHE_BLOCK; i++) {
        const uint32_t magnitude = hk_bits_of_float(x[i]) & 0x7fffffff;
        peak = magnitude > peak ? magnitude : peak;
    }
    const bool finite = peak < 0x7f800000;
    // NaN in the scale makes every product with the block NaN.
    const uint16_t half = finite ? hk_half_of_float(hk_float_of_bits(peak) / 127.0f) : 0x7e00;
    memcpy(out->d, &half, sizeof half);
    const float scale = hk_half(&half);
    // By the scale as it is kept, so that its rounding is made up for.
    const float inverse = finite && scale > 0 ? 1.0f / scale : 0.0f;
    for (int i = 0; i < HK_CACHE_BLOCK; i++) {
        float value = (finite ? x[i] : 0.0f) * inverse;
        value = value > 127.0f ? 127.0f : value;
        value = value < -127.0f ? -127.0f : value;
        // Adding 1.5 * 2^23 leaves the rounded value in the low bits.
        out->quants[i] = (int8_t)(int32_t)(hk_bits_of_float(value + 12582912.0f) - 0x4b400000);
    }
}

// 32 values to a block of four bits each: -8 ... 7 times the scale.
HK_INLINE void hk_pack_nibbles(const float *x, hk_q4_0 *out) {
#pragma clang fp contract(off)
    uint32_t peak = 0;
    float extreme = 0;
    for (int i = 0; i < HK_CACHE_BLOCK; i++) {
        const uint32_t magnitude = hk_bits_of_float(x[i]) & 0x7fffffff;
        extreme = magnitude > peak ? x[i] : extreme;
        peak = magnitude > peak ? magnitude : peak;
    }
    const bool finite = peak < 0x7f800000;
    // The value furthest from zero becomes -8, which has no counterpart of the other sign.
    uint16_t half = finite ? hk_half_of_float(extreme / -8.0f) : 0x7e00;
    const float scale = hk_half((const uint8_t *)&half);
    const float inverse = finite && scale != 0 ? 1.0f / scale : 0.0f;
    float products = 0, squares = 0;
    int quants[HK_CACHE_BLOCK];
    for (int i = 0; i < HK_CACHE_BLOCK; i++) {
        float value = (finite ? x[i] : 0.0f) * inverse;
        value = value > 7.0f ? 7.0f : value;
        value = value < -8.0f ? -8.0f : value;
        // As above; the result is the nearest whole number.
        quants[i] = (int)(hk_bits_of_float(value + 12582912.0f) - 0x4b400000);
        products += (finite ? x[i] : 0.0f) * (float)quants[i];
        squares += (float)(quants[i] * quants[i]);
    }
    // The scale with the least squared error for these numbers.
    const float best = squares > 0 ? products / squares : 0.0f;
    if (finite && squares > 0 && (hk_bits_of_float(best) & 0x7fffffff) < 0x7f800000) half = hk_half_of_float(best);
    memcpy(out->d, &half, sizeof half);
    for (int i = 0; i < 16; i++) out->quants[i] = (uint8_t)((quants[i] + 8) | (quants[i + 16] + 8) << 4);
}

static void hk_pack_row(hk_format format, const float *x, size_t count, void *row) {
    if (format == HK_F32) {
        memcpy(row, x, count * sizeof *x);
    } else if (format == HK_F16) {
        hk_pack_halves(x, count, row);
    } else if (format == HK_Q4_0) {
        hk_q4_0 *blocks = row;
        size_t i = 0;
        for (; i + HK_CACHE_BLOCK <= count; i += HK_CACHE_BLOCK) hk_pack_nibbles(x + i, blocks++);
        if (i < count) {
            float last[HK_CACHE_BLOCK] = {0};
            memcpy(last, x + i, (count - i) * sizeof *x);
            hk_pack_nibbles(last, blocks);
        }
    } else {
        hk_q8_0 *blocks = row;
        size_t i = 0;
        for (; i + HK_CACHE_BLOCK <= count; i += HK_CACHE_BLOCK) hk_pack_block(x + i, blocks++);
        if (i < count) {
            float last[HK_CACHE_BLOCK] = {0};
            memcpy(last, x + i, (count - i) * sizeof *x);
            hk_pack_block(last, blocks);
        }
    }
}

// The scale of a block.
HK_INLINE float hk_cache_scale(const uint8_t *d) {
#ifdef HK_CONVERTS_HALF
    _Float16 half;
    memcpy(&half, d, sizeof half);
    return (float)half;
#else
    return hk_half(d);
#endif
}

// Values first ..< first + count of a row of halves, bytes or nibbles; `first` is a multiple of 32, and `out` has room for
// whole blocks.
HK_INLINE void hk_unpack_row(hk_format format, const uint8_t *row, size_t first, size_t count, float *out) {
    if (format == HK_F16) {
        row += 2 * first;
        size_t c = 0;
        for (; c + HK_LANES <= count; c += HK_LANES) {
            hk_store(out + c, hk_load_weights(HK_F16, row + 2 * c, HK_LANES));
        }
        if (c < count) hk_store_some(out + c, hk_load_weights(HK_F16, row + 2 * c, count - c), count - c);
    } else if (format == HK_Q4_0) {
        typedef uint8_t nibble_vector __attribute__((ext_vector_type(HK_LANES)));
        const hk_q4_0 *block = (const hk_q4_0 *)row + first / HK_CACHE_BLOCK;
        for (size_t c = 0; c < count; c += HK_CACHE_BLOCK, block++) {
            const float scale = hk_cache_scale(block->d);
            for (int i = 0; i < 16; i += HK_LANES) {
                nibble_vector nibbles;
                memcpy(&nibbles, block->quants + i, sizeof nibbles);
                const hk_vector low = __builtin_convertvector(nibbles & 15, hk_vector);
                const hk_vector high = __builtin_convertvector(nibbles >> 4, hk_vector);
                hk_store(out + c + (size_t)i, (low - 8.0f) * scale);
                hk_store(out + c + (size_t)i + 16, (high - 8.0f) * scale);
            }
        }
    } else {
        typedef int8_t byte_vector __attribute__((ext_vector_type(HK_LANES)));
        const hk_q8_0 *block = (const hk_q8_0 *)row + first / HK_CACHE_BLOCK;
        for (size_t c = 0; c < count; c += HK_CACHE_BLOCK, block++) {
            const float scale = hk_cache_scale(block->d);
            for (int i = 0; i < HK_CACHE_BLOCK; i += HK_LANES) {
                byte_vector bytes;
                memcpy(&bytes, block->quants + i, sizeof bytes);
                hk_store(out + c + (size_t)i, __builtin_convertvector(bytes, hk_vector) * scale);
            }
        }
    }
}

// x times a Hadamard matrix over the square root of its size, for each block of the largest power of two that divides `count`.
// It is its own inverse. Sums and differences have the same bits in every set.
static void hk_hadamard(float *x, size_t count) {
#pragma clang fp contract(off)
    const size_t size = count & (~count + 1);
    if (size < 2) return;
    for (float *block = x; block < x + count; block += size) {
        for (size_t half = 1; half < size; half *= 2) {
            for (size_t start = 0; start < size; start += 2 * half) {
                float *low = block + start, *high = low + half;
                size_t i = 0;
                for (; i + HK_LANES <= half; i += HK_LANES) {
                    const hk_vector a = hk_load(low + i), b = hk_load(high + i);
                    hk_store(low + i, a + b);
                    hk_store(high + i, a - b);
                }
                for (; i < half; i++) {
                    const float a = low[i], b = high[i];
                    low[i] = a + b;
                    high[i] = a - b;
                }
            }
        }
    }
    const float factor = 1.0f / __builtin_sqrtf((float)size);
    for (size_t i = 0; i < count; i++) x[i] *= factor;
}

#endif
