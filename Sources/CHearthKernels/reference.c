#include "include/reference.h"

void hk_reference_windows(const float *x, const hk_windows *w, float fill, size_t first, size_t count, float *rows) {
    const size_t plane = (size_t)(w->in[0] * w->in[1] * w->in[2]);
    for (size_t index = first; index < first + count; index++) {
        const ptrdiff_t across = (ptrdiff_t)index % w->out[2];
        const ptrdiff_t down = (ptrdiff_t)index / w->out[2] % w->out[1];
        const ptrdiff_t deep = (ptrdiff_t)index / w->out[2] / w->out[1];
        for (size_t channel = 0; channel < w->channels; channel++) {
            const float *source = x + channel * plane;
            for (ptrdiff_t i = 0; i < w->kernel[0]; i++) {
                const ptrdiff_t z = deep * w->stride[0] - w->before[0] + i * w->dilation[0];
                for (ptrdiff_t j = 0; j < w->kernel[1]; j++) {
                    const ptrdiff_t row = down * w->stride[1] - w->before[1] + j * w->dilation[1];
                    for (ptrdiff_t k = 0; k < w->kernel[2]; k++) {
                        const ptrdiff_t column = across * w->stride[2] - w->before[2] + k * w->dilation[2];
                        const int inside = z >= 0 && z < w->in[0] && row >= 0 && row < w->in[1] && column >= 0
                            && column < w->in[2];
                        *rows++ = inside ? source[(z * w->in[1] + row) * w->in[2] + column] : fill;
                    }
                }
            }
        }
    }
}

void hk_reference_product(
    const float *a, const float *b, const float *bias, size_t rows, size_t columns, size_t depth, float *y,
    size_t y_row, size_t y_column) {
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < columns; j++) {
            const float *left = a + i * depth, *right = b + j * depth;
            // Eight sums, so that the processor need not wait for one addition after the other.
            double sums[8] = {0};
            size_t k = 0;
            for (; k + 8 <= depth; k += 8) {
                for (size_t lane = 0; lane < 8; lane++) sums[lane] += (double)left[k + lane] * (double)right[k + lane];
            }
            double sum = bias ? (double)bias[j] : 0;
            for (; k < depth; k++) sum += (double)left[k] * (double)right[k];
            for (size_t lane = 0; lane < 8; lane++) sum += sums[lane];
            y[i * y_row + j * y_column] = (float)sum;
        }
    }
}
