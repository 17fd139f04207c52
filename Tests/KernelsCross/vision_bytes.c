// Compares the kernels for codes with plain loops over whole numbers. Where only a clamp follows, results have to be the same bit
// for bit, in every set; other functions differ between sets in their last bits.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vision.h"

#define SEED 0x452821e638d01377
#include "random.h"

#pragma clang fp contract(off)

static float between(float low, float high) {
    return low + (high - low) * (float)below(1 << 16) / (1 << 16);
}

static float *some_floats(size_t count, float low, float high) {
    float *x = malloc((count ? count : 1) * sizeof *x);
    for (size_t i = 0; i < count; i++) x[i] = between(low, high);
    return x;
}

static const char *set_name;
static int *failed;

static void check(const char *what, size_t index, double got, double want, double tolerance) {
    if (fabs(got - want) <= tolerance) return;
    if (++*failed < 40) printf("FAIL %s %s [%zu]: %.9g instead of %.9g\n", set_name, what, index, got, want);
}

static size_t rounded_up(size_t count, size_t unit) {
    return (count + unit - 1) / unit * unit;
}

static hk_codes some_codes(size_t images, size_t channels, size_t height, size_t width, bool fill) {
    hk_codes c = {.height = height, .width = width, .channels = rounded_up(channels, 4)};
    const bool borders = below(3) != 0;
    c.top = borders ? below(4) : 0;
    c.left = borders ? below(4) : 0;
    c.bottom = borders ? below(4) : 0;
    c.right = borders ? below(4) : 0;
    c.scale = between(0.01f, 0.1f);
    const size_t kind = below(4);
    c.zero = kind == 0 ? 0 : kind == 1 ? 255 : kind == 2 ? 128 : (int32_t)below(256);
    c.highest = 255;
    c.lowest = below(4) ? 0 : 1;
    const size_t count = images * hk_codes_image(&c);
    // Exactly what is needed, and a margin.
    c.bytes = malloc(count + HK_CODES_MARGIN);
    for (size_t i = 0; i < count + HK_CODES_MARGIN; i++) c.bytes[i] = below(5) ? (uint8_t)below(256) : 255;
    for (size_t image = 0; image < images && fill; image++) {
        const size_t row = (c.left + width + c.right) * c.channels;
        for (size_t y = 0; y < c.top + height + c.bottom; y++) {
            for (size_t x = 0; x < c.left + width + c.right; x++) {
                const bool inside = y >= c.top && y < c.top + height && x >= c.left && x < c.left + width;
                if (!inside) memset(c.bytes + image * hk_codes_image(&c) + y * row + x * c.channels, c.zero, c.channels);
            }
        }
    }
    return c;
}

static const uint8_t *at(const hk_codes *c, size_t image, ptrdiff_t y, ptrdiff_t x) {
    const size_t row = (c->left + c->width + c->right) * c->channels;
    return c->bytes + image * hk_codes_image(c) + (size_t)((ptrdiff_t)c->top + y) * row
        + (size_t)((ptrdiff_t)c->left + x) * c->channels;
}

static void check_border(const char *what, const hk_codes *c, size_t images) {
    for (size_t n = 0; n < images; n++) {
        for (ptrdiff_t y = -(ptrdiff_t)c->top; y < (ptrdiff_t)(c->height + c->bottom); y++) {
            for (ptrdiff_t x = -(ptrdiff_t)c->left; x < (ptrdiff_t)(c->width + c->right); x++) {
                if (y >= 0 && y < (ptrdiff_t)c->height && x >= 0 && x < (ptrdiff_t)c->width) continue;
                for (size_t i = 0; i < c->channels; i++) check(what, i, at(c, n, y, x)[i], c->zero, 0);
            }
        }
    }
}

static float clamped(hk_function f, float a, float b, float x) {
    if (f == HK_RELU) return x > 0 ? x : 0;
    if (f == HK_CLIP) return fminf(fmaxf(x, a), b);
    return x;
}

static double code_of(const hk_codes *c, float value, bool divides) {
    const float x = divides ? value / c->scale : value * (1.0f / c->scale);
    return fmin(fmax(rintf(x) + (float)c->zero, c->lowest), c->highest);
}

static void test_convolution(const hk_byte_kernels *set, bool depthwise, bool rows, size_t groups) {
    size_t images = 1 + below(2), channels = 1 + below(below(2) ? 20 : 70), outputs = 1 + below(below(2) ? 20 : 90);
    if (depthwise) outputs = channels;
    if (groups > 1) {
        channels = groups * (1 + below(below(2) ? 9 : 70 / groups + 1));
        outputs = groups * (1 + below(below(2) ? 9 : 90 / groups + 1));
    }
    const size_t kernels[] = {1, 1, 2, 3, 3, 5};
    hk_window w = {kernels[below(6)], kernels[below(6)], 1 + below(3), 1 + below(3), 1 + below(2), 1 + below(2), 0, 0};
    if (below(3) == 0) w = (hk_window){1, 1, 1, 1, 1, 1, 0, 0};
    size_t height = 1 + below(12), width = 1 + below(40);
    if (rows) {
        images = height = 1;
        w = (hk_window){1, 1, 1, 1, 1, 1, 0, 0};
    }
    hk_codes in = some_codes(images, channels, height, width, true);
    if (rows || (w.kernel_height == 1 && w.kernel_width == 1 && below(2))) {
        free(in.bytes);
        do in = some_codes(images, channels, height, width, true);
        while (in.top + in.left + in.bottom + in.right && (free(in.bytes), true));
    }
    w.top = below(in.top + 1);
    w.left = below(in.left + 1);
    const size_t reach_y = (w.kernel_height - 1) * w.dilation_y + 1, reach_x = (w.kernel_width - 1) * w.dilation_x + 1;
    const size_t padded_y = height + w.top + below(in.bottom + 1), padded_x = width + w.left + below(in.right + 1);
    if (padded_y < reach_y || padded_x < reach_x) {
        free(in.bytes);
        return;
    }
    const size_t out_y = (padded_y - reach_y) / w.stride_y + 1, out_x = (padded_x - reach_x) / w.stride_x + 1;
    const size_t blocks = rounded_up(outputs, 16) / 16, taps = w.kernel_height * w.kernel_width, plane = out_y * out_x;
    const size_t inputs = depthwise ? 1 : channels / groups;
    const bool to_codes = below(2), has_residual = !to_codes && below(2);
    int8_t *weights = malloc(outputs * inputs * taps);
    float *sums = calloc(blocks * 16, sizeof *sums), *scales = some_floats(blocks * 16, 0.001f, 0.01f);
    for (size_t i = 0; i < outputs * inputs * taps; i++) {
        weights[i] = (int8_t)((int)below(256) - 128);
        if (below(8) == 0) weights[i] = -128;
        sums[i / (inputs * taps)] += weights[i];
    }
    float *bias = below(3) ? some_floats(blocks * 16, -3, 3) : NULL;
    // A whole block of floats has room for all lanes; a row has not.
    const size_t floats = rows ? out_x * outputs : images * blocks * plane * 16;
    float *output = to_codes ? NULL : malloc(floats * sizeof *output);
    float *residual = has_residual ? some_floats(floats, -3, 3) : NULL;
    const hk_function functions[] = {HK_IDENTITY, HK_RELU, HK_CLIP, HK_SILU};
    hk_byte_convolution c = {
        .input = in, .weights = NULL, .sums = sums, .scales = scales,
        .epilogue = {bias, residual, below(2), functions[below(4)], -1.5f, 2.5f}, .output = output,
        .output_position = rows ? outputs : 16, .output_block = rows ? 16 : plane * 16,
        .output_image = blocks * plane * 16, .window = w, .input_channels = channels,
        .output_channels = outputs, .output_height = out_y, .output_width = out_x, .groups = groups, .depthwise = depthwise};
    if (to_codes) c.codes = some_codes(images, outputs, out_y, out_x, false);
    const hk_codes codes = c.codes;
    int8_t *packed = malloc(hk_packed_bytes(&c));
    hk_pack_bytes(&c, weights, packed);
    c.weights = packed;
    hk_part parts[512];
    const size_t count = hk_plan_byte_convolution(&c, images, parts, 512);
    for (size_t i = count; i-- > 0;) set->convolve(&c, &parts[i]);
    const bool exact = c.epilogue.function != HK_SILU;
    const char *what =
        depthwise ? "depthwise codes" : rows ? "rows of codes" : groups > 1 ? "groups of codes" : "convolution of codes";
    for (size_t n = 0; n < images; n++) {
        for (size_t o = 0; o < outputs; o++) {
            for (size_t p = 0; p < plane; p++) {
                int64_t sum = 0;
                for (size_t t = 0; t < taps; t++) {
                    const ptrdiff_t y = (ptrdiff_t)(p / out_x * w.stride_y + t / w.kernel_width * w.dilation_y) - (ptrdiff_t)w.top;
                    const ptrdiff_t x = (ptrdiff_t)(p % out_x * w.stride_x + t % w.kernel_width * w.dilation_x) - (ptrdiff_t)w.left;
                    const uint8_t *from = at(&in, n, y, x);
                    for (size_t i = 0; i < inputs; i++) {
                        const int code = from[depthwise ? o : o / (outputs / groups) * inputs + i];
                        sum += (int64_t)(code - in.zero) * weights[(o * inputs + i) * taps + t];
                    }
                }
                float v = (float)(int32_t)sum * scales[o];
                v = v + (bias ? bias[o] : 0.0f);
                const size_t place = rows ? p * outputs + o : ((n * blocks + o / 16) * plane + p) * 16 + o % 16;
                if (residual && !c.epilogue.residual_after) v = v + residual[place];
                v = exact ? clamped(c.epilogue.function, -1.5f, 2.5f, v) : v / (1 + expf(-v));
                if (residual && c.epilogue.residual_after) v = v + residual[place];
                const double want = to_codes ? code_of(&codes, v, false) : (double)v;
                const double got =
                    to_codes ? at(&codes, n, (ptrdiff_t)(p / out_x), (ptrdiff_t)(p % out_x))[o] : (double)output[place];
                check(what, (n * outputs + o) * plane + p, got, want, exact ? 0 : to_codes ? 1 : 1e-5 + 1e-5 * fabs(want));
            }
        }
    }
    if (to_codes) check_border(what, &codes, images);
    free(codes.bytes);
    free(in.bytes);
    free(weights);
    free(packed);
    free(sums);
    free(scales);
    free(bias);
    free(output);
    free(residual);
}

static void test_conversions(const hk_byte_kernels *set) {
    const size_t images = 1 + below(2), channels = 1 + below(40), height = 1 + below(6), width = 1 + below(9);
    const size_t blocks = rounded_up(channels, 16) / 16;
    const size_t order = below(3);
    const bool blocked = order == 1, planes = order == 2;
    const size_t count = images * height * width * (blocked ? blocks * 16 : channels);
    hk_coded_picture p = {
        some_floats(count, -12, 12), some_codes(images, channels, height, width, false), channels, blocked, planes};
    p.floats[0] = NAN;
    if (count > 1) p.floats[1] = INFINITY;
    if (count > 2) p.floats[2] = -INFINITY;
    if (count > 3) p.floats[3] = p.codes.scale * 2.5f;
    float *back = malloc(count * sizeof *back);
    for (size_t n = 0; n < images; n++) {
        const size_t middle = below(height + 1);
        const hk_part parts[] = {{n, 0, 1, 0, middle, 0, width}, {n, 0, 1, middle, height, 0, width}};
        for (size_t i = 0; i < 2; i++) {
            if (parts[i].first_row < parts[i].end_row) set->quantize(&p, &parts[i]);
        }
    }
    check_border("border", &p.codes, images);
    hk_coded_picture other = p;
    other.floats = back;
    // Codes become blocks or rows.
    other.planes = false;
    for (size_t n = 0; n < images; n++) {
        set->dequantize(&other, &(hk_part){n, 0, 1, 0, height, 0, width});
        for (size_t i = 0; i < height * width * channels; i++) {
            const size_t y = i / channels / width, x = i / channels % width, c = i % channels;
            const size_t place = blocked ? (((n * blocks + c / 16) * height + y) * width + x) * 16 + c % 16
                                         : ((n * height + y) * width + x) * channels + c;
            const float value = p.floats[planes ? ((n * channels + c) * height + y) * width + x : place];
            const uint8_t code = at(&p.codes, n, (ptrdiff_t)y, (ptrdiff_t)x)[c];
            check("quantize", i, code, isnan(value) ? p.codes.highest : code_of(&p.codes, value, true), 0);
            check("dequantize", i, back[place], (float)(code - p.codes.zero) * p.codes.scale, 0);
        }
    }
    free(p.floats);
    free(p.codes.bytes);
    free(back);
}

static void test_sum(const hk_byte_kernels *set) {
    const size_t channels = 1 + below(40), height = 1 + below(6), width = 1 + below(9);
    const hk_function functions[] = {HK_IDENTITY, HK_RELU, HK_CLIP, HK_SILU};
    hk_code_sum s = {
        some_codes(1, channels, height, width, true), some_codes(1, channels, height, width, true),
        some_codes(1, channels, height, width, false), channels, functions[below(4)], -1.5f, 2.5f};
    // With these scales many sums lie half way between two codes.
    if (below(2)) {
        s.y.scale = s.x.scale;
        s.output.scale = 2 * s.x.scale;
    }
    set->add(&s, &(hk_part){0, 0, 1, 0, height, 0, width});
    check_border("border of a sum", &s.output, 1);
    for (size_t i = 0; i < height * width * channels; i++) {
        const ptrdiff_t y = (ptrdiff_t)(i / channels / width), x = (ptrdiff_t)(i / channels % width);
        const size_t c = i % channels;
        float v = (float)(at(&s.x, 0, y, x)[c] - s.x.zero) * s.x.scale;
        v = v + (float)(at(&s.y, 0, y, x)[c] - s.y.zero) * s.y.scale;
        const bool exact = s.function != HK_SILU;
        v = exact ? clamped(s.function, s.a, s.b, v) : v / (1 + expf(-v));
        check("sum of codes", i, at(&s.output, 0, y, x)[c], code_of(&s.output, v, true), exact ? 0 : 1);
    }
    free(s.x.bytes);
    free(s.y.bytes);
    free(s.output.bytes);
}

void compare_vision_bytes(const hk_vision_kernels *set, int rounds, int *failures) {
    set_name = set->name;
    failed = failures;
    for (int i = 0; i < rounds; i++) {
        test_convolution(set->bytes, false, false, 1);
        test_convolution(set->bytes, true, false, 1);
        test_convolution(set->bytes, false, true, 1);
        test_convolution(set->bytes, false, false, 2 + below(below(2) ? 7 : 31));
        test_conversions(set->bytes);
        test_sum(set->bytes);
    }
}
