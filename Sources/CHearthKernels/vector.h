// Float vectors of HK_LANES lanes, in the compiler's own vector types: the float operations are written once and
// compile to the instructions of the set that includes them. An including file defines HK_LANES, and
// HK_CONVERTS_HALF where the processor converts half precision.
#ifndef HK_VECTOR_H
#define HK_VECTOR_H

#include "blocks.h"

#define HK_UNROLL _Pragma("clang loop unroll(full)")

typedef float hk_vector __attribute__((ext_vector_type(HK_LANES)));
typedef int32_t hk_integers __attribute__((ext_vector_type(HK_LANES)));
typedef uint32_t hk_words __attribute__((ext_vector_type(HK_LANES)));
typedef uint16_t hk_halves __attribute__((ext_vector_type(HK_LANES)));

HK_INLINE hk_vector hk_load(const float *p) {
    hk_vector v;
    memcpy(&v, p, sizeof v);
    return v;
}

HK_INLINE void hk_store(float *p, hk_vector v) {
    memcpy(p, &v, sizeof v);
}

// A partial vector, the rest zero: rows may end where the mapped file ends.
HK_INLINE hk_vector hk_load_some(const float *p, size_t count) {
    hk_vector v = 0;
    memcpy(&v, p, count * sizeof *p);
    return v;
}

HK_INLINE void hk_store_some(float *p, hk_vector v, size_t count) {
    memcpy(p, &v, count * sizeof *p);
}

HK_INLINE hk_words hk_as_words(hk_vector v) {
    return (hk_words)v;
}

HK_INLINE hk_vector hk_as_vector(hk_words v) {
    return (hk_vector)v;
}

// By comparison: NaN in `a` gives `b`.
HK_INLINE hk_vector hk_min(hk_vector a, hk_vector b) {
    return a < b ? a : b;
}

HK_INLINE hk_vector hk_max(hk_vector a, hk_vector b) {
    return a > b ? a : b;
}

// NaN in either stays.
HK_INLINE hk_vector hk_max_or_nan(hk_vector a, hk_vector b) {
    return a > b || a != a ? a : b;
}

// Half by half, in every set: the order is part of the result.
HK_INLINE float hk_sum(hk_vector v) {
#if HK_LANES == 16
    const float __attribute__((ext_vector_type(8))) eight = v.lo + v.hi;
    const float __attribute__((ext_vector_type(4))) four = eight.lo + eight.hi;
#elif HK_LANES == 8
    const float __attribute__((ext_vector_type(4))) four = v.lo + v.hi;
#else
    const hk_vector four = v;
#endif
    const float __attribute__((ext_vector_type(2))) two = four.lo + four.hi;
    return two.x + two.y;
}

// Weights of a dense format, converted exactly.
HK_INLINE hk_vector hk_load_weights(hk_format format, const uint8_t *p, size_t count) {
    if (format == HK_F32) {
        hk_vector v = 0;
        memcpy(&v, p, count * 4);
        return v;
    }
    hk_halves halves = 0;
    memcpy(&halves, p, count * 2);
    if (format == HK_BF16) return hk_as_vector(__builtin_convertvector(halves, hk_words) << 16);
#ifdef HK_CONVERTS_HALF
    typedef _Float16 half_vector __attribute__((ext_vector_type(HK_LANES)));
    return __builtin_convertvector((half_vector)halves, hk_vector);
#else
    // hk_half lane by lane.
    const hk_words words = __builtin_convertvector(halves, hk_words), magnitude = words & 0x7fff;
    const hk_words finite = hk_as_words(hk_as_vector(magnitude << 13) * 0x1p112f);
    const hk_words special = 0x7f800000 | magnitude << 13 | ((hk_words)(magnitude > 0x7c00) & 0x400000);
    const hk_words is_special = (hk_words)(magnitude >= 0x7c00);
    return hk_as_vector((is_special & special) | (~is_special & finite) | (words & 0x8000) << 16);
#endif
}

// e^x to about 1e-7 relative. Below -87 it is 0, above 88 it stays at e^88; NaN stays NaN.
HK_INLINE hk_vector hk_exp(hk_vector x) {
    const hk_vector low = -87.0f, high = 88.0f;
    const hk_vector clamped = hk_min(high, hk_max(low, x));
    // x = n * ln 2 + r; adding 1.5 * 2^23 rounds n to the low bits of the sum, with no float-to-int conversion.
    const hk_vector magic = 12582912.0f;
    const hk_vector shifted = clamped * 1.44269504088896341f + magic;
    const hk_vector n = shifted - magic;
    hk_vector r = clamped - n * 0.693359375f;
    r = r + n * 2.12194440e-4f;
    hk_vector p = 1.9875691500e-4f * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * (r * r) + (r + 1.0f);
    const hk_vector power = hk_as_vector((hk_as_words(shifted) - hk_as_words(magic) + 127) << 23);
    const hk_vector result = x < low ? (hk_vector)0.0f : p * power;
    return x == x ? result : x;
}

// tanh to about 2e-7 relative: a polynomial near zero, where 1 - 2 / (e^2x + 1) would cancel.
HK_INLINE hk_vector hk_tanh(hk_vector x) {
    const hk_vector z = x * x;
    hk_vector p = -5.70498872745e-3f * z + 2.06390887954e-2f;
    p = p * z - 5.37397155531e-2f;
    p = p * z + 1.33314422036e-1f;
    p = p * z - 3.33332819422e-1f;
    const hk_vector near = p * z * x + x;
    const hk_vector far = 1.0f - 2.0f / (hk_exp(x + x) + 1.0f);
    return z < 0.390625f ? near : far;
}

#endif
