// Packing of weights: the same bytes for every set.
#include <string.h>

#include "hearth_vision_kernels.h"

static size_t blocks_of(size_t channels) {
    return (channels + HK_BLOCK - 1) / HK_BLOCK;
}

size_t hk_first_input(const hk_convolution *c, size_t block) {
    const size_t first = block * HK_BLOCK / c->group_outputs * c->group_inputs / HK_BLOCK;
    const size_t last = blocks_of(c->channels) - c->input_blocks;
    return first < last ? first : last;
}

size_t hk_packed_block(const hk_convolution *c) {
    const size_t taps = c->window.kernel_height * c->window.kernel_width * HK_BLOCK;
    return c->input_blocks * taps * (c->plain ? 1 : HK_BLOCK);
}

bool hk_takes_coded(const hk_convolution *c) {
    return !c->plain && hk_packed_block(c) / c->input_blocks <= HK_PANEL;
}

void hk_pack_convolution(const hk_convolution *c, const float *weights, float *packed) {
    const size_t taps = c->window.kernel_height * c->window.kernel_width, unit = c->plain ? 1 : HK_BLOCK;
    for (size_t block = 0; block < blocks_of(c->output_channels); block++) {
        const size_t first = c->plain ? 0 : hk_first_input(c, block) * HK_BLOCK;
        for (size_t input = 0; input < c->input_blocks; input++) {
            for (size_t tap = 0; tap < taps; tap++) {
                for (size_t i = 0; i < unit; i++) {
                    for (size_t lane = 0; lane < HK_BLOCK; lane++) {
                        const size_t output = block * HK_BLOCK + lane, channel = first + input * unit + i;
                        const size_t start = output / c->group_outputs * c->group_inputs;  // of the output's group
                        const bool meets = output < c->output_channels && channel >= start
                            && channel < start + c->group_inputs;
                        *packed++ = meets ? weights[(output * c->group_inputs + channel - start) * taps + tap] : 0.0f;
                    }
                }
            }
        }
    }
}

void hk_pack_planes(const hk_convolution *c, const float *weights, float *packed) {
    const size_t taps = c->channels * c->window.kernel_height * c->window.kernel_width;
    for (size_t tap = 0; tap < taps; tap++) {
        for (size_t output = 0; output < c->output_channels; output++) *packed++ = weights[output * taps + tap];
    }
}

bool hk_takes_planes(const hk_convolution *c) {
    const hk_window *w = &c->window;
    const size_t most = HK_PLANE_ROOM;
    // Rows that a dilated window skips are staged too.
    if (w->stride_x > HK_PLANE_STRIDE || (w->kernel_height > 1 && w->dilation_y > 4)) return false;
    if (w->kernel_height > most || w->kernel_width > most || w->dilation_y > most || w->dilation_x > most) return false;
    const size_t rows = (w->kernel_height - 1) * w->dilation_y + 1;
    const size_t row = HK_PLANE_COLUMNS + (w->kernel_width - 1) * w->dilation_x / w->stride_x;
    return rows <= most && row <= most && rows * row * w->stride_x <= most;
}

void hk_pack_depthwise(const float *weights, size_t channels, size_t taps, float *packed) {
    for (size_t block = 0; block < blocks_of(channels); block++) {
        for (size_t tap = 0; tap < taps; tap++) {
            for (size_t lane = 0; lane < HK_BLOCK; lane++) {
                const size_t channel = block * HK_BLOCK + lane;
                *packed++ = channel < channels ? weights[channel * taps + tap] : 0.0f;
            }
        }
    }
}
