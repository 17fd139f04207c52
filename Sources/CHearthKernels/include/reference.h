// Plain reference arithmetic for networks on pictures: what the fast kernels are compared with, and what runs where
// none of them does. Sums are double; nothing depends on an instruction set.
#ifndef CHEARTHKERNELS_REFERENCE_H
#define CHEARTHKERNELS_REFERENCE_H

#include <stddef.h>

// Windows that slide over a picture of three dimensions; fewer have leading ones.
typedef struct hk_windows {
    size_t channels;      // that a window spans
    ptrdiff_t in[3];      // size of a channel
    ptrdiff_t out[3];     // windows along each dimension
    ptrdiff_t kernel[3];  // elements of a window along each dimension
    ptrdiff_t stride[3];
    ptrdiff_t dilation[3];
    ptrdiff_t before[3];  // padding before the first element
} hk_windows;

// Windows first ..< first + count as rows of [channels][kernel]; `fill` stands where a window leaves the picture.
void hk_reference_windows(const float *x, const hk_windows *windows, float fill, size_t first, size_t count, float *rows);

// y[i * y_row + j * y_column] = bias[j] + sum over k of a[i][k] * b[j][k]; bias may be NULL.
void hk_reference_product(
    const float *a, const float *b, const float *bias, size_t rows, size_t columns, size_t depth, float *y,
    size_t y_row, size_t y_column);

#endif
