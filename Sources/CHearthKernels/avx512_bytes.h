// Products of quantized weights with 8-bit activations: what they are made of, and those of one token.
//
// Weights are unsigned bytes, so integer products start from what their offset comes to with the sum of the activations.
// They are exact. A lane is a row, and its sum is made block after block,
//     sum = fma(float(integer product of the block) * weight scale, activation scale of the block, sum)
// (Q6_K: both halves times their scales are added first), and where the format has minimums
//     sum = fma(minimum, total of the activations' block, sum),
// for one token as for many.
#ifndef HK_AVX512_BYTES_H
#define HK_AVX512_BYTES_H

#define HK_BYTES_PATHS 1
#include "avx512_token.h"
#include "byte_dots_x86.h"

// sum += the products of four bytes in each lane. Why not the intrinsic: see hk_dot_words.
HK_INLINE __m512i hk_dot_bytes(__m512i sum, __m512i weights, __m512i a) {
    __asm__("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(weights), "v"(a));
    return sum;
}

// The same with four bytes of one token, from memory, in all lanes.
HK_INLINE __m512i hk_dot_bytes_of_memory(__m512i sum, __m512i weights, const void *a) {
    typedef struct { int8_t bytes[4]; } four_bytes;
    __asm__("vpdpbusd %2%{1to16%}, %1, %0" : "+v"(sum) : "v"(weights), "m"(*(const four_bytes *)a));
    return sum;
}

// Where the product of block b, or of a half of it (Q6_K), starts.
HK_INLINE __m512i hk_byte_start(hk_format format, const hk_activation_bytes *x, int b, const int half) {
    const __m512i eights = hk_broadcast(&x->offsets[b]);
    switch (format) {
    case HK_Q4_0: return eights;
    case HK_Q5_0: return _mm512_slli_epi32(eights, 1);
    case HK_Q8_0: return _mm512_slli_epi32(eights, 4);
    case HK_Q6_K: return _mm512_set1_epi32(-32 * x->halves[2 * b + half]);
    default: return _mm512_setzero_si512();
    }
}

// A product times its scale, added to that of the first half where there are two.
HK_INLINE __m512 hk_byte_scaled(const int half, __m512i product, __m512 scale, __m512 first) {
    const __m512 floats = _mm512_cvtepi32_ps(product);
    return half == 0 ? _mm512_mul_ps(floats, scale) : _mm512_fmadd_ps(floats, scale, first);
}

HK_INLINE __m512 hk_byte_minimum(__m512 minimum, const hk_activation_bytes *x, int b, __m512 sum) {
    return _mm512_fmadd_ps(minimum, _mm512_set1_ps(x->scales[b] * (float)x->sums[b]), sum);
}

// One token and 16 rows, as hk_multiply_one.
HK_INLINE void hk_multiply_one_bytes(
    hk_format format, const uint8_t *weights, const size_t row_bytes, size_t columns, const hk_activation_bytes *x,
    size_t step_stride, float *out) {
    const int together = hk_unit_blocks(format), parts = hk_unit_parts(format);
    const bool halves = format == HK_Q6_K;
    const size_t step_bytes = HK_STEP / hk_block_values(format) * hk_block_bytes(format);
    const size_t ahead = hk_ahead(row_bytes, HK_ROWS) + 1024;
    uintptr_t line = (uintptr_t)weights + ahead, fetched = line;
    __m512 sum = _mm512_setzero_ps();
    for (size_t c = 0; c < columns; c += HK_STEP, weights += step_bytes) {
        const int blocks = (int)(columns - c < HK_STEP ? (columns - c) / 32 : HK_STEP_BLOCKS);
        __m512 scales[2 * HK_STEP_BLOCKS], minimums[HK_STEP_BLOCKS];
        hk_rows rows = hk_rows_at(weights, row_bytes);
        for (int unit = 0; unit < blocks / together; unit++) {
            hk_unpack_scales(format, true, &rows, unit, false, scales, minimums, 1);
            const int8_t *a = x->values + 32 * unit * together;
            __asm__("" : "+r"(a));
            __m512i bytes[4][8], products[4][2];  // of each block: two accumulators, or its halves
            HK_UNROLL for (int i = 0; i < together; i++) {
                products[i][0] = hk_byte_start(format, x, unit * together + i, 0);
                products[i][1] = halves ? hk_byte_start(format, x, unit * together + i, 1) : _mm512_setzero_si512();
            }
            HK_UNROLL for (int part = 0; part < parts; part++) {
                fetched += HK_ROWS * step_bytes * (size_t)together / (size_t)(HK_STEP_BLOCKS * parts);
                line = hk_fetch_stream(line, fetched);
                hk_unpack_unsigned(format, &rows, unit, part, bytes);
                const int first = hk_part_first(format, part) / 2;
                HK_UNROLL for (int w = first; w < first + hk_part_words(format) / 2; w++) {
                    const int chain = halves ? w / 4 : w % 2;
                    HK_UNROLL for (int i = 0; i < together; i++) {
                        if (!hk_is_in_part(format, part, i)) continue;
                        products[i][chain] = hk_dot_bytes_of_memory(products[i][chain], bytes[i][w], a + 32 * i + 4 * w);
                    }
                }
            }
            HK_UNROLL for (int i = 0; i < together; i++) {
                const int b = unit * together + i;
                const __m512i whole = halves ? products[i][0] : _mm512_add_epi32(products[i][0], products[i][1]);
                __m512 scaled = hk_byte_scaled(0, whole, scales[halves ? 2 * b : b], sum);
                if (halves) scaled = hk_byte_scaled(1, products[i][1], scales[2 * b + 1], scaled);
                sum = _mm512_fmadd_ps(scaled, _mm512_set1_ps(x->scales[b]), sum);
                if (hk_has_minimum(format)) sum = hk_byte_minimum(minimums[b], x, b, sum);
            }
            rows = hk_advance(rows, hk_unit_bytes(format));
        }
        x = (const hk_activation_bytes *)((const uint8_t *)x + step_stride * HK_BYTES_PAIR);
    }
    _mm512_storeu_ps(out, sum);
}

// MARK: - A few tokens

// Most tokens whose sums fit the registers beside the bytes of a block; and the most tokens for which it pays to unpack a block
// again for each such group.
enum { HK_FEW_TOKENS = 8, HK_FEW_TOKENS_MOST = 32 };

// Whether 16 rows of a format are unpacked into registers, a block at a time, for a few tokens. Through a panel in memory
// they would go slower than they are multiplied; formats whose blocks share bytes have no registers left for that.
HK_INLINE bool hk_is_few(hk_format format, size_t tokens) {
    return tokens > 1 && tokens <= HK_FEW_TOKENS_MOST && hk_block_values(format) == 32;
}

// `tokens` tokens, which lie next to each other, and 16 rows.
HK_INLINE void hk_multiply_few_bytes(hk_format format, const int tokens, const hk_tile *task) {
    const hk_tile t = *task;
    const size_t step_bytes = HK_STEP / hk_block_values(format) * hk_block_bytes(format);
    uintptr_t line = (uintptr_t)t.weights + hk_ahead(t.row_bytes, HK_ROWS) + 1024, fetched = line;
    const uint8_t *weights = t.weights, *step = t.x;
    __m512 sums[HK_FEW_TOKENS];
    HK_UNROLL for (int k = 0; k < tokens; k++) sums[k] = _mm512_setzero_ps();
    for (size_t c = 0; c < t.columns; c += HK_STEP, weights += step_bytes, step += t.step_stride * HK_BYTES_PAIR) {
        const int blocks = (int)(t.columns - c < HK_STEP ? (t.columns - c) / 32 : HK_STEP_BLOCKS);
        hk_rows rows = hk_rows_at(weights, t.row_bytes);
        _Pragma("clang loop unroll(disable)") for (int b = 0; b < blocks; b++) {
            __m512 scale, minimum;
            __m512i bytes[4][8];
            hk_unpack_scales(format, true, &rows, 0, false, &scale, &minimum, 1);
            fetched += HK_ROWS * hk_block_bytes(format);
            line = hk_fetch_stream(line, fetched);
            hk_unpack_unsigned(format, &rows, 0, 0, bytes);
            HK_UNROLL for (int k = 0; k < tokens; k++) {
                const hk_activation_bytes *x = (const hk_activation_bytes *)step + k;
                __m512i products[2] = {hk_byte_start(format, x, b, 0), _mm512_setzero_si512()};
                // One accumulator waits for itself; the other tokens' fill the time.
                HK_UNROLL for (int w = 0; w < 8; w++) {
                    const int chain = tokens < 4 ? w % 2 : 0;
                    products[chain] = hk_dot_bytes_of_memory(products[chain], bytes[0][w], x->values + 32 * b + 4 * w);
                }
                if (tokens < 4) products[0] = _mm512_add_epi32(products[0], products[1]);
                const __m512 scaled = hk_byte_scaled(0, products[0], scale, sums[k]);
                sums[k] = _mm512_fmadd_ps(scaled, _mm512_set1_ps(x->scales[b]), sums[k]);
                if (hk_has_minimum(format)) sums[k] = hk_byte_minimum(minimum, x, b, sums[k]);
            }
            rows = hk_advance(rows, hk_unit_bytes(format));
        }
    }
    HK_UNROLL for (int k = 0; k < tokens; k++) _mm512_storeu_ps(t.y + (size_t)k * t.y_stride, sums[k]);
}

// MARK: - Formats that are decoded first

enum { HK_DECODED_FEW = 4, HK_PANELS_LARGE_HALVES = 1 };

HK_INLINE __m256i hk_panel_quants(const bool small, __m256i quants) {
    (void)small;
    return _mm256_xor_si256(quants, _mm256_set1_epi8(-128));
}

HK_INLINE __m256i hk_panel_start(const bool small, int32_t sum) {
    (void)small;
    return _mm256_set1_epi32(-128 * sum);
}

HK_INLINE __m256i hk_panel_dots(const bool small, __m256i sum, const __m256i quants[4], const int8_t *a) {
    (void)small;
    HK_UNROLL for (int j = 0; j < 4; j++) {
        sum = _mm256_dpbusd_epi32(sum, quants[j], _mm256_set1_epi32((int)hk_u32(a + 4 * j)));
    }
    return sum;
}

#include "bytes_decoded_panel.h"

#endif
