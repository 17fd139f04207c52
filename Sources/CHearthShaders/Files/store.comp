#version 450
// Keeps keys or values of some positions: two values a thread, as float32 or as two float16 in a word.
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
layout(constant_id = 0) const bool HALF = true;
layout(local_size_x = 64) in;
layout(push_constant) uniform Arguments {
    uvec2 x;
    uvec2 cache;
    uint pairs;  // of a row
    uint stride;
    uint position;
} a;

// Rounded to the nearest, ties to even, on every device; packHalf2x16 may round as it likes.
uint half_bits(float value) {
    uint bits = floatBitsToUint(value);
    uint sign = (bits >> 16) & 0x8000u;
    uint size = bits & 0x7fffffffu;
    if (size > 0x7f800000u) return sign | 0x7e00u;
    if (size >= 0x47800000u) return sign | 0x7c00u;
    if (size < 0x38800000u) return sign | uint(roundEven(uintBitsToFloat(size) * 16777216.0));
    size -= 0x38000000u;
    return sign | ((size + 0xfffu + ((size >> 13) & 1u)) >> 13);
}

void main() {
    const uint pair = gl_GlobalInvocationID.x;
    if (pair >= a.pairs) return;
    const uint from = gl_WorkGroupID.y * a.stride + pair * 2u;
    const uint to = (a.position + gl_WorkGroupID.y) * a.pairs + pair;
    float low = Floats(a.x).v[from];
    float high = Floats(a.x).v[from + 1u];
    if (HALF) {
        Words(a.cache).v[to] = half_bits(low) | (half_bits(high) << 16);
    } else {
        Floats(a.cache).v[2u * to] = low;
        Floats(a.cache).v[2u * to + 1u] = high;
    }
}
