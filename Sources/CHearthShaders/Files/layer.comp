#version 450
// (x - mean) / sqrt(variance + epsilon) * gain + shift for each row of a network: a group has a row.
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "reduce.glsl"
layout(local_size_x = 64) in;
layout(push_constant) uniform Arguments {
    uvec2 x;
    uvec2 gain;  // one for each column; null for ones, as the shift for zeros
    uvec2 shift;
    uvec2 y;
    uint rows;
    uint width;
    float epsilon;
} a;

void main() {
    const uint lane = gl_LocalInvocationID.x;
    for (uint row = gl_WorkGroupID.x; row < a.rows; row += gl_NumWorkGroups.x) {
        const uint start = row * a.width;
        float sum = 0.0;
        for (uint i = lane; i < a.width; i += 64u) sum += Floats(a.x).v[start + i];
        const float mean = sum_of_all(sum) / float(a.width);
        sum = 0.0;
        for (uint i = lane; i < a.width; i += 64u) {
            const float far = Floats(a.x).v[start + i] - mean;
            sum += far * far;
        }
        const float factor = 1.0 / sqrt(sum_of_all(sum) / float(a.width) + a.epsilon);
        for (uint i = lane; i < a.width; i += 64u) {
            float value = (Floats(a.x).v[start + i] - mean) * factor;
            if (!is_null(a.gain)) value *= Floats(a.gain).v[i];
            if (!is_null(a.shift)) value += Floats(a.shift).v[i];
            Floats(a.y).v[start + i] = value;
        }
    }
}
