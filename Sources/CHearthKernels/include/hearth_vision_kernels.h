// Float32 kernels for networks that look at pictures: one function table an instruction set, reached through
// `hk_kernels.vision`. Every function is pure and allocates nothing; sizes and overlaps are checked by the caller.
//
// Layouts. "Blocked": [image][channels / 16, rounded up][height][width][16], the layout of convolutions; the block is
// 16 in every set, so packed weights and plans do not depend on the set. Lanes past the last channel may hold anything
// and never reach a result. "Plain": row-major, [image][channels][height][width] for a picture.
// A blocked tensor of 1 x 1 pictures is a plain matrix whose rows are padded to whole blocks.
#ifndef HEARTH_VISION_KERNELS_H
#define HEARTH_VISION_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { HK_BLOCK = 16, HK_RANK = 6 };

// Functions of one value x with parameters a and b.
typedef enum hk_function {
    HK_IDENTITY,
    HK_RELU,
    HK_CLIP,          // min(max(x, a), b)
    HK_LEAKY_RELU,    // x >= 0 ? x : a x
    HK_THRESHOLDED,   // x >= a ? x : 0
    HK_CLAMPED_RELU,  // min(b, x >= 0 ? x : a x)
    HK_LINEAR,        // a x + b
    HK_SIGMOID,
    HK_HARD_SIGMOID,  // clamp(a x + b, 0, 1)
    HK_HARD_SWISH,    // x clamp(a x + b, 0, 1)
    HK_SILU,          // x sigmoid(x)
    HK_GELU,          // x / 2 (1 + erf(x / sqrt 2))
    HK_GELU_TANH,
    HK_GELU_SIGMOID,  // x sigmoid(1.702 x)
    HK_TANH,
    HK_SCALED_TANH,   // a tanh(b x)
    HK_ELU,           // x >= 0 ? x : a (e^x - 1)
    HK_SOFTPLUS,      // log(1 + e^x)
    HK_SOFTSIGN,      // x / (1 + |x|)
    HK_EXP,
    HK_LOG,    // log(x + a)
    HK_SQRT,
    HK_RSQRT,  // 1 / sqrt(x + a)
    HK_INVERSE,  // 1 / (x + a)
    HK_ERF,
    HK_ABS,
    HK_SQUARE,
    HK_FLOOR,
    HK_CEIL,
    HK_ROUND,  // half to even
    HK_SIGN,
    HK_NOT,       // x == 0 ? 1 : 0
    HK_TRUNCATE,  // toward zero
    HK_TRUTH,     // x == 0 ? 0 : 1
    HK_FUNCTIONS
} hk_function;

// Functions of two values x, y.
typedef enum hk_binary {
    HK_ADD,
    HK_SUBTRACT,
    HK_MULTIPLY,
    HK_DIVIDE,
    HK_MAXIMUM,
    HK_MINIMUM,
    HK_POWER,
    HK_PRELU,  // x >= 0 ? x : y x
    // 1 where it holds, else 0: for NaN only HK_NOT_EQUAL holds. HK_AND and HK_OR take all that is not 0, NaN too, as true.
    HK_EQUAL,
    HK_NOT_EQUAL,
    HK_LESS,
    HK_LESS_OR_EQUAL,
    HK_GREATER,
    HK_GREATER_OR_EQUAL,
    HK_AND,
    HK_OR,
    HK_BINARIES
} hk_binary;

typedef enum hk_reduction { HK_REDUCE_SUM, HK_REDUCE_MEAN, HK_REDUCE_MAX, HK_REDUCE_MIN } hk_reduction;

// What happens to a result before it is stored: + bias (+ residual), function (+ residual).
typedef struct hk_epilogue {
    const float *bias;      // one value an output channel, padded to whole blocks, or NULL
    const float *residual;  // laid out as the output, or NULL; may be the output itself
    bool residual_after;    // added after the function instead of before
    hk_function function;
    float a, b;
} hk_epilogue;

typedef struct hk_window {
    size_t kernel_height, kernel_width;
    size_t stride_y, stride_x;
    size_t dilation_y, dilation_x;
    size_t top, left;  // padding; what is needed at the bottom and on the right follows from the output's size
} hk_window;

typedef enum hk_coding {
    HK_CODED_FLOAT,    // four bytes each
    HK_CODED_HALF,     // two bytes each
    HK_CODED_PALETTE,  // tables[stretch][code]
    HK_CODED_AFFINE,   // (code - offset) * scale, then rounded to half precision where `rounds_to_half`
} hk_coding;

// Packed weights in fewer bytes. They come in rows of 16 lanes: an output block is a run of rows, a row is one input of
// one tap. Code i of a row is bits [i * bits, (i + 1) * bits) of its 2 * bits bytes; row follows row. A stretch is a
// number of rows with a table, or scales and offsets of their own, from the first row of all on.
// Past the last row HK_CODED_MARGIN bytes are readable.
enum { HK_CODED_MARGIN = 16 };
typedef struct hk_coded {
    hk_coding coding;
    size_t bits;            // of a code, 1 to 8
    const uint8_t *codes;   // or the numbers themselves
    const float *tables;    // 1 << bits values a stretch
    const uint8_t *scales;  // 16 a stretch, floats or halves
    const uint8_t *offsets;  // laid out as the scales, or NULL: `offset` for all
    bool half_parameters, rounds_to_half;
    float offset;
    size_t stretch;  // rows
} hk_coded;

// Floats that a part expands coded weights into, on its stack: what a second-level cache holds.
enum { HK_PANEL = 64 << 10 };

// Cross-correlation. The input is blocked, or plain (few channels: the first layer); the output is blocked, or plain where it
// is computed by `convolve_planes`, whose weights are in another order.
// Weights: for every output block, [input block][kernel row][kernel column][16 inputs][16 outputs] with a blocked
// input, [input channel][kernel row][kernel column][16 outputs] with a plain one. Where channels come in groups, an
// output block meets `input_blocks` blocks from the one that holds its first input on.
typedef struct hk_convolution {
    const float *input, *weights;
    const hk_coded *coded;  // instead of `weights`, or NULL; see hk_takes_coded
    float *output;
    hk_epilogue epilogue;
    hk_window window;
    bool plain;
    size_t channels, height, width;
    size_t output_channels, output_height, output_width;
    size_t group_inputs, group_outputs;  // channels in a group, in and out
    size_t input_blocks;                 // that one output block meets (plain: channels)
    size_t input_chunk;                  // of them, taken at a time, so that their weights stay in the cache
    // Set by hk_plan_convolution where Winograd's products are fewer: `transformed` then holds so many floats, which
    // transform_weights makes of `weights`.
    size_t transformed_count;
    const float *transformed;
} hk_convolution;

// What one thread computes at a time from transformed weights: tiles of four results, and most blocks of outputs, which is what a
// part has; and the products of a tile.
enum { HK_WINOGRAD_TILES = 28, HK_WINOGRAD_OUTPUTS = 4, HK_WINOGRAD_PLACES = 16 };

// Lines of tiles over so many rows, or tiles over so many columns. With a dilation a tile's two results are as far apart.
static inline size_t hk_winograd_lines(size_t results, size_t dilation) {
    return (results + 2 * dilation - 1) / (2 * dilation) * dilation;
}

// Floats of input rows that a part of `convolve_planes` stages on its stack, the columns of its widest tile, and its largest
// horizontal stride.
enum { HK_PLANE_ROOM = 32 << 10, HK_PLANE_COLUMNS = 192, HK_PLANE_STRIDE = 4 };

// A part of a convolution or pooling: one image, output blocks, rows and columns from ..< to.
typedef struct hk_part {
    size_t image;
    size_t first_block, end_block;
    size_t first_row, end_row;
    size_t first_column, end_column;
} hk_part;

// One filter a channel. Blocked in and out; weights [block][kernel row][kernel column][16].
typedef struct hk_depthwise {
    const float *input, *weights;
    float *output;
    hk_epilogue epilogue;
    hk_window window;
    size_t blocks, height, width, output_height, output_width;
} hk_depthwise;

// Blocked in and out. Padding never wins a maximum.
typedef struct hk_pooling {
    const float *input;
    float *output;
    hk_window window;
    bool average;
    bool counts_padding;  // padding within [-top, height + bottom) counts in the divisor; what overhangs never does
    size_t bottom, right;
    size_t blocks, height, width, output_height, output_width;
} hk_pooling;

// y[row][column] = epilogue(sum over k of x[row][k] w[k][column]), all plain.
// Weights: [column / 16][k][16], the inner size padded with zeros to a multiple of 16.
typedef struct hk_product {
    const float *x, *weights;
    const hk_coded *coded;  // instead of `weights`, or NULL; `inner` is 16 * (HK_PANEL / 256) at most then
    float *y;
    hk_epilogue epilogue;
    size_t inner, columns;
    size_t x_row, x_inner;  // floats between rows, and between values of a row
    size_t y_row;
    float scale;  // of the sum, before the bias; 1 in most
} hk_product;

// Elements in[sum of index * in_stride] to out[...]: transposes, slices, tiles, joins.
typedef struct hk_copy {
    const float *input;
    float *output;
    size_t size[HK_RANK];  // the last dimension is the innermost
    ptrdiff_t input_stride[HK_RANK], output_stride[HK_RANK];
} hk_copy;

// out = x ? y elementwise; stride 0 repeats. The output is dense.
typedef struct hk_combination {
    const float *x, *y;
    float *output;
    hk_binary operation;
    hk_function function;  // of the result
    float a, b;
    size_t size[HK_RANK];
    ptrdiff_t x_stride[HK_RANK], y_stride[HK_RANK];
} hk_combination;

// Channels of a blocked tensor to channels of another: out channel output_first + i * output_step = in channel
// input_first + i. One image, `positions` values a channel.
typedef struct hk_channels {
    const float *input;
    float *output;
    size_t input_first, output_first, output_step, count, positions;
} hk_channels;

// Elements of an axis in order, ascending or descending; equal ones in the order of their places, NaN as infinity at the
// end. A caller sets what is above `held`, and 0 and false below.
typedef struct hk_order {
    const float *x;
    size_t step;   // floats between neighbours
    size_t kept;   // elements that are wanted
    size_t room;   // of both buffers: all elements of the axis, or HK_ORDER_ROOM more than are kept
    uint64_t *keys, *spare;
    bool ascending;
    size_t held;      // keys of elements that may be among the kept ones
    bool is_bounded;  // whether only elements below `bound` may still be
    float bound;
} hk_order;

enum { HK_ORDER_ROOM = 64 };

struct hk_byte_kernels;  // hearth_byte_kernels.h

typedef struct hk_vision_kernels {
    const char *name;

    void (*convolve)(const hk_convolution *convolution, const hk_part *part);
    // Weights of output blocks from ..< to for `convolve`, where a plan wants them.
    void (*transform_weights)(const hk_convolution *convolution, size_t first_block, size_t end_block, float *transformed);
    // For few output channels of one group: the output is plain, `weights` are as hk_pack_planes makes them, and parts have all
    // channels. The input is blocked or plain.
    void (*convolve_planes)(const hk_convolution *convolution, const hk_part *part);
    void (*convolve_depthwise)(const hk_depthwise *depthwise, const hk_part *part);
    void (*pool)(const hk_pooling *pooling, const hk_part *part);
    // Mean over the positions of the blocks from ..< to of one image: [blocks][positions][16] to [blocks][16].
    void (*average)(const float *x, size_t positions, size_t from, size_t to, float *y);
    // Rows and column blocks from ..< to.
    void (*multiply)(
        const hk_product *product, size_t first_row, size_t end_row, size_t first_block, size_t end_block);
    // Packs column blocks from ..< to of w[k * w_inner + column * w_column] as `hk_product` reads them.
    void (*pack_product)(
        const float *w, size_t inner, size_t columns, size_t w_inner, size_t w_column, size_t from, size_t to,
        float *packed);

    // y[i] = f(x[i]); y may be x.
    void (*apply)(hk_function function, float a, float b, const float *x, size_t count, float *y);
    // Outermost indices from ..< to.
    void (*combine)(const hk_combination *combination, size_t from, size_t to);
    // y[p][lane] = f(scale[lane] x[p][lane] + shift[lane]) in one block of channels; scale or shift may be NULL.
    void (*scale_shift)(
        const float *x, const float *scale, const float *shift, size_t positions, hk_function function, float a, float b,
        float *y);

    // Over `count` values that lie `stride` floats apart, for `stride` neighbours: x[count][stride]. y may be x.
    void (*softmax)(const float *x, size_t count, size_t stride, float *y);
    void (*reduce)(hk_reduction reduction, const float *x, size_t count, size_t stride, float *y);
    // The place of the first of the greatest (or least) of `count` values `stride` floats apart, for `columns` neighbours.
    // NaN is neither greater nor less: 0 where it is the first value.
    void (*find_extreme)(bool least, const float *x, size_t count, size_t stride, size_t columns, float *y);
    // Sums, in double precision, of `count` values `step` floats apart, up to each of them or to the one before it, for
    // `lanes` of them `apart` floats apart. y may be x, and is laid out as it.
    void (*running_sum)(
        const float *x, size_t count, ptrdiff_t step, size_t lanes, size_t apart, bool exclusive, float *y);
    // Takes the elements from ..< to in, after those before them.
    void (*order)(hk_order *order, size_t from, size_t to);
    // Stores the elements that are kept, once all are in, and their places, both `step` floats apart.
    void (*ordered)(hk_order *order, size_t step, float *values, float *places);
    // y = (x - mean) / sqrt(variance + epsilon) * gain + shift over count values; gain and shift may be NULL, y may be x.
    void (*layer_norm)(
        const float *x, const float *gain, const float *shift, size_t count, float epsilon, float *y);

    void (*copy)(const hk_copy *copy, size_t from, size_t to);  // outermost indices
    void (*copy_channels)(const hk_channels *channels);
    // One block of one image, [count <= 16][positions] to [positions][16] and back. Lanes past count become 0.
    void (*to_block)(const float *plain, size_t count, size_t positions, float *blocked);
    void (*from_block)(const float *blocked, size_t count, size_t positions, float *plain);

    // Rows first ..< first + count of coded weights as floats.
    void (*expand)(const hk_coded *coded, size_t first, size_t count, float *out);
    // Palettes of more bits are better expanded once than by every part that multiplies with them.
    size_t panel_bits;
    // Products of 8-bit integers.
    const struct hk_byte_kernels *bytes;

    // Multiplies and adds in registers for `rounds` rounds; returns the operations, two a multiply-add.
    size_t (*peak)(size_t rounds, float *sink);
} hk_vision_kernels;

// Whether tiles should have few positions and four blocks of outputs, where a set has such; else they have many and two. Ten
// positions are one tile of two blocks.
static inline bool hk_is_narrow(size_t positions) {
    return positions < 14 && positions != 10;
}

// Cutting work into parts that threads claim one by one, each of about 50 to 200 microseconds and with inputs and
// weights that a second-level cache holds. They return the number of parts and write at most `capacity` of them.
// A pointwise convolution without stride or padding is first flattened to one row: see `convolution` afterwards.
// `input_chunk` is set as well.
size_t hk_plan_convolution(hk_convolution *convolution, size_t images, hk_part *parts, size_t capacity);
// The same for `convolve_planes`.
size_t hk_plan_planes(hk_convolution *convolution, size_t images, hk_part *parts, size_t capacity);
// Rows of a product are columns of a part.
size_t hk_plan_product(const hk_product *product, size_t rows, hk_part *parts, size_t capacity);
// For what works row by row in each block; `row_floats` is what one output row reads and writes.
size_t hk_plan_rows(
    size_t images, size_t blocks, size_t rows, size_t columns, size_t row_floats, hk_part *parts, size_t capacity);

// Packs weights [outputs][inputs of a group][kernel height][kernel width] for the output blocks that `convolution`
// describes (only sizes are read); `packed` holds blocks * hk_packed_block floats.
void hk_pack_convolution(const hk_convolution *convolution, const float *weights, float *packed);
// [outputs][inputs][kernel height][kernel width] to [inputs][kernel height][kernel width][outputs], for `convolve_planes`.
void hk_pack_planes(const hk_convolution *convolution, const float *weights, float *packed);
// Whether `convolve_planes` takes a window: it has room for the rows that one output row reads, and skips few of them.
bool hk_takes_planes(const hk_convolution *convolution);
// Whether a convolution can expand coded weights as it goes: one input block of all taps fits into a panel.
bool hk_takes_coded(const hk_convolution *convolution);
// Floats of packed weights an output block.
size_t hk_packed_block(const hk_convolution *convolution);
// [channels][kernel height * kernel width] to [block][kernel height * kernel width][16].
void hk_pack_depthwise(const float *weights, size_t channels, size_t taps, float *packed);
// The first input block that meets output block `block`.
size_t hk_first_input(const hk_convolution *convolution, size_t block);

#ifdef __cplusplus
}
#endif

#endif
