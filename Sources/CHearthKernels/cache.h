// Rows of a key/value cache: float32, half precision, or blocks of 32 signed bytes with a scale in half precision (the layout
// of Q8_0). Packing is bit-exact in every set, hence no fused multiply-add there.
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

static void hk_pack_row(hk_format format, const float *x, size_t count, void *row) {
    if (format == HK_F32) {
        memcpy(row, x, count * sizeof *x);
    } else if (format == HK_F16) {
        hk_pack_halves(x, count, row);
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

// Values first ..< first + count of a row of halves or bytes; `first` is a multiple of 32, and `out` has room for whole
// blocks.
HK_INLINE void hk_unpack_row(hk_format format, const uint8_t *row, size_t first, size_t count, float *out) {
    if (format == HK_F16) {
        row += 2 * first;
        size_t c = 0;
        for (; c + HK_LANES <= count; c += HK_LANES) {
            hk_store(out + c, hk_load_weights(HK_F16, row + 2 * c, HK_LANES));
        }
        if (c < count) hk_store_some(out + c, hk_load_weights(HK_F16, row + 2 * c, count - c), count - c);
    } else {
        typedef int8_t byte_vector __attribute__((ext_vector_type(HK_LANES)));
        const hk_q8_0 *block = (const hk_q8_0 *)row + first / HK_CACHE_BLOCK;
        for (size_t c = 0; c < count; c += HK_CACHE_BLOCK, block++) {
#ifdef HK_CONVERTS_HALF
            _Float16 half;
            memcpy(&half, block->d, sizeof half);
            const float scale = (float)half;
#else
            const float scale = hk_half(block->d);
#endif
            for (int i = 0; i < HK_CACHE_BLOCK; i += HK_LANES) {
                byte_vector bytes;
                memcpy(&bytes, block->quants + i, sizeof bytes);
                hk_store(out + c + (size_t)i, __builtin_convertvector(bytes, hk_vector) * scale);
            }
        }
    }
}

#endif
