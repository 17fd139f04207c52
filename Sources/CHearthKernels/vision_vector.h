// One block of 16 channels in the registers of the including set.
#ifndef HK_VISION_VECTOR_H
#define HK_VISION_VECTOR_H

#include "hearth_vision_kernels.h"
#include "vector.h"

#define HK_UNROLL _Pragma("clang loop unroll(full)")

enum { HK_PARTS = HK_BLOCK / HK_LANES };

typedef struct {
    hk_vector part[HK_PARTS];
} hk_lanes;

HK_INLINE hk_lanes hk_load_block(const float *p) {
    hk_lanes v;
    HK_UNROLL for (int k = 0; k < HK_PARTS; k++) v.part[k] = hk_load(p + k * HK_LANES);
    return v;
}

HK_INLINE void hk_store_block(float *p, hk_lanes v) {
    HK_UNROLL for (int k = 0; k < HK_PARTS; k++) hk_store(p + k * HK_LANES, v.part[k]);
}

HK_INLINE hk_lanes hk_every_lane(float value) {
    hk_lanes v;
    HK_UNROLL for (int k = 0; k < HK_PARTS; k++) v.part[k] = value;
    return v;
}

HK_INLINE hk_lanes hk_add_block(hk_lanes a, hk_lanes b) {
    HK_UNROLL for (int k = 0; k < HK_PARTS; k++) a.part[k] += b.part[k];
    return a;
}

HK_INLINE hk_lanes hk_multiply_add(hk_lanes sum, hk_lanes a, hk_lanes b) {
    HK_UNROLL for (int k = 0; k < HK_PARTS; k++) sum.part[k] += a.part[k] * b.part[k];
    return sum;
}

// Fewer than 16 values: the end of a plain row.
HK_INLINE hk_lanes hk_load_lanes(const float *p, size_t count) {
    if (count == HK_BLOCK) return hk_load_block(p);
    float values[HK_BLOCK] = {0};
    for (size_t i = 0; i < count; i++) values[i] = p[i];
    return hk_load_block(values);
}

HK_INLINE void hk_store_lanes(float *p, hk_lanes v, size_t count) {
    if (count == HK_BLOCK) {
        hk_store_block(p, v);
        return;
    }
    float values[HK_BLOCK];
    hk_store_block(values, v);
    for (size_t i = 0; i < count; i++) p[i] = values[i];
}

// Most functions are a clamp, which costs nothing next to the sums; NaN passes, because a comparison with it is false.
typedef struct {
    float low, high;
    bool is_clamp;
} hk_clamp;

HK_INLINE hk_clamp hk_clamp_of(hk_function function, float a, float b) {
    const float infinity = __builtin_inff();
    switch (function) {
    case HK_IDENTITY: return (hk_clamp){-infinity, infinity, true};
    case HK_RELU: return (hk_clamp){0, infinity, true};
    // min(max(x, a), b) is b wherever a > b.
    case HK_CLIP: return (hk_clamp){a, b, true};
    default: return (hk_clamp){-infinity, infinity, false};
    }
}

HK_INLINE hk_lanes hk_clamped(hk_lanes v, hk_clamp clamp) {
    const hk_vector low = clamp.low, high = clamp.high;
    HK_UNROLL for (int k = 0; k < HK_PARTS; k++) v.part[k] = hk_min(high, hk_max(low, v.part[k]));
    return v;
}

#endif
