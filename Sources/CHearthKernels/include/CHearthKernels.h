// SIMD kernels of Hearth: one function table an instruction set, picked at run time.
// Every function is pure: it reads its inputs, writes its output, keeps no state and allocates nothing.
// Sizes are checked by the caller (HearthCompute); nothing in here looks at a file.
#ifndef CHEARTHKERNELS_H
#define CHEARTHKERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hearth_byte_kernels.h"
#include "hearth_vision_kernels.h"
#include "reference.h"
#include "resampling.h"

#ifdef __cplusplus
extern "C" {
#endif

// Storage formats of weights; values are the type ids of GGUF files.
typedef enum hk_format {
    HK_F32 = 0,
    HK_F16 = 1,
    HK_Q4_0 = 2,
    HK_Q4_1 = 3,
    HK_Q5_0 = 6,
    HK_Q5_1 = 7,
    HK_Q8_0 = 8,
    HK_Q2_K = 10,
    HK_Q3_K = 11,
    HK_Q4_K = 12,
    HK_Q5_K = 13,
    HK_Q6_K = 14,
    HK_IQ2_XXS = 16,
    HK_IQ2_XS = 17,
    HK_IQ3_XXS = 18,
    HK_IQ1_S = 19,
    HK_IQ4_NL = 20,
    HK_IQ3_S = 21,
    HK_IQ2_S = 22,
    HK_IQ4_XS = 23,
    HK_IQ1_M = 29,
    HK_BF16 = 30,
    HK_TQ1_0 = 34,
    HK_TQ2_0 = 35,
    HK_MXFP4 = 39,
    HK_NVFP4 = 40,
} hk_format;

// Activations that meet quantized weights are stored as integers a = 256 * hi + lo in -16384...16384, with one float scale
// for each step of 256: x ~= scale * a. Within a step weights alone are scaled, block by block. Decoding is bound by the
// memory that weights stream from, so the second 8-bit product costs no time there and buys an error 129 times smaller
// than plain 8-bit activations.
enum { HK_ACTIVATION_BLOCK = 32, HK_STEP_PAIRS = 4 };

// Two blocks as the dot products of bytes want them.
typedef struct hk_activation_planes {
    int8_t hi[64];      // high bytes, values 0...63 in order, in -128...127
    int8_t lo[64];      // low bytes, signed: a = 256 * hi + lo
    int32_t sums[16];   // sum of each 4 consecutive a: turns an offset of the weights into one subtraction
    float scale;        // of the step that the pair belongs to
    float totals[2];    // sum of the integers 0...31 and 32...63: what a minimum of the weights multiplies
    int32_t padding[13];  // keeps every pair on its own cache lines
} hk_activation_planes;

// Two blocks as the dot products of 16-bit pairs want them.
typedef struct hk_activation_words {
    // Of four consecutive values the first and the third are neighbours, then the second and the fourth: the order in
    // which masks and shifts part the bytes of a word.
    int16_t words[64];
    float scale;        // as above
    float totals[2];
    // What an integer product starts from when weights carry an offset: -offset * sum of the group's a. Offset 0, 8
    // (and HK_START_8 more) and 16 for each block, 32 for each half of a block.
    int32_t starts[10];
    int32_t padding[3];
} hk_activation_words;

// The coarser form: a step of 256 values as signed bytes in -127...127, with one scale for each 32. One byte product a weight
// instead of two, for processors on which products and not the memory set the pace.
typedef struct hk_activation_bytes {
    int8_t values[256];
    float scales[8];     // x ~= scale * value
    int32_t sums[8];     // of each 32 values
    int16_t halves[16];  // sum of each 16 values
    int32_t offsets[8];  // -8 times the sum of each 32 values: what an offset of the weights comes to. Whole cache lines
} hk_activation_bytes;

// Where the starts of an offset begin in `starts`.
enum { HK_STARTS_0 = 0, HK_STARTS_8 = 2, HK_STARTS_16 = 4, HK_STARTS_32 = 6 };

// The bits of the float 1.5 * 2^23. The sum of 32 products of four-bit values less 8 with activations is at most 2^22 in
// magnitude, so HK_START_8 + sum, read as a float, is exactly 1.5 * 2^23 + sum.
enum { HK_START_8 = 0x4b400000 };

// Attention of the query heads that share one key/value head, for one query position, over a part of the positions that it
// sees. Positions first ..< first + count are read; position p is in row p % capacity of keys and values (a ring).
typedef struct hk_attention {
    const float *queries;  // [heads][width]
    size_t heads;
    size_t width;          // at most HK_MAXIMUM_HEAD_WIDTH
    hk_format format;      // of keys and values: HK_F32, HK_F16, HK_Q8_0 or HK_Q4_0, as pack_row writes them
    const void *keys;      // row r begins r * row_bytes further
    const void *values;
    size_t row_bytes;
    size_t capacity;       // rows of the ring
    size_t first;
    size_t count;          // at least 1
    float scale;           // multiplies q.k
    float soft_cap;        // c * tanh(score / c) if above 0
    // Of each head: the sum of exp(score - maximum) * value, the largest score, and the sum of exp(score - maximum). The
    // result of all positions is output / total; parts are put together by join_attention.
    float *output;         // [heads][width]
    float *maximum;
    float *total;
} hk_attention;

enum { HK_MAXIMUM_HEAD_WIDTH = 4096 };

typedef struct hk_kernels {
    const char *name;  // "portable", "avx2", "avx512", "neon"
    int activation_bits;  // 16 or 8: the form of activations that `quantize` writes and `multiply` reads
    // The same set with activations of 16 and of 8 bits; one of them is this table.
    const struct hk_kernels *with_words, *with_bytes;
    // Whether products with 8 bits are faster, for one token and for many: as measured, or for NEON as instructions count.
    bool prefers_bytes;

    // Whole blocks to float32; `count` is a multiple of the block length. Bit-exact in every set.
    void (*dequantize)(hk_format format, const void *blocks, size_t count, float *out);

    // x[count] to pairs; `count` is a multiple of 32. An odd last block leaves the second half of its pair zero.
    // Four pairs (256 values, a step) lie together, the next four `step_stride` pairs further: 4 puts all in a row, and
    // more lets the same step of many tokens lie together, as it is read.
    // A pair is one of the structures above, which the set chooses: it has `pair_bytes`.
    size_t pair_bytes;
    void (*quantize)(const float *x, size_t count, void *out, size_t step_stride);

    // y[t * y_stride + r] = sum over c of W[r][c] * x_t[c], weights read straight from their file layout.
    // Quantized formats: pair p of token t is x[t * x_stride + p / 4 * step_stride + p % 4].
    // F32, F16, BF16: x is float[tokens][x_stride], without steps. No alignment of `weights` is assumed beyond 1 byte.
    // A result is the same, to the last bit, whichever rows and tokens are computed with it and whichever strides x has:
    // a text may be read again in steps of any size.
    void (*multiply)(
        hk_format format, const void *weights, size_t row_bytes, size_t rows, size_t columns, const void *x,
        size_t x_stride, size_t step_stride, size_t tokens, float *y, size_t y_stride);

    // out = x / sqrt(mean(x^2) + epsilon) * gain; gain may be NULL (1), out may be x.
    void (*rms_norm)(const float *x, const float *gain, size_t count, float epsilon, float *out);
    // h += x / sqrt(mean(x^2) + epsilon) * gain
    void (*add_rms_norm)(float *h, const float *x, const float *gain, size_t count, float epsilon);
    // h += x
    void (*add)(float *h, const float *x, size_t count);
    // h += x * factor
    void (*add_scaled)(float *h, const float *x, float factor, size_t count);
    // x *= factor
    void (*scale)(float *x, float factor, size_t count);
    // out = x * y, element by element; out may be x.
    void (*multiply_each)(const float *x, const float *y, size_t count, float *out);
    // x *= sqrt(mean(target^2) / max(mean(x^2), floor)): as large as target.
    void (*match_rms)(float *x, const float *target, size_t count, float floor);
    // x = max(0, x - (mean + deviations * standard deviation)) of the count values, divided by count.
    void (*cut_below)(float *x, size_t count, float deviations);
    // out = gelu(gate) * up with the tanh form of GELU; out may be gate.
    void (*gated_gelu)(const float *gate, const float *up, size_t count, float *out);
    // x = cap * tanh(x / cap)
    void (*soft_cap)(float *x, size_t count, float cap);
    // Rotates pairs (i, i + half) of x[2 * half] by the angles whose cosines and sines are given.
    void (*rotate)(float *x, const float *cosines, const float *sines, size_t half);
    // Online softmax: never stores more than a fixed tile of scores. A head's result does not depend on the heads that are
    // computed with it.
    void (*attend)(const hk_attention *attention);
    // Adds what `other` positions gave to what some positions gave; see hk_attention.
    void (*join_attention)(
        size_t heads, size_t width, float *output, float *maximum, float *total, const float *other,
        const float *other_maximum, const float *other_total);
    // x[count] to a row of keys or values of one head: HK_F32, HK_F16, HK_Q8_0 or HK_Q4_0 with zeros behind an incomplete last
    // block.
    // Bit-exact in every set. Halves of what is finite are finite: they end at 65504.
    void (*pack_row)(hk_format format, const float *x, size_t count, void *row);
    // x[count] times an orthonormal Hadamard matrix, for each block of the largest power of two that divides `count`: spreads
    // values that stand out, and keeps products of two such vectors. Its own inverse. Bit-exact in every set.
    void (*hadamard)(float *x, size_t count);

    // Networks that look at pictures.
    const hk_vision_kernels *vision;
} hk_kernels;

// The sets that were compiled in and that this processor runs, best first; portable is always the last.
// Writes at most `capacity` pointers and returns how many there are.
size_t hk_available(const hk_kernels **out, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
