#version 450
// y = f(x * scale + shift), value by value; scales and shifts are of the channels of pictures in blocks of 16, or null.
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "functions.glsl"
layout(local_size_x = 64) in;
layout(push_constant) uniform Arguments {
    uvec2 x;
    uvec2 scale;
    uvec2 shift;
    uvec2 y;
    uint count;
    uint positions;  // of a picture
    uint blocks;
    uint function;
    float a;
    float b;
} a;

void main() {
    for (uint i = gl_GlobalInvocationID.x; i < a.count; i += gl_NumWorkGroups.x * 64u) {
        const uint channel = i / (a.positions * 16u) % a.blocks * 16u + i % 16u;
        float value = Floats(a.x).v[i];
        if (!is_null(a.scale)) value *= Floats(a.scale).v[channel];
        if (!is_null(a.shift)) value += Floats(a.shift).v[channel];
        Floats(a.y).v[i] = function_of(a.function, a.a, a.b, value);
    }
}
