// The register tile of every sum of products: `positions` results by `blocks` blocks of 16 outputs, kept in registers
// while all inputs pass. An input value is broadcast to the lanes of 16 outputs.
#ifndef HK_VISION_TILE_H
#define HK_VISION_TILE_H

#include "vision_functions.h"

// A stage holds the inputs of one tap: HK_MAX_POSITIONS blocks two apart, or a stretch of a plain row, whose taps come
// HK_MAX_RUN columns at a time.
enum { HK_MAX_POSITIONS = 14, HK_MAX_RUN = 16, HK_STAGE = HK_MAX_POSITIONS * HK_BLOCK * 2 };

// The largest stride with which a stretch of a plain row for all positions and HK_MAX_RUN columns fits a stage.
enum { HK_MAX_STRIDE = (HK_STAGE - HK_MAX_RUN) / (HK_MAX_POSITIONS - 1) };

// How many inputs ahead weights are fetched.
enum { HK_WEIGHTS_AHEAD = 16 };

// Where a tile's inputs lie: value i of tap (group, ky, kx) for position p is
// input[group * group_step + row * row_step + column * column_step + i * value_step],
// row = first_row + ky * dilation_y, column = first_column + p * stride_x + kx * dilation_x.
// Taps in padding count as zeros.
typedef struct hk_tile {
    const float *input;
    size_t group_step, row_step, column_step, value_step;
    ptrdiff_t first_row, first_column;
    size_t stride_x, height, width;
    size_t kernel_height, kernel_width, dilation_y, dilation_x;
    size_t first_group, end_group;    // whose inputs are taken now
    size_t groups;                    // of all, which is how weights are laid out
    size_t run;                       // kernel columns taken at once: a plain row's values follow each other
    size_t values, last_group, last_values;  // inputs of a tap; of the last group of all there may be fewer
    const float *weights;             // of the first output block, tap (0, 0, 0)
    size_t tap_weights;               // floats a tap (a single kernel column)
    size_t block_weights;             // floats an output block
    float *output;
    size_t output_position, output_block;  // floats between results
    size_t last_lanes;                // of the tile's last block; fewer than 16 only in rows whose blocks follow on
    bool begins, ends;                // first and last pass over the groups
    // At the tile's first block and position, NULL for none: a residual is where sums start, or is added before the
    // function, or after it by hk_finish.
    const float *bias, *first_residual, *last_residual, *after_residual;
    float scale;
    const hk_epilogue *epilogue;
    hk_clamp clamp;
    bool has_finish;
} hk_tile;

// Copies the inputs of one tap for each position next to each other, zeros where they are in padding.
static __attribute__((noinline)) void hk_stage(
    const hk_tile *t, const float *row, ptrdiff_t column, size_t run, size_t values, size_t positions, size_t spacing,
    float *stage) {
    for (size_t p = 0; p < positions; p++, column += (ptrdiff_t)t->stride_x) {
        float *to = stage + p * spacing;
        if (run == 1) {
            const bool inside = column >= 0 && (size_t)column < t->width;
            if (!inside) {
                memset(to, 0, values * sizeof *to);
                continue;
            }
            const float *from = row + (size_t)column * t->column_step;
            if (t->value_step == 1) {
                if (values == HK_BLOCK) memcpy(to, from, HK_BLOCK * sizeof *to);
                else memcpy(to, from, values * sizeof *to);
            } else {
                for (size_t i = 0; i < values; i++) to[i] = from[i * t->value_step];
            }
            continue;
        }
        if (column >= 0 && (size_t)column + run <= t->width) {
            memcpy(to, row + column, run * sizeof *to);
        } else {
            for (size_t i = 0; i < run; i++) {
                const ptrdiff_t at = column + (ptrdiff_t)i;
                to[i] = at >= 0 && (size_t)at < t->width ? row[at] : 0.0f;
            }
        }
    }
}

// A stretch of a plain row, zeros where it leaves the row.
static __attribute__((noinline)) void hk_stage_row(
    const float *row, ptrdiff_t column, size_t width, size_t count, float *stage) {
    size_t i = 0;
    for (; i < count && column < 0; i++, column++) stage[i] = 0.0f;
    const size_t inside = (size_t)column < width ? width - (size_t)column : 0;
    const size_t copied = inside < count - i ? inside : count - i;
    memcpy(stage + i, row + column, copied * sizeof *stage);
    for (i += copied; i < count; i++) stage[i] = 0.0f;
}

// Sums of one input of each position, `spacing` floats from position to position.
HK_INLINE void hk_accumulate_one(
    hk_lanes *sums, const float *x, const float *w, size_t block_weights, size_t from, size_t to, size_t blocks,
    size_t spacing) {
    hk_lanes weights[4];
    HK_UNROLL for (size_t b = 0; b < blocks; b++) {
        weights[b] = hk_load_block(w + b * block_weights);
        // Weights stream from the second-level cache or beyond, each block by itself.
        __builtin_prefetch(w + b * block_weights + HK_WEIGHTS_AHEAD * HK_BLOCK, 0, 3);
    }
    HK_UNROLL for (size_t p = from; p < to; p++) {
        const hk_lanes value = hk_every_lane(x[p * spacing]);
        HK_UNROLL for (size_t b = 0; b < blocks; b++) {
            sums[p * blocks + b] = hk_multiply_add(sums[p * blocks + b], weights[b], value);
        }
    }
}

// Sums of one tap for positions from ..< to. `next` is where
// the inputs of a later tap begin: there are about as many positions as inputs, so each input fetches one of them.
HK_INLINE void hk_accumulate(
    hk_lanes *sums, const float *x, const float *w, size_t block_weights, size_t count, size_t from, size_t to,
    size_t blocks, size_t spacing, const float *next) {
    // Not unrolled: with more in a turn the compiler reads ahead into registers that hold sums.
    _Pragma("clang loop unroll(disable)") for (size_t i = 0; i < count; i++) {
        __builtin_prefetch(next + i * spacing, 0, 3);
        hk_accumulate_one(sums, x + i, w + i * HK_BLOCK, block_weights, from, to, blocks, spacing);
    }
}

HK_INLINE void hk_tile_begin(const hk_tile *t, hk_lanes *sums, size_t positions, size_t blocks) {
    // With several passes the first starts from the residual: it may be the output itself, from which later ones go on.
    const float *start = t->begins ? t->first_residual : t->output;
    HK_UNROLL for (size_t b = 0; b < blocks; b++) {
        HK_UNROLL for (size_t p = 0; p < positions; p++) {
            hk_lanes v = hk_every_lane(0.0f);
            if (start) v = hk_load_block(start + p * t->output_position + b * t->output_block);
            sums[p * blocks + b] = v;
        }
    }
}

// Results whose last block is not whole, by way of memory.
static __attribute__((noinline)) void hk_tile_end_partly(
    const hk_tile *t, const float *sums, size_t positions, size_t blocks) {
    for (size_t p = 0; p < positions; p++) {
        const size_t at = p * t->output_position;
        const size_t count = (blocks - 1) * HK_BLOCK + t->last_lanes;
        float *y = t->output + at;
        for (size_t i = 0; i < count; i++) {
            float v = sums[p * blocks * HK_BLOCK + i] * t->scale;
            if (t->bias) v += t->bias[i];
            if (t->last_residual) v += t->last_residual[at + i];
            v = t->clamp.low > v ? t->clamp.low : v;
            y[i] = t->clamp.high < v ? t->clamp.high : v;
        }
        if (t->has_finish) hk_finish(t->epilogue, t->after_residual ? t->after_residual + at : NULL, count, y);
    }
}

static __attribute__((noinline)) void hk_tile_finish(const hk_tile *t, size_t positions, size_t blocks) {
    const float *residual = t->after_residual;
    if (t->output_position == HK_BLOCK) {
        for (size_t b = 0; b < blocks; b++) {
            const size_t at = b * t->output_block;
            hk_finish(t->epilogue, residual ? residual + at : NULL, positions * HK_BLOCK, t->output + at);
        }
    } else {
        for (size_t p = 0; p < positions; p++) {
            const size_t at = p * t->output_position;
            hk_finish(t->epilogue, residual ? residual + at : NULL, blocks * HK_BLOCK, t->output + at);
        }
    }
}

HK_INLINE void hk_tile_end(const hk_tile *t, const hk_lanes *sums, size_t positions, size_t blocks) {
    // In locals, because a store might change what `t` points to for all the compiler knows.
    float *output = t->output;
    const float *residual = t->last_residual;
    const size_t output_position = t->output_position, output_block = t->output_block;
    const hk_clamp clamp = t->clamp;
    const hk_lanes scale = hk_every_lane(t->scale);
    HK_UNROLL for (size_t b = 0; b < blocks; b++) {
        hk_lanes bias = hk_every_lane(0.0f);
        if (t->bias) bias = hk_load_block(t->bias + b * HK_BLOCK);
        HK_UNROLL for (size_t p = 0; p < positions; p++) {
            const size_t at = p * output_position + b * output_block;
            hk_lanes v = hk_multiply_add(bias, sums[p * blocks + b], scale);
            if (residual) v = hk_add_block(v, hk_load_block(residual + at));
            hk_store_block(output + at, hk_clamped(v, clamp));
        }
    }
    if (t->has_finish) hk_tile_finish(t, positions, blocks);
}

// Fetches what a tile will write and the residual that it will read, a few lines a tap, so that they are there at its
// end. `next` counts the blocks of results that are already on their way.
HK_INLINE void hk_fetch_results(const hk_tile *t, size_t *next, size_t some, size_t positions, size_t blocks) {
    size_t i = *next;
    for (const size_t end = i + some; i < end && i < positions * blocks; i++) {
        const size_t at = i % positions * t->output_position + i / positions * t->output_block;
        __builtin_prefetch(t->output + at, 1, 3);
        if (t->last_residual) __builtin_prefetch(t->last_residual + at, 0, 3);
    }
    *next = i;
}

// The inputs of a tap that are not where this code wants them, or partly in padding. Those of a row are staged as they lie
// where a stage has room for them.
HK_INLINE void hk_accumulate_staged(
    const hk_tile *t, hk_lanes *sums, const float *row, ptrdiff_t column, const float *w, size_t run, size_t values,
    size_t positions, size_t blocks, size_t spacing, bool is_row) {
    _Alignas(64) float stage[HK_STAGE];
    const size_t count = run > 1 ? run : values;
    if (is_row && spacing <= HK_MAX_STRIDE) {
        hk_stage_row(row, column, t->width, (positions - 1) * spacing + run, stage);
        hk_accumulate(sums, stage, w, t->block_weights, count, 0, positions, blocks, spacing, stage);
    } else {
        const size_t apart = is_row ? HK_BLOCK : spacing;
        hk_stage(t, row, column, run, values, positions, apart, stage);
        hk_accumulate(sums, stage, w, t->block_weights, count, 0, positions, blocks, apart, stage);
    }
}

// One tap. Where only the first or the last position is in padding, it is left out of the sums.
HK_INLINE void hk_accumulate_tap(
    const hk_tile *t, hk_lanes *sums, const float *row, ptrdiff_t column, const float *w, size_t run, size_t values,
    size_t positions, size_t blocks, size_t spacing, bool is_row) {
    const ptrdiff_t stride = (ptrdiff_t)t->stride_x, width = (ptrdiff_t)t->width;
    const ptrdiff_t last = column + (ptrdiff_t)(positions - 1) * stride + (ptrdiff_t)run;  // past the last value
    const bool fits = is_row || (t->value_step == 1 && (positions == 1 || t->stride_x * t->column_step == spacing));
    const float *x = row + column * (ptrdiff_t)t->column_step;
    const size_t count = run > 1 ? run : values;
    const float *next = x + t->group_step;
    if (fits && column >= 0 && last <= width) {
        hk_accumulate(sums, x, w, t->block_weights, count, 0, positions, blocks, spacing, next);
    } else if (positions >= 7 && !is_row && fits && column + stride >= 0 && last <= width) {
        hk_accumulate(sums, x, w, t->block_weights, count, 1, positions, blocks, spacing, next);
    } else if (positions >= 7 && !is_row && fits && column >= 0 && last - stride <= width) {
        hk_accumulate(sums, x, w, t->block_weights, count, 0, positions - 1, blocks, spacing, next);
    } else {
        hk_accumulate_staged(t, sums, row, column, w, run, values, positions, blocks, spacing, is_row);
    }
}

// All taps of a pointwise convolution, or of a row times a matrix: nothing is in padding, and little happens between taps.
HK_INLINE void hk_accumulate_points(
    const hk_tile *t, hk_lanes *sums, size_t some, size_t positions, size_t blocks, size_t spacing) {
    const size_t end = t->end_group, last = t->last_group, values = t->values, last_values = t->last_values;
    const size_t group_step = t->group_step, tap_weights = t->tap_weights, block_weights = t->block_weights;
    const float *x = t->input + t->first_group * group_step + (size_t)t->first_row * t->row_step
        + (size_t)t->first_column * t->column_step;
    const float *w = t->weights + t->first_group * tap_weights;
    size_t fetched = t->last_lanes == HK_BLOCK ? 0 : positions * blocks;
    for (size_t g = t->first_group; g < end; g++, x += group_step, w += tap_weights) {
        if (fetched < positions * blocks) hk_fetch_results(t, &fetched, some, positions, blocks);
        const size_t count = g == last ? last_values : values;
        hk_accumulate(sums, x, w, block_weights, count, 0, positions, blocks, spacing, x + group_step);
    }
}

// `spacing` is the distance of neighbouring positions in floats that this code is made for; any other is staged. In a row
// of a plain picture it is the stride.
HK_INLINE void hk_compute_tile(const hk_tile *t, size_t positions, size_t blocks, size_t spacing, bool is_row) {
    hk_lanes sums[HK_MAX_POSITIONS * 4];
    const size_t taps = (t->end_group - t->first_group) * t->kernel_height * t->kernel_width;
    const size_t some = positions * blocks / taps + 1;
    size_t fetched = t->last_lanes == HK_BLOCK ? 0 : positions * blocks;
    hk_tile_begin(t, sums, positions, blocks);
    const bool is_point = t->kernel_height == 1 && t->kernel_width == 1 && t->value_step == 1
        && (is_row || positions == 1 || t->stride_x * t->column_step == spacing)
        && t->first_row >= 0 && (size_t)t->first_row < t->height
        && t->first_column >= 0 && (size_t)t->first_column + (positions - 1) * t->stride_x < t->width;
    if (is_point) hk_accumulate_points(t, sums, some, positions, blocks, spacing);
    for (size_t g = t->first_group; g < t->end_group && !is_point; g++) {
        const size_t values = g == t->last_group ? t->last_values : t->values;
        for (size_t ky = 0; ky < t->kernel_height; ky++) {
            const ptrdiff_t y = t->first_row + (ptrdiff_t)(ky * t->dilation_y);
            if (y < 0 || (size_t)y >= t->height) continue;
            const float *row = t->input + g * t->group_step + (size_t)y * t->row_step;
            const float *w = t->weights + (g * t->kernel_height + ky) * t->kernel_width * t->tap_weights;
            for (size_t kx = 0; kx < t->kernel_width; kx += t->run) {
                const size_t run = t->kernel_width - kx < t->run ? t->kernel_width - kx : t->run;
                if (fetched < positions * blocks) hk_fetch_results(t, &fetched, some, positions, blocks);
                hk_accumulate_tap(
                    t, sums, row, t->first_column + (ptrdiff_t)(kx * t->dilation_x), w + kx * t->tap_weights, run,
                    values, positions, blocks, spacing, is_row);
            }
        }
    }
    if (t->ends && t->last_lanes == HK_BLOCK) {
        hk_tile_end(t, sums, positions, blocks);
    } else if (t->ends) {
        float results[HK_MAX_POSITIONS * 2 * HK_BLOCK];
        HK_UNROLL for (size_t i = 0; i < positions * blocks; i++) hk_store_block(results + i * HK_BLOCK, sums[i]);
        hk_tile_end_partly(t, results, positions, blocks);
    } else {
        float *output = t->output;
        const size_t output_position = t->output_position, output_block = t->output_block;
        HK_UNROLL for (size_t b = 0; b < blocks; b++) {
            HK_UNROLL for (size_t p = 0; p < positions; p++) {
                hk_store_block(output + p * output_position + b * output_block, sums[p * blocks + b]);
            }
        }
    }
}

// What a tile's code is made for.
typedef enum {
    HK_TILE_BLOCKS,       // with stride 1; takes any input
    HK_TILE_WIDE_BLOCKS,  // with stride 2
    HK_TILE_ROW,          // of a plain picture, with stride 1
    HK_TILE_WIDE_ROW,     // with stride 2
    HK_TILE_ANY_ROW,      // with any stride
    HK_TILE_INPUTS
} hk_tile_input;

// The including set lists its tiles in HK_TILES(TILE, STRIDED), the widest first: (positions, blocks), STRIDED for those
// that have code for each spacing. Others have blocks two apart staged, and take the stride of a row as it comes.
#define HK_DEFINE_TILE_CODE(name, positions, blocks, spacing, is_row)                                                 \
    static __attribute__((noinline)) void hk_##name##_##positions##_##blocks(const hk_tile *t) {                      \
        hk_compute_tile(t, positions, blocks, spacing, is_row);                                                       \
    }
#define HK_DEFINE_TILE(positions, blocks)                                                                             \
    HK_DEFINE_TILE_CODE(tile, positions, blocks, HK_BLOCK, false)                                                     \
    HK_DEFINE_TILE_CODE(any_row_tile, positions, blocks, t->stride_x, true)
#define HK_DEFINE_STRIDED(positions, blocks)                                                                          \
    HK_DEFINE_TILE(positions, blocks)                                                                                 \
    HK_DEFINE_TILE_CODE(wide_tile, positions, blocks, 2 * HK_BLOCK, false)                                            \
    HK_DEFINE_TILE_CODE(row_tile, positions, blocks, 1, true)                                                         \
    HK_DEFINE_TILE_CODE(wide_row_tile, positions, blocks, 2, true)
HK_TILES(HK_DEFINE_TILE, HK_DEFINE_STRIDED)

typedef void (*hk_tile_code)(const hk_tile *t);

typedef struct {
    size_t positions, blocks;
    hk_tile_code code[HK_TILE_INPUTS];
} hk_tile_kind;

#define HK_LIST_TILE(positions, blocks)                                                                               \
    {positions, blocks,                                                                                               \
     {hk_tile_##positions##_##blocks, hk_tile_##positions##_##blocks, hk_any_row_tile_##positions##_##blocks,        \
      hk_any_row_tile_##positions##_##blocks, hk_any_row_tile_##positions##_##blocks}},
#define HK_LIST_STRIDED(positions, blocks)                                                                            \
    {positions, blocks,                                                                                               \
     {hk_tile_##positions##_##blocks, hk_wide_tile_##positions##_##blocks, hk_row_tile_##positions##_##blocks,        \
      hk_wide_row_tile_##positions##_##blocks, hk_any_row_tile_##positions##_##blocks}},
static const hk_tile_kind hk_tile_kinds[] = {HK_TILES(HK_LIST_TILE, HK_LIST_STRIDED)};

// The widest tile of so many blocks that fits the positions left.
HK_INLINE const hk_tile_kind *hk_choose_tile(size_t positions, size_t blocks) {
    const hk_tile_kind *kind = hk_tile_kinds;
    while (kind->blocks != blocks || kind->positions > positions) kind++;
    return kind;
}

#endif
