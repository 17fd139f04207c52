// Products of quantized weights with the 16-bit activations of many tokens: rows are unpacked a panel at a time, and every
// token meets the panel.
#ifndef HK_AVX512_PRODUCT_H
#define HK_AVX512_PRODUCT_H

#include "avx512_token.h"
#include "decoded.h"
#include "dense.h"

// Tokens that meet a panel at once, so many that their integer sums with its two vectors of rows fill the registers; and the
// same for a panel of four. That one takes fewer loads and instructions for the same products and reads activations half
// as often, but is slower made: it is for prompts.
enum { HK_PANEL_TOKENS = 8, HK_WIDE_PANEL_TOKENS = 6, HK_TOKENS_FOR_WIDE_PANELS = 48 };

// Tokens, and rows, whose sums are held while the rows are read to the end. A step's activations of so many tokens stay in
// the second-level cache and meet all of these rows before the next step's come.
enum { HK_SUM_TOKENS = 256, HK_SUM_ROWS = 128 };

// What is fetched while a panel is worked on, a few lines for each block of it: all at once they would keep whoever waits
// for its activations from getting any.
typedef struct {
    // The panel's rows in the next step: so many of them while so many blocks are worked on.
    uintptr_t next;
    size_t row_bytes, bytes;
    int rows, blocks, due;
    // A place for each token: activations of the next step, or where sums are about to be written.
    uintptr_t place;
    size_t place_stride, place_bytes;
} hk_fetch;

// What is due with one more block; with `token` the place of one more token.
HK_INLINE void hk_fetch_some(hk_fetch *fetch, bool token) {
    for (fetch->due += fetch->rows; fetch->due >= fetch->blocks; fetch->due -= fetch->blocks) {
        hk_fetch_lines(fetch->next, fetch->next + fetch->bytes);
        fetch->next += fetch->row_bytes;
    }
    if (token) {
        hk_fetch_lines(fetch->place, fetch->place + fetch->place_bytes);
        fetch->place += fetch->place_stride;
    }
}

typedef struct {
    const hk_panel *panel;
    int blocks;
    const hk_activation_pair *x;  // of the first token, at the panel's first block; the next token's lie HK_STEP_PAIRS further
    size_t starts;
    __m512 *sums;  // [token][vector]
    hk_fetch *fetch;
} hk_step_task;

// Bytes from one token's activations to the next.
enum { HK_TOKEN_BYTES = HK_STEP_PAIRS * sizeof(hk_activation_pair) };

HK_INLINE const void *hk_of_token(const void *first, int token) {
    return (const uint8_t *)first + token * HK_TOKEN_BYTES;
}

// Words of a group that are met in one turn of the innermost loop. All 16 in a row would be too long for what keeps
// instructions decoded, which two threads of a core share.
enum { HK_TURN = 4 };

// The products of one group of `count` words, which `weights` and the first token's `a` begin with. Of what products start
// from, the first token's is given.
HK_INLINE void hk_add_group(
    const __m512i *weights, const int vectors, const int tokens, const int count, const bool four_bits,
    const __m512 *scales, const int16_t *a, const int32_t *starts, __m512 (*parts)[HK_PANEL_VECTORS]) {
    // One accumulator waits for itself: with few tokens there are several each.
    const int chains = vectors * tokens >= 10 ? 1 : vectors * tokens >= 4 ? 2 : 4;
    __m512i products[4][HK_PANEL_TOKENS][HK_PANEL_VECTORS];
    HK_UNROLL for (int k = 0; k < tokens; k++) {
        const __m512i start = hk_broadcast(hk_of_token(starts, k));
        HK_UNROLL for (int v = 0; v < vectors; v++) {
            products[0][k][v] = start;
            HK_UNROLL for (int c = 1; c < chains; c++) products[c][k][v] = _mm512_setzero_si512();
        }
    }
    _Pragma("clang loop unroll(disable)") for (int i = 0; i < count; i += HK_TURN) {
        // Each in one register: other tokens' words lie at fixed distances.
        __asm__("" : "+r"(weights), "+r"(a));
        HK_UNROLL for (int j = 0; j < HK_TURN; j++) {
            const int c = j % chains;
            __m512i here[HK_PANEL_VECTORS];
            HK_UNROLL for (int v = 0; v < vectors; v++) here[v] = weights[j * vectors + v];
            HK_UNROLL for (int k = 0; k < tokens; k++) {
                const int16_t *words = hk_of_token(a + 2 * j, k);
                // Loads and instructions are both scarce: with two vectors, one token in four is loaded twice to save
                // an instruction.
                if (vectors == 1 || (vectors == 2 && k % 4 == 3)) {
                    HK_UNROLL for (int v = 0; v < vectors; v++) {
                        products[c][k][v] = hk_dot_words_of_memory(products[c][k][v], here[v], words);
                    }
                } else {
                    const __m512i spread = hk_broadcast(words);
                    HK_UNROLL for (int v = 0; v < vectors; v++) {
                        products[c][k][v] = hk_dot_words(products[c][k][v], here[v], spread);
                    }
                }
            }
        }
        weights += HK_TURN * vectors;
        a += 2 * HK_TURN;
    }
    HK_UNROLL for (int k = 0; k < tokens; k++) {
        HK_UNROLL for (int v = 0; v < vectors; v++) {
            HK_UNROLL for (int c = 1; c < chains; c++) {
                products[0][k][v] = _mm512_add_epi32(products[0][k][v], products[c][k][v]);
            }
            parts[k][v] = hk_scaled(four_bits, products[0][k][v], scales[v], parts[k][v]);
        }
    }
}

HK_INLINE void hk_add_panel(hk_scaling scaling, const int vectors, const int tokens, const hk_step_task *task) {
    // A copy: what is stored below might lie anywhere, for all that the compiler knows.
    const hk_step_task t = *task;
    hk_fetch fetch = *t.fetch;
    __m512 parts[HK_PANEL_TOKENS][HK_PANEL_VECTORS];
    HK_UNROLL for (int k = 0; k < tokens; k++) {
        HK_UNROLL for (int v = 0; v < vectors; v++) parts[k][v] = t.panel->firsts[v];
    }
    _Pragma("clang loop unroll(disable)") for (int b = 0; b < t.blocks; b++) {
        hk_fetch_some(&fetch, b < tokens);
        const __m512i *weights = t.panel->words + 16 * b * vectors;
        const hk_activation_pair *pair = t.x + b / 2;
        const int16_t *a = pair->words + 32 * (b % 2);
        const int32_t *starts = pair->starts + t.starts + (scaling.halves ? 2 : 1) * (b % 2);
        if (scaling.halves) {
            const __m512 *scales = t.panel->scales + 2 * b * vectors;
            hk_add_group(weights, vectors, tokens, 8, false, scales, a, starts, parts);
            hk_add_group(
                weights + 8 * vectors, vectors, tokens, 8, false, scales + vectors, a + 16, starts + 1, parts);
        } else {
            const __m512 *scales = t.panel->scales + b * vectors;
            hk_add_group(weights, vectors, tokens, 16, scaling.four_bits, scales, a, starts, parts);
        }
        if (scaling.minimum) {
            HK_UNROLL for (int k = 0; k < tokens; k++) {
                const __m512 total = _mm512_set1_ps(*(const float *)hk_of_token(pair->totals + b % 2, k));
                HK_UNROLL for (int v = 0; v < vectors; v++) {
                    parts[k][v] = _mm512_fmadd_ps(t.panel->minimums[b * vectors + v], total, parts[k][v]);
                }
            }
        }
    }
    HK_UNROLL for (int k = 0; k < tokens; k++) {
        const __m512 scale = _mm512_set1_ps(*(const float *)hk_of_token(&t.x->scale, k));
        HK_UNROLL for (int v = 0; v < vectors; v++) {
            t.sums[k * vectors + v] = _mm512_fmadd_ps(parts[k][v], scale, t.sums[k * vectors + v]);
        }
    }
    *t.fetch = fetch;
}

#define HK_DEFINE_ADD(name, format)                                                                                   \
    HK_INLINE void name##_tokens(const hk_step_task *t, const int vectors, int tokens) {                              \
        switch (tokens) {                                                                                             \
        case 1: hk_add_panel(hk_scaling_of(format), vectors, 1, t); break;                                            \
        case 2: hk_add_panel(hk_scaling_of(format), vectors, 2, t); break;                                            \
        case 3: hk_add_panel(hk_scaling_of(format), vectors, 3, t); break;                                            \
        case 4: hk_add_panel(hk_scaling_of(format), vectors, 4, t); break;                                            \
        case 5: hk_add_panel(hk_scaling_of(format), vectors, 5, t); break;                                            \
        case 6: hk_add_panel(hk_scaling_of(format), vectors, 6, t); break;                                            \
        case 7: hk_add_panel(hk_scaling_of(format), vectors, 7, t); break;                                            \
        default: hk_add_panel(hk_scaling_of(format), vectors, 8, t); break;                                           \
        }                                                                                                             \
    }                                                                                                                 \
    static void name(const hk_step_task *t, int vectors, int tokens) {                                                \
        if (vectors == 1) name##_tokens(t, 1, tokens);                                                                \
        else if (vectors == 2) name##_tokens(t, 2, tokens);                                                           \
        else if (tokens == HK_WIDE_PANEL_TOKENS) hk_add_panel(hk_scaling_of(format), HK_PANEL_VECTORS, HK_WIDE_PANEL_TOKENS, t);\
        else hk_add_panel(hk_scaling_of(format), HK_PANEL_VECTORS, HK_WIDE_PANEL_TOKENS - 1, t);                      \
    }

// One for each way to scale, named after a format that has it.
HK_DEFINE_ADD(hk_add_q4_0, HK_Q4_0)
HK_DEFINE_ADD(hk_add_q4_1, HK_Q4_1)
HK_DEFINE_ADD(hk_add_q5_1, HK_Q5_1)
HK_DEFINE_ADD(hk_add_q6_k, HK_Q6_K)
HK_DEFINE_ADD(hk_add_q8_0, HK_Q8_0)

// Fills vector `vector` of a panel; fewer rows than it has lanes are copied next to zeros, for reading on would leave
// the weights and perhaps the file.
HK_INLINE void hk_fill_rows(
    hk_format format, const uint8_t *step, size_t row_bytes, size_t rows, int blocks, int vector, const int vectors,
    hk_panel *panel) {
    uint8_t copies[HK_ROWS][HK_STEP_BLOCKS * sizeof(hk_q8_0)];
    if (rows < HK_ROWS) {
        const size_t bytes = (size_t)blocks * 32 / hk_block_values(format) * hk_block_bytes(format);
        memset(copies, 0, sizeof copies);
        for (size_t r = 0; r < rows; r++) memcpy(copies[r], step + r * row_bytes, bytes);
        step = copies[0];
        row_bytes = sizeof copies[0];
    }
    hk_fill_panel(format, step, row_bytes, blocks, vector, vectors, panel);
}

// Writes the sums of `rows` rows in `vectors` vectors.
HK_INLINE void hk_write_sums(const __m512 *sums, const int vectors, size_t rows, size_t tokens, float *y, size_t y_stride) {
    const uint64_t lanes = rows < 64 ? (1ull << rows) - 1 : ~0ull;
    for (size_t k = 0; k < tokens; k++, y += y_stride) {
        for (int v = 0; v < vectors; v++) {
            _mm512_mask_storeu_ps(y + v * HK_ROWS, (__mmask16)(lanes >> (v * HK_ROWS)), *sums++);
        }
    }
}

// A step of as many rows as a panel may have.
typedef struct {
    const uint8_t *weights;
    size_t row_bytes, rows;
    int blocks;
    const hk_activation_pair *x;
    __m512 *sums;
    float *y;  // after the last step the sums are written, else NULL
    size_t y_stride;
} hk_step;

// Makes the panel of a step.
HK_INLINE void hk_fill(hk_format format, const hk_step *step, const int vectors, hk_panel *panel) {
    for (int v = 0; v < vectors; v++) {
        const size_t first = (size_t)(v * HK_ROWS), rows = first < step->rows ? step->rows - first : 0;
        hk_fill_rows(
            format, step->weights + first * step->row_bytes, step->row_bytes, rows, step->blocks, v, vectors, panel);
    }
}

// Adds a step to its sums.
HK_INLINE void hk_add_step(hk_format format, const hk_step *step, size_t tokens, hk_fetch fetch) {
    hk_panel panel;
    const int vectors = step->rows > 2 * HK_ROWS ? HK_PANEL_VECTORS : step->rows > HK_ROWS ? 2 : 1;
    switch (vectors) {
    case 1: hk_fill(format, step, 1, &panel); break;
    case 2: hk_fill(format, step, 2, &panel); break;
    default: hk_fill(format, step, HK_PANEL_VECTORS, &panel); break;
    }
    // As even a share of the tokens for each pass as there can be.
    const size_t most = vectors == HK_PANEL_VECTORS ? HK_WIDE_PANEL_TOKENS : HK_PANEL_TOKENS;
    const size_t passes = (tokens + most - 1) / most;
    fetch.blocks = (int)passes * step->blocks;
    for (size_t pass = 0; pass < passes; pass++) {
        const size_t first = tokens * pass / passes, count = tokens * (pass + 1) / passes - first;
        __m512 *sums = step->sums + first * (size_t)vectors;
        const hk_step_task task = {
            &panel, step->blocks, step->x + first * HK_STEP_PAIRS, hk_starts_of(format), sums, &fetch};
        const hk_scaling scaling = hk_scaling_of(format);
        if (scaling.halves) hk_add_q6_k(&task, vectors, (int)count);
        else if (scaling.four_bits && scaling.minimum) hk_add_q4_1(&task, vectors, (int)count);
        else if (scaling.four_bits) hk_add_q4_0(&task, vectors, (int)count);
        else if (scaling.minimum) hk_add_q5_1(&task, vectors, (int)count);
        else hk_add_q8_0(&task, vectors, (int)count);
        // At once: the stores of one pass reach the memory while the next one multiplies.
        if (step->y) hk_write_sums(sums, vectors, step->rows, count, step->y + first * step->y_stride, step->y_stride);
    }
}

// Several tokens.
HK_INLINE void hk_multiply_many(hk_format format, const hk_tile *t, size_t row_count, size_t tokens) {
    const size_t step_bytes = HK_STEP / hk_block_values(format) * hk_block_bytes(format);
    const size_t next_rows = HK_SUM_ROWS * t->row_bytes;
    const size_t panel_rows = (tokens < HK_TOKENS_FOR_WIDE_PANELS ? 2 : HK_PANEL_VECTORS) * HK_ROWS;
    __m512 sums[HK_SUM_ROWS / HK_ROWS * HK_SUM_TOKENS];
    for (size_t row = 0; row < row_count; row += HK_SUM_ROWS) {
        const size_t left = row_count - row, held = left < HK_SUM_ROWS ? left : HK_SUM_ROWS;
        const size_t panels = (held + panel_rows - 1) / panel_rows;
        memset(sums, 0, panels * panel_rows / HK_ROWS * tokens * sizeof *sums);
        const uint8_t *step = t->weights + row * t->row_bytes;
        const hk_activation_pair *x = t->x;
        for (size_t c = 0; c < t->columns; c += HK_STEP, step += step_bytes, x += t->step_stride) {
            const bool last = c + HK_STEP >= t->columns;
            const int blocks = (int)(last ? (t->columns - c) / 32 : HK_STEP_BLOCKS);
            for (size_t first = 0; first < held; first += panel_rows) {
                const size_t rows = held - first < panel_rows ? held - first : panel_rows, place = first / panel_rows;
                const uint8_t *weights = step + first * t->row_bytes;
                float *y = last ? t->y + row + first : NULL;
                // The next step of these rows comes in while they and the other panels are worked on, or the first one of
                // the rows that follow. Where those end, nobody looks at what is fetched.
                hk_fetch fetch = {
                    .next = (uintptr_t)weights + (last ? next_rows - c / HK_STEP * step_bytes : step_bytes),
                    .row_bytes = t->row_bytes, .bytes = step_bytes, .rows = (int)rows};
                if (last) {
                    fetch.place = (uintptr_t)y;
                    fetch.place_stride = t->y_stride * sizeof *y;
                    fetch.place_bytes = rows * sizeof *y;
                } else {
                    // Each panel's share of the next step's pairs.
                    const size_t pair = HK_STEP_PAIRS * place / panels;
                    fetch.place = (uintptr_t)(x + t->step_stride + pair);
                    fetch.place_stride = HK_TOKEN_BYTES;
                    fetch.place_bytes = (HK_STEP_PAIRS * (place + 1) / panels - pair) * sizeof *x;
                }
                const hk_step task = {
                    weights, t->row_bytes, rows, blocks, x, sums + first / HK_ROWS * tokens, y, t->y_stride};
                hk_add_step(format, &task, tokens, fetch);
            }
        }
    }
}

// A run of rows times up to HK_SUM_TOKENS tokens.
HK_INLINE void hk_multiply_rows(hk_format format, const hk_tile *task, size_t row_count, size_t tokens) {
    hk_tile t = *task;
    if (tokens == 1) {
        for (; row_count >= HK_ROWS; row_count -= HK_ROWS, t.weights += HK_ROWS * t.row_bytes, t.y += HK_ROWS) {
            hk_multiply_one(format, t.weights, t.row_bytes, t.columns, t.x, t.step_stride, t.y);
        }
    }
    if (row_count > 0) hk_multiply_many(format, &t, row_count, tokens);
}

#define HK_DEFINE_MULTIPLY(name, format)                                                                              \
    static void name(const hk_tile *t, size_t rows, size_t tokens) {                                                  \
        hk_multiply_rows(format, t, rows, tokens);                                                                    \
    }

HK_DEFINE_MULTIPLY(hk_multiply_q4_0, HK_Q4_0)
HK_DEFINE_MULTIPLY(hk_multiply_q4_1, HK_Q4_1)
HK_DEFINE_MULTIPLY(hk_multiply_q5_0, HK_Q5_0)
HK_DEFINE_MULTIPLY(hk_multiply_q5_1, HK_Q5_1)
HK_DEFINE_MULTIPLY(hk_multiply_q8_0, HK_Q8_0)
HK_DEFINE_MULTIPLY(hk_multiply_q4_k, HK_Q4_K)
HK_DEFINE_MULTIPLY(hk_multiply_q5_k, HK_Q5_K)
HK_DEFINE_MULTIPLY(hk_multiply_q6_k, HK_Q6_K)

static void hk_multiply(
    hk_format format, const void *weights, size_t row_bytes, size_t rows, size_t columns, const void *x,
    size_t x_stride, size_t step_stride, size_t tokens, float *y, size_t y_stride) {
    const hk_tile task = {weights, row_bytes, columns, x, x_stride, step_stride, y, y_stride, 0};
    if (hk_multiply_dense(format, &task, rows, tokens) || hk_multiply_decoded(format, &task, rows, tokens)) return;
    // Tokens that do not lie as the panels' loops want them go one by one.
    const size_t most = x_stride == HK_STEP_PAIRS ? HK_SUM_TOKENS : 1;
    for (size_t token = 0; token < tokens; token += most) {
        const size_t some = tokens - token < most ? tokens - token : most;
        hk_tile tile = task;
        tile.x = (const hk_activation_pair *)x + token * x_stride;
        tile.y += token * y_stride;
        switch (format) {
        case HK_Q4_0: hk_multiply_q4_0(&tile, rows, some); break;
        case HK_Q4_1: hk_multiply_q4_1(&tile, rows, some); break;
        case HK_Q5_0: hk_multiply_q5_0(&tile, rows, some); break;
        case HK_Q5_1: hk_multiply_q5_1(&tile, rows, some); break;
        case HK_Q8_0: hk_multiply_q8_0(&tile, rows, some); break;
        case HK_Q4_K: hk_multiply_q4_k(&tile, rows, some); break;
        case HK_Q5_K: hk_multiply_q5_k(&tile, rows, some); break;
        case HK_Q6_K: hk_multiply_q6_k(&tile, rows, some); break;
        default: break;
        }
    }
}

#endif
