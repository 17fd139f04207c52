// Activations to 16-bit integers in two planes, and blocks to floats: both bit-exact in every set, hence no fused
// multiply-add in this file.
#ifndef HK_QUANTIZE_H
#define HK_QUANTIZE_H

#include "blocks.h"

// 256 * 127: the largest magnitude whose high byte fits when the low byte is signed.
#define HK_ACTIVATION_LIMIT 32512.0f

// Fills half `half` of a pair from 32 values.
HK_INLINE void hk_quantize_block(const float *x, hk_activation_pair *out, int half) {
#pragma clang fp contract(off)
    // As integers, magnitudes order like floats and NaN comes last, so one maximum finds what is not finite too.
    uint32_t peak = 0;
    for (int i = 0; i < 32; i++) {
        const uint32_t magnitude = hk_bits_of_float(x[i]) & 0x7fffffff;
        peak = magnitude > peak ? magnitude : peak;
    }
    const float largest = hk_float_of_bits(peak);
    // Below 1e-33 the inverse would overflow: such a block is zero. NaN and infinity travel in the scale and make
    // every product with this block NaN.
    const bool finite = peak < 0x7f800000, usable = finite && largest >= 1e-33f;
    const float inverse = usable ? HK_ACTIVATION_LIMIT / largest : 0.0f;
    const float scale = usable ? largest / HK_ACTIVATION_LIMIT : finite ? 0.0f : hk_float_of_bits(0x7fc00000);
    int32_t integers[32];
    for (int i = 0; i < 32; i++) {
        // Adding 1.5 * 2^23 leaves the rounded value in the low bits: no float-to-int conversion to overflow.
        const float shifted = (usable ? x[i] : 0.0f) * inverse + 12582912.0f;
        integers[i] = (int32_t)(hk_bits_of_float(shifted) - 0x4b400000);
    }
    for (int i = 0; i < 32; i++) {
        const int32_t high = (integers[i] + 128) >> 8;
        out->hi[32 * half + i] = (int8_t)high;
        out->lo[32 * half + i] = (int8_t)(integers[i] - high * 256);
    }
    int32_t sums[2] = {0, 0};
    for (int group = 0; group < 8; group++) {
        const int32_t *a = integers + 4 * group;
        int16_t *words = out->words + 32 * half + 4 * group;
        words[0] = (int16_t)a[0], words[1] = (int16_t)a[2], words[2] = (int16_t)a[1], words[3] = (int16_t)a[3];
        const int32_t sum = a[0] + a[1] + a[2] + a[3];
        out->sums[8 * half + group] = sum;
        sums[group / 4] += sum;
    }
    const int32_t all = sums[0] + sums[1];
    out->scales[half] = scale;
    out->totals[half] = scale * (float)all;
    out->starts[HK_STARTS_0 + half] = 0;
    out->starts[HK_STARTS_8 + half] = -8 * all;
    out->starts[HK_STARTS_16 + half] = -16 * all;
    for (int i = 0; i < 2; i++) out->starts[HK_STARTS_32 + 2 * half + i] = -32 * sums[i];
}

static void hk_quantize(const float *x, size_t count, hk_activation_pair *first, size_t step_stride) {
    for (size_t i = 0; i < count; i += 64, x += 64) {
        hk_activation_pair *out = first + i / HK_STEP * step_stride + i % HK_STEP / 64;
        memset(out->padding, 0, sizeof out->padding);
        hk_quantize_block(x, out, 0);
        const float zeros[32] = {0};
        hk_quantize_block(count - i >= 64 ? x + 32 : zeros, out, 1);
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
            hk_decode(format, bytes, &block);
            for (size_t j = 0; j < values; j++) {
                // Without a minimum nothing is added: -0 would become 0.
                const float value = block.scales[j / 16] * (float)block.quants[j];
                out[j] = has_minimum ? value + block.minimums[j / 32] : value;
            }
        }
    }
}

#endif
