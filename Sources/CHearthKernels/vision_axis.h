// Along an axis of a plain tensor: where its greatest or least value is, and sums of all values up to each one.
#ifndef HK_VISION_AXIS_H
#define HK_VISION_AXIS_H

#include "vision_vector.h"

enum { HK_EXTREMES = 4 };  // vectors that are compared side by side

HK_INLINE hk_integers hk_is_better(bool least, hk_vector a, hk_vector b) {
    return least ? a < b : a > b;
}

// Every lane keeps the first of its best values, and of those lanes that are equal the one with the lowest place wins. All
// begin with the first value: what no lane exceeds stays at place 0.
HK_INLINE float hk_extreme_of_row(bool least, const float *x, size_t count) {
    enum { STEP = HK_EXTREMES * HK_LANES };
    float best = x[0];
    size_t place = 0, i = 0;
    if (count >= STEP) {
        hk_vector values[HK_EXTREMES];
        hk_integers steps[HK_EXTREMES];
        HK_UNROLL for (int k = 0; k < HK_EXTREMES; k++) {
            values[k] = best;
            steps[k] = 0;
        }
        for (; i + STEP <= count; i += STEP) {
            HK_UNROLL for (int k = 0; k < HK_EXTREMES; k++) {
                const hk_vector v = hk_load(x + i + (size_t)k * HK_LANES);
                const hk_integers better = hk_is_better(least, v, values[k]);
                values[k] = better ? v : values[k];
                steps[k] = better ? (hk_integers)(int32_t)i : steps[k];
            }
        }
        for (int k = 0; k < HK_EXTREMES; k++) {
            float lanes[HK_LANES];
            int32_t from[HK_LANES];
            memcpy(lanes, &values[k], sizeof lanes);
            memcpy(from, &steps[k], sizeof from);
            for (int lane = 0; lane < HK_LANES; lane++) {
                const size_t at = (size_t)from[lane] + (size_t)(k * HK_LANES + lane);
                const bool better = least ? lanes[lane] < best : lanes[lane] > best;
                if (better || (lanes[lane] == best && at < place)) {
                    best = lanes[lane];
                    place = at;
                }
            }
        }
    }
    for (; i < count; i++) {
        if (least ? x[i] < best : x[i] > best) {
            best = x[i];
            place = i;
        }
    }
    return (float)place;
}

// A block of neighbours: a line of the cache.
HK_INLINE void hk_extremes_of_block(bool least, const float *x, size_t count, size_t stride, float *y) {
    hk_lanes best = hk_load_block(x), result;
    hk_integers places[HK_PARTS];
    HK_UNROLL for (int k = 0; k < HK_PARTS; k++) places[k] = 0;
    for (size_t i = 1; i < count; i++) {
        const hk_lanes v = hk_load_block(x + i * stride);
        HK_UNROLL for (int k = 0; k < HK_PARTS; k++) {
            const hk_integers better = hk_is_better(least, v.part[k], best.part[k]);
            best.part[k] = better ? v.part[k] : best.part[k];
            places[k] = better ? (hk_integers)(int32_t)i : places[k];
        }
    }
    HK_UNROLL for (int k = 0; k < HK_PARTS; k++) result.part[k] = __builtin_convertvector(places[k], hk_vector);
    hk_store_block(y, result);
}

HK_INLINE void hk_extremes(bool least, const float *x, size_t count, size_t stride, size_t columns, float *y) {
    if (stride == 1) {
        *y = hk_extreme_of_row(least, x, count);
        return;
    }
    size_t c = 0;
    for (; c + HK_BLOCK <= columns; c += HK_BLOCK) hk_extremes_of_block(least, x + c, count, stride, y + c);
    for (; c < columns; c++) {
        float best = x[c];
        size_t place = 0;
        for (size_t i = 1; i < count; i++) {
            const float v = x[i * stride + c];
            const bool better = least ? v < best : v > best;
            best = better ? v : best;
            place = better ? i : place;
        }
        y[c] = (float)place;
    }
}

static void hk_find_extreme(bool least, const float *x, size_t count, size_t stride, size_t columns, float *y) {
    if (least) {
        hk_extremes(true, x, count, stride, columns, y);
    } else {
        hk_extremes(false, x, count, stride, columns, y);
    }
}

// A sum waits for the one before it, so several lanes are summed up side by side.
HK_INLINE void hk_sum_lanes(
    const float *x, size_t count, ptrdiff_t step, size_t lanes, size_t apart, bool exclusive, float *y) {
    double sums[4] = {0};
    for (size_t i = 0; i < count; i++, x += step, y += step) {
        for (size_t lane = 0; lane < lanes; lane++) {
            const double before = sums[lane];
            sums[lane] = before + (double)x[lane * apart];
            y[lane * apart] = (float)(exclusive ? before : sums[lane]);
        }
    }
}

HK_INLINE void hk_sum_vector(const float *x, size_t count, ptrdiff_t step, bool exclusive, float *y) {
    typedef double doubles __attribute__((ext_vector_type(HK_LANES)));
    doubles sum = 0;
    for (size_t i = 0; i < count; i++, x += step, y += step) {
        const doubles before = sum;
        sum = before + __builtin_convertvector(hk_load(x), doubles);
        hk_store(y, __builtin_convertvector(exclusive ? before : sum, hk_vector));
    }
}

static void hk_running_sum(
    const float *x, size_t count, ptrdiff_t step, size_t lanes, size_t apart, bool exclusive, float *y) {
    size_t lane = 0;
    if (apart == 1) {
        for (; lane + HK_LANES <= lanes; lane += HK_LANES) hk_sum_vector(x + lane, count, step, exclusive, y + lane);
    }
    for (; lane + 4 <= lanes; lane += 4) {
        hk_sum_lanes(x + lane * apart, count, step, 4, apart, exclusive, y + lane * apart);
    }
    for (; lane < lanes; lane++) hk_sum_lanes(x + lane * apart, count, step, 1, apart, exclusive, y + lane * apart);
}

#endif
