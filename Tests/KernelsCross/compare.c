// Compares every function of every available set with the portable one, on seeded random data in buffers of exactly
// the needed size. Built with the address sanitizer it finds reads past the end of a row; built for another
// architecture it runs under an emulator. See scripts/test-kernels.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attention.h"
#include "vision.h"

static uint64_t state = 0x9e3779b97f4a7c15;

static uint32_t random_word(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32);
}

static float random_float(void) {
    return (float)(int32_t)random_word() * 0x1p-31f;
}

static size_t random_below(size_t limit) {
    return random_word() % limit;
}

static int failures = 0;

static void fail(const char *set, const char *what, size_t a, size_t b, double got, double want) {
    if (++failures < 40) printf("FAIL %s %s [%zu, %zu]: %.9g instead of %.9g\n", set, what, a, b, got, want);
}

static float *random_floats(size_t count, float scale) {
    float *x = malloc(count * sizeof *x);
    for (size_t i = 0; i < count; i++) x[i] = scale * random_float();
    return x;
}

static void compare(
    const char *set, const char *what, size_t a, const float *got, const float *want, size_t count, double relative,
    double absolute) {
    for (size_t i = 0; i < count; i++) {
        if (got[i] == want[i] || (isnan(got[i]) && isnan(want[i]))) continue;
        if (!(fabs((double)got[i] - want[i]) <= relative * fabs(want[i]) + absolute)) fail(set, what, a, i, got[i], want[i]);
    }
}

// `scale` is where a block's half-precision scales begin, and `halves` how many they are.
typedef struct {
    const char *name;
    hk_format format;
    size_t values, bytes, scale, halves;
} format_case;

static const format_case formats[] = {
    {"F32", HK_F32, 1, 4, 0, 0},          {"F16", HK_F16, 1, 2, 0, 1},          {"BF16", HK_BF16, 1, 2, 0, 1},
    {"Q4_0", HK_Q4_0, 32, 18, 0, 1},      {"Q4_1", HK_Q4_1, 32, 20, 0, 2},      {"Q5_0", HK_Q5_0, 32, 22, 0, 1},
    {"Q5_1", HK_Q5_1, 32, 24, 0, 2},      {"Q8_0", HK_Q8_0, 32, 34, 0, 1},      {"Q2_K", HK_Q2_K, 256, 84, 80, 2},
    {"Q3_K", HK_Q3_K, 256, 110, 108, 1},  {"Q4_K", HK_Q4_K, 256, 144, 0, 2},    {"Q5_K", HK_Q5_K, 256, 176, 0, 2},
    {"Q6_K", HK_Q6_K, 256, 210, 208, 1},  {"IQ1_S", HK_IQ1_S, 256, 50, 0, 1},   {"IQ1_M", HK_IQ1_M, 256, 56, 0, 0},
    {"IQ2_XXS", HK_IQ2_XXS, 256, 66, 0, 1}, {"IQ2_XS", HK_IQ2_XS, 256, 74, 0, 1}, {"IQ2_S", HK_IQ2_S, 256, 82, 0, 1},
    {"IQ3_XXS", HK_IQ3_XXS, 256, 98, 0, 1}, {"IQ3_S", HK_IQ3_S, 256, 110, 0, 1}, {"IQ4_NL", HK_IQ4_NL, 32, 18, 0, 1},
    {"IQ4_XS", HK_IQ4_XS, 256, 136, 0, 1}, {"MXFP4", HK_MXFP4, 32, 17, 0, 0},   {"NVFP4", HK_NVFP4, 64, 36, 0, 0},
    {"TQ1_0", HK_TQ1_0, 256, 54, 52, 1},  {"TQ2_0", HK_TQ2_0, 256, 66, 64, 1},
};

// The upper byte of a half near 1 whose sign and mantissa are those of `random`; some halves are denormal or zero.
static uint8_t moderate(uint8_t random) {
    const int exponent = 0x24 | (int)random_below(24);
    return (uint8_t)((random & 0x83) | (random_below(32) == 0 ? 0 : exponent));
}

// Random blocks with finite scales of moderate size.
static uint8_t *random_blocks(const format_case *f, size_t blocks) {
    uint8_t *bytes = malloc(blocks * f->bytes);
    for (size_t i = 0; i < blocks * f->bytes; i++) bytes[i] = (uint8_t)random_word();
    for (size_t b = 0; b < blocks; b++) {
        uint8_t *block = bytes + b * f->bytes;
        const float value = random_float();
        if (f->format == HK_F32) memcpy(block, &value, 4);
        if (f->format == HK_MXFP4) block[0] = (uint8_t)(120 + random_below(16));
        if (f->format == HK_IQ1_M) {
            // A quarter of the half is in the upper bits of each word.
            const uint8_t high = moderate(block[55]);
            block[55] = (uint8_t)((block[55] & 15) | (high & 0xf0));
            block[53] = (uint8_t)((block[53] & 15) | high << 4);
        }
        for (size_t k = 0; k < f->halves; k++) {
            uint8_t *high = block + f->scale + 2 * k + 1;
            *high = f->format == HK_BF16 ? (uint8_t)((*high & 0x83) | 0x3f) : moderate(*high);
        }
    }
    return bytes;
}

// Quants and activations as large as they get, all of one sign: what adds up to most in integers.
static void make_largest(const format_case *f, uint8_t *weights, size_t blocks, float *x, size_t count) {
    static const uint8_t quants[] = {0x80, 0x7f, 0xff};
    memset(weights, quants[random_below(3)], blocks * f->bytes);
    for (size_t i = 0; i < blocks * f->halves; i++) {
        memcpy(weights + i / f->halves * f->bytes + f->scale + 2 * (i % f->halves), "\0\x3c", 2);  // 1
    }
    const float value = random_below(2) ? 3 : -3;
    for (size_t i = 0; i < count; i++) x[i] = value;
}

static void test_blocks(const hk_kernels *set, const hk_kernels *reference) {
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const format_case *f = &formats[i];
        for (size_t blocks = 1; blocks < 20; blocks++) {
            uint8_t *bytes = random_blocks(f, blocks);
            const size_t count = blocks * f->values;
            float *got = malloc(count * 4), *want = malloc(count * 4);
            set->dequantize(f->format, bytes, count, got);
            reference->dequantize(f->format, bytes, count, want);
            if (memcmp(got, want, count * 4)) fail(set->name, f->name, blocks, 0, got[0], want[0]);
            free(bytes);
            free(got);
            free(want);
        }
    }
}

// A pair of either form.
typedef struct { int32_t values[64]; float scale, totals[2]; } activation;

static activation activation_of(const hk_kernels *set, const void *pair) {
    activation out;
    if (set->pair_bytes == sizeof(hk_activation_words)) {
        const hk_activation_words *words = pair;
        for (int i = 0; i < 64; i++) out.values[i] = words->words[i / 4 * 4 + (i % 4 == 1 ? 2 : i % 4 == 2 ? 1 : i % 4)];
        out.scale = words->scale;
        memcpy(out.totals, words->totals, sizeof out.totals);
    } else {
        const hk_activation_planes *planes = pair;
        for (int i = 0; i < 64; i++) out.values[i] = 256 * planes->hi[i] + planes->lo[i];
        out.scale = planes->scale;
        memcpy(out.totals, planes->totals, sizeof out.totals);
    }
    return out;
}

static void test_quantize(const hk_kernels *set, const hk_kernels *reference) {
    for (size_t blocks = 1; blocks < 9; blocks++) {
        for (int kind = 0; kind < 8; kind++) {
            static const float scales[] = {1, 0, 1e-42f, 1e-36f, 1e-30f, 3e38f, 1, 1};
            const size_t count = blocks * 32, pairs = (blocks + 1) / 2;
            float *x = random_floats(count, scales[kind]);
            if (kind == 6) x[random_below(count)] = NAN;
            if (kind == 7) x[random_below(count)] = -INFINITY;
            uint8_t *got = malloc(pairs * set->pair_bytes), *want = malloc(pairs * reference->pair_bytes);
            set->quantize(x, count, got, 4);
            reference->quantize(x, count, want, 4);
            for (size_t p = 0; p < pairs; p++) {
                const activation a = activation_of(set, got + p * set->pair_bytes);
                const activation b = activation_of(reference, want + p * reference->pair_bytes);
                if (memcmp(&a, &b, sizeof a)) fail(set->name, "quantize", blocks, (size_t)kind, 0, 0);
                for (size_t i = 0; i < 64 && 64 * p + i < count && kind < 6; i++) {
                    const float value = a.scale * (float)a.values[i], wanted = x[64 * p + i];
                    const double bound = 0.51 * a.scale + 1e-7 * fabsf(wanted) + 1e-33;
                    if (!(fabs((double)value - wanted) <= bound)) fail(set->name, "quantize error", i, (size_t)kind, value, wanted);
                }
            }
            free(x);
            free(got);
            free(want);
        }
    }
}

// The coarser form is bit-exact, and every block has the error of its own scale.
static void test_quantize_bytes(const hk_kernels *set, const hk_kernels *reference) {
    for (size_t blocks = 1; blocks < 20; blocks++) {
        for (int kind = 0; kind < 8; kind++) {
            static const float scales[] = {1, 0, 1e-42f, 1e-36f, 1e-30f, 3e38f, 1, 1};
            const size_t count = blocks * 32, steps = (count + 255) / 256;
            float *x = random_floats(count, scales[kind]);
            if (kind == 6) x[random_below(count)] = NAN;
            if (kind == 7) x[random_below(count)] = -INFINITY;
            hk_activation_bytes *got = malloc(steps * sizeof *got), *want = malloc(steps * sizeof *want);
            set->quantize(x, count, got, 4);
            reference->quantize(x, count, want, 4);
            if (memcmp(got, want, steps * sizeof *got)) fail(set->name, "quantize bytes", blocks, (size_t)kind, 0, 0);
            for (size_t i = 0; i < steps * 256; i++) {
                const hk_activation_bytes *step = got + i / 256;
                const size_t at = i % 256, block = i % 256 / 32;
                double peak = 0;
                int sum = 0, half = 0;
                for (size_t j = 0; j < 32; j++) {
                    if (i < count) peak = fmax(peak, fabs((double)x[i / 32 * 32 + j]));
                    sum += step->values[32 * block + j];
                    if (j / 16 == at % 32 / 16) half += step->values[32 * block + j];
                }
                if (step->sums[block] != sum || step->halves[at / 16] != half) fail(set->name, "sums", blocks, i, step->sums[block], sum);
                if (step->values[at] == -128) fail(set->name, "value of -128", blocks, i, 0, 0);
                if (i < count && !isfinite(x[i]) && !isnan(step->scales[block])) fail(set->name, "not finite", blocks, i, 0, 0);
                if (kind >= 6) continue;
                const double value = step->scales[block] * (double)step->values[at], wanted = i < count ? (double)x[i] : 0;
                if (!(fabs(value - wanted) <= peak / 253 + 1e-33)) fail(set->name, "error of bytes", i, (size_t)kind, value, wanted);
            }
            free(x);
            free(got);
            free(want);
        }
    }
}

static void test_multiply(const hk_kernels *set, const hk_kernels *reference) {
    for (int round = 0; round < 1300; round++) {
        const format_case *f = &formats[(size_t)round % (sizeof formats / sizeof *formats)];
        const size_t rows = 1 + random_below(round % 5 ? 9 : 150), tokens = round % 3 == 0 ? 1 : 1 + random_below(round % 7 ? 9 : 70);
        // Now and then more columns than a panel has.
        const size_t wide = round % 11 == 0 ? 3 : 1;
        const size_t blocks = 1 + random_below(f->values == 1 ? 150 : f->values < 256 ? 20 * wide : 4 * wide);
        const size_t columns = blocks * f->values, row_bytes = blocks * f->bytes, steps = (columns + 255) / 256;
        uint8_t *weights = random_blocks(f, rows * blocks);
        float *x = random_floats(tokens * columns, 3), *w = malloc(rows * columns * 4);
        if (round % 9 == 4 && f->values > 1 && f->halves) make_largest(f, weights, rows * blocks, x, tokens * columns);
        reference->dequantize(f->format, weights, rows * columns, w);
        float *got = malloc(tokens * rows * 4), *want = malloc(tokens * rows * 4);
        const bool bytes = set->activation_bits == 8;
        uint8_t *a = malloc(tokens * steps * 4 * set->pair_bytes), *b = malloc(tokens * steps * 4 * reference->pair_bytes);
        const void *operand = x, *reference_operand = x;
        size_t stride = columns, step_stride = 0;
        if (f->values > 1) {
            // Token by token, or step by step.
            const bool together = round % 2;
            stride = together ? 4 : 4 * steps;
            step_stride = together ? 4 * tokens : 4;
            for (size_t t = 0; t < tokens; t++) {
                set->quantize(x + t * columns, columns, a + t * stride * set->pair_bytes, step_stride);
                reference->quantize(x + t * columns, columns, b + t * stride * reference->pair_bytes, step_stride);
            }
            // What bytes round off is tested above: here products are compared with what the activations have become.
            for (size_t i = 0; bytes && i < tokens * columns; i++) {
                const size_t c = i % columns, pair = i / columns * stride + c / 256 * step_stride;
                const hk_activation_bytes *step = (const void *)(a + pair * set->pair_bytes);
                x[i] = step->scales[c % 256 / 32] * (float)step->values[c % 256];
            }
            operand = a;
            reference_operand = b;
        }
        set->multiply(f->format, weights, row_bytes, rows, columns, operand, stride, step_stride, tokens, got, rows);
        reference->multiply(f->format, weights, row_bytes, rows, columns, reference_operand, stride, step_stride, tokens, want, rows);
        for (size_t t = 0; t < tokens; t++) {
            for (size_t r = 0; r < rows; r++) {
                double exact = 0, magnitude = 0;
                for (size_t c = 0; c < columns; c++) {
                    const double product = (double)w[r * columns + c] * x[t * columns + c];
                    exact += product;
                    magnitude += fabs(product);
                }
                const float g = got[t * rows + r];
                if (!(fabs(g - want[t * rows + r]) <= 4e-6 * magnitude)) {
                    fail(set->name, f->name, t, r, g, want[t * rows + r]);
                }
                if (!(fabs(g - exact) <= (f->values > 1 && !bytes ? 1e-4 : 2e-6) * magnitude)) fail(set->name, f->name, t, r, g, exact);
            }
        }
        // NEON promises the results of the portable set with 8 bits, in which both add eight sums.
        if (bytes && f->values > 1 && !strcmp(set->name, "neon") && memcmp(got, want, tokens * rows * 4)) {
            fail(set->name, "bits of the portable set", (size_t)f->format, tokens, got[0], want[0]);
        }
        // To the last bit the same, alone and among others.
        for (size_t t = 0; t < tokens; t++) {
            const size_t row = random_below(rows), some = 1 + random_below(rows - row), also = 1 + random_below(tokens - t);
            float *again = malloc(also * some * 4);
            const size_t from = t * stride * (f->values > 1 ? set->pair_bytes : 4);
            set->multiply(
                f->format, weights + row * row_bytes, row_bytes, some, columns, (const uint8_t *)operand + from, stride,
                step_stride, also, again, some);
            for (size_t i = 0; i < also * some; i++) {
                const float whole = got[(t + i / some) * rows + row + i % some];
                if (memcmp(&again[i], &whole, 4)) fail(set->name, "bits", t, i, again[i], whole);
            }
            free(again);
        }
        // A scale that is not finite changes nothing outside its row, not even where rows are read beyond their end.
        if (f->values > 1 && f->halves > 0) {
            const size_t row = random_below(rows);
            memcpy(weights + (row * blocks + random_below(blocks)) * f->bytes + f->scale, "\x00\x7c", 2);
            set->multiply(f->format, weights, row_bytes, rows, columns, operand, stride, step_stride, tokens, want, rows);
            for (size_t i = 0; i < tokens * rows; i++) {
                if (i % rows != row && memcmp(&got[i], &want[i], 4)) fail(set->name, "an infinite scale", i / rows, row, want[i], got[i]);
            }
        }
        free(weights);
        free(x);
        free(w);
        free(got);
        free(want);
        free(a);
        free(b);
    }
}

static void test_floats(const hk_kernels *set, const hk_kernels *reference) {
    for (size_t count = 1; count < 200; count += 1 + count / 9) {
        for (int kind = 0; kind < 3; kind++) {
            static const float scales[] = {1, 12, 100};
            float *x = random_floats(count, scales[kind]), *gain = random_floats(count, 2);
            float *got = malloc(count * 4), *want = malloc(count * 4);
            if (kind == 2 && count > 20) x[3] = NAN, x[11] = INFINITY, x[19] = -INFINITY;
            const double absolute = 2e-6 * scales[kind];
            set->gated_gelu(x, gain, count, got);
            reference->gated_gelu(x, gain, count, want);
            compare(set->name, "gated_gelu", count, got, want, count, 2e-6, 1e-9);
            for (size_t i = 0; i < count; i++) {
                if (!isfinite(x[i])) continue;
                const double z = x[i], exact = 0.5 * z * (1 + tanh(0.7978845608028654 * (z + 0.044715 * z * z * z)));
                if (fabs(got[i] - exact * gain[i]) > 2e-6 * fabs(exact * gain[i]) + 1e-7) {
                    fail(set->name, "gelu exact", count, i, got[i], exact * gain[i]);
                }
            }
            memcpy(got, x, count * 4);
            memcpy(want, x, count * 4);
            set->soft_cap(got, count, 5);
            reference->soft_cap(want, count, 5);
            compare(set->name, "soft_cap", count, got, want, count, 2e-6, 1e-30);
            for (size_t i = 0; i < count; i++) {
                if (!isnan(x[i]) && fabs(got[i] - 5 * tanh(x[i] / 5.0)) > 1e-6 * fabsf(got[i]) + 1e-30) {
                    fail(set->name, "soft_cap exact", count, i, got[i], 5 * tanh(x[i] / 5.0));
                }
            }
            for (int with_gain = 0; with_gain < 2; with_gain++) {
                set->rms_norm(x, with_gain ? gain : NULL, count, 1e-6f, got);
                reference->rms_norm(x, with_gain ? gain : NULL, count, 1e-6f, want);
                compare(set->name, "rms_norm", count, got, want, count, 2e-6, 1e-30);
                memcpy(got, gain, count * 4);
                memcpy(want, gain, count * 4);
                set->add_rms_norm(got, x, with_gain ? gain : NULL, count, 1e-6f);
                reference->add_rms_norm(want, x, with_gain ? gain : NULL, count, 1e-6f);
                compare(set->name, "add_rms_norm", count, got, want, count, 2e-6, absolute);
            }
            set->add(got, x, count);
            reference->add(want, x, count);
            compare(set->name, "add", count, got, want, count, 2e-6, absolute);
            set->add_scaled(got, x, 0.75f, count);
            reference->add_scaled(want, x, 0.75f, count);
            compare(set->name, "add_scaled", count, got, want, count, 2e-6, absolute);
            set->scale(got, -0.3f, count);
            reference->scale(want, -0.3f, count);
            compare(set->name, "scale", count, got, want, count, 2e-6, absolute);
            set->multiply_each(x, gain, count, got);
            reference->multiply_each(x, gain, count, want);
            compare(set->name, "product", count, got, want, count, 0, 0);
            memcpy(got, x, count * 4);
            memcpy(want, x, count * 4);
            set->match_rms(got, gain, count, 1e-5f);
            reference->match_rms(want, gain, count, 1e-5f);
            compare(set->name, "match_rms", count, got, want, count, 4e-6, 1e-30);
            memcpy(got, x, count * 4);
            memcpy(want, x, count * 4);
            set->cut_below(got, count, 0.5f);
            reference->cut_below(want, count, 0.5f);
            compare(set->name, "cut_below", count, got, want, count, 4e-6, 4 * absolute);
            memcpy(got, gain, count * 4);
            memcpy(want, gain, count * 4);
            if (count % 2 == 0) {
                set->rotate(got, gain, x, count / 2);
                reference->rotate(want, gain, x, count / 2);
                compare(set->name, "rotate", count, got, want, count, 4e-6, 4 * absolute * scales[kind]);
            }
            free(x);
            free(gain);
            free(got);
            free(want);
        }
    }
}

// Two tables have the name "neon", and a processor has one of them.
static const char *way_of(const hk_kernels *set) {
#if defined(__aarch64__)
    extern const hk_kernels hk_neon_matrices;
    if (set == &hk_neon_matrices) return ", matrix products";
#endif
    (void)set;
    return "";
}

int main(void) {
    const hk_kernels *sets[8];
    const size_t count = hk_available(sets, 8);
    const hk_kernels *reference = sets[count - 1];
    for (size_t i = 0; i < count; i++) {
        const int before = failures;
        test_blocks(sets[i], reference);
        test_quantize(sets[i], reference);
        test_multiply(sets[i], reference);
        test_quantize_bytes(sets[i]->with_bytes, reference->with_bytes);
        test_multiply(sets[i]->with_bytes, reference->with_bytes);
        test_floats(sets[i], reference);
        failures += compare_attention(sets[i], reference, 300);
        failures += compare_vision(sets[i], 60);
        printf("%s%s: %s\n", sets[i]->name, way_of(sets[i]), failures == before ? "passed" : "FAILED");
    }
    return failures != 0;
}
