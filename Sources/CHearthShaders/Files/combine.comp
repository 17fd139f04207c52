#version 450
// A function of two tensors and then one of its result, over six dimensions; a stride of 0 repeats a tensor. y is dense.
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "functions.glsl"
layout(local_size_x = 64) in;
layout(push_constant) uniform Arguments {
    uvec2 x;
    uvec2 z;
    uvec2 y;
    uint sizes[6];
    uint x_strides[6];
    uint z_strides[6];
    uint operation;
    uint function;
    float a;
    float b;
} a;

float power_of(float x, float z) {
    // pow of negative numbers is undefined on a device; of whole exponents it is not.
    if (x >= 0.0 || isnan(x)) return z == 0.0 ? 1.0 : pow(x, z);
    if (floor(z) != z) return uintBitsToFloat(0x7fc00000u);
    const float size = z == 0.0 ? 1.0 : pow(-x, z);
    return floor(z * 0.5) * 2.0 == z ? size : -size;
}

float combined(float x, float z) {
    switch (a.operation) {
    case 0u: return x + z;
    case 1u: return x - z;
    case 2u: return x * z;
    case 3u: return x / z;
    case 4u: return isnan(x) || x > z ? x : z;
    case 5u: return isnan(x) || x < z ? x : z;
    case 6u: return power_of(x, z);
    }
    return x < 0.0 ? z * x : x;
}

void main() {
    uint count = 1u;
    for (uint d = 0u; d < 6u; d++) count *= a.sizes[d];
    for (uint i = gl_GlobalInvocationID.x; i < count; i += gl_NumWorkGroups.x * 64u) {
        uint rest = i;
        uint x = 0u;
        uint z = 0u;
        for (uint d = 6u; d > 0u; d--) {
            const uint at = rest % a.sizes[d - 1u];
            rest /= a.sizes[d - 1u];
            x += at * a.x_strides[d - 1u];
            z += at * a.z_strides[d - 1u];
        }
        Floats(a.y).v[i] = function_of(a.function, a.a, a.b, combined(Floats(a.x).v[x], Floats(a.z).v[z]));
    }
}
