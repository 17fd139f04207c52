// Functions of whole rows: softmax, reductions, layer norm. `stride` neighbours are worked on side by side.
#ifndef HK_VISION_ROWS_H
#define HK_VISION_ROWS_H

#include "vision_functions.h"

HK_INLINE float hk_fold_max(hk_vector v) {
    float lanes[HK_LANES];
    memcpy(lanes, &v, sizeof v);
    for (int i = 1; i < HK_LANES; i++) lanes[0] = lanes[i] > lanes[0] || lanes[i] != lanes[i] ? lanes[i] : lanes[0];
    return lanes[0];
}

static float hk_row_max(const float *x, size_t count) {
    hk_vector best = -__builtin_inff();
    size_t i = 0;
    for (; i + HK_LANES <= count; i += HK_LANES) best = hk_max(best, hk_load(x + i));
    float most = hk_fold_max(best);
    for (; i < count; i++) most = x[i] > most ? x[i] : most;
    return most;
}

static void hk_softmax_row(const float *x, size_t count, float *y) {
    const float most = hk_row_max(x, count);
    hk_vector sums = 0;
    float sum = 0;
    size_t i = 0;
    for (; i + HK_LANES <= count; i += HK_LANES) {
        const hk_vector v = hk_exp(hk_load(x + i) - most);
        hk_store(y + i, v);
        sums += v;
    }
    if (i < count) {
        hk_store_some(y + i, hk_exp(hk_load_some(x + i, count - i) - most), count - i);
        for (size_t k = i; k < count; k++) sum += y[k];
    }
    const float scale = 1.0f / (sum + hk_sum(sums));
    for (i = 0; i + HK_LANES <= count; i += HK_LANES) hk_store(y + i, hk_load(y + i) * scale);
    for (; i < count; i++) y[i] *= scale;
}

// Columns `lanes` wide of x[count][stride].
HK_INLINE void hk_softmax_columns(const float *x, size_t count, size_t stride, size_t lanes, float *y) {
    hk_vector most = -__builtin_inff(), sum = 0;
    for (size_t i = 0; i < count; i++) most = hk_max(most, hk_load_some(x + i * stride, lanes));
    for (size_t i = 0; i < count; i++) {
        const hk_vector v = hk_exp(hk_load_some(x + i * stride, lanes) - most);
        hk_store_some(y + i * stride, v, lanes);
        sum += v;
    }
    const hk_vector scale = 1.0f / sum;
    for (size_t i = 0; i < count; i++) {
        hk_store_some(y + i * stride, hk_load_some(y + i * stride, lanes) * scale, lanes);
    }
}

static void hk_softmax(const float *x, size_t count, size_t stride, float *y) {
    if (stride == 1) {
        hk_softmax_row(x, count, y);
        return;
    }
    size_t i = 0;
    for (; i + HK_LANES <= stride; i += HK_LANES) hk_softmax_columns(x + i, count, stride, HK_LANES, y + i);
    if (i < stride) hk_softmax_columns(x + i, count, stride, stride - i, y + i);
}

HK_INLINE hk_vector hk_reduced(hk_reduction reduction, hk_vector a, hk_vector b) {
    switch (reduction) {
    case HK_REDUCE_MAX: return hk_max_or_nan(a, b);
    case HK_REDUCE_MIN: return a < b || a != a ? a : b;
    default: return a + b;
    }
}

HK_INLINE float hk_reduced_value(hk_reduction reduction, float a, float b) {
    switch (reduction) {
    case HK_REDUCE_MAX: return a > b || a != a ? a : b;
    case HK_REDUCE_MIN: return a < b || a != a ? a : b;
    default: return a + b;
    }
}

HK_INLINE float hk_reduction_start(hk_reduction reduction) {
    switch (reduction) {
    case HK_REDUCE_MAX: return -__builtin_inff();
    case HK_REDUCE_MIN: return __builtin_inff();
    default: return 0;
    }
}

static float hk_reduce_row(hk_reduction reduction, const float *x, size_t count) {
    const float start = hk_reduction_start(reduction);
    hk_vector parts[4] = {start, start, start, start};
    size_t i = 0;
    for (; i + 4 * HK_LANES <= count; i += 4 * HK_LANES) {
        HK_UNROLL for (int k = 0; k < 4; k++) {
            parts[k] = hk_reduced(reduction, parts[k], hk_load(x + i + (size_t)k * HK_LANES));
        }
    }
    float result = start;
    // Short rows have nothing in the parts.
    for (int k = 0; k < 4 && i > 0; k++) {
        float lanes[HK_LANES];
        memcpy(lanes, &parts[k], sizeof lanes);
        for (int lane = 0; lane < HK_LANES; lane++) result = hk_reduced_value(reduction, result, lanes[lane]);
    }
    for (; i < count; i++) result = hk_reduced_value(reduction, result, x[i]);
    return reduction == HK_REDUCE_MEAN ? result / (float)count : result;
}

static void hk_reduce(hk_reduction reduction, const float *x, size_t count, size_t stride, float *y) {
    if (stride == 1) {
        y[0] = hk_reduce_row(reduction, x, count);
        return;
    }
    const float scale = reduction == HK_REDUCE_MEAN ? 1.0f / (float)count : 1.0f;
    for (size_t i = 0; i < stride; i += HK_LANES) {
        const size_t lanes = stride - i < HK_LANES ? stride - i : HK_LANES;
        hk_vector result = hk_reduction_start(reduction);
        for (size_t k = 0; k < count; k++) {
            result = hk_reduced(reduction, result, hk_load_some(x + k * stride + i, lanes));
        }
        hk_store_some(y + i, result * scale, lanes);
    }
}

static void hk_layer_norm(
    const float *x, const float *gain, const float *shift, size_t count, float epsilon, float *y) {
    const float mean = hk_reduce_row(HK_REDUCE_MEAN, x, count);
    hk_vector squares[2] = {0, 0};
    size_t i = 0;
    for (; i + 2 * HK_LANES <= count; i += 2 * HK_LANES) {
        for (int k = 0; k < 2; k++) {
            const hk_vector v = hk_load(x + i + (size_t)k * HK_LANES) - mean;
            squares[k] += v * v;
        }
    }
    float total = hk_sum(squares[0] + squares[1]);
    for (; i < count; i++) total += (x[i] - mean) * (x[i] - mean);
    const float scale = 1.0f / __builtin_elementwise_sqrt(total / (float)count + epsilon);
    for (i = 0; i + HK_LANES <= count; i += HK_LANES) {
        hk_vector v = (hk_load(x + i) - mean) * scale;
        if (gain) v *= hk_load(gain + i);
        if (shift) v += hk_load(shift + i);
        hk_store(y + i, v);
    }
    for (; i < count; i++) {
        float v = (x[i] - mean) * scale;
        if (gain) v *= gain[i];
        if (shift) v += shift[i];
        y[i] = v;
    }
}

#endif
