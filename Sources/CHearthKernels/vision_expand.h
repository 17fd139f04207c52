// Coded weights as the numbers that they stand for, a row of 16 lanes at a time. An including file defines HK_PANEL_BITS:
// palettes of at most so many bits it expands about as fast as it would read the numbers (Benchmarks/README.md).
#ifndef HK_VISION_EXPAND_H
#define HK_VISION_EXPAND_H

#include <stdint.h>

#include "vision_vector.h"

typedef uint32_t hk_row_codes __attribute__((ext_vector_type(HK_BLOCK)));

// Half precision to float32, and float32 rounded to half precision and back (to the nearest, ties to even). Where the
// processor has no such instruction in plain arithmetic: the compiler would call its library for each number.
#if defined(__aarch64__)
HK_INLINE float hk_widened(uint16_t half) {
    _Float16 value;
    memcpy(&value, &half, sizeof value);
    return (float)value;
}

HK_INLINE float hk_rounded_to_half(float value) {
    return (float)(_Float16)value;
}
#else
HK_INLINE float hk_widened(uint16_t half) {
    const uint32_t magnitude = half & 0x7fff, sign = (uint32_t)(half & 0x8000) << 16;
    uint32_t bits = magnitude << 13;
    float value;
    memcpy(&value, &bits, sizeof value);
    value *= 0x1p112f;
    memcpy(&bits, &value, sizeof bits);
    if (magnitude >= 0x7c00) bits = 0x7f800000 | magnitude << 13;
    bits |= sign;
    memcpy(&value, &bits, sizeof value);
    return value;
}

HK_INLINE float hk_rounded_to_half(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint32_t sign = bits & 0x80000000;
    bits &= 0x7fffffff;
    if (bits < 0x38800000) {
        // Below 2^-14 halves are multiples of 2^-24, which is what a float between 1/2 and 1 resolves.
        float small;
        memcpy(&small, &bits, sizeof small);
        small = (small + 0.5f) - 0.5f;
        memcpy(&bits, &small, sizeof bits);
    } else if (bits < 0x7f800000) {
        bits = (bits + 0xfff + (bits >> 13 & 1)) & ~(uint32_t)0x1fff;
        if (bits >= 0x47800000) bits = 0x7f800000;
    }
    bits |= sign;
    memcpy(&value, &bits, sizeof value);
    return value;
}
#endif

// Codes come from far away and are used up quickly: some thousand bytes ahead, the processor's own guesses end with a page.
HK_INLINE void hk_fetch_codes(const uint8_t *codes) {
    __builtin_prefetch(codes + 4096, 0, 3);
}

#if HK_LANES == 16

// Which bytes of a row hold each code, how far into them, and the mask.
typedef struct {
    __m512i bytes, shifts, mask;
} hk_unpacking;

HK_INLINE hk_unpacking hk_unpacking_of(size_t bits) {
    uint32_t bytes[HK_BLOCK], shifts[HK_BLOCK];
    for (uint32_t i = 0; i < HK_BLOCK; i++) {
        const uint32_t at = i * (uint32_t)bits;
        // The byte past the 16 that are looked at is never needed: code 15 of 8 bits ends with byte 15.
        bytes[i] = at / 8 | ((at / 8 + 1) & 15) << 8 | 0x80800000;
        shifts[i] = at % 8;
    }
    return (hk_unpacking){
        _mm512_loadu_si512(bytes), _mm512_loadu_si512(shifts), _mm512_set1_epi32((1 << bits) - 1)};
}

HK_INLINE __m512i hk_unpack(hk_unpacking u, const uint8_t *row) {
    const __m512i all = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)row));
    return _mm512_and_si512(_mm512_srlv_epi32(_mm512_shuffle_epi8(all, u.bytes), u.shifts), u.mask);
}

HK_INLINE void hk_expand_halves(const uint8_t *halves, size_t rows, float *out) {
    for (size_t r = 0; r < rows; r++) {
        hk_fetch_codes(halves + r * 2 * HK_BLOCK);
        const __m256i row = _mm256_loadu_si256((const __m256i *)(halves + r * 2 * HK_BLOCK));
        _mm512_storeu_ps(out + r * HK_BLOCK, _mm512_cvtph_ps(row));
    }
}

// Tables stay in registers, 32 values a lookup, and bits from the sixth on choose among the lookups: the processor's own
// gathering loads take several times as long.
HK_INLINE void hk_expand_table(
    hk_unpacking u, const uint8_t *codes, size_t bits, const float *table, size_t rows, float *out, size_t registers) {
    const __mmask16 some = bits >= 4 ? 0xffff : (__mmask16)((1u << ((size_t)1 << bits)) - 1);
    __m512 t[16];
    HK_UNROLL for (size_t k = 0; k < registers; k++) t[k] = _mm512_maskz_loadu_ps(some, table + 16 * k);
    for (size_t r = 0; r < rows; r++) {
        const uint8_t *row = codes + r * 2 * bits;
        hk_fetch_codes(row);
        const __m512i code = hk_unpack(u, row);
        __m512 v[8];
        if (registers == 1) v[0] = _mm512_permutexvar_ps(code, t[0]);
        HK_UNROLL for (size_t k = 0; k < registers / 2; k++) {
            v[k] = _mm512_permutex2var_ps(t[2 * k], code, t[2 * k + 1]);
        }
        HK_UNROLL for (size_t pairs = registers / 4, bit = 32; pairs > 0; pairs /= 2, bit *= 2) {
            const __mmask16 upper = _mm512_test_epi32_mask(code, _mm512_set1_epi32((int)bit));
            HK_UNROLL for (size_t k = 0; k < pairs; k++) v[k] = _mm512_mask_blend_ps(upper, v[2 * k], v[2 * k + 1]);
        }
        _mm512_storeu_ps(out + r * HK_BLOCK, v[0]);
    }
}

HK_INLINE void hk_expand_palette(
    hk_unpacking u, const uint8_t *codes, size_t bits, const float *table, size_t rows, float *out) {
    switch (bits) {
    case 5: hk_expand_table(u, codes, bits, table, rows, out, 2); break;
    case 6: hk_expand_table(u, codes, bits, table, rows, out, 4); break;
    case 7: hk_expand_table(u, codes, bits, table, rows, out, 8); break;
    case 8: hk_expand_table(u, codes, bits, table, rows, out, 16); break;
    default: hk_expand_table(u, codes, bits, table, rows, out, 1); break;
    }
}

HK_INLINE void hk_expand_affine(
    hk_unpacking u, const uint8_t *codes, size_t bits, const float *scales, const float *offsets, bool rounds,
    size_t rows, float *out) {
    const __m512 scale = _mm512_loadu_ps(scales), offset = _mm512_loadu_ps(offsets);
    for (size_t r = 0; r < rows; r++) {
        const uint8_t *row = codes + r * 2 * bits;
        hk_fetch_codes(row);
        const __m512i code = bits == 8 ? _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)row)) : hk_unpack(u, row);
        __m512 v = _mm512_mul_ps(_mm512_sub_ps(_mm512_cvtepi32_ps(code), offset), scale);
        if (rounds) v = _mm512_cvtph_ps(_mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
        _mm512_storeu_ps(out + r * HK_BLOCK, v);
    }
}

#elif HK_LANES == 8

typedef struct {
    __m256i bytes, shifts, mask;
} hk_unpacking;

HK_INLINE hk_unpacking hk_unpacking_of(size_t bits) {
    uint32_t bytes[8], shifts[8];
    for (uint32_t i = 0; i < 8; i++) {
        const uint32_t at = i * (uint32_t)bits;
        bytes[i] = at / 8 | ((at / 8 + 1) & 7) << 8 | 0x80800000;
        shifts[i] = at % 8;
    }
    return (hk_unpacking){
        _mm256_loadu_si256((const __m256i *)bytes), _mm256_loadu_si256((const __m256i *)shifts),
        _mm256_set1_epi32((1 << bits) - 1)};
}

// Codes 8 half ..< 8 half + 8 of a row.
HK_INLINE __m256i hk_unpack_eight(hk_unpacking u, const uint8_t *row, size_t bits, size_t half) {
    int64_t word;
    memcpy(&word, row + half * bits, sizeof word);
    const __m256i all = _mm256_set1_epi64x(word);
    return _mm256_and_si256(_mm256_srlv_epi32(_mm256_shuffle_epi8(all, u.bytes), u.shifts), u.mask);
}

HK_INLINE void hk_expand_halves(const uint8_t *halves, size_t rows, float *out) {
    for (size_t i = 0; i < 2 * rows; i++) {
        _mm256_storeu_ps(out + 8 * i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(halves + 16 * i))));
    }
}

HK_INLINE void hk_expand_palette(
    hk_unpacking u, const uint8_t *codes, size_t bits, const float *table, size_t rows, float *out) {
    float values[16];
    memset(values, 0, sizeof values);
    if (bits <= 4) memcpy(values, table, ((size_t)1 << bits) * sizeof *values);
    const __m256 low = _mm256_loadu_ps(values), high = _mm256_loadu_ps(values + 8);
    for (size_t i = 0; i < 2 * rows; i++) {
        const __m256i code = hk_unpack_eight(u, codes + i / 2 * 2 * bits, bits, i % 2);
        hk_fetch_codes(codes + i * bits);
        __m256 v;
        if (bits <= 3) {
            v = _mm256_permutevar8x32_ps(low, code);
        } else if (bits == 4) {
            const __m256 upper = _mm256_castsi256_ps(_mm256_slli_epi32(code, 28));
            v = _mm256_blendv_ps(
                _mm256_permutevar8x32_ps(low, code), _mm256_permutevar8x32_ps(high, code), upper);
        } else {
            // Loads one by one: the processor's own gathering ones take several times as long.
            uint32_t index[8];
            _mm256_storeu_si256((__m256i *)index, code);
            v = _mm256_setr_ps(
                table[index[0]], table[index[1]], table[index[2]], table[index[3]], table[index[4]], table[index[5]],
                table[index[6]], table[index[7]]);
        }
        _mm256_storeu_ps(out + 8 * i, v);
    }
}

HK_INLINE void hk_expand_affine(
    hk_unpacking u, const uint8_t *codes, size_t bits, const float *scales, const float *offsets, bool rounds,
    size_t rows, float *out) {
    for (size_t i = 0; i < 2 * rows; i++) {
        const __m256i code = hk_unpack_eight(u, codes + i / 2 * 2 * bits, bits, i % 2);
        hk_fetch_codes(codes + i * bits);
        const __m256 scale = _mm256_loadu_ps(scales + i % 2 * 8), offset = _mm256_loadu_ps(offsets + i % 2 * 8);
        __m256 v = _mm256_mul_ps(_mm256_sub_ps(_mm256_cvtepi32_ps(code), offset), scale);
        if (rounds) v = _mm256_cvtph_ps(_mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
        _mm256_storeu_ps(out + 8 * i, v);
    }
}

#elif defined(HK_NEON)

typedef struct {
    uint8x16_t bytes;
    int16x8_t shifts;
    uint16x8_t mask;
    size_t bits;
} hk_unpacking;

HK_INLINE hk_unpacking hk_unpacking_of(size_t bits) {
    uint8_t bytes[16];
    int16_t shifts[8];
    for (size_t i = 0; i < 8; i++) {
        bytes[2 * i] = (uint8_t)(i * bits / 8);
        // The last code of 8 bits ends with its first byte; what a lookup outside the table gives is masked.
        bytes[2 * i + 1] = (uint8_t)(i * bits / 8 + 1);
        shifts[i] = -(int16_t)(i * bits % 8);
    }
    return (hk_unpacking){
        vld1q_u8(bytes), vld1q_s16(shifts), vdupq_n_u16((uint16_t)((1 << bits) - 1)), bits};
}

// Codes 8 half ..< 8 half + 8 of a row; the eight bytes that are read may reach past it, into the margin at the end.
HK_INLINE uint16x8_t hk_unpack_eight(const hk_unpacking *u, const uint8_t *row, size_t half) {
    const uint8x16_t word = vcombine_u8(vld1_u8(row + half * u->bits), vdup_n_u8(0));
    return vandq_u16(vshlq_u16(vreinterpretq_u16_u8(vqtbl1q_u8(word, u->bytes)), u->shifts), u->mask);
}

HK_INLINE void hk_expand_halves(const uint8_t *halves, size_t rows, float *out) {
    for (size_t i = 0; i < 4 * rows; i++) {
        uint16_t four[4];
        memcpy(four, halves + 8 * i, sizeof four);
        vst1q_f32(out + 4 * i, vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(four))));
    }
}

HK_INLINE void hk_expand_palette(
    hk_unpacking u, const uint8_t *codes, size_t bits, const float *table, size_t rows, float *out) {
    // Sixteen numbers are the 64 bytes of the widest byte lookup.
    float values[16];
    memset(values, 0, sizeof values);
    if (bits <= 4) memcpy(values, table, ((size_t)1 << bits) * sizeof *values);
    const uint8_t *v = (const uint8_t *)values;
    const uint8x16x4_t lookup = {{vld1q_u8(v), vld1q_u8(v + 16), vld1q_u8(v + 32), vld1q_u8(v + 48)}};
    static const uint8_t first_lanes[16] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3};
    static const uint8_t bytes_of_lane[16] = {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3};
    const uint8x16_t lanes = vld1q_u8(first_lanes), places = vld1q_u8(bytes_of_lane);
    for (size_t r = 0; r < rows; r++, out += HK_BLOCK) {
        const uint8_t *row = codes + r * 2 * bits;
        hk_fetch_codes(row);
        const uint8x16_t code = vcombine_u8(
            vmovn_u16(hk_unpack_eight(&u, row, 0)), vmovn_u16(hk_unpack_eight(&u, row, 1)));
        if (bits > 4) {
            uint8_t index[16];
            vst1q_u8(index, code);
            for (size_t i = 0; i < HK_BLOCK; i++) out[i] = table[index[i]];
            continue;
        }
        const uint8x16_t first = vshlq_n_u8(code, 2);
        for (uint8_t k = 0; k < 4; k++) {
            const uint8x16_t own = vqtbl1q_u8(first, vaddq_u8(lanes, vdupq_n_u8((uint8_t)(4 * k))));
            vst1q_f32(out + 4 * k, vreinterpretq_f32_u8(vqtbl4q_u8(lookup, vaddq_u8(own, places))));
        }
    }
}

HK_INLINE void hk_expand_affine(
    hk_unpacking u, const uint8_t *codes, size_t bits, const float *scales, const float *offsets, bool rounds,
    size_t rows, float *out) {
    for (size_t i = 0; i < 2 * rows; i++) {
        hk_fetch_codes(codes + i * bits);
        const uint16x8_t code = hk_unpack_eight(&u, codes + i / 2 * 2 * bits, i % 2);
        const uint32x4_t quarters[2] = {vmovl_u16(vget_low_u16(code)), vmovl_u16(vget_high_u16(code))};
        for (size_t k = 0; k < 2; k++) {
            const size_t lane = i % 2 * 8 + k * 4;
            float32x4_t v = vsubq_f32(vcvtq_f32_u32(quarters[k]), vld1q_f32(offsets + lane));
            v = vmulq_f32(v, vld1q_f32(scales + lane));
            if (rounds) v = vcvt_f32_f16(vcvt_f16_f32(v));
            vst1q_f32(out + 8 * i + 4 * k, v);
        }
    }
}

#else

typedef size_t hk_unpacking;

HK_INLINE hk_unpacking hk_unpacking_of(size_t bits) {
    return bits;
}

// Eight codes take `bits` bytes, so they are one word; it may reach past the row, into the margin at the end.
HK_INLINE void hk_unpack(const uint8_t *row, size_t bits, uint32_t *codes) {
    const uint64_t mask = ((uint64_t)1 << bits) - 1;
    for (size_t half = 0; half < 2; half++) {
        uint64_t word;
        memcpy(&word, row + half * bits, sizeof word);
        for (size_t i = 0; i < 8; i++) codes[half * 8 + i] = (uint32_t)(word >> i * bits & mask);
    }
}

HK_INLINE void hk_expand_halves(const uint8_t *halves, size_t rows, float *out) {
    for (size_t i = 0; i < rows * HK_BLOCK; i++) {
        uint16_t half;
        memcpy(&half, halves + 2 * i, sizeof half);
        out[i] = hk_widened(half);
    }
}

HK_INLINE void hk_expand_palette(
    hk_unpacking u, const uint8_t *codes, size_t bits, const float *table, size_t rows, float *out) {
    for (size_t r = 0; r < rows; r++, out += HK_BLOCK) {
        uint32_t code[HK_BLOCK];
        hk_unpack(codes + r * 2 * bits, u, code);
        for (size_t i = 0; i < HK_BLOCK; i++) out[i] = table[code[i]];
    }
}

HK_INLINE void hk_expand_affine(
    hk_unpacking u, const uint8_t *codes, size_t bits, const float *scales, const float *offsets, bool rounds,
    size_t rows, float *out) {
    for (size_t r = 0; r < rows; r++, out += HK_BLOCK) {
        uint32_t code[HK_BLOCK];
        hk_unpack(codes + r * 2 * bits, u, code);
        for (size_t i = 0; i < HK_BLOCK; i++) {
            const float centred = (float)code[i] - offsets[i], v = centred * scales[i];
            out[i] = rounds ? hk_rounded_to_half(v) : v;
        }
    }
}

#endif

// One number for each lane.
HK_INLINE void hk_lane_numbers(const uint8_t *from, size_t stretch, bool halves, float *to) {
    if (halves) hk_expand_halves(from + stretch * 2 * HK_BLOCK, 1, to);
    else memcpy(to, from + stretch * 4 * HK_BLOCK, HK_BLOCK * sizeof *to);
}

static void hk_expand_stretch(
    const hk_coded *c, hk_unpacking u, size_t stretch, size_t first, size_t count, float *out) {
    const uint8_t *codes = c->codes + first * 2 * c->bits;
    if (c->coding == HK_CODED_PALETTE) {
        hk_expand_palette(u, codes, c->bits, c->tables + (stretch << c->bits), count, out);
        return;
    }
    float scales[HK_BLOCK], offsets[HK_BLOCK];
    hk_lane_numbers(c->scales, stretch, c->half_parameters, scales);
    if (c->offsets) {
        hk_lane_numbers(c->offsets, stretch, c->half_parameters, offsets);
    } else {
        hk_store_block(offsets, hk_every_lane(c->offset));
    }
    hk_expand_affine(u, codes, c->bits, scales, offsets, c->rounds_to_half, count, out);
}

static __attribute__((noinline)) void hk_expand(const hk_coded *c, size_t first, size_t count, float *out) {
    if (c->coding == HK_CODED_FLOAT) {
        memcpy(out, c->codes + first * 4 * HK_BLOCK, count * HK_BLOCK * sizeof *out);
        return;
    }
    if (c->coding == HK_CODED_HALF) {
        hk_expand_halves(c->codes + first * 2 * HK_BLOCK, count, out);
        return;
    }
    const hk_unpacking u = hk_unpacking_of(c->bits);
    for (const size_t end = first + count; first < end;) {
        const size_t stretch = first / c->stretch, left = (stretch + 1) * c->stretch - first;
        const size_t some = left < end - first ? left : end - first;
        hk_expand_stretch(c, u, stretch, first, some, out);
        first += some;
        out += some * HK_BLOCK;
    }
}

#endif
