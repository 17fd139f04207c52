#version 450
// Rows of a network times a matrix: y = f(scale * x W + bias), for each of a batch of both. 16 columns and TILE rows a group; four
// threads share each of their sums.
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "functions.glsl"
const uint TILE = 4u;
layout(local_size_x = 64) in;
layout(push_constant) uniform Arguments {
    uvec2 x;
    uvec2 weights;
    uvec2 bias;  // null for none, as the residual
    uvec2 residual;
    uvec2 y;
    uint rows;
    uint inner;
    uint columns;
    uint x_row;  // strides, in values
    uint x_inner;
    uint y_row;
    uint w_panel;  // of 16 columns
    uint w_column;
    uint w_inner;
    uint x_batch;
    uint w_batch;
    uint y_batch;
    uint row_groups;
    uint function;
    uint residual_last;
    float scale;
    float a;
    float b;
} a;

shared float parts[64u * TILE];

void main() {
    const uint lane = gl_LocalInvocationID.x % 16u;
    const uint quarter = gl_LocalInvocationID.x / 16u;
    const uint column = gl_WorkGroupID.x * 16u + lane;
    const uint batch = gl_WorkGroupID.y / a.row_groups;
    const uint first = gl_WorkGroupID.y % a.row_groups * TILE;
    const uint count = min(TILE, a.rows - first);
    float sums[TILE];
    for (uint t = 0u; t < TILE; t++) sums[t] = 0.0;
    if (column < a.columns) {
        const uint w = batch * a.w_batch + gl_WorkGroupID.x * a.w_panel + lane * a.w_column;
        const uint x = batch * a.x_batch + first * a.x_row;
        for (uint i = quarter; i < a.inner; i += 4u) {
            const float weight = Floats(a.weights).v[w + i * a.w_inner];
            for (uint t = 0u; t < count; t++) {
                sums[t] = fma(weight, Floats(a.x).v[x + t * a.x_row + i * a.x_inner], sums[t]);
            }
        }
    }
    for (uint t = 0u; t < TILE; t++) parts[t * 64u + gl_LocalInvocationID.x] = sums[t];
    barrier();
    // Each quarter finishes a row.
    if (quarter >= count || column >= a.columns) return;
    float sum = 0.0;
    for (uint i = 0u; i < 4u; i++) sum += parts[quarter * 64u + i * 16u + lane];
    const uint to = batch * a.y_batch + (first + quarter) * a.y_row + column;
    float value = sum * a.scale;
    if (!is_null(a.bias)) value += Floats(a.bias).v[column];
    float residual = 0.0;
    if (!is_null(a.residual)) residual = Floats(a.residual).v[to];
    if (a.residual_last == 0u) value += residual;
    value = function_of(a.function, a.a, a.b, value);
    if (a.residual_last != 0u) value += residual;
    Floats(a.y).v[to] = value;
}
