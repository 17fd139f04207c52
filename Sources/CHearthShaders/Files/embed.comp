#version 450
// Rows of an embedding table times a scale: eight values a thread.
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "blocks.glsl"
layout(local_size_x = 64) in;
layout(push_constant) uniform Arguments {
    uvec2 table;
    uvec2 tokens;
    uvec2 hidden;
    uint eights;  // of a row
    uint row_bytes;
    uint stride;  // of `hidden`, in values
    uint rows;    // of the table
    float scale;
} a;

void main() {
    uint eight = gl_GlobalInvocationID.x;
    if (eight >= a.eights) return;
    uint token = Words(a.tokens).v[gl_WorkGroupID.y];
    // An id beyond the table, which callers refuse, reads nothing outside of it.
    if (token >= a.rows) token = 0u;
    float x[8];
    decode_eight(Words(a.table), token * a.row_bytes, eight, x);
    Floats hidden = Floats(a.hidden);
    uint place = gl_WorkGroupID.y * a.stride + eight * 8u;
    for (uint i = 0u; i < 8u; i++) hidden.v[place + i] = x[i] * a.scale;
}
