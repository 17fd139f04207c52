#version 450
// One head of one query over the keys and values that it sees: 64 positions at a time, with the sum of weights and their
// maximum carried along (Milakov and Gimelshein 2018), so that no row of scores is kept.
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "cache.glsl"
#include "reduce.glsl"
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
// Of 64 positions, and of the next 64, as slower threads may still read the former.
shared float weights[128];

// The product of the query with the key of a head at a position.
float product(uint position, uint head) {
    float dot = 0.0;
    if (FORMAT == F32) {
        const uint at = (position * a.cache_heads + head) * a.width;
        for (uint i = 0u; i < a.width; i++) dot += query[i] * Floats(a.keys).v[at + i];
    } else if (FORMAT == F16) {
        const uint at = (position * a.cache_heads + head) * a.width / 2u;
        for (uint i = 0u; i < a.width / 2u; i++) {
            vec2 two = unpackHalf2x16(Words(a.keys).v[at + i]);
            dot += query[2u * i] * two.x;
            dot += query[2u * i + 1u] * two.y;
        }
    } else {
        const uint of_head = (a.width + 31u) / 32u;
        for (uint part = 0u; part < of_head; part++) {
            const uint block = head * of_head + part;
            const uint unit = unit_of(position, a.cache_heads * of_head, block);
            const uint first = unit + 1u + (block & 1u) * block_words();
            float sum = 0.0;
            for (uint w = 0u; w < block_words(); w++) {
                const uint word = Words(a.keys).v[first + w];
                if (FORMAT == Q8_0) {
                    for (uint i = 0u; i < 4u; i++) {
                        sum += query[part * 32u + w * 4u + i] * float(bitfieldExtract(int(word), int(8u * i), 8));
                    }
                } else {
                    for (uint i = 0u; i < 8u; i++) {
                        sum += query[part * 32u + w * 8u + i] * (float((word >> (4u * i)) & 15u) - 8.0);
                    }
                }
            }
            const vec2 scales = unpackHalf2x16(Words(a.keys).v[unit]);
            dot += sum * ((block & 1u) == 0u ? scales.x : scales.y);
        }
    }
    return dot;
}

// A value of a head at a position.
float value_at(uint position, uint head, uint i) {
    const uint at = (position * a.cache_heads + head) * a.width + i;
    if (FORMAT == F32) return Floats(a.values).v[at];
    if (FORMAT == F16) {
        vec2 two = unpackHalf2x16(Words(a.values).v[at >> 1]);
        return (at & 1u) == 0u ? two.x : two.y;
    }
    const uint of_head = (a.width + 31u) / 32u;
    const uint block = head * of_head + i / 32u;
    const uint unit = unit_of(position, a.cache_heads * of_head, block);
    const uint first = unit + 1u + (block & 1u) * block_words();
    const vec2 scales = unpackHalf2x16(Words(a.values).v[unit]);
    const float scale = (block & 1u) == 0u ? scales.x : scales.y;
    const uint place = i % 32u;
    if (FORMAT == Q8_0) {
        int word = int(Words(a.values).v[first + place / 4u]);
        return scale * float(bitfieldExtract(word, int(place % 4u * 8u), 8));
    }
    return scale * (float((Words(a.values).v[first + place / 8u] >> (place % 8u * 4u)) & 15u) - 8.0);
}

void main() {
    const uint lane = gl_LocalInvocationID.x;
    const uint head = gl_WorkGroupID.x;
    const uint last = a.position + gl_WorkGroupID.y;
    const uint first = a.window != 0u && last + 1u > a.window ? last + 1u - a.window : 0u;
    const uint cache_head = head / (a.heads / a.cache_heads);
    const uint from = gl_WorkGroupID.y * a.stride + head * a.width;
    // With nothing for what heads are padded by.
    for (uint i = lane; i < (a.width + 31u) / 32u * 32u; i += 64u) query[i] = i < a.width ? Floats(a.queries).v[from + i] : 0.0;
    barrier();

    float sums[8];
    for (uint i = 0u; i < 8u; i++) sums[i] = 0.0;
    float maximum = -3.0e38;
    // Of the positions of this thread.
    float total = 0.0;
    uint next = 0u;
    for (uint start = first; start <= last; start += 64u) {
        const uint count = min(64u, last + 1u - start);
        float score = -3.0e38;
        if (lane < count) {
            score = product(start + lane, cache_head) * a.scale;
            if (a.cap > 0.0) score = a.cap * tanh(score / a.cap);
        }
        const uint now = next;
        next ^= 64u;
#ifdef SUBGROUPS
        const float highest = max(maximum, largest_of_all(score));
#else
        weights[now + lane] = score;
        barrier();
        float highest = maximum;
        for (uint i = 0u; i < count; i++) highest = max(highest, weights[now + i]);
        barrier();
#endif
        const float weight = lane < count ? exp(score - highest) : 0.0;
        weights[now + lane] = weight;
        barrier();
        const float kept = exp(maximum - highest);
        maximum = highest;
        total = total * kept + weight;
        for (uint part = 0u; part < 8u; part++) {
            const uint place = part * 64u + lane;
            if (place >= a.width) break;
            float sum = sums[part] * kept;
            for (uint i = 0u; i < count; i++) sum += weights[now + i] * value_at(start + i, cache_head, place);
            sums[part] = sum;
        }
    }
#ifdef SUBGROUPS
    total = sum_of_all(total);
#else
    weights[next + lane] = total;
    barrier();
    total = 0.0;
    for (uint i = 0u; i < 64u; i++) total += weights[next + i];
#endif
    const uint to = gl_WorkGroupID.y * a.y_stride + head * a.width;
    for (uint part = 0u; part < 8u; part++) {
        const uint place = part * 64u + lane;
        if (place >= a.width) break;
        Floats(a.y).v[to + place] = sums[part] / total;
    }
}
