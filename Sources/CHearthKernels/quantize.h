// Activations to 16-bit integers in two planes, and blocks to floats: both bit-exact in every set, hence no fused
// multiply-add in this file.
#ifndef HK_QUANTIZE_H
#define HK_QUANTIZE_H

#include "blocks.h"

// 256 * 127: the largest magnitude whose high byte fits when the low byte is signed.
#define HK_ACTIVATION_LIMIT 32512.0f

static void hk_quantize_block(
    const float *x, int8_t *hi, int8_t *lo, int32_t *sums, float *scale, float *total) {
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
    *scale = usable ? largest / HK_ACTIVATION_LIMIT : finite ? 0.0f : hk_float_of_bits(0x7fc00000);
    int32_t all = 0;
    for (int group = 0; group < 8; group++) {
        int32_t sum = 0;
        for (int k = 0; k < 4; k++) {
            const int i = 4 * group + k;
            // Adding 1.5 * 2^23 leaves the rounded value in the low bits: no float-to-int conversion to overflow.
            const float shifted = (usable ? x[i] : 0.0f) * inverse + 12582912.0f;
            const int32_t a = (int32_t)(hk_bits_of_float(shifted) - 0x4b400000);
            const int32_t high = (a + 128) >> 8;
            hi[i] = (int8_t)high;
            lo[i] = (int8_t)(a - high * 256);
            sum += a;
        }
        sums[group] = sum;
        all += sum;
    }
    *total = *scale * (float)all;
}

static void hk_quantize(const float *x, size_t count, hk_activation_pair *out) {
    for (size_t i = 0; i < count; i += 64, x += 64, out++) {
        memset(out->padding, 0, sizeof out->padding);
        hk_quantize_block(x, out->hi, out->lo, out->sums, out->scales, out->totals);
        if (count - i >= 64) {
            hk_quantize_block(
                x + 32, out->hi + 32, out->lo + 32, out->sums + 8, out->scales + 1, out->totals + 1);
        } else {
            memset(out->hi + 32, 0, 32);
            memset(out->lo + 32, 0, 32);
            memset(out->sums + 8, 0, 32);
            out->scales[1] = out->totals[1] = 0;
        }
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
