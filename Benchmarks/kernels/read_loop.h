// The fastest plain read of memory: what no product with weights that stream from memory can beat.
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef uint64_t read_words __attribute__((vector_size(64), aligned(8)));

// XOR of `count` bytes (a multiple of 1024 is read), as `streams` neighbouring pieces side by side, each fetched `ahead` bytes
// ahead. Inlined, so that it takes the width of the function that it stands in; `streams` is at most 4.
static inline __attribute__((always_inline)) uint64_t read_linear(
    const uint8_t *bytes, size_t count, size_t streams, size_t ahead) {
    const size_t part = count / streams / 256 * 256;
    read_words sums[4] = {{0}, {0}, {0}, {0}};
    for (size_t i = 0; i < part; i += 256) {
        for (size_t s = 0; s < streams; s++) {
            const uint8_t *at = bytes + s * part + i;
            for (size_t k = 0; k < 4; k++) {
                __builtin_prefetch(at + 64 * k + ahead, 0, 3);
                sums[k] ^= *(const read_words *)(at + 64 * k);
            }
        }
    }
    const read_words all = sums[0] ^ sums[1] ^ sums[2] ^ sums[3];
    uint64_t total = 0;
    for (int i = 0; i < 8; i++) total ^= all[i];
    return total;
}
