// Products of quantized weights with 8-bit activations (see bytes.h) on AVX2.
//
// A result is the sum of eight lanes: lane j adds up, step by step, scale * (exact integer product) of block j of each
// step, blocks being 32 values. One token reads the rows as the file has them and reduces a step's products to those eight
// integers by shuffles. More tokens share panels (bytes_avx2_panel.h). Both give the same integers and add them in the same
// order.
#ifndef HK_BYTES_AVX2_H
#define HK_BYTES_AVX2_H

#include "quantized.h"

#define HK_BYTES_PATHS 1
#include "byte_dots_x86.h"

typedef struct {
    hk_eight scales, minimums;
} hk_step_floats;

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

// The first `blocks` blocks of a step; what follows these counts for nothing, whatever it is.
HK_INLINE hk_vector hk_bytes_step_sum(
    hk_format format, const uint8_t *step, const size_t blocks, const hk_activation_bytes *x, hk_vector sum) {
    hk_step_floats floats;
    hk_read_step_floats(format, step, &floats);
    if (blocks < HK_STEP / 32) {
        const __m256 mask = _mm256_castsi256_ps(
            _mm256_cmpgt_epi32(_mm256_set1_epi32((int)blocks), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)));
        floats.scales = (hk_eight)_mm256_and_ps((__m256)floats.scales, mask);
        floats.minimums = (hk_eight)_mm256_and_ps((__m256)floats.minimums, mask);
    }
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
            sums[r] = hk_bytes_step_sum(format, step, HK_STEP / 32, x, sums[r]);
        }
    }
    if (hk_block_values(format) < HK_STEP && c < t->columns) {
        const hk_activation_bytes *x = hk_bytes_step(t, token, c / HK_STEP);
        const size_t blocks = (t->columns - c) / 32, bytes = blocks * hk_block_bytes(format);
        HK_UNROLL for (int r = 0; r < rows; r++) {
            const uint8_t *step = weights + (size_t)r * t->row_bytes;
            uint8_t copy[HK_STEP / 32 * sizeof(hk_q8_0)];
            // Reading on leads into the rows that follow; behind the last ones it would perhaps leave the file.
            if (bytes + (size_t)(rows - 1 - r) * t->row_bytes + t->spare < step_bytes) {
                memset(copy, 0, sizeof copy);
                memcpy(copy, step, bytes);
                step = copy;
            }
            sums[r] = hk_bytes_step_sum(format, step, blocks, x, sums[r]);
        }
    }
    HK_UNROLL for (int r = 0; r < rows; r++) t->y[token * t->y_stride + (size_t)r] = hk_sum(sums[r]);
}

#include "bytes_avx2_panel.h"

enum { HK_FEW_TOKENS = 4, HK_DECODED_FEW = 4, HK_PANELS_LARGE_HALVES = 0 };

// Small values are kept 12 above zero: then eight products of two fit a word together.
HK_INLINE __m256i hk_panel_quants(const bool small, __m256i quants) {
    return small ? _mm256_add_epi8(quants, _mm256_set1_epi8(12)) : quants;
}

HK_INLINE __m256i hk_panel_start(const bool small, int32_t sum) {
    return small ? _mm256_set1_epi32(-12 * sum) : _mm256_setzero_si256();
}

HK_INLINE __m256i hk_panel_dots(const bool small, __m256i sum, const __m256i quants[4], const int8_t *a) {
    const __m256i ones = _mm256_set1_epi16(1);
    __m256i words = _mm256_setzero_si256();
    HK_UNROLL for (int j = 0; j < 4; j++) {
        const __m256i four = hk_four_bytes(a + 4 * j);
        if (small) {
            words = _mm256_add_epi16(words, _mm256_maddubs_epi16(quants[j], four));
        } else {
            // |q| <= 128 and |a| <= 127: two products fit a word.
            const __m256i products = _mm256_maddubs_epi16(_mm256_abs_epi8(quants[j]), _mm256_sign_epi8(four, quants[j]));
            sum = _mm256_add_epi32(sum, _mm256_madd_epi16(products, ones));
        }
    }
    return small ? _mm256_add_epi32(sum, _mm256_madd_epi16(words, ones)) : sum;
}

#include "bytes_decoded_panel.h"

#include "bytes_few.h"

HK_INLINE void hk_bytes_product(hk_format format, const hk_tile *task, size_t row_count, size_t token_count) {
    if (token_count < HK_FEW_TOKENS) {
        hk_bytes_few(format, task, row_count, token_count);
        return;
    }
#define HK_PANEL(tile, rows, tokens) hk_bytes_panel(format, tile, rows, tokens)
    HK_FOR_EACH_PANEL(HK_PANEL, task, row_count, token_count, HK_PANEL_ROWS, HK_SUMS_TOKENS)
#undef HK_PANEL
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
    const hk_tile task = {weights, row_bytes, columns, x, x_stride, step_stride, y, y_stride, 0, 0};
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
    default: hk_multiply_decoded_bytes(format, &task, rows, tokens); break;
    }
}

#endif
