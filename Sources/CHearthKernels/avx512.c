// AVX-512 F, BW, VL, DQ with VNNI (Cascade Lake, Zen 4 and later).
#if defined(__x86_64__)

#define HK_LANES 16
#define HK_CONVERTS_HALF 1
#define HK_TILE_ROWS 4
#define HK_TILE_TOKENS 4
#define HK_DECODE_ROWS 4
#define HK_MAX_ROWS 4
#define HK_MULTIPLIES_WORDS 1

#include <immintrin.h>
#include <stddef.h>
#include <string.h>

#include "CHearthKernels.h"

#pragma clang attribute push( \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,fma,f16c,avx2"))), apply_to = function)

#include "look_up_x86.h"
#include "vector.h"

// A unit of a decoded step is 32 values, sixteen lanes of two.
#define HK_DECODED_UNITS 8

HK_INLINE hk_integers hk_decoded_dot(const bool halves, const int8_t *quants, const hk_activation_pair *x, int unit) {
    (void)halves;
    // In the order of the activations' words: of four values the first and the third, then the second and the fourth.
    const __m256i order = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11, 12, 14, 13, 15));
    const __m256i bytes = _mm256_loadu_si256((const __m256i *)(quants + 32 * unit));
    const __m512i words = _mm512_cvtepi8_epi16(_mm256_shuffle_epi8(bytes, order));
    const __m512i a = _mm512_loadu_si512(x[unit / 2].words + 32 * (unit % 2));
    return (hk_integers)_mm512_madd_epi16(words, a);
}

HK_INLINE hk_vector hk_decoded_sums(const hk_activation_pair *x, int unit) {
    // The starts of offset 32 are -32 times the sums of 16 activations.
    const int32_t *starts = x[unit / 2].starts + HK_STARTS_32 + 2 * (unit % 2);
    const float a = (float)starts[0] * -0.03125f, b = (float)starts[1] * -0.03125f;
    return (hk_vector){a, 0, 0, 0, 0, 0, 0, 0, b, 0, 0, 0, 0, 0, 0, 0};
}

HK_INLINE hk_vector hk_decoded_spread(const bool halves, const float *scales, int unit) {
    if (!halves) return scales[2 * unit];
    const float a = scales[2 * unit], b = scales[2 * unit + 1];
    return (hk_vector){a, a, a, a, a, a, a, a, b, b, b, b, b, b, b, b};
}

#include "attention.h"
#include "avx512_product.h"
#include "float_ops.h"
#include "quantize.h"
#include "table.h"

HK_DEFINE_TABLES(avx512, true)

#pragma clang attribute pop

#endif
