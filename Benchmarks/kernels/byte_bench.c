// Speed of the convolutions of 8-bit codes beside those of float32: layers of ResNet-50 and MobileNetV2, in the thread's CPU time.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "CHearthKernels.h"

enum { MOST_PARTS = 1 << 16, RUNS = 12 };

typedef struct {
    size_t inputs, outputs, size, kernel, stride;
    bool depthwise;
} layer;

static const layer layers[] = {
    {3, 64, 224, 7, 2, false},    {64, 256, 56, 1, 1, false},   {256, 64, 56, 1, 1, false},  {64, 64, 56, 3, 1, false},
    {512, 128, 28, 1, 1, false},  {128, 128, 28, 3, 1, false},  {512, 1024, 28, 1, 2, false}, {256, 256, 14, 3, 1, false},
    {1024, 256, 14, 1, 1, false}, {512, 512, 7, 3, 1, false},   {2048, 512, 7, 1, 1, false}, {24, 144, 56, 1, 1, false},
    {96, 24, 56, 1, 1, false},    {160, 960, 7, 1, 1, false},   {144, 144, 56, 3, 1, true},  {144, 144, 56, 3, 2, true},
    {576, 576, 14, 3, 1, true},   {960, 960, 7, 3, 1, true},
};

static hk_part parts[MOST_PARTS];

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *filled(size_t bytes, int byte) {
    void *p = aligned_alloc(64, (bytes + 127) / 64 * 64);
    if (!p) abort();
    return memset(p, byte, bytes + 16);
}

static float *constants(size_t count, float value) {
    float *p = filled(count * sizeof *p, 0);
    for (size_t i = 0; i < count; i++) p[i] = value;
    return p;
}

// The best of some runs of five milliseconds, in seconds a pass.
#define BEST(result, work)                                                                                            \
    for (int run = 0; run < RUNS; run++) {                                                                            \
        const double begin = seconds();                                                                               \
        double passed;                                                                                                \
        size_t passes = 0;                                                                                            \
        do {                                                                                                          \
            work;                                                                                                     \
            passes++;                                                                                                 \
        } while ((passed = seconds() - begin) < 5e-3);                                                                \
        if (!run || passed / (double)passes < result) result = passed / (double)passes;                               \
    }

static void measure(const hk_vision_kernels *set, const layer *l) {
    const size_t pad = l->kernel / 2, size = (l->size + 2 * pad - l->kernel) / l->stride + 1, plane = size * size;
    const size_t blocks = (l->outputs + 15) / 16, input_blocks = (l->inputs + 15) / 16;
    hk_codes in = {
        .height = l->size, .width = l->size, .channels = (l->inputs + 3) / 4 * 4, .top = pad, .left = pad, .bottom = pad,
        .right = pad, .scale = 0.1f, .zero = 128, .highest = 255};
    hk_codes out = {
        .height = size, .width = size, .channels = (l->outputs + 3) / 4 * 4, .scale = 0.1f, .zero = 128, .highest = 255};
    in.bytes = filled(hk_codes_image(&in), 130);
    out.bytes = filled(hk_codes_image(&out), 0);
    float *channels = constants(blocks * 16, 0.001f), *y = constants(blocks * 16 * plane, 0);
    float *x = constants(input_blocks * 16 * l->size * l->size, 0.5f);
    const hk_window window = {l->kernel, l->kernel, l->stride, l->stride, 1, 1, pad, pad};
    const hk_epilogue epilogue = {channels, NULL, false, HK_RELU, 0, 0};
    hk_byte_convolution c = {
        .input = in, .sums = channels, .scales = channels, .epilogue = epilogue, .codes = out, .window = window,
        .input_channels = l->inputs, .output_channels = l->outputs, .output_height = size, .output_width = size, .groups = 1,
        .depthwise = l->depthwise};
    c.weights = filled(hk_packed_bytes(&c), 3);
    double bytes = 0, floats = 0;
    size_t count = hk_plan_byte_convolution(&c, 1, parts, MOST_PARTS);
    BEST(bytes, for (size_t i = 0; i < count; i++) set->bytes->convolve(&c, &parts[i]))
    float *weights = NULL;
    if (l->depthwise) {
        weights = constants(blocks * 16 * l->kernel * l->kernel, 0.01f);
        const hk_depthwise d = {x, weights, y, epilogue, window, blocks, l->size, l->size, size, size};
        const hk_part all = {0, 0, blocks, 0, size, 0, size};
        BEST(floats, set->convolve_depthwise(&d, &all))
    } else {
        hk_convolution f = {
            x, NULL, NULL, y, epilogue, window, false, l->inputs, l->size, l->size, l->outputs, size, size, l->inputs,
            l->outputs, input_blocks, 0};
        weights = constants(blocks * hk_packed_block(&f), 0.01f);
        f.weights = weights;
        count = hk_plan_convolution(&f, 1, parts, MOST_PARTS);
        BEST(floats, for (size_t i = 0; i < count; i++) set->convolve(&f, &parts[i]))
    }
    const double products =
        (double)(plane * l->outputs * l->kernel * l->kernel) * (double)(l->depthwise ? 1 : l->inputs);
    printf(
        "%-8s %4zu -> %4zu  %3zu x %-3zu  %zu x %zu stride %zu %-9s  %7.1f us %6.1f GMAC/s  float32 %7.1f us %5.1f GMAC/s  %.2f x\n",
        set->name, l->inputs, l->outputs, l->size, l->size, l->kernel, l->kernel, l->stride,
        l->depthwise ? "depthwise" : "", bytes * 1e6, products / bytes * 1e-9, floats * 1e6, products / floats * 1e-9,
        floats / bytes);
    fflush(stdout);
    free(in.bytes);
    free(out.bytes);
    free(channels);
    free(x);
    free(y);
    free(weights);
    free((void *)c.weights);
}

int main(int count, char **arguments) {
    const hk_kernels *sets[4];
    const size_t available = hk_available(sets, 4);
    for (size_t i = 0; i < available; i++) {
        if (count > 1 && strcmp(arguments[1], sets[i]->vision->name)) continue;
        for (size_t k = 0; k < sizeof layers / sizeof *layers; k++) measure(sets[i]->vision, &layers[k]);
    }
    return 0;
}
