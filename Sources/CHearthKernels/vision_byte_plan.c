// Parts of convolutions of codes, and packing of their weights: the same for every set.
#include <string.h>

#include "hearth_byte_kernels.h"
#include "sizes.h"

enum {
    PART_INPUT = 512 << 10,       // bytes that a part reads: half of a second-level cache
    MOST_PRODUCTS = 24 << 20,     // of one part: what takes as long as a quarter of it in floats
    LEAST_PRODUCTS = 1 << 20,
    LEAST_PARTS = 16,
    ROW_TILE = 14,  // positions of the widest tile
    TOGETHER = 4,   // the most blocks that a tile takes
};

static bool has_border(const hk_codes *codes) {
    return codes->top || codes->left || codes->bottom || codes->right;
}

static void flatten(hk_codes *codes) {
    codes->width *= codes->height;
    codes->height = 1;
}

size_t hk_codes_image(const hk_codes *codes) {
    return (codes->top + codes->height + codes->bottom) * (codes->left + codes->width + codes->right)
        * codes->channels;
}

static size_t fours(size_t channels) {
    return divided_up(channels, 4) * 4;
}

// The channels of the groups that an output block belongs to.
static void group_inputs(const hk_byte_convolution *c, size_t block, size_t *first, size_t *end) {
    const size_t inputs = c->input_channels / c->groups, outputs = c->output_channels / c->groups;
    const size_t last = smaller((block + 1) * HK_BLOCK, c->output_channels) - 1;
    *first = block * HK_BLOCK / outputs * inputs;
    *end = (last / outputs + 1) * inputs;
}

// Input channels of every block: those of the block that needs most.
static size_t block_inputs(const hk_byte_convolution *c) {
    if (c->groups == 1) return fours(c->input_channels);
    size_t most = 4;
    for (size_t block = 0; block < divided_up(c->output_channels, HK_BLOCK); block++) {
        size_t first, end;
        group_inputs(c, block, &first, &end);
        most = larger(most, fours(end) - first / 4 * 4);
    }
    return most;
}

size_t hk_first_block_input(const hk_byte_convolution *c, size_t block) {
    if (c->groups == 1) return 0;
    size_t first, end;
    group_inputs(c, block, &first, &end);
    // None past the channels in memory are read.
    return smaller(first / 4 * 4, fours(c->input_channels) - c->block_inputs);
}

size_t hk_plan_byte_convolution(hk_byte_convolution *c, size_t images, hk_part *parts, size_t capacity) {
    const hk_window *w = &c->window;
    const size_t taps = w->kernel_height * w->kernel_width;
    c->block_inputs = block_inputs(c);
    if (taps == 1 && w->stride_x == 1 && w->stride_y == 1 && !has_border(&c->input) && !has_border(&c->codes)) {
        flatten(&c->input);
        flatten(&c->codes);
        c->output_width *= c->output_height;
        c->output_height = 1;
    }
    const size_t blocks = divided_up(c->output_channels, HK_BLOCK), inputs = c->depthwise ? HK_BLOCK : c->block_inputs;
    const bool is_row = c->output_height == 1;
    const size_t lines = is_row ? divided_up(c->output_width, ROW_TILE) : c->output_height;
    const size_t line = is_row ? smaller(ROW_TILE, c->output_width) : c->output_width;
    // A depthwise product takes about eight times as long as another one.
    const double line_products = (double)(line * taps * inputs) * (double)(blocks * HK_BLOCK) / (c->depthwise ? 2 : 1);
    const double total = (double)lines * line_products;
    double goal = total / LEAST_PARTS;
    goal = goal < LEAST_PRODUCTS ? LEAST_PRODUCTS : goal > MOST_PRODUCTS ? MOST_PRODUCTS : goal;
    const size_t line_input = line * w->stride_x * w->stride_y * c->input.channels;
    const size_t weights = blocks * HK_BLOCK * taps * inputs;
    size_t line_parts = divided_up(lines * line_input, PART_INPUT);
    // Many weights are better shared out than read by every part.
    if (weights <= PART_INPUT || c->depthwise) line_parts = larger(line_parts, (size_t)(total / goal));
    const size_t step = divided_up(lines, larger(1, smaller(line_parts, lines)));
    const size_t groups = divided_up(blocks, TOGETHER);
    const size_t wanted = (size_t)(total / (double)divided_up(lines, step) / goal + 0.5);
    const size_t block_step = divided_up(groups, larger(1, smaller(wanted, groups))) * TOGETHER;
    const size_t row_step = is_row ? 1 : step, column_step = is_row ? step * ROW_TILE : c->output_width;
    size_t count = 0;
    for (size_t image = 0; image < images; image++) {
        for (size_t row = 0; row < c->output_height; row += row_step) {
            for (size_t column = 0; column < c->output_width; column += column_step) {
                for (size_t block = 0; block < blocks; block += block_step, count++) {
                    if (count >= capacity) continue;
                    parts[count] = (hk_part){
                        image, block, smaller(block + block_step, blocks), row,
                        smaller(row + row_step, c->output_height), column,
                        smaller(column + column_step, c->output_width)};
                }
            }
        }
    }
    return count;
}

size_t hk_packed_bytes(const hk_byte_convolution *c) {
    const size_t taps = c->window.kernel_height * c->window.kernel_width;
    return divided_up(c->output_channels, HK_BLOCK) * HK_BLOCK * taps * (c->depthwise ? 1 : block_inputs(c));
}

void hk_pack_bytes(const hk_byte_convolution *convolution, const int8_t *weights, int8_t *packed) {
    hk_byte_convolution c = *convolution;
    c.block_inputs = block_inputs(&c);
    const size_t taps = c.window.kernel_height * c.window.kernel_width, blocks = divided_up(c.output_channels, HK_BLOCK);
    const size_t quads = c.depthwise ? 1 : c.block_inputs / 4, inputs = c.depthwise ? 1 : 4;
    const size_t channels = c.depthwise ? 1 : c.input_channels / c.groups, outputs = c.output_channels / c.groups;
    for (size_t block = 0; block < blocks; block++) {
        const size_t first = c.depthwise ? 0 : hk_first_block_input(&c, block);
        for (size_t tap = 0; tap < taps; tap++) {
            for (size_t quad = 0; quad < quads; quad++) {
                for (size_t lane = 0; lane < HK_BLOCK; lane++) {
                    for (size_t i = 0; i < inputs; i++) {
                        const size_t output = block * HK_BLOCK + lane;
                        // Of the output's group; a large number for those of earlier groups.
                        const size_t channel = first + quad * 4 + i - (c.groups == 1 ? 0 : output / outputs * channels);
                        const bool is_there = output < c.output_channels && channel < channels;
                        *packed++ = is_there ? weights[(output * channels + channel) * taps + tap] : 0;
                    }
                }
            }
        }
    }
}
