// Moving values about: strided copies, channels of blocked tensors, between plain and blocked.
#ifndef HK_VISION_LAYOUT_H
#define HK_VISION_LAYOUT_H

#include "vision_transpose.h"

// A matrix of two dimensions; the last may be strided on either side.
static void hk_copy_plane(
    const float *x, float *y, size_t rows, size_t columns, ptrdiff_t x_row, ptrdiff_t y_row, ptrdiff_t x_column,
    ptrdiff_t y_column) {
    if (x_column == 1 && y_column == 1) {
        for (size_t r = 0; r < rows; r++) {
            // A damaged plan may name places that overlap; nothing else does.
            memmove(y + (ptrdiff_t)r * y_row, x + (ptrdiff_t)r * x_row, columns * sizeof *y);
        }
        return;
    }
    // Squares, so that a transpose meets every cache line once.
    enum { SQUARE = 16 };
    for (size_t r0 = 0; r0 < rows; r0 += SQUARE) {
        const size_t r1 = r0 + SQUARE < rows ? r0 + SQUARE : rows;
        for (size_t c0 = 0; c0 < columns; c0 += SQUARE) {
            const size_t c1 = c0 + SQUARE < columns ? c0 + SQUARE : columns;
            for (size_t r = r0; r < r1; r++) {
                const float *from = x + (ptrdiff_t)r * x_row;
                float *to = y + (ptrdiff_t)r * y_row;
                for (size_t c = c0; c < c1; c++) to[(ptrdiff_t)c * y_column] = from[(ptrdiff_t)c * x_column];
            }
        }
    }
}

static void hk_copy_all(const hk_copy *copy, size_t from, size_t to) {
    const size_t *size = copy->size;
    const ptrdiff_t *xs = copy->input_stride, *ys = copy->output_stride;
    for (size_t i0 = from; i0 < to; i0++) {
        for (size_t i1 = 0; i1 < size[1]; i1++) {
            for (size_t i2 = 0; i2 < size[2]; i2++) {
                for (size_t i3 = 0; i3 < size[3]; i3++) {
                    const size_t index[4] = {i0, i1, i2, i3};
                    const float *x = copy->input;
                    float *y = copy->output;
                    for (int k = 0; k < 4; k++) {
                        x += (ptrdiff_t)index[k] * xs[k];
                        y += (ptrdiff_t)index[k] * ys[k];
                    }
                    hk_copy_plane(x, y, size[4], size[5], xs[4], ys[4], xs[5], ys[5]);
                }
            }
        }
    }
}

static void hk_copy_channels(const hk_channels *c) {
    for (size_t i = 0; i < c->count;) {
        const size_t from = c->input_first + i, to = c->output_first + i * c->output_step;
        const float *x = c->input + from / HK_BLOCK * c->positions * HK_BLOCK + from % HK_BLOCK;
        float *y = c->output + to / HK_BLOCK * c->positions * HK_BLOCK + to % HK_BLOCK;
        const size_t x_left = HK_BLOCK - from % HK_BLOCK, y_left = HK_BLOCK - to % HK_BLOCK;
        size_t lanes = x_left < c->count - i ? x_left : c->count - i;
        const size_t fitting = (y_left + c->output_step - 1) / c->output_step;
        if (fitting < lanes) lanes = fitting;
        if (lanes == HK_BLOCK) {
            memcpy(y, x, c->positions * HK_BLOCK * sizeof *y);
        } else {
            for (size_t p = 0; p < c->positions; p++) {
                for (size_t k = 0; k < lanes; k++) y[p * HK_BLOCK + k * c->output_step] = x[p * HK_BLOCK + k];
            }
        }
        i += lanes;
    }
}

static void hk_to_block(const float *plain, size_t count, size_t positions, float *blocked) {
    hk_gather_lanes(plain, positions, positions, count, blocked);
}

static void hk_from_block(const float *blocked, size_t count, size_t positions, float *plain) {
    hk_transpose_lanes(blocked, HK_BLOCK, positions, count, HK_BLOCK, plain, positions);
}

#endif
