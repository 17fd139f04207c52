// Convolutions over blocked or plain input, cut into register tiles.
#ifndef HK_VISION_CONVOLUTION_H
#define HK_VISION_CONVOLUTION_H

#include "vision_winograd.h"

// Everything about the tiles of an image that does not depend on where they lie.
static hk_tile hk_convolution_tile(const hk_convolution *c, size_t image) {
    const hk_window *window = &c->window;
    const size_t plane = c->height * c->width, unit = c->plain ? 1 : HK_BLOCK;
    const size_t channels = c->plain ? c->channels : hk_blocks_of(c->channels) * HK_BLOCK;
    const size_t run = window->kernel_width < HK_MAX_RUN ? window->kernel_width : HK_MAX_RUN;
    hk_tile t = {
        .input = c->input + image * channels * plane,
        .group_step = plane * unit, .row_step = c->width * unit, .column_step = unit, .value_step = 1,
        .stride_x = window->stride_x, .height = c->height, .width = c->width,
        .kernel_height = window->kernel_height, .kernel_width = window->kernel_width,
        .dilation_y = window->dilation_y, .dilation_x = window->dilation_x,
        .groups = c->input_blocks,
        .run = c->plain && window->dilation_x == 1 ? run : 1,
        .values = unit, .last_group = SIZE_MAX, .last_values = unit,
        .tap_weights = unit * HK_BLOCK,
        .output_position = HK_BLOCK, .output_block = c->output_height * c->output_width * HK_BLOCK,
        .last_lanes = HK_BLOCK, .scale = 1,
        .epilogue = &c->epilogue,
        .clamp = hk_clamp_of(c->epilogue.function, c->epilogue.a, c->epilogue.b),
        .has_finish = hk_has_finish(&c->epilogue),
    };
    t.block_weights = c->input_blocks * window->kernel_height * window->kernel_width * t.tap_weights;
    return t;
}

// Output blocks from `block` on that read the same input blocks.
HK_INLINE size_t hk_same_inputs(const hk_convolution *c, size_t block, size_t end) {
    size_t count = 1;
    const size_t first = hk_first_input(c, block);
    while (block + count < end && hk_first_input(c, block + count) == first) count++;
    return count;
}

HK_INLINE hk_tile_input hk_tile_input_of(const hk_convolution *c) {
    const size_t stride = c->window.stride_x;
    if (!c->plain) return stride == 2 ? HK_TILE_WIDE_BLOCKS : HK_TILE_BLOCKS;
    return stride == 1 ? HK_TILE_ROW : stride == 2 ? HK_TILE_WIDE_ROW : HK_TILE_ANY_ROW;
}

// All positions of a part for `blocks` output blocks from `block` on, with some of the input.
static void hk_convolve_blocks(
    const hk_convolution *c, const hk_part *part, const hk_tile *task, size_t block, size_t blocks) {
    hk_tile t = *task;
    const hk_tile_input kind = hk_tile_input_of(c);
    const size_t plane = t.output_block;
    const size_t output_blocks = hk_blocks_of(c->output_channels);
    const hk_tile_kind *widest = hk_choose_tile(HK_MAX_POSITIONS, blocks);
    t.bias = c->epilogue.bias ? c->epilogue.bias + block * HK_BLOCK : NULL;
    for (size_t row = part->first_row; row < part->end_row; row++) {
        t.first_row = (ptrdiff_t)(row * c->window.stride_y) - (ptrdiff_t)c->window.top;
        for (size_t column = part->first_column; column < part->end_column;) {
            const size_t left = part->end_column - column;
            const hk_tile_kind *tile = left >= widest->positions ? widest : hk_choose_tile(left, blocks);
            const size_t at = (part->image * output_blocks + block) * plane + (row * c->output_width + column) * HK_BLOCK;
            t.first_column = (ptrdiff_t)(column * c->window.stride_x) - (ptrdiff_t)c->window.left;
            t.output = c->output + at;
            if (c->epilogue.residual && c->epilogue.residual_after) t.after_residual = c->epilogue.residual + at;
            else if (c->epilogue.residual && t.begins && t.ends) t.last_residual = c->epilogue.residual + at;
            else if (c->epilogue.residual) t.first_residual = c->epilogue.residual + at;
            tile->code[kind](&t);
            column += tile->positions;
        }
    }
}

// As many blocks at a time as have room in a panel, of which one needs `floats`.
HK_INLINE size_t hk_fitting_blocks(size_t blocks, size_t floats) {
    while (blocks > 1 && blocks * floats > HK_PANEL) blocks /= 2;
    return blocks;
}

// `panel` holds expanded weights, one chunk of the inputs at a time; NULL where there is nothing to expand. Which inputs
// are summed in which order does not depend on it.
HK_INLINE void hk_convolve_part(const hk_convolution *c, const hk_part *part, float *panel) {
    hk_tile t = hk_convolution_tile(c, part->image);
    const float *input = t.input;
    const size_t block_weights = t.block_weights;
    const size_t group_weights = block_weights / c->input_blocks;
    for (size_t block = part->first_block; block < part->end_block;) {
        const size_t same = hk_same_inputs(c, block, part->end_block);
        size_t blocks = hk_tile_blocks(same, part->end_column - part->first_column);
        if (panel) blocks = hk_fitting_blocks(blocks, c->input_chunk * group_weights);
        const size_t first = c->plain ? 0 : hk_first_input(c, block);
        const size_t last = hk_blocks_of(c->channels) - 1 - first;
        if (!c->plain) {
            // Lanes past the last channel may hold anything.
            t.last_group = last;
            t.last_values = c->channels - (hk_blocks_of(c->channels) - 1) * HK_BLOCK;
        }
        t.input = input + first * t.group_step;
        t.weights = panel ? panel : c->weights + block * block_weights;
        for (size_t group = 0; group < c->input_blocks; group += c->input_chunk) {
            const size_t left = c->input_blocks - group, count = left < c->input_chunk ? left : c->input_chunk;
            t.first_group = group;
            t.end_group = group + count;
            t.begins = group == 0;
            t.ends = t.end_group == c->input_blocks;
            if (panel) {
                // Groups count from the first of the chunk: the panel holds no others.
                t.block_weights = count * group_weights;
                for (size_t b = 0; b < blocks; b++) {
                    hk_expand(
                        c->coded, ((block + b) * block_weights + group * group_weights) / HK_BLOCK,
                        t.block_weights / HK_BLOCK, panel + b * t.block_weights);
                }
                t.input = input + (first + group) * t.group_step;
                t.first_group = 0;
                t.end_group = count;
                t.last_group = last >= group ? last - group : SIZE_MAX;
            }
            hk_convolve_blocks(c, part, &t, block, blocks);
        }
        block += blocks;
    }
}

static __attribute__((noinline)) void hk_convolve_coded(const hk_convolution *c, const hk_part *part) {
    _Alignas(64) float panel[HK_PANEL];
    hk_convolve_part(c, part, panel);
}

static void hk_convolve(const hk_convolution *c, const hk_part *part) {
    if (c->transformed_count) hk_convolve_winograd(c, part);
    else if (c->coded) hk_convolve_coded(c, part);
    else hk_convolve_part(c, part, NULL);
}

#endif
