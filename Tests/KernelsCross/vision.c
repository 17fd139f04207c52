// Compares the vision kernels of every set with plain loops in double precision that know nothing of blocks and tiles,
// on seeded random shapes, in buffers of exactly the needed size.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vision.h"

#define SEED 0x243f6a8885a308d3
#include "random.h"

static int failures = 0;

static void check(const char *set, const char *what, size_t index, float got, double want, double tolerance) {
    if (fabs((double)got - want) <= tolerance || (isnan(got) && isnan(want)) || (double)got == want) return;
    if (++failures < 40) printf("FAIL %s %s [%zu]: %.9g instead of %.9g\n", set, what, index, (double)got, want);
}

static size_t blocks_of(size_t channels) {
    return (channels + 15) / 16;
}

// Lanes that no channel uses hold NaN: they must never reach a result.
static float *blocked(const float *plain, size_t images, size_t channels, size_t positions) {
    const size_t blocks = blocks_of(channels);
    float *out = malloc(images * blocks * positions * 16 * sizeof *out);
    for (size_t i = 0; i < images * blocks * positions * 16; i++) out[i] = NAN;
    for (size_t n = 0; n < images; n++) {
        for (size_t c = 0; c < channels; c++) {
            for (size_t p = 0; p < positions; p++) {
                out[((n * blocks + c / 16) * positions + p) * 16 + c % 16] = plain[(n * channels + c) * positions + p];
            }
        }
    }
    return out;
}

static double function(hk_function f, double a, double b, double x) {
    switch (f) {
    case HK_RELU: return x > 0 ? x : 0;
    case HK_CLIP: return fmin(fmax(x, a), b);
    case HK_LEAKY_RELU: return x >= 0 ? x : a * x;
    case HK_THRESHOLDED: return x >= a ? x : 0;
    case HK_CLAMPED_RELU: return fmin(b, x >= 0 ? x : a * x);
    case HK_LINEAR: return a * x + b;
    case HK_SIGMOID: return 1 / (1 + exp(-x));
    case HK_HARD_SIGMOID: return fmin(fmax(a * x + b, 0), 1);
    case HK_HARD_SWISH: return x * fmin(fmax(a * x + b, 0), 1);
    case HK_SILU: return x / (1 + exp(-x));
    case HK_GELU: return 0.5 * x * erfc(-x / sqrt(2));
    case HK_GELU_TANH: return 0.5 * x * (1 + tanh(sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
    case HK_GELU_SIGMOID: return x / (1 + exp(-1.702 * x));
    case HK_TANH: return tanh(x);
    case HK_SCALED_TANH: return a * tanh(b * x);
    case HK_ELU: return x >= 0 ? x : a * expm1(x);
    case HK_SOFTPLUS: return log1p(exp(x));
    case HK_SOFTSIGN: return x / (1 + fabs(x));
    case HK_EXP: return exp(x);
    case HK_LOG: return log(x + a);
    case HK_SQRT: return sqrt(x);
    case HK_RSQRT: return 1 / sqrt(x + a);
    case HK_INVERSE: return 1 / (x + a);
    case HK_ERF: return erf(x);
    case HK_ABS: return fabs(x);
    case HK_SQUARE: return x * x;
    case HK_FLOOR: return floor(x);
    case HK_CEIL: return ceil(x);
    case HK_ROUND: return rint(x);
    case HK_SIGN: return (x > 0) - (x < 0);
    case HK_NOT: return x == 0;
    case HK_TRUNCATE: return trunc(x);
    case HK_TRUTH: return x != 0;
    case HK_IDENTITY: case HK_FUNCTIONS: break;
    }
    return x;
}

typedef struct {
    size_t images, channels, outputs, groups, height, width, output_height, output_width;
    hk_window window;
    bool plain_output;
} shape;

static size_t padding_below(size_t limit) {
    return below(3) ? below(limit) : 0;
}

static shape random_shape(bool grouped) {
    for (;;) {
        shape s = {.images = 1 + below(2), .groups = 1};
        const size_t kernels[] = {1, 1, 2, 3, 3, 5, 7};
        s.window = (hk_window){
            kernels[below(7)], kernels[below(7)], 1 + below(3), 1 + below(3), 1 + below(2), 1 + below(2),
            padding_below(4), padding_below(4)};
        s.height = 1 + below(12);
        s.width = 1 + below(below(2) ? 8 : 40);
        s.channels = 1 + below(40);
        s.outputs = 1 + below(below(2) ? 20 : 90);
        if (grouped) {
            s.groups = 1 + below(6);
            s.channels = s.groups * (below(2) ? 16 : 1 + below(12));
            s.outputs = s.groups * (below(2) ? 16 : 1 + below(20));
        }
        const size_t reach_y = (s.window.kernel_height - 1) * s.window.dilation_y + 1;
        const size_t reach_x = (s.window.kernel_width - 1) * s.window.dilation_x + 1;
        const size_t padded_y = s.height + s.window.top + padding_below(4);
        const size_t padded_x = s.width + s.window.left + padding_below(4);
        if (padded_y < reach_y || padded_x < reach_x) continue;
        s.output_height = (padded_y - reach_y) / s.window.stride_y + 1;
        s.output_width = (padded_x - reach_x) / s.window.stride_x + 1;
        return s;
    }
}

// Long rows: any stride and kernels of several runs, or more channels and rows than are staged at once.
static shape random_rows(void) {
    for (;;) {
        const bool many = below(3) == 0;
        shape s = {.images = 1, .channels = 1 + below(many ? 40 : 3), .outputs = 1 + below(many ? 6 : 40), .groups = 1};
        s.window = (hk_window){
            1 + below(2), 1 + below(many || below(2) ? 5 : 40), 1, 1 + below(many ? 2 : below(2) ? 5 : 45), 1, 1 + below(2),
            below(2), padding_below(20)};
        s.height = many ? 2 + below(20) : 2;
        s.width = 1 + below(many ? 300 : 700);
        const size_t reach = (s.window.kernel_width - 1) * s.window.dilation_x + 1;
        const size_t padded = s.width + s.window.left + padding_below(20);
        if (padded < reach) continue;
        s.output_height = s.height + s.window.top - s.window.kernel_height + 1;
        s.output_width = (padded - reach) / s.window.stride_x + 1;
        return s;
    }
}

// What is computed with transformed weights, or nearly.
static shape random_winograd(void) {
    shape s = {
        .images = 1 + below(2), .channels = 30 + below(70), .outputs = 30 + below(90), .groups = 1,
        .window = {3, 3, 1, 1, 1 + below(2) * below(3), 1 + below(2) * below(3), below(3), below(3)},
        .height = 8 + below(20), .width = 8 + below(40)};
    s.output_height = s.height + s.window.top + below(3) - 2 * s.window.dilation_y;
    s.output_width = s.width + s.window.left + below(3) - 2 * s.window.dilation_x;
    return s;
}

// Input position of an output's tap, or -1 in padding.
static ptrdiff_t tap(size_t output, size_t k, size_t stride, size_t dilation, size_t before, size_t size) {
    const ptrdiff_t at = (ptrdiff_t)(output * stride + k * dilation) - (ptrdiff_t)before;
    return at >= 0 && at < (ptrdiff_t)size ? at : -1;
}

static double convolved(const shape *s, const float *x, const float *w, size_t n, size_t o, size_t oy, size_t ox) {
    const size_t inputs = s->channels / s->groups, first = o / (s->outputs / s->groups) * inputs;
    double sum = 0;
    for (size_t i = 0; i < inputs; i++) {
        for (size_t ky = 0; ky < s->window.kernel_height; ky++) {
            for (size_t kx = 0; kx < s->window.kernel_width; kx++) {
                const ptrdiff_t y = tap(oy, ky, s->window.stride_y, s->window.dilation_y, s->window.top, s->height);
                const ptrdiff_t c = tap(ox, kx, s->window.stride_x, s->window.dilation_x, s->window.left, s->width);
                if (y < 0 || c < 0) continue;
                sum += (double)x[((n * s->channels + first + i) * s->height + (size_t)y) * s->width + (size_t)c]
                    * w[((o * inputs + i) * s->window.kernel_height + ky) * s->window.kernel_width + kx];
            }
        }
    }
    return sum;
}

static size_t needed_inputs(const shape *s) {
    const size_t inputs = s->channels / s->groups, outputs = s->outputs / s->groups;
    size_t most = 1;
    for (size_t block = 0; block < blocks_of(s->outputs); block++) {
        const size_t end = block * 16 + 16 < s->outputs ? block * 16 + 16 : s->outputs;
        const size_t last = ((end - 1) / outputs + 1) * inputs - 1, first = block * 16 / outputs * inputs;
        if (last / 16 - first / 16 + 1 > most) most = last / 16 - first / 16 + 1;
    }
    return most;
}

typedef struct {
    float *bias, *residual, *residual_plain;
    hk_epilogue epilogue;
} random_epilogue;

static random_epilogue make_epilogue(const shape *s) {
    const size_t positions = s->output_height * s->output_width;
    const hk_function functions[] = {HK_IDENTITY, HK_RELU, HK_CLIP, HK_SILU, HK_HARD_SWISH, HK_LEAKY_RELU};
    random_epilogue e = {.bias = below(4) ? random_floats(blocks_of(s->outputs) * 16, 1) : NULL};
    if (below(2)) {
        e.residual_plain = random_floats(s->images * s->outputs * positions, 1);
        e.residual = blocked(e.residual_plain, s->images, s->outputs, positions);
        if (s->plain_output) memcpy(e.residual, e.residual_plain, s->images * s->outputs * positions * sizeof(float));
    }
    e.epilogue = (hk_epilogue){e.bias, e.residual, below(2), functions[below(6)], 0.125f, 0.5f};
    return e;
}

static double finished(const random_epilogue *e, double sum, size_t channel, size_t plain_index) {
    const double residual = e->residual ? e->residual_plain[plain_index] : 0;
    sum += e->bias ? e->bias[channel] : 0;
    if (!e->epilogue.residual_after) sum += residual;
    sum = function(e->epilogue.function, e->epilogue.a, e->epilogue.b, sum);
    return e->epilogue.residual_after ? sum + residual : sum;
}

static void free_epilogue(random_epilogue *e) {
    free(e->bias);
    free(e->residual);
    free(e->residual_plain);
}

static void check_outputs(
    const char *set, const char *what, const shape *s, const float *x, const float *w, const float *y,
    const random_epilogue *e) {
    const size_t positions = s->output_height * s->output_width;
    const double terms = (double)(s->channels / s->groups * s->window.kernel_height * s->window.kernel_width);
    for (size_t n = 0; n < s->images; n++) {
        for (size_t o = 0; o < s->outputs; o++) {
            for (size_t p = 0; p < positions; p++) {
                const double sum = convolved(s, x, w, n, o, p / s->output_width, p % s->output_width);
                const size_t at = (n * s->outputs + o) * positions + p;
                const size_t block = n * blocks_of(s->outputs) + o / 16;
                const float got = y[s->plain_output ? at : (block * positions + p) * 16 + o % 16];
                const double want = finished(e, sum, o, at);
                check(set, what, at, got, want, 1e-6 * (4 + sqrt(terms)) + 4e-6 * fabs(want));
            }
        }
    }
}

enum form { BLOCKED, PLAIN, GROUPED, PLANES, PLANES_OF_BLOCKS };

static void test_convolution(const hk_vision_kernels *set, enum form form) {
    static const char *const names[] = {
        "convolution", "plain convolution", "grouped convolution", "planes", "planes of blocks"};
    const bool plain = form == PLAIN || form == PLANES, planes = form >= PLANES;
    shape s = form == BLOCKED && below(3) == 0 ? random_winograd()
        : (plain || planes) && below(2) ? random_rows() : random_shape(form == GROUPED);
    s.plain_output = planes;
    const size_t out = s.output_height * s.output_width;
    const size_t count = s.images * (planes ? s.outputs : blocks_of(s.outputs) * 16) * out;
    hk_convolution c = {
        NULL, NULL, NULL, NULL, {0}, s.window, plain, s.channels, s.height, s.width, s.outputs, s.output_height,
        s.output_width, s.channels / s.groups, s.outputs / s.groups, plain ? s.channels : needed_inputs(&s), 0, 0, NULL};
    if (planes && !hk_takes_planes(&c)) return;
    random_epilogue e = make_epilogue(&s);
    float *x = random_floats(s.images * s.channels * s.height * s.width, 1);
    float *xb = plain ? NULL : blocked(x, s.images, s.channels, s.height * s.width);
    float *w = random_floats(s.outputs * (s.channels / s.groups) * s.window.kernel_height * s.window.kernel_width, 1);
    float *y = malloc(count * sizeof *y);
    // Half of the residuals that may be the output are.
    const bool in_place = e.residual && !e.epilogue.residual_after && below(2);
    if (in_place) {
        memcpy(y, e.residual, count * sizeof *y);
        e.epilogue.residual = y;
    }
    c.input = plain ? x : xb;
    c.output = y;
    c.epilogue = e.epilogue;
    const size_t block = planes ? s.channels * s.window.kernel_height * s.window.kernel_width * 16 : hk_packed_block(&c);
    float *packed = malloc(blocks_of(s.outputs) * block * sizeof *packed);
    (planes ? hk_pack_planes : hk_pack_convolution)(&c, w, packed);
    c.weights = packed;
    hk_part parts[512];
    const size_t part_count = (planes ? hk_plan_planes : hk_plan_convolution)(&c, s.images, parts, 512);
    if (!planes && below(2)) c.input_chunk = 1 + below(c.input_blocks);
    float *transformed = c.transformed_count ? malloc(c.transformed_count * sizeof *transformed) : NULL;
    c.transformed = transformed;
    for (size_t b = c.transformed_count ? blocks_of(s.outputs) : 0; b-- > 0;) {
        set->transform_weights(&c, b, b + 1, transformed);
    }
    for (size_t i = part_count; i-- > 0;) (planes ? set->convolve_planes : set->convolve)(&c, &parts[i]);
    free(transformed);
    check_outputs(set->name, names[form], &s, x, w, y, &e);
    free_epilogue(&e);
    free(x);
    free(xb);
    free(w);
    free(y);
    free(packed);
}

static void test_depthwise(const hk_vision_kernels *set) {
    shape s = random_shape(false);
    s.outputs = s.groups = s.channels;
    const size_t out = s.output_height * s.output_width, taps = s.window.kernel_height * s.window.kernel_width;
    random_epilogue e = make_epilogue(&s);
    float *x = random_floats(s.images * s.channels * s.height * s.width, 1);
    float *xb = blocked(x, s.images, s.channels, s.height * s.width), *w = random_floats(s.channels * taps, 1);
    float *packed = malloc(blocks_of(s.channels) * 16 * taps * sizeof *packed);
    float *y = malloc(s.images * blocks_of(s.outputs) * out * 16 * sizeof *y);
    hk_pack_depthwise(w, s.channels, taps, packed);
    const hk_depthwise d = {
        xb, packed, y, e.epilogue, s.window, blocks_of(s.channels), s.height, s.width, s.output_height, s.output_width};
    hk_part parts[512];
    const size_t part_count =
        hk_plan_rows(s.images, d.blocks, s.output_height, s.output_width, 1 + below(40000), parts, 512);
    for (size_t i = 0; i < part_count; i++) set->convolve_depthwise(&d, &parts[i]);
    check_outputs(set->name, "depthwise", &s, x, w, y, &e);
    free_epilogue(&e);
    free(x);
    free(xb);
    free(w);
    free(packed);
    free(y);
}

static double pooled(const shape *s, const hk_pooling *p, const float *plane, size_t oy, size_t ox) {
    double best = -INFINITY, sum = 0;
    size_t seen = 0, counted = 0;
    for (size_t ky = 0; ky < s->window.kernel_height; ky++) {
        for (size_t kx = 0; kx < s->window.kernel_width; kx++) {
            const ptrdiff_t y = tap(oy, ky, s->window.stride_y, s->window.dilation_y, s->window.top, s->height);
            const ptrdiff_t x = tap(ox, kx, s->window.stride_x, s->window.dilation_x, s->window.left, s->width);
            // In the padded picture, where an average that counts padding counts.
            counted += oy * s->window.stride_y + ky * s->window.dilation_y < s->height + s->window.top + p->bottom
                && ox * s->window.stride_x + kx * s->window.dilation_x < s->width + s->window.left + p->right;
            if (y < 0 || x < 0) continue;
            const double v = plane[(size_t)y * s->width + (size_t)x];
            best = fmax(best, v);
            sum += v;
            seen++;
        }
    }
    if (!p->average) return best;
    const size_t divisor = p->counts_padding ? counted : seen;
    return sum / (double)(divisor ? divisor : 1);
}

static void test_pooling(const hk_vision_kernels *set) {
    const shape s = random_shape(false);
    const size_t out = s.output_height * s.output_width, blocks = blocks_of(s.channels);
    float *x = random_floats(s.images * s.channels * s.height * s.width, 1);
    float *xb = blocked(x, s.images, s.channels, s.height * s.width);
    float *y = malloc(s.images * blocks * out * 16 * sizeof *y);
    const hk_pooling p = {
        xb, y, s.window, below(2), below(2), below(3), below(3), blocks, s.height, s.width, s.output_height,
        s.output_width};
    for (size_t n = 0; n < s.images; n++) {
        const hk_part part = {n, 0, blocks, 0, s.output_height, 0, s.output_width};
        set->pool(&p, &part);
        for (size_t c = 0; c < s.channels; c++) {
            const float *plane = x + (n * s.channels + c) * s.height * s.width;
            for (size_t i = 0; i < out; i++) {
                const float got = y[((n * blocks + c / 16) * out + i) * 16 + c % 16];
                check(set->name, "pool", i, got, pooled(&s, &p, plane, i / s.output_width, i % s.output_width), 2e-6);
            }
        }
    }
    float *means = malloc(s.images * blocks * 16 * sizeof *means);
    set->average(xb, s.height * s.width, 0, s.images * blocks, means);
    for (size_t n = 0; n < s.images * s.channels; n++) {
        double sum = 0;
        for (size_t i = 0; i < s.height * s.width; i++) sum += x[n * s.height * s.width + i];
        const float got = means[n / s.channels * blocks * 16 + n % s.channels];
        check(set->name, "average", n, got, sum / (double)(s.height * s.width), 1e-6);
    }
    free(means);
    free(x);
    free(xb);
    free(y);
}

static void test_product(const hk_vision_kernels *set) {
    const size_t rows = 1 + below(below(2) ? 4 : 40), inner = 1 + below(70), columns = 1 + below(100);
    const bool transposed = below(3) == 0, weights_transposed = below(2);
    const size_t x_row = transposed ? 1 : inner + below(3), x_inner = transposed ? rows : 1, y_row = columns + below(3);
    float *x = random_floats((rows - 1) * x_row + (inner - 1) * x_inner + 1, 1), *w = random_floats(inner * columns, 1);
    float *residual = random_floats((rows - 1) * y_row + columns, 1), *y = malloc(((rows - 1) * y_row + columns) * sizeof *y);
    float *bias = random_floats(blocks_of(columns) * 16, 1);
    float *packed = malloc(blocks_of(inner) * blocks_of(columns) * 256 * sizeof *packed);
    const size_t w_inner = weights_transposed ? 1 : columns, w_column = weights_transposed ? inner : 1;
    set->pack_product(w, inner, columns, w_inner, w_column, 0, blocks_of(columns), packed);
    const hk_product m = {
        x, packed, NULL, y, {bias, below(2) ? residual : NULL, below(2), below(2) ? HK_RELU : HK_SILU, 0, 0}, inner, columns,
        x_row, x_inner, y_row, 0.5f};
    hk_part parts[256];
    const size_t part_count = hk_plan_product(&m, rows, parts, 256);
    for (size_t i = 0; i < part_count; i++) {
        set->multiply(&m, parts[i].first_column, parts[i].end_column, parts[i].first_block, parts[i].end_block);
    }
    for (size_t r = 0; r < rows; r++) {
        for (size_t c = 0; c < columns; c++) {
            double sum = 0;
            for (size_t k = 0; k < inner; k++) {
                sum += (double)x[r * x_row + k * x_inner] * w[k * w_inner + c * w_column];
            }
            const double added = m.epilogue.residual ? residual[r * y_row + c] : 0;
            sum = 0.5 * sum + bias[c] + (m.epilogue.residual_after ? 0 : added);
            sum = function(m.epilogue.function, 0, 0, sum) + (m.epilogue.residual_after ? added : 0);
            check(set->name, "product", r * columns + c, y[r * y_row + c], sum, 1e-5);
        }
    }
    free(x);
    free(w);
    free(residual);
    free(y);
    free(bias);
    free(packed);
}

static void test_functions(const hk_vision_kernels *set) {
    enum { COUNT = 997 };
    float *x = random_floats(COUNT, 1), *y = malloc(COUNT * sizeof *y);
    for (size_t i = 0; i < COUNT; i++) x[i] *= i % 3 ? 12.0f : 1.0f;
    x[5] = NAN;
    x[6] = 0;
    for (int f = 0; f < HK_FUNCTIONS; f++) {
        const float a = 0.25f, b = 0.75f;
        set->apply((hk_function)f, a, b, x, COUNT, y);
        for (size_t i = 0; i < COUNT; i++) {
            char name[24];
            const bool is_truth = f == HK_NOT || f == HK_TRUTH;
            const double want = isnan(x[i]) && !is_truth ? NAN : function((hk_function)f, a, b, x[i]);
            snprintf(name, sizeof name, "function %d", f);
            if (isnan(x[i]) && f == HK_SIGN) continue;
            check(set->name, name, i, y[i], want, 4e-6 * fabs(want) + 2e-7);
        }
    }
    free(x);
    free(y);
}

int compare_vision(const hk_kernels *kernels, int rounds) {
    const hk_vision_kernels *set = kernels->vision;
    failures = 0;
    for (int i = 0; i < rounds; i++) {
        for (int form = BLOCKED; form <= PLANES_OF_BLOCKS; form++) test_convolution(set, (enum form)form);
        test_depthwise(set);
        test_pooling(set);
        test_product(set);
    }
    test_functions(set);
    compare_vision_rows(set, &failures);
    compare_vision_axis(set, &failures);
    compare_vision_expand(set, rounds, &failures);
    compare_vision_bytes(set, rounds, &failures);
    return failures;
}
