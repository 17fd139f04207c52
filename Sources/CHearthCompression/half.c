// Half precision by its bits: not every compiler target has the type.
#include "CHearthCompression.h"

#include <string.h>

static float from_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t to_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

float hc_half_to_float(uint16_t bits)
{
    uint32_t sign = (uint32_t)(bits & 0x8000) << 16, exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
    if (exponent == 0x1f) return from_bits(sign | 0x7f800000 | fraction << 13);
    if (exponent == 0) {
        float value = (float)fraction * 0x1p-24f;
        return sign ? -value : value;
    }
    return from_bits(sign | (exponent + 112) << 23 | fraction << 13);
}

uint16_t hc_half_from_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint16_t sign = (uint16_t)(bits >> 48 & 0x8000);
    bits &= 0x7fffffffffffffff;
    if (bits > 0x7ff0000000000000) return sign | 0x7e00;
    double magnitude;
    memcpy(&magnitude, &bits, sizeof magnitude);
    if (magnitude < 0x1p-14) {
        // Multiples of 2^-24: adding this number rounds to them, ties to even.
        double rounded = magnitude + 0x1.8p28 - 0x1.8p28;
        return sign | (uint16_t)(rounded * 0x1p24);
    }
    // The first ten bits of the fraction stay.
    bits += 0x1ffffffffff + (bits >> 42 & 1);
    int exponent = (int)(bits >> 52) - 1023 + 15;
    if (exponent >= 31) return sign | 0x7c00;
    return sign | (uint16_t)(exponent << 10) | (uint16_t)(bits >> 42 & 0x3ff);
}

void hc_halves_to_floats(const uint16_t *bits, size_t count, float *out)
{
    for (size_t i = 0; i < count; i++) {
        // Without branches: half's exponent and fraction moved up are a float that is too small by 2^112.
        uint32_t half = bits[i], shifted = (half & 0x7fff) << 13;
        float value = from_bits(shifted) * 0x1p112f;
        uint32_t special = (half & 0x7c00) == 0x7c00 ? 0x7f800000 | (half & 0x3ff) << 13 : to_bits(value);
        out[i] = from_bits(special | (half & 0x8000) << 16);
    }
}

size_t hc_floats_to_halves(const float *values, size_t count, uint16_t *out)
{
    size_t infinite = 0;
    for (size_t i = 0; i < count; i++) {
        out[i] = hc_half_from_double(values[i]);
        infinite += (out[i] & 0x7fff) == 0x7c00;
    }
    return infinite;
}

size_t hc_first_not_finite(const float *values, size_t count)
{
    size_t start = 0;
    for (; start < count; start += 4096) {
        size_t end = count - start < 4096 ? count : start + 4096;
        int bad = 0;
        for (size_t i = start; i < end; i++) bad |= (to_bits(values[i]) & 0x7f800000) == 0x7f800000;
        if (!bad) continue;
        for (size_t i = start; i < end; i++)
            if ((to_bits(values[i]) & 0x7f800000) == 0x7f800000) return i;
    }
    return count;
}

size_t hc_first_half_not_finite(const uint16_t *bits, size_t count)
{
    for (size_t start = 0; start < count; start += 4096) {
        size_t end = count - start < 4096 ? count : start + 4096;
        int bad = 0;
        for (size_t i = start; i < end; i++) bad |= (bits[i] & 0x7c00) == 0x7c00;
        if (!bad) continue;
        for (size_t i = start; i < end; i++)
            if ((bits[i] & 0x7c00) == 0x7c00) return i;
    }
    return count;
}

void hc_bfloats_to_floats(const uint16_t *bits, size_t count, float *out)
{
    for (size_t i = 0; i < count; i++) out[i] = from_bits((uint32_t)bits[i] << 16);
}
