// Elements of an axis in order, and the first of them: by their keys, of which only those are kept and sorted that may be
// among the first.
#ifndef HK_VISION_ORDER_H
#define HK_VISION_ORDER_H

#include "vision_vector.h"

// The number by which an element is ordered, smallest first: no NaN.
HK_INLINE float hk_order_value(const hk_order *order, size_t place) {
    const float value = order->x[place * order->step];
    return value != value ? __builtin_inff() : order->ascending ? value : -value;
}

// A number in the upper half whose order is that of the values, one for both zeros, and the place in the lower half.
HK_INLINE uint64_t hk_order_key(float value, size_t place) {
    const float sum = value + 0.0f;
    uint32_t bits;
    memcpy(&bits, &sum, sizeof bits);
    const uint32_t number = bits & 0x80000000 ? ~bits : bits | 0x80000000;
    return (uint64_t)number << 32 | (uint32_t)place;
}

HK_INLINE float hk_value_of_key(uint64_t key) {
    const uint32_t number = (uint32_t)(key >> 32), bits = number & 0x80000000 ? number ^ 0x80000000 : ~number;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Byte by byte of the upper half, from the lowest on: those that are equal stay in the order of their places.
static void hk_sort_keys(uint64_t *keys, uint64_t *spare, size_t count) {
    enum { FEW = 40, BYTES = 4, VALUES = 256 };
    if (count <= FEW) {
        for (size_t i = 1; i < count; i++) {
            const uint64_t key = keys[i];
            size_t at = i;
            for (; at > 0 && keys[at - 1] > key; at--) keys[at] = keys[at - 1];
            keys[at] = key;
        }
        return;
    }
    uint32_t ends[BYTES][VALUES] = {{0}};
    for (size_t i = 0; i < count; i++) {
        for (int byte = 0; byte < BYTES; byte++) ends[byte][keys[i] >> (32 + 8 * byte) & 0xff]++;
    }
    uint64_t *from = keys, *to = spare;
    for (int byte = 0; byte < BYTES; byte++) {
        uint32_t next = 0;
        for (int value = 0; value < VALUES; value++) {
            const uint32_t size = ends[byte][value];
            ends[byte][value] = next;
            next += size;
        }
        for (size_t i = 0; i < count; i++) to[ends[byte][from[i] >> (32 + 8 * byte) & 0xff]++] = from[i];
        uint64_t *const other = from;
        from = to;
        to = other;
    }
}

// Forgets all but the first ones. What comes later and equals the last of them has a higher place.
static void hk_cut_order(hk_order *order) {
    hk_sort_keys(order->keys, order->spare, order->held);
    order->held = order->kept;
    order->is_bounded = true;
    order->bound = hk_value_of_key(order->keys[order->kept - 1]);
}

// Without a branch that depends on the values; there has to be room for all of them.
HK_INLINE void hk_append_keys(hk_order *order, size_t from, size_t to) {
    size_t held = order->held;
    const bool takes_all = !order->is_bounded;
    for (size_t i = from; i < to; i++) {
        const float value = hk_order_value(order, i);
        order->keys[held] = hk_order_key(value, i);
        held += takes_all | (value < order->bound);
    }
    order->held = held;
}

enum { HK_ORDERED = 4 };  // vectors that are looked at together

HK_INLINE bool hk_any_within(const hk_order *order, const float *x) {
    hk_integers within = 0;
    HK_UNROLL for (int k = 0; k < HK_ORDERED; k++) {
        const hk_vector v = hk_load(x + (size_t)k * HK_LANES);
        within |= (order->ascending ? v : -v) < order->bound;
    }
    return __builtin_reduce_or(within) != 0;
}

static void hk_order_some(hk_order *order, size_t from, size_t to) {
    enum { STEP = HK_ORDERED * HK_LANES };
    _Static_assert((int)STEP <= (int)HK_ORDER_ROOM, "room for what is taken at once");
    size_t i = from;
    if (order->step == 1) {
        for (; i + STEP <= to; i += STEP) {
            if (order->is_bounded && !hk_any_within(order, order->x + i)) continue;
            if (order->room - order->held < STEP) hk_cut_order(order);
            hk_append_keys(order, i, i + STEP);
        }
    }
    for (; i < to; i++) {
        if (order->held == order->room) hk_cut_order(order);
        hk_append_keys(order, i, i + 1);
    }
}

static void hk_ordered(hk_order *order, size_t step, float *values, float *places) {
    hk_sort_keys(order->keys, order->spare, order->held);
    for (size_t i = 0; i < order->kept; i++) {
        const uint32_t place = (uint32_t)order->keys[i];
        values[i * step] = order->x[place * order->step];
        places[i * step] = (float)place;
    }
}

#endif
