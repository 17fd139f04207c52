// AVX2 with FMA and half-precision conversion (Haswell, Zen and later).
#if defined(__x86_64__)

#define HK_LANES 8
#define HK_CONVERTS_HALF 1
#define HK_TILE_ROWS 2
#define HK_TILE_TOKENS 4
#define HK_DECODE_ROWS 4
#define HK_MAX_ROWS 4

#include <immintrin.h>
#include <string.h>

#include "CHearthKernels.h"

#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)

#include "look_up_x86.h"
#include "scales.h"

// A unit is half a pair: 32 bytes of quants, eight lanes of four values.
#define HK_UNITS 2
typedef __m256i hk_quants;

typedef struct {
    __m256i hi, lo;   // for Q8_0: the 16-bit values of the first and second half
    __m256i offsets;  // the format's offset times the sums of four
} hk_unit;

// 16 bytes to 32 values: low nibbles, then high nibbles.
HK_INLINE __m256i hk_nibbles(const uint8_t *quants) {
    const __m128i bytes = _mm_loadu_si128((const __m128i *)quants);
    const __m256i both = _mm256_inserti128_si256(_mm256_castsi128_si256(bytes), _mm_srli_epi16(bytes, 4), 1);
    return _mm256_and_si256(both, _mm256_set1_epi8(15));
}

// 16 where the bit of the value is set, else 0.
HK_INLINE __m256i hk_fifth_bits(const uint8_t *high) {
    const __m256i spread = _mm256_shuffle_epi8(
        _mm256_set1_epi32((int)hk_u32(high)),
        _mm256_set_epi64x(0x0303030303030303, 0x0202020202020202, 0x0101010101010101, 0));
    const __m256i bits = _mm256_set1_epi64x((long long)0x8040201008040201);
    const __m256i set = _mm256_cmpeq_epi8(_mm256_and_si256(spread, bits), bits);
    return _mm256_and_si256(set, _mm256_set1_epi8(16));
}

HK_INLINE __m256i hk_nibbles_of_group(const uint8_t *quants, int group) {
    __m256i bytes = hk_load_bytes(quants + 32 * (group / 2));
    if (group % 2) bytes = _mm256_srli_epi16(bytes, 4);
    return _mm256_and_si256(bytes, _mm256_set1_epi8(15));
}

HK_INLINE __m256i hk_unpack_q6_k(const hk_q6_k *block, int group) {
    const int n = group / 4, k = group % 4;
    __m256i low = hk_load_bytes(block->low + 64 * n + 32 * (k & 1));
    if (k >= 2) low = _mm256_srli_epi16(low, 4);
    const __m256i bytes = hk_load_bytes(block->high + 32 * n);
    // Bits 2k and 2k + 1 go to 4 and 5.
    const __m256i high = k == 0 ? _mm256_slli_epi16(bytes, 4)
        : k == 1                ? _mm256_slli_epi16(bytes, 2)
        : k == 2                ? bytes
                                : _mm256_srli_epi16(bytes, 2);
    return _mm256_or_si256(
        _mm256_and_si256(low, _mm256_set1_epi8(15)), _mm256_and_si256(high, _mm256_set1_epi8(48)));
}

// The 32 quants as unsigned bytes; signed for Q8_0.
HK_INLINE hk_quants hk_unpack(hk_format format, const uint8_t *step, int unit) {
    switch (format) {
    case HK_Q4_0: return hk_nibbles(((const hk_q4_0 *)step)[unit].quants);
    case HK_Q4_1: return hk_nibbles(((const hk_q4_1 *)step)[unit].quants);
    case HK_Q5_0: {
        const hk_q5_0 *b = (const hk_q5_0 *)step + unit;
        return _mm256_or_si256(hk_nibbles(b->quants), hk_fifth_bits(b->high));
    }
    case HK_Q5_1: {
        const hk_q5_1 *b = (const hk_q5_1 *)step + unit;
        return _mm256_or_si256(hk_nibbles(b->quants), hk_fifth_bits(b->high));
    }
    case HK_Q8_0: return hk_load_bytes(((const hk_q8_0 *)step)[unit].quants);
    case HK_Q4_K: return hk_nibbles_of_group(((const hk_q4_k *)step)->quants, unit);
    case HK_Q5_K: {
        const hk_q5_k *b = (const hk_q5_k *)step;
        const __m256i bit = _mm256_set1_epi8((char)(1 << unit));
        const __m256i set = _mm256_cmpeq_epi8(_mm256_and_si256(hk_load_bytes(b->high), bit), bit);
        return _mm256_or_si256(
            hk_nibbles_of_group(b->quants, unit), _mm256_and_si256(set, _mm256_set1_epi8(16)));
    }
    case HK_Q6_K: return hk_unpack_q6_k((const hk_q6_k *)step, unit);
    default: break;
    }
    return _mm256_setzero_si256();
}

// a = 256 * hi + lo of 16 values.
HK_INLINE __m256i hk_whole(const int8_t *hi, const int8_t *lo) {
    const __m256i high = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)hi));
    const __m256i low = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)lo));
    return _mm256_add_epi16(_mm256_slli_epi16(high, 8), low);
}

HK_INLINE hk_unit hk_unit_activations(hk_format format, const hk_activation_pair *pair, int unit) {
    hk_unit a;
    const __m256i sums = hk_load_bytes(pair->sums + 8 * unit);
    a.hi = hk_load_bytes(pair->hi + 32 * unit);
    a.lo = hk_load_bytes(pair->lo + 32 * unit);
    a.offsets = _mm256_setzero_si256();
    switch (format) {
    case HK_Q4_0: a.offsets = _mm256_slli_epi32(sums, 3); break;
    case HK_Q5_0: a.offsets = _mm256_slli_epi32(sums, 4); break;
    case HK_Q6_K: a.offsets = _mm256_slli_epi32(sums, 5); break;
    case HK_Q8_0:
        a.hi = hk_whole(pair->hi + 32 * unit, pair->lo + 32 * unit);
        a.lo = hk_whole(pair->hi + 32 * unit + 16, pair->lo + 32 * unit + 16);
        break;
    default: break;
    }
    return a;
}

HK_INLINE hk_integers hk_dot(hk_format format, hk_quants q, hk_unit a) {
    if (format == HK_Q8_0) {
        // Byte products of signed values would saturate: 16-bit ones do not.
        const __m256i first = _mm256_cvtepi8_epi16(_mm256_castsi256_si128(q));
        const __m256i second = _mm256_cvtepi8_epi16(_mm256_extracti128_si256(q, 1));
        return (hk_integers)_mm256_add_epi32(_mm256_madd_epi16(first, a.hi), _mm256_madd_epi16(second, a.lo));
    }
    // At most 63 * 128 * 2 a lane of 16 bits.
    const __m256i high = _mm256_madd_epi16(_mm256_maddubs_epi16(q, a.hi), _mm256_set1_epi16(256));
    const __m256i low = _mm256_madd_epi16(_mm256_maddubs_epi16(q, a.lo), _mm256_set1_epi16(1));
    const __m256i product = _mm256_add_epi32(high, low);
    return (hk_integers)(hk_has_minimum(format) ? product : _mm256_sub_epi32(product, a.offsets));
}

HK_INLINE hk_vector hk_spread(hk_format format, const hk_sixteen *scales, int unit) {
    if (format != HK_Q6_K) return (*scales)[hk_scale_lane(format, unit)];
    const float a = (*scales)[2 * unit], b = (*scales)[2 * unit + 1];
    return (hk_vector){a, a, a, a, b, b, b, b};
}

// A unit of a decoded step is 32 values, eight lanes of four.
#define HK_DECODED_UNITS 8

HK_INLINE hk_integers hk_decoded_dot(const bool halves, const int8_t *quants, const hk_activation_pair *x, int unit) {
    const hk_unit a = hk_unit_activations(HK_Q8_0, x + unit / 2, unit % 2);
    if (!halves) return hk_dot(HK_Q8_0, hk_load_bytes(quants + 32 * unit), a);
    const __m128i first = _mm_loadu_si128((const __m128i *)(quants + 32 * unit));
    const __m128i second = _mm_loadu_si128((const __m128i *)(quants + 32 * unit + 16));
    // Neighbours go together: lanes 0...3 are of the first 16 values, lanes 4...7 of the others.
    const __m256i low = _mm256_madd_epi16(_mm256_cvtepi8_epi16(first), a.hi);
    const __m256i high = _mm256_madd_epi16(_mm256_cvtepi8_epi16(second), a.lo);
    return (hk_integers)_mm256_add_epi32(
        _mm256_permute2x128_si256(low, high, 0x20), _mm256_permute2x128_si256(low, high, 0x31));
}

HK_INLINE hk_vector hk_decoded_sums(const hk_activation_pair *x, int unit) {
    hk_integers sums;
    memcpy(&sums, x[unit / 2].sums + 8 * (unit % 2), sizeof sums);
    return __builtin_convertvector(sums, hk_vector);
}

HK_INLINE hk_vector hk_decoded_spread(const bool halves, const float *scales, int unit) {
    if (!halves) return scales[2 * unit];
    const float a = scales[2 * unit], b = scales[2 * unit + 1];
    return (hk_vector){a, a, a, a, b, b, b, b};
}

#include "attention.h"
#include "float_ops.h"
#include "quantize.h"
#include "quantized.h"
#include "bytes_avx2.h"
#include "table.h"

HK_DEFINE_TABLES(avx2, true)

#pragma clang attribute pop

#endif
