#version 450
// Softmax over values that lie `stride` apart, or their sum, mean, maximum or minimum: a group for each of them.
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "reduce.glsl"
layout(local_size_x = 64) in;
layout(push_constant) uniform Arguments {
    uvec2 x;
    uvec2 y;
    uint rows;
    uint count;
    uint stride;
    uint operation;
} a;

const uint SOFTMAX = 0u, SUM = 1u, MEAN = 2u, MAXIMUM = 3u, MINIMUM = 4u;

void main() {
    const uint lane = gl_LocalInvocationID.x;
    for (uint row = gl_WorkGroupID.x; row < a.rows; row += gl_NumWorkGroups.x) {
        const uint start = row / a.stride * a.stride * a.count + row % a.stride;
        const bool adds = a.operation == SUM || a.operation == MEAN;
        const float sign_of = a.operation == MINIMUM ? -1.0 : 1.0;
        float best = sign_of * Floats(a.x).v[start];
        float sum = 0.0;
        for (uint i = lane; i < a.count; i += 64u) {
            const float value = sign_of * Floats(a.x).v[start + i * a.stride];
            best = larger_of(best, value);
            sum += value;
        }
        if (a.operation != SOFTMAX) {
            float result = adds ? sum_of_all(sum) : sign_of * largest_of_all(best);
            if (a.operation == MEAN) result /= float(a.count);
            if (lane == 0u) Floats(a.y).v[row] = result;
            continue;
        }
        const float largest = largest_of_all(best);
        sum = 0.0;
        for (uint i = lane; i < a.count; i += 64u) sum += exp(Floats(a.x).v[start + i * a.stride] - largest);
        const float total = sum_of_all(sum);
        for (uint i = lane; i < a.count; i += 64u) {
            const uint at = start + i * a.stride;
            Floats(a.y).v[at] = exp(Floats(a.x).v[at] - largest) / total;
        }
    }
}
