#version 450
// x / rms(x) * gain, for each head of each row by itself (one head is the whole row): written, or added to what is there.
// Without a gain and adding, x itself is added.
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "reduce.glsl"
layout(local_size_x = 64) in;
layout(push_constant) uniform Arguments {
    uvec2 x;
    uvec2 gain;  // null for ones
    uvec2 y;
    uint width;
    uint x_stride;
    uint y_stride;
    uint adds;
    float epsilon;
} a;

void main() {
    const uint lane = gl_LocalInvocationID.x;
    const uint x0 = gl_WorkGroupID.y * a.x_stride + gl_WorkGroupID.x * a.width;
    const uint y0 = gl_WorkGroupID.y * a.y_stride + gl_WorkGroupID.x * a.width;
    Floats x = Floats(a.x);
    Floats y = Floats(a.y);
    const bool has_gain = !is_null(a.gain);
    float factor = 1.0;
    if (has_gain || a.adds == 0u) {
        float sum = 0.0;
        for (uint i = lane; i < a.width; i += 64u) sum += x.v[x0 + i] * x.v[x0 + i];
        factor = 1.0 / sqrt(sum_of_all(sum) / float(a.width) + a.epsilon);
    }
    for (uint i = lane; i < a.width; i += 64u) {
        float value = x.v[x0 + i] * factor;
        if (has_gain) value *= Floats(a.gain).v[i];
        y.v[y0 + i] = a.adds != 0u ? y.v[y0 + i] + value : value;
    }
}
