// Along an axis: places of extremes, running sums and orders, exactly as plain loops have them, with NaN, infinities, zeros of both
// signs and many equal values.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vision.h"

#define SEED 0x452821e638d01377
#include "random.h"

static void check(const hk_vision_kernels *set, int *failures, const char *what, size_t index, float got, float want) {
    if (memcmp(&got, &want, sizeof got) == 0 || (isnan(got) && isnan(want))) return;
    if (++*failures < 40) printf("FAIL %s %s [%zu]: %.9g instead of %.9g\n", set->name, what, index, (double)got, (double)want);
}

static float *random_values(size_t count) {
    const float odd[] = {NAN, INFINITY, -INFINITY, 0, -0.0f, 1, -1};
    const size_t often = below(3);
    float *x = random_floats(count, 2);
    for (size_t i = 0; i < count; i++) {
        if (often == 0 && below(4) == 0) x[i] = odd[below(7)];
        if (often == 1) x[i] = roundf(2 * x[i]);
    }
    return x;
}

static void test_extremes(const hk_vision_kernels *set, int *failures) {
    const size_t count = 1 + below(300), stride = below(2) ? 1 : 1 + below(80);
    float *x = random_values(count * stride), *y = malloc(stride * sizeof *y);
    for (int least = 0; least < 2; least++) {
        set->find_extreme(least, x, count, stride, stride, y);
        for (size_t s = 0; s < stride; s++) {
            size_t best = 0;
            for (size_t i = 1; i < count; i++) {
                const float a = x[i * stride + s], b = x[best * stride + s];
                if (least ? a < b : a > b) best = i;
            }
            check(set, failures, "extreme", s, y[s], (float)best);
        }
    }
    free(x);
    free(y);
}

static void test_sums(const hk_vision_kernels *set, int *failures) {
    const size_t count = 1 + below(100), lanes = 1 + below(40);
    const bool are_rows = below(2), exclusive = below(2), reversed = below(2);
    const size_t apart = are_rows ? count : 1, stride = are_rows ? 1 : lanes;
    float *x = random_values(count * lanes), *y = malloc(count * lanes * sizeof *y);
    const size_t first = reversed ? (count - 1) * stride : 0;
    const ptrdiff_t step = reversed ? -(ptrdiff_t)stride : (ptrdiff_t)stride;
    set->running_sum(x + first, count, step, lanes, apart, exclusive, y + first);
    for (size_t lane = 0; lane < lanes; lane++) {
        double sum = 0;
        for (size_t i = 0; i < count; i++) {
            const size_t at = lane * apart + (reversed ? count - 1 - i : i) * stride;
            const double before = sum;
            sum += x[at];
            check(set, failures, "running sum", at, y[at], (float)(exclusive ? before : sum));
        }
    }
    // In the place of the values.
    set->running_sum(x + first, count, step, lanes, apart, exclusive, x + first);
    for (size_t i = 0; i < count * lanes; i++) check(set, failures, "running sum in place", i, x[i], y[i]);
    free(x);
    free(y);
}

// Whether a comes before b.
static bool is_before(float a, float b, bool ascending) {
    const float x = isnan(a) ? INFINITY : ascending ? a : -a, y = isnan(b) ? INFINITY : ascending ? b : -b;
    return x < y;
}

static void test_orders(const hk_vision_kernels *set, int *failures) {
    const size_t count = 1 + below(below(2) ? 3000 : 60), step = below(2) ? 1 : 1 + below(5);
    const bool ascending = below(2);
    const size_t kept = 1 + below(below(2) ? count : count < 9 ? count : 9);
    const size_t room = kept + HK_ORDER_ROOM + below(200) < count ? kept + HK_ORDER_ROOM : count;
    float *x = random_values(count * step), *values = malloc(kept * step * sizeof *values);
    float *places = malloc(kept * step * sizeof *places);
    uint64_t *keys = malloc(2 * room * sizeof *keys);
    size_t *order = malloc(count * sizeof *order);
    hk_order o = {.x = x, .step = step, .kept = kept, .room = room, .keys = keys, .spare = keys + room, .ascending = ascending};
    const size_t middle = below(count + 1);
    set->order(&o, 0, middle);
    set->order(&o, middle, count);
    set->ordered(&o, step, values, places);
    for (size_t i = 0; i < count; i++) {
        size_t at = i;
        for (; at > 0 && is_before(x[i * step], x[order[at - 1] * step], ascending); at--) order[at] = order[at - 1];
        order[at] = i;
    }
    for (size_t i = 0; i < kept; i++) {
        check(set, failures, "place in order", i, places[i * step], (float)order[i]);
        check(set, failures, "value in order", i, values[i * step], x[order[i] * step]);
    }
    free(x);
    free(values);
    free(places);
    free(keys);
    free(order);
}

void compare_vision_axis(const hk_vision_kernels *set, int *failures) {
    for (int round = 0; round < 60; round++) {
        test_extremes(set, failures);
        test_sums(set, failures);
        test_orders(set, failures);
    }
}
