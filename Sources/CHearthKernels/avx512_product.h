// Products of quantized weights with the activations of many tokens, of 16 or of 8 bits (`bytes`): rows are unpacked a panel
// at a time, and every token meets the panel.
#ifndef HK_AVX512_PRODUCT_H
#define HK_AVX512_PRODUCT_H

#include "avx512_add.h"
#include "decoded.h"
#include "dense.h"

// Tokens, and rows, whose sums are held while the rows are read to the end. A step's activations of so many tokens stay in
// the second-level cache and meet all of these rows before the next step's come.
enum { HK_SUM_TOKENS = 256, HK_SUM_ROWS = 128 };

// Fills vector `vector` of a panel; fewer rows than it has lanes are copied next to zeros, for reading on would leave
// the weights and perhaps the file.
HK_INLINE void hk_fill_rows(
    hk_format format, const bool bytes, const uint8_t *step, size_t row_bytes, size_t rows, int blocks, int vector,
    const int vectors, hk_panel *panel) {
    uint8_t copies[HK_ROWS][HK_STEP_BLOCKS * sizeof(hk_q8_0)];
    if (rows < HK_ROWS) {
        const size_t whole = (size_t)blocks * 32 / hk_block_values(format) * hk_block_bytes(format);
        memset(copies, 0, sizeof copies);
        for (size_t r = 0; r < rows; r++) memcpy(copies[r], step + r * row_bytes, whole);
        step = copies[0];
        row_bytes = sizeof copies[0];
    }
    hk_fill_panel(format, bytes, step, row_bytes, blocks, vector, vectors, panel);
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
    const uint8_t *x;
    __m512 *sums;
    float *y;  // after the last step the sums are written, else NULL
    size_t y_stride;
} hk_step;

// Makes the panel of a step.
HK_INLINE void hk_fill(hk_format format, const bool bytes, const hk_step *step, const int vectors, hk_panel *panel) {
    for (int v = 0; v < vectors; v++) {
        const size_t first = (size_t)(v * HK_ROWS), rows = first < step->rows ? step->rows - first : 0;
        hk_fill_rows(
            format, bytes, step->weights + first * step->row_bytes, step->row_bytes, rows, step->blocks, v, vectors, panel);
    }
}

// Adds a step to its sums.
HK_INLINE void hk_add_step(hk_format format, const bool bytes, const hk_step *step, size_t tokens, hk_fetch fetch) {
    hk_panel panel;
    const int vectors = step->rows > 2 * HK_ROWS ? HK_PANEL_VECTORS : step->rows > HK_ROWS ? 2 : 1;
    switch (vectors) {
    case 1: hk_fill(format, bytes, step, 1, &panel); break;
    case 2: hk_fill(format, bytes, step, 2, &panel); break;
    default: hk_fill(format, bytes, step, HK_PANEL_VECTORS, &panel); break;
    }
    // As even a share of the tokens for each pass as there can be.
    const size_t most = (size_t)hk_panel_tokens(format, bytes, vectors);
    const size_t passes = (tokens + most - 1) / most;
    fetch.blocks = (int)passes * step->blocks;
    for (size_t pass = 0; pass < passes; pass++) {
        const size_t first = tokens * pass / passes, count = tokens * (pass + 1) / passes - first;
        __m512 *sums = step->sums + first * (size_t)vectors;
        const hk_step_task task = {
            &panel, step->blocks, step->x + first * hk_token_bytes(bytes), hk_starts_of(format), sums, &fetch};
        hk_add_tokens(format, bytes, &task, vectors, (int)count);
        // At once: the stores of one pass reach the memory while the next one multiplies.
        if (step->y) hk_write_sums(sums, vectors, step->rows, count, step->y + first * step->y_stride, step->y_stride);
    }
}

// Several tokens.
HK_INLINE void hk_multiply_many(hk_format format, const bool bytes, const hk_tile *t, size_t row_count, size_t tokens) {
    const size_t step_bytes = HK_STEP / hk_block_values(format) * hk_block_bytes(format);
    const size_t next_rows = HK_SUM_ROWS * t->row_bytes;
    const size_t panel_rows = (tokens < HK_TOKENS_FOR_WIDE_PANELS ? 2 : HK_PANEL_VECTORS) * HK_ROWS;
    __m512 sums[HK_SUM_ROWS / HK_ROWS * HK_SUM_TOKENS];
    for (size_t row = 0; row < row_count; row += HK_SUM_ROWS) {
        const size_t left = row_count - row, held = left < HK_SUM_ROWS ? left : HK_SUM_ROWS;
        const size_t panels = (held + panel_rows - 1) / panel_rows;
        memset(sums, 0, panels * panel_rows / HK_ROWS * tokens * sizeof *sums);
        const uint8_t *step = t->weights + row * t->row_bytes;
        const uint8_t *x = t->x;
        for (size_t c = 0; c < t->columns; c += HK_STEP, step += step_bytes, x += t->step_stride * hk_pair_bytes(bytes)) {
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
                    fetch.place = (uintptr_t)(x + (t->step_stride + pair) * hk_pair_bytes(bytes));
                    fetch.place_stride = hk_token_bytes(bytes);
                    fetch.place_bytes = (HK_STEP_PAIRS * (place + 1) / panels - pair) * hk_pair_bytes(bytes);
                }
                const hk_step task = {
                    weights, t->row_bytes, rows, blocks, x, sums + first / HK_ROWS * tokens, y, t->y_stride};
                hk_add_step(format, bytes, &task, tokens, fetch);
            }
        }
    }
}

// A few tokens and 16 rows, with bytes.
HK_INLINE void hk_multiply_few(hk_format format, const hk_tile *task, size_t tokens) {
    hk_tile t = *task;
    const size_t passes = (tokens + HK_FEW_TOKENS - 1) / HK_FEW_TOKENS;
    for (size_t pass = 0; pass < passes; pass++) {
        const size_t first = tokens * pass / passes;
        t.x = hk_of_token(true, task->x, (int)first);
        t.y = task->y + first * task->y_stride;
        switch (tokens * (pass + 1) / passes - first) {
        case 2: hk_multiply_few_bytes(format, 2, &t); break;
        case 3: hk_multiply_few_bytes(format, 3, &t); break;
        case 4: hk_multiply_few_bytes(format, 4, &t); break;
        case 5: hk_multiply_few_bytes(format, 5, &t); break;
        case 6: hk_multiply_few_bytes(format, 6, &t); break;
        case 7: hk_multiply_few_bytes(format, 7, &t); break;
        default: hk_multiply_few_bytes(format, HK_FEW_TOKENS, &t); break;
        }
    }
}

// A run of rows times up to HK_SUM_TOKENS tokens.
HK_INLINE void hk_multiply_rows(hk_format format, const bool bytes, const hk_tile *task, size_t row_count, size_t tokens) {
    hk_tile t = *task;
    const bool few = bytes && hk_is_few(format, tokens);
    if (tokens == 1 || few) {
        for (; row_count >= HK_ROWS; row_count -= HK_ROWS, t.weights += HK_ROWS * t.row_bytes, t.y += HK_ROWS) {
            if (few) hk_multiply_few(format, &t, tokens);
            else if (bytes) hk_multiply_one_bytes(format, t.weights, t.row_bytes, t.columns, t.x, t.step_stride, t.y);
            else hk_multiply_one(format, t.weights, t.row_bytes, t.columns, t.x, t.step_stride, t.y);
        }
    }
    if (row_count > 0) hk_multiply_many(format, bytes, &t, row_count, tokens);
}

#define HK_DEFINE_MULTIPLY(name, format)                                                                              \
    static void hk_multiply_##name(const hk_tile *t, size_t rows, size_t tokens) {                                    \
        hk_multiply_rows(format, false, t, rows, tokens);                                                             \
    }                                                                                                                 \
    static void hk_bytes_##name(const hk_tile *t, size_t rows, size_t tokens) {                                       \
        hk_multiply_rows(format, true, t, rows, tokens);                                                              \
    }

HK_DEFINE_MULTIPLY(q4_0, HK_Q4_0)
HK_DEFINE_MULTIPLY(q4_1, HK_Q4_1)
HK_DEFINE_MULTIPLY(q5_0, HK_Q5_0)
HK_DEFINE_MULTIPLY(q5_1, HK_Q5_1)
HK_DEFINE_MULTIPLY(q8_0, HK_Q8_0)
HK_DEFINE_MULTIPLY(q4_k, HK_Q4_K)
HK_DEFINE_MULTIPLY(q5_k, HK_Q5_K)
HK_DEFINE_MULTIPLY(q6_k, HK_Q6_K)

// The formats that products read as they lie in the file, in runs of tokens.
HK_INLINE void hk_multiply_panels(hk_format format, const bool bytes, const hk_tile *task, size_t rows, size_t tokens) {
    // Tokens that do not lie as the panels' loops want them go one by one.
    const size_t most = task->x_stride == HK_STEP_PAIRS ? HK_SUM_TOKENS : 1;
    for (size_t token = 0; token < tokens; token += most) {
        const size_t some = tokens - token < most ? tokens - token : most;
        hk_tile tile = *task;
        tile.x = (const uint8_t *)task->x + token * task->x_stride * hk_pair_bytes(bytes);
        tile.y += token * task->y_stride;
#define HK_MULTIPLY(name) (bytes ? hk_bytes_##name(&tile, rows, some) : hk_multiply_##name(&tile, rows, some))
        switch (format) {
        case HK_Q4_0: HK_MULTIPLY(q4_0); break;
        case HK_Q4_1: HK_MULTIPLY(q4_1); break;
        case HK_Q5_0: HK_MULTIPLY(q5_0); break;
        case HK_Q5_1: HK_MULTIPLY(q5_1); break;
        case HK_Q8_0: HK_MULTIPLY(q8_0); break;
        case HK_Q4_K: HK_MULTIPLY(q4_k); break;
        case HK_Q5_K: HK_MULTIPLY(q5_k); break;
        case HK_Q6_K: HK_MULTIPLY(q6_k); break;
        default: break;
        }
#undef HK_MULTIPLY
    }
}

static void hk_multiply(
    hk_format format, const void *weights, size_t row_bytes, size_t rows, size_t columns, const void *x,
    size_t x_stride, size_t step_stride, size_t tokens, float *y, size_t y_stride) {
    const hk_tile task = {weights, row_bytes, columns, x, x_stride, step_stride, y, y_stride, 0, 0};
    if (hk_multiply_dense(format, &task, rows, tokens) || hk_multiply_decoded(format, &task, rows, tokens)) return;
    hk_multiply_panels(format, false, &task, rows, tokens);
}

static void hk_multiply_bytes(
    hk_format format, const void *weights, size_t row_bytes, size_t rows, size_t columns, const void *x,
    size_t x_stride, size_t step_stride, size_t tokens, float *y, size_t y_stride) {
    const hk_tile task = {weights, row_bytes, columns, x, x_stride, step_stride, y, y_stride, 0, 0};
    if (hk_multiply_dense(format, &task, rows, tokens)) return;
    if (hk_goes_decoded(format)) hk_multiply_decoded_bytes(format, &task, rows, tokens);
    else hk_multiply_panels(format, true, &task, rows, tokens);
}

#endif
