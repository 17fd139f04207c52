// Sums of products of unsigned with signed bytes, four at a time, for 16 outputs: what the sets do differently. No form
// saturates. hk_add_each multiplies lane by lane, codes with weights in 32 bits each.
#ifndef HK_VISION_BYTE_DOTS_H
#define HK_VISION_BYTE_DOTS_H

#include "vision_vector.h"

typedef int8_t hk_bytes_16 __attribute__((ext_vector_type(16)));
typedef struct {
    hk_integers part[HK_PARTS];
} hk_sums;

#if HK_LANES == 16

// Codes are multiplied as they are.
enum { HK_CODE_OFFSET = 0 };
typedef __m512i hk_four_weights;  // of 16 outputs
typedef __m512i hk_four_codes;    // the same in every lane

HK_INLINE hk_four_weights hk_load_four_weights(const int8_t *p) {
    return _mm512_loadu_si512(p);
}

HK_INLINE hk_four_codes hk_load_four_codes(const uint8_t *p) {
    int32_t four;
    memcpy(&four, p, sizeof four);
    return _mm512_set1_epi32(four);
}

HK_INLINE hk_sums hk_add_products(hk_sums sums, hk_four_codes x, hk_four_weights w) {
    sums.part[0] = (hk_integers)_mm512_dpbusd_epi32((__m512i)sums.part[0], x, w);
    return sums;
}

HK_INLINE hk_integers hk_add_each(hk_integers sum, hk_integers x, hk_integers w) {
    return (hk_integers)_mm512_dpwssd_epi32((__m512i)sum, (__m512i)x, (__m512i)w);
}

#elif HK_LANES == 8

HK_INLINE hk_integers hk_add_each(hk_integers sum, hk_integers x, hk_integers w) {
    return sum + (hk_integers)_mm256_madd_epi16((__m256i)x, (__m256i)w);
}

// vpmaddubsw would saturate: the even and the odd bytes are multiplied as 16 bits each.
enum { HK_CODE_OFFSET = 0 };
typedef struct {
    __m256i even[2], odd[2];
} hk_four_weights;
typedef struct {
    __m256i even, odd;
} hk_four_codes;

HK_INLINE hk_four_weights hk_load_four_weights(const int8_t *p) {
    hk_four_weights w;
    HK_UNROLL for (int k = 0; k < 2; k++) {
        const __m256i bytes = _mm256_loadu_si256((const __m256i *)(p + 32 * k));
        w.even[k] = _mm256_srai_epi16(_mm256_slli_epi16(bytes, 8), 8);
        w.odd[k] = _mm256_srai_epi16(bytes, 8);
    }
    return w;
}

HK_INLINE hk_four_codes hk_load_four_codes(const uint8_t *p) {
    int32_t four;
    memcpy(&four, p, sizeof four);
    const __m256i bytes = _mm256_set1_epi32(four);
    return (hk_four_codes){_mm256_and_si256(bytes, _mm256_set1_epi16(255)), _mm256_srli_epi16(bytes, 8)};
}

HK_INLINE hk_sums hk_add_products(hk_sums sums, hk_four_codes x, hk_four_weights w) {
    HK_UNROLL for (int k = 0; k < 2; k++) {
        const __m256i products =
            _mm256_add_epi32(_mm256_madd_epi16(x.even, w.even[k]), _mm256_madd_epi16(x.odd, w.odd[k]));
        sums.part[k] = (hk_integers)_mm256_add_epi32((__m256i)sums.part[k], products);
    }
    return sums;
}

#else

HK_INLINE hk_integers hk_add_each(hk_integers sum, hk_integers x, hk_integers w) {
    return sum + x * w;
}

#ifdef HK_NEON

// Both factors are signed: codes less 128, which the sums begin with.
enum { HK_CODE_OFFSET = 128 };
typedef struct {
    int8x16_t part[4];
} hk_four_weights;
typedef int8x16_t hk_four_codes;

HK_INLINE hk_four_weights hk_load_four_weights(const int8_t *p) {
    return (hk_four_weights){{vld1q_s8(p), vld1q_s8(p + 16), vld1q_s8(p + 32), vld1q_s8(p + 48)}};
}

HK_INLINE hk_four_codes hk_load_four_codes(const uint8_t *p) {
    uint32_t four;
    memcpy(&four, p, sizeof four);
    return vreinterpretq_s8_u32(vdupq_n_u32(four ^ 0x80808080));
}

HK_INLINE hk_sums hk_add_products(hk_sums sums, hk_four_codes x, hk_four_weights w) {
    HK_UNROLL for (int k = 0; k < 4; k++) {
        sums.part[k] = (hk_integers)vdotq_s32((int32x4_t)sums.part[k], w.part[k], x);
    }
    return sums;
}

#else

enum { HK_CODE_OFFSET = 0 };
typedef struct {
    hk_integers part[HK_PARTS][4];  // input i of each output
} hk_four_weights;
typedef struct {
    int32_t value[4];
} hk_four_codes;

HK_INLINE hk_four_weights hk_load_four_weights(const int8_t *p) {
    hk_four_weights w;
    HK_UNROLL for (int k = 0; k < HK_PARTS; k++) {
        hk_words bytes;
        memcpy(&bytes, p + 4 * HK_LANES * k, sizeof bytes);
        HK_UNROLL for (int i = 0; i < 4; i++) w.part[k][i] = (hk_integers)(bytes << (24 - 8 * i)) >> 24;
    }
    return w;
}

HK_INLINE hk_four_codes hk_load_four_codes(const uint8_t *p) {
    return (hk_four_codes){{p[0], p[1], p[2], p[3]}};
}

HK_INLINE hk_sums hk_add_products(hk_sums sums, hk_four_codes x, hk_four_weights w) {
    HK_UNROLL for (int k = 0; k < HK_PARTS; k++) {
        HK_UNROLL for (int i = 0; i < 4; i++) sums.part[k] += w.part[k][i] * x.value[i];
    }
    return sums;
}

#endif
#endif

#endif
