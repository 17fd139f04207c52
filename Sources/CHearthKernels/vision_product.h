// Matrix products of plain rows, by the same tiles: a row is a position, 16 inner values are a tap.
#ifndef HK_VISION_PRODUCT_H
#define HK_VISION_PRODUCT_H

#include "vision_convolution.h"

// `panel` holds expanded weights, or NULL. `staged` holds the rows' inputs, 16 of each row next to those of the next row, as
// tiles read them fastest, or NULL.
HK_INLINE void hk_multiply_part(
    const hk_product *m, size_t first_row, size_t end_row, size_t first_block, size_t end_block, float *panel,
    const float *staged) {
    const size_t groups = hk_blocks_of(m->inner), output_blocks = hk_blocks_of(m->columns);
    hk_tile t = {
        .input = m->x,
        .group_step = HK_BLOCK * m->x_inner, .column_step = m->x_row, .value_step = m->x_inner,
        .stride_x = 1, .height = 1, .width = SIZE_MAX / 2,
        .kernel_height = 1, .kernel_width = 1, .dilation_y = 1, .dilation_x = 1,
        .end_group = groups, .groups = groups, .run = 1,
        .values = HK_BLOCK, .last_group = groups - 1, .last_values = m->inner - (groups - 1) * HK_BLOCK,
        .tap_weights = HK_BLOCK * HK_BLOCK, .block_weights = groups * HK_BLOCK * HK_BLOCK,
        .output_position = m->y_row, .output_block = HK_BLOCK,
        .begins = true, .ends = true, .scale = m->scale,
        .epilogue = &m->epilogue,
        .clamp = hk_clamp_of(m->epilogue.function, m->epilogue.a, m->epilogue.b),
        .has_finish = hk_has_finish(&m->epilogue),
    };
    if (staged) {
        t.input = staged;
        t.group_step = (end_row - first_row) * HK_BLOCK;
        t.column_step = HK_BLOCK;
        t.value_step = 1;
    }
    const float *residual = m->epilogue.residual;
    for (size_t block = first_block; block < end_block;) {
        size_t blocks = hk_tile_blocks(end_block - block, end_row - first_row);
        t.weights = panel ? panel : m->weights + block * t.block_weights;
        if (panel) {
            blocks = hk_fitting_blocks(blocks, t.block_weights);
            const size_t rows = t.block_weights / HK_BLOCK;
            hk_expand(m->coded, block * rows, blocks * rows, panel);
        }
        t.bias = m->epilogue.bias ? m->epilogue.bias + block * HK_BLOCK : NULL;
        t.last_lanes = block + blocks == output_blocks ? m->columns - (output_blocks - 1) * HK_BLOCK : HK_BLOCK;
        for (size_t row = first_row; row < end_row;) {
            const hk_tile_kind *tile = hk_choose_tile(end_row - row, blocks);
            const size_t at = row * m->y_row + block * HK_BLOCK;
            t.first_column = (ptrdiff_t)(staged ? row - first_row : row);
            t.output = m->y + at;
            if (residual) {
                t.last_residual = m->epilogue.residual_after ? NULL : residual + at;
                t.after_residual = m->epilogue.residual_after ? residual + at : NULL;
            }
            tile->code[0](&t);
            row += tile->positions;
        }
        block += blocks;
    }
}

static __attribute__((noinline)) void hk_multiply_coded(
    const hk_product *m, size_t first_row, size_t end_row, size_t first_block, size_t end_block) {
    _Alignas(64) float panel[HK_PANEL];
    hk_multiply_part(m, first_row, end_row, first_block, end_block, panel, NULL);
}

static __attribute__((noinline)) void hk_multiply_staged(
    const hk_product *m, size_t first_row, size_t end_row, size_t first_block, size_t end_block) {
    _Alignas(64) float staged[HK_PANEL];
    const size_t rows = end_row - first_row;
    for (size_t row = 0; row < rows; row++) {
        const float *x = m->x + (first_row + row) * m->x_row;
        for (size_t k = 0; k < m->inner; k += HK_BLOCK) {
            const size_t count = m->inner - k < HK_BLOCK ? m->inner - k : HK_BLOCK;
            float *to = staged + (k * rows + row * HK_BLOCK);
            if (m->x_inner == 1 && count == HK_BLOCK) {
                memcpy(to, x + k, HK_BLOCK * sizeof *to);
            } else {
                for (size_t i = 0; i < count; i++) to[i] = x[(k + i) * m->x_inner];
            }
        }
    }
    hk_multiply_part(m, first_row, end_row, first_block, end_block, NULL, staged);
}

static void hk_multiply_rows(
    const hk_product *m, size_t first_row, size_t end_row, size_t first_block, size_t end_block) {
    // Staged once instead of by each tile, where several tiles read them.
    const size_t rows = end_row - first_row, floats = hk_blocks_of(m->inner) * HK_BLOCK * rows;
    if (m->coded) hk_multiply_coded(m, first_row, end_row, first_block, end_block);
    else if (rows >= 4 && end_block - first_block >= 4 && floats <= HK_PANEL)
        hk_multiply_staged(m, first_row, end_row, first_block, end_block);
    else hk_multiply_part(m, first_row, end_row, first_block, end_block, NULL, NULL);
}

static void hk_pack_product(
    const float *w, size_t inner, size_t columns, size_t w_inner, size_t w_column, size_t from, size_t to,
    float *packed) {
    const size_t padded = hk_blocks_of(inner) * HK_BLOCK;
    for (size_t block = from; block < to; block++) {
        float *out = packed + block * padded * HK_BLOCK;
        const size_t lanes = columns - block * HK_BLOCK < HK_BLOCK ? columns - block * HK_BLOCK : HK_BLOCK;
        const float *start = w + block * HK_BLOCK * w_column;
        for (size_t k = 0; k < inner; k++, out += HK_BLOCK) {
            for (size_t lane = 0; lane < lanes; lane++) out[lane] = start[k * w_inner + lane * w_column];
            for (size_t lane = lanes; lane < HK_BLOCK; lane++) out[lane] = 0;
        }
        memset(out, 0, (padded - inner) * HK_BLOCK * sizeof *out);
    }
}

#endif
