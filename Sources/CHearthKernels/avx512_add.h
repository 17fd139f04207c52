// A panel of weights times some tokens, with activations of 16 or of 8 bits (`bytes`), added to their sums.
#ifndef HK_AVX512_ADD_H
#define HK_AVX512_ADD_H

#include "avx512_bytes.h"

// Tokens that meet a panel at once, so many that their integer sums with its two vectors of rows fill the registers; and the
// same for a panel of four. That one takes fewer loads and instructions for the same products and reads activations half
// as often, but is slower made: it is for prompts.
enum { HK_PANEL_TOKENS = 8, HK_WIDE_PANEL_TOKENS = 6, HK_TOKENS_FOR_WIDE_PANELS = 48 };

// With bytes, whose sums take part in every block, half as many floats as there are integers would go through memory each
// time, and processors store one vector in two cycles at most: both fit the registers with these.
enum { HK_BYTE_PANEL_TOKENS = 6, HK_WIDE_BYTE_PANEL_TOKENS = 3 };

// Most tokens that meet a panel of `vectors` vectors at once.
HK_INLINE int hk_panel_tokens(hk_format format, const bool bytes, int vectors) {
    // The products of two halves fill the registers by themselves.
    const bool sums = bytes && format != HK_Q6_K;
    if (vectors == HK_PANEL_VECTORS) return sums ? HK_WIDE_BYTE_PANEL_TOKENS : HK_WIDE_PANEL_TOKENS;
    return sums ? HK_BYTE_PANEL_TOKENS : HK_PANEL_TOKENS;
}

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
    const void *x;  // of the first token, at the panel's first block; the next token's lie hk_token_bytes further
    size_t starts;
    __m512 *sums;  // [token][vector]
    hk_fetch *fetch;
} hk_step_task;

HK_INLINE size_t hk_pair_bytes(const bool bytes) {
    return bytes ? HK_BYTES_PAIR : sizeof(hk_activation_pair);
}

// Bytes from one token's activations to the next.
HK_INLINE size_t hk_token_bytes(const bool bytes) {
    return HK_STEP_PAIRS * hk_pair_bytes(bytes);
}

HK_INLINE const void *hk_of_token(const bool bytes, const void *first, int token) {
    return (const uint8_t *)first + (size_t)token * hk_token_bytes(bytes);
}

// Words of a group that are met in one turn of the innermost loop. All 16 in a row would be too long for what keeps
// instructions decoded, which two threads of a core share.
enum { HK_TURN = 4 };

// The products of one group of `count` vectors of a panel, which `weights` and the first token's activations `a` begin with, each
// of four bytes a lane. `products` has what they start from, and gets the sums.
HK_INLINE void hk_group_products(
    const bool bytes, const __m512i *weights, const int vectors, const int tokens, const int count, const uint8_t *a,
    __m512i (*products)[HK_PANEL_VECTORS]) {
    // One accumulator waits for itself: with few tokens there are several each.
    const int chains = vectors * tokens >= 10 ? 1 : vectors * tokens >= 4 ? 2 : 4;
    __m512i sums[4][HK_PANEL_TOKENS][HK_PANEL_VECTORS];
    HK_UNROLL for (int k = 0; k < tokens; k++) {
        HK_UNROLL for (int v = 0; v < vectors; v++) {
            sums[0][k][v] = products[k][v];
            HK_UNROLL for (int c = 1; c < chains; c++) sums[c][k][v] = _mm512_setzero_si512();
        }
    }
    _Pragma("clang loop unroll(disable)") for (int i = 0; i < count; i += HK_TURN) {
        // Each in one register: other tokens' activations lie at fixed distances.
        __asm__("" : "+r"(weights), "+r"(a));
        HK_UNROLL for (int j = 0; j < HK_TURN; j++) {
            const int c = j % chains;
            __m512i here[HK_PANEL_VECTORS];
            HK_UNROLL for (int v = 0; v < vectors; v++) here[v] = weights[j * vectors + v];
            HK_UNROLL for (int k = 0; k < tokens; k++) {
                const void *four = hk_of_token(bytes, a + 4 * j, k);
                // Loads and instructions are both scarce: with two vectors, one token in four is loaded twice to save
                // an instruction.
                if (vectors == 1 || (vectors == 2 && k % 4 == 3)) {
                    HK_UNROLL for (int v = 0; v < vectors; v++) {
                        sums[c][k][v] = bytes ? hk_dot_bytes_of_memory(sums[c][k][v], here[v], four)
                                              : hk_dot_words_of_memory(sums[c][k][v], here[v], four);
                    }
                } else {
                    const __m512i spread = hk_broadcast(four);
                    HK_UNROLL for (int v = 0; v < vectors; v++) {
                        sums[c][k][v] = bytes ? hk_dot_bytes(sums[c][k][v], here[v], spread)
                                              : hk_dot_words(sums[c][k][v], here[v], spread);
                    }
                }
            }
        }
        weights += HK_TURN * vectors;
        a += 4 * HK_TURN;
    }
    HK_UNROLL for (int k = 0; k < tokens; k++) {
        HK_UNROLL for (int v = 0; v < vectors; v++) {
            products[k][v] = sums[0][k][v];
            HK_UNROLL for (int c = 1; c < chains; c++) products[k][v] = _mm512_add_epi32(products[k][v], sums[c][k][v]);
        }
    }
}

// The products of one group of `count` words with 16-bit activations, scaled and added to the parts.
HK_INLINE void hk_add_group(
    const __m512i *weights, const int vectors, const int tokens, const int count, const bool four_bits,
    const __m512 *scales, const int16_t *a, const int32_t *starts, __m512 (*parts)[HK_PANEL_VECTORS]) {
    __m512i products[HK_PANEL_TOKENS][HK_PANEL_VECTORS];
    HK_UNROLL for (int k = 0; k < tokens; k++) {
        const __m512i start = hk_broadcast(hk_of_token(false, starts, k));
        HK_UNROLL for (int v = 0; v < vectors; v++) products[k][v] = start;
    }
    hk_group_products(false, weights, vectors, tokens, count, (const uint8_t *)a, products);
    HK_UNROLL for (int k = 0; k < tokens; k++) {
        HK_UNROLL for (int v = 0; v < vectors; v++) parts[k][v] = hk_scaled(four_bits, products[k][v], scales[v], parts[k][v]);
    }
}

// A step of a panel with bytes: block after block, as one token goes.
HK_INLINE void hk_add_byte_panel(hk_format format, const int vectors, const int tokens, const hk_step_task *task) {
    const hk_step_task t = *task;
    hk_fetch fetch = *t.fetch;
    const bool halves = format == HK_Q6_K;
    __m512 sums[HK_PANEL_TOKENS][HK_PANEL_VECTORS];
    HK_UNROLL for (int k = 0; k < tokens; k++) {
        HK_UNROLL for (int v = 0; v < vectors; v++) sums[k][v] = t.sums[k * vectors + v];
    }
    _Pragma("clang loop unroll(disable)") for (int b = 0; b < t.blocks; b++) {
        hk_fetch_some(&fetch, b < tokens);
        const __m512i *weights = t.panel->words + 8 * b * vectors;
        const hk_activation_bytes *x = t.x;
        const __m512 *scales = t.panel->scales + (halves ? 2 : 1) * b * vectors;
        __m512 scaled[HK_PANEL_TOKENS][HK_PANEL_VECTORS];
        HK_UNROLL for (int half = 0; half < (halves ? 2 : 1); half++) {
            __m512i products[HK_PANEL_TOKENS][HK_PANEL_VECTORS];
            HK_UNROLL for (int k = 0; k < tokens; k++) {
                const __m512i start = hk_byte_start(format, hk_of_token(true, x, k), b, half);
                HK_UNROLL for (int v = 0; v < vectors; v++) products[k][v] = start;
            }
            hk_group_products(
                true, weights + 4 * half * vectors, vectors, tokens, halves ? 4 : 8,
                (const uint8_t *)x->values + 32 * b + 16 * half, products);
            HK_UNROLL for (int k = 0; k < tokens; k++) {
                HK_UNROLL for (int v = 0; v < vectors; v++) {
                    scaled[k][v] = hk_byte_scaled(half, products[k][v], scales[half * vectors + v], scaled[k][v]);
                }
            }
        }
        HK_UNROLL for (int k = 0; k < tokens; k++) {
            const hk_activation_bytes *of_token = hk_of_token(true, x, k);
            const __m512 scale = _mm512_set1_ps(of_token->scales[b]);
            HK_UNROLL for (int v = 0; v < vectors; v++) {
                sums[k][v] = _mm512_fmadd_ps(scaled[k][v], scale, sums[k][v]);
                if (!hk_has_minimum(format)) continue;
                sums[k][v] = hk_byte_minimum(t.panel->minimums[b * vectors + v], of_token, b, sums[k][v]);
            }
        }
    }
    HK_UNROLL for (int k = 0; k < tokens; k++) {
        HK_UNROLL for (int v = 0; v < vectors; v++) t.sums[k * vectors + v] = sums[k][v];
    }
    *t.fetch = fetch;
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
        const hk_activation_pair *pair = (const hk_activation_pair *)t.x + b / 2;
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
                const __m512 total = _mm512_set1_ps(*(const float *)hk_of_token(false, pair->totals + b % 2, k));
                HK_UNROLL for (int v = 0; v < vectors; v++) {
                    parts[k][v] = _mm512_fmadd_ps(t.panel->minimums[b * vectors + v], total, parts[k][v]);
                }
            }
        }
    }
    HK_UNROLL for (int k = 0; k < tokens; k++) {
        const __m512 scale = _mm512_set1_ps(*(const float *)hk_of_token(false, &((const hk_activation_pair *)t.x)->scale, k));
        HK_UNROLL for (int v = 0; v < vectors; v++) {
            t.sums[k * vectors + v] = _mm512_fmadd_ps(parts[k][v], scale, t.sums[k * vectors + v]);
        }
    }
    *t.fetch = fetch;
}

// `format`: one of those that are scaled this way; it tells how many tokens a panel of four vectors meets, or one fewer.
#define HK_DEFINE_ADD(name, add, format, bytes)                                                                       \
    HK_INLINE void name##_tokens(const hk_step_task *t, const int vectors, int tokens) {                              \
        switch (tokens) {                                                                                             \
        case 1: add(vectors, 1); break;                                                                               \
        case 2: add(vectors, 2); break;                                                                               \
        case 3: add(vectors, 3); break;                                                                               \
        case 4: add(vectors, 4); break;                                                                               \
        case 5: add(vectors, 5); break;                                                                               \
        case 6: add(vectors, 6); break;                                                                               \
        case 7: add(vectors, 7); break;                                                                               \
        default: add(vectors, 8); break;                                                                              \
        }                                                                                                             \
    }                                                                                                                 \
    static void name(const hk_step_task *t, int vectors, int tokens) {                                                \
        if (vectors == 1) name##_tokens(t, 1, tokens);                                                                \
        else if (vectors == 2) name##_tokens(t, 2, tokens);                                                           \
        else if (tokens == hk_panel_tokens(format, bytes, HK_PANEL_VECTORS))                                          \
            add(HK_PANEL_VECTORS, hk_panel_tokens(format, bytes, HK_PANEL_VECTORS));                                  \
        else                                                                                                          \
            add(HK_PANEL_VECTORS, hk_panel_tokens(format, bytes, HK_PANEL_VECTORS) - 1);                              \
    }

// One for each way to scale, named after a format that has it.
#define HK_ADD_Q4_0(vectors, tokens) hk_add_panel(hk_scaling_of(HK_Q4_0), vectors, tokens, t)
#define HK_ADD_Q4_1(vectors, tokens) hk_add_panel(hk_scaling_of(HK_Q4_1), vectors, tokens, t)
#define HK_ADD_Q5_1(vectors, tokens) hk_add_panel(hk_scaling_of(HK_Q5_1), vectors, tokens, t)
#define HK_ADD_Q6_K(vectors, tokens) hk_add_panel(hk_scaling_of(HK_Q6_K), vectors, tokens, t)
#define HK_ADD_Q8_0(vectors, tokens) hk_add_panel(hk_scaling_of(HK_Q8_0), vectors, tokens, t)
HK_DEFINE_ADD(hk_add_q4_0, HK_ADD_Q4_0, HK_Q4_0, false)
HK_DEFINE_ADD(hk_add_q4_1, HK_ADD_Q4_1, HK_Q4_1, false)
HK_DEFINE_ADD(hk_add_q5_1, HK_ADD_Q5_1, HK_Q5_1, false)
HK_DEFINE_ADD(hk_add_q6_k, HK_ADD_Q6_K, HK_Q6_K, false)
HK_DEFINE_ADD(hk_add_q8_0, HK_ADD_Q8_0, HK_Q8_0, false)

// Bytes: one for each offset, and one with minimums.
#define HK_ADD_BYTES_Q4_0(vectors, tokens) hk_add_byte_panel(HK_Q4_0, vectors, tokens, t)
#define HK_ADD_BYTES_Q5_0(vectors, tokens) hk_add_byte_panel(HK_Q5_0, vectors, tokens, t)
#define HK_ADD_BYTES_Q5_1(vectors, tokens) hk_add_byte_panel(HK_Q5_1, vectors, tokens, t)
#define HK_ADD_BYTES_Q6_K(vectors, tokens) hk_add_byte_panel(HK_Q6_K, vectors, tokens, t)
#define HK_ADD_BYTES_Q8_0(vectors, tokens) hk_add_byte_panel(HK_Q8_0, vectors, tokens, t)
HK_DEFINE_ADD(hk_add_bytes_q4_0, HK_ADD_BYTES_Q4_0, HK_Q4_0, true)
HK_DEFINE_ADD(hk_add_bytes_q5_0, HK_ADD_BYTES_Q5_0, HK_Q5_0, true)
HK_DEFINE_ADD(hk_add_bytes_q5_1, HK_ADD_BYTES_Q5_1, HK_Q5_1, true)
HK_DEFINE_ADD(hk_add_bytes_q6_k, HK_ADD_BYTES_Q6_K, HK_Q6_K, true)
HK_DEFINE_ADD(hk_add_bytes_q8_0, HK_ADD_BYTES_Q8_0, HK_Q8_0, true)

HK_INLINE void hk_add_tokens(hk_format format, const bool bytes, const hk_step_task *task, int vectors, int tokens) {
    const hk_scaling scaling = hk_scaling_of(format);
    if (bytes) {
        if (scaling.halves) hk_add_bytes_q6_k(task, vectors, tokens);
        else if (scaling.minimum) hk_add_bytes_q5_1(task, vectors, tokens);
        else if (format == HK_Q4_0) hk_add_bytes_q4_0(task, vectors, tokens);
        else if (format == HK_Q5_0) hk_add_bytes_q5_0(task, vectors, tokens);
        else hk_add_bytes_q8_0(task, vectors, tokens);
    } else if (scaling.halves) {
        hk_add_q6_k(task, vectors, tokens);
    } else if (scaling.four_bits) {
        if (scaling.minimum) hk_add_q4_1(task, vectors, tokens);
        else hk_add_q4_0(task, vectors, tokens);
    } else {
        if (scaling.minimum) hk_add_q5_1(task, vectors, tokens);
        else hk_add_q8_0(task, vectors, tokens);
    }
}

#endif
