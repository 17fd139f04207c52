#version 450
// Channels of pictures to channels of others, each either plain or in blocks of 16. What fills up the last block is zero.
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
layout(local_size_x = 64) in;
layout(push_constant) uniform Arguments {
    uvec2 x;
    uvec2 y;
    uint pictures;
    uint positions;
    uint count;   // of channels
    uint filled;  // up to so many channels, from the count on
    uint first;
    uint y_first;
    uint y_step;
    uint x_channels;
    uint y_channels;
    uint x_is_plain;
    uint y_is_plain;
} a;

uint place(uint picture, uint channel, uint position, uint channels, uint is_plain) {
    if (is_plain != 0u) return (picture * channels + channel) * a.positions + position;
    return ((picture * ((channels + 15u) / 16u) + channel / 16u) * a.positions + position) * 16u + channel % 16u;
}

void main() {
    const uint each = max(a.count, a.filled);
    const uint all = a.pictures * each * a.positions;
    for (uint i = gl_GlobalInvocationID.x; i < all; i += gl_NumWorkGroups.x * 64u) {
        const uint position = i % a.positions;
        const uint channel = i / a.positions % each;
        const uint picture = i / (a.positions * each);
        float value = 0.0;
        if (channel < a.count) {
            value = Floats(a.x).v[place(picture, a.first + channel, position, a.x_channels, a.x_is_plain)];
        }
        const uint to = a.y_first + channel * a.y_step;
        Floats(a.y).v[place(picture, to, position, a.y_channels, a.y_is_plain)] = value;
    }
}
