// Convolutions of codes with signed bytes, in register tiles as those of floats: `positions` results by `blocks` blocks of 16
// outputs. The taps of a kernel row lie next to each other, with all their channels, so a row is one run of products.
#ifndef HK_VISION_BYTES_H
#define HK_VISION_BYTES_H

#include "vision_codes.h"
#include "vision_tile.h"

#ifndef HK_BYTE_TILES
#define HK_BYTE_TILES(TILE) HK_TILES(TILE, TILE)
#define hk_byte_tile_blocks hk_tile_blocks
#endif

typedef struct hk_byte_tile {
    const uint8_t *input;  // tap (0, 0) of the first position
    size_t position_step, tap_row_step, run_step;  // bytes
    size_t kernel_height, runs, run;  // runs a kernel row, and products of four in a run
    const int8_t *weights;            // of the first output block
    size_t block_weights;
    const float *sums, *scales, *bias;  // of the first output block
    float offset;                       // what a sum of weights counts at the start
    const hk_byte_convolution *task;
    float *output;
    const float *residual;  // where the output is, or NULL
    uint8_t *codes;
    size_t last_lanes;  // of the last block
    hk_clamp clamp;
    hk_rounding rounding;
    bool is_simple;  // a clamp and nothing added
} hk_byte_tile;

HK_INLINE hk_lanes hk_scaled_sums(const int32_t *sums, hk_lanes scales, hk_lanes bias) {
#pragma clang fp contract(off)
    hk_lanes v;
    HK_UNROLL for (int k = 0; k < HK_PARTS; k++) {
        hk_integers whole;
        memcpy(&whole, sums + k * HK_LANES, sizeof whole);
        v.part[k] = __builtin_convertvector(whole, hk_vector) * scales.part[k];
    }
    return hk_add_block(v, bias);
}

// What a clamp does not do, by way of memory.
static __attribute__((noinline)) hk_lanes hk_finished_bytes(
    const hk_epilogue *e, const float *residual, size_t lanes, hk_lanes v) {
    float values[HK_BLOCK];
    hk_store_block(values, v);
    for (size_t i = 0; residual && !e->residual_after && i < lanes; i++) values[i] += residual[i];
    hk_apply(e->function, e->a, e->b, values, HK_BLOCK, values);
    for (size_t i = 0; residual && e->residual_after && i < lanes; i++) values[i] += residual[i];
    return hk_load_block(values);
}

// Sums in the order [position][block][16]. Code of its own, because it would be most of every tile's.
static __attribute__((noinline)) void hk_end_bytes(
    const hk_byte_tile *t, const int32_t *sums, size_t positions, size_t blocks) {
    const hk_byte_convolution *c = t->task;
    const hk_rounding rounding = t->rounding;
    const hk_clamp clamp = t->clamp;
    for (size_t b = 0; b < blocks; b++) {
        const size_t lanes = b + 1 == blocks ? t->last_lanes : HK_BLOCK;
        const hk_lanes scales = hk_load_block(t->scales + b * HK_BLOCK);
        // 0 is added where there is no bias: -0 becomes 0, in every set.
        const hk_lanes bias = t->bias ? hk_load_block(t->bias + b * HK_BLOCK) : hk_every_lane(0);
        if (t->is_simple && t->codes && lanes == HK_BLOCK) {
            uint8_t *to = t->codes + b * HK_BLOCK;
            for (size_t p = 0; p < positions; p++, to += c->codes.channels) {
                hk_store_codes(
                    to, hk_scaled_sums(sums + (p * blocks + b) * HK_BLOCK, scales, bias), &rounding, HK_BLOCK);
            }
            continue;
        }
        for (size_t p = 0; p < positions; p++) {
            const size_t at = p * c->output_position + b * c->output_block;
            hk_lanes v = hk_scaled_sums(sums + (p * blocks + b) * HK_BLOCK, scales, bias);
            if (t->is_simple) v = hk_clamped(v, clamp);
            else v = hk_finished_bytes(&c->epilogue, t->residual ? t->residual + at : NULL, lanes, v);
            if (t->codes) hk_store_codes(t->codes + p * c->codes.channels + b * HK_BLOCK, v, &rounding, lanes);
            else hk_store_lanes(t->output + at, v, lanes);
        }
    }
}

HK_INLINE void hk_store_sums(int32_t *to, hk_sums sums) {
    HK_UNROLL for (int k = 0; k < HK_PARTS; k++) memcpy(to + k * HK_LANES, &sums.part[k], sizeof sums.part[k]);
}

HK_INLINE hk_sums hk_first_sums(const float *sums, float offset) {
    hk_sums first;
    const hk_lanes v = hk_load_block(sums);
    HK_UNROLL for (int k = 0; k < HK_PARTS; k++) {
        first.part[k] = __builtin_convertvector(v.part[k], hk_integers) * (int32_t)offset;
    }
    return first;
}

HK_INLINE void hk_compute_bytes(const hk_byte_tile *t, size_t positions, size_t blocks) {
    hk_sums sums[HK_MAX_POSITIONS * 4];
    HK_UNROLL for (size_t b = 0; b < blocks; b++) {
        const hk_sums first = hk_first_sums(t->sums + b * HK_BLOCK, t->offset);
        HK_UNROLL for (size_t p = 0; p < positions; p++) sums[p * blocks + b] = first;
    }
    const int8_t *w = t->weights;
    const size_t step = t->position_step, block_weights = t->block_weights, run = t->run;
    for (size_t ky = 0; ky < t->kernel_height; ky++) {
        for (size_t r = 0; r < t->runs; r++) {
            const uint8_t *x = t->input + ky * t->tap_row_step + r * t->run_step;
            _Pragma("clang loop unroll(disable)") for (size_t i = 0; i < run; i++, x += 4, w += 4 * HK_BLOCK) {
                hk_four_weights weights[4];
                HK_UNROLL for (size_t b = 0; b < blocks; b++) {
                    weights[b] = hk_load_four_weights(w + b * block_weights);
                    __builtin_prefetch(w + b * block_weights + HK_WEIGHTS_AHEAD * 64, 0, 3);
                }
                HK_UNROLL for (size_t p = 0; p < positions; p++) {
                    const hk_four_codes codes = hk_load_four_codes(x + p * step);
                    HK_UNROLL for (size_t b = 0; b < blocks; b++) {
                        sums[p * blocks + b] = hk_add_products(sums[p * blocks + b], codes, weights[b]);
                    }
                }
            }
        }
    }
    _Alignas(64) int32_t results[HK_MAX_POSITIONS * 2 * HK_BLOCK];
    HK_UNROLL for (size_t i = 0; i < positions * blocks; i++) hk_store_sums(results + i * HK_BLOCK, sums[i]);
    hk_end_bytes(t, results, positions, blocks);
}

#define HK_DEFINE_BYTE_TILE(positions, blocks)                                                                        \
    static __attribute__((noinline)) void hk_byte_tile_##positions##_##blocks(const hk_byte_tile *t) {                \
        hk_compute_bytes(t, positions, blocks);                                                                       \
    }
HK_BYTE_TILES(HK_DEFINE_BYTE_TILE)

typedef struct {
    size_t positions, blocks;
    void (*code)(const hk_byte_tile *t);
} hk_byte_tile_kind;

#define HK_LIST_BYTE_TILE(positions, blocks) {positions, blocks, hk_byte_tile_##positions##_##blocks},
static const hk_byte_tile_kind hk_byte_tile_kinds[] = {HK_BYTE_TILES(HK_LIST_BYTE_TILE)};

// The widest tile of so many blocks that fits the positions left.
HK_INLINE const hk_byte_tile_kind *hk_choose_byte_tile(size_t positions, size_t blocks) {
    const hk_byte_tile_kind *kind = hk_byte_tile_kinds;
    while (kind->blocks != blocks || kind->positions > positions) kind++;
    return kind;
}

// Positions of a depthwise product that are finished at once.
enum { HK_DEPTHWISE_ROW = 64 };

// Each channel of codes meets a filter of its own. Lanes past the last channel meet weights of 0.
HK_INLINE void hk_sum_depthwise(const hk_byte_tile *t, const uint8_t *input, size_t positions, int32_t *results) {
    typedef int8_t bytes __attribute__((ext_vector_type(HK_LANES)));
    hk_sums sums[8];
    const hk_sums first = hk_first_sums(t->sums, t->offset);
    HK_UNROLL for (size_t p = 0; p < positions; p++) sums[p] = first;
    const int8_t *w = t->weights;
    const size_t taps = t->runs, step = t->position_step, run_step = t->run_step;
    for (size_t ky = 0; ky < t->kernel_height; ky++) {
        const uint8_t *x = input + ky * t->tap_row_step;
        for (size_t kx = 0; kx < taps; kx++, x += run_step, w += HK_BLOCK) {
            HK_UNROLL for (int k = 0; k < HK_PARTS; k++) {
                bytes narrow;
                memcpy(&narrow, w + k * HK_LANES, sizeof narrow);
                const hk_integers weights = __builtin_convertvector(narrow, hk_integers);
                HK_UNROLL for (size_t p = 0; p < positions; p++) {
                    const hk_integers codes = hk_load_codes(x + p * step + k * HK_LANES);
                    sums[p].part[k] = hk_add_each(sums[p].part[k], codes, weights);
                }
            }
        }
    }
    HK_UNROLL for (size_t p = 0; p < positions; p++) hk_store_sums(results + p * HK_BLOCK, sums[p]);
}

// Three neighbouring taps a row, the most frequent form: each column of codes is read once.
HK_INLINE void hk_sum_three_taps(
    const hk_byte_tile *t, const uint8_t *input, size_t stride, size_t positions, int32_t *results) {
    typedef int8_t bytes __attribute__((ext_vector_type(HK_LANES)));
    const hk_sums first = hk_first_sums(t->sums, t->offset);
    const size_t step = t->run_step, rows = t->kernel_height, row_step = t->tap_row_step;
    HK_UNROLL for (int k = 0; k < HK_PARTS; k++) {
        hk_integers sums[8];
        HK_UNROLL for (size_t p = 0; p < positions; p++) sums[p] = first.part[k];
        for (size_t ky = 0; ky < rows; ky++) {
            hk_integers weights[3];
            HK_UNROLL for (size_t i = 0; i < 3; i++) {
                bytes narrow;
                memcpy(&narrow, t->weights + (ky * 3 + i) * HK_BLOCK + k * HK_LANES, sizeof narrow);
                weights[i] = __builtin_convertvector(narrow, hk_integers);
            }
            const uint8_t *x = input + ky * row_step + k * HK_LANES;
            HK_UNROLL for (size_t column = 0; column < (positions - 1) * stride + 3; column++, x += step) {
                const hk_integers codes = hk_load_codes(x);
                HK_UNROLL for (size_t i = 0; i < 3; i++) {
                    if (column < i || (column - i) % stride || (column - i) / stride >= positions) continue;
                    const size_t p = (column - i) / stride;
                    sums[p] = hk_add_each(sums[p], codes, weights[i]);
                }
            }
        }
        HK_UNROLL for (size_t p = 0; p < positions; p++) {
            memcpy(results + p * HK_BLOCK + k * HK_LANES, &sums[p], sizeof sums[p]);
        }
    }
}

static __attribute__((noinline)) void hk_depthwise_bytes(const hk_byte_tile *t, size_t positions) {
    _Alignas(64) int32_t results[HK_DEPTHWISE_ROW * HK_BLOCK];
    size_t p = 0;
    const hk_window *window = &t->task->window;
    const size_t stride = window->dilation_x == 1 ? window->stride_x : 0;  // 0: taps that are no neighbours
    if (t->runs == 3 && stride == 1) {
        for (; p + HK_DEPTHWISE_RUN <= positions; p += HK_DEPTHWISE_RUN) {
            hk_sum_three_taps(t, t->input + p * t->position_step, 1, HK_DEPTHWISE_RUN, results + p * HK_BLOCK);
        }
        for (; HK_DEPTHWISE_RUN > 3 && p + 3 <= positions; p += 3) {
            hk_sum_three_taps(t, t->input + p * t->position_step, 1, 3, results + p * HK_BLOCK);
        }
    } else if (t->runs == 3 && stride == 2) {
        for (; p + HK_DEPTHWISE_RUN <= positions; p += HK_DEPTHWISE_RUN) {
            hk_sum_three_taps(t, t->input + p * t->position_step, 2, HK_DEPTHWISE_RUN, results + p * HK_BLOCK);
        }
    }
    for (; p + HK_DEPTHWISE_RUN <= positions; p += HK_DEPTHWISE_RUN) {
        hk_sum_depthwise(t, t->input + p * t->position_step, HK_DEPTHWISE_RUN, results + p * HK_BLOCK);
    }
    for (; HK_DEPTHWISE_RUN > 4 && p + 4 <= positions; p += 4) {
        hk_sum_depthwise(t, t->input + p * t->position_step, 4, results + p * HK_BLOCK);
    }
    for (; p < positions; p++) hk_sum_depthwise(t, t->input + p * t->position_step, 1, results + p * HK_BLOCK);
    hk_end_bytes(t, results, positions, 1);
}

// All positions of a part for `blocks` output blocks from `block` on.
static void hk_convolve_byte_blocks(
    const hk_byte_convolution *c, const hk_part *part, const hk_byte_tile *task, size_t block, size_t blocks) {
    hk_byte_tile t = *task;
    const hk_codes *in = &c->input;
    const size_t up = in->top - c->window.top, before = in->left - c->window.left;
    const size_t channel = c->depthwise ? block * HK_BLOCK : hk_first_block_input(c, block);
    for (size_t row = part->first_row; row < part->end_row; row++) {
        for (size_t column = part->first_column; column < part->end_column;) {
            const size_t left = part->end_column - column;
            size_t positions = left < HK_DEPTHWISE_ROW ? left : HK_DEPTHWISE_ROW;
            const hk_byte_tile_kind *kind = c->depthwise ? NULL : hk_choose_byte_tile(left, blocks);
            if (kind) positions = kind->positions;
            t.input = channel + hk_code_at(
                in, part->image, up + row * c->window.stride_y, before + column * c->window.stride_x);
            const size_t at = part->image * c->output_image + (row * c->output_width + column) * c->output_position
                + block * c->output_block;
            if (c->epilogue.residual) t.residual = c->epilogue.residual + at;
            if (c->output) t.output = c->output + at;
            else {
                t.codes = hk_code_at(&c->codes, part->image, c->codes.top + row, c->codes.left + column)
                    + block * HK_BLOCK;
            }
            if (kind) kind->code(&t);
            else hk_depthwise_bytes(&t, positions);
            column += positions;
        }
    }
}

static void hk_convolve_bytes(const hk_byte_convolution *c, const hk_part *part) {
    const hk_window *window = &c->window;
    const hk_codes *in = &c->input;
    const size_t taps = window->kernel_height * window->kernel_width;
    // The taps of a kernel row.
    const bool joins = window->dilation_x == 1 && !c->depthwise && c->block_inputs == in->channels;
    hk_byte_tile t = {
        .position_step = window->stride_x * in->channels,
        .tap_row_step = window->dilation_y * hk_codes_row(in), .run_step = window->dilation_x * in->channels,
        .kernel_height = window->kernel_height, .runs = joins ? 1 : window->kernel_width,
        .run = c->block_inputs / 4 * (joins ? window->kernel_width : 1),
        .block_weights = taps * (c->depthwise ? 1 : c->block_inputs) * HK_BLOCK,
        .offset = (float)((c->depthwise ? 0 : HK_CODE_OFFSET) - in->zero), .task = c,
        .clamp = hk_clamp_of(c->epilogue.function, c->epilogue.a, c->epilogue.b),
    };
    t.is_simple = t.clamp.is_clamp && !c->epilogue.residual;
    if (!c->output) {
        t.rounding = t.is_simple ? hk_clamped_rounding(&c->codes, t.clamp) : hk_rounding_of(&c->codes, false);
    }
    const size_t output_blocks = (c->output_channels + HK_BLOCK - 1) / HK_BLOCK;
    for (size_t block = part->first_block; block < part->end_block;) {
        const size_t width = part->end_column - part->first_column;
        // Blocks of one tile read the same inputs.
        size_t blocks = c->depthwise ? 1 : hk_byte_tile_blocks(part->end_block - block, width);
        if (c->groups > 1 && c->block_inputs < in->channels) blocks = 1;
        t.weights = c->weights + block * t.block_weights;
        t.sums = c->sums + block * HK_BLOCK;
        t.scales = c->scales + block * HK_BLOCK;
        t.bias = c->epilogue.bias ? c->epilogue.bias + block * HK_BLOCK : NULL;
        t.last_lanes = HK_BLOCK;
        if (block + blocks == output_blocks) {
            const size_t first = (output_blocks - 1) * HK_BLOCK;
            // A block of floats has room for all lanes; codes and rows of floats have not.
            if (!c->output) t.last_lanes = hk_code_lanes(c->codes.channels, first);
            else if (c->output_position != HK_BLOCK) t.last_lanes = hk_code_lanes(c->output_channels, first);
        }
        hk_convolve_byte_blocks(c, part, &t, block, blocks);
        block += blocks;
    }
    if (!c->output && part->first_block == 0) hk_fill_border(&c->codes, part);
}

#define HK_DEFINE_BYTE_TABLE(set)                                                                                     \
    const hk_byte_kernels hk_bytes_##set = {                                                                          \
        .convolve = hk_convolve_bytes,                                                                                \
        .quantize = hk_quantize,                                                                                      \
        .dequantize = hk_dequantize,                                                                                  \
        .add = hk_add_codes,                                                                                          \
    };

extern const hk_byte_kernels hk_bytes_portable, hk_bytes_avx2, hk_bytes_avx512, hk_bytes_neon;

#endif
