// Activations to 16-bit integers in the set's form, and blocks to floats: both bit-exact in every set, hence no fused
// multiply-add in this file.
#ifndef HK_QUANTIZE_H
#define HK_QUANTIZE_H

#include "decode.h"

typedef float hk_sixteen_floats __attribute__((vector_size(64)));
typedef int32_t hk_sixteen_integers __attribute__((vector_size(64)));
typedef int16_t hk_sixteen_words __attribute__((vector_size(32)));
typedef int8_t hk_sixteen_bytes __attribute__((vector_size(16)));
typedef int32_t hk_eight_integers __attribute__((vector_size(32)));

// The largest magnitude with which 32 products with values in -8...7 still fit the mantissa of a float, which saves its
// conversion; see HK_START_8.
#define HK_ACTIVATION_LIMIT 16384.0f

// What turns the values of a step into integers, and back.
typedef struct {
    float scale, inverse;
    bool usable;  // else every integer is 0
} hk_step_scale;

HK_INLINE hk_step_scale hk_scale_of(const float *x, size_t count) {
#pragma clang fp contract(off)
    // As integers, magnitudes order like floats and NaN comes last, so one maximum finds what is not finite too.
    uint32_t peak = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t magnitude = hk_bits_of_float(x[i]) & 0x7fffffff;
        peak = magnitude > peak ? magnitude : peak;
    }
    const float largest = hk_float_of_bits(peak);
    // Below 1e-33 the inverse would overflow: such a step is zero. NaN and infinity travel in the scale and make
    // every product with this step NaN.
    const bool finite = peak < 0x7f800000, usable = finite && largest >= 1e-33f;
    return (hk_step_scale){
        usable ? largest / HK_ACTIVATION_LIMIT : finite ? 0.0f : hk_float_of_bits(0x7fc00000),
        usable ? HK_ACTIVATION_LIMIT / largest : 0.0f, usable};
}

// Integers of values first ..< first + 16 of a pair, in the set's form.
// (Vectors go by address: their way as arguments differs between sets.)
HK_INLINE void hk_store_integers(const hk_sixteen_integers *values, hk_activation_pair *out, int first) {
    const hk_sixteen_integers integers = *values;
#if HK_MULTIPLIES_WORDS
    const hk_sixteen_words words = __builtin_convertvector(
        __builtin_shufflevector(integers, integers, 0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11, 12, 14, 13, 15),
        hk_sixteen_words);
    memcpy(out->words + first, &words, sizeof words);
#else
    const hk_sixteen_integers high = (integers + 128) >> 8, low = integers - high * 256;
    const hk_sixteen_bytes planes[2] = {
        __builtin_convertvector(high, hk_sixteen_bytes), __builtin_convertvector(low, hk_sixteen_bytes)};
    memcpy(out->hi + first, &planes[0], sizeof planes[0]);
    memcpy(out->lo + first, &planes[1], sizeof planes[1]);
#endif
}

// Fills half `half` of a pair from 32 values.
HK_INLINE void hk_quantize_block(const float *x, hk_step_scale step, hk_activation_pair *out, int half) {
#pragma clang fp contract(off)
    hk_sixteen_integers integers[2];
    for (int i = 0; i < 2; i++) {
        hk_sixteen_floats values = {0};
        if (step.usable) memcpy(&values, x + 16 * i, sizeof values);
        // Adding 1.5 * 2^23 leaves the rounded value in the low bits: no float-to-int conversion to overflow.
        const hk_sixteen_floats shifted = values * step.inverse + 12582912.0f;
        memcpy(&integers[i], &shifted, sizeof shifted);
        integers[i] -= 0x4b400000;
        hk_store_integers(&integers[i], out, 32 * half + 16 * i);
    }
    const hk_eight_integers fours =
        __builtin_shufflevector(integers[0], integers[1], 0, 4, 8, 12, 16, 20, 24, 28)
        + __builtin_shufflevector(integers[0], integers[1], 1, 5, 9, 13, 17, 21, 25, 29)
        + __builtin_shufflevector(integers[0], integers[1], 2, 6, 10, 14, 18, 22, 26, 30)
        + __builtin_shufflevector(integers[0], integers[1], 3, 7, 11, 15, 19, 23, 27, 31);
    const int32_t sums[2] = {fours[0] + fours[1] + fours[2] + fours[3], fours[4] + fours[5] + fours[6] + fours[7]};
    out->totals[half] = (float)(sums[0] + sums[1]);
#if HK_MULTIPLIES_WORDS
    out->starts[HK_STARTS_0 + half] = 0;
    out->starts[HK_STARTS_8 + half] = HK_START_8 - 8 * (sums[0] + sums[1]);
    out->starts[HK_STARTS_16 + half] = -16 * (sums[0] + sums[1]);
    for (int i = 0; i < 2; i++) out->starts[HK_STARTS_32 + 2 * half + i] = -32 * sums[i];
#else
    memcpy(out->sums + 8 * half, &fours, sizeof fours);
#endif
}

static void hk_quantize(const float *x, size_t count, void *first, size_t step_stride) {
    hk_step_scale step = {0};
    for (size_t i = 0; i < count; i += 64, x += 64) {
        if (i % HK_STEP == 0) step = hk_scale_of(x, count - i < HK_STEP ? count - i : HK_STEP);
        hk_activation_pair *out = (hk_activation_pair *)first + i / HK_STEP * step_stride + i % HK_STEP / 64;
        memset(out->padding, 0, sizeof out->padding);
        out->scale = step.scale;
        hk_quantize_block(x, step, out, 0);
        const float zeros[32] = {0};
        hk_quantize_block(count - i >= 64 ? x + 32 : zeros, step, out, 1);
    }
}

static void hk_dequantize(hk_format format, const void *blocks, size_t count, float *out) {
#pragma clang fp contract(off)
    const uint8_t *bytes = blocks;
    if (format == HK_F32) {
        memcpy(out, bytes, count * sizeof *out);
    } else if (format == HK_F16) {
        for (size_t i = 0; i < count; i++) out[i] = hk_half(bytes + 2 * i);
    } else if (format == HK_BF16) {
        for (size_t i = 0; i < count; i++) out[i] = hk_bfloat(bytes + 2 * i);
    } else {
        const size_t values = hk_block_values(format), stride = hk_block_bytes(format);
        const bool has_minimum = hk_has_minimum(format);
        for (; count > 0; count -= values, bytes += stride, out += values) {
            hk_decoded block;
            hk_decode(format, bytes, values, &block);
            for (size_t j = 0; j < values; j++) {
                // Without a minimum nothing is added: -0 would become 0.
                const float value = block.scales[j / 16] * (float)block.quants[j];
                out[j] = has_minimum ? value + block.minimums[j / 16] : value;
            }
        }
    }
}

#endif
