// Speed of attention for one token over a long cache, by the cache's format: microseconds, and bytes of keys and values a
// second. Shapes: the heads that share one key/value head of Gemma 3 270M (4 × 256) and of Gemma 2B (8 × 256).
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "CHearthKernels.h"

enum { ROUNDS = 9, WIDTH = 256 };

// The thread's own time: preemption by a neighbour is no property of a kernel.
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int count, char **arguments) {
    const size_t positions = count > 1 ? strtoul(arguments[1], NULL, 10) : 4096;
    const char *only_set = count > 2 ? arguments[2] : NULL;
    static const struct {
        const char *name;
        hk_format format;
        size_t bytes;
    } formats[] = {{"float32", HK_F32, 4 * WIDTH}, {"float16", HK_F16, 2 * WIDTH}, {"int8", HK_Q8_0, WIDTH / 32 * 34}};
    const hk_kernels *sets[8];
    const size_t set_count = hk_available(sets, 8);
    // Eighteen layers, so that no cache of the processor holds them all.
    enum { LAYERS = 18 };
    float row[WIDTH], queries[8 * WIDTH], output[8 * WIDTH], maximum[8], total[8];
    for (size_t i = 0; i < WIDTH; i++) row[i] = (float)((int)(i * 7919 % 2001) - 1000) * 1e-3f;
    for (size_t i = 0; i < 8 * WIDTH; i++) queries[i] = (float)((int)(i * 104729 % 2001) - 1000) * 1e-3f;
    printf("%zu positions\n%-10s%-9s%6s%12s%10s\n", positions, "set", "format", "heads", "us/layer", "GB/s");
    for (size_t s = 0; s < set_count; s++) {
        const hk_kernels *set = sets[s];
        if (only_set && strcmp(only_set, set->name)) continue;
        for (size_t f = 0; f < 3; f++) {
            const size_t bytes = formats[f].bytes, side = positions * bytes;
            uint8_t *cache = malloc(2 * LAYERS * side);
            for (size_t r = 0; r < 2 * LAYERS * positions; r++) {
                row[r % WIDTH] = -row[r % WIDTH];
                set->pack_row(formats[f].format, row, WIDTH, cache + r * bytes);
            }
            for (size_t heads = 4; heads <= 8; heads += 4) {
                double best = 1e9;
                for (int round = 0; round < ROUNDS; round++) {
                    const double start = now();
                    for (size_t l = 0; l < LAYERS; l++) {
                        const uint8_t *keys = cache + 2 * l * side;
                        const hk_attention task = {
                            queries, heads, WIDTH, formats[f].format, keys, keys + side, bytes, positions, 0, positions,
                            0.0625f, 0, output, maximum, total};
                        set->attend(&task);
                    }
                    const double time = (now() - start) / LAYERS;
                    if (time < best) best = time;
                }
                printf("%-10s%-9s%6zu%12.0f%10.2f\n", set->name, formats[f].name, heads, best * 1e6, 2e-9 * (double)side / best);
                fflush(stdout);
            }
            free(cache);
        }
    }
    return 0;
}
