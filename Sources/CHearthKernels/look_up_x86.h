// hk_look_up (see decode.h) by the byte shuffle that AVX2 and AVX-512 have. Included where these instructions may be used.
#ifndef HK_LOOK_UP_X86_H
#define HK_LOOK_UP_X86_H

#include "blocks.h"

#define HK_LOOKS_UP 1

HK_INLINE void hk_look_up(const int8_t table[16], const uint8_t *nibbles, int8_t *out) {
    const __m128i values = _mm_loadu_si128((const __m128i *)table), fifteen = _mm_set1_epi8(15);
    const __m128i bytes = _mm_loadu_si128((const __m128i *)nibbles);
    _mm_storeu_si128((__m128i *)out, _mm_shuffle_epi8(values, _mm_and_si128(bytes, fifteen)));
    _mm_storeu_si128(
        (__m128i *)(out + 16), _mm_shuffle_epi8(values, _mm_and_si128(_mm_srli_epi16(bytes, 4), fifteen)));
}

HK_INLINE __m256i hk_load_bytes(const void *p) {
    return _mm256_loadu_si256((const __m256i *)p);
}

#endif
