#version 450
// Parallel residual streams (AltUp), n of them one after the other in a row. Their factors are W r, with n values r of the row:
//   predicted: y[i] = x[i] + sum over j of factors[i n + j] x[j]
//   corrected: y[i] = x[i] + (1 + factors[i]) (h - x[active])
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
layout(local_size_x = 64) in;
layout(push_constant) uniform Arguments {
    uvec2 x;
    uvec2 weights;  // rows of n values: n * n of them to predict, n to correct
    uvec2 routed;   // r
    uvec2 h;        // null to predict
    uvec2 y;        // not x
    uint count;     // n, at most 8
    uint width;     // of a stream
    uint stride;    // of x and y
    uint routed_stride;
    uint h_stride;
    uint active_stream;
} a;

shared float factors[64];

void main() {
    const uint lane = gl_LocalInvocationID.x;
    const uint row = gl_WorkGroupID.y;
    const bool corrects = !is_null(a.h);
    if (lane < (corrects ? a.count : a.count * a.count)) {
        float sum = 0.0;
        for (uint k = 0u; k < a.count; k++) {
            sum += Floats(a.weights).v[lane * a.count + k] * Floats(a.routed).v[row * a.routed_stride + k];
        }
        factors[lane] = sum;
    }
    barrier();
    const uint column = gl_GlobalInvocationID.x;
    if (column >= a.width) return;
    const uint start = row * a.stride + column;
    Floats x = Floats(a.x);
    float change = 0.0;
    if (corrects) change = Floats(a.h).v[row * a.h_stride + column] - x.v[start + a.active_stream * a.width];
    for (uint i = 0u; i < a.count; i++) {
        float value = x.v[start + i * a.width];
        if (corrects) {
            value += (1.0 + factors[i]) * change;
        } else {
            for (uint j = 0u; j < a.count; j++) value += factors[i * a.count + j] * x.v[start + j * a.width];
        }
        Floats(a.y).v[start + i * a.width] = value;
    }
}
