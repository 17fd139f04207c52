// Speed of `multiply` for each format and instruction set, next to the read bandwidth of the same run.
// Decoding (one token) is bound by the memory that weights stream from: the figure of merit is the ratio of the bytes
// of weights a second to what a plain read loop reaches. Both alternate, and the best run of each counts, so a busy
// neighbour slows neither alone.
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "CHearthKernels.h"
#include "formats.h"
#include "read_loop.h"

enum { ROUNDS = 15, TOKENS = 64 };

// The thread's own time: preemption by a neighbour is no property of a kernel.
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int count, char **arguments) {
    const size_t columns = count > 1 ? strtoul(arguments[1], NULL, 10) : 2048;
    const size_t megabytes = count > 2 ? strtoul(arguments[2], NULL, 10) : 512;
    const char *only = count > 3 ? arguments[3] : NULL, *only_set = count > 4 ? arguments[4] : NULL;
    const size_t total = megabytes << 20;
    uint8_t *weights = mmap(NULL, total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (weights == MAP_FAILED) return 1;
    // Bytes that make small finite scales in every format.
    for (size_t i = 0; i < total; i++) weights[i] = (uint8_t)(0x11 + (i * 2654435761u >> 24) % 8);
    const size_t pairs = (columns + 255) / 256 * 4;
    float *x = malloc(TOKENS * columns * sizeof *x), *y = malloc(TOKENS * (total / columns * 2) * sizeof *y);
    for (size_t i = 0; i < TOKENS * columns; i++) x[i] = (float)((int)(i * 7919 % 2001) - 1000) * 1e-3f;
    uint8_t *a = aligned_alloc(64, TOKENS * pairs * sizeof(hk_activation_planes));  // the larger form
    // Each set with activations of 16 bits, then with 8.
    const hk_kernels *available[4], *sets[8];
    size_t set_count = 0;
    for (size_t i = 0, all = hk_available(available, 4); i < all; i++) {
        sets[set_count++] = available[i];
        sets[set_count++] = available[i]->with_bytes;
    }
    volatile uint64_t sink = 0;
    printf("%zu columns, %zu MB\n%-8s%4s  %-8s%10s%10s%8s%14s%14s\n", columns, megabytes, "set", "bits", "format", "GB/s", "read",
        "ratio", "GMAC/s x8", "GMAC/s x64");
    for (size_t s = 0; s < set_count; s++) {
        const hk_kernels *set = sets[s];
        if (only_set && strcmp(only_set, set->name)) continue;
        for (size_t t = 0; t < TOKENS; t++) set->quantize(x + t * columns, columns, a + 4 * t * set->pair_bytes, 4 * TOKENS);
        for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
            const format_case *f = &formats[i];
            if (columns % f->values || (only && strcmp(only, "all") && strcmp(only, f->name))) continue;
            const size_t row_bytes = columns / f->values * f->bytes, rows = total / row_bytes;
            const void *operand = f->values > 1 ? (const void *)a : x;
            const size_t stride = f->values > 1 ? 4 : columns;
            const bool slow = !strcmp(set->name, "portable") && set_count > 2;
            double best = 1e9, ceiling = 1e9, several = 1e9, prefill = 1e9;
            for (int round = 0; round < (slow ? 1 : ROUNDS); round++) {
                double start = now();
                sink ^= read_linear(weights, total, 4, 2048);
                double end = now();
                if (end - start < ceiling) ceiling = end - start;
                start = now();
                set->multiply(f->format, weights, row_bytes, rows, columns, operand, stride, 4, 1, y, rows);
                end = now();
                if (end - start < best) best = end - start;
                const size_t some = 1024 < rows ? 1024 : rows;
                for (size_t tokens = 8; tokens <= TOKENS; tokens += TOKENS - 8) {
                    double *seconds = tokens == 8 ? &several : &prefill;
                    start = now();
                    set->multiply(
                        f->format, weights, row_bytes, some, columns, operand, stride, 4 * TOKENS, tokens, y, some);
                    end = now();
                    if ((end - start) / (double)some < *seconds) *seconds = (end - start) / (double)some;
                }
            }
            const double bytes = (double)(rows * row_bytes);
            printf("%-8s%4d  %-8s%10.2f%10.2f%8.2f%14.1f%14.1f\n", set->name, set->activation_bits, f->name, bytes / best * 1e-9,
                (double)total / ceiling * 1e-9, bytes / best / ((double)total / ceiling),
                (double)columns * 8 / several * 1e-9, (double)columns * TOKENS / prefill * 1e-9);
            fflush(stdout);
        }
    }
    return 0;
}
