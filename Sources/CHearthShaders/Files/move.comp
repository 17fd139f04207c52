#version 450
// Values to other places, over six dimensions: transposes, slices, joins. A stride of 0 repeats, one below 0 goes backwards.
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
layout(local_size_x = 64) in;
layout(push_constant) uniform Arguments {
    uvec2 x;
    uvec2 y;
    uint sizes[6];
    int x_strides[6];
    int y_strides[6];
    int x_first;
    int y_first;
} a;

void main() {
    uint count = 1u;
    for (uint d = 0u; d < 6u; d++) count *= a.sizes[d];
    for (uint i = gl_GlobalInvocationID.x; i < count; i += gl_NumWorkGroups.x * 64u) {
        uint rest = i;
        int from = a.x_first;
        int to = a.y_first;
        for (uint d = 6u; d > 0u; d--) {
            const int at = int(rest % a.sizes[d - 1u]);
            rest /= a.sizes[d - 1u];
            from += at * a.x_strides[d - 1u];
            to += at * a.y_strides[d - 1u];
        }
        Floats(a.y).v[to] = Floats(a.x).v[from];
    }
}
