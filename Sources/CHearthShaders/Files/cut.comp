#version 450
// x = max(0, x - (mean + deviations * standard deviation)) for each row, with the population's standard deviation.
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "reduce.glsl"
layout(local_size_x = 64) in;
layout(push_constant) uniform Arguments {
    uvec2 x;
    uint width;
    uint stride;
    float deviations;
} a;

void main() {
    const uint lane = gl_LocalInvocationID.x;
    const uint start = gl_WorkGroupID.y * a.stride;
    Floats x = Floats(a.x);
    float sum = 0.0;
    for (uint i = lane; i < a.width; i += 64u) sum += x.v[start + i];
    const float mean = sum_of_all(sum) / float(a.width);
    sum = 0.0;
    for (uint i = lane; i < a.width; i += 64u) {
        float far = x.v[start + i] - mean;
        sum += far * far;
    }
    const float limit = mean + a.deviations * sqrt(sum_of_all(sum) / float(a.width));
    for (uint i = lane; i < a.width; i += 64u) {
        float value = x.v[start + i] - limit;
        // In this order NaN stays NaN.
        x.v[start + i] = 0.0 > value ? 0.0 : value;
    }
}
