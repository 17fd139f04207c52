// 3 × 3 convolutions with stride 1 by Winograd's F(2 × 2, 3 × 3): 16 products for four results, where the plain sums have 36.
// Inputs in tiles of 4 × 4, which overlap by two, and weights are transformed by additions, multiplied place by place, and
// the sums transformed back (Lavin and Gray, 2015). A result depends on the inputs of its own window alone, as in the plain
// sums. Weights are transformed anew in each run, by `transform_weights`: stored so, they would take 16/9 of the memory.
#ifndef HK_VISION_WINOGRAD_H
#define HK_VISION_WINOGRAD_H

#include "vision_expand.h"
#include "vision_tile.h"

HK_INLINE size_t hk_blocks_of(size_t channels) {
    return (channels + HK_BLOCK - 1) / HK_BLOCK;
}

// Blocks of inputs that one thread holds at a time.
enum { HK_WINOGRAD_INPUTS = 4 };

typedef struct {
    _Alignas(64) float inputs[HK_WINOGRAD_PLACES * HK_WINOGRAD_INPUTS * HK_WINOGRAD_TILES * HK_BLOCK];
    _Alignas(64) float sums[HK_WINOGRAD_OUTPUTS * HK_WINOGRAD_PLACES * HK_WINOGRAD_TILES * HK_BLOCK];
} hk_winograd_room;

// Some tiles of a part, line by line. The rows and columns of a tile are as far apart as the taps of the window, so that lines
// interleave: as many as the dilation begin at neighbouring rows.
typedef struct {
    size_t first_row, first_column, across;  // results of the part; tiles in one of its lines
    size_t dilation_y, dilation_x;
    size_t first, count;
} hk_winograd_tiles;

HK_INLINE size_t hk_winograd_row(const hk_winograd_tiles *tiles, size_t tile) {
    const size_t line = (tiles->first + tile) / tiles->across, dilation = tiles->dilation_y;
    return tiles->first_row + line / dilation * 2 * dilation + line % dilation;
}

HK_INLINE size_t hk_winograd_column(const hk_winograd_tiles *tiles, size_t tile) {
    const size_t place = (tiles->first + tile) % tiles->across, dilation = tiles->dilation_x;
    return tiles->first_column + place / dilation * 2 * dilation + place % dilation;
}

HK_INLINE hk_lanes hk_subtract_block(hk_lanes a, hk_lanes b) {
    HK_UNROLL for (int k = 0; k < HK_PARTS; k++) a.part[k] -= b.part[k];
    return a;
}

HK_INLINE hk_lanes hk_half_block(hk_lanes a) {
    HK_UNROLL for (int k = 0; k < HK_PARTS; k++) a.part[k] *= 0.5f;
    return a;
}

HK_INLINE void hk_winograd_input_line(const hk_lanes d[4], hk_lanes t[4]) {
    t[0] = hk_subtract_block(d[0], d[2]);
    t[1] = hk_add_block(d[1], d[2]);
    t[2] = hk_subtract_block(d[2], d[1]);
    t[3] = hk_subtract_block(d[1], d[3]);
}

// One tile of a block: 16 places, `step` floats apart. `rows` are where its four rows begin, whose values are `apart`.
HK_INLINE void hk_winograd_input(const float *const rows[4], size_t apart, float *to, size_t step) {
    hk_lanes lines[4][4];
    HK_UNROLL for (size_t x = 0; x < 4; x++) {
        hk_lanes d[4], t[4];
        HK_UNROLL for (size_t y = 0; y < 4; y++) d[y] = hk_load_block(rows[y] + x * apart);
        hk_winograd_input_line(d, t);
        HK_UNROLL for (size_t y = 0; y < 4; y++) lines[y][x] = t[y];
    }
    HK_UNROLL for (size_t y = 0; y < 4; y++) {
        hk_lanes t[4];
        hk_winograd_input_line(lines[y], t);
        HK_UNROLL for (size_t x = 0; x < 4; x++) hk_store_block(to + (y * 4 + x) * step, t[x]);
    }
}

// Tiles of `blocks` blocks of an image, to [place][block][tile][16].
static __attribute__((noinline)) void hk_winograd_inputs(
    const hk_convolution *c, const hk_winograd_tiles *tiles, const float *input, size_t blocks, float *to) {
    const size_t plane = c->height * c->width * HK_BLOCK, step = blocks * tiles->count * HK_BLOCK;
    for (size_t tile = 0; tile < tiles->count; tile++) {
        const ptrdiff_t top = (ptrdiff_t)hk_winograd_row(tiles, tile) - (ptrdiff_t)c->window.top;
        const ptrdiff_t left = (ptrdiff_t)hk_winograd_column(tiles, tile) - (ptrdiff_t)c->window.left;
        const bool inside = top >= 0 && left >= 0 && (size_t)top + 3 * tiles->dilation_y < c->height
            && (size_t)left + 3 * tiles->dilation_x < c->width;
        for (size_t block = 0; block < blocks; block++) {
            const float *image = input + block * plane;
            float *places = to + (block * tiles->count + tile) * HK_BLOCK;
            const float *rows[4];
            if (inside) {
                for (size_t y = 0; y < 4; y++) {
                    const size_t row = (size_t)top + y * tiles->dilation_y;
                    rows[y] = image + (row * c->width + (size_t)left) * HK_BLOCK;
                }
                hk_winograd_input(rows, tiles->dilation_x * HK_BLOCK, places, step);
                continue;
            }
            _Alignas(64) float border[4 * 4 * HK_BLOCK] = {0};
            for (size_t y = 0; y < 4; y++) {
                rows[y] = border + y * 4 * HK_BLOCK;
                const ptrdiff_t row = top + (ptrdiff_t)(y * tiles->dilation_y);
                if (row < 0 || (size_t)row >= c->height) continue;
                for (size_t x = 0; x < 4; x++) {
                    const ptrdiff_t column = left + (ptrdiff_t)(x * tiles->dilation_x);
                    if (column < 0 || (size_t)column >= c->width) continue;
                    memcpy(
                        border + (y * 4 + x) * HK_BLOCK,
                        image + ((size_t)row * c->width + (size_t)column) * HK_BLOCK, HK_BLOCK * sizeof(float));
                }
            }
            hk_winograd_input(rows, HK_BLOCK, places, step);
        }
    }
}

HK_INLINE void hk_winograd_weight_line(const hk_lanes g[3], hk_lanes t[4]) {
    const hk_lanes ends = hk_add_block(g[0], g[2]);
    t[0] = g[0];
    t[1] = hk_half_block(hk_add_block(ends, g[1]));
    t[2] = hk_half_block(hk_subtract_block(ends, g[1]));
    t[3] = g[2];
}

// Weights of some blocks of outputs, from [output block][input block][3][3][16][16] to [output block][place][input block][16][16].
static void hk_transform_weights(const hk_convolution *c, size_t first_block, size_t end_block, float *transformed) {
    enum { TAP = HK_BLOCK * HK_BLOCK };
    const size_t inputs = c->input_blocks, step = inputs * TAP;
    _Alignas(64) float panel[9 * TAP];
    for (size_t at = first_block * inputs; at < end_block * inputs; at++) {
        if (c->coded) hk_expand(c->coded, at * 9 * HK_BLOCK, 9 * HK_BLOCK, panel);
        const float *taps = c->coded ? panel : c->weights + at * 9 * TAP;
        float *places = transformed + at / inputs * HK_WINOGRAD_PLACES * step + at % inputs * TAP;
        for (size_t lane = 0; lane < TAP; lane += HK_BLOCK) {
            hk_lanes lines[4][3];
            HK_UNROLL for (size_t x = 0; x < 3; x++) {
                hk_lanes g[3], t[4];
                HK_UNROLL for (size_t y = 0; y < 3; y++) g[y] = hk_load_block(taps + (y * 3 + x) * TAP + lane);
                hk_winograd_weight_line(g, t);
                HK_UNROLL for (size_t y = 0; y < 4; y++) lines[y][x] = t[y];
            }
            HK_UNROLL for (size_t y = 0; y < 4; y++) {
                hk_lanes t[4];
                hk_winograd_weight_line(lines[y], t);
                HK_UNROLL for (size_t x = 0; x < 4; x++) hk_store_block(places + (y * 4 + x) * step + lane, t[x]);
            }
        }
    }
}

HK_INLINE void hk_winograd_output_line(const hk_lanes m[4], hk_lanes t[2]) {
    t[0] = hk_add_block(hk_add_block(m[0], m[1]), m[2]);
    t[1] = hk_subtract_block(hk_subtract_block(m[1], m[2]), m[3]);
}

// Results of one block of outputs from its sums, [place][tile][16]. `at` is the block's first result.
static __attribute__((noinline)) void hk_winograd_outputs(
    const hk_convolution *c, const hk_part *part, const hk_winograd_tiles *tiles, const float *sums, size_t block,
    size_t at) {
    const hk_epilogue *epilogue = &c->epilogue;
    const hk_clamp clamp = hk_clamp_of(epilogue->function, epilogue->a, epilogue->b);
    const float *before = epilogue->residual_after ? NULL : epilogue->residual;
    const float *after = epilogue->residual_after ? epilogue->residual : NULL;
    const hk_lanes bias = epilogue->bias ? hk_load_block(epilogue->bias + block * HK_BLOCK) : hk_every_lane(0.0f);
    const size_t step = tiles->count * HK_BLOCK;
    for (size_t tile = 0; tile < tiles->count; tile++) {
        const size_t row = hk_winograd_row(tiles, tile), column = hk_winograd_column(tiles, tile);
        hk_lanes lines[2][4];
        HK_UNROLL for (size_t x = 0; x < 4; x++) {
            hk_lanes m[4], t[2];
            HK_UNROLL for (size_t y = 0; y < 4; y++) m[y] = hk_load_block(sums + (y * 4 + x) * step + tile * HK_BLOCK);
            hk_winograd_output_line(m, t);
            HK_UNROLL for (size_t y = 0; y < 2; y++) lines[y][x] = t[y];
        }
        HK_UNROLL for (size_t y = 0; y < 2; y++) {
            hk_lanes t[2];
            hk_winograd_output_line(lines[y], t);
            const size_t own_row = row + y * tiles->dilation_y;
            if (own_row >= part->end_row) continue;
            HK_UNROLL for (size_t x = 0; x < 2; x++) {
                const size_t own_column = column + x * tiles->dilation_x;
                if (own_column >= part->end_column) continue;
                const size_t place = at + (own_row * c->output_width + own_column) * HK_BLOCK;
                hk_lanes v = hk_add_block(bias, t[x]);
                if (before) v = hk_add_block(v, hk_load_block(before + place));
                hk_store_block(c->output + place, hk_clamped(v, clamp));
            }
        }
    }
    if (!hk_has_finish(epilogue)) return;
    // Neighbours of a line together, where they are neighbours.
    const bool follows = tiles->dilation_x == 1;
    for (size_t tile = 0, next; tile < tiles->count; tile = next) {
        const size_t end = ((tiles->first + tile) / tiles->across + 1) * tiles->across - tiles->first;
        next = !follows ? tile + 1 : end < tiles->count ? end : tiles->count;
        const size_t row = hk_winograd_row(tiles, tile), column = hk_winograd_column(tiles, tile);
        for (size_t i = 0; i < (follows ? 2 : 4); i++) {
            const size_t own_row = row + i % 2 * tiles->dilation_y, own_column = column + i / 2 * tiles->dilation_x;
            const size_t reach = follows ? column + (next - tile) * 2 : own_column + 1;
            const size_t past = reach < part->end_column ? reach : part->end_column;
            if (own_row >= part->end_row || own_column >= past) continue;
            const size_t place = at + (own_row * c->output_width + own_column) * HK_BLOCK;
            hk_finish(
                epilogue, after ? after + place : NULL, (past - own_column) * HK_BLOCK, c->output + place);
        }
    }
}

// Adds the products of some blocks of inputs to the sums of `blocks` blocks of outputs. `weights` are those of the first block
// of outputs and of inputs at the first place.
static void hk_winograd_multiply(
    const hk_convolution *c, const hk_winograd_tiles *tiles, hk_winograd_room *room, const float *weights, size_t inputs,
    size_t last_values, size_t blocks, bool begins) {
    const size_t count = tiles->count, tap = HK_BLOCK * HK_BLOCK, place_weights = c->input_blocks * tap;
    hk_tile t = {
        .group_step = count * HK_BLOCK, .column_step = HK_BLOCK, .value_step = 1,
        .stride_x = 1, .height = 1, .width = count, .kernel_height = 1, .kernel_width = 1, .dilation_y = 1,
        .dilation_x = 1, .end_group = inputs, .groups = inputs, .run = 1,
        .values = HK_BLOCK, .last_group = inputs - 1, .last_values = last_values,
        .tap_weights = tap, .block_weights = HK_WINOGRAD_PLACES * place_weights,
        .output_position = HK_BLOCK, .output_block = HK_WINOGRAD_PLACES * count * HK_BLOCK, .last_lanes = HK_BLOCK,
        .begins = begins, .scale = 1,
    };
    for (size_t place = 0; place < HK_WINOGRAD_PLACES; place++) {
        t.input = room->inputs + place * inputs * count * HK_BLOCK;
        for (size_t block = 0, some; block < blocks; block += some) {
            some = hk_tile_blocks(blocks - block, count);
            const size_t widest = hk_choose_tile(HK_MAX_POSITIONS, some)->positions;
            t.weights = weights + block * t.block_weights + place * place_weights;
            float *sums = room->sums + (block * HK_WINOGRAD_PLACES + place) * count * HK_BLOCK;
            for (size_t at = 0; at < count;) {
                // As equal register tiles as can be: narrow ones wait for their weights.
                const size_t left = count - at, turns = (left + widest - 1) / widest;
                const hk_tile_kind *tile = hk_choose_tile((left + turns - 1) / turns, some);
                t.first_column = (ptrdiff_t)at;
                t.output = sums + at * HK_BLOCK;
                tile->code[HK_TILE_BLOCKS](&t);
                at += tile->positions;
            }
        }
    }
}

static __attribute__((noinline)) void hk_convolve_winograd(const hk_convolution *c, const hk_part *part) {
    hk_winograd_room room;
    const size_t plane = c->height * c->width * HK_BLOCK, output_plane = c->output_height * c->output_width * HK_BLOCK;
    const size_t output_blocks = hk_blocks_of(c->output_channels), inputs = c->input_blocks;
    const size_t tap = HK_BLOCK * HK_BLOCK;
    const float *image = c->input + part->image * inputs * plane;
    hk_winograd_tiles tiles = {
        .first_row = part->first_row, .first_column = part->first_column,
        .across = hk_winograd_lines(part->end_column - part->first_column, c->window.dilation_x),
        .dilation_y = c->window.dilation_y, .dilation_x = c->window.dilation_x,
    };
    const size_t all = hk_winograd_lines(part->end_row - part->first_row, c->window.dilation_y) * tiles.across;
    const size_t first = part->first_block, blocks = part->end_block - first;
    const float *weights = c->transformed + first * HK_WINOGRAD_PLACES * inputs * tap;
    size_t groups = (all + HK_WINOGRAD_TILES - 1) / HK_WINOGRAD_TILES;
    for (; groups > 0; groups--, tiles.first += tiles.count) {
        tiles.count = (all - tiles.first + groups - 1) / groups;
        for (size_t input = 0, some; input < inputs; input += some) {
            some = inputs - input < HK_WINOGRAD_INPUTS ? inputs - input : HK_WINOGRAD_INPUTS;
            hk_winograd_inputs(c, &tiles, image + input * plane, some, room.inputs);
            // Lanes past the last channel may hold anything.
            const size_t values = input + some == inputs ? c->channels - (inputs - 1) * HK_BLOCK : HK_BLOCK;
            hk_winograd_multiply(c, &tiles, &room, weights + input * tap, some, values, blocks, input == 0);
        }
        for (size_t b = 0; b < blocks; b++) {
            hk_winograd_outputs(
                c, part, &tiles, room.sums + b * HK_WINOGRAD_PLACES * tiles.count * HK_BLOCK, first + b,
                (part->image * output_blocks + first + b) * output_plane);
        }
    }
}

#endif
