#version 450
// The maximum or mean of windows of pictures whose channels are in blocks of 16: 16 channels of four positions a group.
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
layout(local_size_x = 64) in;
layout(push_constant) uniform Arguments {
    uvec2 x;
    uvec2 y;
    uint height;
    uint width;
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
    int bottom;
    int right;
    uint averages;
    uint counts_padding;
} a;

void main() {
    const uint lane = gl_LocalInvocationID.x % 16u;
    const uint position = gl_WorkGroupID.x * 4u + gl_LocalInvocationID.x / 16u;
    if (position >= a.y_height * a.y_width) return;
    const int row = int(position / a.y_width * a.stride_y) - a.top;
    const int column = int(position % a.y_width * a.stride_x) - a.left;
    const uint start = gl_WorkGroupID.y * a.height * a.width * 16u + lane;
    // What a window without a value gives, as on the CPU: no number is below, and the sum is nothing.
    float best = uintBitsToFloat(0xff800000u);
    float sum = 0.0;
    uint found = 0u;
    uint counted = 0u;
    for (uint i = 0u; i < a.kernel_height; i++) {
        const int y = row + int(i * a.dilation_y);
        if (y >= int(a.height) + a.bottom) break;
        for (uint j = 0u; j < a.kernel_width; j++) {
            const int x = column + int(j * a.dilation_x);
            if (x >= int(a.width) + a.right) break;
            // Padding counts, what sizes were rounded up by does not.
            counted++;
            if (y < 0 || y >= int(a.height) || x < 0 || x >= int(a.width)) continue;
            const float value = Floats(a.x).v[start + (uint(y) * a.width + uint(x)) * 16u];
            // NaN stays.
            best = value > best || isnan(value) ? value : best;
            sum += value;
            found++;
        }
    }
    const uint divisor = a.counts_padding != 0u ? counted : found;
    const uint to = (gl_WorkGroupID.y * a.y_height * a.y_width + position) * 16u + lane;
    Floats(a.y).v[to] = a.averages != 0u ? sum / float(max(divisor, 1u)) : best;
}
