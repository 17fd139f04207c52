// AVX-512 F, BW, VL, DQ with VNNI (Cascade Lake, Zen 4 and later).
#if defined(__x86_64__)

#define HK_LANES 16
#define HK_CONVERTS_HALF 1
#define HK_TILE_ROWS 4
#define HK_TILE_TOKENS 4
#define HK_DECODE_ROWS 4
#define HK_MAX_ROWS 4

#include <immintrin.h>
#include <string.h>

#include "CHearthKernels.h"

#pragma clang attribute push( \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,fma,f16c,avx2"))), apply_to = function)

#include "blocks.h"

// Half-precision numbers at p, p + stride, ... of eight blocks. Where four blocks fit one register, a permutation of
// two registers fetches all eight; one by one they would be half of a step's shuffles.
#define HK_GATHERS_HALVES 1
typedef float hk_eight __attribute__((ext_vector_type(8)));
HK_INLINE hk_eight hk_gather_eight(const uint8_t *p, const size_t stride) {
    const short s = (short)(stride / 2);
    if (stride == sizeof(hk_q4_0)) {
        // The upper half starts where its last scale still lies in the register: it ends within the last block.
        const __m512i low = _mm512_loadu_si512(p), high = _mm512_loadu_si512(p + 4 * stride);
        const __m128i words = _mm_setr_epi16(
            0, s, 2 * s, 3 * s, 32, (short)(32 + s), (short)(32 + 2 * s), (short)(32 + 3 * s));
        const __m512i halves = _mm512_permutex2var_epi16(low, _mm512_castsi128_si512(words), high);
        return (hk_eight)_mm256_cvtph_ps(_mm512_castsi512_si128(halves));
    }
    const __m128i halves = _mm_setr_epi16(
        (short)hk_u16(p), (short)hk_u16(p + stride), (short)hk_u16(p + 2 * stride), (short)hk_u16(p + 3 * stride),
        (short)hk_u16(p + 4 * stride), (short)hk_u16(p + 5 * stride), (short)hk_u16(p + 6 * stride),
        (short)hk_u16(p + 7 * stride));
    return (hk_eight)_mm256_cvtph_ps(halves);
}

#include "scales.h"

// A unit is a whole pair: 64 bytes of quants, 16 lanes of four values.
#define HK_UNITS 1
typedef __m512i hk_quants;

typedef struct {
    __m512i hi, lo;
    __m512i offsets;  // the format's offset times the sums of four
    hk_vector scale;
} hk_unit;

// Two 16-byte groups of nibbles, a block of 32 values each, in the order of the values.
HK_INLINE __m512i hk_two_nibble_blocks(const uint8_t *first, const uint8_t *second) {
    typedef struct { uint8_t bytes[16]; } sixteen_bytes;
    __m512i bytes = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)first));
    // A masked broadcast from memory runs on either port. Written as an intrinsic it comes out as loads and shuffles,
    // which all want the same port.
    __asm__("vbroadcasti32x4 %2, %0 %{%1%}"
            : "+v"(bytes)
            : "Yk"((__mmask16)0xff00), "m"(*(const sixteen_bytes *)second));
    const __m512i shifts = _mm512_set_epi64(
        0x0004000400040004, 0x0004000400040004, 0, 0, 0x0004000400040004, 0x0004000400040004, 0, 0);
    return _mm512_and_si512(_mm512_srlv_epi16(bytes, shifts), _mm512_set1_epi8(15));
}

// 32 bytes whose low nibbles are 32 values and whose high nibbles are the next 32.
HK_INLINE __m512i hk_nibbles_of_pair(const uint8_t *quants) {
    const __m512i bytes = _mm512_broadcast_i64x4(_mm256_loadu_si256((const __m256i *)quants));
    const __m512i shifts = _mm512_inserti64x4(_mm512_setzero_si512(), _mm256_set1_epi16(4), 1);
    return _mm512_and_si512(_mm512_srlv_epi16(bytes, shifts), _mm512_set1_epi8(15));
}

HK_INLINE __m512i hk_add_fifth_bits(__m512i nibbles, uint64_t bits) {
    return _mm512_mask_add_epi8(nibbles, (__mmask64)bits, nibbles, _mm512_set1_epi8(16));
}

HK_INLINE __m512i hk_unpack_q6_k(const hk_q6_k *block, int pair) {
    const __m512i low = _mm512_loadu_si512(block->low + 64 * (pair / 2));
    const __m512i high = _mm512_broadcast_i64x4(_mm256_loadu_si256((const __m256i *)(block->high + 32 * (pair / 2))));
    __m512i nibbles, bits;
    if (pair % 2 == 0) {
        nibbles = low;
        bits = _mm512_sllv_epi16(high, _mm512_inserti64x4(_mm512_set1_epi16(4), _mm256_set1_epi16(2), 1));
    } else {
        nibbles = _mm512_srli_epi16(low, 4);
        bits = _mm512_srlv_epi16(high, _mm512_inserti64x4(_mm512_setzero_si512(), _mm256_set1_epi16(2), 1));
    }
    // Bits 0...3 of the nibbles, else of the high bits: 0xca is "a ? b : c".
    const __m512i both = _mm512_ternarylogic_epi32(_mm512_set1_epi8(15), nibbles, bits, 0xca);
    return _mm512_and_si512(both, _mm512_set1_epi8(63));
}

// The pair's quants as unsigned bytes.
HK_INLINE hk_quants hk_unpack(hk_format format, const uint8_t *step, int pair) {
    switch (format) {
    case HK_Q4_0: {
        const hk_q4_0 *b = (const hk_q4_0 *)step + 2 * pair;
        return hk_two_nibble_blocks(b[0].quants, b[1].quants);
    }
    case HK_Q4_1: {
        const hk_q4_1 *b = (const hk_q4_1 *)step + 2 * pair;
        return hk_two_nibble_blocks(b[0].quants, b[1].quants);
    }
    case HK_Q5_0: {
        const hk_q5_0 *b = (const hk_q5_0 *)step + 2 * pair;
        const uint64_t high = hk_u32(b[0].high) | (uint64_t)hk_u32(b[1].high) << 32;
        return hk_add_fifth_bits(hk_two_nibble_blocks(b[0].quants, b[1].quants), high);
    }
    case HK_Q5_1: {
        const hk_q5_1 *b = (const hk_q5_1 *)step + 2 * pair;
        const uint64_t high = hk_u32(b[0].high) | (uint64_t)hk_u32(b[1].high) << 32;
        return hk_add_fifth_bits(hk_two_nibble_blocks(b[0].quants, b[1].quants), high);
    }
    case HK_Q8_0: {
        const hk_q8_0 *b = (const hk_q8_0 *)step + 2 * pair;
        const __m256i first = _mm256_loadu_si256((const __m256i *)b[0].quants);
        const __m256i second = _mm256_loadu_si256((const __m256i *)b[1].quants);
        const __m512i quants = _mm512_inserti64x4(_mm512_castsi256_si512(first), second, 1);
        // The dot product wants unsigned bytes: flipping the top bit adds 128.
        return _mm512_xor_si512(quants, _mm512_set1_epi8((char)0x80));
    }
    case HK_Q4_K: return hk_nibbles_of_pair(((const hk_q4_k *)step)->quants + 32 * pair);
    case HK_Q5_K: {
        const hk_q5_k *b = (const hk_q5_k *)step;
        const __m512i high = _mm512_broadcast_i64x4(_mm256_loadu_si256((const __m256i *)b->high));
        const __m256i odd = _mm256_set1_epi8((char)(2 << 2 * pair));
        const __m512i bits = _mm512_inserti64x4(_mm512_set1_epi8((char)(1 << 2 * pair)), odd, 1);
        return hk_add_fifth_bits(hk_nibbles_of_pair(b->quants + 32 * pair), _mm512_test_epi8_mask(high, bits));
    }
    case HK_Q6_K: return hk_unpack_q6_k((const hk_q6_k *)step, pair);
    case HK_F32: case HK_F16: case HK_BF16: break;
    }
    return _mm512_setzero_si512();
}

HK_INLINE hk_unit hk_unit_activations(hk_format format, const hk_activation_pair *pair, int unit) {
    (void)unit;
    hk_unit a;
    a.hi = _mm512_loadu_si512(pair->hi);
    a.lo = _mm512_loadu_si512(pair->lo);
    const __m512i sums = _mm512_loadu_si512(pair->sums);
    switch (format) {
    case HK_Q4_0: a.offsets = _mm512_slli_epi32(sums, 3); break;
    case HK_Q5_0: a.offsets = _mm512_slli_epi32(sums, 4); break;
    case HK_Q6_K: a.offsets = _mm512_slli_epi32(sums, 5); break;
    case HK_Q8_0: a.offsets = _mm512_slli_epi32(sums, 7); break;
    default: a.offsets = _mm512_setzero_si512(); break;
    }
    a.scale = _mm512_mask_broadcastss_ps(
        _mm512_set1_ps(pair->scales[0]), 0xff00, _mm_load_ss(&pair->scales[1]));
    return a;
}

HK_INLINE hk_integers hk_dot(hk_format format, hk_quants q, hk_unit a) {
    const __m512i high = _mm512_slli_epi32(_mm512_dpbusd_epi32(_mm512_setzero_si512(), q, a.hi), 8);
    if (hk_has_minimum(format)) return (hk_integers)_mm512_dpbusd_epi32(high, q, a.lo);
    return (hk_integers)_mm512_dpbusd_epi32(_mm512_sub_epi32(high, a.offsets), q, a.lo);
}

// Two scales on eight lanes each, or for Q6_K four on four lanes each.
HK_INLINE hk_vector hk_spread(hk_format format, const hk_sixteen *scales, int pair) {
    const int first = hk_scale_lane(format, 2 * pair);
    __m512i lanes = _mm512_inserti64x4(_mm512_set1_epi32(first), _mm256_set1_epi32(first + 1), 1);
    if (format == HK_Q6_K) {
        lanes = _mm512_add_epi32(
            _mm512_set1_epi32(4 * pair), _mm512_set_epi32(3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0));
    }
    return _mm512_permutexvar_ps(lanes, (__m512)*scales);
}

#include "attention.h"
#include "float_ops.h"
#include "quantize.h"
#include "quantized.h"
#include "table.h"

HK_DEFINE_TABLE(avx512)

#pragma clang attribute pop

#endif
