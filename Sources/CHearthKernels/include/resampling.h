// The two halves of making an image larger or smaller. Included by CHearthKernels.h.
#ifndef CHEARTHKERNELS_RESAMPLING_H
#define CHEARTHKERNELS_RESAMPLING_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// y[i] = sum over r < rows of weights[r] * x[r * stride + i], for i < count.
void hk_resample_rows(const uint8_t *x, size_t stride, const float *weights, size_t rows, size_t count, float *y);

// For each new pixel p < count and each channel c:
// y[p][c] = sum over j of weights[starts[p] + j] * x[firsts[p] + j][c], for starts[p] + j < starts[p + 1], rounded to a
// byte. `channels` is 1 or 3. Three floats after the last pixel that is used are read, and not used.
void hk_resample_columns(
    const float *x, size_t channels, const int32_t *firsts, const int32_t *starts, const float *weights, size_t count,
    uint8_t *y);

#ifdef __cplusplus
}
#endif

#endif
