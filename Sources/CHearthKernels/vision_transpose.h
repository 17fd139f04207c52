// Positions of a block of channels as rows of channels, and back.
#ifndef HK_VISION_TRANSPOSE_H
#define HK_VISION_TRANSPOSE_H

#include "vision_vector.h"

typedef float hk_four __attribute__((ext_vector_type(4)));

// Four vectors of four lanes, lanes and vectors exchanged.
HK_INLINE void hk_transpose_four(hk_four *v) {
    const hk_four a = __builtin_shufflevector(v[0], v[1], 0, 4, 1, 5), b = __builtin_shufflevector(v[2], v[3], 0, 4, 1, 5);
    const hk_four c = __builtin_shufflevector(v[0], v[1], 2, 6, 3, 7), d = __builtin_shufflevector(v[2], v[3], 2, 6, 3, 7);
    v[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
    v[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
    v[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
    v[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
}

// y[lane * apart + p] = x[p * step + lane] for the first lanes of `room` that there are.
static void hk_transpose_lanes(
    const float *x, size_t step, size_t positions, size_t lanes, size_t room, float *y, size_t apart) {
    size_t p = 0;
    for (; p + 4 <= positions; p += 4) {
        const float *from = x + p * step;
        size_t lane = 0;
        for (; lane < lanes && lane + 4 <= room; lane += 4) {
            hk_four v[4];
            HK_UNROLL for (size_t k = 0; k < 4; k++) memcpy(&v[k], from + k * step + lane, sizeof v[k]);
            hk_transpose_four(v);
            HK_UNROLL for (size_t k = 0; k < 4; k++) {
                if (lane + k < lanes) memcpy(y + (lane + k) * apart + p, &v[k], sizeof v[k]);
            }
        }
        for (; lane < lanes; lane++) {
            for (size_t k = 0; k < 4; k++) y[lane * apart + p + k] = from[k * step + lane];
        }
    }
    for (; p < positions; p++) {
        for (size_t lane = 0; lane < lanes; lane++) y[lane * apart + p] = x[p * step + lane];
    }
}

// y[p * 16 + lane] = x[lane * apart + p] for the first lanes, 0 for the others.
static void hk_gather_lanes(const float *x, size_t apart, size_t positions, size_t lanes, float *y) {
    size_t p = 0;
    for (; p + 4 <= positions; p += 4, y += 4 * HK_BLOCK) {
        for (size_t lane = 0; lane < HK_BLOCK; lane += 4) {
            hk_four v[4];
            HK_UNROLL for (size_t k = 0; k < 4; k++) {
                if (lane + k < lanes) memcpy(&v[k], x + (lane + k) * apart + p, sizeof v[k]);
                else v[k] = 0;
            }
            hk_transpose_four(v);
            HK_UNROLL for (size_t k = 0; k < 4; k++) memcpy(y + k * HK_BLOCK + lane, &v[k], sizeof v[k]);
        }
    }
    for (; p < positions; p++, y += HK_BLOCK) {
        for (size_t lane = 0; lane < HK_BLOCK; lane++) y[lane] = lane < lanes ? x[lane * apart + p] : 0.0f;
    }
}

#endif
