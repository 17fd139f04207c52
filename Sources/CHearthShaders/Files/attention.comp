#version 450
// One head of one query over the keys and values that it sees: 64 positions at a time, with the sum of weights and their
// maximum carried along (Milakov and Gimelshein 2018), so that no row of scores is kept.
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
layout(constant_id = 0) const bool HALF = true;
layout(local_size_x = 64) in;
layout(push_constant) uniform Arguments {
    uvec2 queries;
    uvec2 keys;
    uvec2 values;
    uvec2 y;
    uint heads;
    uint cache_heads;
    uint width;  // of a head, at most 512
    uint stride;  // of queries, in values
    uint y_stride;
    uint position;  // of the first query
    uint window;    // positions that a query sees, itself included; 0 for all
    float scale;
    float cap;  // 0 for none
} a;

shared float query[512];
shared float weights[64];

float cached(uvec2 address, uint at) {
    if (HALF) {
        vec2 two = unpackHalf2x16(Words(address).v[at >> 1]);
        return (at & 1u) == 0u ? two.x : two.y;
    }
    return Floats(address).v[at];
}

void main() {
    const uint lane = gl_LocalInvocationID.x;
    const uint head = gl_WorkGroupID.x;
    const uint last = a.position + gl_WorkGroupID.y;
    const uint first = a.window != 0u && last + 1u > a.window ? last + 1u - a.window : 0u;
    const uint row = a.cache_heads * a.width;
    const uint column = head / (a.heads / a.cache_heads) * a.width;
    const uint from = gl_WorkGroupID.y * a.stride + head * a.width;
    for (uint i = lane; i < a.width; i += 64u) query[i] = Floats(a.queries).v[from + i];
    barrier();

    float sums[8];
    for (uint i = 0u; i < 8u; i++) sums[i] = 0.0;
    float maximum = -3.0e38;
    float total = 0.0;
    for (uint start = first; start <= last; start += 64u) {
        const uint count = min(64u, last + 1u - start);
        float score = -3.0e38;
        if (lane < count) {
            const uint at = (start + lane) * row + column;
            float dot = 0.0;
            for (uint i = 0u; i < a.width; i++) dot += query[i] * cached(a.keys, at + i);
            score = dot * a.scale;
            if (a.cap > 0.0) score = a.cap * tanh(score / a.cap);
        }
        weights[lane] = score;
        barrier();
        float highest = maximum;
        for (uint i = 0u; i < count; i++) highest = max(highest, weights[i]);
        barrier();
        weights[lane] = lane < count ? exp(score - highest) : 0.0;
        barrier();
        const float kept = exp(maximum - highest);
        maximum = highest;
        total *= kept;
        for (uint i = 0u; i < count; i++) total += weights[i];
        for (uint part = 0u; part < 8u; part++) {
            const uint place = part * 64u + lane;
            if (place >= a.width) break;
            float sum = sums[part] * kept;
            for (uint i = 0u; i < count; i++) sum += weights[i] * cached(a.values, (start + i) * row + column + place);
            sums[part] = sum;
        }
        barrier();
    }
    const uint to = gl_WorkGroupID.y * a.y_stride + head * a.width;
    for (uint part = 0u; part < 8u; part++) {
        const uint place = part * 64u + lane;
        if (place >= a.width) break;
        Floats(a.y).v[to + place] = sums[part] / total;
    }
}
