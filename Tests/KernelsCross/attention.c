// Compares attention over a key/value cache with plain loops in double precision, in every format of the cache: whole, in
// parts, in buffers of exactly the needed size. Packing has to have the same bits in every set.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attention.h"

#define SEED 0x13198a2e03707344
#include "random.h"

static int failures = 0;

static void fail(const char *set, const char *what, size_t a, size_t b, double got, double want) {
    if (++failures < 40) printf("FAIL %s %s [%zu, %zu]: %.9g instead of %.9g\n", set, what, a, b, got, want);
}

static const hk_format formats[] = {HK_F32, HK_F16, HK_Q8_0, HK_Q4_0};

static size_t head_bytes(hk_format format, size_t width) {
    const size_t blocks = (width + 31) / 32;
    return format == HK_F32 ? 4 * width : format == HK_F16 ? 2 * width : blocks * (format == HK_Q8_0 ? 34 : 18);
}

// What a packed row stands for, by the portable decoder of weights.
static void unpack(const hk_kernels *reference, hk_format format, const uint8_t *row, size_t width, float *out) {
    const bool blocks = format == HK_Q8_0 || format == HK_Q4_0;
    const size_t whole = blocks ? (width + 31) / 32 * 32 : width;
    float *values = malloc(whole * sizeof *values);
    reference->dequantize(format, row, whole, values);
    memcpy(out, values, width * sizeof *out);
    free(values);
}

// Rows of keys or values in a buffer that ends with the last of them.
static uint8_t *packed(const hk_kernels *set, hk_format format, float *x, size_t rows, size_t width, size_t row_bytes) {
    uint8_t *out = malloc((rows - 1) * row_bytes + head_bytes(format, width));
    for (size_t r = 0; r < rows; r++) set->pack_row(format, x + r * width, width, out + r * row_bytes);
    return out;
}

// What blocks of four bits keep: no value is off by more than a step, and together they are no worse than with the scale that
// the furthest value suggests.
static void test_nibbles(const hk_kernels *set, const float *x, const float *back, size_t count) {
    for (size_t start = 0; start < count; start += 32) {
        const size_t end = start + 32 < count ? start + 32 : count;
        double extreme = 0, plain = 0, kept = 0;
        bool finite = true;
        for (size_t i = start; i < end; i++) {
            extreme = fabs((double)x[i]) > fabs(extreme) ? x[i] : extreme;
            finite = finite && isfinite(x[i]);
        }
        if (!finite || fabs(extreme) > 7 * 65504.0) continue;
        const double step = fabs(extreme) / 8, tiny = 8 * 0x1p-24;
        for (size_t i = start; i < end; i++) {
            const double quant = extreme == 0 ? 0 : fmin(7, fmax(-8, rint(x[i] / (extreme / -8))));
            plain += pow(quant * extreme / -8 - x[i], 2);
            kept += pow((double)back[i] - x[i], 2);
            if (!(fabs((double)back[i] - x[i]) <= 1.1 * step + tiny)) fail(set->name, "nibbles", i, count, back[i], x[i]);
        }
        if (!(kept <= plain * 1.01 + 32 * (tiny * tiny + step * step * 1e-5))) fail(set->name, "block of nibbles", start, count, kept, plain);
    }
}

static void test_packing(const hk_kernels *set, const hk_kernels *reference) {
    for (int round = 0; round < 400; round++) {
        static const float scales[] = {1, 0, 300, 1e-4f, 1e-7f, 1e-20f, 7e4f, 3e38f};
        const hk_format format = formats[round % 4];
        const size_t count = 1 + below(150), bytes = head_bytes(format, count);
        float *x = random_floats(count, scales[below(8)]);
        if (round % 7 == 0) x[below(count)] = (float[]){NAN, -NAN, INFINITY, -INFINITY, 65519.99f, -65520, 0x1p-24f}[below(7)];
        uint8_t *got = malloc(bytes), *want = malloc(bytes);
        set->pack_row(format, x, count, got);
        reference->pack_row(format, x, count, want);
        if (memcmp(got, want, bytes)) fail(set->name, "pack_row", (size_t)round, count, 0, 0);
        float *back = malloc(count * sizeof *back);
        unpack(reference, format, got, count, back);
        for (size_t i = 0; i < count; i++) {
            double peak = 0;
            bool finite = true;
            for (size_t j = i / 32 * 32; j < count && j < i / 32 * 32 + 32; j++) {
                peak = fmax(peak, fabs((double)x[j]));
                finite = finite && isfinite(x[j]);
            }
            if (format == HK_F32 && memcmp(&back[i], &x[i], 4)) fail(set->name, "float32", i, count, back[i], x[i]);
            if (format == HK_F16 && isfinite(x[i])) {
                const double want = fabsf(x[i]) > 65504 ? copysign(65504, x[i]) : x[i];
                if (!(fabs(back[i] - want) <= 0x1.004p-11 * fabs(want) + 0x1p-25)) fail(set->name, "half", i, count, back[i], want);
            }
            if (format == HK_F16 && isinf(x[i]) && back[i] != x[i]) fail(set->name, "half of inf", i, count, back[i], x[i]);
            if (format == HK_F16 && isnan(x[i]) && !isnan(back[i])) fail(set->name, "half of nan", i, count, back[i], x[i]);
            if (format >= HK_Q4_0 && !finite && !isnan(back[i])) fail(set->name, "bytes of nan", i, count, back[i], x[i]);
            // Half a step, and what the scale's own rounding cuts off at the end; scales reach from 2^-24 to 65504.
            if (format == HK_Q8_0 && finite && peak < 127 * 65504.0) {
                const double step = peak / 127 * (1 + 0x1p-11) + 0x1p-24;
                if (!(fabs((double)back[i] - x[i]) <= 0.57 * step + 64 * 0x1p-24)) fail(set->name, "bytes", i, count, back[i], x[i]);
            }
        }
        if (format == HK_Q4_0) test_nibbles(set, x, back, count);
        free(x);
        free(got);
        free(want);
        free(back);
    }
}

// The rotation against the sum over all signs, and that it is its own inverse.
static void test_hadamard(const hk_kernels *set, const hk_kernels *reference) {
    for (size_t count = 1; count <= 512; count += count < 66 ? 1 : 1 + below(40)) {
        const size_t size = count & (~count + 1);
        float *x = random_floats(count, 3), *got = malloc(count * sizeof *x), *want = malloc(count * sizeof *x);
        memcpy(got, x, count * sizeof *x);
        memcpy(want, x, count * sizeof *x);
        set->hadamard(got, count);
        reference->hadamard(want, count);
        if (memcmp(got, want, count * sizeof *x)) fail(set->name, "hadamard bits", count, 0, 0, 0);
        for (size_t i = 0; i < count; i++) {
            double sum = 0;
            for (size_t j = 0; j < size; j++) {
                sum += __builtin_parityll(i % size & j) ? -(double)x[i / size * size + j] : (double)x[i / size * size + j];
            }
            if (!(fabs(got[i] - sum / sqrt((double)size)) < 1e-5)) fail(set->name, "hadamard", count, i, got[i], sum);
        }
        set->hadamard(got, count);
        for (size_t i = 0; i < count; i++) {
            if (!(fabs((double)got[i] - x[i]) < 1e-5)) fail(set->name, "hadamard twice", count, i, got[i], x[i]);
        }
        free(x);
        free(got);
        free(want);
    }
}

// Attention in double precision over the values that packed rows stand for.
static void expected(const hk_attention *t, size_t head, const float *keys, const float *values, double *out) {
    double *weights = malloc(t->count * sizeof *weights), total = 0, peak = -1e300;
    for (size_t p = 0; p < t->count; p++) {
        const float *key = keys + (t->first + p) % t->capacity * t->width;
        double s = 0;
        for (size_t c = 0; c < t->width; c++) s += (double)t->queries[head * t->width + c] * key[c];
        s *= t->scale;
        weights[p] = t->soft_cap > 0 ? t->soft_cap * tanh(s / t->soft_cap) : s;
        peak = fmax(peak, weights[p]);
    }
    for (size_t p = 0; p < t->count; p++) total += weights[p] = exp(weights[p] - peak);
    for (size_t c = 0; c < t->width; c++) {
        out[c] = 0;
        for (size_t p = 0; p < t->count; p++) {
            out[c] += weights[p] / total * values[(t->first + p) % t->capacity * t->width + c];
        }
    }
    free(weights);
}

typedef struct {
    float *output, *maximum, *total;
} result;

static result room(size_t heads, size_t width) {
    const result r = {malloc(heads * width * 4), malloc(heads * 4), malloc(heads * 4)};
    memset(r.output, 0xff, heads * width * 4);
    return r;
}

static void release(result r) {
    free(r.output);
    free(r.maximum);
    free(r.total);
}

static void attend(const hk_kernels *set, hk_attention t, size_t first, size_t count, result r) {
    t.first = first, t.count = count;
    t.output = r.output, t.maximum = r.maximum, t.total = r.total;
    set->attend(&t);
}

static void test_one(const hk_kernels *set, const hk_kernels *reference, int round) {
    static const size_t widths[] = {8, 16, 24, 32, 64, 128, 256, 512, 7, 13, 40};
    const size_t width = widths[(size_t)round % (sizeof widths / sizeof *widths)], heads = 1 + below(11);
    const size_t capacity = 1 + below(200), count = 1 + below(capacity), first = below(1000);
    const hk_format format = formats[below(4)];
    const size_t row_bytes = head_bytes(format, width) + (format == HK_F32 ? 4 * below(9) : below(9));
    const bool large = round % 5 == 0;
    float *q = random_floats(heads * width, large ? 50 : 1), *k = random_floats(capacity * width, large ? 50 : 1);
    float *v = random_floats(capacity * width, 1);
    uint8_t *keys = packed(set, format, k, capacity, width, row_bytes);
    uint8_t *values = packed(set, format, v, capacity, width, row_bytes);
    for (size_t r = 0; r < capacity; r++) {
        unpack(reference, format, keys + r * row_bytes, width, k + r * width);
        unpack(reference, format, values + r * row_bytes, width, v + r * width);
    }
    const hk_attention task = {
        q, heads, width, format, keys, values, row_bytes, capacity, first, count, 0.5f, round % 3 == 0 ? 4 : 0, 0, 0, 0};
    const result whole = room(heads, width), joined = room(heads, width), part = room(heads, width);
    attend(set, task, first, count, whole);
    // The same in parts, the first of which is where the others are added.
    for (size_t done = 0; done < count;) {
        const size_t some = 1 + below(count - done);
        attend(set, task, first + done, some, done ? part : joined);
        if (done) {
            set->join_attention(
                heads, width, joined.output, joined.maximum, joined.total, part.output, part.maximum, part.total);
        }
        done += some;
    }
    double *want = malloc(width * sizeof *want);
    for (size_t h = 0; h < heads; h++) {
        expected(&task, h, k, v, want);
        for (size_t c = 0; c < width; c++) {
            const double got = whole.output[h * width + c] / whole.total[h], sum = joined.output[h * width + c] / joined.total[h];
            const double bound = large ? 5e-2 : 1e-5;
            if (!(fabs(got - want[c]) < bound)) fail(set->name, "attend", width, h, got, want[c]);
            if (!(fabs(sum - want[c]) < bound)) fail(set->name, "attend in parts", width, h, sum, want[c]);
        }
    }
    // A head alone has the bits that it has among others.
    const size_t head = below(heads);
    hk_attention alone = task;
    alone.queries = q + head * width, alone.heads = 1;
    const result one = room(1, width);
    attend(set, alone, first, count, one);
    if (memcmp(one.output, whole.output + head * width, width * 4) || one.total[0] != whole.total[head]) {
        fail(set->name, "one head", width, head, one.output[0], whole.output[head * width]);
    }
    free(want);
    free(q);
    free(k);
    free(v);
    free(keys);
    free(values);
    release(whole);
    release(joined);
    release(part);
    release(one);
}

int compare_attention(const hk_kernels *set, const hk_kernels *reference, int rounds) {
    failures = 0;
    test_packing(set, reference);
    test_hadamard(set, reference);
    for (int round = 0; round < rounds; round++) test_one(set, reference, round);
    return failures;
}
