#version 450
// y = scale * W x, or that added to y, for up to TOKENS rows x. LANES threads share ROWS rows of W: each decodes units of them once
// for all tokens, takes x once for all rows, and the threads add up what they have through shared memory. W is read where and as it
// lies in the file. With a cap the result is cap * tanh(y / cap).
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "common.glsl"
#include "formats.glsl"
layout(constant_id = 1) const uint TOKENS = 1u;
// More rows would take x from memory less often, but be fewer threads for matrices with few rows.
const uint ROWS = 2u;
// It is a multiple of the units of two blocks, so that what a thread reads has the same place in its block each time.
const uint LANES = 8u;
// Threads that have the same lane; rows of a thread are so many apart, an even number.
const uint SETS = 64u / LANES;
const uint TILE = ROWS * TOKENS;
layout(local_size_x = 64) in;
layout(push_constant) uniform Arguments {
    uvec2 weights;  // at a multiple of 16 bytes, as each row of x
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

shared float parts_of_all[64u * TILE];

#include "units.glsl"

void finish(uint token, uint row, float sum) {
    const uint to = token * a.y_stride + row;
    float y = sum * a.scale;
    if (a.adds != 0u) y += Floats(a.y).v[to];
    if (a.cap > 0.0) y = a.cap * tanh(y / a.cap);
    Floats(a.y).v[to] = y;
}

void main() {
    const uint thread = gl_LocalInvocationID.x;
    const uint first = gl_WorkGroupID.y * TOKENS;
    const uint together = SETS * ROWS;
    for (uint row = gl_WorkGroupID.x * together; row < a.rows; row += gl_NumWorkGroups.x * together) {
        // Rows and tokens behind the last one are computed as the last one, and not written.
        [[unroll]] for (uint r = 0u; r < ROWS; r++) {
            const uint own = min(row + thread / LANES + r * SETS, a.rows - 1u);
            at[r] = advanced(a.weights, own * a.row_bytes);
        }
        [[unroll]] for (uint t = 0u; t < TOKENS; t++) {
            x_at[t] = advanced(a.x, min(first + t, a.tokens - 1u) * a.x_stride * 4u);
        }
        [[unroll]] for (uint i = 0u; i < TILE; i++) sums[i] = 0.0;
        add_units(thread % LANES);
        [[unroll]] for (uint i = 0u; i < TILE; i++) parts_of_all[i * 64u + thread] = sums[i];
        barrier();
        for (uint i = thread; i < SETS * TILE; i += 64u) {
            const uint own = row + i % together, token = first + i / together;
            if (own < a.rows && token < a.tokens) {
                const uint parts = (i / SETS % ROWS * TOKENS + i / together) * 64u + i % SETS * LANES;
                float sum = parts_of_all[parts];
                [[unroll]] for (uint lane = 1u; lane < LANES; lane++) sum += parts_of_all[parts + lane];
                finish(token, own, sum);
            }
        }
        barrier();
    }
}
