// Weights that are stored in fewer bits, as the numbers that they stand for.
#ifndef HK_VISION_EXPAND_H
#define HK_VISION_EXPAND_H

#include <stdint.h>

#include "vision_vector.h"

static void hk_expand_half(const void *halves, size_t count, float *out) {
    const uint8_t *bytes = halves;
    for (size_t i = 0; i < count; i++) {
        _Float16 half;
        __builtin_memcpy(&half, bytes + 2 * i, sizeof half);
        out[i] = (float)half;
    }
}

// Codes of 8 bits, or of 4 with the first in the low half of a byte, into `table`.
static void hk_expand_palette(const uint8_t *codes, size_t bits, const float *table, size_t count, float *out) {
    if (bits == 8) {
        for (size_t i = 0; i < count; i++) out[i] = table[codes[i]];
    } else {
        for (size_t i = 0; i < count / 2; i++) {
            out[2 * i] = table[codes[i] & 15];
            out[2 * i + 1] = table[codes[i] >> 4];
        }
        if (count % 2) out[count - 1] = table[codes[count / 2] & 15];
    }
}

#endif
