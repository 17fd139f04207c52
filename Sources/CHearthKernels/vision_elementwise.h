// Functions of two tensors with broadcasting, and channel by channel.
#ifndef HK_VISION_ELEMENTWISE_H
#define HK_VISION_ELEMENTWISE_H

#include "vision_functions.h"

HK_INLINE hk_vector hk_power(hk_vector x, hk_vector y) {
    float a[HK_LANES], b[HK_LANES];
    memcpy(a, &x, sizeof x);
    memcpy(b, &y, sizeof y);
    for (int i = 0; i < HK_LANES; i++) a[i] = powf(a[i], b[i]);
    return hk_load(a);
}

HK_INLINE hk_vector hk_binary_of(hk_binary operation, hk_vector x, hk_vector y) {
    switch (operation) {
    case HK_ADD: return x + y;
    case HK_SUBTRACT: return x - y;
    case HK_MULTIPLY: return x * y;
    case HK_DIVIDE: return x / y;
    case HK_MAXIMUM: return x > y || x != x ? x : y;
    case HK_MINIMUM: return x < y || x != x ? x : y;
    case HK_POWER: return hk_power(x, y);
    case HK_PRELU: return x < 0.0f ? x * y : x;
    case HK_EQUAL: return hk_truth(x == y);
    case HK_NOT_EQUAL: return hk_truth(x != y);
    case HK_LESS: return hk_truth(x < y);
    case HK_LESS_OR_EQUAL: return hk_truth(x <= y);
    case HK_GREATER: return hk_truth(x > y);
    case HK_GREATER_OR_EQUAL: return hk_truth(x >= y);
    case HK_AND: return hk_truth((x != 0.0f) & (y != 0.0f));
    case HK_OR: return hk_truth((x != 0.0f) | (y != 0.0f));
    case HK_BINARIES: break;
    }
    return x;
}

// One row; a stride of 0 repeats, any other is 1.
HK_INLINE void hk_binary_row(
    hk_binary operation, const float *x, bool x_moves, const float *y, bool y_moves, size_t count, float *out) {
    const hk_vector x0 = *x, y0 = *y;
    size_t i = 0;
    for (; i + HK_LANES <= count; i += HK_LANES) {
        hk_store(out + i, hk_binary_of(operation, x_moves ? hk_load(x + i) : x0, y_moves ? hk_load(y + i) : y0));
    }
    if (i < count) {
        const size_t left = count - i;
        const hk_vector a = x_moves ? hk_load_some(x + i, left) : x0, b = y_moves ? hk_load_some(y + i, left) : y0;
        hk_store_some(out + i, hk_binary_of(operation, a, b), left);
    }
}

#define HK_BINARY_CASE(name)                                                                                          \
    case name: hk_binary_row(name, x, x_moves, y, y_moves, count, out); break;

static void hk_binary_values(
    hk_binary operation, const float *x, ptrdiff_t x_stride, const float *y, ptrdiff_t y_stride, size_t count,
    float *out) {
    const bool x_moves = x_stride != 0, y_moves = y_stride != 0;
    switch (operation) {
        HK_BINARY_CASE(HK_ADD) HK_BINARY_CASE(HK_SUBTRACT) HK_BINARY_CASE(HK_MULTIPLY) HK_BINARY_CASE(HK_DIVIDE)
        HK_BINARY_CASE(HK_MAXIMUM) HK_BINARY_CASE(HK_MINIMUM) HK_BINARY_CASE(HK_POWER) HK_BINARY_CASE(HK_PRELU)
        HK_BINARY_CASE(HK_EQUAL) HK_BINARY_CASE(HK_NOT_EQUAL) HK_BINARY_CASE(HK_LESS)
        HK_BINARY_CASE(HK_LESS_OR_EQUAL) HK_BINARY_CASE(HK_GREATER) HK_BINARY_CASE(HK_GREATER_OR_EQUAL)
        HK_BINARY_CASE(HK_AND) HK_BINARY_CASE(HK_OR)
    case HK_BINARIES: break;
    }
}

// The three innermost dimensions, whose total stays in the cache for the function that follows.
static void hk_combine_inner(const hk_combination *b, const float *x, const float *y, float *out) {
    enum { ROW = HK_RANK - 1, OUTER = HK_RANK - 2 };
    const size_t count = b->size[ROW];
    for (size_t i = 0; i < b->size[OUTER]; i++) {
        const float *xi = x + (ptrdiff_t)i * b->x_stride[OUTER], *yi = y + (ptrdiff_t)i * b->y_stride[OUTER];
        hk_binary_values(b->operation, xi, b->x_stride[ROW], yi, b->y_stride[ROW], count, out + i * count);
    }
    if (b->function != HK_IDENTITY) hk_apply(b->function, b->a, b->b, out, b->size[OUTER] * count, out);
}

static void hk_combine(const hk_combination *b, size_t from, size_t to) {
    const size_t inner = b->size[4] * b->size[5];
    const size_t outer = b->size[1] * b->size[2] * b->size[3];
    for (size_t i0 = from; i0 < to; i0++) {
        float *out = b->output + i0 * outer * inner;
        for (size_t i1 = 0; i1 < b->size[1]; i1++) {
            for (size_t i2 = 0; i2 < b->size[2]; i2++) {
                for (size_t i3 = 0; i3 < b->size[3]; i3++, out += inner) {
                    const size_t index[4] = {i0, i1, i2, i3};
                    const float *x = b->x, *y = b->y;
                    for (int k = 0; k < 4; k++) {
                        x += (ptrdiff_t)index[k] * b->x_stride[k];
                        y += (ptrdiff_t)index[k] * b->y_stride[k];
                    }
                    hk_combine_inner(b, x, y, out);
                }
            }
        }
    }
}

static void hk_scale_shift(
    const float *x, const float *scale, const float *shift, size_t positions, hk_function function, float a, float b,
    float *y) {
    const hk_lanes s = scale ? hk_load_block(scale) : hk_every_lane(1);
    const hk_lanes t = shift ? hk_load_block(shift) : hk_every_lane(0);
    const hk_clamp clamp = hk_clamp_of(function, a, b);
    enum { STRETCH = 64 };  // positions that stay in the cache for the function
    for (size_t from = 0; from < positions; from += STRETCH) {
        const size_t to = from + STRETCH < positions ? from + STRETCH : positions;
        for (size_t p = from; p < to; p++) {
            const hk_lanes v = hk_multiply_add(t, s, hk_load_block(x + p * HK_BLOCK));
            hk_store_block(y + p * HK_BLOCK, hk_clamped(v, clamp));
        }
        if (!clamp.is_clamp) {
            hk_apply(function, a, b, y + from * HK_BLOCK, (to - from) * HK_BLOCK, y + from * HK_BLOCK);
        }
    }
}

#endif
