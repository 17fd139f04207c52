// Products of several tokens with 8-bit activations on AVX2: panels of sixteen rows, unpacked and turned so that a lane belongs
// to a row, meet the activations four bytes at a time.
#ifndef HK_BYTES_AVX2_PANEL_H
#define HK_BYTES_AVX2_PANEL_H

enum { HK_PANEL_ROWS = 16, HK_PANEL_COLUMNS = 1024, HK_PANEL_TOKENS = 4, HK_PANEL_BLOCKS = HK_PANEL_COLUMNS / 32 };

// Sixteen rows of some blocks. Of a block the bytes: eight vectors for rows 0...7, whose vector j has values 4j...4j + 3 of
// each row, then eight for rows 8...15; where values have eight bits, these are the low four and as many vectors follow with
// the high four.
typedef struct {
    __m256i quants[HK_PANEL_BLOCKS][2][2][8];
    hk_vector scales[HK_PANEL_BLOCKS][2];
    hk_vector minimums[HK_PANEL_BLOCKS][2];
    __m256i factors[HK_PANEL_BLOCKS][2][3];  // Q6_K: scales of the first 16 values, the others; -32 times both
} hk_byte_panel;

// How many products of two fit a word together, by the bits of a format's values.
HK_INLINE int hk_word_sums(hk_format format) {
    switch (format) {
    case HK_Q5_0: case HK_Q5_1: case HK_Q5_K: return 4;
    case HK_Q6_K: return 2;
    default: return 8;
    }
}

HK_INLINE bool hk_has_planes(hk_format format) {
    return format == HK_Q8_0;
}

// One step of eight rows, or the first `blocks` blocks of it, into blocks `block` ... of the panel.
HK_INLINE void hk_fill_panel(
    hk_format format, const uint8_t *const steps[8], size_t blocks, hk_byte_panel *panel, size_t block, size_t group) {
    __m256i scales[8], minimums[8];
    HK_UNROLL for (int r = 0; r < 8; r++) {
        hk_step_floats floats;
        hk_read_step_floats(format, steps[r], &floats);
        scales[r] = (__m256i)floats.scales;
        minimums[r] = (__m256i)floats.minimums;
    }
    hk_turn(scales);
    HK_UNROLL for (int i = 0; i < 8; i++) panel->scales[block + (size_t)i][group] = (hk_vector)scales[i];
    if (hk_has_minimum(format)) {
        hk_turn(minimums);
        HK_UNROLL for (int i = 0; i < 8; i++) panel->minimums[block + (size_t)i][group] = (hk_vector)minimums[i];
    }
    for (int r = 0; format == HK_Q6_K && r < 8; r++) {
        for (size_t i = 0; i < 8; i++) {
            const int a = ((const hk_q6_k *)steps[r])->scales[2 * i], b = ((const hk_q6_k *)steps[r])->scales[2 * i + 1];
            int32_t *factors = (int32_t *)panel->factors[block + i][group];
            factors[r] = (int32_t)((uint32_t)(uint16_t)a | (uint32_t)a << 16);
            factors[8 + r] = (int32_t)((uint32_t)(uint16_t)b | (uint32_t)b << 16);
            factors[16 + r] = (int32_t)((uint32_t)(uint16_t)(-32 * a) | (uint32_t)(-32 * b) << 16);
        }
    }
    HK_UNROLL for (int unit = 0; unit < 8; unit++) {
        if ((size_t)unit >= blocks) break;
        __m256i v[8];
        HK_UNROLL for (int r = 0; r < 8; r++) v[r] = hk_unpack(format, steps[r], unit);
        hk_turn(v);
        __m256i *low = panel->quants[block + (size_t)unit][0][group], *high = panel->quants[block + (size_t)unit][1][group];
        const __m256i fifteen = _mm256_set1_epi8(15);
        HK_UNROLL for (int j = 0; j < 8; j++) {
            if (!hk_has_planes(format)) {
                low[j] = v[j];
                continue;
            }
            const __m256i bytes = _mm256_xor_si256(v[j], _mm256_set1_epi8(-128));
            low[j] = _mm256_and_si256(bytes, fifteen);
            high[j] = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), fifteen);
        }
    }
}

HK_INLINE __m256i hk_four_bytes(const int8_t *a) {
    return _mm256_set1_epi32((int)hk_u32(a));
}

// Words of up to eight products, added in 32 bits by `factor`.
HK_INLINE void hk_panel_chain(
    const int tokens, const int first, const int count, const __m256i quants[2][8], const hk_activation_bytes *const *x,
    int block, const __m256i factors[2], const bool adds, __m256i dots[2][HK_PANEL_TOKENS]) {
    __m256i words[2][HK_PANEL_TOKENS];
    HK_UNROLL for (int j = first; j < first + count; j++) {
        const __m256i low = quants[0][j], high = quants[1][j];
        HK_UNROLL for (int k = 0; k < tokens; k++) {
            const __m256i a = hk_four_bytes(x[k]->values + 32 * block + 4 * j);
            const __m256i p = _mm256_maddubs_epi16(low, a), q = _mm256_maddubs_epi16(high, a);
            words[0][k] = j == first ? p : _mm256_add_epi16(words[0][k], p);
            words[1][k] = j == first ? q : _mm256_add_epi16(words[1][k], q);
        }
    }
    HK_UNROLL for (int k = 0; k < tokens; k++) {
        HK_UNROLL for (int g = 0; g < 2; g++) {
            const __m256i product = _mm256_madd_epi16(words[g][k], factors[g]);
            dots[g][k] = adds ? _mm256_add_epi32(dots[g][k], product) : product;
        }
    }
}

// The blocks of a panel times some tokens; sums[token][block % 8][row group].
HK_INLINE void hk_panel_tile(
    hk_format format, const int tokens, const hk_byte_panel *panel, size_t blocks, const hk_tile *t, size_t token,
    size_t first_step, hk_vector (*sums)[8][2]) {
    const int count = hk_word_sums(format);
    for (size_t s = 0; 8 * s < blocks; s++) {
        const hk_activation_bytes *x[HK_PANEL_TOKENS];
        HK_UNROLL for (int k = 0; k < tokens; k++) x[k] = hk_bytes_step(t, token + (size_t)k, first_step + s);
        for (int block = 0; block < 8 && 8 * s + (size_t)block < blocks; block++) {
            const size_t at = 8 * s + (size_t)block;
            __m256i dots[2][HK_PANEL_TOKENS];
            HK_UNROLL for (int first = 0; first < 8; first += count) {
                __m256i factors[2];
                HK_UNROLL for (int g = 0; g < 2; g++) {
                    factors[g] = format == HK_Q6_K ? panel->factors[at][g][first / 4] : _mm256_set1_epi16(1);
                }
                hk_panel_chain(tokens, first, count, panel->quants[at][0], x, block, factors, first > 0, dots);
            }
            if (hk_has_planes(format)) {
                const __m256i factors[2] = {_mm256_set1_epi16(16), _mm256_set1_epi16(16)};
                hk_panel_chain(tokens, 0, 8, panel->quants[at][1], x, block, factors, true, dots);
            }
            HK_UNROLL for (int k = 0; k < tokens; k++) {
                const int32_t sum = x[k]->sums[block];
                HK_UNROLL for (int g = 0; g < 2; g++) {
                    __m256i dot = dots[g][k];
                    if (format == HK_Q4_0) dot = _mm256_sub_epi32(dot, _mm256_set1_epi32(8 * sum));
                    if (format == HK_Q5_0) dot = _mm256_sub_epi32(dot, _mm256_set1_epi32(16 * sum));
                    if (format == HK_Q8_0) dot = _mm256_sub_epi32(dot, _mm256_set1_epi32(128 * sum));
                    if (format == HK_Q6_K) {
                        const __m256i halves = hk_four_bytes((const int8_t *)(x[k]->halves + 2 * block));
                        dot = _mm256_add_epi32(dot, _mm256_madd_epi16(panel->factors[at][g][2], halves));
                    }
                    const __m256 scale = (__m256)(panel->scales[at][g] * x[k]->scales[block]);
                    __m256 value = _mm256_fmadd_ps(_mm256_cvtepi32_ps(dot), scale, (__m256)sums[k][block][g]);
                    if (hk_has_minimum(format)) {
                        const float total = x[k]->scales[block] * (float)sum;
                        value = _mm256_fmadd_ps(_mm256_set1_ps(total), (__m256)panel->minimums[at][g], value);
                    }
                    sums[k][block][g] = (hk_vector)value;
                }
            }
        }
    }
}

enum { HK_SUMS_TOKENS = 64 };

// `rows` (at most 16) rows times `tokens` (at most HK_SUMS_TOKENS) tokens.
HK_INLINE void hk_bytes_panel(hk_format format, const hk_tile *t, size_t rows, size_t tokens) {
    hk_byte_panel panel;
    hk_vector sums[HK_SUMS_TOKENS][8][2];
    memset(sums, 0, tokens * sizeof *sums);
    const size_t step_bytes = hk_step_bytes(format);
    const uint8_t *end = t->weights + rows * t->row_bytes + t->spare;
    for (size_t column = 0; column < t->columns; column += HK_PANEL_COLUMNS) {
        const size_t columns = t->columns - column < HK_PANEL_COLUMNS ? t->columns - column : HK_PANEL_COLUMNS;
        for (size_t c = 0; c < columns; c += HK_STEP) {
            const size_t blocks = columns - c < HK_STEP ? (columns - c) / 32 : HK_STEP / 32;
            for (size_t group = 0; group < 2; group++) {
                uint8_t copies[8][HK_STEP / 32 * sizeof(hk_q8_0)];
                const uint8_t *steps[8];
                for (size_t r = 0; r < 8; r++) {
                    // A row that is missing is the last one again.
                    const size_t row = 8 * group + r < rows ? 8 * group + r : rows - 1;
                    steps[r] = t->weights + row * t->row_bytes + (column + c) / HK_STEP * step_bytes;
                    hk_prefetch(steps[r], t->ahead, step_bytes);
                    if ((size_t)(end - steps[r]) >= step_bytes) continue;
                    memset(copies[r], 0, sizeof copies[r]);
                    memcpy(copies[r], steps[r], blocks * 32 / hk_block_values(format) * hk_block_bytes(format));
                    steps[r] = copies[r];
                }
                hk_fill_panel(format, steps, blocks, &panel, c / 32, group);
            }
        }
        const size_t blocks = columns / 32, first = column / HK_STEP;
#define HK_TILE(count, k) hk_panel_tile(format, count, &panel, blocks, t, k, first, sums + k)
        HK_IN_PASSES_OF_FOUR(HK_TILE, tokens)
#undef HK_TILE
    }
    for (size_t k = 0; k < tokens; k++) {
        HK_UNROLL for (size_t group = 0; group < 2; group++) {
            // The order of hk_sum.
            hk_vector lanes[8];
            for (int i = 0; i < 8; i++) lanes[i] = sums[k][i][group];
            for (int i = 0; i < 4; i++) lanes[i] += lanes[i + 4];
            const hk_vector total = (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
            if (8 * group + 8 <= rows) hk_store(t->y + k * t->y_stride + 8 * group, total);
            else if (8 * group < rows) hk_store_some(t->y + k * t->y_stride + 8 * group, total, rows - 8 * group);
        }
    }
}

#endif
