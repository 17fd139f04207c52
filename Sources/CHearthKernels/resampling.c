// Written so that a compiler makes vector code of it: images are made small once, and reading them from their file takes
// several times as long.
#include "resampling.h"

enum { STRIP = 32 };

// One body for both instruction sets of x86, without fused operations, so that both give the same bits.
static inline __attribute__((always_inline)) void resample_rows(
    const uint8_t *x, size_t stride, const float *weights, size_t rows, size_t count, float *y) {
    size_t i = 0;
    for (; i + STRIP <= count; i += STRIP) {
        float sums[STRIP] = {0};
        const uint8_t *from = x + i;
        for (size_t r = 0; r < rows; r++, from += stride) {
            const float weight = weights[r];
            for (size_t j = 0; j < STRIP; j++) sums[j] += weight * (float)from[j];
        }
        for (size_t j = 0; j < STRIP; j++) y[i + j] = sums[j];
    }
    for (; i < count; i++) {
        float sum = 0;
        for (size_t r = 0; r < rows; r++) sum += weights[r] * (float)x[r * stride + i];
        y[i] = sum;
    }
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void resample_rows_avx2(
    const uint8_t *x, size_t stride, const float *weights, size_t rows, size_t count, float *y) {
    resample_rows(x, stride, weights, rows, count, y);
}
#endif

void hk_resample_rows(const uint8_t *x, size_t stride, const float *weights, size_t rows, size_t count, float *y) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        resample_rows_avx2(x, stride, weights, rows, count, y);
        return;
    }
#endif
    resample_rows(x, stride, weights, rows, count, y);
}

// Means of bytes lie between 0 and 255 but for the last bit, so nothing has to be clamped.
static uint8_t rounded(float mean) { return (uint8_t)(int32_t)(mean + 0.5f); }

typedef float four __attribute__((vector_size(16), aligned(4)));

void hk_resample_columns(
    const float *x, size_t channels, const int32_t *firsts, const int32_t *starts, const float *weights, size_t count,
    uint8_t *y) {
    for (size_t p = 0; p < count; p++) {
        const float *from = x + (size_t)firsts[p] * channels;
        const int32_t end = starts[p + 1];
        if (channels == 1) {
            float sum = 0;
            for (int32_t j = starts[p]; j < end; j++) sum += weights[j] * *from++;
            y[p] = rounded(sum);
        } else {
            four sums = {0, 0, 0, 0};
            for (int32_t j = starts[p]; j < end; j++, from += 3) sums += weights[j] * *(const four *)from;
            for (size_t c = 0; c < 3; c++) y[3 * p + c] = rounded(sums[c]);
        }
    }
}
