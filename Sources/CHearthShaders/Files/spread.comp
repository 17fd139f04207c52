#version 450
// Each head of a row times a Hadamard matrix over the square root of its size, in blocks of the largest power of two that divides
// the head's width. It is its own inverse.
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
layout(local_size_x = 64) in;
layout(push_constant) uniform Arguments {
    uvec2 x;
    uint width;  // of a head, at most 512 and even
    uint stride;
} a;

shared float values[512];

void main() {
    const uint lane = gl_LocalInvocationID.x;
    const uint start = gl_WorkGroupID.y * a.stride + gl_WorkGroupID.x * a.width;
    Floats x = Floats(a.x);
    for (uint i = lane; i < a.width; i += 64u) values[i] = x.v[start + i];
    barrier();
    const uint size = a.width & (~a.width + 1u);
    for (uint half_of = 1u; half_of < size; half_of *= 2u) {
        for (uint pair = lane; pair < a.width / 2u; pair += 64u) {
            const uint low = pair / half_of * 2u * half_of + pair % half_of;
            const float one = values[low];
            const float other = values[low + half_of];
            values[low] = one + other;
            values[low + half_of] = one - other;
        }
        barrier();
    }
    const float factor = 1.0 / sqrt(float(size));
    for (uint i = lane; i < a.width; i += 64u) x.v[start + i] = values[i] * factor;
}
