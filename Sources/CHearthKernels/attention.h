// Attention with an online softmax: scores exist for one tile of positions at a time.
#ifndef HK_ATTENTION_H
#define HK_ATTENTION_H

#include "vector.h"

// Positions whose scores are held at once, and heads that share one pass over keys and values.
enum { HK_TILE = 32, HK_HEADS = 8 };

// scores[h][p] = query h . key p for two heads (or one head twice) and four keys, each key loaded once for both.
HK_INLINE void hk_score_tile(
    const float *q0, const float *q1, const float *keys, size_t stride, size_t rows, size_t width, float *s0,
    float *s1) {
    for (size_t p = 0; p < rows; p += 4) {
        const float *k[4];
        // A missing key repeats the last one; its score is overwritten or ignored.
        for (size_t j = 0; j < 4; j++) k[j] = keys + (p + j < rows ? p + j : rows - 1) * stride;
        hk_vector sums[2][4] = {{0, 0, 0, 0}, {0, 0, 0, 0}};
        size_t c = 0;
        for (; c + HK_LANES <= width; c += HK_LANES) {
            const hk_vector a = hk_load(q0 + c), b = hk_load(q1 + c);
            for (int j = 0; j < 4; j++) {
                const hk_vector key = hk_load(k[j] + c);
                sums[0][j] += a * key;
                sums[1][j] += b * key;
            }
        }
        if (c < width) {
            const hk_vector a = hk_load_some(q0 + c, width - c), b = hk_load_some(q1 + c, width - c);
            for (int j = 0; j < 4; j++) {
                const hk_vector key = hk_load_some(k[j] + c, width - c);
                sums[0][j] += a * key;
                sums[1][j] += b * key;
            }
        }
        for (size_t j = 0; j < 4; j++) {
            s0[p + j] = hk_sum(sums[0][j]);
            s1[p + j] = hk_sum(sums[1][j]);
        }
    }
}

// Turns the scores of a tile into weights relative to the running maximum; returns the factor that brings what was
// accumulated so far to the new maximum.
static float hk_weigh_tile(float *scores, size_t rows, float scale, float cap, float *maximum, float *total) {
    hk_vector peak = -__builtin_inff();
    // Lanes past the end take -inf: weight 0.
    for (size_t p = rows; p < HK_TILE; p++) scores[p] = 0;
    for (size_t p = 0; p < HK_TILE; p += HK_LANES) {
        hk_vector s = hk_load(scores + p) * scale;
        if (cap > 0) s = cap * hk_tanh(s / cap);
        hk_store(scores + p, s);
    }
    for (size_t p = rows; p < HK_TILE; p++) scores[p] = -__builtin_inff();
    for (size_t p = 0; p < HK_TILE; p += HK_LANES) peak = hk_max(hk_load(scores + p), peak);
    float highest = *maximum;
    for (int i = 0; i < HK_LANES; i++) highest = peak[i] > highest ? peak[i] : highest;
    hk_vector sum = 0;
    for (size_t p = 0; p < HK_TILE; p += HK_LANES) {
        const hk_vector weight = hk_exp(hk_load(scores + p) - highest);
        hk_store(scores + p, weight);
        sum += weight;
    }
    // The first tile has nothing to rescale: -inf - x is no number worth computing with.
    const float factor = *maximum == -__builtin_inff() ? 0.0f : hk_exp((hk_vector)(*maximum - highest))[0];
    *maximum = highest;
    *total = *total * factor + hk_sum(sum);
    return factor;
}

// out0 = out0 * f0 + sum over p of w0[p] * value p, for `vectors` vectors of the width and two heads at once.
HK_INLINE void hk_mix_columns(
    const float *w0, const float *w1, float f0, float f1, const float *values, size_t stride, size_t rows, float *out0,
    float *out1, int vectors) {
    hk_vector a[4], b[4];
    for (int k = 0; k < vectors; k++) {
        // A factor of 0 means "nothing there yet": the output may hold anything.
        a[k] = f0 == 0 ? (hk_vector)0.0f : hk_load(out0 + k * HK_LANES) * f0;
        b[k] = f1 == 0 ? (hk_vector)0.0f : hk_load(out1 + k * HK_LANES) * f1;
    }
    for (size_t p = 0; p < rows; p++, values += stride) {
        for (int k = 0; k < vectors; k++) {
            const hk_vector v = hk_load(values + k * HK_LANES);
            a[k] += v * w0[p];
            b[k] += v * w1[p];
        }
    }
    for (int k = 0; k < vectors; k++) {
        hk_store(out0 + k * HK_LANES, a[k]);
        hk_store(out1 + k * HK_LANES, b[k]);
    }
}

static void hk_mix_tile(
    const float *w0, const float *w1, float f0, float f1, const float *values, size_t stride, size_t rows, size_t width,
    float *out0, float *out1) {
    size_t c = 0;
    for (; c + 4 * HK_LANES <= width; c += 4 * HK_LANES) {
        hk_mix_columns(w0, w1, f0, f1, values + c, stride, rows, out0 + c, out1 + c, 4);
    }
    for (; c + HK_LANES <= width; c += HK_LANES) {
        hk_mix_columns(w0, w1, f0, f1, values + c, stride, rows, out0 + c, out1 + c, 1);
    }
    for (; c < width; c++) {
        float a = f0 == 0 ? 0.0f : out0[c] * f0, b = f1 == 0 ? 0.0f : out1[c] * f1;
        for (size_t p = 0; p < rows; p++) {
            a += values[p * stride + c] * w0[p];
            b += values[p * stride + c] * w1[p];
        }
        out0[c] = a;
        out1[c] = b;
    }
}

// Up to HK_HEADS heads over all positions.
static void hk_attend_group(const hk_attention *t, const float *queries, size_t heads, float *output) {
    float scores[HK_HEADS + 1][HK_TILE];
    float maximum[HK_HEADS], total[HK_HEADS], factor[HK_HEADS];
    float spare[HK_TILE];
    for (size_t h = 0; h < heads; h++) {
        maximum[h] = -__builtin_inff();
        total[h] = 0;
    }
    size_t row = t->first % t->capacity;
    for (size_t done = 0; done < t->count;) {
        // A tile ends where the ring wraps, so its rows are consecutive.
        size_t rows = t->count - done < HK_TILE ? t->count - done : HK_TILE;
        if (rows > t->capacity - row) rows = t->capacity - row;
        const float *keys = t->keys + row * t->row_stride, *values = t->values + row * t->row_stride;
        for (size_t h = 0; h < heads; h += 2) {
            const size_t next = h + 1 < heads ? h + 1 : h;
            float *second = next == h ? spare : scores[next];
            hk_score_tile(
                queries + h * t->width, queries + next * t->width, keys, t->row_stride, rows, t->width, scores[h],
                second);
        }
        for (size_t h = 0; h < heads; h++) {
            factor[h] = hk_weigh_tile(scores[h], rows, t->scale, t->soft_cap, &maximum[h], &total[h]);
        }
        // An odd last head goes with its neighbour's weights set aside: both results are the same head's.
        for (size_t h = 0; h < heads; h += 2) {
            const size_t next = h + 1 < heads ? h + 1 : h;
            hk_mix_tile(
                scores[h], scores[next], factor[h], factor[next], values, t->row_stride, rows, t->width,
                output + h * t->width, output + next * t->width);
        }
        done += rows;
        row += rows;
        if (row == t->capacity) row = 0;
    }
    for (size_t h = 0; h < heads; h++) {
        const float inverse = 1.0f / total[h];
        for (size_t c = 0; c < t->width; c++) output[h * t->width + c] *= inverse;
    }
}

static void hk_attend(const hk_attention *t) {
    for (size_t h = 0; h < t->heads; h += HK_HEADS) {
        const size_t heads = t->heads - h < HK_HEADS ? t->heads - h : HK_HEADS;
        hk_attend_group(t, t->queries + h * t->width, heads, t->output + h * t->width);
    }
}

#endif
