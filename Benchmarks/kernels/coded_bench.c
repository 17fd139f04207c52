// The convolutions of ResNet-50-224 with weights in several codings, expanded by the panel while they are multiplied with,
// beside the same convolutions with the numbers: in turn, in the thread's own processor time, which neighbours change little.
// All weights are read once a round, so they come from memory as in a real network.
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "CHearthKernels.h"

enum { MOST_ROUNDS = 99, MOST_LAYERS = 64, MOST_PARTS = 4096, ARENA = 4 << 20 };

typedef struct {
    const char *name;
    hk_coding coding;
    size_t bits;
    bool rounds, blocks;
} mode;

// Blocks: scales for every 32 inputs instead of for all.
static const mode modes[] = {
    {"numbers", HK_CODED_FLOAT, 0, false, false},    {"half", HK_CODED_HALF, 0, false, false},
    {"palette1", HK_CODED_PALETTE, 1, false, false}, {"palette4", HK_CODED_PALETTE, 4, false, false},
    {"palette6", HK_CODED_PALETTE, 6, false, false}, {"palette8", HK_CODED_PALETTE, 8, false, false},
    {"int8, fp32", HK_CODED_AFFINE, 8, false, false}, {"int8, fp16", HK_CODED_AFFINE, 8, true, false},
    {"int4 by 32", HK_CODED_AFFINE, 4, true, true},
};
enum { MODES = sizeof modes / sizeof *modes };

typedef struct {
    hk_convolution shape;
    float *weights;
} layer;

static layer layers[MOST_LAYERS];
static size_t layer_count = 0;
static float table[256];

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void add_layer(const float *x, float *y, size_t inputs, size_t outputs, size_t kernel, size_t stride, size_t size) {
    layer *l = &layers[layer_count++];
    l->shape = (hk_convolution){
        .input = x, .output = y, .epilogue = {.function = HK_RELU},
        .window = {kernel, kernel, stride, stride, 1, 1, kernel / 2, kernel / 2}, .channels = inputs, .height = size,
        .width = size, .output_channels = outputs, .output_height = size / stride, .output_width = size / stride,
        .group_inputs = inputs, .group_outputs = outputs, .input_blocks = inputs / 16};
    const size_t count = inputs * outputs * kernel * kernel;
    l->weights = aligned_alloc(64, (count * sizeof(float) + HK_CODED_MARGIN + 63) / 64 * 64);
    for (size_t i = 0; i < count; i++) l->weights[i] = table[rand() & 255];
}

static double pass(const hk_vision_kernels *set, const mode *m) {
    static hk_part parts[MOST_PARTS];
    double ms = 0;
    for (size_t i = 0; i < layer_count; i++) {
        hk_convolution c = layers[i].shape;
        const size_t taps = c.window.kernel_height * c.window.kernel_width;
        const hk_coded coded = {
            .coding = m->coding, .bits = m->bits, .codes = (const uint8_t *)layers[i].weights, .tables = table,
            .scales = (const uint8_t *)layers[i].weights, .offset = 128, .half_parameters = m->blocks,
            .rounds_to_half = m->rounds, .stretch = taps * (m->blocks ? 32 : c.channels)};
        hk_coded whole = coded;
        if (m->coding == HK_CODED_PALETTE) whole.stretch = SIZE_MAX / 2;
        if (m->coding == HK_CODED_FLOAT) c.weights = layers[i].weights;
        else c.coded = &whole;
        const size_t count = hk_plan_convolution(&c, 1, parts, MOST_PARTS);
        const double begin = now();
        for (size_t k = 0; k < count; k++) set->convolve(&c, &parts[k]);
        ms += now() - begin;
    }
    return ms;
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    const size_t rounds = argc > 1 && atoi(argv[1]) > 0 && atoi(argv[1]) < MOST_ROUNDS ? (size_t)atoi(argv[1]) : 11;
    float *x = aligned_alloc(64, ARENA * sizeof *x), *y = aligned_alloc(64, ARENA * sizeof *y);
    for (size_t i = 0; i < ARENA; i++) x[i] = (float)(rand() % 1000) * 1e-3f;
    for (int i = 0; i < 256; i++) table[i] = (float)(i - 128) * 1e-3f;
    const size_t sizes[] = {56, 28, 14, 7}, widths[] = {64, 128, 256, 512}, repeats[] = {3, 4, 6, 3};
    size_t inputs = 64;
    for (size_t s = 0; s < 4; s++) {
        for (size_t b = 0; b < repeats[s]; b++) {
            const size_t stride = b == 0 && s > 0 ? 2 : 1, before = sizes[s] * stride;
            add_layer(x, y, inputs, widths[s], 1, 1, before);
            add_layer(x, y, widths[s], widths[s], 3, stride, before);
            add_layer(x, y, widths[s], 4 * widths[s], 1, 1, sizes[s]);
            if (b == 0) add_layer(x, y, inputs, 4 * widths[s], 1, stride, before);
            inputs = 4 * widths[s];
        }
    }
    const hk_kernels *sets[8];
    const size_t count = hk_available(sets, 8);
    static double times[MODES][MOST_ROUNDS];
    for (size_t k = 0; k < count; k++) {
        if (argc > 2 ? strcmp(argv[2], sets[k]->name) != 0 : strcmp("portable", sets[k]->name) == 0) continue;
        for (size_t r = 0; r < rounds; r++) {
            for (size_t m = 0; m < MODES; m++) times[m][r] = pass(sets[k]->vision, &modes[m]);
        }
        for (size_t m = 0; m < MODES; m++) qsort(times[m], rounds, sizeof(double), by_value);
        for (size_t m = 0; m < MODES; m++) {
            printf(
                "%-9s %-11s median %7.2f ms  best %7.2f ms  %.3f x the numbers' (best %.3f x)\n", sets[k]->name,
                modes[m].name, times[m][rounds / 2], times[m][0], times[m][rounds / 2] / times[0][rounds / 2],
                times[m][0] / times[0][0]);
        }
    }
    return 0;
}
