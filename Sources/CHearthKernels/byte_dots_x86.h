// Exact products of signed bytes with 8-bit activations, for formats that are decoded first (see bytes.h). The including set
// defines HK_BYTES_PATHS and its own way for the other formats.
#ifndef HK_BYTE_DOTS_X86_H
#define HK_BYTE_DOTS_X86_H

#include "look_up_x86.h"
#include "bytes.h"

// Of four vectors of 16-bit sums: their dwords added up within each half, in the order of the vectors.
#define HK_REDUCE(name, add)                                                                                          \
    HK_INLINE __m256i name(__m256i a, __m256i b, __m256i c, __m256i d) {                                              \
        const __m256i ab = add(_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));                             \
        const __m256i cd = add(_mm256_unpacklo_epi32(c, d), _mm256_unpackhi_epi32(c, d));                             \
        return add(_mm256_unpacklo_epi64(ab, cd), _mm256_unpackhi_epi64(ab, cd));                                     \
    }
HK_REDUCE(hk_reduce_words, _mm256_add_epi16)
HK_REDUCE(hk_reduce_dwords, _mm256_add_epi32)

HK_INLINE __m256i hk_signed_dot(__m256i q, const int8_t *a) {
    // |q| <= 128 and |a| <= 127: two products fit a word.
    const __m256i products = _mm256_maddubs_epi16(_mm256_sign_epi8(q, q), _mm256_sign_epi8(hk_load_bytes(a), q));
    return _mm256_madd_epi16(products, _mm256_set1_epi16(1));
}

HK_INLINE void hk_bytes_dots(const int8_t *quants, const int8_t *values, hk_eight_sums *first, hk_eight_sums *second) {
    __m256i v[8];
    HK_UNROLL for (int unit = 0; unit < 8; unit++) {
        v[unit] = hk_signed_dot(hk_load_bytes(quants + 32 * unit), values + 32 * unit);
    }
    const __m256i low = hk_reduce_dwords(v[0], v[1], v[2], v[3]), high = hk_reduce_dwords(v[4], v[5], v[6], v[7]);
    *first = (hk_eight_sums)_mm256_cvtepi32_ps(_mm256_permute2x128_si256(low, high, 0x20));
    *second = (hk_eight_sums)_mm256_cvtepi32_ps(_mm256_permute2x128_si256(low, high, 0x31));
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

// Calls TILE(count, first token), `count` a constant of at most four, with as even a share of the tokens for each pass over a
// panel as there can be.
#define HK_IN_PASSES_OF_FOUR(TILE, tokens)                                                                            \
    for (size_t pass = 0, passes = ((tokens) + 3) / 4; pass < passes; pass++) {                                       \
        const size_t k = (tokens)*pass / passes;                                                                      \
        switch ((tokens) * (pass + 1) / passes - k) {                                                                 \
        case 1: TILE(1, k); break;                                                                                    \
        case 2: TILE(2, k); break;                                                                                    \
        case 3: TILE(3, k); break;                                                                                    \
        default: TILE(4, k); break;                                                                                   \
        }                                                                                                             \
    }

#endif
