// Convolutions to few channels: a vector holds neighbouring columns of one output channel, where blocks of channels would
// leave most lanes empty. Rows of the input are staged without blocks, with their padding, for some channels at a time.
#ifndef HK_VISION_PLANES_H
#define HK_VISION_PLANES_H

#include "vision_depthwise.h"
#include "vision_transpose.h"

// How the inputs of a part are staged: [channel][row][phase][`phase` floats], where a phase is every stride-th column.
typedef struct {
    size_t channels;     // at a time
    size_t columns;      // of the output, at a time
    size_t rows;         // of the output, at a time
    size_t phase, row, channel;  // floats
} hk_plane_stage;

// What a tile reads and writes: columns of a row, for some output channels.
typedef struct {
    const float *staged;       // the first channel's kernel row `first_tap`
    size_t channel_step, tap_step;
    // Kernel columns take turns: every turns-th one is in the same phase, `step` floats further on. Where the first ones begin:
    const size_t *starts;
    size_t turns, step;
    const float *weights;      // of the first channel, kernel row 0
    size_t weight_step, kernel_height, kernel_width;
    size_t channels;           // that are staged
    size_t first_tap, end_tap;  // kernel rows inside the picture
    const float *start;        // what sums start from, in the place of a result; NULL for 0
    const float *bias;         // NULL for none
    float *output;
    size_t plane, count;       // floats between output channels; columns that exist
    hk_clamp clamp;
} hk_plane_tile;

// Sums of one kernel row of one channel.
HK_INLINE void hk_accumulate_columns(
    const hk_plane_tile *t, hk_vector *sums, const float *row, const float *w, size_t vectors, size_t outputs) {
    const size_t *starts = t->starts;
    const size_t taps = t->kernel_width, turns = t->turns, step = t->step, weight_step = t->weight_step;
    size_t turn = 0;
    _Pragma("clang loop unroll(disable)") for (size_t k = 0; k < taps; k++, w += weight_step) {
        const float *x = row + starts[turn];
        if (vectors <= outputs) {
            // Whichever are fewer stay in registers.
            hk_vector values[4];
            HK_UNROLL for (size_t v = 0; v < vectors; v++) values[v] = hk_load(x + v * HK_LANES);
            HK_UNROLL for (size_t o = 0; o < outputs; o++) {
                const hk_vector weight = w[o];
                HK_UNROLL for (size_t v = 0; v < vectors; v++) sums[o * vectors + v] += values[v] * weight;
            }
        } else {
            hk_vector weights[4];
            HK_UNROLL for (size_t o = 0; o < outputs; o++) weights[o] = w[o];
            HK_UNROLL for (size_t v = 0; v < vectors; v++) {
                const hk_vector value = hk_load(x + v * HK_LANES);
                HK_UNROLL for (size_t o = 0; o < outputs; o++) sums[o * vectors + v] += value * weights[o];
            }
        }
        turn = turn + 1 < turns ? turn + 1 : 0;
        row += turn ? 0 : step;
    }
}

// `count` columns of each output channel to rows that are `to_step` floats apart.
static __attribute__((noinline)) void hk_copy_columns(
    const float *from, size_t from_step, size_t count, size_t outputs, float *to, size_t to_step) {
    for (size_t o = 0; o < outputs; o++) memcpy(to + o * to_step, from + o * from_step, count * sizeof *to);
}

HK_INLINE void hk_compute_planes(const hk_plane_tile *t, size_t vectors, size_t outputs) {
    const size_t columns = vectors * HK_LANES;
    const bool is_part = t->count < columns;
    // The last columns of a row by way of memory.
    _Alignas(64) float part[24 * HK_LANES];
    hk_vector sums[24];
    HK_UNROLL for (size_t o = 0; o < outputs; o++) {
        const hk_vector bias = t->bias ? t->bias[o] : 0.0f;
        HK_UNROLL for (size_t v = 0; v < vectors; v++) sums[o * vectors + v] = bias;
    }
    if (t->start) {
        if (is_part) {
            memset(part, 0, sizeof part);
            hk_copy_columns(t->start, t->plane, t->count, outputs, part, columns);
        }
        const float *start = is_part ? part : t->start;
        const size_t step = is_part ? columns : t->plane;
        HK_UNROLL for (size_t o = 0; o < outputs; o++) {
            HK_UNROLL for (size_t v = 0; v < vectors; v++) {
                sums[o * vectors + v] += hk_load(start + o * step + v * HK_LANES);
            }
        }
    }
    const float *x = t->staged, *w = t->weights + t->first_tap * t->kernel_width * t->weight_step;
    for (size_t channel = 0; channel < t->channels; channel++) {
        const float *row = x, *weights = w;
        for (size_t tap = t->first_tap; tap < t->end_tap; tap++) {
            hk_accumulate_columns(t, sums, row, weights, vectors, outputs);
            row += t->tap_step;
            weights += t->kernel_width * t->weight_step;
        }
        x += t->channel_step;
        w += t->kernel_height * t->kernel_width * t->weight_step;
    }
    float *output = is_part ? part : t->output;
    const size_t step = is_part ? columns : t->plane;
    const hk_vector low = t->clamp.low, high = t->clamp.high;
    HK_UNROLL for (size_t o = 0; o < outputs; o++) {
        HK_UNROLL for (size_t v = 0; v < vectors; v++) {
            hk_store(output + o * step + v * HK_LANES, hk_min(high, hk_max(low, sums[o * vectors + v])));
        }
    }
    if (is_part) hk_copy_columns(part, columns, t->count, outputs, t->output, t->plane);
}

// The including set lists its tiles in HK_PLANE_TILES(TILE): (vectors, outputs), the most outputs first, and of them the most
// vectors.
#define HK_DEFINE_PLANE_TILE(vectors, outputs)                                                                        \
    static __attribute__((noinline)) void hk_plane_tile_##vectors##_##outputs(const hk_plane_tile *t) {               \
        hk_compute_planes(t, vectors, outputs);                                                                       \
    }
HK_PLANE_TILES(HK_DEFINE_PLANE_TILE)

typedef struct {
    size_t vectors, outputs;
    void (*code)(const hk_plane_tile *t);
} hk_plane_kind;

#define HK_LIST_PLANE_TILE(vectors, outputs) {vectors, outputs, hk_plane_tile_##vectors##_##outputs},
static const hk_plane_kind hk_plane_kinds[] = {HK_PLANE_TILES(HK_LIST_PLANE_TILE)};

// The most outputs that are left, and of their tiles the narrowest that covers the columns left, or else the widest.
HK_INLINE const hk_plane_kind *hk_choose_planes(size_t columns, size_t outputs) {
    const hk_plane_kind *kind = hk_plane_kinds;
    const hk_plane_kind *const last = kind + sizeof hk_plane_kinds / sizeof *kind - 1;
    while (kind->outputs > outputs) kind++;
    while (kind < last && kind[1].outputs == kind->outputs && kind[1].vectors * HK_LANES >= columns) kind++;
    return kind;
}

// Input rows that one output row reads.
HK_INLINE size_t hk_plane_span(const hk_window *w) {
    return (w->kernel_height - 1) * w->dilation_y + 1;
}

static hk_plane_stage hk_plane_stage_of(const hk_convolution *c, const hk_part *part) {
    const hk_window *w = &c->window;
    const size_t reach = (w->kernel_width - 1) * w->dilation_x / w->stride_x, span = hk_plane_span(w);
    hk_plane_stage s = {.channels = c->channels < HK_BLOCK ? c->channels : HK_BLOCK};
    const size_t columns = part->end_column - part->first_column, rows = part->end_row - part->first_row;
    // Whole rows where there is room for more than one, else as many columns as the widest tile has.
    for (s.columns = columns;; s.columns = HK_PLANE_COLUMNS) {
        const size_t rounded = (s.columns + HK_BLOCK - 1) / HK_BLOCK * HK_BLOCK;
        s.phase = rounded + reach;
        s.row = s.phase * w->stride_x;
        if (s.columns <= HK_PLANE_COLUMNS || s.channels * s.row * 2 * span <= HK_PLANE_ROOM) break;
    }
    while (s.channels > 1 && s.channels * s.row * span > HK_PLANE_ROOM) s.channels = (s.channels + 1) / 2;
    const size_t fitting = HK_PLANE_ROOM / (s.channels * s.row);
    s.rows = fitting > span ? (fitting - span) / w->stride_y + 1 : 1;
    if (s.rows > rows) s.rows = rows;
    s.channel = ((s.rows - 1) * w->stride_y + span) * s.row;
    return s;
}

// One phase of an input row for `channels` channels, beginning in `column`: zeros outside the row. A block has `room` channels
// from the first one on.
static __attribute__((noinline)) void hk_stage_phase(
    const hk_convolution *c, const float *row, ptrdiff_t column, size_t channels, size_t room, const hk_plane_stage *s,
    float *stage) {
    const ptrdiff_t step = (ptrdiff_t)c->window.stride_x, width = (ptrdiff_t)c->width;
    size_t from = column < 0 ? (size_t)((-column + step - 1) / step) : 0;
    size_t end = width > column ? (size_t)((width - column + step - 1) / step) : 0;
    if (from > s->phase) from = s->phase;
    if (end > s->phase) end = s->phase;
    if (end < from) end = from;
    for (size_t channel = 0; channel < channels; channel++) {
        float *to = stage + channel * s->channel;
        for (size_t i = 0; i < from; i++) to[i] = 0;
        for (size_t i = end; i < s->phase; i++) to[i] = 0;
    }
    const ptrdiff_t first = column + (ptrdiff_t)from * step;
    if (from == end) return;
    if (!c->plain) {
        hk_transpose_lanes(
            row + first * HK_BLOCK, (size_t)step * HK_BLOCK, end - from, channels, room, stage + from, s->channel);
        return;
    }
    for (size_t channel = 0; channel < channels; channel++, row += c->height * c->width, stage += s->channel) {
        const float *x = row + first;
        float *to = stage + from;
        const size_t count = end - from;
        if (step == 1) memcpy(to, x, count * sizeof *to);
        else if (step == 2) for (size_t i = 0; i < count; i++) to[i] = x[2 * i];
        else for (size_t i = 0; i < count; i++) to[i] = x[i * (size_t)step];
    }
}

// Channels `first` ..< `first + channels`, for `rows` output rows from `row` on and columns from `column` on.
static void hk_stage_planes(
    const hk_convolution *c, const hk_plane_stage *s, size_t image, size_t first, size_t channels, size_t row, size_t rows,
    size_t column, float *stage) {
    const hk_window *w = &c->window;
    const size_t plane = c->height * c->width;
    const float *input = c->input;
    if (c->plain) {
        input += (image * c->channels + first) * plane;
    } else {
        const size_t blocks = (c->channels + HK_BLOCK - 1) / HK_BLOCK;
        input += (image * blocks + first / HK_BLOCK) * plane * HK_BLOCK + first % HK_BLOCK;
    }
    const size_t unit = c->plain ? 1 : HK_BLOCK, count = (rows - 1) * w->stride_y + hk_plane_span(w);
    const ptrdiff_t top = (ptrdiff_t)(row * w->stride_y) - (ptrdiff_t)w->top;
    const ptrdiff_t left = (ptrdiff_t)(column * w->stride_x) - (ptrdiff_t)w->left;
    for (size_t i = 0; i < count; i++) {
        const ptrdiff_t y = top + (ptrdiff_t)i;
        if (y < 0 || (size_t)y >= c->height) {
            // Not read for any result, but next to what is: lanes past a row's end hold numbers.
            for (size_t k = 0; k < channels; k++) memset(stage + k * s->channel + i * s->row, 0, s->row * sizeof *stage);
            continue;
        }
        for (size_t phase = 0; phase < w->stride_x; phase++) {
            hk_stage_phase(
                c, input + (size_t)y * c->width * unit, left + (ptrdiff_t)phase, channels,
                HK_BLOCK - first % HK_BLOCK, s, stage + i * s->row + phase * s->phase);
        }
    }
}

// All output channels of `rows` rows and of the columns from `column` up to `end`, with the channels that are staged.
static void hk_convolve_staged(
    const hk_convolution *c, const hk_plane_stage *s, hk_plane_tile t, size_t image, size_t row, size_t rows, size_t column,
    size_t end, const float *stage, bool begins, bool ends) {
    const hk_window *w = &c->window;
    const hk_epilogue *e = &c->epilogue;
    const float *before = e->residual_after ? NULL : e->residual, *after = e->residual_after ? e->residual : NULL;
    const float *weights = t.weights;
    const bool has_finish = ends && hk_has_finish(e);
    for (size_t r = 0; r < rows; r++) {
        const ptrdiff_t top = (ptrdiff_t)((row + r) * w->stride_y) - (ptrdiff_t)w->top;
        const hk_taps taps = hk_inside(top, w->dilation_y, w->kernel_height, c->height);
        t.first_tap = taps.from;
        t.end_tap = taps.to;
        const float *staged = stage + (r * w->stride_y + taps.from * w->dilation_y) * s->row;
        for (size_t output = 0, outputs = 0; output < c->output_channels; output += outputs) {
            const size_t at = (image * c->output_channels + output) * t.plane + (row + r) * c->output_width;
            t.weights = weights + output;
            t.bias = begins && e->bias ? e->bias + output : NULL;
            for (size_t x = column; x < end; x += t.count) {
                const hk_plane_kind *kind = hk_choose_planes(end - x, c->output_channels - output);
                outputs = kind->outputs;
                t.count = end - x < kind->vectors * HK_LANES ? end - x : kind->vectors * HK_LANES;
                t.staged = staged + (x - column);
                t.output = c->output + at + x;
                // The residual may be the output itself, from which later passes go on.
                t.start = !begins ? t.output : before ? before + at + x : NULL;
                kind->code(&t);
            }
            for (size_t o = 0; has_finish && o < outputs; o++) {
                const size_t from = at + o * t.plane + column;
                hk_finish(e, after ? after + from : NULL, end - column, c->output + from);
            }
        }
    }
}

static void hk_convolve_planes(const hk_convolution *c, const hk_part *part) {
    enum { MARGIN = HK_PLANE_COLUMNS };  // that the last tile may read past the last row
    _Alignas(64) float stage[HK_PLANE_ROOM + MARGIN];
    size_t starts[HK_PLANE_STRIDE];
    const hk_window *w = &c->window;
    const hk_plane_stage s = hk_plane_stage_of(c, part);
    const hk_clamp all = hk_clamp_of(HK_IDENTITY, 0, 0);
    const hk_clamp clamp = hk_clamp_of(c->epilogue.function, c->epilogue.a, c->epilogue.b);
    // The fewest columns after which a tap is in the same phase again.
    size_t turns = 1;
    while (turns * w->dilation_x % w->stride_x != 0) turns++;
    hk_plane_tile t = {
        .channel_step = s.channel, .tap_step = s.row * w->dilation_y,
        .starts = starts, .turns = turns, .step = turns * w->dilation_x / w->stride_x,
        .weight_step = c->output_channels, .kernel_height = w->kernel_height, .kernel_width = w->kernel_width,
        .plane = c->output_height * c->output_width,
    };
    for (size_t turn = 0; turn < turns; turn++) {
        const size_t at = turn * w->dilation_x;
        starts[turn] = at % w->stride_x * s.phase + at / w->stride_x;
    }
    memset(stage + s.channels * s.channel, 0, MARGIN * sizeof *stage);
    for (size_t column = part->first_column; column < part->end_column; column += s.columns) {
        const size_t left = part->end_column - column, end = column + (left < s.columns ? left : s.columns);
        for (size_t row = part->first_row; row < part->end_row; row += s.rows) {
            const size_t rows = part->end_row - row < s.rows ? part->end_row - row : s.rows;
            for (size_t channel = 0, channels; channel < c->channels; channel += channels) {
                // Up to the end of a block.
                const size_t more = c->channels - channel, inside = HK_BLOCK - channel % HK_BLOCK;
                channels = s.channels < inside ? s.channels : inside;
                channels = channels < more ? channels : more;
                const bool ends = channel + channels == c->channels;
                hk_stage_planes(c, &s, part->image, channel, channels, row, rows, column, stage);
                t.channels = channels;
                t.clamp = ends ? clamp : all;
                t.weights = c->weights + channel * w->kernel_height * w->kernel_width * c->output_channels;
                hk_convolve_staged(c, &s, t, part->image, row, rows, column, end, stage, channel == 0, ends);
            }
        }
    }
}

#endif
