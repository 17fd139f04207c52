// Depthwise convolution and pooling: every channel for itself, 16 at a time.
#ifndef HK_VISION_DEPTHWISE_H
#define HK_VISION_DEPTHWISE_H

#include "vision_functions.h"

// The taps of a window that lie inside 0 ..< size for an output at `start`.
typedef struct {
    size_t from, to;
} hk_taps;

HK_INLINE hk_taps hk_inside(ptrdiff_t start, size_t dilation, size_t kernel, size_t size) {
    const ptrdiff_t step = (ptrdiff_t)dilation;
    hk_taps taps = {0, kernel};
    if (start < 0) taps.from = (size_t)((-start + step - 1) / step);
    const ptrdiff_t left = (ptrdiff_t)size - start;  // the first offset outside
    const ptrdiff_t limit = left > 0 ? (left + step - 1) / step : 0;
    if ((size_t)limit < taps.to) taps.to = (size_t)limit;
    if (taps.from > taps.to) taps.from = taps.to;
    return taps;
}

// Neighbouring outputs of one row whose windows have the same taps. `x` is where tap (0, 0) of the first would lie,
// as an offset that may be outside. `taps` and `stride` are constants where this is made for one kernel, else 0.
typedef struct {
    const float *input, *weights, *bias, *first_residual;
    ptrdiff_t offset;
    size_t row_step;  // floats a dilated row
    hk_taps rows, columns;
    float *output;
    hk_clamp clamp;
} hk_depthwise_run;

HK_INLINE void hk_depthwise_outputs(
    const hk_depthwise_run *run, const hk_window *window, size_t kernel, size_t stride, size_t count) {
    const size_t step = (stride ? stride : window->stride_x) * HK_BLOCK;
    const size_t width = kernel ? kernel : window->kernel_width;
    const size_t dilation = kernel ? 1 : window->dilation_x;
    hk_lanes sums[8];
    HK_UNROLL for (size_t q = 0; q < count; q++) {
        sums[q] = run->bias ? hk_load_block(run->bias) : hk_every_lane(0.0f);
        if (run->first_residual) sums[q] = hk_add_block(sums[q], hk_load_block(run->first_residual + q * HK_BLOCK));
    }
    for (size_t ky = run->rows.from; ky < run->rows.to; ky++) {
        const float *x = run->input + run->offset + (ptrdiff_t)(ky * run->row_step);
        const float *w = run->weights + ky * width * HK_BLOCK;
        if (kernel) {
            HK_UNROLL for (size_t kx = 0; kx < kernel; kx++) {
                const hk_lanes weight = hk_load_block(w + kx * HK_BLOCK);
                HK_UNROLL for (size_t q = 0; q < count; q++) {
                    sums[q] = hk_multiply_add(sums[q], weight, hk_load_block(x + q * step + kx * HK_BLOCK));
                }
            }
        } else {
            for (size_t kx = run->columns.from; kx < run->columns.to; kx++) {
                const hk_lanes weight = hk_load_block(w + kx * HK_BLOCK);
                HK_UNROLL for (size_t q = 0; q < count; q++) {
                    sums[q] = hk_multiply_add(
                        sums[q], weight, hk_load_block(x + q * step + kx * dilation * HK_BLOCK));
                }
            }
        }
    }
    HK_UNROLL for (size_t q = 0; q < count; q++) {
        hk_store_block(run->output + q * HK_BLOCK, hk_clamped(sums[q], run->clamp));
    }
}

// The widest run that fits in `left` outputs; returns how many were made.
HK_INLINE size_t hk_depthwise_step(
    const hk_depthwise_run *run, const hk_window *window, size_t kernel, size_t stride, size_t left) {
    if (left >= HK_DEPTHWISE_RUN) {
        hk_depthwise_outputs(run, window, kernel, stride, HK_DEPTHWISE_RUN);
        return HK_DEPTHWISE_RUN;
    }
    if (left >= HK_DEPTHWISE_RUN / 2) {
        hk_depthwise_outputs(run, window, kernel, stride, HK_DEPTHWISE_RUN / 2);
        return HK_DEPTHWISE_RUN / 2;
    }
    hk_depthwise_outputs(run, window, kernel, stride, 1);
    return 1;
}

static void hk_depthwise_row(
    const hk_depthwise *d, const hk_part *part, hk_depthwise_run run, ptrdiff_t first_column, const float *residual) {
    const hk_window *window = &d->window;
    const size_t reach = (window->kernel_width - 1) * window->dilation_x + 1;
    const bool known = window->dilation_x == 1 && window->stride_x <= 2;
    float *output = run.output;
    const ptrdiff_t row = run.offset;
    for (size_t column = part->first_column; column < part->end_column;) {
        const ptrdiff_t start = (ptrdiff_t)(column * window->stride_x) - first_column;
        run.offset = row + start * HK_BLOCK;
        run.output = output + column * HK_BLOCK;
        run.first_residual = residual ? residual + column * HK_BLOCK : NULL;
        run.columns = hk_inside(start, window->dilation_x, window->kernel_width, d->width);
        if (start < 0 || (size_t)start + reach > d->width) {
            hk_depthwise_outputs(&run, window, 0, 0, 1);
            column += 1;
            continue;
        }
        const size_t inner = (d->width - reach - (size_t)start) / window->stride_x + 1;
        const size_t left = part->end_column - column < inner ? part->end_column - column : inner;
        if (known && window->kernel_width == 3) {
            column += window->stride_x == 1 ? hk_depthwise_step(&run, window, 3, 1, left)
                                            : hk_depthwise_step(&run, window, 3, 2, left);
        } else if (known && window->kernel_width == 5) {
            column += window->stride_x == 1 ? hk_depthwise_step(&run, window, 5, 1, left)
                                            : hk_depthwise_step(&run, window, 5, 2, left);
        } else {
            column += hk_depthwise_step(&run, window, 0, 0, left);
        }
    }
}

static void hk_convolve_depthwise(const hk_depthwise *d, const hk_part *part) {
    const hk_window *window = &d->window;
    const size_t plane = d->height * d->width * HK_BLOCK;
    const size_t output_plane = d->output_height * d->output_width * HK_BLOCK;
    const bool after = d->epilogue.residual_after, has_finish = hk_has_finish(&d->epilogue);
    hk_depthwise_run run = {
        .row_step = d->width * HK_BLOCK * window->dilation_y,
        .clamp = hk_clamp_of(d->epilogue.function, d->epilogue.a, d->epilogue.b),
    };
    for (size_t block = part->first_block; block < part->end_block; block++) {
        run.input = d->input + (part->image * d->blocks + block) * plane;
        run.weights = d->weights + block * window->kernel_height * window->kernel_width * HK_BLOCK;
        run.bias = d->epilogue.bias ? d->epilogue.bias + block * HK_BLOCK : NULL;
        for (size_t row = part->first_row; row < part->end_row; row++) {
            const ptrdiff_t start = (ptrdiff_t)(row * window->stride_y) - (ptrdiff_t)window->top;
            const size_t at = (part->image * d->blocks + block) * output_plane + row * d->output_width * HK_BLOCK;
            const float *residual = d->epilogue.residual ? d->epilogue.residual + at : NULL;
            run.rows = hk_inside(start, window->dilation_y, window->kernel_height, d->height);
            run.offset = start * (ptrdiff_t)(d->width * HK_BLOCK);
            run.output = d->output + at;
            hk_depthwise_row(d, part, run, (ptrdiff_t)window->left, after ? NULL : residual);
            if (has_finish) {
                const size_t from = part->first_column * HK_BLOCK;
                hk_finish(
                    &d->epilogue, residual ? residual + from : NULL, part->end_column * HK_BLOCK - from,
                    d->output + at + from);
            }
        }
    }
}

// How many taps of a window are in the padded input, as an average counts them.
HK_INLINE size_t hk_padded_taps(ptrdiff_t start, size_t dilation, size_t kernel, size_t size, size_t after) {
    const hk_taps taps = hk_inside(start, dilation, kernel, size + after);
    return taps.to;
}

static void hk_pool(const hk_pooling *p, const hk_part *part) {
    const hk_window *window = &p->window;
    const size_t plane = p->height * p->width * HK_BLOCK;
    for (size_t block = part->first_block; block < part->end_block; block++) {
        const float *input = p->input + (part->image * p->blocks + block) * plane;
        float *output = p->output
            + ((part->image * p->blocks + block) * p->output_height + part->first_row) * p->output_width * HK_BLOCK;
        for (size_t row = part->first_row; row < part->end_row; row++, output += p->output_width * HK_BLOCK) {
            const ptrdiff_t top = (ptrdiff_t)(row * window->stride_y) - (ptrdiff_t)window->top;
            const hk_taps rows = hk_inside(top, window->dilation_y, window->kernel_height, p->height);
            for (size_t column = part->first_column; column < part->end_column; column++) {
                const ptrdiff_t left = (ptrdiff_t)(column * window->stride_x) - (ptrdiff_t)window->left;
                const hk_taps columns = hk_inside(left, window->dilation_x, window->kernel_width, p->width);
                hk_lanes result = hk_every_lane(p->average ? 0.0f : -__builtin_inff());
                for (size_t ky = rows.from; ky < rows.to; ky++) {
                    const ptrdiff_t y = top + (ptrdiff_t)(ky * window->dilation_y);
                    const float *x = input + (y * (ptrdiff_t)p->width + left) * HK_BLOCK;
                    for (size_t kx = columns.from; kx < columns.to; kx++) {
                        const hk_lanes v = hk_load_block(x + (ptrdiff_t)(kx * window->dilation_x) * HK_BLOCK);
                        HK_UNROLL for (int k = 0; k < HK_PARTS; k++) {
                            result.part[k] = p->average ? result.part[k] + v.part[k]
                                                        : hk_max_or_nan(result.part[k], v.part[k]);
                        }
                    }
                }
                if (p->average) {
                    size_t count = (rows.to - rows.from) * (columns.to - columns.from);
                    if (p->counts_padding) {
                        count = hk_padded_taps(top, window->dilation_y, window->kernel_height, p->height, p->bottom)
                            * hk_padded_taps(left, window->dilation_x, window->kernel_width, p->width, p->right);
                    }
                    const hk_vector scale = 1.0f / (float)(count ? count : 1);
                    HK_UNROLL for (int k = 0; k < HK_PARTS; k++) result.part[k] *= scale;
                }
                hk_store_block(output + column * HK_BLOCK, result);
            }
        }
    }
}

static void hk_average(const float *x, size_t positions, size_t from, size_t to, float *y) {
    for (size_t block = from; block < to; block++) {
        const float *start = x + block * positions * HK_BLOCK;
        hk_lanes sums[4] = {hk_every_lane(0), hk_every_lane(0), hk_every_lane(0), hk_every_lane(0)};
        size_t p = 0;
        for (; p + 4 <= positions; p += 4) {
            HK_UNROLL for (size_t k = 0; k < 4; k++) {
                sums[k] = hk_add_block(sums[k], hk_load_block(start + (p + k) * HK_BLOCK));
            }
        }
        for (; p < positions; p++) sums[0] = hk_add_block(sums[0], hk_load_block(start + p * HK_BLOCK));
        const hk_lanes sum = hk_add_block(hk_add_block(sums[0], sums[1]), hk_add_block(sums[2], sums[3]));
        hk_store_block(
            y + block * HK_BLOCK, hk_multiply_add(hk_every_lane(0), sum, hk_every_lane(1.0f / (float)positions)));
    }
}

#endif
