// Functions of one value, over vectors. NaN passes through all of them but HK_NOT and HK_TRUTH, for which it is a value other
// than 0. Errors are a few units in the last place.
#ifndef HK_VISION_FUNCTIONS_H
#define HK_VISION_FUNCTIONS_H

#include <math.h>

#include "vision_vector.h"

// Below this, e^x is no normal number; hk_exp stops there, and a product with a large number would not be near zero.
#define HK_LEAST_EXPONENT -87.33f

HK_INLINE hk_vector hk_sigmoid(hk_vector x) {
    const hk_vector y = 1.0f / (1.0f + hk_exp(-x));
    return x < HK_LEAST_EXPONENT ? (hk_vector)0.0f : y;
}

// Rarely met functions go to the C library, lane by lane.
HK_INLINE hk_vector hk_each(hk_vector x, float (*f)(float)) {
    float lanes[HK_LANES];
    memcpy(lanes, &x, sizeof x);
    for (int i = 0; i < HK_LANES; i++) lanes[i] = f(lanes[i]);
    return hk_load(lanes);
}

static float hk_log_one_plus_exp(float x) {
    return fmaxf(x, 0) + log1pf(expf(-fabsf(x)));
}

// erfc(|x|) = e^(-x^2) t q(t) with t = 1 / (1 + |x| / 2); scripts/fit-erf.py made both polynomials.
HK_INLINE hk_vector hk_erfc_of_magnitude(hk_vector x) {
    const hk_vector t = 1.0f / (1.0f + 0.5f * __builtin_elementwise_abs(x));
    hk_vector q = 0.0154464246f * t - 0.138722607f;
    q = q * t + 0.461040788f;
    q = q * t - 0.706877168f;
    q = q * t + 0.446779586f;
    q = q * t - 0.109197147f;
    q = q * t + 0.228339106f;
    q = q * t + 0.238243389f;
    q = q * t + 0.282883511f;
    q = q * t + 0.282064109f;
    const hk_vector exponent = -(x * x);
    return exponent < HK_LEAST_EXPONENT ? (hk_vector)0.0f : hk_exp(exponent) * (t * q);
}

HK_INLINE hk_vector hk_erf(hk_vector x) {
    const hk_vector u = x * x;
    hk_vector p = 7.87587506e-5f * u - 8.01686429e-4f;
    p = p * u + 5.18908742e-3f;
    p = p * u - 2.6854212e-2f;
    p = p * u + 0.112835947f;
    p = p * u - 0.376126267f;
    p = p * u + 1.12837917f;
    const hk_vector tail = 1.0f - hk_erfc_of_magnitude(x);
    return u < 1.0f ? x * p : (x < 0.0f ? -tail : tail);
}

// By erfc, so that negative values keep their relative accuracy.
HK_INLINE hk_vector hk_gelu_exact(hk_vector x) {
    const hk_vector half_tail = 0.5f * hk_erfc_of_magnitude(x * 0.70710678118654752f);
    return x * (x < 0.0f ? half_tail : 1.0f - half_tail);
}

HK_INLINE hk_vector hk_gelu_by_tanh(hk_vector x) {
    const hk_vector z = 1.5957691216057308f * (x + 0.044715f * x * x * x), y = x / (1.0f + hk_exp(-z));
    return z < HK_LEAST_EXPONENT ? 0.0f * x : y;
}

// e^x - 1 for negative x, without cancellation near 0: tanh(x / 2) (e^x + 1).
HK_INLINE hk_vector hk_exp_less_one(hk_vector x) {
    return hk_tanh(0.5f * x) * (hk_exp(x) + 1.0f);
}

// The line crosses 0 at -b / a, and a x + b loses its digits there; a (x + b / a) keeps them.
HK_INLINE hk_vector hk_hard(hk_vector x, float a, float b) {
    const float shift = b / a;
    const hk_vector line = __builtin_isfinite(shift) ? a * (x + shift) : a * x + b;
    return hk_min((hk_vector)1.0f, hk_max((hk_vector)0.0f, line));
}

HK_INLINE hk_vector hk_sign(hk_vector x) {
    const hk_vector negative = x < 0.0f ? (hk_vector)-1.0f : x;
    return x > 0.0f ? (hk_vector)1.0f : negative;
}

// Of a comparison.
HK_INLINE hk_vector hk_truth(hk_integers holds) {
    return holds ? (hk_vector)1.0f : (hk_vector)0.0f;
}

HK_INLINE hk_vector hk_function_of(hk_function function, float a, float b, hk_vector x) {
    const hk_vector zero = 0, low = a, high = b;
    switch (function) {
    case HK_IDENTITY: case HK_FUNCTIONS: return x;
    case HK_RELU: return hk_max(zero, x);
    case HK_CLIP: return hk_min(high, hk_max(low, x));
    case HK_LEAKY_RELU: return x < zero ? a * x : x;
    case HK_THRESHOLDED: return x < low ? zero : x;
    case HK_CLAMPED_RELU: return hk_min(high, x < zero ? a * x : x);
    case HK_LINEAR: return a * x + b;
    case HK_SIGMOID: return hk_sigmoid(x);
    case HK_HARD_SIGMOID: return hk_hard(x, a, b);
    case HK_HARD_SWISH: return x * hk_hard(x, a, b);
    case HK_SILU: return x * hk_sigmoid(x);
    case HK_GELU: return hk_gelu_exact(x);
    case HK_GELU_TANH: return hk_gelu_by_tanh(x);
    case HK_GELU_SIGMOID: return x * hk_sigmoid(1.702f * x);
    case HK_TANH: return hk_tanh(x);
    case HK_SCALED_TANH: return a * hk_tanh(b * x);
    case HK_ELU: return x < zero ? a * hk_exp_less_one(x) : x;
    case HK_SOFTPLUS: return hk_each(x, hk_log_one_plus_exp);
    case HK_SOFTSIGN: return x / (1.0f + __builtin_elementwise_abs(x));
    case HK_EXP: return hk_each(x, expf);
    case HK_LOG: return hk_each(x + a, logf);
    case HK_SQRT: return __builtin_elementwise_sqrt(x);
    case HK_RSQRT: return 1.0f / __builtin_elementwise_sqrt(x + a);
    case HK_INVERSE: return 1.0f / (x + a);
    case HK_ERF: return hk_erf(x);
    case HK_ABS: return __builtin_elementwise_abs(x);
    case HK_SQUARE: return x * x;
    case HK_FLOOR: return hk_each(x, floorf);
    case HK_CEIL: return hk_each(x, ceilf);
    case HK_ROUND: return hk_each(x, rintf);
    case HK_SIGN: return hk_sign(x);
    case HK_NOT: return hk_truth(x == zero);
    case HK_TRUNCATE: return __builtin_elementwise_trunc(x);
    case HK_TRUTH: return hk_truth(x != zero);
    }
    return x;
}

// The switch is taken once for the whole stretch: every case has its own loop.
#define HK_APPLY_CASE(name)                                                                                           \
    case name:                                                                                                        \
        for (; i + HK_LANES <= count; i += HK_LANES) hk_store(y + i, hk_function_of(name, a, b, hk_load(x + i)));     \
        if (i < count) {                                                                                              \
            hk_store_some(y + i, hk_function_of(name, a, b, hk_load_some(x + i, count - i)), count - i);              \
        }                                                                                                             \
        break;

static __attribute__((noinline)) void hk_apply(
    hk_function function, float a, float b, const float *x, size_t count, float *y) {
    size_t i = 0;
    switch (function) {
        HK_APPLY_CASE(HK_IDENTITY) HK_APPLY_CASE(HK_RELU) HK_APPLY_CASE(HK_CLIP) HK_APPLY_CASE(HK_LEAKY_RELU)
        HK_APPLY_CASE(HK_THRESHOLDED) HK_APPLY_CASE(HK_CLAMPED_RELU) HK_APPLY_CASE(HK_LINEAR)
        HK_APPLY_CASE(HK_SIGMOID) HK_APPLY_CASE(HK_HARD_SIGMOID) HK_APPLY_CASE(HK_HARD_SWISH)
        HK_APPLY_CASE(HK_SILU) HK_APPLY_CASE(HK_GELU) HK_APPLY_CASE(HK_GELU_TANH) HK_APPLY_CASE(HK_GELU_SIGMOID)
        HK_APPLY_CASE(HK_TANH) HK_APPLY_CASE(HK_SCALED_TANH) HK_APPLY_CASE(HK_ELU) HK_APPLY_CASE(HK_SOFTPLUS)
        HK_APPLY_CASE(HK_SOFTSIGN) HK_APPLY_CASE(HK_EXP) HK_APPLY_CASE(HK_LOG) HK_APPLY_CASE(HK_SQRT)
        HK_APPLY_CASE(HK_RSQRT) HK_APPLY_CASE(HK_INVERSE) HK_APPLY_CASE(HK_ERF) HK_APPLY_CASE(HK_ABS)
        HK_APPLY_CASE(HK_SQUARE) HK_APPLY_CASE(HK_FLOOR) HK_APPLY_CASE(HK_CEIL) HK_APPLY_CASE(HK_ROUND)
        HK_APPLY_CASE(HK_SIGN) HK_APPLY_CASE(HK_NOT) HK_APPLY_CASE(HK_TRUNCATE) HK_APPLY_CASE(HK_TRUTH)
    case HK_FUNCTIONS: break;
    }
}

// What of an epilogue is left once a clamp and a residual before it are done: `count` values stored at y.
HK_INLINE bool hk_has_finish(const hk_epilogue *epilogue) {
    return !hk_clamp_of(epilogue->function, epilogue->a, epilogue->b).is_clamp
        || (epilogue->residual && epilogue->residual_after);
}

static __attribute__((noinline)) void hk_finish(
    const hk_epilogue *epilogue, const float *residual, size_t count, float *y) {
    if (!hk_clamp_of(epilogue->function, epilogue->a, epilogue->b).is_clamp) {
        hk_apply(epilogue->function, epilogue->a, epilogue->b, y, count, y);
    }
    if (epilogue->residual_after && residual) {
        for (size_t i = 0; i < count; i++) y[i] += residual[i];
    }
}

#endif
