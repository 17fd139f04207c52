#version 450
// y = scale * W x, or that added to y, for up to TOKENS rows x: some threads share a row of W, decode it once for all tokens, and
// add up what they have: LANES of a group through shared memory, or with SUBGROUPS those of a subgroup. W is read where and as it
// lies in the file. With a cap the result is cap * tanh(y / cap).
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "blocks.glsl"
layout(constant_id = 1) const uint TOKENS = 1u;
#ifndef SUBGROUPS
// Threads that share a row: a power of two, at most 64.
layout(constant_id = 2) const uint LANES = 16u;
#endif
layout(local_size_x = 64) in;
layout(push_constant) uniform Arguments {
    uvec2 weights;
    uvec2 x;
    uvec2 y;
    uint rows;
    uint eights;  // of a row
    uint row_bytes;
    uint x_stride;  // in values, as that of y
    uint y_stride;
    uint tokens;
    uint adds;
    float scale;
    float cap;
} a;

#ifndef SUBGROUPS
shared float parts[64u * TOKENS];
#endif

void finish(uint token, uint row, float sum) {
    const uint to = token * a.y_stride + row;
    float y = sum * a.scale;
    if (a.adds != 0u) y += Floats(a.y).v[to];
    if (a.cap > 0.0) y = a.cap * tanh(y / a.cap);
    Floats(a.y).v[to] = y;
}

void main() {
#ifdef SUBGROUPS
    // Counted, because subgroups need not be full.
    const uint lanes = subgroupAdd(1u);
    const uint lane = subgroupExclusiveAdd(1u);
    const uint rows_together = gl_NumSubgroups;
    const uint own_row = gl_SubgroupID;
#else
    const uint lanes = LANES;
    const uint lane = gl_LocalInvocationID.x % LANES;
    const uint rows_together = 64u / LANES;
    const uint own_row = gl_LocalInvocationID.x / LANES;
#endif
    const uint first = gl_WorkGroupID.y * TOKENS;
    const uint count = min(TOKENS, a.tokens - first);
    const uint groups = (a.rows + rows_together - 1u) / rows_together;
    for (uint group = gl_WorkGroupID.x; group < groups; group += gl_NumWorkGroups.x) {
        const uint row = group * rows_together + own_row;
        float sums[TOKENS];
        for (uint t = 0u; t < TOKENS; t++) sums[t] = 0.0;
        if (row < a.rows) {
            for (uint eight = lane; eight < a.eights; eight += lanes) {
                float w[8];
                decode_eight(Words(a.weights), row * a.row_bytes, eight, w);
                for (uint t = 0u; t < count; t++) {
                    uint place = (first + t) * a.x_stride + eight * 8u;
                    // One operation, so that every number of tokens gives a token the same bits.
                    for (uint i = 0u; i < 8u; i++) sums[t] = fma(w[i], Floats(a.x).v[place + i], sums[t]);
                }
            }
        }
#ifdef SUBGROUPS
        for (uint t = 0u; t < TOKENS; t++) {
            const float sum = subgroupAdd(sums[t]);
            // The lanes of a row write its tokens.
            if (row < a.rows && t < count && lane == t % lanes) finish(first + t, row, sum);
        }
#else
        for (uint t = 0u; t < TOKENS; t++) parts[t * 64u + gl_LocalInvocationID.x] = sums[t];
        barrier();
        for (uint half_of = LANES / 2u; half_of > 0u; half_of /= 2u) {
            if (lane < half_of) {
                for (uint t = 0u; t < count; t++) {
                    uint place = t * 64u + gl_LocalInvocationID.x;
                    parts[place] += parts[place + half_of];
                }
            }
            barrier();
        }
        // The lanes of a row write its tokens.
        if (row < a.rows) {
            for (uint t = lane; t < count; t += LANES) {
                finish(first + t, row, parts[t * 64u + gl_LocalInvocationID.x - lane]);
            }
        }
        barrier();
#endif
    }
}
