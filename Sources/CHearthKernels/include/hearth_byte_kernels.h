// Kernels for networks whose activations and weights are 8-bit integers: products in integers with sums of 32 bits, which
// are exact, so that every set computes the same codes. Reached through `hk_kernels.vision->bytes`.
#ifndef HEARTH_BYTE_KERNELS_H
#define HEARTH_BYTE_KERNELS_H

#include "hearth_vision_kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

// Tensors of codes: [image][row][column][channel], value = (code - zero) * scale. A border of rows and columns that hold
// the code of zero stands for the padding of the convolutions that read it, so that these read nothing else.
enum { HK_CODES_MARGIN = 16 };
typedef struct hk_codes {
    uint8_t *bytes;        // the start of the first image's border
    size_t height, width;  // without the border
    // Of a position in memory: a multiple of 4; those past the last channel may hold anything. Behind the last byte
    // HK_CODES_MARGIN more are readable.
    size_t channels;
    size_t top, left, bottom, right;
    float scale;
    int32_t zero;          // 0 to 255
    int32_t lowest, highest;  // of the codes, within 0 to 255
} hk_codes;

// Inner sizes (inputs times taps) up to which sums fit 32 bits, whatever the codes.
enum { HK_MOST_BYTE_PRODUCTS = 1 << 16 };

// Cross-correlation of codes with signed bytes. result = function(scale * sum of (code - zero) * weight + bias + residual), in
// this order; it becomes floats, or codes again. A row of inputs times a matrix is a convolution of one row of positions.
// Weights: for every output block, [kernel row][kernel column][inputs / 4][16 outputs][4 inputs]; of a depthwise
// one, [block][kernel row][kernel column][16]. The inputs of a block are the channels of all groups that its outputs belong to, as
// many for each block; where a group has others than an output's, the weights are 0.
typedef struct hk_byte_convolution {
    hk_codes input;
    const int8_t *weights;
    const float *sums;    // of all weights of an output, padded to whole blocks: whole numbers
    const float *scales;  // an input's scale times those of an output's weights, padded to whole blocks
    hk_epilogue epilogue;  // a residual is laid out as `output`
    float *output;         // NULL where the result is codes
    hk_codes codes;
    size_t output_position, output_block, output_image;  // floats between results
    hk_window window;
    size_t input_channels, output_channels, output_height, output_width;
    size_t groups;        // of input and output channels, of equal size; 1 for a depthwise convolution too
    size_t block_inputs;  // input channels that an output block reads, a multiple of 4: set by hk_plan_byte_convolution
    bool depthwise;
} hk_byte_convolution;

// From floats to codes and back. Blocked floats ([image][channels / 16][height][width][16]), planes ([image][channel][height][width],
// to codes only), or rows of `channels` floats.
typedef struct hk_coded_picture {
    float *floats;
    hk_codes codes;
    size_t channels;
    bool blocked, planes;
} hk_coded_picture;

// codes = function(x + y); sizes without borders are the same.
typedef struct hk_code_sum {
    hk_codes x, y, output;
    size_t channels;
    hk_function function;
    float a, b;
} hk_code_sum;

typedef struct hk_byte_kernels {
    // Parts as from hk_plan_byte_convolution. A part of the first output block writes the border of its rows too.
    void (*convolve)(const hk_byte_convolution *convolution, const hk_part *part);
    // Parts of these are rows: one image, rows from ..< to, all channels, and the border of these rows.
    void (*quantize)(const hk_coded_picture *picture, const hk_part *part);
    void (*dequantize)(const hk_coded_picture *picture, const hk_part *part);
    void (*add)(const hk_code_sum *sum, const hk_part *part);
} hk_byte_kernels;

// Bytes of one image of codes, its border included.
size_t hk_codes_image(const hk_codes *codes);
// The first input channel that an output block reads: a multiple of 4.
size_t hk_first_block_input(const hk_byte_convolution *convolution, size_t block);
// As hk_plan_convolution: pointwise convolutions without borders are flattened to one row.
size_t hk_plan_byte_convolution(
    hk_byte_convolution *convolution, size_t images, hk_part *parts, size_t capacity);
// Bytes of packed weights of all outputs.
size_t hk_packed_bytes(const hk_byte_convolution *convolution);
// Packs weights [outputs][channels / groups][kernel height][kernel width] (depthwise: [outputs][kernel height][kernel width]).
void hk_pack_bytes(const hk_byte_convolution *convolution, const int8_t *weights, int8_t *packed);

#ifdef __cplusplus
}
#endif

#endif
