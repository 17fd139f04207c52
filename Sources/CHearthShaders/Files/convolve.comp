#version 450
// A convolution of pictures whose channels are in blocks of 16, or of a plain one, or of each channel by itself, or to a plain
// one. 16 threads have the channels of a block, and each of them TILE neighbouring positions; weights are packed as for the
// kernels of the CPU.
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "functions.glsl"
layout(constant_id = 0) const uint FORM = 0u;
const uint DIRECT = 0u, PLAIN = 1u, DEPTHWISE = 2u, PLANES = 3u;
const uint TILE = 4u;
layout(local_size_x = 64) in;
layout(push_constant) uniform Arguments {
    uvec2 x;
    uvec2 weights;
    uvec2 bias;  // null for none, as the residual
    uvec2 residual;
    uvec2 y;
    uint channels;
    uint height;
    uint width;
    uint y_blocks;
    uint y_height;
    uint y_width;
    uint kernel_height;
    uint kernel_width;
    uint stride_y;
    uint stride_x;
    uint dilation_y;
    uint dilation_x;
    int top;
    int left;
    uint group_inputs;  // of channels
    uint group_outputs;
    uint input_blocks;  // that a block of outputs depends on; to a plain picture 0 where the input is plain
    uint function;
    uint residual_last;  // whether it is added after the function
    float a;
    float b;
} a;

void main() {
    const uint lane = gl_LocalInvocationID.x % 16u;
    const uint block = gl_WorkGroupID.y % a.y_blocks;
    const uint picture = gl_WorkGroupID.y / a.y_blocks;
    const uint positions = a.y_height * a.y_width;
    const uint first = (gl_WorkGroupID.x * 4u + gl_LocalInvocationID.x / 16u) * TILE;
    const uint blocks = (a.channels + 15u) / 16u;
    const uint plane = a.height * a.width;
    const uint taps = a.kernel_height * a.kernel_width;

    // The first block of inputs, and where weights and inputs begin.
    uint first_block = block;
    uint inputs = 1u;
    uint weight = block * taps * 16u + lane;
    if (FORM == DIRECT) {
        first_block = min(block * 16u / a.group_outputs * a.group_inputs / 16u, blocks - a.input_blocks);
        inputs = min(a.input_blocks * 16u, a.channels - first_block * 16u);
        weight = block * a.input_blocks * taps * 256u + lane;
    } else if (FORM == PLAIN) {
        inputs = a.channels;
        weight = block * inputs * taps * 16u + lane;
    } else if (FORM == PLANES) {
        if (block * 16u + lane >= a.group_outputs) return;
        first_block = 0u;
        inputs = a.channels;
        weight = block * 16u + lane;
    }
    float sums[TILE];
    for (uint t = 0u; t < TILE; t++) sums[t] = 0.0;
    for (uint tap = 0u; tap < taps; tap++) {
        const int down = int(tap / a.kernel_width * a.dilation_y) - a.top;
        const int right = int(tap % a.kernel_width * a.dilation_x) - a.left;
        // Where each position finds its input in a plane; out of it where the window is beyond the picture.
        uint places[TILE];
        for (uint t = 0u; t < TILE; t++) {
            const uint position = first + t;
            const int row = int(position / a.y_width * a.stride_y) + down;
            const int column = int(position % a.y_width * a.stride_x) + right;
            const bool is_inside = position < positions && row >= 0 && row < int(a.height) && column >= 0
                && column < int(a.width);
            places[t] = is_inside ? uint(row) * a.width + uint(column) : plane;
        }
        for (uint source = 0u; source < inputs; source++) {
            float w;
            uint start;
            uint step = 16u;
            if (FORM == DIRECT) {
                w = Floats(a.weights).v[weight + ((source / 16u * taps + tap) * 16u + source % 16u) * 16u];
                start = (picture * blocks + first_block + source / 16u) * plane * 16u + source % 16u;
            } else if (FORM == PLAIN) {
                w = Floats(a.weights).v[weight + (source * taps + tap) * 16u];
                start = (picture * a.channels + source) * plane;
                step = 1u;
            } else if (FORM == PLANES) {
                w = Floats(a.weights).v[weight + (source * taps + tap) * a.group_outputs];
                const bool is_plain = a.input_blocks == 0u;
                start = is_plain ? (picture * a.channels + source) * plane
                    : (picture * blocks + source / 16u) * plane * 16u + source % 16u;
                step = is_plain ? 1u : 16u;
            } else {
                w = Floats(a.weights).v[weight + tap * 16u];
                start = (picture * blocks + block) * plane * 16u + lane;
            }
            for (uint t = 0u; t < TILE; t++) {
                if (places[t] < plane) sums[t] = fma(w, Floats(a.x).v[start + places[t] * step], sums[t]);
            }
        }
    }
    float bias = 0.0;
    if (!is_null(a.bias)) bias = Floats(a.bias).v[block * 16u + lane];
    for (uint t = 0u; t < TILE; t++) {
        if (first + t >= positions) break;
        uint to = (gl_WorkGroupID.y * positions + first + t) * 16u + lane;
        if (FORM == PLANES) to = (picture * a.group_outputs + block * 16u + lane) * positions + first + t;
        float value = sums[t] + bias;
        float residual = 0.0;
        if (!is_null(a.residual)) residual = Floats(a.residual).v[to];
        if (a.residual_last == 0u) value += residual;
        value = function_of(a.function, a.a, a.b, value);
        if (a.residual_last != 0u) value += residual;
        Floats(a.y).v[to] = value;
    }
}
