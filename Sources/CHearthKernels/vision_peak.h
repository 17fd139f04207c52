// The most multiply-adds that the including set does in a second: what others are measured against.
#ifndef HK_VISION_PEAK_H
#define HK_VISION_PEAK_H

#include "vision_vector.h"

// Twelve registers of sums hide the latency of a multiply-add.
enum { HK_PEAK_SUMS = HK_PARTS >= 12 ? 1 : 12 / HK_PARTS };

static size_t hk_peak(size_t rounds, float *sink) {
    hk_lanes sums[HK_PEAK_SUMS];
    for (int k = 0; k < HK_PEAK_SUMS; k++) sums[k] = hk_every_lane((float)k);
    const hk_lanes a = hk_every_lane(0.999f + *sink * 0), b = hk_every_lane(1e-3f + *sink * 0);
    for (size_t round = 0; round < rounds; round++) {
        HK_UNROLL for (int k = 0; k < HK_PEAK_SUMS; k++) sums[k] = hk_multiply_add(b, sums[k], a);
    }
    hk_lanes all = sums[0];
    for (int k = 1; k < HK_PEAK_SUMS; k++) all = hk_add_block(all, sums[k]);
    float values[HK_BLOCK];
    hk_store_block(values, all);
    *sink = values[0];
    return rounds * HK_PEAK_SUMS * HK_BLOCK * 2;
}

#endif
