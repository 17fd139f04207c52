#version 450
// y = a x * gain + b y, value by value; without a gain it is one. With b = 0 nothing of y is read.
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
layout(local_size_x = 64) in;
layout(push_constant) uniform Arguments {
    uvec2 x;
    uvec2 gain;  // one for each column, of all rows; null for ones
    uvec2 y;
    uint width;
    uint x_stride;
    uint y_stride;
    float a;
    float b;
} a;

void main() {
    const uint column = gl_GlobalInvocationID.x;
    if (column >= a.width) return;
    float value = Floats(a.x).v[gl_WorkGroupID.y * a.x_stride + column] * a.a;
    if (!is_null(a.gain)) value *= Floats(a.gain).v[column];
    const uint to = gl_WorkGroupID.y * a.y_stride + column;
    if (a.b != 0.0) value += a.b * Floats(a.y).v[to];
    Floats(a.y).v[to] = value;
}
