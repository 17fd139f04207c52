// Written so that a compiler makes vector code of it with what every processor of an architecture has: images are made
// small once, and reading them from their file takes several times as long.
#include "resampling.h"

enum { STRIP = 32 };

void hk_resample_rows(const uint8_t *x, size_t stride, const float *weights, size_t rows, size_t count, float *y) {
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

static uint8_t rounded(float value) {
    const float raised = value + 0.5f;
    return raised <= 0 ? 0 : raised >= 255 ? 255 : (uint8_t)raised;
}

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
