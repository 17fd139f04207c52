#version 450
// Rescales each row of x to the root mean square of the same row of another matrix; `least` bounds the mean square of x.
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "reduce.glsl"
layout(local_size_x = 64) in;
layout(push_constant) uniform Arguments {
    uvec2 x;
    uvec2 wanted;
    uint width;
    uint x_stride;
    uint wanted_stride;
    float least;
} a;

void main() {
    const uint lane = gl_LocalInvocationID.x;
    const uint x0 = gl_WorkGroupID.y * a.x_stride;
    const uint w0 = gl_WorkGroupID.y * a.wanted_stride;
    Floats x = Floats(a.x);
    Floats wanted = Floats(a.wanted);
    float found_sum = 0.0;
    float wanted_sum = 0.0;
    for (uint i = lane; i < a.width; i += 64u) {
        found_sum += x.v[x0 + i] * x.v[x0 + i];
        wanted_sum += wanted.v[w0 + i] * wanted.v[w0 + i];
    }
    const float found_square = sum_of_all(found_sum) / float(a.width);
    const float wanted_square = sum_of_all(wanted_sum) / float(a.width);
    // Written so that NaN stays NaN.
    const float factor = sqrt(wanted_square / (found_square < a.least ? a.least : found_square));
    for (uint i = lane; i < a.width; i += 64u) x.v[x0 + i] *= factor;
}
