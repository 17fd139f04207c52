#version 450
// Rotates the heads of a row by the angles of its position: pairs (i, i + width / 2). A row of angles is cosines, then sines.
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
layout(local_size_x = 64) in;
layout(push_constant) uniform Arguments {
    uvec2 x;
    uvec2 angles;
    uint heads;
    uint width;  // of a head
    uint stride;
} a;

void main() {
    const uint pairs = a.width / 2u;
    const uint index = gl_GlobalInvocationID.x;
    if (index >= a.heads * pairs) return;
    const uint pair = index % pairs;
    const uint place = gl_WorkGroupID.y * a.stride + index / pairs * a.width + pair;
    const uint angle = gl_WorkGroupID.y * a.width + pair;
    Floats x = Floats(a.x);
    float c = Floats(a.angles).v[angle];
    float s = Floats(a.angles).v[angle + pairs];
    float low = x.v[place];
    float high = x.v[place + pairs];
    x.v[place] = low * c - high * s;
    x.v[place + pairs] = low * s + high * c;
}
