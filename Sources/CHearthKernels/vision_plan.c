// Cuts convolutions, products and row-wise work into parts. The figures are sizes of caches that every processor of
// the last ten years has, and a rate of about 30 GMAC/s a thread.
#include "hearth_vision_kernels.h"
#include "sizes.h"

enum {
    CACHED_INPUT = 256 * 1024,    // bytes of one part's inputs
    CACHED_WEIGHTS = 512 * 1024,  // bytes of all weights that need not be shared out
    MOST_PRODUCTS = 6 << 20,      // of one part
    LEAST_PRODUCTS = 400 << 10,
    LEAST_PARTS = 16,
    TILE = 14,  // positions of the widest tile
};

static size_t blocks_of(size_t channels) {
    return divided_up(channels, HK_BLOCK);
}

// Blocks that tiles of so many positions take at a time. From 11 positions on two are nearly as good as four, and better where
// few parts would be left for several threads.
static size_t blocks_together(size_t positions, size_t blocks) {
    return hk_is_narrow(positions) && (positions < 10 || blocks >= 16) ? 4 : 2;
}

// A part's share of lines (rows, or tiles of a single row) and of output blocks.
typedef struct {
    size_t lines, blocks;
} share;

// `line_products` and `line_bytes` are of all blocks together. Weights that every part expands for itself are best met by few
// parts: `weight_bytes` is SIZE_MAX then, and a part may have more inputs.
static share share_of(
    size_t lines, size_t blocks, size_t block_group, double line_products, size_t line_bytes, size_t weight_bytes) {
    const double total = (double)lines * line_products;
    double goal = total / LEAST_PARTS;
    goal = goal < LEAST_PRODUCTS ? LEAST_PRODUCTS : goal > MOST_PRODUCTS ? MOST_PRODUCTS : goal;
    const size_t cached = weight_bytes == SIZE_MAX ? 2 * CACHED_INPUT : CACHED_INPUT;
    size_t line_parts = divided_up(lines * line_bytes, cached);
    if (weight_bytes <= CACHED_WEIGHTS) line_parts = larger(line_parts, (size_t)(total / goal));
    line_parts = larger(1, smaller(line_parts, lines));
    share s = {.lines = divided_up(lines, line_parts)};
    const size_t groups = divided_up(blocks, block_group);
    const size_t wanted = (size_t)(total / (double)divided_up(lines, s.lines) / goal + 0.5);
    s.blocks = divided_up(groups, larger(1, smaller(wanted, groups))) * block_group;
    return s;
}

// A single row is shared out in lines of `line` columns.
static size_t cut(
    size_t images, size_t blocks, size_t rows, size_t columns, size_t line, share s, hk_part *parts, size_t capacity) {
    size_t count = 0;
    const size_t column_step = rows == 1 ? s.lines * line : columns, row_step = rows == 1 ? 1 : s.lines;
    for (size_t image = 0; image < images; image++) {
        for (size_t row = 0; row < rows; row += row_step) {
            for (size_t column = 0; column < columns; column += column_step) {
                for (size_t block = 0; block < blocks; block += s.blocks, count++) {
                    if (count >= capacity) continue;
                    parts[count] = (hk_part){
                        image, block, smaller(block + s.blocks, blocks), row, smaller(row + row_step, rows),
                        column, smaller(column + column_step, columns)};
                }
            }
        }
    }
    return count;
}

// A pointwise convolution without stride or padding as one row.
static void flatten(hk_convolution *c) {
    const hk_window *w = &c->window;
    if (w->kernel_height == 1 && w->kernel_width == 1 && w->stride_x == 1 && w->stride_y == 1 && !w->top && !w->left
        && c->output_width == c->width && c->output_height == c->height) {
        c->width = c->output_width = c->width * c->height;
        c->height = c->output_height = 1;
    }
}

// Floats of transformed weights, where fewer products repay them: with enough channels and tiles, few of which reach beyond the
// picture, and weights that stay in a cache or meet many tiles.
static size_t winograd_weights(const hk_convolution *c) {
    enum { CACHED = 5 << 18, MOST = 4 << 20, LEAST_TILES = 32, MANY_TILES = 100 };
    const hk_window *w = &c->window;
    const bool fits = !c->plain && w->kernel_height == 3 && w->kernel_width == 3 && w->stride_y == 1
        && w->stride_x == 1 && w->dilation_y <= c->output_height && w->dilation_x <= c->output_width
        && c->group_inputs == c->channels && c->channels >= 2 * HK_BLOCK && c->output_channels >= 2 * HK_BLOCK;
    const size_t tiles =
        hk_winograd_lines(c->output_height, w->dilation_y) * hk_winograd_lines(c->output_width, w->dilation_x);
    if (!fits || tiles < LEAST_TILES || 5 * c->output_height * c->output_width < 16 * tiles) return 0;
    const size_t count = blocks_of(c->output_channels) * c->input_blocks * HK_WINOGRAD_PLACES * HK_BLOCK * HK_BLOCK;
    return count <= (tiles < MANY_TILES ? CACHED : MOST) ? count : 0;
}

// Lines of tiles, as many as fill registers and repay the transformed weights, by blocks that share transformed inputs.
static size_t plan_winograd(const hk_convolution *c, size_t images, hk_part *parts, size_t capacity) {
    const size_t rows = c->output_height, columns = c->output_width, blocks = blocks_of(c->output_channels);
    const size_t dilation = c->window.dilation_y;
    // Lines that interleave stay together.
    const size_t across = hk_winograd_lines(columns, c->window.dilation_x) * dilation;
    const size_t lines = divided_up(rows, 2 * dilation);
    size_t step = divided_up(HK_WINOGRAD_TILES, across);
    while (images * divided_up(lines, 2 * step) * divided_up(blocks, HK_WINOGRAD_OUTPUTS) >= 4 * LEAST_PARTS) step *= 2;
    // There is more than one row: tiles would be half empty.
    const share s = {.lines = 2 * dilation * step, .blocks = HK_WINOGRAD_OUTPUTS};
    return cut(images, blocks, rows, columns, columns, s, parts, capacity);
}

size_t hk_plan_convolution(hk_convolution *c, size_t images, hk_part *parts, size_t capacity) {
    const hk_window *w = &c->window;
    const size_t taps = w->kernel_height * w->kernel_width;
    c->transformed_count = winograd_weights(c);
    if (c->transformed_count) {
        c->input_chunk = c->input_blocks;
        return plan_winograd(c, images, parts, capacity);
    }
    if (!c->plain) flatten(c);
    const size_t blocks = blocks_of(c->output_channels);
    const size_t tap_inputs = c->input_blocks * (c->plain ? 1 : HK_BLOCK);
    const size_t block_bytes = taps * tap_inputs * HK_BLOCK * sizeof(float);
    const size_t together = blocks_together(c->output_width, blocks);
    c->input_chunk = divided_up(c->input_blocks, divided_up(together * block_bytes, HK_PANEL * sizeof(float)));
    const bool is_row = c->output_height == 1;
    const size_t lines = is_row ? divided_up(c->output_width, TILE) : c->output_height;
    const size_t line = is_row ? TILE : c->output_width;
    const size_t line_inputs = line * w->stride_x * w->stride_y * tap_inputs;
    const share s = share_of(
        lines, blocks, together, (double)(line * taps * tap_inputs * HK_BLOCK) * (double)blocks,
        line_inputs * sizeof(float), c->coded ? SIZE_MAX : blocks * block_bytes);
    return cut(images, blocks, c->output_height, c->output_width, TILE, s, parts, capacity);
}

size_t hk_plan_planes(hk_convolution *c, size_t images, hk_part *parts, size_t capacity) {
    flatten(c);
    const hk_window *w = &c->window;
    const bool is_row = c->output_height == 1;
    const size_t lines = is_row ? divided_up(c->output_width, HK_PLANE_COLUMNS) : c->output_height;
    const size_t line = is_row ? HK_PLANE_COLUMNS : c->output_width;
    const size_t products = line * c->channels * w->kernel_height * w->kernel_width * c->output_channels;
    // Inputs are staged, so they need not fit a cache.
    const share s = share_of(lines, 1, 1, (double)products, 0, 0);
    return cut(images, 1, c->output_height, c->output_width, HK_PLANE_COLUMNS, s, parts, capacity);
}

size_t hk_plan_product(const hk_product *m, size_t rows, hk_part *parts, size_t capacity) {
    const size_t blocks = blocks_of(m->columns);
    const share s = share_of(
        divided_up(rows, TILE), blocks, blocks_together(rows, blocks),
        (double)smaller(rows, TILE) * (double)m->inner * (double)m->columns,
        smaller(rows, TILE) * m->inner * sizeof(float),
        m->coded ? SIZE_MAX : blocks * HK_BLOCK * m->inner * sizeof(float));
    return cut(1, blocks, 1, rows, TILE, s, parts, capacity);
}

size_t hk_plan_rows(
    size_t images, size_t blocks, size_t rows, size_t columns, size_t row_floats, hk_part *parts, size_t capacity) {
    enum { PART_FLOATS = 64 << 10, LEAST_FLOATS = 8 << 10 };
    const size_t total = images * blocks * rows * row_floats;
    const size_t goal = smaller(PART_FLOATS, larger(LEAST_FLOATS, total / LEAST_PARTS));
    const size_t step = larger(1, smaller(rows, goal / larger(1, row_floats)));
    const size_t step_blocks = step < rows ? 1 : larger(1, smaller(blocks, goal / larger(1, rows * row_floats)));
    size_t count = 0;
    for (size_t image = 0; image < images; image++) {
        for (size_t block = 0; block < blocks; block += step_blocks) {
            for (size_t row = 0; row < rows; row += step, count++) {
                if (count >= capacity) continue;
                parts[count] = (hk_part){
                    image, block, smaller(block + step_blocks, blocks), row, smaller(row + step, rows), 0, columns};
            }
        }
    }
    return count;
}
