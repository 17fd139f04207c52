// Random numbers that are the same in every run (xorshift64). A file defines SEED before it includes this.
#ifndef RANDOM_H
#define RANDOM_H

#include <stdint.h>
#include <stdlib.h>

static uint64_t random_state = SEED;

static inline size_t below(size_t limit) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (size_t)(random_state >> 33) % limit;
}

// From -1 to 1.
static inline float random_float(void) {
    return (float)((double)below(1 << 24) / (1 << 23) - 1);
}

// From -scale to scale.
static inline float *random_floats(size_t count, float scale) {
    float *x = malloc((count ? count : 1) * sizeof *x);
    for (size_t i = 0; i < count; i++) x[i] = scale * random_float();
    return x;
}

#endif
