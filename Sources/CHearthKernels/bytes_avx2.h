// Products of quantized weights with 8-bit activations (see bytes.h) on AVX2.
//
// A result is the sum of eight lanes: lane j adds up, step by step, scale * (exact integer product) of block j of each
// step, blocks being 32 values. One token reads the rows as the file has them and reduces a step's products to those eight
// integers by shuffles. More tokens share panels: sixteen rows, unpacked and turned so that a lane belongs to a row, meet
// the activations four bytes at a time. Both give the same integers and add them in the same order.
#ifndef HK_BYTES_AVX2_H
#define HK_BYTES_AVX2_H

#include "quantized.h"

#define HK_BYTES_PATHS 1
#include "byte_dots_x86.h"

typedef struct {
    hk_eight scales, minimums;
} hk_step_floats;

// MARK: - One token

HK_INLINE __m256i hk_two_halves(const void *low, const void *high) {
    return _mm256_inserti128_si256(
        _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)low)), _mm_loadu_si128((const __m128i *)high), 1);
}

// The integer products of eight blocks of four-bit values, whose 16 bytes begin at quants + i * stride.
HK_INLINE __m256i hk_nibble_dots(const uint8_t *quants, const size_t stride, const hk_activation_bytes *x) {
    const __m256i fifteen = _mm256_set1_epi8(15);
    __m256i p[4];
    HK_UNROLL for (int i = 0; i < 4; i++) {
        const __m256i both = hk_two_halves(quants + (size_t)i * stride, quants + (size_t)(i + 4) * stride);
        const __m256i low = _mm256_and_si256(both, fifteen), high = _mm256_and_si256(_mm256_srli_epi16(both, 4), fifteen);
        const int8_t *a = x->values + 32 * i;
        // Sums of at most 16 products of 15 and 127 come together in a word.
        p[i] = _mm256_add_epi16(
            _mm256_maddubs_epi16(low, hk_two_halves(a, a + 128)), _mm256_maddubs_epi16(high, hk_two_halves(a + 16, a + 144)));
    }
    return _mm256_madd_epi16(hk_reduce_words(p[0], p[1], p[2], p[3]), _mm256_set1_epi16(1));
}

// Eight vectors of integers, each of one block, to eight sums.
HK_INLINE __m256i hk_join_blocks(const __m256i v[8]) {
    const __m256i low = hk_reduce_dwords(v[0], v[1], v[2], v[3]), high = hk_reduce_dwords(v[4], v[5], v[6], v[7]);
    return _mm256_add_epi32(_mm256_permute2x128_si256(low, high, 0x20), _mm256_permute2x128_si256(low, high, 0x31));
}

// Scales of blocks of 18 bytes.
HK_INLINE hk_eight hk_scales_18(const uint8_t *step) {
    __m256i all = hk_load_bytes(step);
    all = _mm256_blend_epi32(all, hk_load_bytes(step + 32), 0x22);
    all = _mm256_blend_epi32(all, hk_load_bytes(step + 64), 0x44);
    all = _mm256_blend_epi32(all, hk_load_bytes(step + 96), 0x88);
    const __m128i halves = _mm_blend_epi16(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1), 0xaa);
    return (hk_eight)_mm256_cvtph_ps(halves);
}

// Scales of blocks of 34 bytes.
HK_INLINE hk_eight hk_scales_34(const uint8_t *step) {
#define HK_WORD(i) _mm_loadu_si128((const __m128i *)(step + 32 * (i)))
    __m128i a = _mm_blend_epi16(HK_WORD(0), HK_WORD(1), 2), b = _mm_blend_epi16(HK_WORD(2), HK_WORD(3), 8);
    __m128i c = _mm_blend_epi16(HK_WORD(4), HK_WORD(5), 32), d = _mm_blend_epi16(HK_WORD(6), HK_WORD(7), 128);
#undef HK_WORD
    a = _mm_blend_epi16(a, b, 0x0c), c = _mm_blend_epi16(c, d, 0xc0);
    return (hk_eight)_mm256_cvtph_ps(_mm_blend_epi16(a, c, 0xf0));
}

// Lanes of hk_sixteen: see scales.h.
HK_INLINE void hk_read_step_floats(hk_format format, const uint8_t *step, hk_step_floats *out) {
    // The compiler must not see that scales and quants are loaded from overlapping places: it would take the quants out of
    // the scales' vectors by shifts and blends, which are slower than loads.
    __asm__("" : "+r"(step));
    out->minimums = 0;
    if (format == HK_Q4_0) { out->scales = hk_scales_18(step); return; }
    if (format == HK_Q8_0) { out->scales = hk_scales_34(step); return; }
    if (format == HK_Q6_K) { out->scales = hk_half(((const hk_q6_k *)step)->d); return; }
    hk_sixteen all;
    hk_read_scales(format, step, &all);
    if (!hk_has_minimum(format)) { out->scales = all.lo; return; }
    out->scales = __builtin_shufflevector(all, all, 0, 1, 2, 3, 8, 9, 10, 11);
    const hk_eight minimums = __builtin_shufflevector(all, all, 4, 5, 6, 7, 12, 13, 14, 15);
    out->minimums = format == HK_Q4_K || format == HK_Q5_K ? -minimums : minimums;
}

// The exact integer products of the eight blocks of a step, offsets of the format included.
HK_INLINE __m256i hk_step_dots(hk_format format, const uint8_t *step, const hk_activation_bytes *x) {
    const __m256i sums = hk_load_bytes(x->sums);
    if (format == HK_Q4_0) {
        return _mm256_sub_epi32(hk_nibble_dots(step + 2, 18, x), _mm256_slli_epi32(sums, 3));
    }
    if (format == HK_Q4_1) return hk_nibble_dots(step + 4, 20, x);
    __m256i v[8];
    if (format == HK_Q6_K) {
        const hk_q6_k *block = (const hk_q6_k *)step;
        const __m256i scales = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)block->scales));
        HK_UNROLL for (int unit = 0; unit < 8; unit++) {
            const __m256i products = _mm256_maddubs_epi16(hk_unpack(format, step, unit), hk_load_bytes(x->values + 32 * unit));
            // A scale for each 16 values: those of one half.
            const __m128i pair = _mm_set_epi64x((2 * unit + 1) * 0x0101010101010101, 2 * unit * 0x0101010101010101);
            const __m256i words =
                _mm256_cvtepi8_epi16(_mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)block->scales), pair));
            v[unit] = _mm256_madd_epi16(products, words);
        }
        const __m256i offsets = _mm256_madd_epi16(scales, hk_load_bytes(x->halves));
        return _mm256_sub_epi32(hk_join_blocks(v), _mm256_slli_epi32(offsets, 5));
    }
    if (format == HK_Q8_0) {
        HK_UNROLL for (int unit = 0; unit < 8; unit++) {
            v[unit] = hk_signed_dot(hk_unpack(format, step, unit), x->values + 32 * unit);
        }
        return hk_join_blocks(v);
    }
    // At most 31 * 127 * 2 a word.
    HK_UNROLL for (int unit = 0; unit < 8; unit++) {
        v[unit] = _mm256_madd_epi16(
            _mm256_maddubs_epi16(hk_unpack(format, step, unit), hk_load_bytes(x->values + 32 * unit)), _mm256_set1_epi16(1));
    }
    const __m256i dots = hk_join_blocks(v);
    return format == HK_Q5_0 ? _mm256_sub_epi32(dots, _mm256_slli_epi32(sums, 4)) : dots;
}

HK_INLINE hk_vector hk_bytes_step_sum(hk_format format, const uint8_t *step, const hk_activation_bytes *x, hk_vector sum) {
    hk_step_floats floats;
    hk_read_step_floats(format, step, &floats);
    const hk_vector scales = hk_load(x->scales);
    const hk_vector dots = (hk_vector)_mm256_cvtepi32_ps(hk_step_dots(format, step, x));
    sum = (hk_vector)_mm256_fmadd_ps((__m256)dots, (__m256)(floats.scales * scales), (__m256)sum);
    if (!hk_has_minimum(format)) return sum;
    const hk_vector totals = scales * (hk_vector)_mm256_cvtepi32_ps(hk_load_bytes(x->sums));
    return (hk_vector)_mm256_fmadd_ps((__m256)totals, (__m256)floats.minimums, (__m256)sum);
}

HK_INLINE void hk_bytes_rows(hk_format format, const int rows, const hk_tile *t, size_t token) {
    const size_t step_bytes = hk_step_bytes(format);
    hk_vector sums[HK_DECODE_ROWS];
    HK_UNROLL for (int r = 0; r < rows; r++) sums[r] = 0;
    const uint8_t *weights = t->weights;
    size_t c = 0;
    for (; c + HK_STEP <= t->columns; c += HK_STEP, weights += step_bytes) {
        const hk_activation_bytes *x = hk_bytes_step(t, token, c / HK_STEP);
        HK_UNROLL for (int r = 0; r < rows; r++) {
            const uint8_t *step = weights + (size_t)r * t->row_bytes;
            hk_prefetch(step, t->ahead, step_bytes);
            sums[r] = hk_bytes_step_sum(format, step, x, sums[r]);
        }
    }
    if (hk_block_values(format) < HK_STEP && c < t->columns) {
        for (int r = 0; r < rows; r++) {
            uint8_t copy[HK_STEP / 32 * sizeof(hk_q8_0)] = {0};
            memcpy(copy, weights + (size_t)r * t->row_bytes, (t->columns - c) / 32 * hk_block_bytes(format));
            sums[r] = hk_bytes_step_sum(format, copy, hk_bytes_step(t, token, c / HK_STEP), sums[r]);
        }
    }
    HK_UNROLL for (int r = 0; r < rows; r++) t->y[token * t->y_stride + (size_t)r] = hk_sum(sums[r]);
}

// MARK: - Panels

enum { HK_PANEL_ROWS = 16, HK_PANEL_COLUMNS = 1024, HK_PANEL_TOKENS = 4, HK_PANEL_BLOCKS = HK_PANEL_COLUMNS / 32 };

// Sixteen rows of some blocks. Of a block the bytes: eight vectors for rows 0...7, whose vector j has values 4j...4j + 3 of
// each row, then eight for rows 8...15; where values have eight bits, these are the low four and as many vectors follow with
// the high four.
typedef struct {
    __m256i quants[HK_PANEL_BLOCKS][2][2][8];
    hk_vector scales[HK_PANEL_BLOCKS][2];
    hk_vector minimums[HK_PANEL_BLOCKS][2];
    __m256i factors[HK_PANEL_BLOCKS][2][3];  // Q6_K: scales of the first 16 values, the others; -32 times both
} hk_byte_panel;

// How many products of two fit a word together, by the bits of a format's values.
HK_INLINE int hk_word_sums(hk_format format) {
    switch (format) {
    case HK_Q5_0: case HK_Q5_1: case HK_Q5_K: return 4;
    case HK_Q6_K: return 2;
    default: return 8;
    }
}

HK_INLINE bool hk_has_planes(hk_format format) {
    return format == HK_Q8_0;
}

// Vector r has 8 dwords of row r; afterwards vector j has dword j of all.
HK_INLINE void hk_turn(__m256i v[8]) {
    __m256i t[8], u[8];
    HK_UNROLL for (int i = 0; i < 4; i++) {
        t[2 * i] = _mm256_unpacklo_epi32(v[2 * i], v[2 * i + 1]);
        t[2 * i + 1] = _mm256_unpackhi_epi32(v[2 * i], v[2 * i + 1]);
    }
    HK_UNROLL for (int i = 0; i < 2; i++) {
        HK_UNROLL for (int k = 0; k < 2; k++) {
            u[4 * i + 2 * k] = _mm256_unpacklo_epi64(t[4 * i + k], t[4 * i + 2 + k]);
            u[4 * i + 2 * k + 1] = _mm256_unpackhi_epi64(t[4 * i + k], t[4 * i + 2 + k]);
        }
    }
    HK_UNROLL for (int i = 0; i < 4; i++) {
        v[i] = _mm256_permute2x128_si256(u[i], u[4 + i], 0x20);
        v[i + 4] = _mm256_permute2x128_si256(u[i], u[4 + i], 0x31);
    }
}

// One step of eight rows into blocks `block` ... of the panel.
HK_INLINE void hk_fill_panel(hk_format format, const uint8_t *const steps[8], hk_byte_panel *panel, size_t block, size_t group) {
    for (int r = 0; r < 8; r++) {
        hk_step_floats floats;
        hk_read_step_floats(format, steps[r], &floats);
        for (size_t i = 0; i < 8; i++) {
            ((float *)&panel->scales[block + i][group])[r] = floats.scales[i];
            if (hk_has_minimum(format)) ((float *)&panel->minimums[block + i][group])[r] = floats.minimums[i];
            if (format != HK_Q6_K) continue;
            const int a = ((const hk_q6_k *)steps[r])->scales[2 * i], b = ((const hk_q6_k *)steps[r])->scales[2 * i + 1];
            int32_t *factors = (int32_t *)panel->factors[block + i][group];
            factors[r] = (int32_t)((uint32_t)(uint16_t)a | (uint32_t)a << 16);
            factors[8 + r] = (int32_t)((uint32_t)(uint16_t)b | (uint32_t)b << 16);
            factors[16 + r] = (int32_t)((uint32_t)(uint16_t)(-32 * a) | (uint32_t)(-32 * b) << 16);
        }
    }
    HK_UNROLL for (int unit = 0; unit < 8; unit++) {
        __m256i v[8];
        HK_UNROLL for (int r = 0; r < 8; r++) v[r] = hk_unpack(format, steps[r], unit);
        hk_turn(v);
        __m256i *low = panel->quants[block + (size_t)unit][0][group], *high = panel->quants[block + (size_t)unit][1][group];
        const __m256i fifteen = _mm256_set1_epi8(15);
        HK_UNROLL for (int j = 0; j < 8; j++) {
            if (!hk_has_planes(format)) {
                low[j] = v[j];
                continue;
            }
            const __m256i bytes = _mm256_xor_si256(v[j], _mm256_set1_epi8(-128));
            low[j] = _mm256_and_si256(bytes, fifteen);
            high[j] = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), fifteen);
        }
    }
}

HK_INLINE __m256i hk_four_bytes(const int8_t *a) {
    return _mm256_set1_epi32((int)hk_u32(a));
}

// Words of up to eight products, added in 32 bits by `factor`.
HK_INLINE void hk_panel_chain(
    const int tokens, const int first, const int count, const __m256i quants[2][8], const hk_activation_bytes *const *x,
    int block, const __m256i factors[2], const bool adds, __m256i dots[2][HK_PANEL_TOKENS]) {
    __m256i words[2][HK_PANEL_TOKENS];
    HK_UNROLL for (int j = first; j < first + count; j++) {
        const __m256i low = quants[0][j], high = quants[1][j];
        HK_UNROLL for (int k = 0; k < tokens; k++) {
            const __m256i a = hk_four_bytes(x[k]->values + 32 * block + 4 * j);
            const __m256i p = _mm256_maddubs_epi16(low, a), q = _mm256_maddubs_epi16(high, a);
            words[0][k] = j == first ? p : _mm256_add_epi16(words[0][k], p);
            words[1][k] = j == first ? q : _mm256_add_epi16(words[1][k], q);
        }
    }
    HK_UNROLL for (int k = 0; k < tokens; k++) {
        HK_UNROLL for (int g = 0; g < 2; g++) {
            const __m256i product = _mm256_madd_epi16(words[g][k], factors[g]);
            dots[g][k] = adds ? _mm256_add_epi32(dots[g][k], product) : product;
        }
    }
}

// Some blocks of a panel times some tokens; sums[token][block % 8][row group].
HK_INLINE void hk_panel_tile(
    hk_format format, const int tokens, const hk_byte_panel *panel, size_t steps, const hk_tile *t, size_t token,
    size_t first_step, hk_vector (*sums)[8][2]) {
    const int count = hk_word_sums(format);
    for (size_t s = 0; s < steps; s++) {
        const hk_activation_bytes *x[HK_PANEL_TOKENS];
        HK_UNROLL for (int k = 0; k < tokens; k++) x[k] = hk_bytes_step(t, token + (size_t)k, first_step + s);
        for (int block = 0; block < 8; block++) {
            const size_t at = 8 * s + (size_t)block;
            __m256i dots[2][HK_PANEL_TOKENS];
            HK_UNROLL for (int first = 0; first < 8; first += count) {
                __m256i factors[2];
                HK_UNROLL for (int g = 0; g < 2; g++) {
                    factors[g] = format == HK_Q6_K ? panel->factors[at][g][first / 4] : _mm256_set1_epi16(1);
                }
                hk_panel_chain(tokens, first, count, panel->quants[at][0], x, block, factors, first > 0, dots);
            }
            if (hk_has_planes(format)) {
                const __m256i factors[2] = {_mm256_set1_epi16(16), _mm256_set1_epi16(16)};
                hk_panel_chain(tokens, 0, 8, panel->quants[at][1], x, block, factors, true, dots);
            }
            HK_UNROLL for (int k = 0; k < tokens; k++) {
                const int32_t sum = x[k]->sums[block];
                HK_UNROLL for (int g = 0; g < 2; g++) {
                    __m256i dot = dots[g][k];
                    if (format == HK_Q4_0) dot = _mm256_sub_epi32(dot, _mm256_set1_epi32(8 * sum));
                    if (format == HK_Q5_0) dot = _mm256_sub_epi32(dot, _mm256_set1_epi32(16 * sum));
                    if (format == HK_Q8_0) dot = _mm256_sub_epi32(dot, _mm256_set1_epi32(128 * sum));
                    if (format == HK_Q6_K) {
                        const __m256i halves = hk_four_bytes((const int8_t *)(x[k]->halves + 2 * block));
                        dot = _mm256_add_epi32(dot, _mm256_madd_epi16(panel->factors[at][g][2], halves));
                    }
                    const __m256 scale = (__m256)(panel->scales[at][g] * x[k]->scales[block]);
                    __m256 value = _mm256_fmadd_ps(_mm256_cvtepi32_ps(dot), scale, (__m256)sums[k][block][g]);
                    if (hk_has_minimum(format)) {
                        const float total = x[k]->scales[block] * (float)sum;
                        value = _mm256_fmadd_ps(_mm256_set1_ps(total), (__m256)panel->minimums[at][g], value);
                    }
                    sums[k][block][g] = (hk_vector)value;
                }
            }
        }
    }
}

enum { HK_SUMS_TOKENS = 64 };

// `rows` (at most 16) rows times `tokens` (at most HK_SUMS_TOKENS) tokens.
HK_INLINE void hk_bytes_panel(hk_format format, const hk_tile *t, size_t rows, size_t tokens) {
    hk_byte_panel panel;
    hk_vector sums[HK_SUMS_TOKENS][8][2];
    memset(sums, 0, tokens * sizeof *sums);
    const size_t step_bytes = hk_step_bytes(format), all = (t->columns + HK_STEP - 1) / HK_STEP;
    for (size_t first = 0; first < all; first += HK_PANEL_COLUMNS / HK_STEP) {
        const size_t steps = all - first < HK_PANEL_COLUMNS / HK_STEP ? all - first : HK_PANEL_COLUMNS / HK_STEP;
        for (size_t s = 0; s < steps; s++) {
            const size_t c = (first + s) * HK_STEP, bytes = c + HK_STEP <= t->columns
                ? step_bytes : (t->columns - c) / 32 * hk_block_bytes(format);
            for (size_t group = 0; group < 2; group++) {
                uint8_t copies[8][HK_STEP / 32 * sizeof(hk_q8_0)];
                const uint8_t *rows_of_group[8];
                for (size_t r = 0; r < 8; r++) {
                    // A row that is missing is the last one again.
                    const size_t row = 8 * group + r < rows ? 8 * group + r : rows - 1;
                    rows_of_group[r] = t->weights + row * t->row_bytes + (first + s) * step_bytes;
                    if (bytes == step_bytes) continue;
                    memset(copies[r], 0, sizeof copies[r]);
                    memcpy(copies[r], rows_of_group[r], bytes);
                    rows_of_group[r] = copies[r];
                }
                hk_fill_panel(format, rows_of_group, &panel, 8 * s, group);
            }
        }
        size_t k = 0;
        for (; k + HK_PANEL_TOKENS <= tokens; k += HK_PANEL_TOKENS) {
            hk_panel_tile(format, HK_PANEL_TOKENS, &panel, steps, t, k, first, sums + k);
        }
        for (; k < tokens; k++) hk_panel_tile(format, 1, &panel, steps, t, k, first, sums + k);
    }
    for (size_t k = 0; k < tokens; k++) {
        HK_UNROLL for (size_t group = 0; group < 2; group++) {
            // The order of hk_sum.
            hk_vector lanes[8];
            for (int i = 0; i < 8; i++) lanes[i] = sums[k][i][group];
            for (int i = 0; i < 4; i++) lanes[i] += lanes[i + 4];
            const hk_vector total = (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
            if (8 * group + 8 <= rows) hk_store(t->y + k * t->y_stride + 8 * group, total);
            else if (8 * group < rows) hk_store_some(t->y + k * t->y_stride + 8 * group, total, rows - 8 * group);
        }
    }
}

enum { HK_FEW_TOKENS = 4 };

#include "bytes_few.h"

HK_INLINE void hk_bytes_product(hk_format format, const hk_tile *task, size_t row_count, size_t token_count) {
    if (token_count < HK_FEW_TOKENS) {
        hk_bytes_few(format, task, row_count, token_count);
        return;
    }
    hk_tile tile = *task;
    for (size_t token = 0; token < token_count; token += HK_SUMS_TOKENS) {
        const size_t tokens = token_count - token < HK_SUMS_TOKENS ? token_count - token : HK_SUMS_TOKENS;
        for (size_t row = 0; row < row_count; row += HK_PANEL_ROWS) {
            const size_t rows = row_count - row < HK_PANEL_ROWS ? row_count - row : HK_PANEL_ROWS;
            tile.weights = task->weights + row * tile.row_bytes;
            tile.x = (const uint8_t *)task->x + token * tile.x_stride * HK_BYTES_PAIR;
            tile.y = task->y + token * tile.y_stride + row;
            hk_bytes_panel(format, &tile, rows, tokens);
        }
    }
}

#define HK_DEFINE_BYTES(name, format)                                                                                 \
    static void name(const hk_tile *task, size_t rows, size_t tokens) { hk_bytes_product(format, task, rows, tokens); }
HK_DEFINE_BYTES(hk_bytes_q4_0, HK_Q4_0)
HK_DEFINE_BYTES(hk_bytes_q4_1, HK_Q4_1)
HK_DEFINE_BYTES(hk_bytes_q5_0, HK_Q5_0)
HK_DEFINE_BYTES(hk_bytes_q5_1, HK_Q5_1)
HK_DEFINE_BYTES(hk_bytes_q8_0, HK_Q8_0)
HK_DEFINE_BYTES(hk_bytes_q4_k, HK_Q4_K)
HK_DEFINE_BYTES(hk_bytes_q5_k, HK_Q5_K)
HK_DEFINE_BYTES(hk_bytes_q6_k, HK_Q6_K)

static void hk_multiply_bytes(
    hk_format format, const void *weights, size_t row_bytes, size_t rows, size_t columns, const void *x,
    size_t x_stride, size_t step_stride, size_t tokens, float *y, size_t y_stride) {
    const hk_tile task = {weights, row_bytes, columns, x, x_stride, step_stride, y, y_stride, 0};
    if (hk_multiply_dense(format, &task, rows, tokens)) return;
    switch (format) {
    case HK_Q4_0: hk_bytes_q4_0(&task, rows, tokens); break;
    case HK_Q4_1: hk_bytes_q4_1(&task, rows, tokens); break;
    case HK_Q5_0: hk_bytes_q5_0(&task, rows, tokens); break;
    case HK_Q5_1: hk_bytes_q5_1(&task, rows, tokens); break;
    case HK_Q8_0: hk_bytes_q8_0(&task, rows, tokens); break;
    case HK_Q4_K: hk_bytes_q4_k(&task, rows, tokens); break;
    case HK_Q5_K: hk_bytes_q5_k(&task, rows, tokens); break;
    case HK_Q6_K: hk_bytes_q6_k(&task, rows, tokens); break;
    default: hk_bytes_decoded(format, &task, rows, tokens); break;
    }
}

#endif
