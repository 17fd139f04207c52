#version 450
// gelu(gate) * up in the place of gate, with the tanh form of GELU: z / (1 + exp(-2u)), which keeps small values exact.
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
layout(local_size_x = 64) in;
layout(push_constant) uniform Arguments {
    uvec2 gate;
    uvec2 up;
    uint width;
    uint stride;
    uint up_stride;
} a;

void main() {
    const uint column = gl_GlobalInvocationID.x;
    if (column >= a.width) return;
    const uint place = gl_WorkGroupID.y * a.stride + column;
    float z = Floats(a.gate).v[place];
    float u = 0.7978845608028654 * (z + 0.044715 * z * z * z);
    // Beyond that the exponential is infinite or nothing.
    float gelu = z / (1.0 + exp(clamp(-2.0 * u, -80.0, 80.0)));
    Floats(a.gate).v[place] = gelu * Floats(a.up).v[gl_WorkGroupID.y * a.up_stride + column];
}
