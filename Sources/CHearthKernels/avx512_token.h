// Products of quantized weights with 16-bit activations: what they are made of, and those of one token.
//
// Integers are exact, so only the order of the float additions decides about the last bit, and that order is the
// plainest: within a step block after block (half block after half block for Q6_K),
//     part = fma(float(integer product of the block), weight scale, part)
// and where the format has minimums  part = fma(minimum, total of the activations' block, part);  then
//     sum = fma(part, activation scale of the step, sum).
// Four-bit formats need no conversion: HK_START_8 and the product are a float, 1.5 * 2^23 too much. A part starts from what
// that comes to, -1.5 * 2^23 times the step's scales. What is rounded while it is that large is less than what
// the activations were rounded by.
// A lane is a row; nothing is ever added across lanes. So a result does not depend on what is computed beside it.
#ifndef HK_AVX512_TOKEN_H
#define HK_AVX512_TOKEN_H

#include "avx512_panel.h"

// Where the integer products of a format start.
HK_INLINE size_t hk_starts_of(hk_format format) {
    switch (format) {
    case HK_Q4_0: case HK_Q4_1: case HK_Q4_K: return HK_STARTS_8;
    case HK_Q5_0: return HK_STARTS_16;
    case HK_Q6_K: return HK_STARTS_32;
    default: return HK_STARTS_0;
    }
}

HK_INLINE __m512i hk_broadcast(const void *p) {
    return _mm512_set1_epi32((int)hk_u32(p));
}

// Fetches the lines up to `end` into the second-level cache, and remembers where it stopped.
HK_INLINE uintptr_t hk_fetch_lines(uintptr_t line, uintptr_t end) {
    for (; line < end; line += 64) __builtin_prefetch((const void *)line, 0, 2);
    return line;
}

// How much further the second-level cache is than the nearest one in a stream of weights.
enum { HK_SECOND_AHEAD = 16 * 1024 };

// The same into the nearest cache. That waits for a dozen lines at most, which is too few for the way to memory: the second
// level, which waits for several dozen, gets its orders earlier.
HK_INLINE uintptr_t hk_fetch_stream(uintptr_t line, uintptr_t end) {
    for (; line < end; line += 64) {
        __builtin_prefetch((const void *)(line + HK_SECOND_AHEAD), 0, 2);
        __builtin_prefetch((const void *)line, 0, 3);
    }
    return line;
}

// sum += products of two neighbours in each lane. As an intrinsic it comes out as a product and an addition, which is
// shorter for the one who waits for the result and longer for the ports, and here nobody waits.
HK_INLINE __m512i hk_dot_words(__m512i sum, __m512i weights, __m512i a) {
    __asm__("vpdpwssd %2, %1, %0" : "+v"(sum) : "v"(weights), "v"(a));
    return sum;
}

// The same with two neighbours of one token, from memory, in all lanes.
HK_INLINE __m512i hk_dot_words_of_memory(__m512i sum, __m512i weights, const int16_t *a) {
    typedef struct { int16_t words[2]; } two_words;
    __asm__("vpdpwssd %2%{1to16%}, %1, %0" : "+v"(sum) : "v"(weights), "m"(*(const two_words *)a));
    return sum;
}

// What every part is made of.
HK_INLINE __m512 hk_scaled(const bool four_bits, __m512i product, __m512 scale, __m512 sum) {
    return _mm512_fmadd_ps(four_bits ? _mm512_castsi512_ps(product) : _mm512_cvtepi32_ps(product), scale, sum);
}

// Block b of a step with one token, added to its part.
HK_INLINE __m512 hk_add_block(
    hk_scaling scaling, int b, __m512i product, const __m512 *scales, const __m512 *minimums, const hk_activation_pair *x,
    __m512 part) {
    part = hk_scaled(scaling.four_bits, product, scales[b], part);
    if (!scaling.minimum) return part;
    return _mm512_fmadd_ps(minimums[b], _mm512_set1_ps(x[b / 2].totals[b % 2]), part);
}

// One token and 16 rows: the words of a unit meet the activations at once, and no panel is written. The rows that
// follow these in the file come in meanwhile.
HK_INLINE void hk_multiply_one(
    hk_format format, const uint8_t *weights, const size_t row_bytes, size_t columns, const hk_activation_pair *x,
    size_t step_stride, float *out) {
    const int together = hk_unit_blocks(format);
    const int parts = hk_unit_parts(format);
    const hk_scaling scaling = hk_scaling_of(format);
    const bool halves = scaling.halves;
    const size_t step_bytes = HK_STEP / hk_block_values(format) * hk_block_bytes(format);
    // A little further than the rows that follow, for those are wanted as soon as these are done.
    const size_t ahead = hk_ahead(row_bytes, HK_ROWS) + 1024;
    uintptr_t line = (uintptr_t)weights + ahead, fetched = line;
    __m512 sum = _mm512_setzero_ps();
    for (size_t c = 0; c < columns; c += HK_STEP, weights += step_bytes, x += step_stride) {
        const int blocks = (int)(columns - c < HK_STEP ? (columns - c) / 32 : HK_STEP_BLOCKS);
        __m512 scales[2 * HK_STEP_BLOCKS], minimums[HK_STEP_BLOCKS];
        hk_rows rows = hk_rows_at(weights, row_bytes);
        __m512i whole[HK_STEP_BLOCKS];
        __m512 part = _mm512_setzero_ps();
        for (int unit = 0; unit < blocks / together; unit++) {
            hk_unpack_scales(format, false, &rows, unit, false, scales, minimums, 1);
            const int16_t *a[4];
            __m512i products[4][2];  // of each block: two accumulators, or its halves
            HK_UNROLL for (int i = 0; i < together; i++) {
                const int b = unit * together + i;
                const int32_t *starts = x[b / 2].starts + hk_starts_of(format) + (halves ? 2 : 1) * (b % 2);
                products[i][0] = hk_broadcast(starts);
                products[i][1] = halves ? hk_broadcast(starts + 1) : _mm512_setzero_si512();
                a[i] = x[b / 2].words + 32 * (b % 2);
                // In one register: with an index beside it, an operand in memory costs an instruction of its own.
                __asm__("" : "+r"(a[i]));
            }
            __m512i words[4][16];
            HK_UNROLL for (int part = 0; part < parts; part++) {
                // A few lines at a time, no more than are waited for at once.
                fetched += HK_ROWS * step_bytes * (size_t)together / (size_t)(HK_STEP_BLOCKS * parts);
                line = hk_fetch_stream(line, fetched);
                hk_unpack(format, &rows, unit, part, words);
                const int first = hk_part_first(format, part);
                HK_UNROLL for (int w = first; w < first + hk_part_words(format); w++) {
                    const int c = halves ? w / 8 : w % 2;
                    HK_UNROLL for (int i = 0; i < together; i++) {
                        if (!hk_is_in_part(format, part, i)) continue;
                        products[i][c] = hk_dot_words_of_memory(products[i][c], words[i][w], a[i] + 2 * w);
                    }
                }
            }
            HK_UNROLL for (int i = 0; i < together; i++) {
                const int b = unit * together + i;
                if (halves) {
                    part = hk_scaled(false, products[i][0], scales[2 * b], part);
                    part = hk_scaled(false, products[i][1], scales[2 * b + 1], part);
                    continue;
                }
                whole[b] = _mm512_add_epi32(products[i][0], products[i][1]);
                if (!scaling.four_bits) part = hk_add_block(scaling, b, whole[b], scales, minimums, x, part);
            }
            rows = hk_advance(rows, hk_unit_bytes(format));
        }
        if (scaling.four_bits) {
            // What the part starts from is known with the last of the scales.
            part = hk_first_of(format, scales, blocks, 1);
            for (int b = 0; b < blocks; b++) part = hk_add_block(scaling, b, whole[b], scales, minimums, x, part);
        }
        sum = _mm512_fmadd_ps(part, _mm512_set1_ps(x->scale), sum);
    }
    _mm512_storeu_ps(out, sum);
}

#endif
