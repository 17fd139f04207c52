// Weights of 16 rows as integers of 16 or 8 bits that stand where the dot-product instruction wants them: a lane is a row.
//
// What a file stores along a row, two values a lane and 16 rows a vector, is brought about by fetching 16 bytes of each
// row and transposing. For packed nibbles that is cheap, and from then on products need no shuffle and no sum across
// lanes, for one token as for many.
#ifndef HK_AVX512_PANEL_H
#define HK_AVX512_PANEL_H

#include "tiles.h"

// Rows of a vector, and blocks of 32 values in a step.
enum { HK_ROWS = 16, HK_STEP_BLOCKS = HK_STEP / 32 };

// Most vectors of rows in a panel.
enum { HK_PANEL_VECTORS = 4 };

// A step of some vectors of rows. What belongs to one vector is followed by the same of the next, without gaps where there are
// fewer than the most: 16 kB for two, 32 for four, and half of that for bytes.
typedef struct {
    // [block][two values][vector], ordered as the activations' words; for activations of 8 bits [block][four values][vector].
    __m512i words[HK_STEP_BLOCKS * 16 * HK_PANEL_VECTORS];
    __m512 scales[2 * HK_STEP_BLOCKS * HK_PANEL_VECTORS];   // [block, or half of a block][vector]
    __m512 minimums[HK_STEP_BLOCKS * HK_PANEL_VECTORS];     // [block][vector], where the format has them
    __m512 firsts[HK_PANEL_VECTORS];                        // what parts of sums start from
} hk_panel;

// How integer products of a format become floats.
typedef struct {
    bool halves;     // one covers half a block, not a whole one
    bool minimum;    // a minimum is added
    bool four_bits;  // one starts at HK_START_8 and is read as a float
} hk_scaling;

HK_INLINE hk_scaling hk_scaling_of(hk_format format) {
    return (hk_scaling){
        format == HK_Q6_K, hk_has_minimum(format), format == HK_Q4_0 || format == HK_Q4_1 || format == HK_Q4_K};
}

// Blocks of 32 values whose bits are in the same bytes.
HK_INLINE int hk_unit_blocks(hk_format format) {
    return format == HK_Q6_K ? 4 : format == HK_Q4_K || format == HK_Q5_K ? 2 : 1;
}

// A place in each of 16 rows: that of rows 0, 4, 8 and 12, and the way to the next three.
typedef struct {
    const uint8_t *places[4];
    size_t row_bytes, three_rows;
} hk_rows;

// The same place `bytes` further. The compiler shall see four pointers and two distances, which fit the registers, and
// not sixteen pointers, which do not.
HK_INLINE hk_rows hk_advance(hk_rows rows, size_t bytes) {
    HK_UNROLL for (int i = 0; i < 4; i++) {
        rows.places[i] += bytes;
        __asm__("" : "+r"(rows.places[i]));
    }
    return rows;
}

HK_INLINE hk_rows hk_rows_at(const uint8_t *bytes, size_t row_bytes) {
    hk_rows rows = {
        {bytes, bytes + 4 * row_bytes, bytes + 8 * row_bytes, bytes + 12 * row_bytes}, row_bytes, 3 * row_bytes};
    __asm__("" : "+r"(rows.row_bytes), "+r"(rows.three_rows));
    return hk_advance(rows, 0);
}

// Where row 4 * group + i is.
HK_INLINE const uint8_t *hk_row(const hk_rows *rows, const int group, const int i, const size_t offset) {
    const uint8_t *place = rows->places[group] + offset;
    return place + (i < 3 ? (size_t)i * rows->row_bytes : rows->three_rows);
}

// 16 bytes of 16 rows as four vectors of one 32-bit word a row.
HK_INLINE void hk_columns(const hk_rows *from, const size_t offset, __m512i out[4]) {
    __m512i rows[4];
    HK_UNROLL for (int i = 0; i < 4; i++) {
        rows[i] = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)hk_row(from, 0, i, offset)));
        rows[i] = _mm512_inserti32x4(rows[i], _mm_loadu_si128((const __m128i *)hk_row(from, 1, i, offset)), 1);
        rows[i] = _mm512_inserti32x4(rows[i], _mm_loadu_si128((const __m128i *)hk_row(from, 2, i, offset)), 2);
        rows[i] = _mm512_inserti32x4(rows[i], _mm_loadu_si128((const __m128i *)hk_row(from, 3, i, offset)), 3);
    }
    const __m512i a = _mm512_unpacklo_epi32(rows[0], rows[1]), b = _mm512_unpacklo_epi32(rows[2], rows[3]);
    const __m512i c = _mm512_unpackhi_epi32(rows[0], rows[1]), d = _mm512_unpackhi_epi32(rows[2], rows[3]);
    out[0] = _mm512_unpacklo_epi64(a, b);
    out[1] = _mm512_unpackhi_epi64(a, b);
    out[2] = _mm512_unpacklo_epi64(c, d);
    out[3] = _mm512_unpackhi_epi64(c, d);
}

// A half-precision number of each row, put together in general registers: for loops that wait for the ports of vectors.
HK_INLINE __m512 hk_column_of_halves(const hk_rows *from, const size_t offset) {
    uint64_t four[4];
    HK_UNROLL for (int i = 0; i < 4; i++) {
        four[i] = hk_u16(hk_row(from, i, 0, offset)) | (uint64_t)hk_u16(hk_row(from, i, 1, offset)) << 16
            | (uint64_t)hk_u16(hk_row(from, i, 2, offset)) << 32 | (uint64_t)hk_u16(hk_row(from, i, 3, offset)) << 48;
        __asm__("" : "+r"(four[i]));
    }
    __m256i halves;
    memcpy(&halves, four, sizeof halves);
    return _mm512_cvtph_ps(halves);
}

// The same put together in vectors: for loops that wait for the result.
HK_INLINE __m512 hk_column_of_halves_soon(const hk_rows *from, const size_t offset) {
    __m128i eight[2];
    HK_UNROLL for (int i = 0; i < 2; i++) {
        __m128i h = _mm_cvtsi32_si128(hk_u16(hk_row(from, 2 * i, 0, offset)));
        h = _mm_insert_epi16(h, hk_u16(hk_row(from, 2 * i, 1, offset)), 1);
        h = _mm_insert_epi16(h, hk_u16(hk_row(from, 2 * i, 2, offset)), 2);
        h = _mm_insert_epi16(h, hk_u16(hk_row(from, 2 * i, 3, offset)), 3);
        h = _mm_insert_epi16(h, hk_u16(hk_row(from, 2 * i + 1, 0, offset)), 4);
        h = _mm_insert_epi16(h, hk_u16(hk_row(from, 2 * i + 1, 1, offset)), 5);
        h = _mm_insert_epi16(h, hk_u16(hk_row(from, 2 * i + 1, 2, offset)), 6);
        eight[i] = _mm_insert_epi16(h, hk_u16(hk_row(from, 2 * i + 1, 3, offset)), 7);
    }
    return _mm512_cvtph_ps(_mm256_set_m128i(eight[1], eight[0]));
}

// A 32-bit word of each row.
HK_INLINE __m512i hk_column_of_words(const hk_rows *from, const size_t offset) {
    uint64_t two[8];
    HK_UNROLL for (int i = 0; i < 8; i++) {
        const int row = i % 2 * 2;
        two[i] = hk_u32(hk_row(from, i / 2, row, offset))
            | (uint64_t)hk_u32(hk_row(from, i / 2, row + 1, offset)) << 32;
    }
    return _mm512_loadu_si512(two);
}

HK_INLINE __m512i hk_four_bits(__m512i words) {
    return _mm512_and_si512(words, _mm512_set1_epi16(15));
}

// `bits` where the mask (of each byte) is set, else `bytes`: 0xca is "a ? b : c".
HK_INLINE __m512i hk_with_bits(__m512i bytes, __m512i bits, char mask) {
    return _mm512_ternarylogic_epi32(_mm512_set1_epi8(mask), bits, bytes, 0xca);
}

// Four unsigned bytes a lane to two pairs of words: the first and third, the second and fourth.
HK_INLINE void hk_split(__m512i bytes, __m512i words[2]) {
    words[0] = _mm512_and_si512(bytes, _mm512_set1_epi16(255));
    words[1] = _mm512_srli_epi16(bytes, 8);
}

// The low or the high nibbles of all bytes.
HK_INLINE __m512i hk_nibbles(__m512i bytes, const bool high) {
    return _mm512_and_si512(high ? _mm512_srli_epi16(bytes, 4) : bytes, _mm512_set1_epi8(15));
}

// Adds 16 to the bytes 0...3 of each lane whose bits are set: bits first ... first + 3 of the lane of `bits`.
HK_INLINE __m512i hk_add_fifth_bits(__m512i bytes, __m512i bits, const int first) {
    const __m128i lanes = _mm_set_epi32(0x0c0c0c0c, 0x08080808, 0x04040404, 0);
    const __m512i places = _mm512_broadcast_i32x4(_mm_add_epi8(lanes, _mm_set1_epi8((char)(first / 8))));
    const __m512i tests = _mm512_set1_epi32(first % 8 ? (int)0x80402010 : 0x08040201);
    const __mmask64 set = _mm512_test_epi8_mask(_mm512_shuffle_epi8(bits, places), tests);
    return _mm512_mask_add_epi8(bytes, set, bytes, _mm512_set1_epi8(16));
}

// Q4_0 to Q5_1: 16 bytes whose low nibbles are values 0...15 and whose high nibbles are values 16...31; fifth bits, if
// any (`fifth` above 0), one a value in 32 bits.
HK_INLINE void hk_nibble_bytes(const hk_rows *block, const size_t quants, const size_t fifth, __m512i bytes[8]) {
    __m512i columns[4], bits = _mm512_setzero_si512();
    hk_columns(block, quants, columns);
    if (fifth > 0) bits = hk_column_of_words(block, fifth);
    HK_UNROLL for (int g = 0; g < 4; g++) {
        HK_UNROLL for (int half = 0; half < 2; half++) {
            const __m512i four = hk_nibbles(columns[g], half > 0);
            bytes[4 * half + g] = fifth > 0 ? hk_add_fifth_bits(four, bits, 16 * half + 4 * g) : four;
        }
    }
}

HK_INLINE void hk_unpack_nibbles(const hk_rows *block, const size_t quants, const size_t fifth, __m512i words[16]) {
    if (fifth > 0) {
        __m512i bytes[8];
        hk_nibble_bytes(block, quants, fifth, bytes);
        HK_UNROLL for (int i = 0; i < 8; i++) hk_split(bytes[i], words + 2 * i);
        return;
    }
    __m512i columns[4];
    hk_columns(block, quants, columns);
    HK_UNROLL for (int g = 0; g < 4; g++) {
        words[2 * g] = hk_four_bits(columns[g]);
        words[2 * g + 1] = hk_four_bits(_mm512_srli_epi16(columns[g], 8));
        words[2 * g + 8] = hk_four_bits(_mm512_srli_epi16(columns[g], 4));
        words[2 * g + 9] = _mm512_srli_epi16(columns[g], 12);
    }
}

HK_INLINE void hk_unpack_bytes(const hk_rows *block, const size_t quants, __m512i words[16]) {
    HK_UNROLL for (int part = 0; part < 2; part++) {
        __m512i columns[4];
        hk_columns(block, quants + 16 * (size_t)part, columns);
        HK_UNROLL for (int g = 0; g < 4; g++) {
            words[8 * part + 2 * g] = _mm512_srai_epi16(_mm512_slli_epi16(columns[g], 8), 8);
            words[8 * part + 2 * g + 1] = _mm512_srai_epi16(columns[g], 8);
        }
    }
}

// Q4_K and Q5_K: of 32 bytes the low nibbles are one block and the high nibbles the next, whose fifth bits (`fifth`
// above 0) are bits `2 * unit` and `2 * unit + 1` of the bytes there. Bytes 4 * part ... 4 * part + 3 of both.
HK_INLINE void hk_k_bytes(
    const hk_rows *step, const size_t quants, const size_t fifth, int unit, const int part, __m512i bytes[4][8]) {
    const hk_rows here = hk_advance(*step, 32 * (size_t)unit);
    __m512i columns[4], bits[4];
    hk_columns(&here, quants + 16 * (size_t)part, columns);
    if (fifth > 0) hk_columns(step, fifth + 16 * (size_t)part, bits);
    HK_UNROLL for (int g = 0; g < 4; g++) {
        HK_UNROLL for (int block = 0; block < 2; block++) {
            __m512i four = hk_nibbles(columns[g], block > 0);
            // The bit goes to bit 4 of its byte.
            if (fifth > 0) {
                const int turn = (2 * unit + block + 28) % 32;
                four = hk_with_bits(four, _mm512_rorv_epi32(bits[g], _mm512_set1_epi32(turn)), 16);
            }
            bytes[block][4 * part + g] = four;
        }
    }
}

// Q6_K, half a block of 256. Blocks k and k + 2 have the low and the high nibbles of 32 bytes, and bits 2k of others.
HK_INLINE void hk_q6_k_bytes(const hk_rows *step, int unit, const int part, const int k, __m512i bytes[4][8]) {
    const hk_rows low = hk_advance(*step, offsetof(hk_q6_k, low) + 64 * (size_t)unit);
    const hk_rows high = hk_advance(*step, offsetof(hk_q6_k, high) + 32 * (size_t)unit);
    __m512i columns[4], bits[4];
    hk_columns(&low, 32 * (size_t)k + 16 * (size_t)part, columns);
    hk_columns(&high, 16 * (size_t)part, bits);
    HK_UNROLL for (int g = 0; g < 4; g++) {
        HK_UNROLL for (int half = 0; half < 2; half++) {
            // Bits 2 * block and the next go to bits 4 and 5 of their byte.
            const int block = k + 2 * half;
            const __m512i upper = _mm512_rorv_epi32(bits[g], _mm512_set1_epi32((2 * block + 28) % 32));
            const __m512i lower = half ? _mm512_srli_epi16(columns[g], 4) : columns[g];
            bytes[block][4 * part + g] = _mm512_and_si512(hk_with_bits(upper, lower, 15), _mm512_set1_epi8(63));
        }
    }
}

// In how many parts the words of a unit come: more at once than the registers hold would go through memory.
HK_INLINE int hk_unit_parts(hk_format format) {
    return format == HK_Q6_K ? 4 : format == HK_Q4_K || format == HK_Q5_K ? 2 : 1;
}

// Which words of a block come with a part, and of which blocks.
HK_INLINE int hk_part_first(hk_format format, const int part) {
    return format == HK_Q6_K ? 8 * (part / 2) : 8 * part;
}

HK_INLINE int hk_part_words(hk_format format) {
    return hk_unit_parts(format) == 1 ? 16 : 8;
}

HK_INLINE bool hk_is_in_part(hk_format format, const int part, const int block) {
    return format != HK_Q6_K || block % 2 == part % 2;
}

// How far the place moves from unit to unit: blocks of 32 values are walked through, larger ones are looked into.
HK_INLINE size_t hk_unit_bytes(hk_format format) {
    return hk_block_values(format) == 32 ? hk_block_bytes(format) : 0;
}

// A part of the bytes of a unit's blocks, unsigned: Q8_0's are 128 more.
HK_INLINE void hk_unpack_unsigned(hk_format format, const hk_rows *rows, int unit, const int part, __m512i bytes[4][8]) {
    switch (format) {
    case HK_Q4_0: hk_nibble_bytes(rows, offsetof(hk_q4_0, quants), 0, bytes[0]); break;
    case HK_Q4_1: hk_nibble_bytes(rows, offsetof(hk_q4_1, quants), 0, bytes[0]); break;
    case HK_Q5_0: hk_nibble_bytes(rows, offsetof(hk_q5_0, quants), offsetof(hk_q5_0, high), bytes[0]); break;
    case HK_Q5_1: hk_nibble_bytes(rows, offsetof(hk_q5_1, quants), offsetof(hk_q5_1, high), bytes[0]); break;
    case HK_Q8_0:
        HK_UNROLL for (int half = 0; half < 2; half++) {
            hk_columns(rows, offsetof(hk_q8_0, quants) + 16 * (size_t)half, bytes[0] + 4 * half);
        }
        HK_UNROLL for (int i = 0; i < 8; i++) bytes[0][i] = _mm512_xor_si512(bytes[0][i], _mm512_set1_epi8(-128));
        break;
    case HK_Q4_K: hk_k_bytes(rows, offsetof(hk_q4_k, quants), 0, unit, part, bytes); break;
    case HK_Q5_K: hk_k_bytes(rows, offsetof(hk_q5_k, quants), offsetof(hk_q5_k, high), unit, part, bytes); break;
    case HK_Q6_K: hk_q6_k_bytes(rows, unit, part / 2, part % 2, bytes); break;
    default: break;
    }
}

// A part of the words of a unit's blocks.
HK_INLINE void hk_unpack(hk_format format, const hk_rows *rows, int unit, const int part, __m512i words[4][16]) {
    switch (format) {
    case HK_Q4_0: hk_unpack_nibbles(rows, offsetof(hk_q4_0, quants), 0, words[0]); break;
    case HK_Q4_1: hk_unpack_nibbles(rows, offsetof(hk_q4_1, quants), 0, words[0]); break;
    case HK_Q5_0: hk_unpack_nibbles(rows, offsetof(hk_q5_0, quants), offsetof(hk_q5_0, high), words[0]); break;
    case HK_Q5_1: hk_unpack_nibbles(rows, offsetof(hk_q5_1, quants), offsetof(hk_q5_1, high), words[0]); break;
    case HK_Q8_0: hk_unpack_bytes(rows, offsetof(hk_q8_0, quants), words[0]); break;
    case HK_Q4_K: case HK_Q5_K: case HK_Q6_K: {
        __m512i bytes[4][8];
        hk_unpack_unsigned(format, rows, unit, part, bytes);
        HK_UNROLL for (int block = 0; block < hk_unit_blocks(format); block++) {
            if (!hk_is_in_part(format, part, block)) continue;
            const int first = hk_part_first(format, part) / 2;
            HK_UNROLL for (int i = first; i < first + 4; i++) hk_split(bytes[block][i], words[block] + 2 * i);
        }
        break;
    }
    default: break;
    }
}

// One byte of each row's word as a float.
HK_INLINE __m512 hk_byte_as_float(__m512i words, int byte) {
    const __m512i shifted = _mm512_srli_epi32(words, (unsigned)(8 * byte));
    return _mm512_cvtepi32_ps(_mm512_and_si512(shifted, _mm512_set1_epi32(255)));
}

HK_INLINE void hk_unpack_k_scales(const hk_rows *step, __m512 *scales, __m512 *minimums, const int stride) {
    __m512i head[4];
    hk_columns(step, 0, head);
    const __m512 scale = _mm512_cvtph_ps(_mm512_cvtepi32_epi16(head[0]));
    const __m512 minimum = _mm512_sub_ps(
        _mm512_setzero_ps(), _mm512_cvtph_ps(_mm512_cvtepi32_epi16(_mm512_srli_epi32(head[0], 16))));
    // hk_k_scales in all lanes: scales 0...3, minimums 0...3, scales 4...7, minimums 4...7, a byte each.
    const __m512i six = _mm512_set1_epi8(63), four = _mm512_set1_epi8(15), upper = _mm512_set1_epi8(48);
    const __m512i columns[4] = {
        _mm512_and_si512(head[1], six), _mm512_and_si512(head[2], six),
        _mm512_or_si512(_mm512_and_si512(head[3], four), _mm512_and_si512(_mm512_srli_epi32(head[1], 2), upper)),
        _mm512_or_si512(
            _mm512_and_si512(_mm512_srli_epi32(head[3], 4), four),
            _mm512_and_si512(_mm512_srli_epi32(head[2], 2), upper))};
    HK_UNROLL for (int b = 0; b < HK_STEP_BLOCKS; b++) {
        scales[b * stride] = _mm512_mul_ps(scale, hk_byte_as_float(columns[b / 4 * 2], b % 4));
        minimums[b * stride] = _mm512_mul_ps(minimum, hk_byte_as_float(columns[b / 4 * 2 + 1], b % 4));
    }
}

HK_INLINE void hk_unpack_q6_k_scales(const hk_rows *step, __m512 *scales, const int stride) {
    __m512i columns[4];
    hk_columns(step, offsetof(hk_q6_k, scales), columns);
    const __m512 scale = hk_column_of_halves(step, offsetof(hk_q6_k, d));
    HK_UNROLL for (int i = 0; i < 16; i++) {
        const __m512i top = _mm512_slli_epi32(columns[i / 4], (unsigned)(24 - 8 * (i % 4)));
        scales[i * stride] = _mm512_mul_ps(scale, _mm512_cvtepi32_ps(_mm512_srai_epi32(top, 24)));
    }
}

// The scales (and minimums) that lie with a unit: those of its block, or with unit 0 those of a whole step. The next
// one goes `stride` vectors further. Four-bit values as words come out less 8, so their minimum is 8 * scale more.
HK_INLINE void hk_unpack_scales(
    hk_format format, const bool bytes, const hk_rows *rows, int unit, const bool soon, __m512 *scales, __m512 *minimums,
    const int stride) {
    if (hk_block_values(format) == 32) {
        scales[unit * stride] = soon ? hk_column_of_halves_soon(rows, 0) : hk_column_of_halves(rows, 0);
        if (hk_has_minimum(format)) {
            minimums[unit * stride] = soon ? hk_column_of_halves_soon(rows, 2) : hk_column_of_halves(rows, 2);
        }
    } else if (unit == 0) {
        if (format == HK_Q6_K) hk_unpack_q6_k_scales(rows, scales, stride);
        else hk_unpack_k_scales(rows, scales, minimums, stride);
    }
    if (!bytes && hk_scaling_of(format).four_bits && hk_has_minimum(format)) {
        const int first = hk_block_values(format) == 32 ? unit : 0;
        const int end = hk_block_values(format) == 32 ? unit + 1 : unit == 0 ? HK_STEP_BLOCKS : 0;
        for (int b = first; b < end; b++) {
            minimums[b * stride] = _mm512_fmadd_ps(scales[b * stride], _mm512_set1_ps(8), minimums[b * stride]);
        }
    }
}

// What a part of a sum starts from: where products are read as floats, what that makes too much of all the blocks.
HK_INLINE __m512 hk_first_of(hk_format format, const __m512 *scales, int blocks, const int stride) {
    __m512 first = _mm512_setzero_ps();
    if (hk_scaling_of(format).four_bits) {
        const __m512 each = _mm512_sub_ps(_mm512_setzero_ps(), _mm512_castsi512_ps(_mm512_set1_epi32(HK_START_8)));
        for (int b = 0; b < blocks; b++) first = _mm512_fmadd_ps(scales[b * stride], each, first);
    }
    return first;
}

// Brings a step of 16 rows into vector `vector` of a panel of `vectors`, for activations of 8 bits or of 16.
HK_INLINE void hk_fill_panel(
    hk_format format, const bool bytes, const uint8_t *step, const size_t row_bytes, int blocks, int vector,
    const int vectors, hk_panel *panel) {
    const int together = hk_unit_blocks(format), count = bytes ? 8 : 16;
    hk_rows rows = hk_rows_at(step, row_bytes);
    for (int unit = 0; unit < blocks / together; unit++) {
        __m512i words[4][16], quads[4][8];
        hk_unpack_scales(format, bytes, &rows, unit, true, &panel->scales[vector], &panel->minimums[vector], vectors);
        HK_UNROLL for (int part = 0; part < hk_unit_parts(format); part++) {
            if (bytes) hk_unpack_unsigned(format, &rows, unit, part, quads);
            else hk_unpack(format, &rows, unit, part, words);
        }
        __m512i *out = &panel->words[count * unit * together * vectors + vector];
        HK_UNROLL for (int b = 0; b < together; b++) {
            HK_UNROLL for (int i = 0; i < count; i++) {
                out[(count * b + i) * vectors] = bytes ? quads[b][i % 8] : words[b][i];
            }
        }
        rows = hk_advance(rows, hk_unit_bytes(format));
    }
    if (!bytes) panel->firsts[vector] = hk_first_of(format, &panel->scales[vector], blocks, vectors);
}

#endif
