// Attention with an online softmax: scores exist for one tile of positions at a time, and keys and values that are kept in
// fewer bits become floats a few rows at a time, once for all heads that read them.
#ifndef HK_ATTENTION_H
#define HK_ATTENTION_H

#include "cache.h"

// Positions whose scores are held at once, and heads that share one pass over keys and values.
enum { HK_TILE = 32, HK_HEADS = 8 };

// Keys that become floats at once, and columns of values.
enum { HK_KEYS = 4, HK_COLUMNS = 64 };

// Heads whose sums fit the registers together, and which share what they load.
enum { HK_TOGETHER = HK_LANES == 16 ? 4 : 2 };

// scores[h][p] = query h . key p for `heads` heads, each key loaded once for all.
HK_INLINE void hk_score_tile(
    const int heads, const float *const *q, const float *keys, size_t stride, size_t rows, size_t width,
    float *const *scores) {
    for (size_t p = 0; p < rows; p += 4) {
        const float *k[4];
        // A missing key repeats the last one; its score is overwritten or ignored.
        for (size_t j = 0; j < 4; j++) k[j] = keys + (p + j < rows ? p + j : rows - 1) * stride;
        hk_vector sums[HK_TOGETHER][4];
        HK_UNROLL for (int h = 0; h < heads; h++) {
            HK_UNROLL for (int j = 0; j < 4; j++) sums[h][j] = 0;
        }
        size_t c = 0;
        for (; c + HK_LANES <= width; c += HK_LANES) {
            hk_vector queries[HK_TOGETHER];
            HK_UNROLL for (int h = 0; h < heads; h++) queries[h] = hk_load(q[h] + c);
            HK_UNROLL for (int j = 0; j < 4; j++) {
                const hk_vector key = hk_load(k[j] + c);
                HK_UNROLL for (int h = 0; h < heads; h++) sums[h][j] += queries[h] * key;
            }
        }
        if (c < width) {
            HK_UNROLL for (int j = 0; j < 4; j++) {
                const hk_vector key = hk_load_some(k[j] + c, width - c);
                HK_UNROLL for (int h = 0; h < heads; h++) sums[h][j] += hk_load_some(q[h] + c, width - c) * key;
            }
        }
        HK_UNROLL for (int h = 0; h < heads; h++) {
            HK_UNROLL for (int j = 0; j < 4; j++) scores[h][p + (size_t)j] = hk_sum(sums[h][j]);
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

// Some heads of a tile: their weights and where their results are.
typedef struct {
    const float *weights[HK_TOGETHER];
    float factors[HK_TOGETHER];
    float *out[HK_TOGETHER];
} hk_mixed;

// out[h] = out[h] * factor[h] + sum over p of weight[h][p] * value p, for `vectors` vectors of the width from column c on.
HK_INLINE void hk_mix_columns(
    const int heads, const int vectors, const hk_mixed *m, const float *values, size_t stride, size_t rows, size_t c) {
    hk_vector sums[HK_TOGETHER][4];
    HK_UNROLL for (int h = 0; h < heads; h++) {
        HK_UNROLL for (int k = 0; k < vectors; k++) {
            // A factor of 0 means "nothing there yet": the output may hold anything.
            sums[h][k] = m->factors[h] == 0 ? (hk_vector)0.0f : hk_load(m->out[h] + c + k * HK_LANES) * m->factors[h];
        }
    }
    for (size_t p = 0; p < rows; p++) {
        hk_vector value[4];
        HK_UNROLL for (int k = 0; k < vectors; k++) value[k] = hk_load(values + p * stride + c + k * HK_LANES);
        HK_UNROLL for (int h = 0; h < heads; h++) {
            const float weight = m->weights[h][p];
            HK_UNROLL for (int k = 0; k < vectors; k++) sums[h][k] += value[k] * weight;
        }
    }
    HK_UNROLL for (int h = 0; h < heads; h++) {
        HK_UNROLL for (int k = 0; k < vectors; k++) hk_store(m->out[h] + c + k * HK_LANES, sums[h][k]);
    }
}

HK_INLINE void hk_mix_tile(
    const int heads, const hk_mixed *m, const float *values, size_t stride, size_t rows, size_t width) {
    size_t c = 0;
    for (; c + 4 * HK_LANES <= width; c += 4 * HK_LANES) hk_mix_columns(heads, 4, m, values, stride, rows, c);
    for (; c + HK_LANES <= width; c += HK_LANES) hk_mix_columns(heads, 1, m, values, stride, rows, c);
    for (; c < width; c++) {
        // All are read before any is written: two may be the same head.
        float sums[HK_TOGETHER];
        for (int h = 0; h < heads; h++) {
            sums[h] = m->factors[h] == 0 ? 0.0f : m->out[h][c] * m->factors[h];
            for (size_t p = 0; p < rows; p++) sums[h] += values[p * stride + c] * m->weights[h][p];
        }
        for (int h = 0; h < heads; h++) m->out[h][c] = sums[h];
    }
}

HK_INLINE size_t hk_heads_together(size_t left) {
    return left < HK_TOGETHER ? 2 : HK_TOGETHER;
}

// scores[h][p] of all heads and the `rows` positions of a tile.
static void hk_score_heads(
    const hk_attention *t, const float *queries, size_t heads, const uint8_t *keys, size_t rows,
    float scores[HK_HEADS + 1][HK_TILE]) {
    float unpacked[HK_KEYS * HK_MAXIMUM_HEAD_WIDTH];
    const size_t whole = (t->width + HK_CACHE_BLOCK - 1) / HK_CACHE_BLOCK * HK_CACHE_BLOCK;
    for (size_t p = 0; p < rows; p += HK_KEYS, keys += HK_KEYS * t->row_bytes) {
        const size_t some = rows - p < HK_KEYS ? rows - p : HK_KEYS;
        const float *floats = (const float *)keys;
        size_t stride = t->row_bytes / sizeof(float);
        if (t->format != HK_F32) {
            for (size_t j = 0; j < some; j++) {
                hk_unpack_row(t->format, keys + j * t->row_bytes, 0, t->width, unpacked + j * whole);
            }
            floats = unpacked;
            stride = whole;
        }
        for (size_t h = 0; h < heads;) {
            const float *q[HK_TOGETHER];
            float *out[HK_TOGETHER];
            const size_t together = hk_heads_together(heads - h);
            for (size_t i = 0; i < together; i++) {
                // An odd last head is computed twice, once to no purpose.
                const bool is_missing = h + i >= heads;
                q[i] = queries + (is_missing ? heads - 1 : h + i) * t->width;
                out[i] = scores[is_missing ? HK_HEADS : h + i] + p;
            }
            if (together == 2) hk_score_tile(2, q, floats, stride, some, t->width, out);
            else hk_score_tile(HK_TOGETHER, q, floats, stride, some, t->width, out);
            h += together;
        }
    }
}

// output[h] = output[h] * factor[h] + sum over p of scores[h][p] * value p.
static void hk_mix_heads(
    const hk_attention *t, size_t heads, const uint8_t *values, size_t rows, float scores[HK_HEADS + 1][HK_TILE],
    const float *factors, float *output) {
    float unpacked[HK_TILE * HK_COLUMNS];
    const size_t columns = t->format == HK_F32 ? t->width : HK_COLUMNS;
    for (size_t c = 0; c < t->width; c += columns) {
        const size_t some = t->width - c < columns ? t->width - c : columns;
        const float *floats = (const float *)values;
        size_t stride = t->row_bytes / sizeof(float);
        if (t->format != HK_F32) {
            for (size_t p = 0; p < rows; p++) {
                hk_unpack_row(t->format, values + p * t->row_bytes, c, some, unpacked + p * HK_COLUMNS);
            }
            floats = unpacked;
            stride = HK_COLUMNS;
        }
        for (size_t h = 0; h < heads;) {
            hk_mixed mixed;
            const size_t together = hk_heads_together(heads - h);
            for (size_t i = 0; i < together; i++) {
                // An odd last head goes with itself: both results are the same head's.
                const size_t head = h + i < heads ? h + i : heads - 1;
                mixed.weights[i] = scores[head];
                mixed.factors[i] = factors[head];
                mixed.out[i] = output + head * t->width + c;
            }
            if (together == 2) hk_mix_tile(2, &mixed, floats, stride, rows, some);
            else hk_mix_tile(HK_TOGETHER, &mixed, floats, stride, rows, some);
            h += together;
        }
    }
}

// Up to HK_HEADS heads, from head `first` on, over all positions.
static void hk_attend_group(const hk_attention *t, size_t first, size_t heads) {
    float scores[HK_HEADS + 1][HK_TILE];
    float factors[HK_HEADS];
    const float *queries = t->queries + first * t->width;
    float *output = t->output + first * t->width, *maximum = t->maximum + first, *total = t->total + first;
    for (size_t h = 0; h < heads; h++) {
        maximum[h] = -__builtin_inff();
        total[h] = 0;
    }
    size_t row = t->first % t->capacity;
    for (size_t done = 0; done < t->count;) {
        // A tile ends where the ring wraps, so its rows are consecutive.
        size_t rows = t->count - done < HK_TILE ? t->count - done : HK_TILE;
        if (rows > t->capacity - row) rows = t->capacity - row;
        hk_score_heads(t, queries, heads, (const uint8_t *)t->keys + row * t->row_bytes, rows, scores);
        for (size_t h = 0; h < heads; h++) {
            factors[h] = hk_weigh_tile(scores[h], rows, t->scale, t->soft_cap, &maximum[h], &total[h]);
        }
        hk_mix_heads(t, heads, (const uint8_t *)t->values + row * t->row_bytes, rows, scores, factors, output);
        done += rows;
        row += rows;
        if (row == t->capacity) row = 0;
    }
}

static void hk_attend(const hk_attention *t) {
    for (size_t h = 0; h < t->heads; h += HK_HEADS) {
        hk_attend_group(t, h, t->heads - h < HK_HEADS ? t->heads - h : HK_HEADS);
    }
}

static void hk_join_attention(
    size_t heads, size_t width, float *output, float *maximum, float *total, const float *other,
    const float *other_maximum, const float *other_total) {
    for (size_t h = 0; h < heads; h++, output += width, other += width) {
        // By comparison: where one maximum is NaN or both are -inf, a factor is NaN and so is the result.
        const float highest = maximum[h] > other_maximum[h] ? maximum[h] : other_maximum[h];
        const float mine = hk_exp((hk_vector)(maximum[h] - highest))[0];
        const float theirs = hk_exp((hk_vector)(other_maximum[h] - highest))[0];
        size_t c = 0;
        for (; c + HK_LANES <= width; c += HK_LANES) {
            hk_store(output + c, hk_load(output + c) * mine + hk_load(other + c) * theirs);
        }
        for (; c < width; c++) output[c] = output[c] * mine + other[c] * theirs;
        total[h] = total[h] * mine + other_total[h] * theirs;
        maximum[h] = highest;
    }
}

#endif
