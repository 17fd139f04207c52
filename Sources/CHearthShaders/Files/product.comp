#version 450
// y = scale * W x, or that added to y, for up to TOKENS rows x: some threads share a row of W, decode it once for all tokens, and
// add up what they have. W is read where and as it lies in the file. With a cap the result is cap * tanh(y / cap).
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "blocks.glsl"
layout(constant_id = 1) const uint TOKENS = 1u;
// Threads that share a row: a power of two, at most 64.
layout(constant_id = 2) const uint LANES = 16u;
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

shared float parts[64u * TOKENS];

void main() {
    const uint rows_together = 64u / LANES;
    const uint lane = gl_LocalInvocationID.x % LANES;
    const uint first = gl_WorkGroupID.y * TOKENS;
    const uint count = min(TOKENS, a.tokens - first);
    const uint groups = (a.rows + rows_together - 1u) / rows_together;
    for (uint group = gl_WorkGroupID.x; group < groups; group += gl_NumWorkGroups.x) {
        const uint row = group * rows_together + gl_LocalInvocationID.x / LANES;
        float sums[TOKENS];
        for (uint t = 0u; t < TOKENS; t++) sums[t] = 0.0;
        if (row < a.rows) {
            for (uint eight = lane; eight < a.eights; eight += LANES) {
                float w[8];
                decode_eight(Words(a.weights), row * a.row_bytes, eight, w);
                for (uint t = 0u; t < count; t++) {
                    uint place = (first + t) * a.x_stride + eight * 8u;
                    // One operation, so that every number of tokens gives a token the same bits.
                    for (uint i = 0u; i < 8u; i++) sums[t] = fma(w[i], Floats(a.x).v[place + i], sums[t]);
                }
            }
        }
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
                const uint to = (first + t) * a.y_stride + row;
                float y = parts[t * 64u + gl_LocalInvocationID.x - lane] * a.scale;
                if (a.adds != 0u) y += Floats(a.y).v[to];
                if (a.cap > 0.0) y = a.cap * tanh(y / a.cap);
                Floats(a.y).v[to] = y;
            }
        }
        barrier();
    }
}
