// Element-wise float operations and norms, for the lanes of the including set.
#ifndef HK_FLOAT_OPS_H
#define HK_FLOAT_OPS_H

#include "vector.h"

// mean((x - center)^2), summed in four independent vectors.
HK_INLINE float hk_mean_square(const float *x, size_t count, float center) {
    hk_vector sums[4] = {0, 0, 0, 0};
    size_t i = 0;
    for (; i + 4 * HK_LANES <= count; i += 4 * HK_LANES) {
        for (int k = 0; k < 4; k++) {
            const hk_vector v = hk_load(x + i + (size_t)k * HK_LANES) - center;
            sums[k] += v * v;
        }
    }
    for (; i + HK_LANES <= count; i += HK_LANES) {
        const hk_vector v = hk_load(x + i) - center;
        sums[0] += v * v;
    }
    if (i < count) {
        // Lanes past the end stay zero.
        hk_vector v = 0;
        for (size_t k = 0; i + k < count; k++) v[k] = x[i + k] - center;
        sums[0] += v * v;
    }
    return hk_sum((sums[0] + sums[1]) + (sums[2] + sums[3])) / (float)count;
}

static float hk_inverse_rms(const float *x, size_t count, float epsilon) {
    return 1.0f / __builtin_elementwise_sqrt(hk_mean_square(x, count, 0.0f) + epsilon);
}

static void hk_rms_norm(const float *x, const float *gain, size_t count, float epsilon, float *out) {
    const float scale = hk_inverse_rms(x, count, epsilon);
    size_t i = 0;
    for (; i + HK_LANES <= count; i += HK_LANES) {
        const hk_vector v = hk_load(x + i) * scale;
        hk_store(out + i, gain ? v * hk_load(gain + i) : v);
    }
    for (; i < count; i++) out[i] = x[i] * scale * (gain ? gain[i] : 1.0f);
}

static void hk_add_rms_norm(float *h, const float *x, const float *gain, size_t count, float epsilon) {
    const float scale = hk_inverse_rms(x, count, epsilon);
    size_t i = 0;
    for (; i + HK_LANES <= count; i += HK_LANES) {
        const hk_vector v = hk_load(x + i) * scale;
        hk_store(h + i, hk_load(h + i) + (gain ? v * hk_load(gain + i) : v));
    }
    for (; i < count; i++) h[i] += x[i] * scale * (gain ? gain[i] : 1.0f);
}

static void hk_add(float *h, const float *x, size_t count) {
    size_t i = 0;
    for (; i + HK_LANES <= count; i += HK_LANES) hk_store(h + i, hk_load(h + i) + hk_load(x + i));
    for (; i < count; i++) h[i] += x[i];
}

static void hk_add_scaled(float *h, const float *x, float factor, size_t count) {
    size_t i = 0;
    for (; i + HK_LANES <= count; i += HK_LANES) hk_store(h + i, hk_load(h + i) + hk_load(x + i) * factor);
    for (; i < count; i++) h[i] += x[i] * factor;
}

static void hk_scale(float *x, float factor, size_t count) {
    size_t i = 0;
    for (; i + HK_LANES <= count; i += HK_LANES) hk_store(x + i, hk_load(x + i) * factor);
    for (; i < count; i++) x[i] *= factor;
}

static void hk_multiply_each(const float *x, const float *y, size_t count, float *out) {
    size_t i = 0;
    for (; i + HK_LANES <= count; i += HK_LANES) hk_store(out + i, hk_load(x + i) * hk_load(y + i));
    for (; i < count; i++) out[i] = x[i] * y[i];
}

static void hk_match_rms(float *x, const float *target, size_t count, float floor) {
    const float found = hk_mean_square(x, count, 0.0f), wanted = hk_mean_square(target, count, 0.0f);
    // Written so that NaN stays NaN.
    hk_scale(x, __builtin_elementwise_sqrt(wanted / (found < floor ? floor : found)), count);
}

static void hk_cut_below(float *x, size_t count, float deviations) {
    hk_vector sums = 0;
    size_t i = 0;
    for (; i + HK_LANES <= count; i += HK_LANES) sums += hk_load(x + i);
    if (i < count) sums += hk_load_some(x + i, count - i);
    const float mean = hk_sum(sums) / (float)count;
    const float limit = mean + deviations * __builtin_elementwise_sqrt(hk_mean_square(x, count, mean));
    for (i = 0; i + HK_LANES <= count; i += HK_LANES) {
        // In this order NaN stays NaN.
        hk_store(x + i, hk_max((hk_vector)0.0f, hk_load(x + i) - limit));
    }
    for (; i < count; i++) x[i] = 0 > x[i] - limit ? 0 : x[i] - limit;
}

// gelu(z) = z / 2 * (1 + tanh(u)) = z / (1 + e^(-2u)), which keeps its relative accuracy for negative z.
HK_INLINE hk_vector hk_gelu(hk_vector z) {
    const hk_vector u = 0.7978845608028654f * (z + 0.044715f * z * z * z);
    return z / (1.0f + hk_exp(-2.0f * u));
}

static void hk_gated_gelu(const float *gate, const float *up, size_t count, float *out) {
    size_t i = 0;
    for (; i + HK_LANES <= count; i += HK_LANES) hk_store(out + i, hk_gelu(hk_load(gate + i)) * hk_load(up + i));
    if (i < count) {
        const hk_vector v = hk_gelu(hk_load_some(gate + i, count - i)) * hk_load_some(up + i, count - i);
        hk_store_some(out + i, v, count - i);
    }
}

static void hk_soft_cap(float *x, size_t count, float cap) {
    const float inverse = 1.0f / cap;
    size_t i = 0;
    for (; i + HK_LANES <= count; i += HK_LANES) hk_store(x + i, cap * hk_tanh(hk_load(x + i) * inverse));
    if (i < count) hk_store_some(x + i, cap * hk_tanh(hk_load_some(x + i, count - i) * inverse), count - i);
}

static void hk_rotate(float *x, const float *cosines, const float *sines, size_t half) {
    size_t i = 0;
    for (; i + HK_LANES <= half; i += HK_LANES) {
        const hk_vector u = hk_load(x + i), v = hk_load(x + half + i);
        const hk_vector c = hk_load(cosines + i), s = hk_load(sines + i);
        hk_store(x + i, u * c - v * s);
        hk_store(x + half + i, v * c + u * s);
    }
    for (; i < half; i++) {
        const float u = x[i], v = x[half + i];
        x[i] = u * cosines[i] - v * sines[i];
        x[half + i] = v * cosines[i] + u * sines[i];
    }
}

#endif
