// A fixed product for counting instructions: count FORMAT BITS ROWS COLUMNS TOKENS TIMES multiplies the same matrix with the same
// activations TIMES times, activations quantized each time. The counts of two runs that differ in TIMES differ by whole products:
// what else the program does is in both. See Benchmarks/kernels/instructions.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CHearthKernels.h"
#include "formats.h"

int main(int count, char **arguments) {
    if (count < 7) return 2;
    const format_case *f = NULL;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (!strcmp(formats[i].name, arguments[1])) f = &formats[i];
    }
    const int bits = atoi(arguments[2]);
    const size_t rows = strtoul(arguments[3], NULL, 10), columns = strtoul(arguments[4], NULL, 10);
    const size_t tokens = strtoul(arguments[5], NULL, 10), times = strtoul(arguments[6], NULL, 10);
    if (!f || columns % f->values) return 2;
    const hk_kernels *sets[8];
    const size_t available = hk_available(sets, 8);
    const char *name = getenv("HEARTH_KERNELS");
    const hk_kernels *set = NULL;
    for (size_t i = available; i-- > 0;) {
        if (!name || !strcmp(sets[i]->name, name)) set = bits == 8 ? sets[i]->with_bytes : sets[i]->with_words;
    }
    if (!set) return 2;
    const size_t row_bytes = columns / f->values * f->bytes, steps = (columns + 255) / 256;
    uint8_t *weights = malloc(rows * row_bytes);
    // Bytes that make small finite scales in every format.
    for (size_t i = 0; i < rows * row_bytes; i++) weights[i] = (uint8_t)(0x11 + (i * 2654435761u >> 24) % 8);
    float *x = malloc(tokens * columns * sizeof *x), *y = malloc(tokens * rows * sizeof *y);
    for (size_t i = 0; i < tokens * columns; i++) x[i] = (float)((int)(i * 7919 % 2001) - 1000) * 1e-3f;
    uint8_t *a = aligned_alloc(64, tokens * steps * 4 * set->pair_bytes);
    for (size_t time = 0; time < times; time++) {
        // Rows in pieces as a thread of the engine gets them (MatrixGroup).
        const size_t piece = tokens < 8 ? rows : columns > 4096 ? 128 : 256;
        for (size_t t = 0; t < tokens; t++) set->quantize(x + t * columns, columns, a + 4 * t * set->pair_bytes, 4 * tokens);
        for (size_t row = 0; row < rows; row += piece) {
            const size_t some = rows - row < piece ? rows - row : piece;
            set->multiply(
                f->format, weights + row * row_bytes, row_bytes, some, columns, a, 4, 4 * tokens, tokens, y + row, rows);
        }
    }
    printf("%s, %d bits, %g\n", set->name, set->activation_bits, times ? (double)y[0] : 0.0);
    return 0;
}
