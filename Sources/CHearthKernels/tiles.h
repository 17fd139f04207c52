// How a product is cut into register tiles, for dense and quantized weights alike.
#ifndef HK_TILES_H
#define HK_TILES_H

#include "vector.h"

// Tokens whose activations stay in the second-level cache while all rows pass.
enum { HK_TOKEN_PANEL = 32 };

// One tile's work: `rows` x `tokens` results, both constant where this is inlined.
typedef struct {
    const uint8_t *weights;
    size_t row_bytes, columns;
    const void *x;
    size_t x_stride, step_stride;
    float *y;
    size_t y_stride;
    size_t ahead;  // bytes between a weight and the one that its prefetch names
    size_t spare;  // bytes after the last row that may be read
} hk_tile;

// Prefetching names addresses, which may lie past the last row; an integer sum keeps that well defined.
HK_INLINE void hk_prefetch(const uint8_t *weights, size_t ahead, size_t bytes) {
    for (size_t offset = 0; offset < bytes; offset += 64) {
        __builtin_prefetch((const void *)((uintptr_t)weights + ahead + offset), 0, 2);
    }
}

// Rows of one tile lie next to each other, so what is needed next is the same place in the next tile. Where that is
// too far ahead for the cache, the prefetch stays within the row.
HK_INLINE size_t hk_ahead(size_t row_bytes, size_t rows) {
    return row_bytes * rows <= 128 * 1024 ? row_bytes * rows : 4096;
}

// Calls TILE(rows, tokens, tile) so that every result is computed exactly once. TILE must be a macro or an inlined
// function; HK_TILE_ROWS x HK_TILE_TOKENS is what fits the registers with several tokens, HK_DECODE_ROWS x 1 with one.
#define HK_FOR_EACH_TILE(TILE, task, row_count, token_count, token_bytes)                                             \
    for (size_t panel = 0; panel < (token_count); panel += HK_TOKEN_PANEL) {                                          \
        const size_t panel_end = panel + HK_TOKEN_PANEL < (token_count) ? panel + HK_TOKEN_PANEL : (token_count);     \
        const size_t group = panel_end - panel > 1 ? HK_TILE_ROWS : HK_DECODE_ROWS;                                   \
        for (size_t row = 0; row < (row_count);) {                                                                    \
            const size_t rows = (row_count)-row >= group ? group : 1;                                                 \
            for (size_t token = panel; token < panel_end;) {                                                          \
                const size_t tokens = panel_end - token >= HK_TILE_TOKENS ? HK_TILE_TOKENS : 1;                       \
                hk_tile tile = (task);                                                                                \
                tile.weights += row * tile.row_bytes;                                                                 \
                tile.x = (const uint8_t *)tile.x + token * tile.x_stride * (token_bytes);                             \
                tile.y += token * tile.y_stride + row;                                                                \
                tile.ahead = hk_ahead(tile.row_bytes, rows);                                                          \
                if (rows == 1) {                                                                                      \
                    if (tokens == 1) TILE(1, 1, &tile);                                                               \
                    else TILE(1, HK_TILE_TOKENS, &tile);                                                              \
                } else if (tokens == 1) {                                                                             \
                    if (group == HK_DECODE_ROWS) TILE(HK_DECODE_ROWS, 1, &tile);                                      \
                    else TILE(HK_TILE_ROWS, 1, &tile);                                                                \
                } else {                                                                                              \
                    TILE(HK_TILE_ROWS, HK_TILE_TOKENS, &tile);                                                        \
                }                                                                                                     \
                token += tokens;                                                                                      \
            }                                                                                                         \
            row += rows;                                                                                              \
        }                                                                                                             \
    }

#endif
